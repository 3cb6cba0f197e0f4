package bvh

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// scaled is a soup times a power of two, which changes none of its numbers but their exponents.
func (s soup) scaled(by float32) soup {
	out := make(soup, len(s))
	for i, c := range s {
		out[i] = c * by
	}
	return out
}

// scaledRays are rays towards a scene that is scaled like them. Of unit, directions stay as they are, and distances grow instead.
func scaledRays(rays []inspect.Ray, by float32, unit bool) []inspect.Ray {
	out := make([]inspect.Ray, len(rays))
	for i, q := range rays {
		for k := range 3 {
			q.Origin[k] *= by
			if !unit {
				q.Direction[k] *= by
			}
		}
		if unit {
			q.TMin *= by
			q.TMax *= by
		}
		out[i] = q
	}
	return out
}

// TestHitsAtAllScales traces a scene times powers of two, from where coordinates are hardly normal numbers to where they end at
// 1e37. Trees and hits have to be those of the scene itself, bit for bit but for the distances' exponents; and there the
// reference agrees.
func TestHitsAtAllScales(t *testing.T) {
	r := newRig(t)
	const triangles = 300
	base := randomSoup(rand.New(rand.NewPCG(1, 1)), triangles, 0.4)
	rays := randomRays(rand.New(rand.NewPCG(2, 2)), 2000)
	for i := range rays {
		if i%4 == 0 { // along axes, in planes
			rays[i].Direction[i/4%3] = 0
		}
		if i%8 == 0 {
			rays[i].Direction[(i/4+1)%3] = 0
		}
		rays[i].TMax = 16
	}
	answers := traceAll(inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: base.triangles(0, true)}},
		rays, 0, 0xff, nil)
	for _, kind := range append(buildKinds[:len(buildKinds):len(buildKinds)], lowMemoryKind, buildKind{"host", 0}) {
		build := func(s soup) *vk.Buffer {
			if kind.name == "host" {
				return r.hostBuild(hostSoup(s, kind.flags, vk.GeometryOpaque))
			}
			return r.build(r.soupInput(s, kind.flags, vk.GeometryOpaque))[0]
		}
		blas := build(base)
		want, wantMetrics := r.read(blas)
		hits := r.trace(r.single(blas), rays, TraceOptions{})
		if hit, _ := r.compareHits(hits, answers, rays); hit < len(rays)/4 {
			t.Fatalf("%s: of %d rays %d hit", kind.name, len(rays), hit)
		}
		for _, power := range []int{-100, -80, -60, -40, -20, 20, 40, 60, 80, 100, 120} {
			by := float32(math.Ldexp(1, power))
			b := build(base.scaled(by))
			got, metrics := r.read(b)
			if got.Active != triangles || metrics.Height != wantMetrics.Height || math.Abs(metrics.SAH/wantMetrics.SAH-1) > 1e-4 {
				t.Errorf("%s times 2^%d: %d active, height %d, SAH %g; without %d, %d, %g", kind.name, power, got.Active, metrics.Height,
					metrics.SAH, want.Active, wantMetrics.Height, wantMetrics.SAH)
			}
			top := r.single(b)
			for _, unit := range []bool{false, true} {
				differ := 0
				for i, h := range r.trace(top, scaledRays(rays, by, unit), TraceOptions{}) {
					expected := hits[i]
					if unit {
						expected.T *= by
					}
					if h != expected {
						if differ++; differ == 1 {
							t.Errorf("%s times 2^%d, unit direction %v: ray %v hits %+v, want %+v", kind.name, power, unit, rays[i], h, expected)
						}
					}
				}
				if differ > 0 {
					t.Errorf("%s times 2^%d, unit direction %v: %d of %d rays differ", kind.name, power, unit, differ, len(rays))
				}
			}
		}
	}
}

// TestInstancesOfAllScales brings scenes of all scales to one by their instances' transforms, and wants the same hits of all.
func TestInstancesOfAllScales(t *testing.T) {
	r := newRig(t)
	base := randomSoup(rand.New(rand.NewPCG(3, 3)), 200, 0.4)
	rays := randomRays(rand.New(rand.NewPCG(4, 4)), 1000)
	turn := randomRotation(rand.New(rand.NewPCG(5, 5)))
	transform := func(by float64) (m [12]float32) {
		for i := range 3 {
			for j := range 3 {
				m[4*i+j] = float32(turn[i][j]) * float32(by)
			}
			m[4*i+3] = 0.1
		}
		return m
	}
	trace := func(by float64) []Hit {
		b := r.build(r.soupInput(base.scaled(float32(by)), 0, vk.GeometryOpaque))[0]
		in := r.topInput(0, vk.NewAccelerationStructureInstance(transform(1/by), 0, 0xff, 0, 0, b.Address()))
		return r.trace(r.build(in)[0], rays, TraceOptions{})
	}
	want := trace(1)
	hit := 0
	for _, h := range want {
		if h.Instance != inspect.NoInstance {
			hit++
		}
	}
	if hit < len(rays)/4 {
		t.Fatalf("of %d rays %d hit", len(rays), hit)
	}
	for _, power := range []int{-100, -67, -33, 33, 67, 100} {
		differ := 0
		for i, h := range trace(math.Ldexp(1, power)) {
			if h != want[i] {
				differ++
			}
		}
		if differ > 0 {
			t.Errorf("an instance of a scene of 2^%d: %d of %d rays differ", power, differ, len(rays))
		}
	}
}
