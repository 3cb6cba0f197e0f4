package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// scene is a top level over some bottom levels, with null instances, masks and offsets.
type scene struct {
	bottoms   []Range
	instances []vk.AccelerationStructureInstance
	top       Range
	rays      []inspect.Ray
	hits      []Hit
}

func (r *rig) scene(n int) scene {
	rng := rand.New(rand.NewPCG(41, 42))
	var sc scene
	for _, b := range r.build(r.soupInput(randomSoup(rng, 300, 0.2), 0, vk.GeometryOpaque),
		r.soupInput(randomSoup(rng, 40, 0.3), vk.PreferFastBuild, vk.GeometryOpaque),
		r.soupInput(randomSoup(rng, 2, 0.9), 0, vk.GeometryOpaque), r.soupInput(nil, 0, 0)) {
		sc.bottoms = append(sc.bottoms, whole(b))
	}
	for i := range n {
		m := vk.IdentityTransform()
		for k := range 3 {
			m[4*k+k] = 0.2 + 0.3*rng.Float32()
			m[4*k+3] = 2*rng.Float32() - 1
		}
		var address vk.DeviceAddress
		if i%7 != 3 {
			address = sc.bottoms[i%len(sc.bottoms)].Address()
		}
		sc.instances = append(sc.instances, vk.NewAccelerationStructureInstance(m, uint32(i), 0xff, uint32(2*i), 0, address))
	}
	sc.top = whole(r.build(r.topInput(0, sc.instances...))[0])
	sc.rays = randomRays(rng, 2000)
	sc.hits = r.traceRange(sc.top, sc.rays)
	return sc
}

func (r *rig) traceRange(top Range, rays []inspect.Ray) []Hit {
	r.Helper()
	hits, _, err := r.tracer.Trace(r.Context(), top.Address(), rays, TraceOptions{CullMask: 0xff})
	if err != nil {
		r.Fatal(err)
	}
	return hits
}

// load deserialises a blob with other handles into new memory, alone.
func (r *rig) load(blob []byte, handles []vk.DeviceAddress, ready bool) (Range, CopyStatus) {
	r.Helper()
	blob = bytes.Clone(blob)
	if err := inspect.SetHandles(blob, handles); err != nil {
		r.Fatal(err)
	}
	h, err := inspect.ReadSerializedHeader(blob)
	if err != nil {
		r.Fatal(err)
	}
	src := r.room("blob", uint64(len(blob)))
	if err := r.dev.UploadBuffer(r.Context(), bufferOf(src.Buffer), 0, blob); err != nil {
		r.Fatal(err)
	}
	dst := r.room("loaded", h.DeserializedSize)
	return dst, r.copyAll(Copy{Mode: vk.CopyDeserialize, Src: src, Dst: dst, BottomLevelsReady: ready})[0]
}

// TestTopLevelCopies copies a top level, and moves whole scenes with handles fixed before the bottom levels exist.
func TestTopLevelCopies(t *testing.T) {
	r := newRig(t)
	for _, n := range []int{0, 1, 5, 200} {
		sc := r.scene(n)
		for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact} {
			c := r.copied(mode, sc.top)[0]
			r.decoded(c)
			if !slices.Equal(r.traceRange(c, sc.rays), sc.hits) {
				t.Errorf("%d instances, mode %d: other hits", n, mode)
			}
			if p := r.properties(BottomLevelPointers, c)[0]; p != uint64(n) {
				t.Errorf("%d pointers of %d instances", p, n)
			}
		}
		blob := r.bytesOf(r.copied(vk.CopySerialize, sc.top)[0])
		r.compareBlob(r.copied(vk.CopySerialize, sc.top)[0], r.copied(vk.CopyClone, sc.top)[0], r.dev.Physical().DriverUUID)
		h, err := inspect.ReadSerializedHeader(blob)
		if err != nil || len(h.Handles) != n {
			t.Fatalf("%d handles, %v", len(h.Handles), err)
		}
		moved := make([]Range, len(sc.bottoms))
		for i, s := range r.properties(CurrentSize, sc.bottoms...) {
			moved[i] = r.room("moved", s)
		}
		compacts := r.copied(vk.CopyCompact, sc.bottoms...)
		handles, ready := make([]vk.DeviceAddress, n), make([]vk.DeviceAddress, n)
		for i, in := range sc.instances {
			for k, b := range sc.bottoms {
				if in.Reference == b.Address() {
					handles[i], ready[i] = moved[k].Address(), compacts[k].Address()
				}
			}
			if active := in.Reference != 0 && i%len(sc.bottoms) != 3; active != (h.Handles[i] != 0) || active &&
				h.Handles[i] != in.Reference {
				t.Errorf("handle %d is %#x, the instance has %#x", i, h.Handles[i], in.Reference)
			}
		}
		first, status := r.load(blob, handles, false) // before there is any bottom level
		if status != CopyOK {
			t.Fatal(status)
		}
		var copies []Copy
		for i, b := range r.copied(vk.CopySerialize, sc.bottoms...) {
			copies = append(copies, Copy{Mode: vk.CopyDeserialize, Src: b, Dst: moved[i]})
		}
		r.copyAll(copies...)
		if !slices.Equal(r.traceRange(first, sc.rays), sc.hits) {
			t.Errorf("%d instances: other hits after the scene has moved", n)
		}
		other, status := r.load(blob, ready, true)
		if status != CopyOK || !slices.Equal(r.traceRange(other, sc.rays), sc.hits) {
			t.Errorf("%d instances: %v, or other hits with compacted bottom levels", n, status)
		}
		none, status := r.load(blob, make([]vk.DeviceAddress, n), n%2 == 0)
		if status != CopyOK || slices.ContainsFunc(r.traceRange(none, sc.rays),
			func(h Hit) bool { return h.Instance != inspect.NoInstance }) {
			t.Errorf("%d instances: %v, or hits without bottom levels", n, status)
		}
		for i := range ready {
			ready[i] = sc.top.Address()
		}
		if _, status := r.load(blob, ready, true); n > 0 && sc.hits != nil && h.Handles[0] != 0 && status != CopyBadHandle {
			t.Errorf("%d instances of top levels: %v", n, status)
		}
	}
}

// TestDeviceRefusesBlobs gives the device truncated, corrupted, forged and foreign blobs.
func TestDeviceRefusesBlobs(t *testing.T) {
	r := newRig(t)
	var bad []forgery
	for i, blob := range seedBlobs(t) {
		for n := layout.BlobHandles; n < len(blob); n += 16 + n/8 {
			bad = append(bad, forgery{fmt.Sprintf("blob %d cut to %d bytes", i, n), blob[:n:n]})
		}
		body := int(layout.BodyOffset(binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])))
		for at := layout.BlobCompat; at < len(blob); at += 1 + at/16 {
			if at >= layout.BlobHandles && at < body-layout.BlobSize || at >= body-layout.BlobSize+16 && at < body {
				continue
			}
			b := bytes.Clone(blob)
			b[at] ^= 1 << (at % 8)
			bad = append(bad, forgery{fmt.Sprintf("blob %d with byte %d changed", i, at), b})
		}
	}
	t.Logf("%d corrupted, %d forged blobs", len(bad), len(forgeries(t)))
	bad = append(bad, forgeries(t)...)
	r.deserializeAll(bad, func(f forgery, c Copy, status CopyStatus) {
		if status == CopyOK {
			t.Errorf("%s: accepted", f.name)
		}
	})
	var good []forgery
	for i, blob := range seedBlobs(t) {
		good = append(good, forgery{fmt.Sprintf("blob %d", i), blob})
	}
	r.deserializeAll(good, func(f forgery, c Copy, status CopyStatus) {
		if status != CopyOK {
			t.Errorf("%s: %v", f.name, status)
		}
	})
}

// deserializeAll deserialises blobs in one batch, out of one buffer into another, with guards between.
func (r *rig) deserializeAll(blobs []forgery, check func(f forgery, c Copy, status CopyStatus)) {
	r.Helper()
	var from []byte
	var at []uint64
	const each = 16 << 10
	for _, f := range blobs {
		at = append(at, uint64(len(from)))
		from = append(from, f.blob...)
		from = append(from, make([]byte, layout.AlignUp(uint64(len(from)), Alignment)-uint64(len(from)))...)
	}
	src := r.buffer("blobs", uint64(len(from)))
	if err := r.dev.UploadBuffer(r.Context(), src, 0, from); err != nil {
		r.Fatal(err)
	}
	dst := r.room("structures", uint64(len(blobs))*each)
	copies := make([]Copy, len(blobs))
	for i, f := range blobs {
		copies[i] = Copy{Mode: vk.CopyDeserialize, Src: Range{Buffer: src, Offset: at[i], Size: uint64(len(f.blob))},
			Dst: Range{Buffer: dst.Buffer, Offset: uint64(i) * each, Size: each - 512}}
	}
	statuses := r.copyAll(copies...)
	all := r.bytesOf(dst)
	for i, c := range copies {
		check(blobs[i], c, statuses[i])
		if slices.ContainsFunc(all[c.Dst.Offset+c.Dst.Size:][:512], func(b byte) bool { return b != guard }) {
			r.Errorf("%s: written behind the destination", blobs[i].name)
		}
		s, err := inspect.Decode(all[c.Dst.Offset:][:c.Dst.Size])
		if err != nil || s.Address != c.Dst.Address() || statuses[i] != CopyOK && (s.Root != layout.RefNone || s.Active != 0) {
			r.Errorf("%s: left %v, %+v", blobs[i].name, err, s)
		}
	}
}

// TestRefusedBlobIsSafe points instances at a structure that a refused blob has left: rays end there, whatever the
// instance's copy of the root was.
func TestRefusedBlobIsSafe(t *testing.T) {
	r := newRig(t)
	sc := r.scene(40)
	top := r.bytesOf(r.copied(vk.CopySerialize, sc.top)[0])
	var copies []Copy
	handles := make([]vk.DeviceAddress, len(sc.instances))
	for k, b := range r.copied(vk.CopySerialize, sc.bottoms...) {
		blob := r.bytesOf(b)
		blob[len(blob)-1] ^= 1
		if err := r.dev.UploadBuffer(t.Context(), bufferOf(b.Buffer), 0, blob); err != nil {
			t.Fatal(err)
		}
		dst := r.room("refused", r.properties(CurrentSize, sc.bottoms[k])[0])
		copies = append(copies, Copy{Mode: vk.CopyDeserialize, Src: b, Dst: dst})
		for i, in := range sc.instances {
			if in.Reference == sc.bottoms[k].Address() {
				handles[i] = dst.Address()
			}
		}
	}
	loaded, status := r.load(top, handles, false)
	if status != CopyOK {
		t.Fatal(status)
	}
	for i, s := range r.copyAll(copies...) {
		if s != CopyBadChecksum {
			t.Errorf("bottom level %d: %v", i, s)
		}
	}
	for i, h := range r.traceRange(loaded, sc.rays) {
		if h.Instance != inspect.NoInstance {
			t.Fatalf("ray %d hits %+v", i, h)
		}
	}
}

// TestDeviceAgreesWithHost changes words of blobs at random and gives them a right checksum: the device accepts what the
// host accepts, and nothing else.
func TestDeviceAgreesWithHost(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(51, 52))
	seeds := seedBlobs(t)
	var blobs []forgery
	for i := range 3000 {
		blob := bytes.Clone(seeds[rng.IntN(len(seeds))])
		body := int(layout.BodyOffset(binary.LittleEndian.Uint64(blob[layout.BlobHandleCount:])))
		for range 1 + rng.IntN(3) {
			at := body + 4*rng.IntN(layout.HeaderSize/4)
			if rng.IntN(2) == 0 {
				at = body + 4*rng.IntN((len(blob)-body)/4)
			}
			v := binary.LittleEndian.Uint32(blob[at:])
			switch rng.IntN(4) {
			case 0:
				v ^= 1 << rng.IntN(32)
			case 1:
				v = uint32(rng.IntN(64))
			case 2:
				v += uint32(rng.IntN(5)) - 2
			case 3: // another word of the blob
				v = binary.LittleEndian.Uint32(blob[body+4*rng.IntN((len(blob)-body)/4):])
			}
			binary.LittleEndian.PutUint32(blob[at:], v)
		}
		sign(blob)
		blobs = append(blobs, forgery{fmt.Sprintf("mutation %d", i), blob})
	}
	accepted := 0
	r.deserializeAll(blobs, func(f forgery, c Copy, status CopyStatus) {
		err := inspect.ValidateSerialized(f.blob)
		if (err == nil) != (status == CopyOK) {
			t.Errorf("%s: the host says %v, the device %v", f.name, err, status)
		}
		if err == nil {
			accepted++
		}
	})
	t.Logf("%d of %d accepted", accepted, len(blobs))
	if accepted == 0 || accepted == len(blobs) {
		t.Error("one answer for all")
	}
}
