package bvh

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestSizesOfBundles holds the sizes of structures of few nodes against what is promised, and checks that fewer primitives
// never take more.
func TestSizesOfBundles(t *testing.T) {
	info := vk.BuildInfo{Type: vk.BottomLevel,
		Geometries: []vk.Geometry{{Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, IndexType: vk.IndexNone}}}}
	for _, flags := range []vk.BuildFlags{vk.PreferFastBuild, vk.LowMemory, vk.LowMemory | vk.PreferFastTrace,
		vk.PreferFastBuild | vk.AllowUpdate, vk.PreferFastBuild | vk.AllowUpdate | vk.AllowCompaction} {
		info.Flags = flags
		last := uint64(0)
		for n := uint32(0); n < 6000; n++ {
			sizes, err := layout.BuildSizes(info, []uint32{n}, false)
			if err != nil {
				t.Fatal(err)
			}
			if sizes.AccelerationStructureSize < last {
				t.Fatalf("flags %d: %d triangles take %d bytes, one less %d", flags, n, sizes.AccelerationStructureSize, last)
			}
			last = sizes.AccelerationStructureSize
		}
		for _, n := range []uint32{1280, 69451, 1571193, 4193408, MaxPrimitives} {
			sizes, err := layout.BuildSizes(info, []uint32{n}, false)
			most := 64.0
			if n > layout.RefRecords {
				most = 68
			}
			if each := float64(sizes.AccelerationStructureSize) / float64(n); err != nil || each > most {
				t.Errorf("flags %d: %.2f bytes for each of %d triangles (%v)", flags, each, n, err)
			}
		}
	}
	_, err := layout.BuildSizes(vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{{Type: vk.GeometryInstances}}},
		[]uint32{MaxInstances + 1}, false)
	if !errors.Is(err, ErrInvalidBuild) {
		t.Errorf("%d instances: %v", MaxInstances+1, err)
	}
}

// TestBundles builds trees of few nodes at the sizes at which something changes, with inactive and coincident triangles,
// and traces them.
func TestBundles(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(201, 202))
	rays := randomRays(rng, 400)
	for _, n := range []int{1, 2, 7, 8, 9, 40, 1023, 1024, 1025, 2048, 2049, 5000} {
		s := randomSoup(rng, n, float32(0.6/math.Cbrt(float64(n))))
		coincident := randomSoup(rng, 1, 0.1)
		if n > 1024 {
			for i := 101; i < 900; i++ {
				copy(s[9*i:], coincident)
			}
		}
		for i := 0; i < n; i += 7 { // inactive
			s[9*i] = float32(math.NaN())
		}
		scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff}}
		for _, tri := range s.triangles(0, true) {
			if tri.V[0][0] == tri.V[0][0] && (tri.Primitive <= 101 || tri.Primitive >= 900 || n <= 1024) {
				scene[0].Triangles = append(scene[0].Triangles, tri)
			}
		}
		answers := traceAll(scene, rays, 0, 0xff, nil)
		for _, flags := range []vk.BuildFlags{vk.PreferFastBuild, vk.LowMemory, vk.LowMemory | vk.PreferFastTrace} {
			in := r.soupInput(s, flags, vk.GeometryOpaque)
			blas := r.build(in)[0]
			st, m := r.read(blas)
			if want := uint32(n - (n+6)/7); st.Active != want {
				t.Errorf("%d triangles, flags %d: %d active, want %d", n, flags, st.Active, want)
			}
			if most := int(layout.MostBundles(in.info, uint64(st.Active))); m.LeafNodes > most {
				t.Errorf("%d triangles, flags %d: %d leaves, %d fit", n, flags, m.LeafNodes, most)
			}
			hits := r.trace(r.single(blas), rays, TraceOptions{})
			for i, h := range hits { // one of those in one place
				if n > 1024 && h.Primitive > 101 && h.Primitive < 900 {
					hits[i].Primitive = 101
				}
			}
			r.compareHits(hits, answers, rays)
		}
	}
}

// chain is what makes a radix tree deep: points whose distances halve, several at each, and many in one place at the end.
func chain(steps, each, last int) [][3]float32 {
	var p [][3]float32
	for i := range steps {
		for k := range each {
			var c [3]float32
			c[i%3] = float32(math.Ldexp(1+float64(k)/float64(8*each), -i/3))
			p = append(p, c)
		}
	}
	for range last {
		p = append(p, [3]float32{})
	}
	return p
}

// TestHeights builds the deepest trees there are, at both levels, of triangles, boxes and instances: they are as high as
// they may be and no higher, and are traversed, one in the other, without a fault.
func TestHeights(t *testing.T) {
	r := newRig(t)
	l := newBoxLister(r)
	var s soup
	var boxes []inspect.Box
	for _, c := range chain(39, 16, 4500) {
		s = append(s, c[0], c[1], c[2], c[0]+1e-3, c[1], c[2], c[0], c[1]+1e-3, c[2]+1e-3)
		boxes = append(boxes, inspect.Box{Min: c, Max: [3]float32{c[0] + 1e-3, c[1] + 1e-3, c[2] + 1e-3}})
	}
	var list boxMesh
	r.addBoxes(&list, boxes, 24, 0, 0)
	for _, kind := range []buildKind{{"default", 0}, {"fast build", vk.PreferFastBuild}, lowMemoryKind} {
		t.Run(kind.name, func(t *testing.T) {
			r, l := *r, *l
			r.TB = t
			l.rig = &r
			var instances []vk.AccelerationStructureInstance
			bottom := r.build(r.soupInput(s, kind.flags, vk.GeometryOpaque), list.input(kind.flags))
			for i, c := range chain(39, 4, 4000) {
				tr := vk.IdentityTransform()
				tr[0], tr[5], tr[10] = 0.001, 0.001, 0.001
				for k := range 3 {
					tr[4*k+3] = 100 * c[k]
				}
				instances = append(instances, vk.NewAccelerationStructureInstance(tr, 0, 0xff, 0, 0, bottom[i%2].Address()))
			}
			top := r.build(r.topInput(kind.flags, instances...))[0]
			var heights []int
			for _, b := range []*vk.Buffer{bottom[0], bottom[1], top} {
				_, m := r.read(b)
				heights = append(heights, m.Height)
			}
			t.Logf("heights of triangles, boxes, instances: %v", heights)
			if heights[0] > layout.MostHeightBottom || heights[1] > layout.MostHeightBottom || heights[2] > layout.MostHeightTop {
				t.Errorf("heights %v are more than %d, %d and %d", heights, layout.MostHeightBottom, layout.MostHeightBottom,
					layout.MostHeightTop)
			}
			linear := kind.flags == vk.PreferFastBuild
			if heights[2] < layout.MostHeightTop || linear &&
				(heights[0] < layout.MostHeightBottom || heights[1] < layout.MostHeightBottom) {
				t.Errorf("heights %v: nothing was too deep", heights)
			}
			// A ray through the first of each step of instances, whose nearest triangle is at its origin.
			var rays []inspect.Ray
			cpu := r.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu
			for i := range 39 {
				// Every third goes through the 4000 instances in one place and their 4500 triangles: on a CPU one is enough.
				if cpu && i%3 == 2 && i != 38 {
					continue
				}
				c := chain(39, 4, 0)[4*i]
				rays = append(rays, inspect.Ray{Origin: [3]float32{100*c[0] + 1e-7, 100*c[1] + 1e-7, 100*c[2] - 1},
					Direction: [3]float32{0, 0, 1}, TMax: 1e30})
			}
			if _, _, err := r.tracer.Trace(t.Context(), top.Address(), rays, TraceOptions{CullMask: 0xff}); err != nil {
				t.Error(err)
			}
			scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: s[:9*39*16].triangles(0, true)}}
			rays = nil
			for i := range 39 * 16 {
				at := s[9*i:]
				rays = append(rays, inspect.Ray{Origin: [3]float32{at[0] + 2e-4, at[1] + 3e-4, at[2] - 0.5}, Direction: [3]float32{0, 0, 1},
					TMax: 1e30})
			}
			answers := traceAll(scene, rays, 0, 0xff, nil)
			hits := r.trace(r.single(bottom[0]), rays, TraceOptions{})
			met := 0
			for i, h := range hits { // many overlap: t tells
				if answers[i].Instance != inspect.NoInstance && h.Instance != inspect.NoInstance {
					met++
				}
				if answers[i].Instance != inspect.NoInstance && (h.Instance == inspect.NoInstance || float64(h.T) > answers[i].T+1e-5) {
					t.Fatalf("ray %d: %+v, want %+v", i, h, answers[i])
				}
			}
			if met < len(rays)/2 {
				t.Errorf("%d of %d rays hit", met, len(rays))
			}
			for i, found := range l.list(r.single(bottom[1]), rays[:64], 0, 0xff) {
				if len(found) == 0 {
					t.Fatalf("ray %d through box %d meets none", i, i)
				}
			}
		})
	}
}
