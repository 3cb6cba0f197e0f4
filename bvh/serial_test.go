package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hostBlob serialises a structure's bytes on the host, as an oracle for the device.
func hostBlob(t testing.TB, structure []byte, driver [16]byte) []byte {
	t.Helper()
	s, err := inspect.Decode(bytes.Clone(structure))
	if err != nil {
		t.Fatal(err)
	}
	kind, slots := s.Word(layout.HeaderLeafKind), s.Word(layout.HeaderNodeCount)
	used := make([]bool, slots)
	var walk func(ref uint32)
	walk = func(ref uint32) {
		if ref&layout.RefLeaf == 0 {
			used[ref] = true
			_, refs, _ := s.Children(ref)
			walk(refs[0])
			walk(refs[1])
		}
	}
	walk(s.Root)
	clear(s.Data[layout.HeaderSelf : layout.HeaderSelf+8])
	layout.PutWord(s.Data, layout.HeaderWide, 0)
	for i, u := range used {
		if !u {
			node := s.Data[layout.HeaderSize+i*layout.NodeSize:][:layout.NodeSize]
			clear(node)
			binary.LittleEndian.PutUint64(node[layout.NodeChild0:], ^uint64(0))
		}
	}
	leaves := s.Data[s.Leaves:]
	if !layout.IsCompacted(kind) {
		clear(leaves[uint64(s.Active)*layout.LeafSizeOf(kind):])
	}
	var handles []uint64
	if s.Type == vk.TopLevel {
		handles = make([]uint64, s.Primitives)
		for i := range s.Active {
			record := leaves[i*layout.InstanceSize:][:layout.InstanceSize]
			handles[binary.LittleEndian.Uint32(record[layout.InstanceIndex:])] = binary.LittleEndian.Uint64(record[layout.InstanceBLAS:])
			clear(record[layout.InstanceBLAS : layout.InstanceBLAS+8])
		}
	}
	body := layout.BodyOffset(uint64(len(handles)))
	b := append([]byte{}, driver[:]...)
	b = append(b, layout.Compatibility[:]...)
	for _, v := range []uint64{body + s.Bytes, s.Bytes, uint64(len(handles))} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, h := range handles {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	b = append(b, make([]byte, body-uint64(len(b)))...)
	b = append(b, s.Data...)
	sign(b)
	return b
}

// sign writes what is between the handles and the structure, with the right checksum, if there is room.
func sign(blob []byte) {
	if len(blob) < layout.BlobHandles {
		return
	}
	n := binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])
	if n > uint64(len(blob)) || layout.BodyOffset(n) > uint64(len(blob)) {
		return
	}
	body := layout.BodyOffset(n)
	end := min(binary.LittleEndian.Uint64(blob[layout.BlobSerialized:]), uint64(len(blob)))
	if end < body {
		return
	}
	a, b := layout.Checksum(blob[body:end])
	for k, w := range []uint32{layout.BlobMagicWord, layout.BlobVersion, a, b} {
		binary.LittleEndian.PutUint32(blob[body-layout.BlobSize+uint64(4*k):], w)
	}
}

// randomStructure makes a structure without a device: a random tree, with some slots unused.
func randomStructure(rng *rand.Rand, kind uint32, n int) []byte {
	slots := max(n-1, 0) + rng.IntN(3)
	leafAt := layout.HeaderSize + slots*layout.NodeSize
	data := append(make([]byte, leafAt), randomLeaves(rng, kind, n)...)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	numbers := rng.Perm(slots)
	for i := range slots {
		put(layout.HeaderSize+i*layout.NodeSize+layout.NodeChild0, layout.RefNone, layout.RefNone)
	}
	// grow makes a subtree over records first to first + n and returns its reference and height.
	var grow func(first, n int) (ref, height uint32)
	grow = func(first, n int) (ref, height uint32) {
		if n == 1 || (kind != layout.LeafInstances && n <= 4 && rng.IntN(2) == 0) {
			return uint32(layout.RefLeaf | (n-1)<<layout.RefCountShift | first), 0
		}
		node := numbers[0]
		numbers = numbers[1:]
		left := 1 + rng.IntN(n-1)
		r0, h0 := grow(first, left)
		r1, h1 := grow(first+left, n-left)
		put(layout.HeaderSize+node*layout.NodeSize+layout.NodeChild0, r0, r1, uint32(left), uint32(n-left))
		return uint32(node), 1 + max(h0, h1)
	}
	root, height := uint32(layout.RefNone), uint32(0)
	if n > 0 {
		root, height = grow(0, n)
	}
	typ, flags := uint32(vk.BottomLevel), uint32(0)
	if kind == layout.LeafInstances {
		typ = uint32(vk.TopLevel)
	}
	if kind == leafSourced {
		kind, flags = layout.LeafTriangles, layout.SourcedFlags
	}
	put(layout.HeaderMagic, layout.Magic, layout.Version)
	put(layout.HeaderCompat, layout.CompatWords[:]...)
	put(layout.HeaderType, typ, flags, 2, uint32(n)+1, uint32(n), root, height, uint32(leafAt/64))
	put(layout.HeaderNodeCount, uint32(slots))
	put(layout.HeaderLeafKind, kind)
	put(layout.HeaderTotalSize, uint32(len(data)))
	if flags&uint32(vk.AllowUpdate) != 0 {
		return updatable(data)
	}
	return data
}

// seedBlobs are valid ones of every kind and some sizes.
func seedBlobs(t testing.TB) [][]byte {
	rng := rand.New(rand.NewPCG(31, 32))
	var blobs [][]byte
	for kind := range uint32(seedKinds) {
		for _, n := range []int{0, 1, 2, 5, 40, 70} {
			s := randomStructure(rng, kind, n)
			blobs = append(blobs, hostBlob(t, s, [16]byte{1}))
			if n > 1 {
				blobs = append(blobs, hostBlob(t, updatable(s), [16]byte{1}))
			}
		}
	}
	return blobs
}

// TestValidateSerialized has all that is valid accepted, and refuses every truncation and every changed bit that matters.
func TestValidateSerialized(t *testing.T) {
	for i, blob := range seedBlobs(t) {
		if err := inspect.ValidateSerialized(blob); err != nil {
			t.Fatalf("blob %d: %v", i, err)
		}
		if err := inspect.ValidateSerialized(append(bytes.Clone(blob), 1, 2, 3)); err != nil {
			t.Errorf("blob %d, with something behind it: %v", i, err)
		}
		for n := range blob {
			if err := inspect.ValidateSerialized(blob[:n:n]); !errors.Is(err, inspect.ErrInvalidBlob) {
				t.Fatalf("blob %d cut to %d bytes: %v", i, n, err)
			}
		}
		body := int(layout.BodyOffset(binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])))
		for at := range blob {
			bad := bytes.Clone(blob)
			bad[at] ^= 1 << (at % 8)
			err := inspect.ValidateSerialized(bad)
			switch {
			case at < layout.BlobCompat, at >= layout.BlobHandles && at < body-layout.BlobSize, at >= body-layout.BlobSize+16 && at < body:
				if err != nil { // driver, handles and padding do not matter
					t.Errorf("blob %d with byte %d changed: %v", i, at, err)
				}
			case at < layout.BlobSerialized:
				if !errors.Is(err, inspect.ErrIncompatible) || inspect.CheckSerialized(bad) {
					t.Errorf("blob %d with byte %d of the compatibility UUID changed: %v", i, at, err)
				}
			case !errors.Is(err, inspect.ErrInvalidBlob):
				t.Errorf("blob %d with byte %d changed: %v", i, at, err)
			}
		}
	}
}

// forgery is a blob whose checksum is right and whose structure is not.
type forgery struct {
	name string
	blob []byte
}

// forgeries corrupt a structure in all ways that the validators look for.
func forgeries(t testing.TB) []forgery {
	var out []forgery
	rng := rand.New(rand.NewPCG(33, 34))
	add := func(name string, kind uint32, n int, f func(s []byte, node func(slot uint32) []byte, root uint32)) {
		blob := hostBlob(t, randomStructure(rng, kind, n), [16]byte{})
		s := blob[layout.BodyOffset(binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])):]
		f(s, func(slot uint32) []byte { return s[layout.HeaderSize+slot*layout.NodeSize:][:layout.NodeSize] },
			binary.LittleEndian.Uint32(s[layout.HeaderRoot:]))
		sign(blob)
		out = append(out, forgery{name, blob})
	}
	u32 := binary.LittleEndian.Uint32
	put := binary.LittleEndian.PutUint32
	word := func(name string, kind uint32, at int, change func(v uint32) uint32) {
		add(name, kind, 60, func(s []byte, _ func(uint32) []byte, _ uint32) { put(s[at:], change(u32(s[at:]))) })
	}
	next := func(v uint32) uint32 { return v + 1 }
	all := func(uint32) uint32 { return ^uint32(0) }
	word("magic", layout.LeafTriangles, layout.HeaderMagic, next)
	word("version", layout.LeafTriangles, layout.HeaderVersion, next)
	word("compatibility", layout.LeafTriangles, layout.HeaderCompat+4, next)
	for kind := range uint32(seedKinds) {
		word("type", kind, layout.HeaderType, func(v uint32) uint32 { return 1 - v })
		word("unknown type", kind, layout.HeaderType, all)
		word("leaf kind", kind, layout.HeaderLeafKind, func(v uint32) uint32 { return (v + 1) % 3 })
		word("unknown leaf kind", kind, layout.HeaderLeafKind, all)
		word("more nodes", kind, layout.HeaderNodeCount, next)
		word("all nodes", kind, layout.HeaderNodeCount, all)
		word("leaf block", kind, layout.HeaderLeafBlock, next)
		word("far leaf block", kind, layout.HeaderLeafBlock, all)
		word("more active", kind, layout.HeaderActive, next)
		word("fewer active", kind, layout.HeaderActive, func(v uint32) uint32 { return v - 1 })
		word("all active", kind, layout.HeaderActive, all)
		word("no primitives", kind, layout.HeaderPrimitives, func(uint32) uint32 { return 0 })
		word("all primitives", kind, layout.HeaderPrimitives, all)
		word("no root", kind, layout.HeaderRoot, all)
		word("far root", kind, layout.HeaderRoot, func(uint32) uint32 { return layout.RefIndexMask })
		word("leaf as root", kind, layout.HeaderRoot, func(uint32) uint32 { return layout.RefLeaf })
		word("height 0", kind, layout.HeaderHeight, func(uint32) uint32 { return 0 })
		word("lower", kind, layout.HeaderHeight, func(v uint32) uint32 { return v - 1 })
		word("higher", kind, layout.HeaderHeight, next)
		word("highest", kind, layout.HeaderHeight, all)
		word("size", kind, layout.HeaderTotalSize, func(v uint32) uint32 { return v + 16 })
		word("smaller", kind, layout.HeaderTotalSize, func(v uint32) uint32 { return v - 16 })
		word("no size", kind, layout.HeaderTotalSize, func(uint32) uint32 { return 0 })
		word("less than a header", kind, layout.HeaderTotalSize, func(uint32) uint32 { return layout.HeaderSize - 16 })
		word("odd size", kind, layout.HeaderTotalSize, next)
		word("huge", kind, layout.HeaderTotalSize+4, all)
	}
	word("no geometries", layout.LeafTriangles, layout.HeaderGeometryCount, func(uint32) uint32 { return 0 })
	word("all geometries", layout.LeafTriangles, layout.HeaderGeometryCount, all)
	for kind := range uint32(seedKinds) {
		for c := range 2 {
			child := layout.NodeChild0 + 4*c
			on := func(name string, f func(node []byte, root uint32)) {
				add(name, kind, 60, func(_ []byte, node func(uint32) []byte, root uint32) { f(node(root), root) })
			}
			on("root below itself", func(n []byte, root uint32) { put(n[child:], root) })
			on("null child", func(n []byte, _ uint32) { put(n[child:], layout.RefNone) })
			on("far node", func(n []byte, _ uint32) { put(n[child:], layout.RefIndexMask) })
			on("restore", func(n []byte, _ uint32) { put(n[child:], 0xfffffffe) })
			on("far leaf", func(n []byte, _ uint32) { put(n[child:], 0x8fffffff) })
			on("same child twice", func(n []byte, _ uint32) { copy(n[layout.NodeChild0:layout.NodeChild0+4], n[layout.NodeChild1:]) })
			on("leaf counts", func(n []byte, _ uint32) { put(n[layout.NodeLeaves0+4*c:], u32(n[layout.NodeLeaves0+4*c:])+1) })
			on("no leaves", func(n []byte, _ uint32) { put(n[layout.NodeLeaves0+4*c:], 0) })
			on("blank root", func(n []byte, _ uint32) {
				put(n[layout.NodeChild0:], layout.RefNone)
				put(n[layout.NodeChild1:], layout.RefNone)
			})
			on("wrapping counts", func(n []byte, _ uint32) {
				put(n[layout.NodeLeaves0:], u32(n[layout.NodeLeaves0:])+1<<31)
				put(n[layout.NodeLeaves1:], u32(n[layout.NodeLeaves1:])+1<<31)
			})
		}
	}
	add("cycle below the root", layout.LeafInstances, 60, func(s []byte, node func(uint32) []byte, root uint32) {
		ref := root // down to a node above an inner one, which then refers back up
		for range 2 {
			n := node(ref)
			c := u32(n[layout.NodeChild0:])
			if c&layout.RefLeaf != 0 {
				c = u32(n[layout.NodeChild1:])
			}
			if c&layout.RefLeaf != 0 {
				break
			}
			put(n[layout.NodeChild0:], ref)
			ref = c
		}
	})
	add("node nobody refers to", layout.LeafTriangles, 3, func(s []byte, node func(uint32) []byte, root uint32) {
		put(s[layout.HeaderRoot:], layout.RefLeaf|2<<layout.RefCountShift)
		put(s[layout.HeaderHeight:], 0)
		put(node(0)[layout.NodeChild0:], layout.RefLeaf)
		put(node(0)[layout.NodeChild1:], layout.RefLeaf|1)
		put(node(0)[layout.NodeLeaves0:], 1)
		put(node(0)[layout.NodeLeaves1:], 1)
	})
	leaf := func(name string, kind uint32, at uint64, v uint32) {
		add(name, kind, 60, func(s []byte, _ func(uint32) []byte, _ uint32) {
			put(s[uint64(u32(s[layout.HeaderLeafBlock:]))*64+59*layout.LeafSizeOf(kind)+at:], v)
		})
	}
	leaf("primitive", layout.LeafTriangles, layout.TrianglePrimitive, 61)
	leaf("geometry", layout.LeafTriangles, layout.TriangleGeometry, 2)
	leaf("primitive of a box", layout.LeafBoxes, layout.BoxPrimitive, 61)
	leaf("geometry of a box", layout.LeafBoxes, layout.BoxGeometry, layout.TriangleOpaque|2)
	chunk := func(name string, kind uint32, change func(leaves []byte)) {
		add(name, kind, 100, func(s []byte, _ func(uint32) []byte, _ uint32) {
			change(s[uint64(u32(s[layout.HeaderLeafBlock:]))*64:])
		})
	}
	for _, kind := range []uint32{layout.LeafIndexed, layout.LeafIndexedWide} {
		const record = 4 * layout.IndexedWords
		first, second := 4*layout.ChunkWords+13*record, 4*layout.ChunkWords+layout.ChunkRecords*record
		chunk("indexed primitive", kind, func(l []byte) { put(l[first+4:], 101) })
		chunk("chunk's vertices", kind, func(l []byte) { put(l, u32(l)+3) })
		chunk("chunk's vertices before all", kind, func(l []byte) { put(l, u32(l)-1) })
		chunk("far vertices", kind, func(l []byte) { put(l, ^uint32(0)) })
		chunk("number of vertices", kind, func(l []byte) { put(l[4:], u32(l[4:])+1) })
		chunk("no vertices", kind, func(l []byte) { put(l[4:], 0) })
		chunk("second chunk's vertices", kind, func(l []byte) { put(l[second:], u32(l[second:])-3) })
		chunk("far vertices of the last chunk", kind, func(l []byte) { put(l[second:], 0xfffffff0) })
		chunk("number of the last chunk's vertices", kind, func(l []byte) { put(l[second+4:], u32(l[second+4:])+2) })
		chunk("most vertices", kind, func(l []byte) { put(l[second+4:], ^uint32(0)) })
		for k := range 3 {
			chunk("corner", kind, func(l []byte) { l[first+k] = uint8(u32(l[4:]) & layout.ChunkVertexMask) })
			chunk("corner in the second chunk", kind, func(l []byte) { l[second+4*layout.ChunkWords+record+k] = 255 })
		}
	}
	chunk("indexed geometry", layout.LeafIndexed, func(l []byte) {
		put(l[4*layout.ChunkWords:], u32(l[4*layout.ChunkWords:])|2<<layout.IndexedGeometryShift)
	})
	chunk("geometries of the narrow form", layout.LeafIndexed, func(l []byte) { put(l[4:], u32(l[4:])|1<<layout.ChunkGeometryShift) })
	chunk("wide geometry", layout.LeafIndexedWide, func(l []byte) {
		put(l[4*layout.ChunkWords:], u32(l[4*layout.ChunkWords:])|2<<layout.IndexedGeometryShift)
	})
	chunk("geometry in the list", layout.LeafIndexedWide,
		func(l []byte) { put(l[4*(u32(l)+3*(u32(l[4:])&layout.ChunkVertexMask)):], 2) })
	chunk("number of geometries", layout.LeafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])+1<<layout.ChunkGeometryShift) })
	chunk("most geometries", layout.LeafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])|0xffff<<layout.ChunkGeometryShift) })
	chunk("no geometries", layout.LeafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])&layout.ChunkVertexMask) })
	const lastShort = 4 * (layout.ChunkRecords*layout.ShortWords + layout.ShortWord)
	for _, kind := range []uint32{layout.LeafShort, layout.LeafShortMany} {
		chunk("short primitive", kind, func(l []byte) { put(l[lastShort:], 101) })
		chunk("short geometry", kind, func(l []byte) { put(l[lastShort:], 2<<layout.ShortShiftOf(kind)) })
	}
	wide := 4*layout.ChunkWords + lastShort + 4*layout.ChunkWords
	second := wide - 4*layout.ShortWord - 4*layout.ChunkWords
	chunk("wide short primitive", layout.LeafShortWide, func(l []byte) { put(l[wide:], 101) })
	chunk("wide short geometry", layout.LeafShortWide, func(l []byte) { put(l[wide:], 2<<layout.ShortWideShift) })
	chunk("short geometry in the list", layout.LeafShortWide, func(l []byte) { put(l[4*u32(l):], 2) })
	for name, at := range map[string]int{"first": 0, "second": second} {
		chunk(name+" list of short triangles", layout.LeafShortWide, func(l []byte) { put(l[at:], u32(l[at:])+1) })
		chunk(name+" far list of short triangles", layout.LeafShortWide, func(l []byte) { put(l[at:], 0xfffffff0) })
		chunk(name+" chunk of short triangles with vertices", layout.LeafShortWide, func(l []byte) { put(l[at+4:], u32(l[at+4:])+1) })
		chunk(name+" most geometries of short triangles", layout.LeafShortWide, func(l []byte) { put(l[at+4:], ^uint32(0)) })
		chunk(name+" no geometries of short triangles", layout.LeafShortWide, func(l []byte) { put(l[at+4:], 0) })
	}
	leaf("index of an instance", layout.LeafInstances, layout.InstanceIndex, 61)
	leaf("root of an instance", layout.LeafInstances, layout.InstanceRoot, 10)
	leaf("leaves of an instance", layout.LeafInstances, layout.InstanceLeafBlock, 3)
	leaf("far leaves of an instance", layout.LeafInstances, layout.InstanceLeafBlock, ^uint32(0))
	leaf("height of an instance", layout.LeafInstances, layout.InstanceRoot, layout.RefLeaf)
	return append(out, forgedHeaders(t, rng)...)
}

// forgedHeaders have sizes and counts that do not fit in front of the structure.
func forgedHeaders(t testing.TB, rng *rand.Rand) []forgery {
	var out []forgery
	for _, at := range []int{layout.BlobSerialized, layout.BlobDeserialized, layout.BlobHandleCount} {
		for _, v := range []uint64{0, 1, 8, 64, 1 << 31, 1 << 32, 1 << 36, 1<<63 + 64, ^uint64(0), ^uint64(0) - 15} {
			for kind := range uint32(seedKinds) {
				blob := hostBlob(t, randomStructure(rng, kind, 60), [16]byte{})
				binary.LittleEndian.PutUint64(blob[at:], v+binary.LittleEndian.Uint64(blob[at:]))
				if v == 0 {
					binary.LittleEndian.PutUint64(blob[at:], uint64(3+kind))
				}
				sign(blob)
				out = append(out, forgery{"header", blob})
			}
		}
	}
	return out
}

// TestForgeries refuses blobs with right checksums and wrong trees.
func TestForgeries(t *testing.T) {
	for i, f := range forgeries(t) {
		if err := inspect.ValidateSerialized(f.blob); !errors.Is(err, inspect.ErrInvalidBlob) {
			t.Errorf("%d, %s: %v", i, f.name, err)
		}
	}
}

// TestSerializedHeader reads a header and replaces handles.
func TestSerializedHeader(t *testing.T) {
	blob := hostBlob(t, randomStructure(rand.New(rand.NewPCG(1, 1)), layout.LeafInstances, 3), [16]byte{7, 8})
	h, err := inspect.ReadSerializedHeader(blob)
	if err != nil {
		t.Fatal(err)
	}
	if h.Driver != [16]byte{7, 8} || h.Compatibility != layout.Compatibility || h.SerializedSize != uint64(len(blob)) ||
		len(h.Handles) != 4 ||
		h.Handles[0] != 256 || h.Handles[2] != 768 || h.Handles[3] != 0 || h.DeserializedSize != uint64(len(blob))-layout.BodyOffset(4) {
		t.Errorf("%+v", h)
	}
	if err := inspect.SetHandles(blob, []vk.DeviceAddress{5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	if h, err = inspect.ReadSerializedHeader(blob); err != nil || h.Handles[3] != 8 || inspect.ValidateSerialized(blob) != nil {
		t.Errorf("%+v, %v, %v", h, err, inspect.ValidateSerialized(blob))
	}
	if err := inspect.SetHandles(blob, nil); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("too few handles: %v", err)
	}
	if inspect.CheckSerialized(blob[:31]) || !inspect.CheckSerialized(blob[:32]) {
		t.Error("32 bytes are enough to tell, and needed")
	}
}

// FuzzSerialized looks for blobs that the reader accepts and should not, and for panics. Half of the inputs get a right
// checksum, for nothing else would come past it.
func FuzzSerialized(f *testing.F) {
	for _, b := range seedBlobs(f) {
		if len(b) < 8192 {
			f.Add(b, true)
			f.Add(b, false)
		}
	}
	f.Fuzz(func(t *testing.T, input []byte, signed bool) {
		blob := bytes.Clone(input)
		if signed {
			sign(blob)
		}
		if err := inspect.ValidateSerialized(blob); err != nil {
			if !errors.Is(err, inspect.ErrInvalidBlob) && !errors.Is(err, inspect.ErrIncompatible) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		h, err := inspect.ReadSerializedHeader(blob)
		if err != nil {
			t.Fatal(err)
		}
		s, err := inspect.Decode(blob[layout.BodyOffset(uint64(len(h.Handles))):h.SerializedSize])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Contents(); err != nil {
			t.Fatal(err)
		}
		walkAccepted(t, s)
		if _, err := s.Quality(2); err != nil && !errors.Is(err, inspect.ErrInvalidStructure) {
			t.Fatalf("quality: an error of another kind: %v", err)
		}
	})
}

// walkAccepted follows all references of a structure that was accepted, like a ray that hits everything.
func walkAccepted(t *testing.T, s *inspect.Structure) {
	stack := []uint32{s.Root}
	if s.Root == layout.RefNone {
		return
	}
	var records, steps uint32
	next := s.Root // going back through postorder
	for len(stack) > 0 {
		if steps++; steps > 2*s.Active {
			t.Fatalf("more than %d steps over %d leaf records", steps, s.Active)
		}
		ref := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if ref&layout.RefLeaf != 0 {
			last := ref&layout.RefIndexMask + ref>>layout.RefCountShift&layout.RefCountMask
			if last >= s.Active {
				t.Fatalf("record %d of %d", last, s.Active)
			}
			records += ref>>layout.RefCountShift&layout.RefCountMask + 1
			continue
		}
		if s.Flags&vk.AllowUpdate != 0 && ref != next {
			t.Fatalf("node %d is not in postorder", ref)
		}
		next--
		_, refs, _ := s.Children(ref)
		stack = append(stack, refs[0], refs[1])
	}
	if records != s.Active {
		t.Fatalf("%d records of %d", records, s.Active)
	}
}
