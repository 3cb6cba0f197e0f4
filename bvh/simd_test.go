package bvh

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// TestVariantsAgree traces the same rays by all variants of traversal, whichever the device prefers: hits are the same, bit
// for bit, on all kinds of leaves.
func TestVariantsAgree(t *testing.T) {
	r := newRig(t)
	if !r.dev.Features().Int64 {
		t.Skip("the other variants need 64-bit integers")
	}
	var variants []*Tracer
	for _, target := range []shaders.Target{shaders.Any, shaders.Long, shaders.SIMD} {
		tracer, err := newTracer(r.dev, target)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tracer.Destroy)
		variants = append(variants, tracer)
	}
	minusZero := float32(math.Copysign(0, -1))
	rng := rand.New(rand.NewPCG(71, 72))
	for _, c := range []struct {
		name   string
		levels int
		radius float64
		from   [3]float32
		flags  uint32
		scale  float32 // of the instances, along x
	}{
		{"inside", 4, 1, [3]float32{0.1, -0.2, 0.3}, 0, 1}, {"at the origin", 3, 1, [3]float32{}, 0, 1},
		{"outside", 4, 1, [3]float32{3, 0, 0}, 0, 1}, {"at negative zero", 3, 1, [3]float32{minusZero, minusZero, 0}, 0, 1},
		{"small", 3, 1e-6, [3]float32{}, 0, 1}, {"large", 3, 1e6, [3]float32{1e5, 2e5, -3e5}, 0, 1},
		{"far away", 3, 1, [3]float32{1e3, 1, -1e3}, 0, 1}, {"culled", 3, 1, [3]float32{3, 1, 0}, inspect.RayCullBackFacing, 1},
		{"asked", 3, 1, [3]float32{3, 1, 0}, inspect.RayNoOpaque, 1}, {"beyond the slabs", 3, 1, [3]float32{0.1, -0.2, 0.3}, 0, 1e28},
	} {
		positions, indices := icosphere(c.levels, c.radius)
		rays := edgeRays(positions, indices, c.from, rng)
		for i := range rays { // some along axes and in planes, as directions with zeros
			if i%5 == 0 {
				rays[i].Direction[i%3] = 0
			}
			rays[i].Origin[0] *= c.scale
		}
		for _, kind := range buildKinds {
			blas := r.build(r.indexedInput(positions, indices, kind.flags|vk.AllowCompaction))[0]
			if c.levels == 3 { // indexed leaves
				blas = r.compact(blas)
			}
			var instances []vk.AccelerationStructureInstance
			for i := range 2 { // so that there are boxes
				to := vk.IdentityTransform()
				to[0], to[3] = c.scale, float32(i)*c.scale*float32(c.radius)*8
				instances = append(instances, vk.NewAccelerationStructureInstance(to, 0, 0xff, 0, 0, blas.Address()))
			}
			tlas := r.build(r.topInput(0, instances...))[0]
			var hits [3][]Hit
			for i, v := range variants {
				var err error
				if hits[i], _, err = v.Trace(t.Context(), tlas.Address(), rays,
					TraceOptions{Flags: c.flags, CullMask: 0xff, Candidates: IgnoreOddPrimitives}); err != nil {
					t.Fatal(err)
				}
			}
			met := 0
			for i, h := range hits[0] {
				if h.Instance != inspect.NoInstance {
					met++
				}
				if h != hits[1][i] || h != hits[2][i] {
					t.Fatalf("%s, %s: ray %d: %+v, the variants with 64-bit integers and for CPUs %+v, %+v", c.name, kind.name, i, h,
						hits[1][i], hits[2][i])
				}
			}
			t.Logf("%s, %s: %d of %d rays hit", c.name, kind.name, met, len(rays))
		}
	}
}
