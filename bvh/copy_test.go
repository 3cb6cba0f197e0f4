package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestCopyLayoutMatchesGLSL holds the constants of copies against shaders/bvh/copy/copy.glsl.
func TestCopyLayoutMatchesGLSL(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/copy/copy.glsl"), map[string]uint64{
		"ER_COPY_SIZE": copyRecordSize, "ER_PLAN_SIZE": copyPlanSize, "ER_COPY_READY": copyReady,
		"ER_COPY_CHUNKS": copyChunks, "ER_COMPACT_LEAF": layout.CompactLeaf, "ER_COMPACT_MOST": layout.CompactMost,
		"ER_COMPACT_BYTES": layout.CompactBytes,
		"ER_COPY_CLONE":    uint64(vk.CopyClone), "ER_COPY_COMPACT": uint64(vk.CopyCompact),
		"ER_COPY_SERIALIZE":   uint64(vk.CopySerialize),
		"ER_COPY_DESERIALIZE": uint64(vk.CopyDeserialize), "ER_COPY_QUERY_COMPACTED": queryMode + uint64(CompactedSize),
		"ER_COPY_QUERY_CURRENT":    queryMode + uint64(CurrentSize),
		"ER_COPY_QUERY_SERIALIZED": queryMode + uint64(SerializedSize),
		"ER_COPY_QUERY_POINTERS":   queryMode + uint64(BottomLevelPointers),
		"ER_STATUS_OK":             uint64(CopyOK), "ER_STATUS_NOT_A_STRUCTURE": uint64(CopyNotAStructure),
		"ER_STATUS_NO_ROOM":      uint64(CopyNoRoom),
		"ER_STATUS_INCOMPATIBLE": uint64(CopyIncompatible), "ER_STATUS_TRUNCATED": uint64(CopyTruncated),
		"ER_STATUS_BAD_HEADER": uint64(CopyBadHeader),
		"ER_STATUS_BAD_NODE":   uint64(CopyBadNode), "ER_STATUS_BAD_LEAF": uint64(CopyBadLeaf),
		"ER_STATUS_BAD_CHECKSUM": uint64(CopyBadChecksum),
		"ER_STATUS_BAD_HANDLE":   uint64(CopyBadHandle),
		"ER_BLOB_HANDLES":        layout.BlobHandles, "ER_BLOB_SIZE": layout.BlobSize, "ER_BLOB_MAGIC": layout.BlobMagicWord,
		"ER_BLOB_VERSION":  layout.BlobVersion,
		"ER_HEIGHT_BOTTOM": layout.MostHeightBottom, "ER_HEIGHT_TOP": layout.MostHeightTop,
	})
}

// guard is what tests put behind the memory that a copy may write.
const guard = 0xa5

// room makes a buffer of size bytes with guard bytes behind, which are checked at the test's end.
func (r *rig) room(name string, size uint64) Range {
	r.Helper()
	const behind = 512
	b := r.buffer(name, size+behind)
	if err := r.dev.UploadBuffer(r.Context(), b, 0, bytes.Repeat([]byte{guard}, int(size+behind))); err != nil {
		r.Fatal(err)
	}
	return Range{Buffer: b, Size: size}
}

// bytesOf reads a range and checks the guard behind it.
func (r *rig) bytesOf(m Range) []byte {
	r.Helper()
	data := make([]byte, m.Buffer.Size())
	if err := r.dev.ReadBuffer(r.Context(), bufferOf(m.Buffer), 0, data); err != nil {
		r.Fatal(err)
	}
	for i, b := range data[m.Offset+m.Size:] {
		if b != guard {
			r.Fatalf("%q: byte %d behind %d is written", m.Buffer.Name(), i, m.Size)
		}
	}
	return data[m.Offset : m.Offset+m.Size]
}

// copyAll runs copies as one batch and returns their statuses.
func (r *rig) copyAll(copies ...Copy) []CopyStatus {
	r.Helper()
	status := r.buffer("status", uint64(4*len(copies)))
	for i := range copies {
		copies[i].Status = status.Address() + uint64(4*i)
	}
	err := r.dev.Run(r.Context(), "copies", func(cb *vk.CommandBuffer) error { return r.builder.CmdCopy(cb, copies) })
	if err != nil {
		r.Fatal(err)
	}
	data := make([]byte, 4*len(copies))
	if err := r.dev.ReadBuffer(r.Context(), status, 0, data); err != nil {
		r.Fatal(err)
	}
	out := make([]CopyStatus, len(copies))
	for i := range out {
		out[i] = CopyStatus(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

// properties asks one property of several structures.
func (r *rig) properties(p Property, structures ...Range) []uint64 {
	r.Helper()
	to := r.buffer("properties", uint64(PropertySize*len(structures)+PropertySize))
	err := r.dev.Run(r.Context(), "properties", func(cb *vk.CommandBuffer) error {
		return r.builder.CmdWriteProperties(cb, structures, p, to, PropertySize)
	})
	if err != nil {
		r.Fatal(err)
	}
	data := make([]byte, to.Size())
	if err := r.dev.ReadBuffer(r.Context(), to, 0, data); err != nil {
		r.Fatal(err)
	}
	out := make([]uint64, len(structures))
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(data[PropertySize*(i+1):])
	}
	return out
}

// sizeOf is the property that says how large a copy of some mode is.
func sizeOf(m vk.CopyMode) Property {
	switch m {
	case vk.CopyCompact:
		return CompactedSize
	case vk.CopySerialize:
		return SerializedSize
	}
	return CurrentSize
}

// copied copies structures into memory of exactly the size that the query says.
func (r *rig) copied(mode vk.CopyMode, src ...Range) []Range {
	r.Helper()
	var sizes []uint64
	if mode == vk.CopyDeserialize {
		for _, s := range src {
			h, err := inspect.ReadSerializedHeader(r.bytesOf(s))
			if err != nil {
				r.Fatal(err)
			}
			sizes = append(sizes, h.DeserializedSize)
		}
	} else {
		sizes = r.properties(sizeOf(mode), src...)
	}
	var copies []Copy
	var out []Range
	for i, s := range src {
		dst := r.room(fmt.Sprintf("copy %d of mode %d", i, mode), sizes[i])
		out = append(out, dst)
		copies = append(copies, Copy{Mode: mode, Src: s, Dst: dst})
	}
	for i, status := range r.copyAll(copies...) {
		if status != CopyOK {
			r.Fatalf("copy %d of mode %d: %v", i, mode, status)
		}
	}
	return out
}

// whole is a buffer as a range.
func whole(b *vk.Buffer) Range { return Range{Buffer: b} }

func (r *rig) decoded(m Range) *inspect.Structure {
	r.Helper()
	s, err := inspect.Decode(r.bytesOf(m))
	if err != nil {
		r.Fatal(err)
	}
	if s.CurrentSize() != m.Size || s.Address != m.Address() {
		r.Errorf("structure of %d bytes for %#x in %d bytes at %#x", s.Bytes, s.Address, m.Size, m.Address())
	}
	if _, err := s.Validate(); err != nil {
		r.Error(err)
	}
	return s
}

// copyInputs are bottom levels of all kinds and sizes.
func (r *rig) copyInputs(rng *rand.Rand) []input {
	var in []input
	for _, kind := range buildKinds {
		for _, n := range []int{0, 1, 2, 3, 17, 1000, 5000} {
			s := randomSoup(rng, n, 0.1)
			for i := range n / 8 { // inactive ones, and equal ones, which become leaves of several
				s[9*(8*i)] = float32(math.NaN())
				copy(s[9*(8*i+1):9*(8*i+2)], s[9*(8*i+2):])
			}
			in = append(in, r.soupInput(s, kind.flags|vk.AllowCompaction, vk.GeometryFlags(n%2)))
		}
	}
	return in
}

// TestCopies traces copies of all modes and their combinations, which must see what the original sees, bit for bit.
func TestCopies(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(21, 22))
	var originals []Range
	for _, b := range r.build(r.copyInputs(rng)...) {
		originals = append(originals, whole(b))
	}
	rays := randomRays(rng, 500)
	hits := func(m Range) []Hit {
		top := r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, m.Address())))[0]
		return r.trace(top, rays, TraceOptions{Candidates: IgnoreOddPrimitives})
	}
	want := make([][]Hit, len(originals))
	for i, o := range originals {
		want[i] = hits(o)
	}
	same := func(name string, copies []Range) []Range {
		for i, c := range copies {
			r.decoded(c)
			if !slices.Equal(hits(c), want[i]) {
				t.Errorf("%s of structure %d: other hits", name, i)
			}
		}
		return copies
	}
	clones := same("clone", r.copied(vk.CopyClone, originals...))
	compacts := same("compact", r.copied(vk.CopyCompact, originals...))
	again := same("compact compact", r.copied(vk.CopyCompact, compacts...))
	same("clone of compact", r.copied(vk.CopyClone, compacts...))
	blobs := r.copied(vk.CopySerialize, originals...)
	loaded := same("deserialised", r.copied(vk.CopyDeserialize, blobs...))
	same("compact of deserialised", r.copied(vk.CopyCompact, loaded...))
	small := r.copied(vk.CopySerialize, compacts...)
	same("deserialised compact", r.copied(vk.CopyDeserialize, small...))
	driver := r.dev.Physical().DriverUUID
	for i := range originals {
		r.compareBlob(blobs[i], clones[i], driver)
		r.compareBlob(small[i], compacts[i], driver)
		if !bytes.Equal(r.bytesOf(compacts[i])[layout.HeaderMagic:], r.bytesOf(again[i])[layout.HeaderMagic:]) {
			t.Errorf("structure %d: compacting again changes something", i)
		}
		if !bytes.Equal(r.bytesOf(blobs[i]), r.bytesOf(r.copied(vk.CopySerialize, loaded[i])[0])) {
			t.Errorf("structure %d: serialising again gives another blob", i)
		}
	}
	for i, n := range r.properties(BottomLevelPointers, originals...) {
		if n != 0 {
			t.Errorf("bottom level %d has %d pointers", i, n)
		}
	}
}

// compareBlob holds a blob against what the host makes of the structure.
func (r *rig) compareBlob(blob, structure Range, driver [16]byte) {
	r.Helper()
	got, want := r.bytesOf(blob), hostBlob(r, r.bytesOf(structure), driver)
	if !bytes.Equal(got, want) {
		r.Errorf("a blob of %d bytes is not what the host makes, of %d", len(got), len(want))
	}
	if err := inspect.ValidateSerialized(got); err != nil {
		r.Error(err)
	}
}

// TestUpdateOfCopies updates copies, which then see what the updated original sees.
func TestUpdateOfCopies(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(25, 26))
	rays := randomRays(rng, 1000)
	for _, kind := range buildKinds {
		m := r.movingSoup(2000, kind.flags|vk.AllowCompaction, false)
		r.fill(m.data, m.make(rng))
		original := r.build(m.input)[0]
		compact := r.copied(vk.CopyCompact, whole(original))[0]
		loaded := r.copied(vk.CopyDeserialize, r.copied(vk.CopySerialize, whole(original))...)[0]
		r.fill(m.data, m.make(rng))
		var updates []Build
		for _, b := range []*vk.Buffer{original, bufferOf(compact.Buffer), bufferOf(loaded.Buffer)} {
			updates = append(updates, r.updateOf(Build{Info: m.info, Ranges: m.ranges, Dst: b}))
		}
		r.run(updates)
		want := r.trace(r.single(original), rays, TraceOptions{})
		for i, c := range []Range{compact, loaded} {
			r.decoded(c)
			if !slices.Equal(r.trace(r.single(bufferOf(c.Buffer)), rays, TraceOptions{}), want) {
				t.Errorf("%s: copy %d sees something else after an update", kind.name, i)
			}
		}
	}
}

// TestCopyStatus has the device refuse what the host cannot see.
func TestCopyStatus(t *testing.T) {
	r := newRig(t)
	sc := r.scene(5)
	zero := r.buffer("zero", 4096)
	if err := r.dev.UploadBuffer(t.Context(), zero, 0, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	size := r.properties(CurrentSize, sc.bottoms[0])[0]
	compact := r.properties(CompactedSize, sc.bottoms[0])[0]
	blobSize := r.properties(SerializedSize, sc.top)[0]
	cut := Range{Buffer: sc.bottoms[0].Buffer, Size: size - 16}
	copies := []Copy{
		{Mode: vk.CopyClone, Src: whole(zero), Dst: r.room("a", 4096)},
		{Mode: vk.CopyCompact, Src: whole(zero), Dst: r.room("b", 4096)},
		{Mode: vk.CopySerialize, Src: whole(zero), Dst: r.room("c", 4096)},
		{Mode: vk.CopyDeserialize, Src: whole(zero), Dst: r.room("d", 4096)},
		{Mode: vk.CopyClone, Src: sc.bottoms[0], Dst: r.room("e", size-16)},
		{Mode: vk.CopyCompact, Src: sc.bottoms[0], Dst: r.room("f", compact-16)},
		{Mode: vk.CopySerialize, Src: sc.top, Dst: r.room("g", blobSize-16)},
		{Mode: vk.CopyClone, Src: cut, Dst: r.room("h", size)},
		{Mode: vk.CopyCompact, Src: cut, Dst: r.room("i", size)},
		{Mode: vk.CopySerialize, Src: cut, Dst: r.room("j", size+1000)},
		{Mode: vk.CopyDeserialize, Src: r.copied(vk.CopySerialize, sc.top)[0],
			Dst: r.room("k", r.properties(CurrentSize, sc.top)[0]-16)},
	}
	want := []CopyStatus{CopyNotAStructure, CopyNotAStructure, CopyNotAStructure, CopyIncompatible, CopyNoRoom, CopyNoRoom, CopyNoRoom,
		CopyTruncated, CopyTruncated, CopyTruncated, CopyNoRoom}
	for i, got := range r.copyAll(copies...) {
		if got != want[i] {
			t.Errorf("copy %d of mode %d: %v, want %v", i, copies[i].Mode, got, want[i])
		}
		r.refused(fmt.Sprintf("copy %d", i), copies[i])
	}
	for p := range BottomLevelPointers + 1 {
		if v := r.properties(p, whole(zero), sc.bottoms[0])[0]; v != 0 {
			t.Errorf("property %d of zeros is %d", p, v)
		}
	}
}

// refused checks what a copy leaves that the device has refused.
func (r *rig) refused(name string, c Copy) {
	r.Helper()
	data := r.bytesOf(c.Dst)
	if c.Mode == vk.CopySerialize {
		if inspect.ValidateSerialized(data) == nil {
			r.Errorf("%s left a blob", name)
		}
		return
	}
	s, err := inspect.Decode(data)
	if err != nil {
		r.Errorf("%s: %v", name, err)
		return
	}
	if _, err := s.Validate(); err != nil || s.Root != layout.RefNone || s.Active != 0 || s.Address != c.Dst.Address() {
		r.Errorf("%s left %+v, %v", name, s, err)
	}
}

// TestCopyErrors refuses what the host can see.
func TestCopyErrors(t *testing.T) {
	r := newRig(t)
	a, b := r.buffer("a", 4096), r.buffer("b", 4096)
	good := Copy{Mode: vk.CopyClone, Src: Range{Buffer: a, Size: 1024}, Dst: Range{Buffer: b, Size: 1024}}
	for name, f := range map[string]func(c *Copy){
		"mode":             func(c *Copy) { c.Mode = 4 },
		"no source":        func(c *Copy) { c.Src.Buffer = nil },
		"no destination":   func(c *Copy) { c.Dst.Buffer = nil },
		"unaligned source": func(c *Copy) { c.Src.Offset = 64 },
		"unaligned":        func(c *Copy) { c.Dst.Offset = 128 },
		"beyond":           func(c *Copy) { c.Dst.Offset = 4096 },
		"wrapping":         func(c *Copy) { c.Src.Offset, c.Src.Size = 256, math.MaxUint64 },
		"smaller":          func(c *Copy) { c.Dst.Size = 768 },
		"no header":        func(c *Copy) { c.Mode, c.Dst.Size = vk.CopyCompact, 128 },
		"no blob":          func(c *Copy) { c.Mode, c.Dst.Size = vk.CopySerialize, 256 },
		"no blob header":   func(c *Copy) { c.Mode, c.Src.Size = vk.CopyDeserialize, 48 },
		"overlap":          func(c *Copy) { c.Dst = Range{Buffer: a, Offset: 768, Size: 1024} },
		"status":           func(c *Copy) { c.Status = 2 },
	} {
		c := good
		f(&c)
		err := r.dev.Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error { return r.builder.CmdCopy(cb, []Copy{good, c}) })
		if !errors.Is(err, ErrInvalidCopy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func(cb *vk.CommandBuffer) error{
		"property": func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{whole(a)}, 4, b, 0)
		},
		"no buffer": func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{whole(a)}, 0, nil, 0)
		},
		"offset": func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{whole(a)}, 0, b, 4)
		},
		"beyond": func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{whole(a)}, 0, b, 4096)
		},
		"no memory": func(cb *vk.CommandBuffer) error { return r.builder.CmdWriteProperties(cb, []Range{{}}, 0, b, 0) },
		"small range": func(cb *vk.CommandBuffer) error {
			return r.builder.CmdWriteProperties(cb, []Range{{Buffer: a, Size: 64}}, 0, b, 0)
		},
	} {
		if err := r.dev.Run(t.Context(), "refused", f); !errors.Is(err, ErrInvalidCopy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
