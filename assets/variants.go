package assets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qmuntal/gltf"
)

const variantsExtension = "KHR_materials_variants"

// readVariants lists the names of the file's material variants, and finds the one that is asked for.
func (l *loader) readVariants(want string) error {
	l.variant = -1
	if raw, ok := l.doc.Extensions[variantsExtension].(json.RawMessage); ok {
		var ext struct{ Variants []struct{ Name string } }
		if err := json.Unmarshal(raw, &ext); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrInvalid, variantsExtension, err)
		}
		for _, v := range ext.Variants {
			l.scene.Variants = append(l.scene.Variants, v.Name)
		}
	}
	if want == "" {
		return nil
	}
	l.variant = slices.Index(l.scene.Variants, want)
	switch {
	case l.variant >= 0:
		return nil
	case len(l.scene.Variants) == 0:
		return fmt.Errorf("%w %q: the file has none", ErrUnknownVariant, want)
	}
	return fmt.Errorf("%w %q: the file has %s", ErrUnknownVariant, want, strings.Join(l.scene.Variants, ", "))
}

// variantMaterial returns a primitive's material under the chosen variant.
func (l *loader) variantMaterial(sp *gltf.Primitive) (*int, error) {
	raw, ok := sp.Extensions[variantsExtension].(json.RawMessage)
	if !ok || l.variant < 0 {
		return sp.Material, nil
	}
	var ext struct {
		Mappings []struct {
			Material int
			Variants []int
		}
	}
	if err := json.Unmarshal(raw, &ext); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrInvalid, variantsExtension, err)
	}
	for _, m := range ext.Mappings {
		if slices.Contains(m.Variants, l.variant) {
			return &m.Material, nil
		}
	}
	return sp.Material, nil
}
