package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// hostCopied does copies by several joiners.
func hostCopied(t testing.TB, copies ...host.Copy) {
	t.Helper()
	o, err := host.Copies(copies)
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
			if got, err := host.Property(structures[i], p); err != nil || got != want {
				r.Errorf("%s %d: property %d is %d by the host (%v), %d by the device", what, i, p, got, err, want)
			}
		}
	}
	blobs := r.copied(vk.CopySerialize, list...)
	for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact, vk.CopySerialize, vk.CopyDeserialize} {
		from, ranges := structures, list
		if mode == vk.CopyDeserialize {
			ranges, from = blobs, nil
			for _, b := range blobs {
				from = append(from, r.bytesOf(b))
			}
		}
		var copies []host.Copy
		var want [][]byte
		for i, m := range r.copied(mode, ranges...) {
			want = append(want, r.bytesOf(m))
			c := host.Copy{Mode: mode, Src: from[i], Dst: bytes.Repeat([]byte{guard}, len(want[i])+64), Driver: driver}
			if mode != vk.CopySerialize {
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
	blob := r.bytesOf(r.copied(vk.CopySerialize, sc.top)[0])
	h, err := inspect.ReadSerializedHeader(blob)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[vk.DeviceAddress][]byte{}
	moved := map[vk.DeviceAddress]vk.DeviceAddress{}
	for i, c := range r.copied(vk.CopyCompact, sc.bottoms...) {
		headers[c.Address()] = r.dataOf(c)[:layout.HeaderSize]
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
		c := host.Copy{Mode: vk.CopyDeserialize, Src: bytes.Clone(blob), Dst: make([]byte, h.DeserializedSize), Address: top.Address()}
		if err := inspect.SetHandles(c.Src, h.Handles); err != nil {
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
		"not one":     func(vk.DeviceAddress) []byte { return make([]byte, layout.HeaderSize) },
		"a top level": func(vk.DeviceAddress) []byte { return r.dataOf(sc.top)[:layout.HeaderSize] },
	} {
		c := host.Copy{Mode: vk.CopyDeserialize, Src: bytes.Clone(blob), Dst: make([]byte, h.DeserializedSize), Address: 256,
			BottomLevel: f}
		o, err := host.Copies([]host.Copy{c})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); !errors.Is(err, ErrInvalidCopy) || !strings.Contains(err.Error(), "handle ") ||
			!bytes.Equal(c.Dst, make([]byte, len(c.Dst))) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostCopiesRefuse edits copies that are right; nothing is written.
func TestHostCopiesRefuse(t *testing.T) {
	structure := randomStructure(rand.New(rand.NewPCG(233, 234)), layout.LeafTriangles, 40)
	blob := hostBlob(t, bytes.Clone(structure), [16]byte{})
	for _, tt := range []struct {
		name  string
		edit  func(c *host.Copy)
		want  error
		joins bool
	}{
		{"mode", func(c *host.Copy) { c.Mode = 7 }, ErrInvalidCopy, false},
		{"no address", func(c *host.Copy) { c.Address = 0 }, ErrInvalidCopy, false},
		{"address", func(c *host.Copy) { c.Address = 64 }, ErrInvalidCopy, false},
		{"itself", func(c *host.Copy) { c.Src = c.Dst }, ErrInvalidCopy, false},
		{"no destination", func(c *host.Copy) { c.Dst = nil }, ErrInvalidCopy, false},
		{"no source", func(c *host.Copy) { c.Src = nil }, inspect.ErrNotAStructure, true},
		{"not a structure", func(c *host.Copy) { c.Src = make([]byte, 4096) }, inspect.ErrNotAStructure, true},
		{"truncated", func(c *host.Copy) { c.Src = c.Src[:len(c.Src)-16] }, inspect.ErrNotAStructure, true},
		{"small clone", func(c *host.Copy) { c.Dst = c.Dst[:len(structure)-1] }, ErrInvalidCopy, true},
		{"small compacted copy", func(c *host.Copy) { c.Mode, c.Dst = vk.CopyCompact, c.Dst[:layout.HeaderSize] },
			ErrInvalidCopy, true},
		{"small blob", func(c *host.Copy) { c.Mode, c.Dst = vk.CopySerialize, c.Dst[:len(blob)-1] }, ErrInvalidCopy, true},
		{"small structure", func(c *host.Copy) { c.Mode, c.Src, c.Dst = vk.CopyDeserialize, blob, c.Dst[:len(structure)-1] },
			ErrInvalidCopy, true},
		{"truncated blob", func(c *host.Copy) { c.Mode, c.Src = vk.CopyDeserialize, blob[:len(blob)-1] }, inspect.ErrInvalidBlob, true},
		{"foreign blob", func(c *host.Copy) {
			c.Mode, c.Src = vk.CopyDeserialize, bytes.Clone(blob)
			c.Src[layout.BlobCompat]++
		}, inspect.ErrIncompatible, true},
	} {
		c := host.Copy{Src: structure, Dst: make([]byte, 2*len(blob)), Address: 256}
		tt.edit(&c)
		o, err := host.Copies([]host.Copy{c})
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
	c := host.Copy{Src: structure, Dst: make([]byte, len(structure)), Address: 256}
	if _, err := host.Copies([]host.Copy{c, c}); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("two copies to one place: %v", err)
	}
	next := host.Copy{Src: c.Dst, Dst: make([]byte, len(structure)), Address: 512}
	if _, err := host.Copies([]host.Copy{c, next}); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("a copy of another one's: %v", err)
	}
	if _, err := host.Property(structure, 9); !errors.Is(err, ErrInvalidCopy) {
		t.Errorf("property 9: %v", err)
	}
}

// FuzzHostCopies copies structures that nobody vouches for: it ends with an error or a copy, never outside of the memory.
func FuzzHostCopies(f *testing.F) {
	rng := rand.New(rand.NewPCG(235, 236))
	for kind := range uint32(seedKinds) {
		for _, n := range []int{0, 1, 5, 70} {
			f.Add(randomStructure(rng, kind, n), uint32(layout.HeaderRoot), uint32(3))
			f.Add(randomStructure(rng, kind, n), uint32(layout.HeaderSize+layout.NodeChild0), uint32(1))
		}
	}
	f.Fuzz(func(t *testing.T, structure []byte, at, value uint32) {
		structure = bytes.Clone(structure)
		if uint64(at)+4 <= uint64(len(structure)) {
			binary.LittleEndian.PutUint32(structure[at:], value)
		}
		if s, err := inspect.Open(structure); err == nil {
			if _, err := s.Quality(2); err != nil && !errors.Is(err, inspect.ErrInvalidStructure) {
				t.Fatalf("quality: an error of another kind: %v", err)
			}
		}
		for _, mode := range []vk.CopyMode{vk.CopyClone, vk.CopyCompact, vk.CopySerialize} {
			size, err := host.Property(structure, sizeOf(mode))
			if err != nil {
				continue
			}
			if size > uint64(2*len(structure)+1<<16) {
				continue // of a top level of many instances, say
			}
			c := host.Copy{Mode: mode, Src: structure, Dst: make([]byte, size), Address: 256}
			o, err := host.Copies([]host.Copy{c})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Run(t.Context()); err != nil && !errors.Is(err, inspect.ErrNotAStructure) {
				t.Fatalf("mode %d: %v", mode, err)
			}
		}
	})
}
