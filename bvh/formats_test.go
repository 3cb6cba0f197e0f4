package bvh

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// formatCase writes one component of a vertex format, and says what position the builder makes of it.
type formatCase struct {
	name       string
	format     vulkan.Format
	components int
	size       int
	encode     func(b []byte, x float64) (value float32)
}

func float64Component(b []byte, x float64) float32 {
	binary.LittleEndian.PutUint64(b, math.Float64bits(x))
	return float32(x)
}

func float32Component(b []byte, x float64) float32 {
	binary.LittleEndian.PutUint32(b, math.Float32bits(float32(x)))
	return float32(x)
}

// halfComponent keeps to normal halves, of which it drops the places that do not fit.
func halfComponent(b []byte, x float64) float32 {
	bits := math.Float32bits(float32(x)) &^ 0x1fff
	exponent := int(bits>>23&0xff) - 127 + 15
	if exponent <= 0 {
		bits, exponent = bits&(1<<31), 0
	}
	binary.LittleEndian.PutUint16(b, uint16(bits>>16&0x8000|uint32(exponent)<<10|bits>>13&0x3ff))
	return math.Float32frombits(bits)
}

func snorm16Component(b []byte, x float64) float32 {
	v := int16(math.Round(x * 32767))
	if x == -1 {
		v = -32768 // reads as -1, too
	}
	binary.LittleEndian.PutUint16(b, uint16(v))
	return max(float32(v)/32767, -1)
}

func snorm8Component(b []byte, x float64) float32 {
	v := int8(math.Round(x * 127))
	if x == -1 {
		v = -128
	}
	b[0] = byte(v)
	return max(float32(v)/127, -1)
}

var formatCases = []formatCase{
	{"R32G32", vulkan.FormatR32g32Sfloat, 2, 4, float32Component},
	{"R32G32B32", vulkan.FormatR32g32b32Sfloat, 3, 4, float32Component},
	{"R32G32B32A32", vulkan.FormatR32g32b32a32Sfloat, 4, 4, float32Component},
	{"R16G16 float", vulkan.FormatR16g16Sfloat, 2, 2, halfComponent},
	{"R16G16B16 float", vulkan.FormatR16g16b16Sfloat, 3, 2, halfComponent},
	{"R16G16B16A16 float", vulkan.FormatR16g16b16a16Sfloat, 4, 2, halfComponent},
	{"R16G16 snorm", vulkan.FormatR16g16Snorm, 2, 2, snorm16Component},
	{"R16G16B16 snorm", vulkan.FormatR16g16b16Snorm, 3, 2, snorm16Component},
	{"R16G16B16A16 snorm", vulkan.FormatR16g16b16a16Snorm, 4, 2, snorm16Component},
	{"R8G8 snorm", vulkan.FormatR8g8Snorm, 2, 1, snorm8Component},
	{"R8G8B8 snorm", vulkan.FormatR8g8b8Snorm, 3, 1, snorm8Component},
	{"R8G8B8A8 snorm", vulkan.FormatR8g8b8a8Snorm, 4, 1, snorm8Component},
	{"R64G64", vulkan.FormatR64g64Sfloat, 2, 8, float64Component},
	{"R64G64B64", vulkan.FormatR64g64b64Sfloat, 3, 8, float64Component},
	{"R64G64B64A64", vulkan.FormatR64g64b64a64Sfloat, 4, 8, float64Component},
}

// vertices encodes n random positions in [-1, 1], padded by some components, behind an offset.
func (f formatCase) vertices(rng *rand.Rand, n, pad, offset int) (data []byte, positions [][3]float32) {
	stride := (f.components + pad) * f.size
	data = make([]byte, offset+n*stride)
	for i := range data {
		data[i] = 0x5a
	}
	for i := range n {
		var p [3]float32
		for k := range f.components {
			x := rng.Float64()*2 - 1
			if i == 1 {
				x = float64(2*(k&1) - 1) // the ends
			}
			v := f.encode(data[offset+i*stride+k*f.size:], x)
			if k < 3 {
				p[k] = v
			}
		}
		positions = append(positions, p)
	}
	return data, positions
}

// indexCase writes an index. IndexNone has none.
type indexCase struct {
	kind   vk.IndexType
	append func(b []byte, x uint32) []byte
}

var indexCases = []indexCase{
	{vk.IndexNone, nil},
	{vk.IndexUint8, func(b []byte, x uint32) []byte { return append(b, byte(x)) }},
	{vk.IndexUint16, func(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint16(b, uint16(x)) }},
	{vk.IndexUint32, binary.LittleEndian.AppendUint32},
}

// formatGeometry is one geometry of a format and an index type, with stride and offsets, and its triangles as the leaf
// records are to hold them.
func (r *rig) formatGeometry(rng *rand.Rand, f formatCase, ix indexCase, firstVertex int, transform bool) (vk.Geometry,
	vk.BuildRange, []inspect.Triangle) {
	r.Helper()
	const count = 70
	offset := 3 * f.size
	data, positions := f.vertices(rng, 3*count+firstVertex, len(f.name)%3, offset)
	tr := vk.Triangles{VertexFormat: f.format, VertexStride: uint64((f.components + len(f.name)%3) * f.size),
		MaxVertex: uint32(len(positions)) - 1, IndexType: ix.kind}
	rg := vk.BuildRange{PrimitiveCount: count, FirstVertex: uint32(firstVertex)}
	tr.VertexData = r.upload("vertices", data)
	index := func(n uint32) uint32 { return n }
	if ix.kind == vk.IndexNone {
		rg.PrimitiveOffset = uint32(offset)
	} else {
		tr.VertexData += uint64(offset)
		indices, list := make([]byte, 4*ix.kind.Size()), make([]uint32, 3*count)
		for i := range list {
			list[i] = uint32(rng.IntN(3 * count))
			indices = ix.append(indices, list[i])
		}
		rg.PrimitiveOffset = uint32(4 * ix.kind.Size())
		tr.IndexData = r.upload("indices", append(indices, 0, 0, 0))
		index = func(n uint32) uint32 { return list[n] }
	}
	m := vk.IdentityTransform()
	if transform {
		m = [12]float32{0, -1, 0, 0.5, 2, 0, 0, -0.25, 0, 0, 0.5, 1} // exact in float32 or nearly
		rg.TransformOffset = 48
		tr.TransformData = r.upload("transform", append(make([]byte, 48), floatBytes(m[:])...))
	}
	var triangles []inspect.Triangle
	for i := range uint32(count) {
		t := inspect.Triangle{Primitive: i, Opaque: true}
		for v := range uint32(3) {
			p := positions[uint32(firstVertex)+index(3*i+v)]
			for k := range 3 {
				t.V[v][k] = p[k]
				if transform {
					t.V[v][k] = m[4*k]*p[0] + m[4*k+1]*p[1] + m[4*k+2]*p[2] + m[4*k+3]
				}
			}
		}
		triangles = append(triangles, t)
	}
	return vk.Geometry{Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque, Triangles: tr}, rg, triangles
}

// TestVertexFormats builds from every format with every index type and compares the leaf records with the input.
func TestVertexFormats(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(121, 122))
	if n := len(VertexFormats()); n != len(formatCases) {
		t.Errorf("%d formats are tested of %d", len(formatCases), n)
	}
	for i, f := range formatCases {
		for j, ix := range indexCases {
			g, rg, want := r.formatGeometry(rng, f, ix, 5, (i+j)%2 == 0)
			name := fmt.Sprintf("%s, index type %d", f.name, ix.kind)
			s, _ := r.read(r.build(bottom(buildKinds[(i+j)%3].flags, []vk.Geometry{g}, []vk.BuildRange{rg}))[0])
			r.wantTriangles(name, s, want, 1e-6)
		}
	}
}

// wantTriangles wants exactly these triangles in the leaves. Conversions from snorm and transforms may round differently.
func (r *rig) wantTriangles(what string, s *inspect.Structure, want []inspect.Triangle, tolerance float64) {
	r.Helper()
	if int(s.Active) != len(want) {
		r.Errorf("%s: %d active, want %d", what, s.Active, len(want))
	}
	type id struct{ geometry, primitive uint32 }
	rest := map[id]inspect.Triangle{}
	for _, t := range want {
		rest[id{t.Geometry, t.Primitive}] = t
	}
	for i := range s.Active {
		got := s.Triangle(i)
		w, ok := rest[id{got.Geometry, got.Primitive}]
		delete(rest, id{got.Geometry, got.Primitive})
		if !ok {
			r.Errorf("%s: primitive %d of geometry %d comes twice or is none", what, got.Primitive, got.Geometry)
			return
		}
		for v := range 3 {
			for k := range 3 {
				a, b := float64(got.V[v][k]), float64(w.V[v][k])
				if a != b && !(math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b))) {
					r.Errorf("%s: primitive %d, vertex %d is %v, want %v", what, got.Primitive, v, got.V[v], w.V[v])
					return
				}
			}
		}
		if got.Opaque != w.Opaque {
			r.Errorf("%s: primitive %d opaque: %v", what, got.Primitive, got.Opaque)
		}
	}
	if len(rest) > 0 {
		r.Errorf("%s: %d triangles are missing", what, len(rest))
	}
}

// TestDoubles holds the conversion of doubles, which is done with integers, against Go's, to the last bit: ties, carries,
// overflow, what is less than the least normal float, infinities and NaN.
func TestDoubles(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(131, 132))
	values := []float64{
		0, math.Copysign(0, -1), 1, -1, 1.0 / 3, 0.1, 1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 1 - 0x1p-25, 2 - 0x1p-25,
		-(2 - 0x1p-30), 0x1p-126, 0x1p-126 - 0x1p-151, 0x1p-127, 0x1p-149, 0x1p-150, 0x1.8p-149, 0x1.000002p-127, 0x1p-151,
		-0x1.fffffffp-127,
		1e-300, 5e-324, 0x1.fffffep+122, 0x1.ffffffp+121, 1e36, -9.99e36,
	}
	for range 400 {
		values = append(values, math.Ldexp(rng.Float64()*2-1, rng.IntN(260)-150))
	}
	values = inRange(values)
	for len(values)%3 != 0 {
		values = append(values, 1)
	}
	// Every value is x of a vertex; the rest keeps the triangle apart.
	var data []byte
	for i, x := range values {
		data = append(data, doubleBytes(x, float64(i), -x)...)
	}
	// Triangles that cannot be: past the largest float, infinite, not a number.
	bad := []float64{1e39, -1e300, math.Inf(1), math.NaN(), math.Float64frombits(0x7ff0000000000001), 3.5e38}
	for _, x := range bad {
		data = append(data, doubleBytes(x, 0, 0, 0, 1, 0, 0, 0, 1)...)
	}
	g := vk.Geometry{Type: vk.GeometryTriangles, Triangles: vk.Triangles{VertexFormat: vulkan.FormatR64g64b64Sfloat,
		VertexData: r.upload("doubles", data), VertexStride: 24, IndexType: vk.IndexNone}}
	n := uint32(len(values) / 3)
	s, _ := r.read(r.build(bottom(0, []vk.Geometry{g}, []vk.BuildRange{{PrimitiveCount: n + uint32(len(bad))}}))[0])
	if s.Active != n {
		t.Errorf("%d active, want %d", s.Active, n)
	}
	for i := range s.Active {
		got := s.Triangle(i)
		for v := range 3 {
			x := values[3*int(got.Primitive)+v]
			for k, want := range []float32{float32(x), float32(3*int(got.Primitive) + v), float32(-x)} {
				if have := got.V[v][k]; math.Float32bits(have) != math.Float32bits(want) {
					if math.Abs(float64(want)) < 0x1p-126 && have == 0 {
						continue // the device has no floats so small
					}
					t.Errorf("%x reads as %x, want %x", x, have, want)
				}
			}
		}
	}
}

func doubleBytes(f ...float64) []byte {
	var b []byte
	for _, x := range f {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// inRange keeps what the builder does not take for infinite.
func inRange(values []float64) (out []float64) {
	for _, x := range values {
		if math.Abs(x) < 0.99e37 {
			out = append(out, x)
		}
	}
	return out
}
