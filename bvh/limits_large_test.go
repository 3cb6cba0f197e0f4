package bvh

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// patches are copies of one square of cells, side by side, each a geometry with a transform of its own: as many triangles as one
// wants of little input. All coordinates are exact.
type patches struct {
	cells, each, count, n uint32 // triangles of each, and of all
}

// patchRow is how many patches are side by side.
const patchRow = 8

func newPatches(n uint32) patches {
	p := patches{cells: 1, n: n}
	for 2*p.cells*p.cells*patchRow*patchRow < n {
		p.cells *= 2
	}
	p.each = 2 * p.cells * p.cells
	p.count = (n + p.each - 1) / p.each
	return p
}

// vertices is the square at a height.
func (p patches) vertices(height float32) []float32 {
	out := make([]float32, 0, 3*(p.cells+1)*(p.cells+1))
	for y := range p.cells + 1 {
		for x := range p.cells + 1 {
			out = append(out, float32(x)/float32(p.cells), float32(y)/float32(p.cells), height)
		}
	}
	return out
}

func (p patches) indices() []uint32 {
	out := make([]uint32, 0, 3*p.each)
	for y := range p.cells {
		for x := range p.cells {
			a := y*(p.cells+1) + x
			b := a + p.cells + 1
			out = append(out, a, a+1, b, a+1, b+1, b)
		}
	}
	return out
}

// input builds all patches from vertices in memory.
func (r *rig) patchInput(p patches, flags vk.BuildFlags, vertices, indices vk.DeviceAddress) input {
	var transforms []byte
	for g := range p.count {
		m := vk.IdentityTransform()
		m[3], m[7] = float32(g%patchRow), float32(g/patchRow)
		transforms = append(transforms, floatBytes(m[:])...)
	}
	place := r.upload("transforms", transforms)
	in := bottom(flags, make([]vk.Geometry, p.count), make([]vk.BuildRange, p.count))
	for g := range p.count {
		in.info.Geometries[g] = vk.Geometry{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices, VertexStride: 12,
			MaxVertex: (p.cells+1)*(p.cells+1) - 1, IndexType: vk.IndexUint32, IndexData: indices, TransformData: place,
		}}
		in.ranges[g] = vk.BuildRange{PrimitiveCount: min(p.each, p.n-p.each*g), TransformOffset: 48 * g}
	}
	return in
}

// wantPatches finds triangles by rays from above, the first and the last among them, at a height.
func (r *rig) wantPatches(what string, p patches, b *vk.Buffer, height float32) {
	r.Helper()
	const count = 100_000
	rng := rand.New(rand.NewPCG(231, 232))
	rays, want := make([]inspect.Ray, count), make([]uint32, count)
	for i := range rays {
		k := rng.Uint32N(p.n)
		switch i {
		case 0:
			k = 0
		case 1:
			k = p.n - 1
		}
		g, at := k/p.each, k%p.each
		cell, in := at/2, 0.25+0.5*float32(at%2)
		x, y := float32(cell%p.cells)+in, float32(cell/p.cells)+in
		rays[i] = inspect.Ray{Origin: [3]float32{float32(g%patchRow) + x/float32(p.cells), float32(g/patchRow) + y/float32(p.cells), 1},
			Direction: [3]float32{0, 0, -1}, TMax: 2}
		want[i] = k
	}
	wrong := 0
	for i, h := range r.trace(r.single(b), rays, TraceOptions{}) {
		if h.Instance == inspect.NoInstance || h.Geometry*p.each+h.Primitive != want[i] || h.T != 1-height {
			if wrong++; wrong < 4 {
				r.Errorf("%s: ray %d hits %+v, want triangle %d at %g", what, i, h, want[i], 1-height)
			}
		}
	}
	if wrong > 0 {
		r.Fatalf("%s: %d of %d rays are wrong", what, wrong, count)
	}
}

// limitLarge builds, traces, updates and compacts a structure of n triangles, and says what memory that takes.
func (r *rig) limitLarge(n uint32) {
	r.Helper()
	p := newPatches(n)
	low, high := r.upload("vertices", floatBytes(p.vertices(0))), r.upload("moved vertices", floatBytes(p.vertices(0.25)))
	indices := r.upload("indices", appendWords(nil, p.indices()...))
	const flags = vk.PreferFastBuild | vk.AllowUpdate | vk.AllowCompaction
	timed := func(what string, work func()) {
		start := time.Now()
		work()
		r.Logf("%s: %v", what, time.Since(start))
	}
	var builds []Build
	timed("memory", func() { builds = r.prepare(r.patchInput(p, flags, low, indices)) })
	var counts []uint32
	for _, g := range builds[0].Ranges {
		counts = append(counts, g.PrimitiveCount)
	}
	sizes, err := r.builder.BuildSizes(builds[0].Info, counts)
	if err != nil {
		r.Fatal(err)
	}
	built := bufferOf(builds[0].Dst)
	timed("kernels and build", func() { r.run(builds) })
	timed("build", func() { r.run(builds) })
	r.wantHeader(built, n)
	r.wantPatches("built", p, built, 0)
	moved := builds
	moved[0].Info = r.patchInput(p, flags, high, indices).info
	moved[0].Info.Update = true // in the build's scratch memory, which is enough
	if sizes.UpdateScratchSize > sizes.BuildScratchSize {
		r.Fatalf("an update takes %d bytes of scratch memory, a build %d", sizes.UpdateScratchSize, sizes.BuildScratchSize)
	}
	timed("kernels and update", func() { r.run(moved) })
	timed("update", func() { r.run(moved) })
	r.wantHeader(built, n)
	r.wantPatches("updated", p, built, 0.25)
	var compacted Range
	timed("size of a compacted copy", func() {
		size := r.properties(CompactedSize, whole(built))[0]
		compacted = Range{Buffer: r.buffer("compacted", size), Size: size}
	})
	timed("compaction", func() {
		if status := r.copyAll(Copy{Mode: vk.CopyCompact, Src: whole(built), Dst: compacted})[0]; status != CopyOK {
			r.Fatalf("compaction: %v", status)
		}
	})
	r.wantHeader(bufferOf(compacted.Buffer), n)
	r.wantPatches("compacted", p, bufferOf(compacted.Buffer), 0.25)
	of := func(bytes uint64) float64 { return float64(bytes) / float64(n) }
	r.Logf("%d triangles in %d geometries: structure of %d bytes (%.1f each), compacted %d (%.1f)", n, p.count, built.Size(),
		of(built.Size()), compacted.Size, of(compacted.Size))
	r.Logf("scratch memory of builds %d bytes (%.1f), of updates %d (%.1f)", sizes.BuildScratchSize, of(sizes.BuildScratchSize),
		sizes.UpdateScratchSize, of(sizes.UpdateScratchSize))
}

// TestLimitsLarge builds, traces, updates and compacts as many triangles as one structure may have, or a thousandth.
func TestLimitsLarge(t *testing.T) {
	share := uint32(1000)
	if os.Getenv(limitsVariable) == "1" {
		share = 1
	}
	r := newRig(t)
	n := uint32(min(uint64(MaxPrimitives/share), r.dev.Physical().Limits.MaxBufferSize/(layout.NodeSize+layout.TriangleSize)))
	r.limitLarge(n)
}
