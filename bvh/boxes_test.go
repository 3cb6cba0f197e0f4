package bvh

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// boxLister lists the boxes that rays meet, by the compute way's traversal.
type boxLister struct {
	*rig
	layout *vk.PipelineLayout
	kernel *vk.Pipeline
}

// mostListed bounds the boxes listed for one ray. A test that lists more fails.
const mostListed = 256

func newBoxLister(r *rig) *boxLister {
	r.Helper()
	l := &boxLister{rig: r}
	code, err := shaders.Load("bvh/trace/trace_boxes.comp")
	if err != nil {
		r.Fatal(err)
	}
	l.layout, err = r.dev.NewPipelineLayout("boxes", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: tracerPushSize}})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(l.layout.Destroy)
	l.kernel, err = r.dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "boxes", Code: code, Layout: l.layout})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(l.kernel.Destroy)
	return l
}

// list traces through tlas.
func (l *boxLister) list(tlas *vk.Buffer, rays []inspect.Ray, flags uint32, mask uint8) [][]inspect.BoxCandidate {
	l.Helper()
	return l.listWith(tlas.Address(), rays, flags, mask, func(cb *vk.CommandBuffer, push []byte, groups uint32) {
		cb.BindComputePipeline(l.kernel)
		cb.PushConstants(l.layout, vk.StageCompute, 0, push)
		cb.Dispatch(groups, 1, 1)
	})
}

// listPush are the push constants of box_list.glsl.
//
//glsl:bvh/trace/native_boxes.comp Push
type listPush struct {
	tlas, rays, lists, faults    vk.DeviceAddress
	count, flags, cullMask, most uint32
}

// listWith runs a kernel with the interface of box_list.glsl. Lists come back in the order of the input.
func (r *rig) listWith(tlas vk.DeviceAddress, rays []inspect.Ray, flags uint32, mask uint8,
	record func(cb *vk.CommandBuffer, push []byte, groups uint32)) [][]inspect.BoxCandidate {
	r.Helper()
	const words = 1 + 4*mostListed
	in, out := r.upload("rays", EncodeRays(rays)), r.buffer("lists", uint64(len(rays))*words*4)
	faults := r.buffer("faults", faultWords*4)
	if err := r.dev.UploadBuffer(r.Context(), faults, 0, make([]byte, faultWords*4)); err != nil {
		r.Fatal(err)
	}
	push := vk.Bytes(&listPush{tlas, in, out.Address(), faults.Address(), uint32(len(rays)), flags, uint32(mask), mostListed})
	err := r.dev.Run(r.Context(), "boxes", func(cb *vk.CommandBuffer) error {
		record(cb, push, uint32(len(rays)+63)/64)
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	data, fault := make([]byte, len(rays)*words*4), make([]byte, faultWords*4)
	if err := r.dev.ReadBuffer(r.Context(), out, 0, data); err != nil {
		r.Fatal(err)
	}
	if err := r.dev.ReadBuffer(r.Context(), faults, 0, fault); err != nil {
		r.Fatal(err)
	}
	if n := binary.LittleEndian.Uint32(fault); n != 0 {
		r.Fatalf("%d traversal faults", n)
	}
	lists := make([][]inspect.BoxCandidate, len(rays))
	for i := range lists {
		w := func(k uint32) uint32 { return binary.LittleEndian.Uint32(data[4*(uint32(i)*words+k):]) }
		if w(0) > mostListed {
			r.Fatalf("ray %d meets %d boxes, the list takes %d", i, w(0), mostListed)
		}
		for k := range w(0) {
			at := 1 + 4*k
			lists[i] = append(lists[i], inspect.BoxCandidate{
				Instance: w(at), CustomIndex: w(at + 1), Geometry: w(at+2) &^ (1 << 31), Opaque: w(at+2)>>31 != 0, Primitive: w(at + 3),
			})
		}
		slices.SortFunc(lists[i], func(a, b inspect.BoxCandidate) int {
			return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Geometry, b.Geometry), cmp.Compare(a.Primitive, b.Primitive))
		})
	}
	return lists
}

// compareLists wants every certain candidate of the reference, each once, and none that the reference does not have,
// unless extra is allowed. It returns the number of candidates.
func (r *rig) compareLists(what string, scene inspect.Reference, rays []inspect.Ray, flags uint32, mask uint8,
	got [][]inspect.BoxCandidate, extra bool) (count int) {
	r.Helper()
	bad := 0
	for i, ray := range rays {
		want := map[inspect.BoxCandidate]bool{} // certain or not
		for _, c := range scene.BoxCandidates(ray, flags, mask) {
			certain := c.Certain
			c.Certain, c.TableOffset = false, 0
			want[c] = certain
		}
		var wrong string
		for _, c := range got[i] {
			if _, ok := want[c]; !ok && !extra {
				wrong = fmt.Sprintf("%+v is none of its boxes, or comes twice", c)
			}
			delete(want, c)
		}
		for c, certain := range want {
			if certain {
				wrong = fmt.Sprintf("misses %+v, box %v", c, boxOfCandidate(scene, c))
			}
		}
		if wrong != "" {
			if bad++; bad < 5 {
				r.Errorf("%s: ray %d %v: %s", what, i, ray, wrong)
			}
		}
		count += len(got[i])
	}
	if bad > 0 {
		r.Errorf("%s: %d of %d rays differ", what, bad, len(rays))
	}
	return count
}

func boxOfCandidate(r inspect.Reference, c inspect.BoxCandidate) inspect.Box {
	for _, b := range r[c.Instance].Boxes {
		if b.Geometry == c.Geometry && b.Primitive == c.Primitive {
			return b.Box
		}
	}
	return inspect.Box{}
}

// boxMesh is AABB geometries: boxes in memory with a stride, an offset, and something between them.
type boxMesh struct {
	geometries []vk.Geometry
	ranges     []vk.BuildRange
	boxes      []inspect.ProceduralBox
}

func (r *rig) addBoxes(m *boxMesh, boxes []inspect.Box, stride, offset int, flags vk.GeometryFlags) {
	r.Helper()
	data := make([]byte, offset+max(0, len(boxes)-1)*stride+24)
	for i := range data {
		data[i] = 0xa5
	}
	for i, b := range boxes {
		copy(data[offset+i*stride:], floatBytes(append(b.Min[:], b.Max[:]...)))
		m.boxes = append(m.boxes, inspect.ProceduralBox{Box: b, Primitive: uint32(i), Geometry: uint32(len(m.geometries)),
			Opaque: flags&vk.GeometryOpaque != 0})
	}
	m.geometries = append(m.geometries,
		vk.Geometry{Type: vk.GeometryAABBs, Flags: flags, AABBs: vk.AABBs{Data: r.upload("boxes", data), Stride: uint64(stride)}})
	m.ranges = append(m.ranges, vk.BuildRange{PrimitiveCount: uint32(len(boxes)), PrimitiveOffset: uint32(offset)})
}

func (m *boxMesh) input(flags vk.BuildFlags) input { return bottom(flags, m.geometries, m.ranges) }

func randomBoxes(rng *rand.Rand, n int, size float32) []inspect.Box {
	boxes := make([]inspect.Box, n)
	for i := range boxes {
		for k := range 3 {
			c, e := rng.Float32()*2-1, rng.Float32()*size
			boxes[i].Min[k], boxes[i].Max[k] = c-e, c+e
		}
	}
	return boxes
}

// oddBoxes is boxes without extent along some axes, and boxes that are inactive.
func oddBoxes(rng *rand.Rand, n int) []inspect.Box {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	boxes := randomBoxes(rng, n, 0.1)
	for i := range boxes {
		b := &boxes[i]
		switch i % 8 {
		case 0: // a point
			b.Max = b.Min
		case 1, 2: // flat
			b.Max[i%3] = b.Min[i%3]
		case 3:
			b.Max[i%3], b.Max[(i+1)%3] = b.Min[i%3], b.Min[(i+1)%3]
		case 4: // inverted
			b.Min[i%3], b.Max[i%3] = b.Max[i%3], b.Min[i%3]
		case 5:
			b.Min[0] = nan
		case 6:
			if i%16 == 6 { // inactive wherever a NaN is
				b.Max[i%3] = nan
			}
		}
		if i == 7 || i == 15 { // an infinite plate and an infinite beam
			b.Min[0], b.Max[0] = -inf, inf
			if i == 15 {
				b.Min[2], b.Max[2] = -inf, inf
			}
		}
	}
	return boxes
}

// boxRays is random rays, and rays along the axes that meet points and edges of the boxes exactly.
func boxRays(rng *rand.Rand, boxes []inspect.ProceduralBox, n int) []inspect.Ray {
	rays := randomRays(rng, n)
	for i := range n {
		// Traversal bends rays along an axis by 2^-40: at some distance they meet what is infinite along that axis only.
		rays[i].TMax = 1e5
		b := boxes[rng.IntN(len(boxes))].Box
		if !b.Active() {
			continue
		}
		axis := i % 3
		var ray inspect.Ray
		ray.Origin, ray.TMax = b.Min, 1e5
		if i%2 == 0 {
			ray.Origin = b.Max
		}
		for k, x := range ray.Origin {
			if math.IsInf(float64(x), 0) {
				ray.Origin[k] = 0.5
			}
		}
		ray.Origin[axis], ray.Direction[axis] = -2, 1
		switch i % 5 {
		case 1: // ends on the box
			ray.TMax = min(b.Min[axis]+2, 1e5)
		case 2: // begins on it
			ray.TMin = min(b.Max[axis]+2, 10)
		case 3:
			ray.Origin[axis], ray.Direction[axis] = 2, -4
		}
		rays = append(rays, ray)
	}
	return rays
}

func TestBoxes(t *testing.T) {
	r := newRig(t)
	l := newBoxLister(r)
	rng := rand.New(rand.NewPCG(101, 102))
	tests := []struct {
		name   string
		mesh   func(m *boxMesh)
		active uint32
	}{
		{"one", func(m *boxMesh) {
			r.addBoxes(m, []inspect.Box{{Min: [3]float32{-1, -1, 1}, Max: [3]float32{1, 1, 2}}}, 24, 0, 0)
		}, 1},
		{"random", func(m *boxMesh) { r.addBoxes(m, randomBoxes(rng, 3000, 0.05), 24, 0, vk.GeometryOpaque) }, 3000},
		{"large", func(m *boxMesh) { r.addBoxes(m, randomBoxes(rng, 150, 0.5), 24, 0, 0) }, 150},
		{"strides and offsets", func(m *boxMesh) {
			r.addBoxes(m, randomBoxes(rng, 700, 0.1), 32, 16, vk.GeometryOpaque)
			r.addBoxes(m, nil, 24, 0, 0)
			r.addBoxes(m, randomBoxes(rng, 600, 0.1), 56, 8, 0)
			r.addBoxes(m, nil, 24, 0, 0)
		}, 1300},
		{"flat, inactive and infinite", func(m *boxMesh) { r.addBoxes(m, oddBoxes(rng, 1600), 24, 0, 0) }, 1100},
		{"nothing active", func(m *boxMesh) {
			r.addBoxes(m, []inspect.Box{{Min: [3]float32{1}}, {Min: [3]float32{0, 2}}}, 24, 0, 0)
		}, 0},
		{"all infinite", func(m *boxMesh) {
			inf := float32(math.Inf(1))
			r.addBoxes(m, []inspect.Box{{Min: [3]float32{-inf, -inf, -inf}, Max: [3]float32{inf, inf, inf}},
				{Min: [3]float32{0, -inf, 0}, Max: [3]float32{inf, 0, 1}}}, 24, 0, 0)
		}, 2},
		{"coordinates of zero", func(m *boxMesh) {
			r.addBoxes(m, []inspect.Box{{}, {Max: [3]float32{1, 0, 1}}, {Max: [3]float32{0, 0, 1}}, {Max: [3]float32{1, 1, 1}}}, 24, 0, 0)
		}, 4},
		{"one spot", func(m *boxMesh) {
			r.addBoxes(m, slices.Repeat([]inspect.Box{{Min: [3]float32{3, 3, 3}, Max: [3]float32{3, 3, 3}}}, 200), 24, 0, 0)
		}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, l := *r, *l
			r.TB = t
			l.rig = &r
			var m boxMesh
			tt.mesh(&m)
			scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Boxes: m.boxes}}
			rays := boxRays(rng, m.boxes, 1500)
			for _, kind := range buildKinds {
				blas := r.build(m.input(kind.flags))[0]
				s, metrics := r.read(blas)
				if s.Active != tt.active || s.LeafKind() != layout.LeafBoxes {
					t.Errorf("%s: %d active, want %d; kind %d", kind.name, s.Active, tt.active, s.LeafKind())
				}
				r.wantBoxes(s, m.boxes)
				n := r.compareLists(kind.name, scene, rays, 0, 0xff, l.list(r.single(blas), rays, 0, 0xff), false)
				t.Logf("%s: SAH %.2f, height %d, %d leaves; %d candidates of %d rays", kind.name, metrics.SAH, metrics.Height,
					metrics.LeafNodes, n, len(rays))
			}
		})
	}
}

// wantBoxes wants exactly the active boxes of the input in the leaves, cut off at 1e37, and at most two to a leaf.
func (r *rig) wantBoxes(s *inspect.Structure, boxes []inspect.ProceduralBox) {
	r.Helper()
	type id struct{ geometry, primitive uint32 }
	want := map[id]inspect.ProceduralBox{}
	for _, b := range boxes {
		if b.Box.Active() {
			want[id{b.Geometry, b.Primitive}] = b
		}
	}
	for i := range s.Active {
		got := s.ProceduralBox(i)
		w := want[id{got.Geometry, got.Primitive}]
		for k := range 3 {
			w.Box.Min[k], w.Box.Max[k] = min(max(w.Box.Min[k], -1e37), 1e37), min(max(w.Box.Max[k], -1e37), 1e37)
		}
		if got != w {
			r.Errorf("leaf record %d is %+v, want %+v", i, got, w)
		}
		delete(want, id{got.Geometry, got.Primitive})
	}
	if len(want) > 0 {
		r.Errorf("%d boxes are missing", len(want))
	}
	eachLeaf(s, func(_, n uint32) {
		if n > 2 {
			r.Errorf("a leaf of %d boxes", n)
		}
	})

}

// eachLeaf calls f with first record and number of every leaf.
func eachLeaf(s *inspect.Structure, f func(first, n uint32)) {
	var visit func(ref uint32)
	visit = func(ref uint32) {
		if ref&layout.RefLeaf != 0 {
			f(ref&layout.RefIndexMask, ref>>layout.RefCountShift&layout.RefCountMask+1)
			return
		}
		_, refs, _ := s.Children(ref)
		visit(refs[0])
		visit(refs[1])
	}
	if s.Active > 0 {
		visit(s.Root)
	}
}

// boxInstances is a top level of two meshes of boxes and one of triangles, with all masks and flags.
func (r *rig) boxInstances(rng *rand.Rand, meshes []boxMesh, address func(mesh int) vk.DeviceAddress) (inspect.Reference,
	[]vk.AccelerationStructureInstance) {
	var scene inspect.Reference
	var list []vk.AccelerationStructureInstance
	for i := range 24 {
		mesh := i % (len(meshes) + 1)
		in := inspect.ReferenceInstance{Transform: randomTransform(rng, i%2 == 1), Mask: uint8(1 << (i % 3)), Flags: uint8(i % 4),
			CustomIndex: uint32(i * 1000)}
		switch i % 5 {
		case 1:
			in.Flags |= inspect.InstanceForceOpaque
		case 2:
			in.Flags |= inspect.InstanceForceNoOpaque
		}
		if i == 8 {
			in.Transform = vk.IdentityTransform()
		}
		if mesh < len(meshes) {
			in.Boxes = meshes[mesh].boxes
		}
		scene = append(scene, in)
		list = append(list, vk.NewAccelerationStructureInstance(in.Transform, in.CustomIndex, in.Mask, 0, vk.InstanceFlags(in.Flags),
			address(mesh)))
	}
	return scene, list
}

var boxRayFlags = []uint32{0, inspect.RayOpaque, inspect.RayNoOpaque, inspect.RayCullOpaque, inspect.RayCullNoOpaque,
	inspect.RayCullBackFacing | inspect.RayCullFrontFacing, inspect.RaySkipTriangles, inspect.RaySkipAABBs}

// TestBoxInstances checks boxes under instances, beside instances of triangles, under ray flags and masks.
func TestBoxInstances(t *testing.T) {
	r := newRig(t)
	l := newBoxLister(r)
	rng := rand.New(rand.NewPCG(111, 112))
	meshes := make([]boxMesh, 2)
	r.addBoxes(&meshes[0], randomBoxes(rng, 100, 0.2), 24, 0, vk.GeometryOpaque)
	r.addBoxes(&meshes[0], randomBoxes(rng, 50, 0.2), 40, 0, 0)
	r.addBoxes(&meshes[1], randomBoxes(rng, 30, 0.4), 24, 0, 0)
	mesh := randomSoup(rng, 100, 0.2)
	blas := r.build(meshes[0].input(0), meshes[1].input(vk.PreferFastBuild), r.soupInput(mesh, 0, vk.GeometryOpaque))
	scene, instances := r.boxInstances(rng, meshes, func(i int) vk.DeviceAddress { return blas[i].Address() })
	rays := randomRays(rng, 1000)
	for _, kind := range buildKinds {
		tlas := r.build(r.topInput(kind.flags, instances...))[0]
		r.read(tlas)
		for _, flags := range boxRayFlags {
			n := r.compareLists(fmt.Sprintf("%s, flags %#x", kind.name, flags), scene, rays, flags, 0xff,
				l.list(tlas, rays, flags, 0xff), false)
			if kind.flags == 0 {
				t.Logf("flags %#x: %d candidates", flags, n)
			}
		}
		r.compareLists(kind.name+", mask 5", scene, rays, 0, 5, l.list(tlas, rays, 0, 5), false)
		for i := range scene { // the triangles are hit as if there were no boxes
			if scene[i].Boxes == nil {
				scene[i].Triangles = mesh.triangles(0, true)
			}
		}
		r.compareHits(r.trace(tlas, rays, TraceOptions{}), traceAll(scene, rays, 0, 0xff, nil), rays)
	}
}
