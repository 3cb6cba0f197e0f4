package bvh

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// memoryOf is all of a range, what lies behind the structure included.
func (r *rig) memoryOf(m Range) []byte {
	r.Helper()
	data := make([]byte, m.Buffer.Size()-m.Offset)
	if err := r.dev.ReadBuffer(r.Context(), bufferOf(m.Buffer), m.Offset, data); err != nil {
		r.Fatal(err)
	}
	return data
}

// wideOf is the wide nodes of a structure that its tree may have.
func wideOf(t testing.TB, memory []byte) []byte {
	t.Helper()
	s, err := inspect.Decode(memory)
	if err != nil {
		t.Fatal(err)
	}
	at := uint64(s.Word(layout.HeaderWide)) * layout.WideUnit
	if at == 0 {
		return nil
	}
	if at != layout.AlignUp(s.Bytes, layout.WideUnit) {
		t.Fatalf("wide nodes at %d, behind a structure of %d bytes", at, s.Bytes)
	}
	return memory[at:][:min(uint64(s.Word(layout.HeaderNodeCount)), uint64(max(s.Active, 1)-1))*layout.WideSize]
}

// wantWide checks that a structure has wide nodes, that they are those that the host makes, and cover what the others do.
func (r *rig) wantWide(what string, memory []byte) {
	r.Helper()
	wide := wideOf(r, memory)
	s, err := inspect.Decode(memory)
	if err != nil {
		r.Fatal(err)
	}
	if inner := s.Root&layout.RefLeaf == 0; inner != (wide != nil) && (inner || s.Word(layout.HeaderNodeCount) == 0) {
		r.Errorf("%s: %d bytes of wide nodes for the root %#x of %d nodes", what, len(wide), s.Root, s.Word(layout.HeaderNodeCount))
	}
	twin := bytes.Clone(memory)
	clear(wideOf(r, twin))
	host.Widen(twin)
	if !bytes.Equal(twin, memory) {
		r.Errorf("%s: the host makes other wide nodes", what)
	}
	if wide != nil && s.Root&layout.RefLeaf == 0 {
		r.wantCover(what, s, wide, s.Root)
	}
}

// wantCover checks the wide node of an inner node, and those below it.
func (r *rig) wantCover(what string, s *inspect.Structure, wide []byte, node uint32) {
	r.Helper()
	at := wide[int(node)*layout.WideSize:]
	word := func(offset int) uint32 { return binary.LittleEndian.Uint32(at[offset:]) }
	left := map[uint32]int{}
	for k := range layout.WideChildren {
		if ref := word(layout.WideRefs + 4*k); ref != layout.RefEmpty {
			left[ref] = k
		} else if k < 2 || word(4*k) != 0x7f800000 || word(layout.WideAxis/2+4*k) != 0xff800000 {
			r.Fatalf("%s: child %d of wide node %d is none, in a box from %#x to %#x", what, k, node, word(4*k), word(layout.WideAxis/2+4*k))
		}
	}
	var descend func(n uint32)
	descend = func(n uint32) {
		boxes, refs, _ := s.Children(n)
		for i, ref := range refs {
			k, ok := left[ref]
			switch {
			case ok:
				var b inspect.Box
				for axis := range 3 {
					b.Min[axis] = (&inspect.Structure{Data: at}).Float(uint64(axis*layout.WideAxis + 4*k))
					b.Max[axis] = (&inspect.Structure{Data: at}).Float(uint64(axis*layout.WideAxis + layout.WideAxis/2 + 4*k))
				}
				if b != boxes[i] {
					r.Fatalf("%s: child %d of wide node %d is in the box %v, want %v", what, k, node, b, boxes[i])
				}
				delete(left, ref)
			case ref&layout.RefLeaf != 0:
				r.Fatalf("%s: leaf %#x is in no child of wide node %d", what, ref, node)
			default:
				descend(ref)
			}
		}
	}
	descend(node)
	if len(left) > 0 {
		r.Fatalf("%s: wide node %d has children that are not below it: %v", what, node, left)
	}
	_, refs, _ := s.Children(node)
	for _, ref := range refs {
		if ref&layout.RefLeaf == 0 {
			r.wantCover(what, s, wide, ref)
		}
	}
}

// wideInputs are bottom levels that get wide nodes.
func (r *rig) wideInputs(rng *rand.Rand, flags vk.BuildFlags) map[string]input {
	flags |= vk.PreferFastTrace
	boxes := randomExtents(rng, 500)
	long := randomSoup(rng, 6000, 0.02)
	for i := 0; i < len(long); i += 900 {
		long[i] += 1.5
	}
	return map[string]input{
		"nothing": r.soupInput(nil, flags, 0), "a triangle": r.soupInput(randomSoup(rng, 1, 0.5), flags, vk.GeometryOpaque),
		"two triangles":   r.soupInput(randomSoup(rng, 2, 0.5), flags, vk.GeometryOpaque),
		"triangles":       r.soupInput(randomSoup(rng, 3000, 0.05), flags, 0),
		"split triangles": r.soupInput(long, flags, vk.GeometryOpaque), "equal triangles": r.soupInput(make(soup, 9*200), flags, 0),
		"boxes":          r.extentsInput(flags, vk.GeometryOpaque, boxes...),
		"many triangles": r.soupInput(randomSoup(rng, 40000, 0.01), flags, vk.GeometryOpaque),
	}
}

// TestWideNodes builds with wide nodes and without, by device and host.
func TestWideNodes(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(501, 502))
	for name, in := range r.wideInputs(rng, vk.AllowCompaction) {
		counts := []uint32{in.ranges[0].PrimitiveCount}
		var memory [2][]byte
		var sizes [2]uint64
		for i, wide := range []bool{false, true} {
			r.builder.wide = wide
			memory[i] = r.memoryOf(whole(r.build(in)[0]))
			s, err := r.builder.BuildSizes(in.info, counts)
			if err != nil {
				t.Fatal(err)
			}
			sizes[i] = s.AccelerationStructureSize
		}
		if wideOf(t, memory[0]) != nil {
			t.Errorf("%s: wide nodes that nobody asked for", name)
		}
		most := max(layout.References(in.info, uint64(counts[0])), 1) - 1
		if more := sizes[1] - sizes[0]; more < most*layout.WideSize || more > most*layout.WideSize+Alignment+layout.WideUnit {
			t.Errorf("%s: %d bytes more for %d nodes", name, more, most)
		}
		r.wantWide(name, memory[1])
		s, _ := inspect.Decode(memory[1])
		copy(memory[0], memory[1][:8])
		layout.PutWord(memory[1], layout.HeaderWide, 0)
		if !bytes.Equal(memory[0][:s.Bytes], memory[1][:s.Bytes]) {
			t.Errorf("%s: with wide nodes it is another structure", name)
		}
		for _, wide := range []bool{false, true} {
			h := r.hostOf(in)
			h.WideNodes = wide
			built := r.memoryOf(whole(r.hostBuild(h)))
			if wide {
				r.wantWide(name+" by the host", built)
			} else if wideOf(t, built) != nil {
				t.Errorf("%s: wide nodes of the host that nobody asked for", name)
			}
		}
	}
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild, vk.LowMemory, vk.PreferFastTrace | vk.LowMemory,
		vk.PreferFastTrace | vk.PreferFastBuild} {
		if wideOf(t, r.memoryOf(whole(r.build(r.soupInput(randomSoup(rng, 50, 0.1), flags, 0))[0]))) != nil {
			t.Errorf("flags %#x: wide nodes", flags)
		}
	}
}

// TestWideUpdates updates structures with wide nodes, in place, out of place and by the host, alone and with others, small and
// large.
func TestWideUpdates(t *testing.T) {
	r := newRig(t)
	r.builder.wide = true
	rng := rand.New(rand.NewPCG(503, 504))
	blas := r.build(r.soupInput(randomSoup(rng, 30, 0.2), vk.PreferFastTrace, 0))
	moving := []moving{r.movingSoup(40, vk.PreferFastTrace, true), r.movingSoup(5000, vk.PreferFastTrace, false),
		r.movingBoxes(3000, vk.PreferFastTrace, true), r.movingInstances(300, vk.PreferFastTrace, blas),
		r.movingSoup(1, vk.PreferFastTrace, false)}
	var all []Build
	for _, m := range moving {
		r.fill(m.data, m.make(rng))
		bd := r.prepare(m.input)[0]
		r.run([]Build{bd})
		before := r.memoryOf(whole(bufferOf(bd.Dst)))
		r.wantWide("built", before)
		r.fill(m.data, m.make(rng))
		out, narrow := r.updateOf(bd), r.updateOf(bd)
		out.Src, out.Dst = bd.Dst, r.poison("out of place", bd.Dst.Size())
		s, _ := inspect.Decode(before)
		narrow.Src, narrow.Dst = bd.Dst, r.poison("without room", s.Bytes)
		r.run([]Build{out})
		r.run([]Build{narrow})
		in := r.updateOf(bd)
		r.run([]Build{in})
		after := r.memoryOf(whole(bufferOf(bd.Dst)))
		r.wantWide("updated in place", after)
		if bytes.Equal(before, after) {
			t.Error("the update changed nothing")
		}
		r.wantWide("updated out of place", r.memoryOf(whole(bufferOf(out.Dst))))
		if wideOf(t, r.memoryOf(whole(bufferOf(narrow.Dst)))) != nil {
			t.Error("wide nodes without room")
		}
		all = append(all, in)
	}
	for _, m := range moving {
		r.fill(m.data, m.make(rng))
	}
	r.run(all)
	for i, bd := range all {
		r.wantWide("updated together", r.memoryOf(whole(bufferOf(bd.Dst))))
		if bd.Info.Type == vk.TopLevel {
			continue
		}
		data := moving[i].make(rng)
		r.uploads[moving[i].data.Address()] = data
		h := r.hostOf(moving[i].input)
		src := r.memoryOf(whole(bufferOf(bd.Dst)))
		r.wantWide("updated by the host", r.hostUpdateOf(h, src, make([]byte, len(src)), 0x1000))
		r.wantWide("updated in place by the host", r.hostUpdateOf(h, src, src, bd.Dst.Address()))
	}
}

// TestWideCopies makes all kinds of copies of structures with wide nodes, by device and host. Clones have them, if there is room,
// and nothing else has.
func TestWideCopies(t *testing.T) {
	r := newRig(t)
	r.builder.wide = true
	rng := rand.New(rand.NewPCG(505, 506))
	for name, in := range r.wideInputs(rng, vk.AllowCompaction) {
		built := whole(r.build(in)[0])
		memory := r.memoryOf(built)
		s, _ := inspect.Decode(memory)
		if got, err := host.Property(memory, CurrentSize); err != nil || got != s.CurrentSize() ||
			r.properties(CurrentSize, built)[0] != got || got-s.Bytes < uint64(len(wideOf(t, memory))) {
			t.Errorf("%s: the current size is %d for the host, %v, and %d for the device", name, got, err,
				r.properties(CurrentSize, built)[0])
		}
		host := func(mode vk.CopyMode, src []byte, size uint64) []byte {
			dst := make([]byte, size)
			o, err := host.Copies([]host.Copy{{Mode: mode, Src: src, Dst: dst, Address: 0x1000}})
			if err != nil {
				t.Fatal(err)
			}
			runHost(t, o, 1)
			return dst
		}
		clone := r.copied(vk.CopyClone, built)[0]
		r.wantWide(name+", cloned", r.bytesOf(clone))
		if got, want := wideOf(t, r.bytesOf(clone)), wideOf(t, memory); !bytes.Equal(got, want) {
			t.Errorf("%s: the clone has other wide nodes", name)
		}
		r.wantWide(name+", cloned by the host", host(vk.CopyClone, memory, clone.Size))
		small := r.room("small", s.Bytes)
		if status := r.copyAll(Copy{Mode: vk.CopyClone, Src: built, Dst: small}); status[0] != CopyOK ||
			wideOf(t, r.bytesOf(small)) != nil {
			t.Errorf("%s: a clone without room for wide nodes: %v", name, status[0])
		}
		if wideOf(t, host(vk.CopyClone, memory, s.Bytes)) != nil {
			t.Errorf("%s: wide nodes in a clone by the host without room", name)
		}
		compact := r.copied(vk.CopyCompact, built)[0]
		blob := r.copied(vk.CopySerialize, built)[0]
		loaded := r.copied(vk.CopyDeserialize, blob)[0]
		for what, data := range map[string][]byte{
			"compacted": r.bytesOf(compact), "compacted by the host": host(vk.CopyCompact, memory, compact.Size),
			"deserialised":             r.bytesOf(loaded),
			"deserialised by the host": host(vk.CopyDeserialize, host(vk.CopySerialize, memory, blob.Size), loaded.Size),
		} {
			if wideOf(t, data) != nil {
				t.Errorf("%s, %s: wide nodes", name, what)
			}
		}
		if loaded.Size != s.Bytes {
			t.Errorf("%s: %d bytes deserialised, want %d", name, loaded.Size, s.Bytes)
		}
	}
}

// TestWideBlobs deserialises blobs that say where wide nodes would be: nobody looks there.
func TestWideBlobs(t *testing.T) {
	r := newRig(t)
	r.builder.wide = true
	built := whole(r.build(r.soupInput(randomSoup(rand.New(rand.NewPCG(507, 508)), 200, 0.1), vk.PreferFastTrace, 0))[0])
	blob := r.bytesOf(r.copied(vk.CopySerialize, built)[0])
	body := layout.BodyOffset(0)
	if binary.LittleEndian.Uint32(blob[body+layout.HeaderWide:]) != 0 {
		t.Error("the blob says where wide nodes are")
	}
	for _, at := range []uint32{1, 5, 100, 0xffffffff} {
		layout.PutWord(blob, int(body)+layout.HeaderWide, at)
		a, b := layout.Checksum(blob[body:])
		layout.PutWord(blob, int(body)-layout.BlobSize+8, a)
		layout.PutWord(blob, int(body)-layout.BlobSize+12, b)
		loaded, status := r.load(blob, nil, false)
		if status != CopyOK || wideOf(t, r.bytesOf(loaded)) != nil {
			t.Errorf("wide nodes at %d: %v, and they are there", at, status)
		}
		dst := make([]byte, loaded.Size)
		o, err := host.Copies([]host.Copy{{Mode: vk.CopyDeserialize, Src: blob, Dst: dst, Address: 0x1000}})
		if err != nil {
			t.Fatal(err)
		}
		runHost(t, o, 1)
		if wideOf(t, dst) != nil {
			t.Errorf("wide nodes at %d: the host left them there", at)
		}
	}
}
