package bvh

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestManyGeometries builds from twenty thousand geometries of one triangle each, with empty ones between.
func TestManyGeometries(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(141, 142))
	const n = 20000
	s := randomSoup(rng, n, 0.02)
	address := r.upload("vertices", floatBytes(s))
	var geometries []vk.Geometry
	var ranges []vk.BuildRange
	var want []inspect.Triangle
	for i, tri := range s.triangles(0, false) {
		if i%7 == 0 {
			geometries, ranges = append(geometries,
				vk.Geometry{Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32Sfloat, IndexType: vk.IndexNone}}),
				append(ranges, vk.BuildRange{})
		}
		flags := vk.GeometryFlags(i & 1)
		geometries = append(geometries, vk.Geometry{Flags: flags, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: address, VertexStride: 12, MaxVertex: 2, IndexType: vk.IndexNone,
		}})
		ranges = append(ranges, vk.BuildRange{PrimitiveCount: 1, PrimitiveOffset: uint32(36 * i)})
		tri.Primitive, tri.Geometry, tri.Opaque = 0, uint32(len(geometries)-1), flags != 0
		want = append(want, tri)
	}
	for _, kind := range buildKinds {
		in := bottom(kind.flags, geometries, ranges)
		builds := r.prepare(in)
		start := time.Now()
		r.run(builds)
		t.Logf("%s: %v", kind.name, time.Since(start))
		st, _ := r.read(bufferOf(builds[0].Dst))
		if int(st.Geometries) != len(geometries) {
			t.Errorf("%s: %d geometries of %d", kind.name, st.Geometries, len(geometries))
		}
		r.wantTriangles(kind.name, st, want, 0)
	}
}

// TestCoincident builds from a million primitives in one place. Equal Morton codes give a balanced tree: a path of
// the tree fits the traversal stack, with room for the top level.
func TestCoincident(t *testing.T) {
	r := newRig(t)
	n, most := uint32(1000000), 24 // log2(n) is 20
	if testing.Short() {
		n, most = 1<<17, 21
	}
	indices := bytes.Repeat([]byte{0, 0, 1, 0, 2, 0}, int(n))
	vertices := r.upload("vertices", floatBytes([]float32{0, 0, 1, 1, 0, 1, 0, 1, 1}))
	triangles := vk.Geometry{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices, VertexStride: 12, MaxVertex: 2, IndexType: vk.IndexUint16,
		IndexData: r.upload("indices", indices),
	}}
	boxes := vk.Geometry{Type: vk.GeometryAABBs,
		AABBs: vk.AABBs{Data: r.upload("box", floatBytes([]float32{1, 2, 3, 1, 2, 3})), Stride: 0}}
	for _, tt := range []struct {
		name     string
		geometry vk.Geometry
	}{{"triangles", triangles}, {"boxes", boxes}} {
		for _, kind := range buildKinds {
			b := r.build(bottom(kind.flags, []vk.Geometry{tt.geometry}, []vk.BuildRange{{PrimitiveCount: n}}))[0]
			s, m := r.read(b)
			if s.Active != n || m.Height > most {
				t.Errorf("%s, %s: %d active of %d, height %d, want at most %d", tt.name, kind.name, s.Active, n, m.Height, most)
			}
			t.Logf("%s, %s: height %d", tt.name, kind.name, m.Height)
			if tt.name == "triangles" {
				ray := inspect.Ray{Origin: [3]float32{0.25, 0.25, 0}, Direction: [3]float32{0, 0, 1}, TMax: 10}
				if h := r.trace(r.single(b), []inspect.Ray{ray}, TraceOptions{})[0]; h.T != 1 {
					t.Errorf("%s: hit %+v", kind.name, h)
				}
			}
		}
	}
}

// TestCoordinates builds from huge, tiny and infinite coordinates: all that is finite is in the tree, in boxes that
// contain it, and what has ordinary coordinates is hit as ever.
func TestCoordinates(t *testing.T) {
	r := newRig(t)
	l := newBoxLister(r)
	rng := rand.New(rand.NewPCG(151, 152))
	inf := float32(math.Inf(1))
	rays := randomRays(rng, 1500)
	ordinary := randomSoup(rng, 400, 0.1)
	for _, tt := range []struct {
		name   string
		scale  float32 // of a second mesh beside the ordinary one
		odd    []float32
		active uint32
	}{
		{"huge", 1e30, nil, 800}, {"tiny", 1e-30, nil, 800}, {"denormal", 1e-41, nil, 800}, {"largest", 9e36, nil, 800},
		{"infinite", 1, []float32{inf, -inf, 3.4e38, float32(math.NaN())}, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, l := *r, *l
			r.TB = t
			l.rig = &r
			second := randomSoup(rng, 400, 0.1)
			for i := range second {
				second[i] *= tt.scale
				if tt.odd != nil && i%9 < 3 {
					second[i] = tt.odd[i/9%len(tt.odd)]
				}
			}
			mesh := append(slices.Clone(ordinary), second...)
			scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: ordinary.triangles(0, true)}}
			answers := traceAll(scene, rays, 0, 0xff, nil)
			for _, kind := range buildKinds {
				blas := r.build(r.soupInput(mesh, kind.flags, vk.GeometryOpaque))[0]
				s, m := r.read(blas)
				if s.Active != tt.active || m.Height > 40 {
					t.Errorf("%s: %d active, want %d; height %d", kind.name, s.Active, tt.active, m.Height)
				}
				hits := r.trace(r.single(blas), rays, TraceOptions{})
				for i, h := range hits { // rays that meet the second mesh first say nothing
					answers[i].Ambiguous = answers[i].Ambiguous || h.Instance != inspect.NoInstance && h.Primitive >= 400
				}
				r.compareHits(hits, answers, rays)
			}
			if tt.odd != nil {
				return // TestBoxes
			}
			var boxes boxMesh
			list := randomBoxes(rng, 200, 0.1)
			for i := range list {
				for k := range 3 {
					list[i].Min[k] *= tt.scale
					list[i].Max[k] *= tt.scale
				}
			}
			r.addBoxes(&boxes, list, 24, 0, 0)
			for _, kind := range buildKinds {
				s, _ := r.read(r.build(boxes.input(kind.flags))[0])
				r.wantBoxes(s, boxes.boxes)
			}
			if tt.scale < 1e30 && tt.scale > 1e-40 {
				boxScene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Boxes: boxes.boxes}}
				far := slices.Clone(rays)
				for i := range far {
					for k := range 3 {
						far[i].Origin[k] *= tt.scale
					}
				}
				r.compareLists(tt.name, boxScene, far, 0, 0xff, l.list(r.single(r.build(boxes.input(0))[0]), far, 0, 0xff), true)
			}
		})
	}
}

// TestSpread builds from what makes the Morton order deep: primitives whose distances halve, along one axis and all.
// None may be too deep for the traversal stack.
func TestSpread(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(171, 172))
	highest := 0
	for _, axes := range []int{1, 3} {
		var s soup
		for i := range 120 {
			x := float32(math.Ldexp(1, -i/axes))
			var c [3]float32
			c[i%axes] = x
			s = append(s, c[0], c[1], c[2], c[0]*1.01, c[1]*1.01, c[2]+x*0.01, c[0], c[1]+x*0.01, c[2])
		}
		rays := randomRays(rng, 500)
		for i := range rays { // at the triangles
			at := s[9*(i%120):]
			for k := range 3 {
				rays[i].Direction[k] = (at[k]+at[3+k]+at[6+k])/3 - rays[i].Origin[k]
			}
		}
		scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: s.triangles(0, true)}}
		answers := traceAll(scene, rays, 0, 0xff, nil)
		for i := range answers { // of smaller ones float32 has no weights from so far away
			answers[i].Ambiguous = answers[i].Ambiguous || i%120/axes > 2
		}
		for _, kind := range buildKinds {
			blas := r.build(r.soupInput(s, kind.flags, vk.GeometryOpaque))[0]
			_, m := r.read(blas)
			t.Logf("%d axes, %s: height %d", axes, kind.name, m.Height)
			if m.Height > layout.MostHeightBottom {
				t.Errorf("%d axes, %s: height %d, at most %d are allowed", axes, kind.name, m.Height, layout.MostHeightBottom)
			}
			highest = max(highest, m.Height)
			r.compareHits(r.trace(r.single(blas), rays, TraceOptions{}), answers, rays)
		}
	}
	if highest < layout.MostHeightBottom {
		t.Errorf("no tree is higher than %d: nothing was too deep", highest)
	}
}

// TestPointerInstancesInactive reads pointers to instances that are null, empty, or have no sensible transform.
func TestPointerInstancesInactive(t *testing.T) {
	r := newRig(t)
	nan := float32(math.NaN())
	blas := r.build(r.soupInput(soup{-1, -1, 1, 1, -1, 1, 0, 1, 1}, 0, vk.GeometryOpaque), bottom(0, nil, nil))
	at := func(z float32, address vk.DeviceAddress) []byte {
		tr := vk.IdentityTransform()
		tr[11] = z
		return vk.NewAccelerationStructureInstance(tr, 0, 0xff, 0, 0, address).AppendTo(nil)
	}
	var pointers, array []byte
	for i := range 600 {
		var in []byte
		switch i % 6 {
		case 0:
			in = at(1, 0) // null
		case 1:
			in = at(1, blas[1].Address()) // empty
		case 2:
			in = at(nan, blas[0].Address())
		default:
			in = at(float32(600-i), blas[0].Address())
		}
		array = append(array, in...)
	}
	base := r.upload("instances", array)
	for i := range uint64(600) {
		pointers = binary.LittleEndian.AppendUint64(pointers, base+64*i)
	}
	ray := []inspect.Ray{{Direction: [3]float32{0, 0, 1}, TMax: 1000}}
	for _, kind := range buildKinds {
		for _, in := range []vk.Instances{{Data: base}, {Data: r.upload("pointers", pointers), ArrayOfPointers: true}} {
			g := vk.Geometry{Type: vk.GeometryInstances, Instances: in}
			top := r.build(input{vk.BuildInfo{Type: vk.TopLevel, Flags: kind.flags, Geometries: []vk.Geometry{g}},
				[]vk.BuildRange{{PrimitiveCount: 600}}})[0]
			s, _ := r.read(top)
			if h := r.trace(top, ray, TraceOptions{})[0]; s.Active != 300 || h.Instance != 599 || h.T != 2 {
				t.Errorf("%s, pointers %v: %d active, want 300; hit %+v", kind.name, in.ArrayOfPointers, s.Active, h)
			}
		}
	}
}

// TestHundredBuilds builds triangles, boxes and instances a hundred times: every byte is the same each time.
func TestHundredBuilds(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(161, 162))
	s := randomSoup(rng, 2500, 0.05)
	copy(s[9*1000:], slices.Repeat(s[:9], 200)) // equal codes, too
	var m boxMesh
	r.addBoxes(&m, randomBoxes(rng, 1500, 0.1), 24, 0, 0)
	blas := r.build(r.soupInput(s, 0, 0))[0]
	var instances []vk.AccelerationStructureInstance
	for range 1200 {
		instances = append(instances, vk.NewAccelerationStructureInstance(randomTransform(rng, false), 0, 0xff, 0, 0, blas.Address()))
	}
	var inputs []input
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild} {
		inputs = append(inputs, r.soupInput(s, flags, 0), m.input(flags), r.topInput(flags, instances...))
	}
	builds := r.prepare(inputs...)
	first := make([][]byte, len(builds))
	for k := range 100 {
		r.run(builds)
		for i, b := range builds {
			data := make([]byte, b.Dst.Size())
			if err := r.dev.ReadBuffer(r.Context(), bufferOf(b.Dst), 0, data); err != nil {
				t.Fatal(err)
			}
			st, err := inspect.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if first[i] == nil {
				first[i] = st.Data
			} else if !bytes.Equal(first[i], st.Data) {
				t.Fatalf("build %d of input %d differs", k, i)
			}
		}
	}
}
