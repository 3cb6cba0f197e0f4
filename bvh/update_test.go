package bvh

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// poison is memory that former users left.
func (r *rig) poison(name string, size uint64) *vk.Buffer {
	r.Helper()
	b := r.buffer(name, size)
	if err := r.dev.UploadBuffer(r.Context(), b, 0, bytes.Repeat([]byte{5, 0, 0, 0x80, 3, 0, 0, 0}, int(b.Size()/8))); err != nil {
		r.Fatal(err)
	}
	return b
}

// updateOf is the update in place of a build, with scratch memory of its own.
func (r *rig) updateOf(bd Build) Build {
	r.Helper()
	counts := make([]uint32, len(bd.Ranges))
	for k, g := range bd.Ranges {
		counts[k] = g.PrimitiveCount
	}
	sizes, err := r.builder.BuildSizes(bd.Info, counts)
	if err != nil {
		r.Fatal(err)
	}
	bd.Info.Update = true
	bd.Scratch = r.poison("update scratch", sizes.UpdateScratchSize).Address()
	return bd
}

// used is what of a structure's bytes means something: header without its own address, nodes and leaf records that the
// tree may use.
func (r *rig) used(b *vk.Buffer) []byte {
	r.Helper()
	s, err := inspect.Read(r.Context(), r.dev, b, 0)
	if err != nil {
		r.Fatal(err)
	}
	return used(s)
}

func used(s *inspect.Structure) []byte {
	record := map[uint32]uint64{layout.LeafTriangles: layout.TriangleSize, layout.LeafBoxes: layout.BoxSize,
		layout.LeafInstances: layout.InstanceSize}[s.Word(layout.HeaderLeafKind)]
	nodes := uint64(min(max(s.Active, 1)-1, s.Word(layout.HeaderNodeCount))) * layout.NodeSize
	out := append([]byte{}, s.Data[8:layout.HeaderSize+nodes]...)
	return append(out, s.Data[s.Leaves:s.Leaves+uint64(s.Active)*record]...)
}

func (r *rig) fill(b *vk.Buffer, data []byte) {
	r.Helper()
	if err := r.dev.UploadBuffer(r.Context(), b, 0, data); err != nil {
		r.Fatal(err)
	}
}

// moving is an input whose contents change.
type moving struct {
	name string
	input
	data *vk.Buffer
	make func(rng *rand.Rand) []byte
}

func (r *rig) movingSoup(n int, flags vk.BuildFlags, broken bool) moving {
	g, rg := r.soupGeometry(make(soup, 9*n), vk.GeometryOpaque)
	m := moving{data: r.buffer("vertices", uint64(36*n))}
	g.Triangles.VertexData = m.data.Address()
	m.input = bottom(flags|vk.AllowUpdate, []vk.Geometry{g}, []vk.BuildRange{rg})
	m.make = func(rng *rand.Rand) []byte {
		s := randomSoup(rng, n, 0.05)
		for i := 0; broken && i < n; i += 3 {
			s[9*i+4] = float32(math.NaN())
		}
		return floatBytes(s)
	}
	return m
}

// boxBytes are boxes around random points; one in several is inactive.
func boxBytes(rng *rand.Rand, n, stride int, broken bool) []byte {
	var data []byte
	for i := range n {
		var lo, hi [3]float32
		for k := range 3 {
			lo[k] = rng.Float32()*2 - 1
			hi[k] = lo[k] + rng.Float32()*0.1
		}
		if broken && i%4 == 1 {
			lo[0] = float32(math.NaN())
		}
		data = append(data, floatBytes(append(lo[:], hi[:]...))...)
		data = append(data, make([]byte, stride-24)...)
	}
	return data
}

func (r *rig) movingBoxes(n int, flags vk.BuildFlags, broken bool) moving {
	const stride = 32
	m := moving{data: r.buffer("boxes", uint64(stride*n))}
	g := vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: m.data.Address(), Stride: stride}}
	m.input = bottom(flags|vk.AllowUpdate, []vk.Geometry{g}, []vk.BuildRange{{PrimitiveCount: uint32(n)}})
	m.make = func(rng *rand.Rand) []byte { return boxBytes(rng, n, stride, broken) }
	return m
}

func (r *rig) movingInstances(n int, flags vk.BuildFlags, blas []*vk.Buffer) moving {
	m := moving{data: r.buffer("instances", uint64(64*n))}
	m.input = r.topInput(flags | vk.AllowUpdate)
	m.info.Geometries[0].Instances.Data = m.data.Address()
	m.ranges[0].PrimitiveCount = uint32(n)
	m.make = func(rng *rand.Rand) []byte {
		var data []byte
		for i := range n {
			a := vk.NewAccelerationStructureInstance(randomTransform(rng, false), uint32(i), 0xff, uint32(i), 0, blas[i%len(blas)].Address())
			data = a.AppendTo(data)
		}
		return data
	}
	return m
}

// movings are structures of all kinds and of sizes at which something changes.
func (r *rig) movings() []moving {
	blas := r.build(r.soupInput(randomSoup(rand.New(rand.NewPCG(1, 1)), 50, 0.2), 0, 0), r.soupInput(nil, 0, 0))
	list := []moving{}
	add := func(name string, m moving) {
		m.name = name
		list = append(list, m)
	}
	add("nothing", r.movingSoup(0, 0, false))
	add("one", r.movingSoup(1, 0, false))
	add("one inactive", r.movingSoup(1, vk.PreferFastBuild, true))
	add("one leaf", r.movingSoup(3, 0, false))
	add("few", r.movingSoup(17, vk.PreferFastTrace, true))
	add("linear", r.movingSoup(700, vk.PreferFastBuild, true))
	add("clusters", r.movingSoup(700, 0, true))
	add("several blocks", r.movingSoup(5000, 0, false))
	add("linear blocks", r.movingSoup(3000, vk.PreferFastBuild, false))
	add("box", r.movingBoxes(1, 0, false))
	add("boxes", r.movingBoxes(900, 0, true))
	add("linear boxes", r.movingBoxes(1500, vk.PreferFastBuild, false))
	add("instance", r.movingInstances(1, 0, blas[:1]))
	add("instances", r.movingInstances(300, vk.PreferFastTrace, blas))
	add("no instances", r.movingInstances(0, 0, blas))
	return list
}

// TestUpdateUnchanged updates structures from the input that they were built from: not a bit changes. Then it makes 200
// updates in succession, with other input, and one with the first: all are as at the beginning.
func TestUpdateUnchanged(t *testing.T) {
	r := newRig(t)
	list := r.movings()
	var inputs []input
	rng := rand.New(rand.NewPCG(61, 62))
	first := make([][]byte, len(list))
	for i, m := range list {
		inputs = append(inputs, m.input)
		first[i] = m.make(rng)
		r.fill(m.data, first[i])
	}
	builds := r.prepare(inputs...)
	r.run(builds)
	updates := make([]Build, len(builds))
	before := make([][]byte, len(builds))
	for i, bd := range builds {
		updates[i], before[i] = r.updateOf(bd), r.used(bufferOf(bd.Dst))
	}
	compare := func(when string) {
		t.Helper()
		for i, bd := range builds {
			s, _ := r.read(bufferOf(bd.Dst))
			checkTight(t, list[i].name, s)
			if !bytes.Equal(r.used(bufferOf(bd.Dst)), before[i]) {
				t.Errorf("%s: %s differs from the first build", list[i].name, when)
			}
		}
	}
	r.run(updates)
	compare("an update without a change")
	for k := range 200 {
		for i, m := range list {
			if k%4 == 0 || len(first[i]) < 40000 {
				r.fill(m.data, m.make(rng))
			}
		}
		r.run(updates)
	}
	for i, bd := range builds {
		if s, _ := r.read(bufferOf(bd.Dst)); s.Active > 0 && bytes.Equal(r.used(bufferOf(bd.Dst)), before[i]) {
			t.Errorf("%s: 200 updates changed nothing", list[i].name)
		}
		r.fill(list[i].data, first[i])
	}
	r.run(updates)
	compare("the 201st update")
}

// checkTight makes all boxes of a bottom level again, from its leaf records, and finds them in the nodes to the bit.
func checkTight(t *testing.T, name string, s *inspect.Structure) {
	t.Helper()
	if s.Type == vk.TopLevel || s.Active == 0 {
		return
	}
	nothing := inspect.Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
	all := nothing
	for i := range s.Active {
		b, _ := s.LeafBox(i)
		all = all.Union(b)
	}
	if all == nothing {
		all = inspect.Box{}
	}
	padding := float32(1e-30)
	for k := range 3 {
		padding = max(padding, max(-all.Min[k], all.Max[k])/8388608)
	}
	pad := func(b inspect.Box) inspect.Box {
		if b.Min[0] > b.Max[0] {
			return b
		}
		for k := range 3 {
			b.Min[k] -= padding
			b.Max[k] += padding
		}
		return b
	}
	var visit func(ref uint32) inspect.Box
	visit = func(ref uint32) inspect.Box {
		out := nothing
		if ref&layout.RefLeaf != 0 {
			for i := range ref>>layout.RefCountShift&layout.RefCountMask + 1 {
				b, _ := s.LeafBox(ref&layout.RefIndexMask + i)
				out = out.Union(b)
			}
			return pad(out)
		}
		boxes, refs, _ := s.Children(ref)
		for c := range 2 {
			want := visit(refs[c])
			if boxes[c] != want {
				t.Fatalf("%s: child %d of node %d has box %v, its leaves %v", name, c, ref, boxes[c], want)
			}
			out = out.Union(want)
		}
		return out
	}
	if root := visit(s.Root); root != nothing && s.Bounds != root {
		t.Errorf("%s: the header has bounds %v, the leaves %v", name, s.Bounds, root)
	}
}

// TestUpdateHits deforms a mesh and holds it, updated in place and out of place, against the reference.
func TestUpdateHits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(71, 72))
	s := randomSoup(rng, 3000, 0.05)
	rays := randomRays(rng, 1000)
	for _, kind := range buildKinds {
		in := r.soupInput(s, kind.flags|vk.AllowUpdate, vk.GeometryOpaque)
		bd := r.prepare(in)[0]
		r.run([]Build{bd})
		before := r.used(bufferOf(bd.Dst))

		moved := append(soup{}, s...)
		for i := range moved {
			moved[i] = moved[i]*0.8 + 0.1*float32(math.Sin(float64(3*s[i-i%3])))
		}
		changed := r.soupInput(moved, kind.flags|vk.AllowUpdate, vk.GeometryOpaque)
		out := r.updateOf(Build{Info: changed.info, Ranges: changed.ranges, Dst: r.poison("other", bd.Dst.Size()), Src: bd.Dst})
		r.run([]Build{out})
		if !bytes.Equal(r.used(bufferOf(bd.Dst)), before) {
			t.Errorf("%s: an update out of place changed its source", kind.name)
		}
		in2 := r.updateOf(Build{Info: changed.info, Ranges: changed.ranges, Dst: bd.Dst})
		r.run([]Build{in2})
		if !bytes.Equal(r.used(bufferOf(bd.Dst)), r.used(bufferOf(out.Dst))) {
			t.Errorf("%s: updates in place and out of place differ", kind.name)
		}
		answers := traceAll(inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: moved.triangles(0, true)}},
			rays, 0, 0xff, nil)
		for _, b := range []*vk.Buffer{bufferOf(bd.Dst), bufferOf(out.Dst), r.build(changed)[0]} {
			st, m := r.read(b)
			if st.Address != b.Address() {
				t.Errorf("%s: the header's own address is %#x, not %#x", kind.name, st.Address, b.Address())
			}
			checkTight(t, kind.name, st)
			hit, _ := r.compareHits(r.trace(r.single(b), rays, TraceOptions{}), answers, rays)
			t.Logf("%s: SAH %.2f, %d hits", kind.name, m.SAH, hit)
		}
	}
}

// TestUpdateInstances moves instances whose bottom levels are updated, rebuilt with another height, or become null.
func TestUpdateInstances(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(81, 82))
	small, large := randomSoup(rng, 40, 0.3), randomSoup(rng, 600, 0.2)
	flags := vk.AllowUpdate
	meshes := r.prepare(r.soupInput(large, flags, vk.GeometryOpaque), r.soupInput(large, flags, vk.GeometryOpaque))
	r.run(meshes)
	m := r.movingInstances(64, flags, []*vk.Buffer{bufferOf(meshes[0].Dst), bufferOf(meshes[1].Dst)})
	r.fill(m.data, m.make(rng))
	top := r.prepare(m.input)[0]
	r.run([]Build{top})

	// The first mesh is refitted, the second becomes a small one in the same memory.
	moved := append(soup{}, large...)
	for i := range moved {
		moved[i] *= 0.5
	}
	a, b := r.soupInput(moved, flags, vk.GeometryOpaque), r.soupInput(small, flags, vk.GeometryOpaque)
	meshes[0].Info, meshes[0].Ranges = a.info, a.ranges
	meshes[0] = r.updateOf(meshes[0])
	meshes[1].Info, meshes[1].Ranges = b.info, b.ranges
	r.run(meshes)
	triangles := [][]inspect.Triangle{moved.triangles(0, true), small.triangles(0, true)}
	var scene inspect.Reference
	var data []byte
	for i := range 64 {
		ref := inspect.ReferenceInstance{Transform: randomTransform(rng, i%2 == 0), Mask: 0xff, CustomIndex: uint32(i),
			Triangles: triangles[i%2]}
		address := meshes[i%2].Dst.Address()
		if i%16 == 3 {
			address, ref.Triangles = 0, nil
		}
		data = vk.NewAccelerationStructureInstance(ref.Transform, ref.CustomIndex, ref.Mask, 0, 0, address).AppendTo(data)
		scene = append(scene, ref)
	}
	r.fill(m.data, data)
	r.run([]Build{r.updateOf(top)})
	rays := randomRays(rng, 800)
	answers := traceAll(scene, rays, 0, 0xff, nil)
	hit, _ := r.compareHits(r.trace(bufferOf(top.Dst), rays, TraceOptions{}), answers, rays)
	if hit < 80 {
		t.Errorf("only %d of %d rays hit", hit, len(rays))
	}
	fresh := r.build(m.input)[0]
	r.compareHits(r.trace(fresh, rays, TraceOptions{}), answers, rays)
	x, _ := r.read(bufferOf(top.Dst))
	y, _ := r.read(fresh)
	if x.Bounds != y.Bounds {
		t.Errorf("bounds %v, those of a fresh build are %v", x.Bounds, y.Bounds)
	}
}

// TestUpdateInactive lets triangles become NaN: they are never hit and boxes stay numbers; and back.
func TestUpdateInactive(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(91, 92))
	s := randomSoup(rng, 1000, 0.1)
	rays := randomRays(rng, 1000)
	in := r.soupInput(s, vk.AllowUpdate, vk.GeometryOpaque)
	vertices := r.buffer("vertices", uint64(len(s)*4))
	r.fill(vertices, floatBytes(s))
	in.info.Geometries[0].Triangles.VertexData = vertices.Address()
	bd := r.prepare(in)[0]
	r.run([]Build{bd})
	before := r.used(bufferOf(bd.Dst))
	update := r.updateOf(bd)
	for _, every := range []int{2, 1} {
		broken := append(soup{}, s...)
		var left []inspect.Triangle
		for i, tri := range s.triangles(0, true) {
			if i%every == 0 {
				broken[9*i+i%9] = float32(math.Inf(1))
				if i%3 == 0 {
					broken[9*i+i%9] = float32(math.NaN())
				}
			} else {
				left = append(left, tri)
			}
		}
		r.fill(vertices, floatBytes(broken))
		r.run([]Build{update})
		st, _ := r.read(bufferOf(bd.Dst))
		checkTight(t, "inactive", st)
		answers := traceAll(inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: left}}, rays, 0, 0xff, nil)
		hit, _ := r.compareHits(r.trace(r.single(bufferOf(bd.Dst)), rays, TraceOptions{}), answers, rays)
		if (hit > 0) != (every == 2) {
			t.Errorf("one in %d inactive: %d hits", every, hit)
		}
	}
	r.fill(vertices, floatBytes(s))
	r.run([]Build{update})
	if !bytes.Equal(r.used(bufferOf(bd.Dst)), before) {
		t.Error("triangles that are active again do not make the structure that it was")
	}
}

func TestUpdateRefuses(t *testing.T) {
	r := newRig(t)
	s := randomSoup(rand.New(rand.NewPCG(1, 9)), 10, 0.1)
	in := r.soupInput(s, vk.AllowUpdate, 0)
	base := r.prepare(in, in)
	r.run(base)
	tests := []struct {
		name string
		edit func(list []Build)
		want string
	}{
		{"no flag", func(l []Build) { l[0].Info.Flags = 0 }, "AllowUpdate in Info.Flags"},
		{"source offset", func(l []Build) { l[0].Src, l[0].SrcOffset = l[0].Dst, 64 }, "source address"},
		{"source end", func(l []Build) { l[0].Src, l[0].SrcOffset = l[0].Dst, 1<<20 }, "too few for a structure at SrcOffset"},
		{"destination end", func(l []Build) { l[0].DstOffset = 1 << 20 }, "too few for a structure at DstOffset"},
		{"another's source", func(l []Build) { l[0].Src = l[1].Dst }, "Src is the Dst of build 1"},
		{"one destination", func(l []Build) { l[1].Dst = l[0].Dst }, "Dst is that of build 0"},
		{"no destination", func(l []Build) { l[0].Dst = nil }, "no destination"},
		{"scratch", func(l []Build) { l[0].Scratch += 4 }, "scratch address"},
	}
	for _, tt := range tests {
		list := []Build{r.updateOf(base[0]), r.updateOf(base[1])}
		tt.edit(list)
		_, err := newBatch(list, layout.CollapseLimit, false)
		if !errors.Is(err, ErrInvalidBuild) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want ErrInvalidBuild with %q", tt.name, err, tt.want)
		}
	}
}

// TestUpdateOfAnother updates from sources that the host cannot tell from right ones: the device leaves all as it is.
func TestUpdateOfAnother(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(3, 9))
	in := r.soupInput(randomSoup(rng, 100, 0.1), vk.AllowUpdate, 0)
	fixed := r.soupInput(randomSoup(rng, 100, 0.1), 0, 0)
	fewer := r.soupInput(randomSoup(rng, 99, 0.1), vk.AllowUpdate, 0)
	boxes := r.movingBoxes(100, 0, false)
	r.fill(boxes.data, boxes.make(rng))
	for name, other := range map[string]input{"not updatable": fixed, "other count": fewer, "boxes": boxes.input} {
		src := r.build(other)[0]
		before := r.used(src)
		r.run([]Build{r.updateOf(Build{Info: in.info, Ranges: in.ranges, Dst: src})})
		if !bytes.Equal(r.used(src), before) {
			t.Errorf("%s: the update changed it", name)
		}
	}
	src := r.build(in)[0]
	tight := r.poison("too small", src.Size()/2)
	before := make([]byte, tight.Size())
	after := make([]byte, tight.Size())
	read := func(b []byte) {
		if err := r.dev.ReadBuffer(t.Context(), tight, 0, b); err != nil {
			t.Fatal(err)
		}
	}
	read(before)
	for what, bd := range map[string]Build{"small destination": {Dst: tight, Src: src}, "no structure": {Dst: tight}} {
		bd.Info, bd.Ranges = in.info, in.ranges
		r.run([]Build{r.updateOf(bd)})
		if read(after); !bytes.Equal(before, after) {
			t.Errorf("%s: the update wrote to it", what)
		}
	}
}

// TestUpdateConstants compares what refit.glsl shares with Go.
func TestUpdateConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/refit/refit.glsl"), map[string]uint64{
		"ER_ALLOW_UPDATE": uint64(vk.AllowUpdate), "ER_ROOM_UNIT": updateRoomUnit,
	})
	compare(t, constants(t, "../shaders/bvh/refit/push.glsl"), map[string]uint64{"ER_PART": layout.RefitPart})
	nodes := constants(t, "../shaders/bvh/refit/nodes.comp")
	compare(t, map[string]uint64{"ER_NEAR": nodes["ER_NEAR"]}, map[string]uint64{"ER_NEAR": refitNodes})
}
