package bvh

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// slab is instances of a sphere in a flat volume, turned and scaled.
func (r *rig) slab(rng *rand.Rand, flags vk.BuildFlags, n int) input {
	positions, indices := icosphere(2, 1)
	blas := r.build(r.indexedInput(positions, indices, vk.PreferFastTrace))[0]
	instances := make([]vk.AccelerationStructureInstance, n)
	for i := range instances {
		place := randomTransform(rng, false)
		for axis, size := range []float32{300, 30, 300} {
			place[4*axis+3] = rng.Float32() * size
		}
		instances[i] = vk.NewAccelerationStructureInstance(place, 0, 0xff, 0, 0, blas.Address())
	}
	return r.topInput(flags, instances...)
}

// TestCrown builds the same with and without upper nodes that are made again: the surface area heuristic is better for it,
// and what the structure holds is the same.
func TestCrown(t *testing.T) {
	rng := rand.New(rand.NewPCG(501, 502))
	r := newRig(t)
	if !r.builder.crowns {
		t.Skip("the device has workgroups too small for it")
	}
	torus := bumpyTorus(100, 80)
	for name, c := range map[string]struct {
		in   input
		most float64 // of the SAH cost without
	}{
		"instances": {r.slab(rng, vk.PreferFastTrace, 6000), 0.999},
		"triangles": {r.indexedInput(torus.positions, torus.indices, vk.PreferFastTrace), 0.999},
	} {
		var cost [2]float64
		var counts [2]int
		for k, on := range []bool{false, true} {
			r.builder.crowns = on
			s, metrics := r.read(r.build(c.in)[0])
			cost[k] = metrics.SAH
			counts[k] = int(s.Active)
		}
		t.Logf("%s: SAH cost %.2f without, %.2f with", name, cost[0], cost[1])
		if cost[1] > c.most*cost[0] {
			t.Errorf("%s: SAH cost %.2f, want at most %.3f of the %.2f without", name, cost[1], c.most, cost[0])
		}
		if counts[0] != counts[1] {
			t.Errorf("%s: %d leaves with, %d without", name, counts[1], counts[0])
		}
	}
}

// TestCrownHard has what cannot be told apart by its place, and what is all in a few places: trees are valid (rig.read
// checks that), bounded in height and the same from build to build.
func TestCrownHard(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(503, 504))
	const n = 5000
	same, two, flat, lines := make(soup, 0, 9*n), make(soup, 0, 9*n), make(soup, 0, 9*n), make(soup, 0, 9*n)
	for i := range n {
		x := float32(i % 2)
		same = append(same, 0, 0, 0, 1, 0, 0, 0, 1, 0)
		two = append(two, x, 0, 0, x+0.5, 0, 0, x, 0.5, 0)
		flat = append(flat, rng.Float32(), 0, 0, rng.Float32(), 0, 0, rng.Float32(), 0, 0)
		far := float32(uint64(1) << (i % 60)) // every division leaves most on one side
		lines = append(lines, far, 0, 0, far*1.5, 0, 1, far, 1, 0)
	}
	for name, s := range map[string]soup{"same": same, "two places": two, "line": flat, "powers of two": lines,
		"needles": needles(rng, n)} {
		in := r.soupInput(s, vk.PreferFastTrace, vk.GeometryOpaque)
		first, metrics := r.read(r.build(in)[0])
		if metrics.Height > layout.MostHeightBottom {
			t.Errorf("%s: height %d", name, metrics.Height)
		}
		again, _ := r.read(r.build(in)[0])
		if !bytes.Equal(first.Data[layout.HeaderMagic:], again.Data[layout.HeaderMagic:]) {
			t.Errorf("%s: two builds of the same input differ", name)
		}
	}
}

// TestCrownConstants compares what crown.go shares with the shader.
func TestCrownConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/build/crown.comp"), map[string]uint64{"ER_CROWN_ITEMS": crownItems})
}
