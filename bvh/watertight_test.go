package bvh

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// icosphere subdivides an octahedron; vertices are shared.
func icosphere(levels int, radius float64) (positions []float32, indices []uint32) {
	v := [][3]float64{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}
	f := [][3]uint32{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}
	for range levels {
		mid := map[[2]uint32]uint32{}
		half := func(a, b uint32) uint32 {
			key := [2]uint32{min(a, b), max(a, b)}
			if m, ok := mid[key]; ok {
				return m
			}
			p := [3]float64{v[a][0] + v[b][0], v[a][1] + v[b][1], v[a][2] + v[b][2]}
			l := math.Sqrt(dot(p, p))
			v = append(v, [3]float64{p[0] / l, p[1] / l, p[2] / l})
			mid[key] = uint32(len(v) - 1)
			return mid[key]
		}
		var next [][3]uint32
		for _, t := range f {
			a, b, c := half(t[0], t[1]), half(t[1], t[2]), half(t[2], t[0])
			next = append(next, [3]uint32{t[0], a, c}, [3]uint32{a, t[1], b}, [3]uint32{c, b, t[2]}, [3]uint32{a, b, c})
		}
		f = next
	}
	for _, p := range v {
		positions = append(positions, float32(p[0]*radius), float32(p[1]*radius), float32(p[2]*radius))
	}
	for _, t := range f {
		indices = append(indices, t[:]...)
	}
	return positions, indices
}

// edgeRays shoots from one point at all vertices, at points on all edges, and at random.
func edgeRays(positions []float32, indices []uint32, from [3]float32, rng *rand.Rand) []inspect.Ray {
	var rays []inspect.Ray
	shoot := func(p [3]float32) {
		rays = append(rays, inspect.Ray{Origin: from, TMax: 1e30, Direction: [3]float32{p[0] - from[0], p[1] - from[1], p[2] - from[2]}})
	}
	at := func(i uint32) [3]float32 { return [3]float32(positions[3*i:]) }
	for i := range len(positions) / 3 {
		shoot(at(uint32(i)))
	}
	for i := 0; i < len(indices); i += 3 {
		for e := range 3 {
			a, b := at(indices[i+e]), at(indices[i+(e+1)%3])
			w := rng.Float32()
			shoot([3]float32{a[0] + (b[0]-a[0])*w, a[1] + (b[1]-a[1])*w, a[2] + (b[2]-a[2])*w})
			shoot([3]float32{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2})
		}
	}
	for range 2000 {
		shoot([3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5})
	}
	return rays
}

// TestWatertight shoots from inside a closed convex mesh at its edges and vertices: every ray leaves through exactly
// one triangle. Candidates count what is reported, so that edges reported twice show.
func TestWatertight(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(31, 32))
	for _, c := range []struct {
		levels int
		radius float64
		from   [3]float32
	}{
		{0, 1, [3]float32{}}, {2, 1, [3]float32{}}, {4, 1, [3]float32{}}, {4, 1, [3]float32{0.1, -0.2, 0.3}},
		{3, 1e-6, [3]float32{}}, {3, 1e6, [3]float32{1e5, 2e5, -3e5}}, {4, 1, [3]float32{0.999, 0, 0}},
	} {
		positions, indices := icosphere(c.levels, c.radius)
		rays := edgeRays(positions, indices, c.from, rng)
		for i := range rays[len(rays)-2000:] {
			for k := range 3 {
				rays[len(rays)-2000+i].Direction[k] *= float32(c.radius)
			}
		}
		for _, kind := range buildKinds {
			tlas := r.single(r.build(r.indexedInput(positions, indices, kind.flags))[0])
			missed := 0
			for _, h := range r.trace(tlas, rays, TraceOptions{}) {
				if h.Instance == inspect.NoInstance {
					missed++
				}
			}
			_, seen, err := r.tracer.Trace(t.Context(), tlas.Address(), rays,
				TraceOptions{Flags: inspect.RayNoOpaque, CullMask: 0xff, Candidates: IgnoreCandidates})
			if err != nil {
				t.Fatal(err)
			}
			if missed != 0 || seen != len(rays) {
				t.Errorf("%d levels, radius %g, from %v, %s: of %d rays %d miss; %d intersections reported", c.levels, c.radius, c.from,
					kind.name, len(rays), missed, seen)
			}
		}
	}
}

// TestGridEdges shoots straight at the vertices and edges of a flat grid, where edge functions are exactly zero and
// rays lie in the planes of boxes.
func TestGridEdges(t *testing.T) {
	r := newRig(t)
	const n = 32
	var positions []float32
	var indices []uint32
	for y := range n + 1 {
		for x := range n + 1 {
			positions = append(positions, float32(x-n/2), float32(y-n/2), 0)
		}
	}
	for y := range uint32(n) {
		for x := range uint32(n) {
			a := y*(n+1) + x
			indices = append(indices, a, a+1, a+n+1, a+1, a+n+2, a+n+1)
		}
	}
	var rays []inspect.Ray
	for y := -n + 1; y < n; y++ {
		for x := -n + 1; x < n; x++ {
			for axis := range 2 {
				z := float32(1 - 2*axis)
				rays = append(rays, inspect.Ray{Origin: [3]float32{float32(x) / 2, float32(y) / 2, z},
					Direction: [3]float32{0, 0, -z}, TMax: 10})
			}
		}
	}
	for _, kind := range buildKinds {
		tlas := r.single(r.build(r.indexedInput(positions, indices, kind.flags))[0])
		for i, h := range r.trace(tlas, rays, TraceOptions{}) {
			if h.Instance == inspect.NoInstance || h.T != 1 {
				t.Errorf("%s: ray from %v misses", kind.name, rays[i].Origin)
			}
		}
		_, seen, err := r.tracer.Trace(t.Context(), tlas.Address(), rays,
			TraceOptions{Flags: inspect.RayNoOpaque, CullMask: 0xff, Candidates: IgnoreCandidates})
		if err != nil || seen != len(rays) {
			t.Errorf("%s: %d rays, %d intersections, %v", kind.name, len(rays), seen, err)
		}
	}
}

// TestStackFault forges structures deeper than the stack, as nobody builds them, and expects a fault, not a wrong picture.
func TestStackFault(t *testing.T) {
	r := newRig(t)
	s := randomSoup(rand.New(rand.NewPCG(191, 192)), 100, 0.3)
	rays := []inspect.Ray{{Origin: [3]float32{s[0], s[1], -2}, Direction: [3]float32{0, 0, 1}, TMax: 10}}
	for _, forgeTop := range []bool{false, true} {
		blas := r.build(r.soupInput(s, 0, vk.GeometryOpaque))[0]
		if !forgeTop {
			r.forgeHeight(blas)
		}
		top := r.single(blas)
		if forgeTop {
			r.forgeHeight(top)
		}
		if _, _, err := r.tracer.Trace(t.Context(), top.Address(), rays, TraceOptions{CullMask: 0xff}); !errors.Is(err, ErrTraversal) {
			t.Errorf("top level %v: got %v, want a traversal fault", forgeTop, err)
		}
	}
}

// forgeHeight makes a structure say that it is higher than any variant's stack.
func (r *rig) forgeHeight(b *vk.Buffer) {
	r.Helper()
	if err := r.dev.UploadBuffer(r.Context(), b, layout.HeaderHeight, uintBytes([]uint32{layout.WideStackEntries})); err != nil {
		r.Fatal(err)
	}
}
