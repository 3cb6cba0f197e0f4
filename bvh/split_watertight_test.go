package bvh

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// coneAndSphere are a closed slanting cone, whose long triangles get split, and outside of it a fine sphere, of which the cone is
// the greatest part of all. The first triangles are the cone's.
func coneAndSphere(sides int, scale float64) (positions []float32, cone, indices []uint32) {
	point := func(p [3]float64) {
		for _, x := range p {
			positions = append(positions, float32(scale*x))
		}
	}
	point([3]float64{3, 2, 1})
	point([3]float64{-3, -2, -1})
	// Two directions across the axis.
	u, v := [3]float64{0, 1, -2}, [3]float64{-5, 6, 3}
	for i := range sides {
		a := 2 * math.Pi * float64(i) / float64(sides)
		var p [3]float64
		for k := range 3 {
			p[k] = []float64{-3, -2, -1}[k] + 0.4*math.Cos(a)*u[k]/math.Sqrt(dot(u, u)) + 0.4*math.Sin(a)*v[k]/math.Sqrt(dot(v, v))
		}
		point(p)
		b, c := uint32(2+i), uint32(2+(i+1)%sides)
		cone = append(cone, 0, b, c, 1, c, b)
	}
	base := uint32(len(positions) / 3)
	fine, triangles := icosphere(5, 0.2)
	for i := 0; i < len(fine); i += 3 {
		point([3]float64{float64(fine[i]) - 2, float64(fine[i+1]) + 2, float64(fine[i+2]) - 1})
	}
	indices = append(indices, cone...)
	for _, i := range triangles {
		indices = append(indices, base+i)
	}
	return positions, cone, indices
}

// TestSplitsWatertight shoots from inside a cone of split triangles at its edges and vertices: no ray gets out, and each hits what
// it hits of whole triangles. A candidate may be reported again for another part, but for another triangle never.
func TestSplitsWatertight(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(317, 318))
	for _, scale := range []float64{1, 1e-6, 1e6, 1234.5678} {
		positions, cone, indices := coneAndSphere(300, scale)
		at := func(w float64) (p [3]float32) {
			for k, x := range [3]float64{3, 2, 1} {
				p[k] = float32(scale * w * x)
			}
			return p
		}
		in := r.indexedInput(positions, indices, vk.PreferFastTrace)
		split := r.build(in)[0]
		s, _ := r.read(split)
		in.info.Geometries[0].Flags |= vk.GeometryNoDuplicateAnyHit
		unsplit := r.build(in)[0]
		t.Logf("scale %g: %d records of %d triangles", scale, s.Active, s.Primitives)
		if s.Active <= s.Primitives {
			t.Errorf("scale %g: nothing was split", scale)
		}
		var rays []inspect.Ray
		for _, w := range []float64{-0.9, -0.5, 0, 0.4, 0.8} {
			all := edgeRays(positions[:3*302], cone, at(w), rng)
			rays = append(rays, all[:len(all)-2000]...)
		}
		o := TraceOptions{}
		hits, want := r.trace(r.single(split), rays, o), r.trace(r.single(unsplit), rays, o)
		for i := range hits {
			if hits[i] != want[i] || hits[i].Instance == inspect.NoInstance {
				t.Fatalf("scale %g, ray %v: %+v, of whole triangles %+v", scale, rays[i], hits[i], want[i])
			}
		}
	}
}
