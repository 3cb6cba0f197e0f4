package bvh

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// indexedCase is a mesh whose indices name vertices from first on. Spare ones nobody uses; beyond says of how many too
// few MaxVertex tells.
type indexedCase struct {
	triangles, vertices int
	first               uint32
	spare, beyond       uint32
	stride              int
}

// movingIndexed has triangles with random vertices of a mesh; one in several is not finite.
func (r *rig) movingIndexed(rng *rand.Rand, c indexedCase, flags vk.BuildFlags) moving {
	positions := make([]float32, 3*c.vertices)
	indices := make([]uint32, 3*c.triangles)
	for i := range indices {
		indices[i] = uint32(min(i/6+rng.IntN(20), c.vertices-1))
	}
	indices[len(indices)/2] = uint32(c.vertices - 1)
	in := r.indexedInput(positions, indices, flags|vk.AllowUpdate)
	total := c.vertices + int(c.first+c.spare)
	m := moving{input: in, data: r.buffer("vertices", uint64(c.stride*total))}
	g := &in.info.Geometries[0].Triangles
	g.VertexData, g.VertexStride, g.MaxVertex = m.data.Address(), uint64(c.stride), uint32(total)-1-c.beyond
	in.ranges[0].FirstVertex = c.first
	m.make = func(rng *rand.Rand) []byte {
		data := floatBytes(make([]float32, c.stride*total/4))
		for v := range total {
			p := []float32{rng.Float32()*2 - 1, rng.Float32() * 3, rng.Float32()}
			if v%50 == 7 {
				p[v%3] = float32(math.NaN())
			}
			copy(data[v*c.stride:], floatBytes(p))
		}
		return data
	}
	return m
}

// TestUpdateIndexed updates small indexed meshes, whose vertices a workgroup may take to its shared memory first, if they
// fit and indices stay below MaxVertex: they become what the kernels for large ones make of them.
func TestUpdateIndexed(t *testing.T) {
	r := newRig(t)
	small := r.builder.refitSmall
	if small == 0 {
		t.Skip("workgroups of this device are too small")
	}
	rng := rand.New(rand.NewPCG(171, 172))
	most := int(small)
	for _, c := range []indexedCase{
		{triangles: 1, vertices: 3, stride: 12},
		{triangles: 700, vertices: 400, stride: 12},
		{triangles: 700, vertices: 400, first: 33, stride: 20},
		{triangles: most, vertices: most, stride: 12},
		{triangles: most, vertices: most, spare: 1, stride: 16},
		{triangles: 700, vertices: 400, spare: 5000, stride: 12},
		{triangles: 700, vertices: 400, beyond: 90, stride: 12},
		{triangles: 700, vertices: 400, first: 300, beyond: 500, stride: 12},
	} {
		for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild} {
			m := r.movingIndexed(rng, c, flags)
			r.fill(m.data, m.make(rng))
			built := r.prepare(m.input)[0]
			r.run([]Build{built})
			update := r.updateOf(built)
			for step := range 2 {
				r.fill(m.data, m.make(rng))
				want := update
				want.Src, want.Dst = built.Dst, r.poison("by dispatches", built.Dst.Size())
				r.builder.refitSmall = 0
				r.run([]Build{want})
				r.builder.refitSmall = small
				elsewhere := want
				elsewhere.Dst = r.poison("by a workgroup", built.Dst.Size())
				r.run([]Build{elsewhere})
				r.run([]Build{update}) // in place
				what := fmt.Sprintf("%+v, flags %#x, update %d", c, flags, step)
				if !bytes.Equal(r.used(bufferOf(elsewhere.Dst)), r.used(bufferOf(want.Dst))) {
					t.Errorf("%s: a workgroup makes something else than several dispatches", what)
				}
				if !bytes.Equal(r.used(bufferOf(update.Dst)), r.used(bufferOf(want.Dst))) {
					t.Errorf("%s: in place a workgroup makes something else than several dispatches", what)
				}
			}
		}
	}
}
