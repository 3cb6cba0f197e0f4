package bvh

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// TestUpdateCuts updates instances of more bottom levels than a workgroup keeps boxes of, among them flat ones, one of a
// single leaf, one where nothing can be hit in a part of the tree, and one without primitives; some transforms are huge or
// no numbers. What the kernels for large updates make is what a workgroup makes that looks into every bottom level itself.
func TestUpdateCuts(t *testing.T) {
	r := newRig(t)
	if r.builder.refitSmall == 0 {
		t.Skip("workgroups of this device are too small")
	}
	small := r.builder.refitSmall
	rng := rand.New(rand.NewPCG(181, 182))
	broken := randomSoup(rng, 400, 0.1)
	for i := range 90 {
		broken[9*i+3] = float32(math.NaN())
	}
	flat := randomSoup(rng, 60, 0.2)
	for i := 2; i < len(flat); i += 3 {
		flat[i] = 0
	}
	inputs := []input{r.soupInput(nil, 0, 0), r.soupInput(randomSoup(rng, 2, 0.2), 0, 0), r.soupInput(broken, vk.PreferFastTrace, 0),
		r.soupInput(flat, 0, 0)}
	for n := range 6 {
		inputs = append(inputs, r.soupInput(randomSoup(rng, 20+100*n, 0.1),
			[]vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild}[n%3], 0))
	}
	blas := r.build(inputs...)
	infinity, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := []float32{infinity, -infinity, nan, 3e38, -2e37, 1e30, 0}
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild} {
		m := r.movingInstances(int(min(small, 700)), flags, blas)
		m.make = func(rng *rand.Rand) []byte {
			var data []byte
			for i := range m.ranges[0].PrimitiveCount {
				place := randomTransform(rng, false)
				if i%9 == 4 {
					place[rng.IntN(12)] = odd[rng.IntN(len(odd))]
				}
				a := vk.NewAccelerationStructureInstance(place, i, 0xff, 0, 0, blas[rng.IntN(len(blas))].Address())
				data = a.AppendTo(data)
			}
			return data
		}
		r.fill(m.data, m.make(rng))
		built := r.prepare(m.input)[0]
		r.run([]Build{built})
		for step := range 3 {
			r.fill(m.data, m.make(rng))
			update := r.updateOf(Build{Info: built.Info, Ranges: built.Ranges, Dst: r.poison("by a workgroup", built.Dst.Size()),
				Src: built.Dst})
			r.run([]Build{update})
			want := r.used(bufferOf(update.Dst))
			r.builder.refitSmall = 0
			update.Dst = r.poison("by dispatches", built.Dst.Size())
			r.run([]Build{update})
			r.run([]Build{r.updateOf(built)})
			r.builder.refitSmall = small
			if !bytes.Equal(r.used(bufferOf(update.Dst)), want) {
				t.Errorf("flags %#x, update %d: dispatches make something else than a workgroup", flags, step)
			}
			if !bytes.Equal(r.used(bufferOf(built.Dst)), want) {
				t.Errorf("flags %#x, update %d: in place dispatches make something else than a workgroup", flags, step)
			}
		}
	}
}
