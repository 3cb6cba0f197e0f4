package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// limitsVariable has TestLimits build at the limits, which takes some 40 GB of device and host memory; without it a
// thousandth does.
const limitsVariable = "EVERRAY_LIMITS"

// TestLimits builds as many primitives, geometries and instances as one structure may have, or as fit in a buffer of the
// device, and finds some of them by rays.
func TestLimits(t *testing.T) {
	share := uint64(1000)
	if os.Getenv(limitsVariable) == "1" {
		share = 1
	}
	r := newRig(t)
	for _, tt := range []struct {
		name       string
		each, most uint64 // triangles of a geometry, and of all
	}{{"primitives", 1024, MaxPrimitives}, {"geometries", 1, MaxGeometries}} {
		n := min(tt.most/share, r.dev.Physical().Limits.MaxBufferSize/64)
		t.Run(tt.name, func(t *testing.T) {
			r.TB = t
			r.limitPatches(uint32(tt.each), uint32(n))
		})
	}
	t.Run("instances", func(t *testing.T) {
		r.TB = t
		r.limitInstances(uint32(min(MaxInstances/share,
			r.dev.Physical().Limits.MaxBufferSize/(layout.InstanceSize+layout.NodeSize))))
	})
}

// limitPatches builds n triangles in geometries of so many, which stand on a grid, each moved by a transform of its own.
func (r *rig) limitPatches(each, n uint32) {
	r.Helper()
	const row = 4096 // geometries of a row
	var patch []float32
	for i := range each { // slivers in a unit square
		y := float32(i) / float32(each)
		patch = append(patch, 0, y, 0, 0.5, y, 0, 0.25, y+0.5/float32(each), 0)
	}
	vertices := r.upload("patch", floatBytes(patch))
	geometries := (n + each - 1) / each
	transforms := make([]byte, 0, 48*geometries)
	for g := range geometries {
		m := vk.IdentityTransform()
		m[3], m[7] = float32(g%row), float32(g/row)
		transforms = append(transforms, floatBytes(m[:])...)
	}
	place := r.upload("transforms", transforms)
	in := bottom(vk.PreferFastBuild, make([]vk.Geometry, geometries), make([]vk.BuildRange, geometries))
	for g := range geometries {
		in.info.Geometries[g] = vk.Geometry{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices, VertexStride: 12, MaxVertex: 3*each - 1,
			IndexType: vk.IndexNone, TransformData: place,
		}}
		in.ranges[g] = vk.BuildRange{PrimitiveCount: min(each, n-each*g), TransformOffset: 48 * g}
	}
	builds := r.prepare(in)
	start := time.Now()
	r.run(builds)
	r.Logf("%d triangles in %d geometries: %v, structure of %d bytes", n, geometries, time.Since(start), builds[0].Dst.Size())
	r.wantHeader(bufferOf(builds[0].Dst), n)
	rng := rand.New(rand.NewPCG(221, 222))
	var rays []inspect.Ray
	var want []uint32
	for range 1000 {
		k := rng.Uint32N(n)
		g, i := k/each, k%each
		rays = append(rays, inspect.Ray{Origin: [3]float32{float32(g%row) + 0.25, float32(g/row) + (float32(i)+0.125)/float32(each),
			1}, Direction: [3]float32{0, 0, -1}, TMax: 2})
		want = append(want, k)
	}
	for i, h := range r.trace(r.single(bufferOf(builds[0].Dst)), rays, TraceOptions{}) {
		if h.Instance == inspect.NoInstance || h.Geometry*each+h.Primitive != want[i] {
			r.Fatalf("ray %d hits %+v, want triangle %d", i, h, want[i])
		}
	}
}

// wantHeader reads the header alone: of how many primitives it is, and how deep.
func (r *rig) wantHeader(b *vk.Buffer, n uint32) {
	r.Helper()
	head := make([]byte, layout.HeaderSize)
	if err := r.dev.ReadBuffer(r.Context(), b, 0, head); err != nil {
		r.Fatal(err)
	}
	s, err := inspect.DecodeHeader(head)
	if err != nil {
		r.Fatal(err)
	}
	if s.Active != n || s.Primitives != n || s.Height > StackEntries || s.Bytes > b.Size() {
		r.Errorf("%d active of %d primitives, want %d; height %d, %d bytes of %d", s.Active, s.Primitives, n, s.Height, s.Bytes, b.Size())
	}
}

// limitInstances builds n instances of a triangle on a grid.
func (r *rig) limitInstances(n uint32) {
	r.Helper()
	const row = 4096
	blas := r.build(r.soupInput(soup{0, 0, 0, 0.5, 0, 0, 0, 0.5, 0}, 0, vk.GeometryOpaque))[0]
	data := make([]byte, 0, vk.AccelerationStructureInstanceSize*uint64(n))
	for i := range n {
		m := vk.IdentityTransform()
		m[3], m[7] = float32(i%row), float32(i/row)
		data = vk.NewAccelerationStructureInstance(m, i, 0xff, 0, 0, blas.Address()).AppendTo(data)
	}
	in := r.topInput(vk.PreferFastBuild)
	in.info.Geometries[0].Instances.Data, in.ranges[0].PrimitiveCount = r.upload("instances", data), n
	builds := r.prepare(in)
	start := time.Now()
	r.run(builds)
	r.Logf("%d instances: %v, structure of %d bytes", n, time.Since(start), builds[0].Dst.Size())
	r.wantHeader(bufferOf(builds[0].Dst), n)
	rng := rand.New(rand.NewPCG(223, 224))
	var rays []inspect.Ray
	var want []uint32
	for range 1000 {
		i := rng.Uint32N(n)
		rays = append(rays, inspect.Ray{Origin: [3]float32{float32(i%row) + 0.125, float32(i/row) + 0.125, 1},
			Direction: [3]float32{0, 0, -1}, TMax: 2})
		want = append(want, i)
	}
	for i, h := range r.trace(bufferOf(builds[0].Dst), rays, TraceOptions{}) {
		if h.Instance != want[i] {
			r.Fatalf("ray %d hits %+v, want instance %d", i, h, want[i])
		}
	}
}

// guarded makes memory of a size with guard bytes around.
func (r *rig) guarded(name string, size uint64) (b *vk.Buffer, offset uint64) {
	r.Helper()
	const around = 1024
	b = r.buffer(name, size+2*around)
	r.fill(b, bytes.Repeat([]byte{guard}, int(b.Size())))
	return b, around
}

// intact checks the guard bytes around.
func (r *rig) intact(what string, b *vk.Buffer, offset, size uint64) {
	r.Helper()
	data := make([]byte, b.Size())
	if err := r.dev.ReadBuffer(r.Context(), b, 0, data); err != nil {
		r.Fatal(err)
	}
	for i, x := range data {
		if at := uint64(i); (at < offset || at >= offset+size) && x != guard {
			r.Fatalf("%s: byte %d of %d is written", what, int64(at)-int64(offset), size)
		}
	}
}

// TestSizesNeverExceeded builds and updates in memory of just the sizes that BuildSizes says from the counts: nothing
// around it is written, by triangles, boxes and instances of all flags, some of them inactive.
func TestSizesNeverExceeded(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(225, 226))
	blas := r.build(r.soupInput(randomSoup(rng, 50, 0.2), 0, 0), r.soupInput(nil, 0, 0))
	for _, kind := range buildKinds {
		for _, more := range []vk.BuildFlags{0, vk.LowMemory, vk.AllowCompaction} {
			flags := kind.flags | more
			list := []moving{}
			for _, n := range []int{0, 1, 7, 1024, 5001} {
				list = append(list, r.movingSoup(n, flags, n%2 == 1), r.movingBoxes(n, flags, n%2 == 1), r.movingInstances(n, flags, blas))
			}
			for _, m := range list {
				n := m.ranges[0].PrimitiveCount
				what := fmt.Sprintf("flags %#x, %d of type %d", m.info.Flags, n, m.info.Geometries[0].Type)
				sizes, err := r.builder.BuildSizes(m.info, []uint32{n})
				if err != nil {
					t.Fatal(err)
				}
				r.fill(m.data, m.make(rng))
				dst, at := r.guarded("structure", sizes.AccelerationStructureSize)
				for _, update := range []bool{false, true} {
					size := sizes.BuildScratchSize
					if update {
						size = sizes.UpdateScratchSize
					}
					scratch, from := r.guarded("scratch", size)
					bd := Build{Info: m.info, Ranges: m.ranges, Dst: dst, DstOffset: at, Scratch: scratch.Address() + from}
					bd.Info.Update = update
					r.run([]Build{bd})
					r.intact(what+", scratch", scratch, from, size)
					r.intact(what, dst, at, sizes.AccelerationStructureSize)
				}
			}
		}
	}
}

// TestOneSetOfDispatches counts dispatches: as many for 500 builds, updates, copies and queries as for 100 of each.
func TestOneSetOfDispatches(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(227, 228))
	dispatches := map[int]int{}
	for _, n := range []int{100, 500} {
		var inputs []input
		for i := range n {
			flags := []vk.BuildFlags{vk.AllowUpdate, vk.PreferFastBuild | vk.AllowUpdate | vk.AllowCompaction}[i%2]
			inputs = append(inputs, r.soupInput(randomSoup(rng, 10+i%60, 0.1), flags, 0))
		}
		builds := r.prepare(inputs...)
		var updates []Build
		var copies []Copy
		var all []Range
		for _, bd := range builds {
			updates = append(updates, r.updateOf(bd))
			copies = append(copies, Copy{Mode: vk.CopyCompact, Src: whole(bufferOf(bd.Dst)), Dst: whole(r.buffer("copy", bd.Dst.Size()))})
			all = append(all, whole(bufferOf(bd.Dst)))
		}
		answers := r.buffer("answers", uint64(PropertySize*n))
		r.builder.mark = func(Recorder, string) { dispatches[n]++ }
		r.run(builds)
		r.run(updates)
		err := r.dev.Run(t.Context(), "copies", func(cb *vk.CommandBuffer) error {
			if err := r.builder.CmdCopy(cb, copies); err != nil {
				return err
			}
			cb.ComputeBarrier()
			return r.builder.CmdWriteProperties(cb, all, CompactedSize, answers, 0)
		})
		r.builder.mark = nil
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, answers.Size())
		if err := r.dev.ReadBuffer(t.Context(), answers, 0, data); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if binary.LittleEndian.Uint64(data[PropertySize*i:]) < layout.HeaderSize {
				t.Errorf("structure %d of %d is none", i, n)
			}
		}
	}
	if dispatches[100] == 0 || dispatches[500] != dispatches[100] {
		t.Errorf("%d dispatches for 100 of each, %d for 500", dispatches[100], dispatches[500])
	}
}
