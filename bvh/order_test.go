package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// orderCase is an input whose nodes come into order.
type orderCase struct {
	name string
	input
}

// orderCases are inputs of all sizes and kinds. Triangles are not split, so that they make the same tree without updates.
func (r *rig) orderCases(rng *rand.Rand) []orderCase {
	var list []orderCase
	for _, n := range []int{0, 1, 2, 3, 4, 5, 17, 300, 1025, orderSmall, orderSmall + 1, 5000, 12000} {
		s := randomSoup(rng, n, 0.05)
		for i := 0; i < n; i += 97 {
			copy(s[9*i+3:], s[9*i:9*i+3])
		}
		list = append(list, orderCase{fmt.Sprintf("%d triangles", n), r.soupInput(s, 0, vk.GeometryNoDuplicateAnyHit)})
	}
	list = append(list, orderCase{"none of them active", r.soupInput(slices.Repeat(soup{inf}, 9*3000), 0, 0)},
		orderCase{"equal triangles", r.soupInput(slices.Repeat(soup{0, 0, 0, 1, 0, 0, 0, 1, 0}, 10000), 0, vk.GeometryNoDuplicateAnyHit)},
		orderCase{"a deep tree", r.soupInput(deepSoup(), 0, vk.GeometryNoDuplicateAnyHit)})
	torus := bumpyTorus(100, 80)
	list = append(list, orderCase{"a torus", r.indexedInput(torus.positions, torus.indices, 0)})
	list[len(list)-1].info.Geometries[0].Flags |= vk.GeometryNoDuplicateAnyHit
	for _, n := range []int{1, 2, 700, 6000} {
		var m boxMesh
		r.addBoxes(&m, randomBoxes(rng, n, 0.1), 32, 8, vk.GeometryOpaque)
		list = append(list, orderCase{fmt.Sprintf("%d boxes", n), m.input(0)},
			orderCase{fmt.Sprintf("%d instances", n), r.slab(rng, 0, n)})
	}
	return list
}

// TestOrder builds structures with and without updates, all in one batch: nodes are those of the same tree, in postorder. Copies
// and serialised ones keep it, for rig.read and ValidateSerialized look.
func TestOrder(t *testing.T) {
	r := newRig(t)
	for _, c := range r.orderCases(rand.New(rand.NewPCG(601, 602))) {
		t.Run(c.name, func(t *testing.T) {
			rt := *r
			rt.TB = t
			var plain, updates []input
			for _, flags := range hostFlags {
				in := c.input
				in.info.Flags = flags
				plain = append(plain, in)
				in.info.Flags |= vk.AllowUpdate
				updates = append(updates, in)
			}
			built := rt.build(append(plain, updates...)...)
			for i := range plain {
				rt.sameInOrder(built[i], built[len(plain)+i])
			}
		})
	}
}

// sameInOrder compares a structure with another one of the same tree that may be updated.
func (r *rig) sameInOrder(plain, updates *vk.Buffer) {
	r.Helper()
	a, _ := r.read(plain)
	b, m := r.read(updates)
	if want := updatable(a.Data); !bytes.Equal(inOrder(want, m.InnerNodes), inOrder(b.Data, m.InnerNodes)) {
		r.Errorf("flags %#x: %d nodes are not those of the tree in postorder", uint32(b.Flags), m.InnerNodes)
	}
	for i := uint32(m.InnerNodes); i < b.Word(layout.HeaderNodeCount); i++ {
		if _, refs, below := b.Children(i); refs != [2]uint32{layout.RefNone, layout.RefNone} || below != [2]uint32{} {
			r.Fatalf("flags %#x: node %d is not blank behind %d: children %x with %d", uint32(b.Flags), i, m.InnerNodes, refs, below)
		}
	}
	for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact} {
		r.decoded(r.copied(mode, whole(updates))[0])
	}
	blob := r.copied(vk.CopySerialize, whole(updates))
	if err := inspect.ValidateSerialized(r.bytesOf(blob[0])); err != nil {
		r.Errorf("flags %#x: %v", uint32(b.Flags), err)
	}
	r.decoded(r.copied(vk.CopyDeserialize, blob...)[0])
}

// inOrder is what is in use of a structure with so many nodes, but for its address.
func inOrder(data []byte, nodes int) []byte {
	s, err := inspect.Decode(data)
	if err != nil {
		return nil
	}
	leaves := data[s.Leaves:][:uint64(s.Active)*layout.LeafSizeOf(s.LeafKind())]
	return slices.Concat(data[layout.HeaderMagic:layout.HeaderSize+nodes*layout.NodeSize], leaves)
}

// TestOrderOfMany builds 1,000 structures of all sizes in one batch, and again by an indirect build with room for more.
func TestOrderOfMany(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(603, 604))
	var inputs, most []input
	all := r.soupInput(randomSoup(rng, 6000, 0.05), 0, vk.GeometryNoDuplicateAnyHit)
	for i := range 1000 {
		in := all
		in.info.Flags = hostFlags[i%len(hostFlags)] | vk.AllowUpdate
		n := uint32(rng.IntN(100))
		if i%100 == 99 {
			n = uint32(rng.IntN(6000))
		}
		in.ranges = []vk.BuildRange{{PrimitiveCount: n}}
		inputs = append(inputs, in)
		in.ranges = []vk.BuildRange{{PrimitiveCount: min(6000, n+uint32(rng.IntN(3000)*(i%7/6)))}}
		most = append(most, in)
	}
	direct := r.build(inputs...)
	var indirect []IndirectBuild
	for i, bd := range r.prepare(most...) {
		ranges := r.upload("range", rangeBytes(inputs[i].ranges, 16))
		indirect = append(indirect, IndirectBuild{Info: bd.Info, MaxPrimitives: []uint32{most[i].ranges[0].PrimitiveCount},
			Ranges: ranges, Stride: 16,
			Dst: bd.Dst, Scratch: bd.Scratch})
	}
	if err := r.dev.Run(t.Context(), "indirect",
		func(cb *vk.CommandBuffer) error { return r.builder.CmdBuildIndirect(cb, indirect) }); err != nil {
		t.Fatal(err)
	}
	for i, b := range direct {
		want, m := r.read(b)
		got, _ := r.read(bufferOf(indirect[i].Dst))
		if !bytes.Equal(inOrder(want.Data, m.InnerNodes), inOrder(got.Data, m.InnerNodes)) {
			t.Errorf("structure %d of %d triangles: the indirect build makes something else", i, inputs[i].ranges[0].PrimitiveCount)
		}
	}
}

// TestOrderOfLarge builds more leaves than parts of the least size hold.
func TestOrderOfLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	r := newRig(t)
	var m boxMesh
	r.addBoxes(&m, randomBoxes(rand.New(rand.NewPCG(609, 610)), layout.OrderParts*layout.BlockSize+5000, 0.001), 24, 0,
		vk.GeometryOpaque)
	r.read(r.build(m.input(vk.PreferFastBuild | vk.AllowUpdate))[0])
}

// TestOrderByHost holds what the host builds against the same tree in the plain way.
func TestOrderByHost(t *testing.T) {
	rng := rand.New(rand.NewPCG(605, 606))
	for _, n := range []int{0, 1, 2, 6, 300, 20000} {
		s := randomSoup(rng, n, 0.05)
		for _, flags := range hostFlags {
			var built [2]hosted
			for k := range built {
				built[k] = hostSoup(s, flags|vk.BuildFlags(k)*vk.AllowUpdate, vk.GeometryOpaque)
				place(&built[k], t, 256)
				o, err := host.Build([]host.BuildInput{built[k]})
				if err != nil {
					t.Fatal(err)
				}
				runHost(t, o, 2)
				decodeHost(t, built[k])
			}
			if a, err := inspect.Decode(built[0].Dst); err != nil || !bytes.Equal(updatable(a.Data), built[1].Dst[:a.Bytes]) {
				t.Errorf("%d triangles, flags %#x: nodes are not those of the tree in postorder, %v", n, uint32(flags), err)
			}
		}
	}
}

// updatable brings the nodes of a structure into postorder, without gaps, and allows updates. It is the plain way.
func updatable(structure []byte) []byte {
	out := bytes.Clone(structure)
	s := &inspect.Structure{Data: structure}
	slots := s.Word(layout.HeaderNodeCount)
	next := uint32(0)
	var order func(ref uint32) uint32
	order = func(ref uint32) uint32 {
		if ref&layout.RefLeaf != 0 {
			return ref
		}
		from := structure[layout.HeaderSize+int(ref)*layout.NodeSize:][:layout.NodeSize]
		_, refs, _ := s.Children(ref)
		a := order(refs[0])
		b := order(refs[1])
		to := out[layout.HeaderSize+int(next)*layout.NodeSize:][:layout.NodeSize]
		copy(to, from)
		layout.PutWord(to, layout.NodeChild0, a)
		layout.PutWord(to, layout.NodeChild1, b)
		next++
		return next - 1
	}
	layout.PutWord(out, layout.HeaderRoot, order(s.Word(layout.HeaderRoot)))
	for ; next < slots; next++ {
		node := out[layout.HeaderSize+int(next)*layout.NodeSize:][:layout.NodeSize]
		clear(node)
		binary.LittleEndian.PutUint64(node[layout.NodeChild0:], ^uint64(0))
	}
	layout.PutWord(out, layout.HeaderFlags, s.Word(layout.HeaderFlags)|uint32(vk.AllowUpdate))
	return out
}

// disorders are structures whose nodes are not in postorder, from one whose are.
func disorders(rng *rand.Rand, structure []byte) map[string][]byte {
	s := &inspect.Structure{Data: structure}
	nodes := 0
	for int(s.Word(layout.HeaderNodeCount)) > nodes &&
		s.Word(layout.HeaderSize+uint64(nodes)*layout.NodeSize+layout.NodeChild0) != layout.RefNone {
		nodes++
	}
	slots := int(s.Word(layout.HeaderNodeCount))
	identity := make([]int, slots)
	for i := range identity {
		identity[i] = i
	}
	out := map[string][]byte{}
	if nodes < 2 {
		return out
	}
	i := rng.IntN(nodes)
	k := (i + 1 + rng.IntN(nodes-1)) % nodes
	swapped := slices.Clone(identity)
	swapped[i], swapped[k] = k, i
	out["two nodes swapped"] = scatter(structure, swapped)
	reversed := slices.Clone(identity)
	slices.Reverse(reversed[:nodes])
	out["the root first"] = scatter(structure, reversed)
	if slots > nodes {
		later := append(identity[1:nodes+1:nodes+1], 0)
		out["a blank slot first"] = scatter(structure, append(later, identity[nodes+1:]...))
		swapped = slices.Clone(identity)
		swapped[nodes-1], swapped[nodes] = nodes, nodes-1
		out["a blank slot before the root"] = scatter(structure, swapped)
	}
	var firsts []int // without nodes below, and with such beside: where they stand shows on the way up alone
	for n := range nodes {
		_, refs, _ := s.Children(uint32(n))
		if (refs[0]|refs[1])&layout.RefLeaf != 0 {
			continue
		}
		if _, below, _ := s.Children(refs[0]); below[0]&below[1]&layout.RefLeaf != 0 {
			firsts = append(firsts, int(refs[0]))
		}
	}
	if n := len(firsts); n > 1 {
		swapped = slices.Clone(identity)
		swapped[firsts[0]], swapped[firsts[n-1]] = firsts[n-1], firsts[0]
		out["first children swapped"] = scatter(structure, swapped)
	}
	for n := range nodes {
		at := layout.HeaderSize + n*layout.NodeSize
		if _, refs, below := s.Children(uint32(n)); (refs[0]|refs[1])&layout.RefLeaf == 0 {
			turned := bytes.Clone(structure)
			for side := range 2 {
				layout.PutWord(turned, at+layout.NodeChild0+4*side, refs[1-side])
				layout.PutWord(turned, at+layout.NodeLeaves0+4*side, below[1-side])
			}
			out["children swapped"] = turned
		}
	}
	return out
}

// TestDisorder refuses blobs that may be updated and whose nodes are not in postorder, by host and device. Without updates they
// are as good as any.
func TestDisorder(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(607, 608))
	var bad, good []forgery
	for kind := range uint32(seedKinds) {
		for _, n := range []int{3, 5, 9, 40, 70} {
			s := randomStructure(rng, kind, n)
			for what, d := range disorders(rng, updatable(s)) {
				name := fmt.Sprintf("kind %d of %d, %s", kind, n, what)
				bad = append(bad, forgery{name, hostBlob(t, d, [16]byte{})})
				layout.PutWord(d, layout.HeaderFlags, 0)
				good = append(good, forgery{name, hostBlob(t, d, [16]byte{})})
			}
		}
	}
	t.Logf("%d blobs", len(bad))
	for _, f := range bad {
		if err := inspect.ValidateSerialized(f.blob); err == nil {
			t.Errorf("%s: accepted by the host", f.name)
		}
	}
	r.deserializeAll(bad, func(f forgery, _ Copy, status CopyStatus) {
		if status != CopyBadNode {
			t.Errorf("%s: %v", f.name, status)
		}
	})
	r.deserializeAll(good, func(f forgery, _ Copy, status CopyStatus) {
		if err := inspect.ValidateSerialized(f.blob); status != CopyOK || err != nil {
			t.Errorf("%s, not for updates: %v, %v", f.name, status, err)
		}
	})
}

// TestOrderConstants compares what order.go shares with the shader, and that what is sorted fits into the scratch memory.
func TestOrderConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/build/order.glsl"), map[string]uint64{
		"ER_ORDER_PARTS": layout.OrderParts, "ER_ORDER_SHIFT": layout.OrderShift, "ER_ORDER_COUNTS": layout.OrderCounts,
		"ER_ORDER_BUNDLED_COUNTS": layout.OrderBundledCounts,
		"ER_ORDER_LARGE_COUNTS":   layout.OrderLargeCounts, "ER_ORDER_COUNT": layout.OrderCount,
	})
	compare(t, constants(t, "../shaders/bvh/build/order_small.comp"), map[string]uint64{"ER_ORDER_SMALL": orderSmall})
	info := vk.BuildInfo{Type: vk.BottomLevel, Geometries: make([]vk.Geometry, 1)}
	for n := uint64(1); n <= MaxPrimitives; n += 1 + n/7 {
		for _, flags := range hostFlags {
			info.Flags = flags | vk.AllowUpdate
			s, nodes := layout.ScratchOf(info, n), max(layout.MostBundles(info, n), 1)-1
			counts := uint64(layout.OrderCounts)
			if layout.Bundled(info) {
				counts = layout.OrderBundledCounts
				if n > layout.RefRecords {
					counts = layout.OrderLargeCounts - 1 // sums are in between
				}
			}
			if nodes*layout.NodeSize > counts*n || s.Boxes+layout.OrderScratch(info, n) > s.Size {
				t.Fatalf("%d primitives, flags %#x: %d nodes before %d bytes, %d of %d bytes", n, uint32(info.Flags), nodes, counts*n,
					s.Boxes+layout.OrderScratch(info, n), s.Size)
			}
			if layout.Bundled(info) && s.Boxes+layout.OrderScratch(info, n) > s.KeysA {
				t.Fatalf("%d primitives, flags %#x: what is sorted reaches the order of the bundles", n, uint32(info.Flags))
			}
		}
	}
}

// scatter moves node i of a structure to place order[i].
func scatter(data []byte, order []int) []byte {
	out := bytes.Clone(data)
	moved := func(at int) {
		if ref := binary.LittleEndian.Uint32(out[at:]); ref&layout.RefLeaf == 0 && int(ref) < len(order) {
			layout.PutWord(out, at, uint32(order[ref]))
		}
	}
	moved(layout.HeaderRoot)
	for i, to := range order {
		copy(out[layout.HeaderSize+layout.NodeSize*to:][:layout.NodeSize], data[layout.HeaderSize+layout.NodeSize*i:][:layout.NodeSize])
	}
	for i := range order {
		moved(layout.HeaderSize + layout.NodeSize*i + layout.NodeChild0)
		moved(layout.HeaderSize + layout.NodeSize*i + layout.NodeChild0 + 4)
	}
	return out
}
