package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// hostBlob serialises a structure's bytes on the host, as an oracle for the device.
func hostBlob(t testing.TB, structure []byte, driver [16]byte) []byte {
	t.Helper()
	s, err := Decode(bytes.Clone(structure))
	if err != nil {
		t.Fatal(err)
	}
	kind, slots := s.word(headerLeafKind), s.word(headerNodeCount)
	used := make([]bool, slots)
	var walk func(ref uint32)
	walk = func(ref uint32) {
		if ref&refLeaf == 0 {
			used[ref] = true
			_, refs, _ := s.children(ref)
			walk(refs[0])
			walk(refs[1])
		}
	}
	walk(s.Root)
	clear(s.data[headerSelf : headerSelf+8])
	putWord(s.data, headerWide, 0)
	for i, u := range used {
		if !u {
			node := s.data[headerSize+i*nodeSize:][:nodeSize]
			clear(node)
			binary.LittleEndian.PutUint64(node[nodeChild0:], ^uint64(0))
		}
	}
	leaves := s.data[s.leaves:]
	if !isCompacted(kind) {
		clear(leaves[uint64(s.Active)*leafSizeOf(kind):])
	}
	var handles []uint64
	if s.Type == vk.TopLevel {
		handles = make([]uint64, s.Primitives)
		for i := range s.Active {
			record := leaves[i*instanceSize:][:instanceSize]
			handles[binary.LittleEndian.Uint32(record[instanceIndex:])] = binary.LittleEndian.Uint64(record[instanceBLAS:])
			clear(record[instanceBLAS : instanceBLAS+8])
		}
	}
	body := bodyOffset(uint64(len(handles)))
	b := append([]byte{}, driver[:]...)
	b = append(b, compatibility[:]...)
	for _, v := range []uint64{body + s.Bytes, s.Bytes, uint64(len(handles))} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, h := range handles {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	b = append(b, make([]byte, body-uint64(len(b)))...)
	b = append(b, s.data...)
	sign(b)
	return b
}

// sign writes what is between the handles and the structure, with the right checksum, if there is room.
func sign(blob []byte) {
	if len(blob) < blobHandles {
		return
	}
	n := binary.LittleEndian.Uint64(blob[blobHandleCount:])
	if n > uint64(len(blob)) || bodyOffset(n) > uint64(len(blob)) {
		return
	}
	body := bodyOffset(n)
	end := min(binary.LittleEndian.Uint64(blob[blobSerialized:]), uint64(len(blob)))
	if end < body {
		return
	}
	a, b := checksum(blob[body:end])
	for k, w := range []uint32{blobMagicWord, blobVersion, a, b} {
		binary.LittleEndian.PutUint32(blob[body-blobSize+uint64(4*k):], w)
	}
}

// randomStructure makes a structure without a device: a random tree, with some slots unused.
func randomStructure(rng *rand.Rand, kind uint32, n int) []byte {
	slots := max(n-1, 0) + rng.IntN(3)
	leafAt := headerSize + slots*nodeSize
	data := append(make([]byte, leafAt), randomLeaves(rng, kind, n)...)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	numbers := rng.Perm(slots)
	for i := range slots {
		put(headerSize+i*nodeSize+nodeChild0, refNone, refNone)
	}
	// grow makes a subtree over records first to first + n and returns its reference and height.
	var grow func(first, n int) (ref, height uint32)
	grow = func(first, n int) (ref, height uint32) {
		if n == 1 || (kind != leafInstances && n <= 4 && rng.IntN(2) == 0) {
			return uint32(refLeaf | (n-1)<<refCountShift | first), 0
		}
		node := numbers[0]
		numbers = numbers[1:]
		left := 1 + rng.IntN(n-1)
		r0, h0 := grow(first, left)
		r1, h1 := grow(first+left, n-left)
		put(headerSize+node*nodeSize+nodeChild0, r0, r1, uint32(left), uint32(n-left))
		return uint32(node), 1 + max(h0, h1)
	}
	root, height := uint32(refNone), uint32(0)
	if n > 0 {
		root, height = grow(0, n)
	}
	typ, flags := uint32(vk.BottomLevel), uint32(0)
	if kind == leafInstances {
		typ = uint32(vk.TopLevel)
	}
	if kind == leafSourced {
		kind, flags = leafTriangles, sourcedFlags
	}
	put(headerMagic, asMagic, asVersion)
	put(headerCompat, compatWords[:]...)
	put(headerType, typ, flags, 2, uint32(n)+1, uint32(n), root, height, uint32(leafAt/64))
	put(headerNodeCount, uint32(slots))
	put(headerLeafKind, kind)
	put(headerTotalSize, uint32(len(data)))
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
		if err := ValidateSerialized(blob); err != nil {
			t.Fatalf("blob %d: %v", i, err)
		}
		if err := ValidateSerialized(append(bytes.Clone(blob), 1, 2, 3)); err != nil {
			t.Errorf("blob %d, with something behind it: %v", i, err)
		}
		for n := range blob {
			if err := ValidateSerialized(blob[:n:n]); !errors.Is(err, ErrInvalidBlob) {
				t.Fatalf("blob %d cut to %d bytes: %v", i, n, err)
			}
		}
		body := int(bodyOffset(binary.LittleEndian.Uint64(blob[blobHandleCount:])))
		for at := range blob {
			bad := bytes.Clone(blob)
			bad[at] ^= 1 << (at % 8)
			err := ValidateSerialized(bad)
			switch {
			case at < blobCompat, at >= blobHandles && at < body-blobSize, at >= body-blobSize+16 && at < body:
				if err != nil { // driver, handles and padding do not matter
					t.Errorf("blob %d with byte %d changed: %v", i, at, err)
				}
			case at < blobSerialized:
				if !errors.Is(err, ErrIncompatible) || CheckSerialized(bad) {
					t.Errorf("blob %d with byte %d of the compatibility UUID changed: %v", i, at, err)
				}
			case !errors.Is(err, ErrInvalidBlob):
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
		s := blob[bodyOffset(binary.LittleEndian.Uint64(blob[blobHandleCount:])):]
		f(s, func(slot uint32) []byte { return s[headerSize+slot*nodeSize:][:nodeSize] }, binary.LittleEndian.Uint32(s[headerRoot:]))
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
	word("magic", leafTriangles, headerMagic, next)
	word("version", leafTriangles, headerVersion, next)
	word("compatibility", leafTriangles, headerCompat+4, next)
	for kind := range uint32(seedKinds) {
		word("type", kind, headerType, func(v uint32) uint32 { return 1 - v })
		word("unknown type", kind, headerType, all)
		word("leaf kind", kind, headerLeafKind, func(v uint32) uint32 { return (v + 1) % 3 })
		word("unknown leaf kind", kind, headerLeafKind, all)
		word("more nodes", kind, headerNodeCount, next)
		word("all nodes", kind, headerNodeCount, all)
		word("leaf block", kind, headerLeafBlock, next)
		word("far leaf block", kind, headerLeafBlock, all)
		word("more active", kind, headerActive, next)
		word("fewer active", kind, headerActive, func(v uint32) uint32 { return v - 1 })
		word("all active", kind, headerActive, all)
		word("no primitives", kind, headerPrimitives, func(uint32) uint32 { return 0 })
		word("all primitives", kind, headerPrimitives, all)
		word("no root", kind, headerRoot, all)
		word("far root", kind, headerRoot, func(uint32) uint32 { return refIndexMask })
		word("leaf as root", kind, headerRoot, func(uint32) uint32 { return refLeaf })
		word("height 0", kind, headerHeight, func(uint32) uint32 { return 0 })
		word("lower", kind, headerHeight, func(v uint32) uint32 { return v - 1 })
		word("higher", kind, headerHeight, next)
		word("highest", kind, headerHeight, all)
		word("size", kind, headerTotalSize, func(v uint32) uint32 { return v + 16 })
		word("smaller", kind, headerTotalSize, func(v uint32) uint32 { return v - 16 })
		word("no size", kind, headerTotalSize, func(uint32) uint32 { return 0 })
		word("less than a header", kind, headerTotalSize, func(uint32) uint32 { return headerSize - 16 })
		word("odd size", kind, headerTotalSize, next)
		word("huge", kind, headerTotalSize+4, all)
	}
	word("no geometries", leafTriangles, headerGeometryCount, func(uint32) uint32 { return 0 })
	word("all geometries", leafTriangles, headerGeometryCount, all)
	for kind := range uint32(seedKinds) {
		for c := range 2 {
			child := nodeChild0 + 4*c
			on := func(name string, f func(node []byte, root uint32)) {
				add(name, kind, 60, func(_ []byte, node func(uint32) []byte, root uint32) { f(node(root), root) })
			}
			on("root below itself", func(n []byte, root uint32) { put(n[child:], root) })
			on("null child", func(n []byte, _ uint32) { put(n[child:], refNone) })
			on("far node", func(n []byte, _ uint32) { put(n[child:], refIndexMask) })
			on("restore", func(n []byte, _ uint32) { put(n[child:], 0xfffffffe) })
			on("far leaf", func(n []byte, _ uint32) { put(n[child:], 0x8fffffff) })
			on("same child twice", func(n []byte, _ uint32) { copy(n[nodeChild0:nodeChild0+4], n[nodeChild1:]) })
			on("leaf counts", func(n []byte, _ uint32) { put(n[nodeLeaves0+4*c:], u32(n[nodeLeaves0+4*c:])+1) })
			on("no leaves", func(n []byte, _ uint32) { put(n[nodeLeaves0+4*c:], 0) })
			on("blank root", func(n []byte, _ uint32) { put(n[nodeChild0:], refNone); put(n[nodeChild1:], refNone) })
			on("wrapping counts", func(n []byte, _ uint32) {
				put(n[nodeLeaves0:], u32(n[nodeLeaves0:])+1<<31)
				put(n[nodeLeaves1:], u32(n[nodeLeaves1:])+1<<31)
			})
		}
	}
	add("cycle below the root", leafInstances, 60, func(s []byte, node func(uint32) []byte, root uint32) {
		ref := root // down to a node above an inner one, which then refers back up
		for range 2 {
			n := node(ref)
			c := u32(n[nodeChild0:])
			if c&refLeaf != 0 {
				c = u32(n[nodeChild1:])
			}
			if c&refLeaf != 0 {
				break
			}
			put(n[nodeChild0:], ref)
			ref = c
		}
	})
	add("node nobody refers to", leafTriangles, 3, func(s []byte, node func(uint32) []byte, root uint32) {
		put(s[headerRoot:], refLeaf|2<<refCountShift)
		put(s[headerHeight:], 0)
		put(node(0)[nodeChild0:], refLeaf)
		put(node(0)[nodeChild1:], refLeaf|1)
		put(node(0)[nodeLeaves0:], 1)
		put(node(0)[nodeLeaves1:], 1)
	})
	leaf := func(name string, kind uint32, at uint64, v uint32) {
		add(name, kind, 60, func(s []byte, _ func(uint32) []byte, _ uint32) {
			put(s[uint64(u32(s[headerLeafBlock:]))*64+59*leafSizeOf(kind)+at:], v)
		})
	}
	leaf("primitive", leafTriangles, trianglePrimitive, 61)
	leaf("geometry", leafTriangles, triangleGeometry, 2)
	leaf("primitive of a box", leafBoxes, boxPrimitive, 61)
	leaf("geometry of a box", leafBoxes, boxGeometry, triangleOpaque|2)
	chunk := func(name string, kind uint32, change func(leaves []byte)) {
		add(name, kind, 100, func(s []byte, _ func(uint32) []byte, _ uint32) { change(s[uint64(u32(s[headerLeafBlock:]))*64:]) })
	}
	for _, kind := range []uint32{leafIndexed, leafIndexedWide} {
		const record = 4 * indexedWords
		first, second := 4*chunkWords+13*record, 4*chunkWords+chunkRecords*record
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
			chunk("corner", kind, func(l []byte) { l[first+k] = uint8(u32(l[4:]) & chunkVertexMask) })
			chunk("corner in the second chunk", kind, func(l []byte) { l[second+4*chunkWords+record+k] = 255 })
		}
	}
	chunk("indexed geometry", leafIndexed, func(l []byte) { put(l[4*chunkWords:], u32(l[4*chunkWords:])|2<<indexedGeometryShift) })
	chunk("geometries of the narrow form", leafIndexed, func(l []byte) { put(l[4:], u32(l[4:])|1<<chunkGeometryShift) })
	chunk("wide geometry", leafIndexedWide, func(l []byte) { put(l[4*chunkWords:], u32(l[4*chunkWords:])|2<<indexedGeometryShift) })
	chunk("geometry in the list", leafIndexedWide, func(l []byte) { put(l[4*(u32(l)+3*(u32(l[4:])&chunkVertexMask)):], 2) })
	chunk("number of geometries", leafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])+1<<chunkGeometryShift) })
	chunk("most geometries", leafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])|0xffff<<chunkGeometryShift) })
	chunk("no geometries", leafIndexedWide, func(l []byte) { put(l[4:], u32(l[4:])&chunkVertexMask) })
	const lastShort = 4 * (chunkRecords*shortWords + shortWord)
	for _, kind := range []uint32{leafShort, leafShortMany} {
		chunk("short primitive", kind, func(l []byte) { put(l[lastShort:], 101) })
		chunk("short geometry", kind, func(l []byte) { put(l[lastShort:], 2<<shortShiftOf(kind)) })
	}
	wide := 4*chunkWords + lastShort + 4*chunkWords
	second := wide - 4*shortWord - 4*chunkWords
	chunk("wide short primitive", leafShortWide, func(l []byte) { put(l[wide:], 101) })
	chunk("wide short geometry", leafShortWide, func(l []byte) { put(l[wide:], 2<<shortWideShift) })
	chunk("short geometry in the list", leafShortWide, func(l []byte) { put(l[4*u32(l):], 2) })
	for name, at := range map[string]int{"first": 0, "second": second} {
		chunk(name+" list of short triangles", leafShortWide, func(l []byte) { put(l[at:], u32(l[at:])+1) })
		chunk(name+" far list of short triangles", leafShortWide, func(l []byte) { put(l[at:], 0xfffffff0) })
		chunk(name+" chunk of short triangles with vertices", leafShortWide, func(l []byte) { put(l[at+4:], u32(l[at+4:])+1) })
		chunk(name+" most geometries of short triangles", leafShortWide, func(l []byte) { put(l[at+4:], ^uint32(0)) })
		chunk(name+" no geometries of short triangles", leafShortWide, func(l []byte) { put(l[at+4:], 0) })
	}
	leaf("index of an instance", leafInstances, instanceIndex, 61)
	leaf("root of an instance", leafInstances, instanceRoot, 10)
	leaf("leaves of an instance", leafInstances, instanceLeafBlock, 3)
	leaf("far leaves of an instance", leafInstances, instanceLeafBlock, ^uint32(0))
	leaf("height of an instance", leafInstances, instanceRoot, refLeaf)
	return append(out, forgedHeaders(t, rng)...)
}

// forgedHeaders have sizes and counts that do not fit in front of the structure.
func forgedHeaders(t testing.TB, rng *rand.Rand) []forgery {
	var out []forgery
	for _, at := range []int{blobSerialized, blobDeserialized, blobHandleCount} {
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
		if err := ValidateSerialized(f.blob); !errors.Is(err, ErrInvalidBlob) {
			t.Errorf("%d, %s: %v", i, f.name, err)
		}
	}
}

// TestSerializedHeader reads a header and replaces handles.
func TestSerializedHeader(t *testing.T) {
	blob := hostBlob(t, randomStructure(rand.New(rand.NewPCG(1, 1)), leafInstances, 3), [16]byte{7, 8})
	h, err := ReadSerializedHeader(blob)
	if err != nil {
		t.Fatal(err)
	}
	if h.Driver != [16]byte{7, 8} || h.Compatibility != compatibility || h.SerializedSize != uint64(len(blob)) || len(h.Handles) != 4 ||
		h.Handles[0] != 256 || h.Handles[2] != 768 || h.Handles[3] != 0 || h.DeserializedSize != uint64(len(blob))-bodyOffset(4) {
		t.Errorf("%+v", h)
	}
	if err := SetHandles(blob, []vk.DeviceAddress{5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	if h, err = ReadSerializedHeader(blob); err != nil || h.Handles[3] != 8 || ValidateSerialized(blob) != nil {
		t.Errorf("%+v, %v, %v", h, err, ValidateSerialized(blob))
	}
	if err := SetHandles(blob, nil); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("too few handles: %v", err)
	}
	if CheckSerialized(blob[:31]) || !CheckSerialized(blob[:32]) {
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
		if err := ValidateSerialized(blob); err != nil {
			if !errors.Is(err, ErrInvalidBlob) && !errors.Is(err, ErrIncompatible) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		h, err := ReadSerializedHeader(blob)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(blob[bodyOffset(uint64(len(h.Handles))):h.SerializedSize])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Contents(); err != nil {
			t.Fatal(err)
		}
		walkAccepted(t, s)
		if _, err := s.Quality(2); err != nil && !errors.Is(err, ErrInvalidStructure) {
			t.Fatalf("quality: an error of another kind: %v", err)
		}
	})
}

// walkAccepted follows all references of a structure that was accepted, like a ray that hits everything.
func walkAccepted(t *testing.T, s *Structure) {
	stack := []uint32{s.Root}
	if s.Root == refNone {
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
		if ref&refLeaf != 0 {
			last := ref&refIndexMask + ref>>refCountShift&refCountMask
			if last >= s.Active {
				t.Fatalf("record %d of %d", last, s.Active)
			}
			records += ref>>refCountShift&refCountMask + 1
			continue
		}
		if s.Flags&vk.AllowUpdate != 0 && ref != next {
			t.Fatalf("node %d is not in postorder", ref)
		}
		next--
		_, refs, _ := s.children(ref)
		stack = append(stack, refs[0], refs[1])
	}
	if records != s.Active {
		t.Fatalf("%d records of %d", records, s.Active)
	}
}
