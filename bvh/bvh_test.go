package bvh

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

type buildKind struct {
	name  string
	flags vk.BuildFlags
}

var buildKinds = []buildKind{{"default", 0}, {"fast trace", vk.PreferFastTrace}, {"fast build", vk.PreferFastBuild}}

// lowMemoryKind is a tree of clusters over bundles.
var lowMemoryKind = buildKind{"low memory", vk.LowMemory}

// TestRandomTriangles holds ten thousand triangles and rays against the reference, without one difference.
func TestRandomTriangles(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(1, 2))
	s := randomSoup(rng, 10000, 0.03)
	rays := randomRays(rng, 10000)
	scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: s.triangles(0, true)}}
	answers := traceAll(scene, rays, 0, 0xff, nil)
	for _, kind := range buildKinds {
		blas := r.build(r.soupInput(s, kind.flags, vk.GeometryOpaque))[0]
		st, m := r.read(blas)
		if st.Active != 10000 || st.Primitives != 10000 {
			t.Errorf("%s: %d active of %d", kind.name, st.Active, st.Primitives)
		}
		hits := r.trace(r.single(blas), rays, TraceOptions{})
		hit, amb := r.compareHits(hits, answers, rays)
		t.Logf("%s: SAH %.2f, height %d, %d leaves; %d of %d rays hit, %d left out as ambiguous", kind.name, m.SAH, m.Height,
			m.LeafNodes, hit, len(rays), amb)
		if amb > len(rays)/20 {
			t.Errorf("%s: too many rays left out: %d", kind.name, amb)
		}
	}
}

// TestInterval checks that t is exclusive at both ends.
func TestInterval(t *testing.T) {
	r := newRig(t)
	tri := soup{-1, -1, 2, 1, -1, 2, 0, 1, 2}
	tlas := r.single(r.build(r.soupInput(tri, 0, vk.GeometryOpaque))[0])
	ray := func(tMin, tMax float32) inspect.Ray {
		return inspect.Ray{Origin: [3]float32{0, -0.25, 0}, Direction: [3]float32{0, 0, 1}, TMin: tMin, TMax: tMax}
	}
	below, above := math.Nextafter32(2, 0), math.Nextafter32(2, 3)
	rays := []inspect.Ray{ray(0, 10), ray(2, 10), ray(below, 10), ray(0, 2), ray(0, above), ray(3, 10), ray(0, 1), ray(5, 4)}
	want := []bool{true, false, true, false, true, false, false, false}
	for i, h := range r.trace(tlas, rays, TraceOptions{}) {
		if (h.Instance != inspect.NoInstance) != want[i] {
			t.Errorf("interval %g..%g: hit is %v", rays[i].TMin, rays[i].TMax, !want[i])
		}
	}
}

// TestEmptyAndSmall builds what has hardly any primitives.
func TestEmptyAndSmall(t *testing.T) {
	r := newRig(t)
	nan := float32(math.NaN())
	inactive := soup{nan, 0, 0, nan, 1, 0, nan, 0, 1}
	one := soup{-1, -1, 1, 1, -1, 1, 0, 1, 1}
	rays := []inspect.Ray{{Direction: [3]float32{0, 0, 1}, TMax: 1e30}}
	for _, kind := range buildKinds {
		in := []input{
			r.soupInput(one, kind.flags, vk.GeometryOpaque),
			r.soupInput(inactive, kind.flags, vk.GeometryOpaque),
			r.soupInput(nil, kind.flags, vk.GeometryOpaque),
			bottom(kind.flags, nil, nil),
			r.soupInput(append(append(soup{}, inactive...), one...), kind.flags, vk.GeometryOpaque),
			r.soupInput(append(append(soup{}, one...), one...), kind.flags, vk.GeometryOpaque),
		}
		wantActive := []uint32{1, 0, 0, 0, 1, 2}
		for i, b := range r.build(in...) {
			s, _ := r.read(b)
			if s.Active != wantActive[i] {
				t.Errorf("%s %d: %d active, want %d", kind.name, i, s.Active, wantActive[i])
			}
			h := r.trace(r.single(b), rays, TraceOptions{})[0]
			if (h.Instance != inspect.NoInstance) != (wantActive[i] > 0) {
				t.Errorf("%s %d: hit %v", kind.name, i, h)
			}
			if i == 4 && h.Primitive != 1 {
				t.Errorf("%s: inactive primitives are counted: got primitive %d", kind.name, h.Primitive)
			}
		}
	}
	empty := r.build(r.topInput(0))[0]
	if h := r.trace(empty, rays, TraceOptions{})[0]; h.Instance != inspect.NoInstance {
		t.Errorf("a top level without instances is hit: %v", h)
	}
	null := r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, 0)))[0]
	if h := r.trace(null, rays, TraceOptions{})[0]; h.Instance != inspect.NoInstance {
		t.Errorf("a null instance is hit: %v", h)
	}
	hits, _, err := r.tracer.Trace(t.Context(), 0, rays, TraceOptions{CullMask: 0xff})
	if err != nil || hits[0].Instance != inspect.NoInstance {
		t.Errorf("null structure: %v, %v", hits, err)
	}
}

// TestDegenerate has points, lines, infinities, duplicates, and everything in one spot.
func TestDegenerate(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(3, 4))
	inf := float32(math.Inf(1))
	s := randomSoup(rng, 3000, 0.05)
	for range 1500 { // duplicates: equal Morton codes
		s = append(s, s[:9]...)
	}
	for i := range 500 {
		at := 9 * (10 + 3*i)
		switch i % 4 {
		case 0: // a point
			copy(s[at+3:], s[at:at+3])
			copy(s[at+6:], s[at:at+3])
		case 1: // a line
			copy(s[at+6:], s[at+3:at+6])
		case 2:
			s[at] = inf
		case 3:
			s[at], s[at+3], s[at+6] = float32(math.NaN()), float32(math.NaN()), float32(math.NaN())
		}
	}
	rays := randomRays(rng, 3000)
	scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff}}
	finite := func(tri inspect.Triangle) bool {
		for _, v := range tri.V {
			if f := v[0] + v[1] + v[2]; f != f || math.IsInf(float64(f), 0) {
				return false
			}
		}
		return true
	}
	// Of duplicates the reference keeps one; which one is reported is open.
	seen := map[[3][3]float32]bool{}
	for _, tri := range s.triangles(0, true) {
		if finite(tri) && !seen[tri.V] {
			seen[tri.V] = true
			scene[0].Triangles = append(scene[0].Triangles, tri)
		}
	}
	answers := traceAll(scene, rays, 0, 0xff, nil)
	for _, kind := range buildKinds {
		blas := r.build(r.soupInput(s, kind.flags, vk.GeometryOpaque))[0]
		_, m := r.read(blas)
		t.Logf("%s: height %d", kind.name, m.Height)
		hits := r.trace(r.single(blas), rays, TraceOptions{})
		for i := range hits { // the duplicates are of primitive 0
			if hits[i].Primitive >= 3000 {
				hits[i].Primitive = 0
			}
		}
		r.compareHits(hits, answers, rays)
	}
	// All in one spot: nothing but equal codes.
	same := make(soup, 0, 9*5000)
	for range 5000 {
		same = append(same, 0, 0, 1, 1, 0, 1, 0, 1, 1)
	}
	for _, kind := range buildKinds {
		b := r.build(r.soupInput(same, kind.flags, vk.GeometryOpaque))[0]
		_, m := r.read(b)
		h := r.trace(r.single(b), []inspect.Ray{{Origin: [3]float32{0.25, 0.25, 0}, Direction: [3]float32{0, 0, 1}, TMax: 10}},
			TraceOptions{})[0]
		if h.Instance == inspect.NoInstance {
			t.Errorf("%s: equal triangles are missed", kind.name)
		}
		t.Logf("%s: 5000 equal triangles: height %d", kind.name, m.Height)
	}
}

// TestBatch builds a hundred meshes of different sizes in one batch and checks each against its own build.
func TestBatch(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(5, 6))
	var inputs []input
	for i := range 100 {
		n := rng.IntN(300)
		if i%10 == 0 {
			n = 1500 + rng.IntN(3000)
		}
		kind := buildKinds[i%len(buildKinds)]
		inputs = append(inputs, r.soupInput(randomSoup(rng, n, 0.1), kind.flags, vk.GeometryOpaque))
	}
	batch := r.build(inputs...)
	for i, in := range inputs {
		alone := r.build(in)[0]
		a, _ := r.read(batch[i])
		b, _ := r.read(alone)
		if !bytes.Equal(a.Data[layout.HeaderMagic:], b.Data[layout.HeaderMagic:]) {
			t.Errorf("mesh %d of %d primitives differs from its own build", i, a.Primitives)
		}
	}
}

// TestDeterminism builds the same input again and again.
func TestDeterminism(t *testing.T) {
	r := newRig(t)
	s := randomSoup(rand.New(rand.NewPCG(7, 8)), 20000, 0.02)
	for _, kind := range buildKinds {
		builds := r.prepare(r.soupInput(s, kind.flags, vk.GeometryOpaque))
		var first []byte
		for range 5 {
			r.run(builds)
			st, _ := r.read(bufferOf(builds[0].Dst))
			if first == nil {
				first = st.Data
			} else if !bytes.Equal(first, st.Data) {
				t.Errorf("%s: builds of the same input differ", kind.name)
			}
		}
	}
}

// TestTeams holds the kernel that gives a workgroup to a merge against the one that gives it a thread.
func TestTeams(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{1, 2, 3, 16, 17, 33, 100, 1000, 5000} {
		s := randomSoup(rng, n, 0.05)
		if n > 100 {
			for i := range n / 2 { // many equal ones
				copy(s[9*i:9*i+9], s[9*(i/8):])
			}
		}
		in := r.soupInput(s, 0, vk.GeometryOpaque)
		r.builder.teams = false
		a, _ := r.read(r.build(in)[0])
		r.builder.teams = true
		b, _ := r.read(r.build(in)[0])
		if !bytes.Equal(a.Data[layout.HeaderMagic:], b.Data[layout.HeaderMagic:]) {
			t.Errorf("%d triangles: the kernels build different trees", n)
		}
	}
}

// TestBuildErrors refuses what the host can see.
func TestBuildErrors(t *testing.T) {
	r := newRig(t)
	good := r.prepare(r.soupInput(soup{0, 0, 0, 1, 0, 0, 0, 1, 0}, 0, vk.GeometryOpaque))[0]
	small := r.buffer("small", 256)
	for name, f := range map[string]func(b *Build){
		"no destination":   func(b *Build) { b.Dst = nil },
		"small":            func(b *Build) { b.Dst = small },
		"unaligned":        func(b *Build) { b.DstOffset = 64 },
		"no scratch":       func(b *Build) { b.Scratch = 0 },
		"ranges":           func(b *Build) { b.Ranges = nil },
		"type":             func(b *Build) { b.Info.Type = vk.Generic },
		"geometry type":    func(b *Build) { b.Info.Geometries[0].Type = vk.GeometryAABBs },
		"format":           func(b *Build) { b.Info.Geometries[0].Triangles.VertexFormat = 1 },
		"null vertices":    func(b *Build) { b.Info.Geometries[0].Triangles.VertexData = 0 },
		"index type":       func(b *Build) { b.Info.Geometries[0].Triangles.IndexType = 77 },
		"null indices":     func(b *Build) { b.Info.Geometries[0].Triangles.IndexType = vk.IndexUint16 },
		"unaligned stride": func(b *Build) { b.Info.Geometries[0].Triangles.VertexStride = 13 },
	} {
		b := good
		b.Info.Geometries = append([]vk.Geometry(nil), good.Info.Geometries...)
		f(&b)
		err := r.dev.Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error { return r.builder.CmdBuild(cb, []Build{b}) })
		if !errors.Is(err, ErrInvalidBuild) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
