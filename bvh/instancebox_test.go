package bvh

import (
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// TestInstanceBoxes places a sphere's shell turned by any angles: the top level's bounds hold every vertex, and the deeper a
// build looks into the bottom level, the less else.
func TestInstanceBoxes(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(401, 402))
	positions, indices := icosphere(4, 1)
	var shell soup
	for _, i := range indices {
		shell = append(shell, positions[3*i:3*i+3]...)
	}
	blas := r.build(r.soupInput(shell, vk.PreferFastTrace, vk.GeometryOpaque))[0]
	for n := range 20 {
		place := randomTransform(rng, n%2 == 1)
		volume := map[vk.BuildFlags]float64{}
		for _, flags := range []vk.BuildFlags{vk.PreferFastBuild, 0, vk.PreferFastTrace} {
			in := r.topInput(flags, vk.NewAccelerationStructureInstance(place, 0, 0xff, 0, 0, blas.Address()))
			top, _ := r.read(r.build(in)[0])
			volume[flags] = boxVolume(top.Bounds)
			for i := 0; i < len(positions); i += 3 {
				p := transformPoint(place, positions[i:i+3])
				if !top.Bounds.Contains(inspect.Box{Min: p, Max: p}) {
					t.Fatalf("placement %d, flags %#x: vertex %v is outside of %v", n, flags, p, top.Bounds)
				}
			}
		}
		if v, w, u := volume[vk.PreferFastBuild], volume[0], volume[vk.PreferFastTrace]; !(u < w && w < v) {
			t.Errorf("placement %d: volumes %g, %g, %g of FAST_BUILD, no preference and FAST_TRACE", n, v, w, u)
		}
	}
}

func boxVolume(b inspect.Box) float64 {
	v := 1.0
	for k := range 3 {
		v *= float64(b.Max[k]) - float64(b.Min[k])
	}
	return v
}

func transformPoint(rows [12]float32, p []float32) (out [3]float32) {
	for k := range 3 {
		sum := float64(rows[4*k+3])
		for j := range 3 {
			sum += float64(rows[4*k+j]) * float64(p[j])
		}
		out[k] = float32(sum)
	}
	return out
}
