package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

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
		list = append(list, orderCase{fmt.Sprintf("%d boxes", n), m.input(0)}, orderCase{fmt.Sprintf("%d instances", n), r.slab(rng, 0, n)})
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
	if want := updatable(a.data); !bytes.Equal(inOrder(want, m.InnerNodes), inOrder(b.data, m.InnerNodes)) {
		r.Errorf("flags %#x: %d nodes are not those of the tree in postorder", uint32(b.Flags), m.InnerNodes)
	}
	for i := uint32(m.InnerNodes); i < b.word(headerNodeCount); i++ {
		if _, refs, below := b.children(i); refs != [2]uint32{refNone, refNone} || below != [2]uint32{} {
			r.Fatalf("flags %#x: node %d is not blank behind %d: children %x with %d", uint32(b.Flags), i, m.InnerNodes, refs, below)
		}
	}
	for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact} {
		r.decoded(r.copied(mode, whole(updates))[0])
	}
	blob := r.copied(CopySerialize, whole(updates))
	if err := ValidateSerialized(r.bytesOf(blob[0])); err != nil {
		r.Errorf("flags %#x: %v", uint32(b.Flags), err)
	}
	r.decoded(r.copied(CopyDeserialize, blob...)[0])
}

// inOrder is what is in use of a structure with so many nodes, but for its address.
func inOrder(data []byte, nodes int) []byte {
	s, err := Decode(data)
	if err != nil {
		return nil
	}
	leaves := data[s.leaves:][:uint64(s.Active)*leafSizeOf(s.leafKind())]
	return slices.Concat(data[headerMagic:headerSize+nodes*nodeSize], leaves)
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
		indirect = append(indirect, IndirectBuild{Info: bd.Info, MaxPrimitives: []uint32{most[i].ranges[0].PrimitiveCount}, Ranges: ranges, Stride: 16,
			Dst: bd.Dst, Scratch: bd.Scratch})
	}
	if err := r.dev.Run(t.Context(), "indirect", func(cb *vk.CommandBuffer) error { return r.builder.CmdBuildIndirect(cb, indirect) }); err != nil {
		t.Fatal(err)
	}
	for i, b := range direct {
		want, m := r.read(b)
		got, _ := r.read(bufferOf(indirect[i].Dst))
		if !bytes.Equal(inOrder(want.data, m.InnerNodes), inOrder(got.data, m.InnerNodes)) {
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
	r.addBoxes(&m, randomBoxes(rand.New(rand.NewPCG(609, 610)), orderParts*blockSize+5000, 0.001), 24, 0, vk.GeometryOpaque)
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
				o, err := HostBuild([]HostBuildInput{built[k]})
				if err != nil {
					t.Fatal(err)
				}
				runHost(t, o, 2)
				decodeHost(t, built[k])
			}
			if a, err := Decode(built[0].Dst); err != nil || !bytes.Equal(updatable(a.data), built[1].Dst[:a.Bytes]) {
				t.Errorf("%d triangles, flags %#x: nodes are not those of the tree in postorder, %v", n, uint32(flags), err)
			}
		}
	}
}

// updatable brings the nodes of a structure into postorder, without gaps, and allows updates. It is the plain way.
func updatable(structure []byte) []byte {
	out := bytes.Clone(structure)
	s := &Structure{data: structure}
	slots := s.word(headerNodeCount)
	next := uint32(0)
	var order func(ref uint32) uint32
	order = func(ref uint32) uint32 {
		if ref&refLeaf != 0 {
			return ref
		}
		from := structure[headerSize+int(ref)*nodeSize:][:nodeSize]
		_, refs, _ := s.children(ref)
		a := order(refs[0])
		b := order(refs[1])
		to := out[headerSize+int(next)*nodeSize:][:nodeSize]
		copy(to, from)
		putWord(to, nodeChild0, a)
		putWord(to, nodeChild1, b)
		next++
		return next - 1
	}
	putWord(out, headerRoot, order(s.word(headerRoot)))
	for ; next < slots; next++ {
		node := out[headerSize+int(next)*nodeSize:][:nodeSize]
		clear(node)
		binary.LittleEndian.PutUint64(node[nodeChild0:], ^uint64(0))
	}
	putWord(out, headerFlags, s.word(headerFlags)|uint32(vk.AllowUpdate))
	return out
}

// disorders are structures whose nodes are not in postorder, from one whose are.
func disorders(rng *rand.Rand, structure []byte) map[string][]byte {
	s := &Structure{data: structure}
	nodes := 0
	for int(s.word(headerNodeCount)) > nodes && s.word(headerSize+uint64(nodes)*nodeSize+nodeChild0) != refNone {
		nodes++
	}
	slots := int(s.word(headerNodeCount))
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
		_, refs, _ := s.children(uint32(n))
		if (refs[0]|refs[1])&refLeaf != 0 {
			continue
		}
		if _, below, _ := s.children(refs[0]); below[0]&below[1]&refLeaf != 0 {
			firsts = append(firsts, int(refs[0]))
		}
	}
	if n := len(firsts); n > 1 {
		swapped = slices.Clone(identity)
		swapped[firsts[0]], swapped[firsts[n-1]] = firsts[n-1], firsts[0]
		out["first children swapped"] = scatter(structure, swapped)
	}
	for n := range nodes {
		at := headerSize + n*nodeSize
		if _, refs, below := s.children(uint32(n)); (refs[0]|refs[1])&refLeaf == 0 {
			turned := bytes.Clone(structure)
			for side := range 2 {
				putWord(turned, at+nodeChild0+4*side, refs[1-side])
				putWord(turned, at+nodeLeaves0+4*side, below[1-side])
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
				putWord(d, headerFlags, 0)
				good = append(good, forgery{name, hostBlob(t, d, [16]byte{})})
			}
		}
	}
	t.Logf("%d blobs", len(bad))
	for _, f := range bad {
		if err := ValidateSerialized(f.blob); err == nil {
			t.Errorf("%s: accepted by the host", f.name)
		}
	}
	r.deserializeAll(bad, func(f forgery, _ Copy, status CopyStatus) {
		if status != CopyBadNode {
			t.Errorf("%s: %v", f.name, status)
		}
	})
	r.deserializeAll(good, func(f forgery, _ Copy, status CopyStatus) {
		if err := ValidateSerialized(f.blob); status != CopyOK || err != nil {
			t.Errorf("%s, not for updates: %v, %v", f.name, status, err)
		}
	})
}

// TestOrderConstants compares what order.go shares with the shader, and that what is sorted fits into the scratch memory.
func TestOrderConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/build/order.glsl"), map[string]uint64{
		"ER_ORDER_PARTS": orderParts, "ER_ORDER_SHIFT": orderShift, "ER_ORDER_COUNTS": orderCounts,
		"ER_ORDER_BUNDLED_COUNTS": orderBundledCounts, "ER_ORDER_COUNT": orderCount,
		"ER_ORDER_LANES": blockSize / orderGroups,
	})
	compare(t, constants(t, "../shaders/bvh/build/order_small.comp"), map[string]uint64{"ER_ORDER_SMALL": orderSmall})
	info := vk.BuildInfo{Type: vk.BottomLevel, Geometries: make([]vk.Geometry, 1)}
	for n := uint64(1); n <= MaxPrimitives; n += 1 + n/7 {
		for _, flags := range hostFlags {
			info.Flags = flags | vk.AllowUpdate
			s, nodes := scratchOf(info, n), max(mostBundles(info, n), 1)-1
			counts := uint64(orderCounts)
			if bundled(info) {
				counts = orderBundledCounts
			}
			if nodes*nodeSize > counts*n || s.boxes+orderScratch(info, n) > s.size {
				t.Fatalf("%d primitives, flags %#x: %d nodes before %d bytes, %d of %d bytes", n, uint32(info.Flags), nodes, counts*n, s.boxes+orderScratch(info, n), s.size)
			}
			if bundled(info) && s.boxes+orderScratch(info, n) > s.keysA {
				t.Fatalf("%d primitives, flags %#x: what is sorted reaches the order of the bundles", n, uint32(info.Flags))
			}
		}
	}
}

// scatter moves node i of a structure to place order[i].
func scatter(data []byte, order []int) []byte {
	out := bytes.Clone(data)
	moved := func(at int) {
		if ref := binary.LittleEndian.Uint32(out[at:]); ref&refLeaf == 0 && int(ref) < len(order) {
			putWord(out, at, uint32(order[ref]))
		}
	}
	moved(headerRoot)
	for i, to := range order {
		copy(out[headerSize+nodeSize*to:][:nodeSize], data[headerSize+nodeSize*i:][:nodeSize])
	}
	for i := range order {
		moved(headerSize + nodeSize*i + nodeChild0)
		moved(headerSize + nodeSize*i + nodeChild0 + 4)
	}
	return out
}
