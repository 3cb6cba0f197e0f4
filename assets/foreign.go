package assets

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
)

// Formats beside glTF: their readers are here and not libraries, because those that can be had are no longer kept up, or read
// a stranger's file without bounds.

// readerOf returns the reader of a file that is not glTF; nil for glTF.
func readerOf(name string, data []byte) func(l *loader, data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte("ply\n")), bytes.HasPrefix(data, []byte("ply\r")):
		return (*loader).readPLY
	case bytes.HasPrefix(data, []byte(glbMagic)):
		return nil
	case strings.EqualFold(filepath.Ext(name), ".obj"):
		return (*loader).readOBJ
	case strings.EqualFold(filepath.Ext(name), ".ply"):
		return func(*loader, []byte) error { return fmt.Errorf("%w: a .ply file begins with the line ply", ErrInvalid) }
	}
	return nil
}

// runForeign loads a file that is not glTF.
func (l *loader) runForeign(read func(l *loader, data []byte) error, data []byte) error {
	l.begin()
	if err := read(l, data); err != nil {
		return err
	}
	if len(l.scene.Instances) == 0 {
		return fmt.Errorf("%w: the file has no faces", ErrNoGeometry)
	}
	if err := l.decodeImages(); err != nil {
		return err
	}
	return l.complete()
}

// addMesh adds a mesh with one instance where it stands. Primitives without normals are made smooth or flat.
func (l *loader) addMesh(name string, primitives []*Primitive, smooth bool) error {
	m := Mesh{Name: name}
	for _, p := range primitives {
		if p.IsThin() {
			m.Primitives = append(m.Primitives, *p)
			continue
		}
		if len(p.Indices) == 0 {
			continue
		}
		for i := 0; i+2 < len(p.Positions); i += 3 {
			if !allFinite(p.Positions[i : i+3]) {
				return fmt.Errorf("%w: position of vertex %d of %q is not finite", ErrInvalid, i/3, name)
			}
		}
		l.replaceNonFinite(p.UV0, 0)
		l.replaceNonFinite(p.Colors, 1)
		if p.Normals == nil && smooth {
			p.smoothNormals()
		}
		if err := l.shading(p); err != nil {
			return err
		}
		m.Primitives = append(m.Primitives, *p)
	}
	if len(m.Primitives) == 0 {
		return nil
	}
	in := Instance{Name: name, Mesh: len(l.scene.Meshes), Transform: mgl32.Ident4()}
	l.scene.Meshes = append(l.scene.Meshes, m)
	l.scene.Instances = append(l.scene.Instances, in)
	return nil
}

// smoothNormals makes the normals of vertices the mean of their triangles', by area.
func (p *Primitive) smoothNormals() {
	sums := make([][3]float64, p.VertexCount())
	for i := 0; i+2 < len(p.Indices); i += 3 {
		n := p.faceVector(i)
		for _, k := range p.Indices[i : i+3] {
			for c := range n {
				sums[k][c] += n[c]
			}
		}
	}
	p.Normals = make([]float32, 0, len(p.Positions))
	for _, s := range sums {
		n := unitOr(s, mgl32.Vec3{0, 0, 1})
		p.Normals = append(p.Normals, n[:]...)
	}
}

// fileTexture returns a texture of a picture in a file beside the scene.
func (l *loader) fileTexture(file string, srgb bool) *TextureRef {
	// Files from elsewhere separate folders their own way.
	file = strings.ReplaceAll(file, `\`, "/")
	k, ok := l.files[fileUse{file, srgb}]
	if !ok {
		k = len(l.scene.Textures)
		image := len(l.scene.Images)
		p := pendingImage{index: image, scene: []int{image}, source: fmt.Sprintf("file %q", clip(file))}
		p.data, p.failed = l.src.local(file)
		l.pending = append(l.pending, p)
		l.scene.Images = append(l.scene.Images, Image{Name: clip(file), SRGB: srgb})
		l.scene.Textures = append(l.scene.Textures, Texture{Name: clip(file), Image: image})
		l.files[fileUse{file, srgb}] = k
	}
	return &TextureRef{Texture: k, Scale: mgl32.Vec2{1, 1}}
}

// fileUse is a picture's file in one of its two uses.
type fileUse struct {
	file string
	srgb bool
}

// local reads a file by a path that is not escaped, inside of the scene's folder.
func (s *source) local(file string) ([]byte, error) {
	name := filepath.FromSlash(file)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%w: path %q leads outside of the scene's folder", ErrInvalid, clip(file))
	}
	return s.read(filepath.Clean(name))
}
