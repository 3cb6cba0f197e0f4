package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// hostCopied does copies by several joiners.
func hostCopied(t testing.TB, copies ...HostCopy) {
	t.Helper()
	o, err := HostCopies(copies)
	if err != nil {
		t.Fatal(err)
	}
	runHost(t, o, 3)
}

// sameCopiesByHost holds copies of all modes by the host against those of the device, byte by byte, and the properties.
func (r *rig) sameCopiesByHost(what string, list ...Range) {
	r.Helper()
	driver := r.dev.Physical().DriverUUID
	structures := make([][]byte, len(list))
	for i, m := range list {
		structures[i] = r.dataOf(m)
	}
	for p := CompactedSize; p <= BottomLevelPointers; p++ {
		for i, want := range r.properties(p, list...) {
			if got, err := HostProperty(structures[i], p); err != nil || got != want {
				r.Errorf("%s %d: property %d is %d by the host (%v), %d by the device", what, i, p, got, err, want)
			}
		}
	}
	blobs := r.copied(CopySerialize, list...)
	for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact, CopySerialize, CopyDeserialize} {
		from, ranges := structures, list
		if mode == CopyDeserialize {
			ranges, from = blobs, nil
			for _, b := range blobs {
				from = append(from, r.bytesOf(b))
			}
		}
		var copies []HostCopy
		var want [][]byte
		for i, m := range r.copied(mode, ranges...) {
			want = append(want, r.bytesOf(m))
			c := HostCopy{Mode: mode, Src: from[i], Dst: bytes.Repeat([]byte{guard}, len(want[i])+64), Driver: driver}
			if mode != CopySerialize {
				c.Address = m.Address()
			}
			copies = append(copies, c)
		}
		hostCopied(r, copies...)
		for i, c := range copies {
			if !bytes.Equal(c.Dst[:len(want[i])], want[i]) {
				r.Errorf("%s %d: the host's copy of mode %d is not the device's", what, i, mode)
			}
			if bytes.Count(c.Dst[len(want[i]):], []byte{guard}) != 64 {
				r.Errorf("%s %d: mode %d writes behind the copy", what, i, mode)
			}
		}
	}
}

// TestHostCopies copies structures of all kinds and forms by host and device: built, updated, compacted, of many
// geometries, and made by the host.
func TestHostCopies(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(231, 232))
	all := func(what string, buffers ...*vk.Buffer) {
		var list []Range
		for _, b := range buffers {
			list = append(list, whole(b))
		}
		r.sameCopiesByHost(what, list...)
		r.sameCopiesByHost(what+", compacted", r.copied(vk.CopyCompact, list...)...)
	}
	all("soup", r.build(r.copyInputs(rng)...)...)
	for i, m := range compactMeshes(rng) {
		if i%4 != 0 && i > 4 {
			continue
		}
		for flags := range vk.BuildFlags(4) {
			b := r.build(r.sliced(m, 1, flags), r.sliced(m, 70, flags|vk.PreferFastBuild), r.sliced(m, 3, flags|vk.PreferFastTrace))
			all(m.name, b...)
		}
	}
	for _, m := range r.movings() {
		m.info.Flags |= vk.AllowCompaction
		r.fill(m.data, m.make(rng))
		bd := r.prepare(m.input)[0]
		r.run([]Build{bd})
		r.fill(m.data, m.make(rng))
		r.run([]Build{r.updateOf(bd)})
		all(m.name, bufferOf(bd.Dst))
	}
	all("by the host", r.hostBuild(hostMesh(splitSphere(rng).positions, splitSphere(rng).indices, 0)))
}

// TestHostCopiesOfTopLevel deserialises a scene by host and device, with bottom levels there or not, moved or compacted.
func TestHostCopiesOfTopLevel(t *testing.T) {
	r := newRig(t)
	sc := r.scene(200)
	r.sameCopiesByHost("scene", sc.top)
	blob := r.bytesOf(r.copied(CopySerialize, sc.top)[0])
	h, err := ReadSerializedHeader(blob)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[vk.DeviceAddress][]byte{}
	moved := map[vk.DeviceAddress]vk.DeviceAddress{}
	for i, c := range r.copied(vk.CopyCompact, sc.bottoms...) {
		headers[c.Address()] = r.dataOf(c)[:headerSize]
		moved[sc.bottoms[i].Address()] = c.Address()
	}
	for i, a := range h.Handles {
		if h.Handles[i] = moved[a]; i%9 == 0 {
			h.Handles[i] = 0
		}
	}
	for _, ready := range []bool{false, true} {
		top, status := r.load(blob, h.Handles, ready)
		if status != CopyOK {
			t.Fatal(status)
		}
		c := HostCopy{Mode: CopyDeserialize, Src: bytes.Clone(blob), Dst: make([]byte, h.DeserializedSize), Address: top.Address()}
		if err := SetHandles(c.Src, h.Handles); err != nil {
			t.Fatal(err)
		}
		if ready {
			c.BottomLevel = func(a vk.DeviceAddress) []byte { return headers[a] }
		}
		hostCopied(t, c)
		if !bytes.Equal(c.Dst, r.bytesOf(top)[:len(c.Dst)]) {
			t.Errorf("bottom levels ready %v: the host deserialises something else", ready)
		}
	}
	for name, f := range map[string]func(vk.DeviceAddress) []byte{
		"nothing":     func(vk.DeviceAddress) []byte { return nil },
		"not one":     func(vk.DeviceAddress) []byte { return make([]byte, headerSize) },
		"a top level": func(vk.DeviceAddress) []byte { return r.dataOf(sc.top)[:headerSize] },
	} {
		c := HostCopy{Mode: CopyDeserialize, Src: bytes.Clone(blob), Dst: make([]byte, h.DeserializedSize), Address: 256, BottomLevel: f}
		o, err := HostCopies([]HostCopy{c})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); !errors.Is(err, ErrInvalidCopy) || !strings.Contains(err.Error(), "handle ") || !bytes.Equal(c.Dst, make([]byte, len(c.Dst))) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostCopiesRefuse edits copies that are right; nothing is written.
func TestHostCopiesRefuse(t *testing.T) {
	structure := randomStructure(rand.New(rand.NewPCG(233, 234)), leafTriangles, 40)
	blob := hostBlob(t, bytes.Clone(structure), [16]byte{})
	for _, tt := range []struct {
		name  string
		edit  func(c *HostCopy)
		want  error
		joins bool
	}{
		{"mode", func(c *HostCopy) { c.Mode = 7 }, ErrInvalidCopy, false},
		{"no address", func(c *HostCopy) { c.Address = 0 }, ErrInvalidCopy, false},
		{"address", func(c *HostCopy) { c.Address = 64 }, ErrInvalidCopy, false},
		{"itself", func(c *HostCopy) { c.Src = c.Dst }, ErrInvalidCopy, false},
		{"no destination", func(c *HostCopy) { c.Dst = nil }, ErrInvalidCopy, false},
		{"no source", func(c *HostCopy) { c.Src = nil }, ErrNotAStructure, true},
		{"not a structure", func(c *HostCopy) { c.Src = make([]byte, 4096) }, ErrNotAStructure, true},
		{"truncated", func(c *HostCopy) { c.Src = c.Src[:len(c.Src)-16] }, ErrNotAStructure, true},
		{"small clone", func(c *HostCopy) { c.Dst = c.Dst[:len(structure)-1] }, ErrInvalidCopy, true},
		{"small compacted copy", func(c *HostCopy) { c.Mode, c.Dst = vk.CopyCompact, c.Dst[:headerSize] }, ErrInvalidCopy, true},
		{"small blob", func(c *HostCopy) { c.Mode, c.Dst = CopySerialize, c.Dst[:len(blob)-1] }, ErrInvalidCopy, true},
		{"small structure", func(c *HostCopy) { c.Mode, c.Src, c.Dst = CopyDeserialize, blob, c.Dst[:len(structure)-1] }, ErrInvalidCopy, true},
		{"truncated blob", func(c *HostCopy) { c.Mode, c.Src = CopyDeserialize, blob[:len(blob)-1] }, ErrInvalidBlob, true},
		{"foreign blob", func(c *HostCopy) {
			c.Mode, c.Src = CopyDeserialize, bytes.Clone(blob)
			c.Src[blobCompat]++
		}, ErrIncompatible, true},
	} {
		c := HostCopy{Src: structure, Dst: make([]byte, 2*len(blob)), Address: 256}
		tt.edit(&c)
		o, err := HostCopies([]HostCopy{c})
		if tt.joins && err == nil {
			err = o.Run(t.Context())
		} else if tt.joins {
			t.Errorf("%s: refused before it is joined", tt.name)
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		if !bytes.Equal(c.Dst, make([]byte, len(c.Dst))) {
			t.Errorf("%s: something was written", tt.name)
		}
	}
	c := HostCopy{Src: structure, Dst: make([]byte, len(structure)), Address: 256}
	if _, err := HostCopies([]HostCopy{c, c}); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("two copies to one place: %v", err)
	}
	next := HostCopy{Src: c.Dst, Dst: make([]byte, len(structure)), Address: 512}
	if _, err := HostCopies([]HostCopy{c, next}); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("a copy of another one's: %v", err)
	}
	if _, err := HostProperty(structure, 9); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("property 9: %v", err)
	}
}

// FuzzHostCopies copies structures that nobody vouches for: it ends with an error or a copy, never outside of the memory.
func FuzzHostCopies(f *testing.F) {
	rng := rand.New(rand.NewPCG(235, 236))
	for kind := range uint32(seedKinds) {
		for _, n := range []int{0, 1, 5, 70} {
			f.Add(randomStructure(rng, kind, n), uint32(headerRoot), uint32(3))
			f.Add(randomStructure(rng, kind, n), uint32(headerSize+nodeChild0), uint32(1))
		}
	}
	f.Fuzz(func(t *testing.T, structure []byte, at, value uint32) {
		structure = bytes.Clone(structure)
		if uint64(at)+4 <= uint64(len(structure)) {
			binary.LittleEndian.PutUint32(structure[at:], value)
		}
		if s, err := Open(structure); err == nil {
			if _, err := s.Quality(2); err != nil && !errors.Is(err, ErrInvalidStructure) {
				t.Fatalf("quality: an error of another kind: %v", err)
			}
		}
		for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact, CopySerialize} {
			size, err := HostProperty(structure, sizeOf(mode))
			if err != nil {
				continue
			}
			if size > uint64(2*len(structure)+1<<16) {
				continue // of a top level of many instances, say
			}
			c := HostCopy{Mode: mode, Src: structure, Dst: make([]byte, size), Address: 256}
			o, err := HostCopies([]HostCopy{c})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Run(t.Context()); err != nil && !errors.Is(err, ErrNotAStructure) {
				t.Fatalf("mode %d: %v", mode, err)
			}
		}
	})
}
