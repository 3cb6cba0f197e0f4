package bvh

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// rig is a device with a builder and a tracer, for one test.
type rig struct {
	testing.TB
	dev     *vk.Device
	builder *Builder
	tracer  *Tracer
	uploads map[vk.DeviceAddress][]byte // by upload, for builds by the host
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return openRig(t)
}

func openRig(t testing.TB, o ...vktest.Option) *rig {
	t.Helper()
	r := &rig{TB: t, dev: vktest.Device(t, o...)}
	var err error
	if r.builder, err = NewBuilder(r.dev); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.builder.Destroy() }) // some tests put another in its place
	if r.tracer, err = NewTracer(r.dev); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.tracer.Destroy)
	return r
}

func (r *rig) buffer(name string, size uint64) *vk.Buffer {
	r.Helper()
	b, err := r.dev.NewBuffer(vk.BufferOptions{Name: name, Size: max(size, 256), AccelerationStructureInput: true})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(b.Destroy)
	return b
}

func (r *rig) upload(name string, data []byte) vk.DeviceAddress {
	r.Helper()
	b := r.buffer(name, uint64(len(data)))
	if len(data) > 0 {
		if err := r.dev.UploadBuffer(r.Context(), b, 0, data); err != nil {
			r.Fatal(err)
		}
	}
	if r.uploads == nil {
		r.uploads = map[vk.DeviceAddress][]byte{}
	}
	r.uploads[b.Address()] = data
	return b.Address()
}

// bufferOf is the buffer that some memory is, which it is in all tests but of foreign devices.
func bufferOf(m vk.Memory) *vk.Buffer { return m.(*vk.Buffer) }

// input is what one structure is built from.
type input struct {
	info   vk.BuildInfo
	ranges []vk.BuildRange
}

// prepare makes destination and scratch of every input.
func (r *rig) prepare(inputs ...input) []Build {
	r.Helper()
	builds := make([]Build, len(inputs))
	for i, in := range inputs {
		counts := make([]uint32, len(in.ranges))
		for k, g := range in.ranges {
			counts[k] = g.PrimitiveCount
		}
		sizes, err := r.builder.BuildSizes(in.info, counts)
		if err != nil {
			r.Fatal(err)
		}
		dst := r.buffer("structure", sizes.AccelerationStructureSize)
		scratch := r.buffer("scratch", sizes.BuildScratchSize)
		builds[i] = Build{Info: in.info, Ranges: in.ranges, Dst: dst, Scratch: scratch.Address()}
	}
	return builds
}

func (r *rig) run(builds []Build) {
	r.Helper()
	err := r.dev.Run(r.Context(), "test build", func(cb *vk.CommandBuffer) error { return r.builder.CmdBuild(cb, builds) })
	if err != nil {
		r.Fatal(err)
	}
}

// build builds all inputs as one batch.
func (r *rig) build(inputs ...input) []*vk.Buffer {
	r.Helper()
	builds := r.prepare(inputs...)
	r.run(builds)
	out := make([]*vk.Buffer, len(builds))
	for i := range builds {
		out[i] = bufferOf(builds[i].Dst)
	}
	return out
}

// read reads a structure back, validates it, and returns it with its metrics.
func (r *rig) read(b *vk.Buffer) (*inspect.Structure, inspect.Metrics) {
	r.Helper()
	s, err := inspect.Read(r.Context(), r.dev, b, 0)
	return validated(r, s, err)
}

// validated wants a structure that was read to be a valid one, and returns it with its metrics.
func validated(t testing.TB, s *inspect.Structure, err error) (*inspect.Structure, inspect.Metrics) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// soup is triangles without sharing: 9 floats each.
type soup []float32

func (s soup) count() uint32 { return uint32(len(s) / 9) }

func (s soup) triangles(geometry uint32, isOpaque bool) []inspect.Triangle {
	var out []inspect.Triangle
	for i := range s.count() {
		t := inspect.Triangle{Primitive: i, Geometry: geometry, Opaque: isOpaque}
		for v := range uint32(3) {
			copy(t.V[v][:], s[9*i+3*v:])
		}
		out = append(out, t)
	}
	return out
}

func randomSoup(rng *rand.Rand, n int, size float32) soup {
	s := make(soup, 0, 9*n)
	for range n {
		c := [3]float32{rng.Float32()*2 - 1, rng.Float32()*2 - 1, rng.Float32()*2 - 1}
		for range 3 {
			for k := range 3 {
				s = append(s, c[k]+(rng.Float32()*2-1)*size)
			}
		}
	}
	return s
}

func randomRays(rng *rand.Rand, n int) []inspect.Ray {
	rays := make([]inspect.Ray, n)
	for i := range rays {
		for k := range 3 {
			rays[i].Origin[k] = (rng.Float32()*2 - 1) * 1.5
			rays[i].Direction[k] = (rng.Float32()*2-1)*1.2 - rays[i].Origin[k]
		}
		rays[i].TMax = 1e30
	}
	return rays
}

func floatBytes(f []float32) []byte {
	b := make([]byte, 0, 4*len(f))
	for _, x := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func uintBytes(u []uint32) []byte { return appendWords(nil, u...) }

// soupGeometry uploads a soup as an unindexed geometry.
func (r *rig) soupGeometry(s soup, flags vk.GeometryFlags) (vk.Geometry, vk.BuildRange) {
	return vk.Geometry{Type: vk.GeometryTriangles, Flags: flags, Triangles: vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: r.upload("vertices", floatBytes(s)), VertexStride: 12,
		MaxVertex: max(s.count()*3, 1) - 1, IndexType: vk.IndexNone,
	}}, vk.BuildRange{PrimitiveCount: s.count()}
}

func (r *rig) soupInput(s soup, flags vk.BuildFlags, geometry vk.GeometryFlags) input {
	g, rg := r.soupGeometry(s, geometry)
	return bottom(flags, []vk.Geometry{g}, []vk.BuildRange{rg})
}

func bottom(flags vk.BuildFlags, g []vk.Geometry, ranges []vk.BuildRange) input {
	return input{vk.BuildInfo{Type: vk.BottomLevel, Flags: flags, Geometries: g}, ranges}
}

// indexedInput uploads an indexed mesh.
func (r *rig) indexedInput(positions []float32, indices []uint32, flags vk.BuildFlags) input {
	g := vk.Geometry{Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: r.upload("vertices", floatBytes(positions)), VertexStride: 12,
		MaxVertex: uint32(len(positions)/3) - 1, IndexType: vk.IndexUint32, IndexData: r.upload("indices", uintBytes(indices)),
	}}
	return bottom(flags, []vk.Geometry{g}, []vk.BuildRange{{PrimitiveCount: uint32(len(indices) / 3)}})
}

// topInput uploads instances.
func (r *rig) topInput(flags vk.BuildFlags, instances ...vk.AccelerationStructureInstance) input {
	var data []byte
	for _, i := range instances {
		data = i.AppendTo(data)
	}
	g := vk.Geometry{Type: vk.GeometryInstances, Instances: vk.Instances{Data: r.upload("instances", data)}}
	return input{vk.BuildInfo{Type: vk.TopLevel, Flags: flags, Geometries: []vk.Geometry{g}},
		[]vk.BuildRange{{PrimitiveCount: uint32(len(instances))}}}
}

// single puts one structure under the identity.
func (r *rig) single(b *vk.Buffer) *vk.Buffer {
	return r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, b.Address())))[0]
}

func (r *rig) trace(tlas *vk.Buffer, rays []inspect.Ray, o TraceOptions) []Hit {
	r.Helper()
	if o.CullMask == 0 {
		o.CullMask = 0xff
	}
	hits, _, err := r.tracer.Trace(r.Context(), tlas.Address(), rays, o)
	if err != nil {
		r.Fatal(err)
	}
	return hits
}

// compareHits holds hits against the reference's answers. It allows no difference but where the reference says that
// float32 may differ, and returns how many rays hit and how many were left out.
func (r *rig) compareHits(hits []Hit, answers []inspect.ReferenceHit, rays []inspect.Ray) (hit, ambiguous int) {
	r.Helper()
	bad := 0
	for i, want := range answers {
		if want.Ambiguous {
			ambiguous++
			continue
		}
		if want.Instance != inspect.NoInstance {
			hit++
		}
		if d := hitDifference(hits[i], want); d != "" {
			if bad++; bad < 5 {
				r.Errorf("ray %d %v: %s\n got %+v\nwant %+v", i, rays[i], d, hits[i], want)
			}
		}
	}
	if bad > 0 {
		r.Errorf("%d of %d rays differ", bad, len(rays))
	}
	return hit, ambiguous
}

// traceAll is Trace for many rays on all cores.
func traceAll(r inspect.Reference, rays []inspect.Ray, flags uint32, mask uint8,
	ignore func(inspect.Triangle) bool) []inspect.ReferenceHit {
	out := make([]inspect.ReferenceHit, len(rays))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(rays); i = next.Add(1) - 1 {
				out[i] = r.Trace(rays[i], flags, mask, ignore)
			}
		})
	}
	wg.Wait()
	return out
}

func hitDifference(got Hit, want inspect.ReferenceHit) string {
	if (got.Instance == inspect.NoInstance) != (want.Instance == inspect.NoInstance) {
		return "hit against miss"
	}
	if want.Instance == inspect.NoInstance {
		return ""
	}
	switch {
	case got.Instance != want.Instance, got.Primitive != want.Primitive, got.Geometry != want.Geometry:
		return "another primitive"
	case got.CustomIndex != want.CustomIndex, got.TableOffset != want.TableOffset:
		return "another instance record"
	case got.Kind != want.Kind:
		return "another hit kind"
	case math.Abs(float64(got.T)-want.T) > 2e-5*math.Max(1, want.T):
		return "another t"
	case math.Abs(float64(got.U)-want.U) > 1e-3, math.Abs(float64(got.V)-want.V) > 1e-3:
		return "other barycentrics"
	}
	return ""
}

// model is the geometry of a file of ../shared/scenes/bench.
type model struct {
	name      string
	positions []float32
	indices   []uint32
	camera    [16]float32 // column major
	yfov      float64
}

// loadModel reads the first primitive of every mesh of a binary glTF without transforms. It skips when the file is
// not there.
func loadModel(t testing.TB, name string) model {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "scenes", "bench", name+".glb")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("%s is not there: the shared scenes are outside the repository", path)
	}
	jsonLen := binary.LittleEndian.Uint32(data[12:])
	var doc struct {
		Nodes       []struct{ Matrix []float32 }
		Cameras     []struct{ Perspective struct{ Yfov float64 } }
		Accessors   []struct{ BufferView, ByteOffset, ComponentType, Count int }
		BufferViews []struct{ ByteOffset, ByteStride int }
		Meshes      []struct {
			Primitives []struct {
				Attributes map[string]int
				Indices    int
			}
		}
	}
	if err := json.Unmarshal(data[20:20+jsonLen], &doc); err != nil {
		t.Fatal(err)
	}
	bin := data[20+jsonLen+8:]
	m := model{name: name}
	for _, n := range doc.Nodes {
		copy(m.camera[:], n.Matrix)
	}
	if len(doc.Cameras) > 0 {
		m.yfov = doc.Cameras[0].Perspective.Yfov
	}
	for _, mesh := range doc.Meshes {
		for _, p := range mesh.Primitives {
			base := uint32(len(m.positions) / 3)
			a := doc.Accessors[p.Attributes["POSITION"]]
			v := doc.BufferViews[a.BufferView]
			stride := max(v.ByteStride, 12)
			for i := range a.Count {
				for k := range 3 {
					m.positions = append(m.positions,
						math.Float32frombits(binary.LittleEndian.Uint32(bin[v.ByteOffset+a.ByteOffset+i*stride+4*k:])))
				}
			}
			a = doc.Accessors[p.Indices]
			at := bin[doc.BufferViews[a.BufferView].ByteOffset+a.ByteOffset:]
			for i := range a.Count {
				var x uint32
				switch a.ComponentType {
				case 5125:
					x = binary.LittleEndian.Uint32(at[4*i:])
				case 5123:
					x = uint32(binary.LittleEndian.Uint16(at[2*i:]))
				case 5121:
					x = uint32(at[i])
				}
				m.indices = append(m.indices, base+x)
			}
		}
	}
	return m
}

func (m model) triangles() []inspect.Triangle {
	out := make([]inspect.Triangle, len(m.indices)/3)
	for i := range out {
		out[i].Primitive = uint32(i)
		out[i].Opaque = true
		for v := range 3 {
			copy(out[i].V[v][:], m.positions[3*m.indices[3*i+v]:][:3])
		}
	}
	return out
}

// primaryRays is one ray per pixel, in 8x4 tiles.
func (m model) primaryRays(width, height int) []inspect.Ray {
	rays := make([]inspect.Ray, 0, width*height)
	tan := math.Tan(m.yfov / 2)
	c := m.camera
	for ty := 0; ty < height; ty += 4 {
		for tx := 0; tx < width; tx += 8 {
			for p := range 32 {
				x := (2*(float64(tx+p%8)+0.5)/float64(width) - 1) * tan * float64(width) / float64(height)
				y := (1 - 2*(float64(ty+p/8)+0.5)/float64(height)) * tan
				r := inspect.Ray{Origin: [3]float32{c[12], c[13], c[14]}, TMax: 1e30}
				for k := range 3 {
					r.Direction[k] = float32(float64(c[k])*x + float64(c[4+k])*y - float64(c[8+k]))
				}
				rays = append(rays, r)
			}
		}
	}
	return rays
}
