package assets

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf"
)

// mesh returns the scene's index of a mesh, reading it at the first use; -1
// where it has no triangles.
func (l *loader) mesh(key meshKey) (int, error) {
	if i, ok := l.meshes[key]; ok {
		return i, nil
	}
	if key.mesh < 0 || key.mesh >= len(l.doc.Meshes) {
		return 0, fmt.Errorf("%w: mesh %d of %d", ErrInvalid, key.mesh, len(l.doc.Meshes))
	}
	src := l.doc.Meshes[key.mesh]
	pose, err := l.skinPose(key.skin)
	if err != nil {
		return 0, err
	}
	m := Mesh{Name: src.Name}
	for j, sp := range src.Primitives {
		p, err := l.primitive(sp, pose, l.weights(key))
		if err != nil {
			return 0, fmt.Errorf("%s primitive %d: %w", meshName(key.mesh, src.Name), j, err)
		}
		if p != nil {
			m.Primitives = append(m.Primitives, *p)
		}
		if err := l.step(); err != nil {
			return 0, err
		}
	}
	index := -1
	if len(m.Primitives) > 0 {
		index = len(l.scene.Meshes)
		l.scene.Meshes = append(l.scene.Meshes, m)
	}
	l.meshes[key] = index
	return index, nil
}

// primitive reads one primitive; nil where there is nothing to show.
func (l *loader) primitive(sp *gltf.Primitive, pose []mgl64.Mat4, weights []float64) (*Primitive, error) {
	position, ok := sp.Attributes[gltf.POSITION]
	if !ok {
		l.warn("primitives without positions are left out")
		return nil, nil
	}
	if err := l.decompress(sp); err != nil {
		return nil, fmt.Errorf("%s: %w", dracoCompression, err)
	}
	defer func() { l.read.given = nil }()
	switch sp.Mode {
	case gltf.PrimitiveTriangles, gltf.PrimitiveTriangleStrip, gltf.PrimitiveTriangleFan:
	default:
		return l.thinPrimitive(sp, position)
	}
	p := new(Primitive)
	pick, err := l.topology(p, sp, position)
	if err != nil || len(p.Indices) == 0 {
		return nil, err
	}
	if err := l.attributes(p, sp, pick); err != nil {
		return nil, err
	}
	if err := l.poseMorph(p, sp, pick, weights); err != nil {
		return nil, err
	}
	if pose != nil {
		if err := l.poseSkin(p, sp, pick, pose); err != nil {
			return nil, err
		}
	}
	for v := range p.VertexCount() {
		if !allFinite(p.Positions[3*v : 3*v+3]) {
			if pick != nil {
				v = int(pick[v])
			}
			return nil, fmt.Errorf("%w: position of vertex %d is not finite", ErrInvalid, v)
		}
	}
	material, err := l.variantMaterial(sp)
	if err != nil {
		return nil, err
	}
	if p.Material, err = l.material(material); err != nil {
		return nil, err
	}
	return p, l.shading(p)
}

// topology sets the indices to a triangle list. Where the primitive uses a
// small part of a shared vertex array, it returns the vertices to pick.
func (l *loader) topology(p *Primitive, sp *gltf.Primitive, position int) (pick []uint32, err error) {
	vertices, err := l.read.count(position)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", gltf.POSITION, err)
	}
	if sp.Indices != nil {
		if p.Indices, err = l.read.uints(*sp.Indices, gltf.AccessorScalar); err != nil {
			return nil, fmt.Errorf("indices: %w", err)
		}
		for i, k := range p.Indices {
			if int64(k) >= int64(vertices) {
				return nil, fmt.Errorf("%w: index %d is %d, there are %d vertices", ErrInvalid, i, k, vertices)
			}
		}
	} else {
		// The positions' range check comes before the count is believed.
		a, _ := l.read.accessor(position)
		if _, err := l.read.dense(position, a, a.ComponentType.ByteSize()*a.Type.Components()); err != nil {
			return nil, fmt.Errorf("%s: %w", gltf.POSITION, err)
		}
		if err := l.src.charge(4*int64(vertices), "vertices"); err != nil {
			return nil, err
		}
		p.Indices = make([]uint32, vertices)
		for i := range p.Indices {
			p.Indices[i] = uint32(i)
		}
	}
	if p.Indices, err = l.triangles(sp.Mode, p.Indices); err != nil || len(p.Indices) == 0 {
		return nil, err
	}
	const shared = 4 // vertices per index above which the array is shared
	if vertices/shared <= len(p.Indices) {
		return nil, nil
	}
	pick = slices.Clone(p.Indices)
	slices.Sort(pick)
	pick = slices.Compact(pick)
	for i, k := range p.Indices {
		at, _ := slices.BinarySearch(pick, k)
		p.Indices[i] = uint32(at)
	}
	return pick, nil
}

// triangles converts strips and fans to a list (specification 3.7.2.1); of
// strips the triangles without area that join parts are dropped.
func (l *loader) triangles(mode gltf.PrimitiveMode, in []uint32) ([]uint32, error) {
	if mode == gltf.PrimitiveTriangles {
		if len(in)%3 != 0 {
			return nil, fmt.Errorf("%w: %d vertices do not make triangles", ErrInvalid, len(in))
		}
		return in, nil
	}
	if len(in) < 3 {
		l.warn("triangle strips and fans of less than three vertices are left out")
		return nil, nil
	}
	if err := l.src.charge(12*int64(len(in)), "indices"); err != nil {
		return nil, err
	}
	out := make([]uint32, 0, 3*(len(in)-2))
	for i := range len(in) - 2 {
		var a, b, c uint32
		if mode == gltf.PrimitiveTriangleFan {
			a, b, c = in[i+1], in[i+2], in[0]
		} else {
			a, b, c = in[i], in[i+1+i%2], in[i+2-i%2]
		}
		if a != b && b != c && c != a {
			out = append(out, a, b, c)
		}
	}
	return out, nil
}

// attributes reads the vertex arrays.
func (l *loader) attributes(p *Primitive, sp *gltf.Primitive, pick []uint32) error {
	var vertices int
	get := func(name string, types ...gltf.AccessorType) ([]float32, int, error) {
		i, ok := sp.Attributes[name]
		if !ok {
			return nil, 0, nil
		}
		if n, err := l.read.count(i); err == nil && vertices > 0 && n != vertices {
			return nil, 0, fmt.Errorf("%w: %s has %d elements for %d vertices", ErrInvalid, name, n, vertices)
		}
		data, n, err := l.read.floats(i, pick, types...)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		return data, n, nil
	}
	var err error
	if p.Positions, _, err = get(gltf.POSITION, gltf.AccessorVec3); err != nil {
		return err
	}
	vertices, _ = l.read.count(sp.Attributes[gltf.POSITION])
	if p.Normals, _, err = get(gltf.NORMAL, gltf.AccessorVec3); err != nil {
		return err
	}
	if p.Tangents, _, err = get(gltf.TANGENT, gltf.AccessorVec4); err != nil {
		return err
	}
	if p.UV0, _, err = get(gltf.TEXCOORD_0, gltf.AccessorVec2); err != nil {
		return err
	}
	if p.UV1, _, err = get(gltf.TEXCOORD_1, gltf.AccessorVec2); err != nil {
		return err
	}
	colors, n, err := get(gltf.COLOR_0, gltf.AccessorVec3, gltf.AccessorVec4)
	if err != nil {
		return err
	}
	l.scaleColors(sp, colors)
	p.Colors = withAlpha(colors, n)
	if l.replaceNonFinite(p.UV0, 0)+l.replaceNonFinite(p.UV1, 0)+l.replaceNonFinite(p.Colors, 1) > 0 {
		l.warn("texture coordinates or colours that are not finite were replaced")
	}
	return nil
}

// scaleColors brings integer colours that the file forgot to call normalised into 0 to 1: nothing else can be meant.
func (l *loader) scaleColors(sp *gltf.Primitive, c []float32) {
	i, ok := sp.Attributes[gltf.COLOR_0]
	if !ok {
		return
	}
	a := l.doc.Accessors[i]
	most := map[gltf.ComponentType]float32{
		gltf.ComponentByte: math.MaxInt8, gltf.ComponentUbyte: math.MaxUint8, gltf.ComponentShort: math.MaxInt16,
		gltf.ComponentUshort: math.MaxUint16, gltf.ComponentUint: math.MaxUint32,
	}[a.ComponentType]
	if a.Normalized || most == 0 {
		return
	}
	for k := range c {
		c[k] = max(c[k]/most, 0)
	}
}

// withAlpha makes rgb into rgba.
func withAlpha(c []float32, n int) []float32 {
	if n != 3 {
		return c
	}
	out := make([]float32, 0, len(c)/3*4)
	for i := 0; i+2 < len(c); i += 3 {
		out = append(out, c[i], c[i+1], c[i+2], 1)
	}
	return out
}

func (l *loader) replaceNonFinite(a []float32, by float32) (n int) {
	for i, x := range a {
		if !isFinite(x) {
			a[i] = by
			n++
		}
	}
	return n
}

// shading completes normals, tangents and texture coordinates.
func (l *loader) shading(p *Primitive) error {
	flat := p.Normals == nil
	// What the rest may take, splitting vertices included.
	vertices := int64(p.VertexCount())
	if flat {
		vertices = int64(len(p.Indices))
	}
	if err := l.src.charge(vertices*(3+3+4+2+2+4)*4, "vertices"); err != nil {
		return err
	}
	if flat {
		p.flatNormals() // the file's tangents do not count without its normals
	} else if n := p.repairNormals(); n > 0 {
		l.warn("normals without a direction were replaced")
	}
	uv := p.UV0
	if t := l.scene.Materials[p.Material].NormalTexture; t != nil && t.TexCoord == 1 {
		uv = p.UV1
	}
	if p.Tangents != nil {
		p.repairTangents()
	} else {
		p.generateTangents(uv)
	}
	if p.UV0 == nil {
		p.UV0 = make([]float32, 2*p.VertexCount())
	}
	return l.ctx.Err()
}

// skinPose returns the joint matrices of a skin, for the transforms that the
// joints' nodes have in the file; nil without a skin.
func (l *loader) skinPose(skin int) ([]mgl64.Mat4, error) {
	if skin == -1 {
		return nil, nil
	}
	if skin < 0 || skin >= len(l.doc.Skins) {
		return nil, fmt.Errorf("%w: skin %d of %d", ErrInvalid, skin, len(l.doc.Skins))
	}
	s := l.doc.Skins[skin]
	if len(s.Joints) == 0 {
		return nil, fmt.Errorf("%w: skin %d has no joints", ErrInvalid, skin)
	}
	var inverse []float32
	if s.InverseBindMatrices != nil {
		data, _, err := l.read.floats(*s.InverseBindMatrices, nil, gltf.AccessorMat4)
		if err != nil {
			return nil, fmt.Errorf("skin %d: inverse bind matrices: %w", skin, err)
		}
		if len(data) < 16*len(s.Joints) {
			return nil, fmt.Errorf("%w: skin %d: %d inverse bind matrices for %d joints", ErrInvalid, skin, len(data)/16, len(s.Joints))
		}
		inverse = data
	}
	pose := make([]mgl64.Mat4, len(s.Joints))
	for i, j := range s.Joints {
		if j < 0 || j >= len(l.doc.Nodes) {
			return nil, fmt.Errorf("%w: skin %d: joint node %d of %d", ErrInvalid, skin, j, len(l.doc.Nodes))
		}
		pose[i] = l.nodes.world[j]
		if inverse != nil {
			pose[i] = pose[i].Mul4(mgl64FromMat4(mgl32.Mat4(inverse[16*i : 16*i+16])))
		}
	}
	l.warn("skinned meshes are shown at rest: the pose of the joints' nodes, without animation")
	return pose, nil
}

func mgl64FromMat4(m mgl32.Mat4) mgl64.Mat4 {
	var r mgl64.Mat4
	for i, x := range m {
		r[i] = float64(x)
	}
	return r
}
