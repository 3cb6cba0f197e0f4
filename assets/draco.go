package assets

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/everray/everray/assets/internal/draco"
	"github.com/qmuntal/gltf"
)

// dracoCompression is the extension of primitives that Google's Draco compressed.
const dracoCompression = "KHR_draco_mesh_compression"

// decompress decodes what a primitive compresses, and gives its accessors the data.
func (l *loader) decompress(sp *gltf.Primitive) error {
	raw, ok := sp.Extensions[dracoCompression].(json.RawMessage)
	if !ok {
		return nil
	}
	var x struct {
		BufferView int
		Attributes map[string]uint32
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	data, _, err := l.read.view(x.BufferView)
	if err != nil {
		return err
	}
	if l.draco == nil {
		if l.draco, err = draco.NewDecoder(l.ctx); err != nil {
			return err
		}
	}
	var names []string
	var want []draco.Attribute
	for name, id := range x.Attributes {
		i, ok := sp.Attributes[name]
		if !ok {
			continue
		}
		a, err := l.read.accessor(i)
		if err != nil {
			return err
		}
		names = append(names, name)
		want = append(want, draco.Attribute{ID: id, Type: dracoType(a.ComponentType), Components: a.Type.Components()})
	}
	mesh, err := l.draco.Decode(l.ctx, data, want, func(n int64) error { return l.src.charge(n, dracoCompression) })
	switch {
	case errors.Is(err, draco.ErrTooLarge):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case errors.Is(err, draco.ErrInvalid):
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	case err != nil:
		return err
	}
	given := map[int]elements{}
	for k, name := range names {
		i := sp.Attributes[name]
		a, err := l.read.accessor(i)
		if err != nil {
			return err
		}
		if a.Count != mesh.Points {
			return fmt.Errorf("%w: %s has %d elements, the compressed mesh %d points", ErrInvalid, name, a.Count, mesh.Points)
		}
		size := a.ComponentType.ByteSize() * a.Type.Components()
		given[i] = elements{data: mesh.Attributes[k], count: a.Count, size: size, stride: size}
	}
	if sp.Indices != nil {
		if given[*sp.Indices], err = l.dracoIndices(*sp.Indices, mesh.Indices); err != nil {
			return err
		}
	}
	l.read.given = given
	return nil
}

// dracoType is the type that an accessor's components have in the decoder.
func dracoType(c gltf.ComponentType) draco.Type {
	switch c {
	case gltf.ComponentByte:
		return draco.Int8
	case gltf.ComponentUbyte:
		return draco.Uint8
	case gltf.ComponentShort:
		return draco.Int16
	case gltf.ComponentUshort:
		return draco.Uint16
	case gltf.ComponentUint:
		return draco.Uint32
	}
	return draco.Float32
}

// dracoIndices gives the accessor of indices what the mesh has, as its own type.
func (l *loader) dracoIndices(accessor int, indices []uint32) (elements, error) {
	a, err := l.read.accessor(accessor)
	if err != nil {
		return elements{}, err
	}
	if a.Count != len(indices) {
		return elements{}, fmt.Errorf("%w: accessor %d has %d indices, the compressed mesh %d", ErrInvalid, accessor, a.Count,
			len(indices))
	}
	size := a.ComponentType.ByteSize()
	data := make([]byte, 0, size*len(indices))
	for _, v := range indices {
		for k := range size {
			data = append(data, byte(v>>(8*k)))
		}
	}
	return elements{data: data, count: len(indices), size: size, stride: size}, nil
}
