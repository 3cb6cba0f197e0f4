package diverge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind says which hit shaders there are.
type Kind struct {
	Name string
	// Shaders is their number: the geometries have one each, or share them in turn.
	Shaders int
	// heavy tells which of them do much.
	heavy func(shader int) bool
}

// Kinds lists those of the project's measurements: light shaders give normal and colour, heavy ones compute besides.
func Kinds() []Kind {
	never, always := func(int) bool { return false }, func(int) bool { return true }
	return []Kind{
		{"mixed16", 16, func(shader int) bool { return shader%2 == 1 }},
		{"light16", 16, never},
		{"heavy16", 16, always},
		{"light1", 1, never},
	}
}

// ErrUnknownKind is returned by ParseKinds.
var ErrUnknownKind = errors.New("unknown kind of hit shaders")

// ParseKinds reads a list of names; the order is kept, doubles are dropped.
func ParseKinds(names []string) ([]Kind, error) {
	all := Kinds()
	var out []Kind
	for _, name := range names {
		at := slices.IndexFunc(all, func(k Kind) bool { return k.Name == strings.ToLower(strings.TrimSpace(name)) })
		if at < 0 {
			return nil, fmt.Errorf("%w %q: want mixed16, light16, heavy16 or light1", ErrUnknownKind, name)
		}
		if !slices.ContainsFunc(out, func(k Kind) bool { return k.Name == all[at].Name }) {
			out = append(out, all[at])
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: none named: want mixed16, light16, heavy16 or light1", ErrUnknownKind)
	}
	return out, nil
}
