package assets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qmuntal/gltf"
)

// The binary container: a 12-byte header, then chunks of an 8-byte header and
// their data (glTF 2.0 specification, chapter 4).
const (
	glbMagic       = "glTF"
	glbHeaderSize  = 12
	glbChunkHeader = 8
	glbChunkJSON   = 0x4E4F534A
	glbChunkBIN    = 0x004E4942
)

// splitContainer returns the JSON and, of a .glb, the binary chunk (nil without).
func splitContainer(data []byte) (doc, bin []byte, err error) {
	if !bytes.HasPrefix(data, []byte(glbMagic)) {
		if t := bytes.TrimLeft(data, " \t\r\n"); len(t) == 0 || t[0] != '{' {
			return nil, nil, fmt.Errorf("%w: neither a .glb header nor a JSON object", ErrInvalid)
		}
		return data, nil, nil
	}
	if len(data) < glbHeaderSize+glbChunkHeader {
		return nil, nil, fmt.Errorf("%w: .glb of %d bytes is cut short in its header", ErrInvalid, len(data))
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != 2 {
		return nil, nil, fmt.Errorf("%w: .glb container version %d, want 2", ErrInvalid, v)
	}
	if n := binary.LittleEndian.Uint32(data[8:]); int64(n) != int64(len(data)) {
		return nil, nil, fmt.Errorf("%w: .glb header says %d bytes, the file has %d", ErrInvalid, n, len(data))
	}
	for i, rest := 0, data[glbHeaderSize:]; len(rest) > 0; i++ {
		if len(rest) < glbChunkHeader {
			return nil, nil, fmt.Errorf("%w: .glb chunk %d is cut short in its header", ErrInvalid, i)
		}
		n, kind := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[glbChunkHeader:]
		if int64(n) > int64(len(rest)) {
			return nil, nil, fmt.Errorf("%w: .glb chunk %d says %d bytes, %d are left", ErrInvalid, i, n, len(rest))
		}
		switch {
		case i == 0 && kind != glbChunkJSON:
			return nil, nil, fmt.Errorf("%w: first .glb chunk has type %#x, want JSON", ErrInvalid, kind)
		case i == 0:
			doc = rest[:n:n]
		case i == 1 && kind == glbChunkBIN:
			bin = rest[:n:n]
		} // others are to be ignored
		rest = rest[n:]
	}
	return doc, bin, nil
}

// parseDocument decodes the JSON and checks what the library's types cannot
// say: null entries, and enumerations that it would read as their zero value.
func parseDocument(data []byte) (*gltf.Document, error) {
	doc := new(gltf.Document)
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, fmt.Errorf("%w: JSON: %w", ErrInvalid, err)
	}
	if v := doc.Asset.Version; v != "2" && !strings.HasPrefix(v, "2.") {
		return nil, fmt.Errorf("%w: glTF version %q, this program reads 2.x", ErrUnsupported, v)
	}
	if v := doc.Asset.MinVersion; v != "" && v != "2.0" && v != "2" {
		return nil, fmt.Errorf("%w: the file needs glTF %q, this program reads 2.0", ErrUnsupported, v)
	}
	if err := checkNulls(doc); err != nil {
		return nil, err
	}
	if err := checkEnums(data); err != nil {
		return nil, err
	}
	return doc, nil
}

func checkNulls(doc *gltf.Document) error {
	for _, e := range []error{
		noNull("accessor", doc.Accessors), noNull("buffer", doc.Buffers), noNull("bufferView", doc.BufferViews),
		noNull("camera", doc.Cameras), noNull("image", doc.Images), noNull("material", doc.Materials),
		noNull("mesh", doc.Meshes), noNull("node", doc.Nodes), noNull("sampler", doc.Samplers),
		noNull("scene", doc.Scenes), noNull("skin", doc.Skins), noNull("texture", doc.Textures),
	} {
		if e != nil {
			return e
		}
	}
	for i, m := range doc.Meshes {
		if err := noNull("primitive", m.Primitives); err != nil {
			return fmt.Errorf("%s: %w", meshName(i, m.Name), err)
		}
	}
	return nil
}

func noNull[T any](what string, list []*T) error {
	for i, p := range list {
		if p == nil {
			return fmt.Errorf("%w: %s %d is null", ErrInvalid, what, i)
		}
	}
	return nil
}

// rawEnums are the enumerations for which the library takes an unknown value
// to mean the first one it knows: a wrong componentType would read as FLOAT.
type rawEnums struct {
	Accessors []struct {
		ComponentType *int64
		Type          *string
		Sparse        *struct{ Indices struct{ ComponentType int64 } }
	}
	Meshes []struct{ Primitives []struct{ Mode *int64 } }
	// Names are compared, so that a misspelt mode is not silently opaque.
	Materials []struct{ AlphaMode *string }
}

func checkEnums(data []byte) error {
	var raw rawEnums
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("%w: JSON: %w", ErrInvalid, err)
	}
	for i, a := range raw.Accessors {
		if a.ComponentType == nil || a.Type == nil {
			return fmt.Errorf("%w: accessor %d: no componentType or no type", ErrInvalid, i)
		}
		if c := *a.ComponentType; c < 5120 || c > 5126 || c == 5124 {
			return fmt.Errorf("%w: accessor %d: unknown componentType %d", ErrInvalid, i, c)
		}
		if a.Sparse != nil {
			if c := a.Sparse.Indices.ComponentType; c != 5121 && c != 5123 && c != 5125 {
				return fmt.Errorf("%w: accessor %d: sparse indices of componentType %d", ErrInvalid, i, c)
			}
		}
	}
	for i, m := range raw.Meshes {
		for j, p := range m.Primitives {
			if p.Mode != nil && (*p.Mode < 0 || *p.Mode > 6) {
				return fmt.Errorf("%w: mesh %d primitive %d: unknown mode %d", ErrInvalid, i, j, *p.Mode)
			}
		}
	}
	for i, m := range raw.Materials {
		if m.AlphaMode != nil && *m.AlphaMode != "OPAQUE" && *m.AlphaMode != "MASK" && *m.AlphaMode != "BLEND" {
			return fmt.Errorf("%w: material %d: unknown alphaMode %q", ErrInvalid, i, *m.AlphaMode)
		}
	}
	return nil
}

// isImplemented tells whether a file may require the extension.
func isImplemented(extension string) bool {
	return slices.ContainsFunc(Features(), func(f Support) bool { return f.Name == extension })
}

// checkExtensions refuses required extensions that are not implemented and
// returns warnings for those that are merely used.
func checkExtensions(doc *gltf.Document) (warnings []string, err error) {
	var missing []string
	required := map[string]bool{}
	for _, e := range doc.ExtensionsRequired {
		if !isImplemented(e) && !required[e] {
			missing = append(missing, e)
		}
		required[e] = true
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: the file requires %s, which is not read: switch it off in the exporter, or convert the file",
			ErrUnsupported, strings.Join(missing, ", "))
	}
	for _, e := range doc.ExtensionsUsed {
		if !isImplemented(e) {
			warnings = append(warnings, fmt.Sprintf("extension %s is ignored", e))
		}
	}
	return warnings, nil
}

// meshName says which mesh is meant.
func meshName(i int, name string) string {
	if name == "" {
		return fmt.Sprintf("mesh %d", i)
	}
	return fmt.Sprintf("mesh %d %q", i, name)
}
