package engine

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// eachBackend runs a test in both ways, with a sheet whose structures may be updated and compacted.
func eachBackend(t *testing.T, test func(t *testing.T, s *sheet)) {
	for _, backend := range []Backend{BackendNative, BackendCompute} {
		t.Run(backend.String(), func(t *testing.T) {
			s := newSheet(t, openBackend(t, backend))
			s.mesh.Info.Flags |= vk.AllowCompaction
			s.top.Info.Flags |= vk.AllowCompaction
			s.wave(1) // on flat ground, rays meet edges
			test(t, s)
		})
	}
}

func (s *sheet) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// over builds a top level structure over three instances of another.
func (s *sheet) over(blas *AccelerationStructure) *AccelerationStructure {
	s.t.Helper()
	s.place(1, blas)
	return s.build(s.top)
}

// hits traces rays through a top level structure.
func (s *sheet) hits(tlas *AccelerationStructure) []Hit {
	s.t.Helper()
	s.x.structure = tlas
	hits, err := s.x.Trace(s.t.Context(), sheetRays())
	s.check(err)
	return hits
}

func (s *sheet) property(p Property, list ...*AccelerationStructure) []uint64 {
	s.t.Helper()
	values, err := s.dev.Properties(s.t.Context(), list, p)
	s.check(err)
	return values
}

func (s *sheet) cleanup(list ...*AccelerationStructure) {
	s.t.Cleanup(func() { destroyAll(list) })
}

// compareHits wants the same hits, but for rays at edges where few says how many.
func compareHits(t *testing.T, name string, got, want []Hit, few int) {
	t.Helper()
	hit, differ := 0, 0
	for i, w := range want {
		if w.OK {
			hit++
		}
		g := got[i]
		if few == 0 && g == w {
			continue
		}
		d := float64(g.T - w.T)
		same := g.OK == w.OK && g.Mesh == w.Mesh && g.Triangle == w.Triangle && g.Front == w.Front
		if few == 0 || !same || max(d, -d) > 1e-5*float64(w.T) {
			if differ++; differ < 3 {
				t.Logf("%s: ray %d: %+v, want %+v", name, i, g, w)
			}
		}
	}
	if differ > few || hit < 1000 {
		t.Errorf("%s: %d of %d rays differ, %d hit", name, differ, len(want), hit)
	}
}

// TestCopiesHitTheSame clones and compacts both levels, natively and by compute: hits stay, bit for bit.
func TestCopiesHitTheSame(t *testing.T) {
	results := map[Backend][]Hit{}
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		tlas := s.over(blas)
		want := s.hits(tlas)
		results[s.dev.Backend()] = want

		clones, err := s.dev.Clone(t.Context(), []*AccelerationStructure{blas, tlas})
		s.check(err)
		s.cleanup(clones...)
		if clones[0].Address() == blas.Address() || clones[0].Size() != blas.Size() {
			t.Errorf("the clone has address %#x and %d bytes, the original %#x and %d", clones[0].Address(), clones[0].Size(),
				blas.Address(), blas.Size())
		}
		compareHits(t, "cloned top level", s.hits(clones[1]), want, 0)
		compareHits(t, "cloned bottom level", s.hits(s.over(clones[0])), want, 0)

		// The command, with a size that was asked for.
		size := s.property(PropertyCompactedSize, blas)[0]
		small, err := s.dev.NewAccelerationStructure(vk.BottomLevel, size, "small")
		s.check(err)
		s.cleanup(small)
		s.check(s.dev.Run(t.Context(), "compact", func(cb *vk.CommandBuffer) error {
			return s.dev.CmdCopyAccelerationStructures(cb, []Copy{{Mode: CopyCompact, Src: blas, Dst: small}})
		}))
		compareHits(t, "compacted bottom level", s.hits(s.over(small)), want, 0)
	})
	if len(results) == 2 {
		compareHits(t, "native and compute", results[BackendCompute], results[BackendNative], 8)
	}
}

// TestCompact swaps structures for smaller ones.
func TestCompact(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		want := s.hits(s.over(blas))
		list := []*AccelerationStructure{blas, s.build(s.mesh)}
		before, address := blas.Size(), blas.Address()
		report, err := s.dev.Compact(t.Context(), list)
		s.check(err)
		t.Logf("%d bytes, %d after, %+v", before, blas.Size(), report)
		if report.Before != 2*before || report.After != 2*blas.Size() || report.Compacted > 0 != (blas.Size() < before) ||
			(report.Compacted == 0) != (blas.Address() == address) {
			t.Errorf("report %+v, %d bytes at %#x became %d at %#x", report, before, address, blas.Size(), blas.Address())
		}
		if s.dev.Backend() == BackendCompute && report.Compacted != 2 {
			t.Errorf("%d of 2 structures became smaller", report.Compacted)
		}
		tlas := s.over(blas)
		_, err = s.dev.Compact(t.Context(), []*AccelerationStructure{tlas})
		s.check(err)
		compareHits(t, "compacted", s.hits(tlas), want, 0)
		again, err := s.dev.Compact(t.Context(), list)
		s.check(err)
		if again.Compacted != 0 || again.After != report.After {
			t.Errorf("compacted twice: %+v after %+v", again, report)
		}

		// An update works on the compacted structure as on any.
		s.wave(2)
		in := s.mesh
		in.Info.Update, in.Dst = true, blas
		s.build(in)
		updated := s.hits(s.over(blas))
		compareHits(t, "updated", updated, s.hits(s.over(s.build(s.mesh))), 8)
		if slices.Equal(updated, want) {
			t.Error("the update changed nothing")
		}
	})
}

// TestCompactRefuses wants structures that were built for it, each once.
func TestCompactRefuses(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		good := s.build(s.mesh)
		s.mesh.Info.Flags = 0
		rigid := s.build(s.mesh)
		size := rigid.Size()
		tests := []struct {
			name string
			list []*AccelerationStructure
			want string
		}{
			{"flag", []*AccelerationStructure{good, rigid}, `structure 1, "sheet" was built without AllowCompaction in Info.Flags`},
			{"twice", []*AccelerationStructure{good, good}, "structures 0 and 1 are the same"},
			{"nil", []*AccelerationStructure{nil}, "structure 0 is nil"},
		}
		for _, tt := range tests {
			if _, err := s.dev.Compact(t.Context(), tt.list); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want ErrInvalid with %q", tt.name, err, tt.want)
			}
		}
		clones, err := s.dev.Clone(t.Context(), []*AccelerationStructure{rigid}) // a copy inherits
		s.check(err)
		s.cleanup(clones...)
		if _, err := s.dev.Compact(t.Context(), clones); !errors.Is(err, ErrInvalid) {
			t.Errorf("the clone of a structure built without AllowCompaction: %v", err)
		}
		if rigid.Size() != size {
			t.Errorf("a refused structure has %d bytes, it had %d", rigid.Size(), size)
		}
		if r, err := s.dev.Compact(t.Context(), nil); err != nil || r != (CompactReport{}) {
			t.Errorf("nothing to compact: %+v, %v", r, err)
		}
	})
}

// TestProperties compares the answers with each other, and those in a buffer with those of the host.
func TestProperties(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		tlas := s.over(blas)
		list := []*AccelerationStructure{blas, tlas}
		compacted, serialized := s.property(PropertyCompactedSize, list...), s.property(PropertySerializedSize, list...)
		blobs, err := s.dev.Serialize(t.Context(), list)
		s.check(err)
		for i, a := range list {
			h, err := ReadSerializedHeader(blobs[i])
			s.check(err)
			t.Logf("%v: %d bytes, compacted %d, serialised %d, deserialised %d", a.Type(), a.Size(), compacted[i], serialized[i],
				h.DeserializedSize)
			if compacted[i] == 0 || compacted[i] > a.Size() || serialized[i] != h.SerializedSize || serialized[i] != uint64(len(blobs[i])) {
				t.Errorf("%v of %d bytes: compacted %d, serialised %d, header %+v", a.Type(), a.Size(), compacted[i], serialized[i], h)
			}
		}
		buffer, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "answers", Size: 64, Memory: vk.Readback})
		s.check(err)
		defer buffer.Destroy()
		for i := range buffer.Mapped() {
			buffer.Mapped()[i] = 0xa5
		}
		s.check(s.dev.Run(t.Context(), "properties", func(cb *vk.CommandBuffer) error {
			return s.dev.CmdWriteProperties(cb, list, PropertySerializedSize, buffer, 16)
		}))
		want := bytes.Repeat([]byte{0xa5}, 64)
		copy(want[16:], wordBytes(serialized...))
		if !bytes.Equal(buffer.Mapped(), want) {
			t.Errorf("the buffer holds %x, want %x", buffer.Mapped(), want)
		}
		s.propertiesInSecondary(list, buffer, want)
		if !s.dev.Limits().SizeProperties {
			if _, err := s.dev.Properties(t.Context(), list, PropertyCurrentSize); !errors.Is(err, vk.ErrMissingFeature) {
				t.Errorf("the device has no current size: %v", err)
			}
			return
		}
		if p := s.property(PropertyBottomLevelPointers, list...); p[0] != 0 || p[1] == 0 || p[1] > 3 {
			t.Errorf("%d bottom level pointers, want 0 and 1 to 3", p)
		}
		for i, size := range s.property(PropertyCurrentSize, list...) {
			if size < compacted[i] || size > list[i].Size() {
				t.Errorf("%v: %d bytes in use, %d compacted, storage of %d", list[i].Type(), size, compacted[i], list[i].Size())
			}
		}
	})
}

// propertiesInSecondary asks twice by one recording.
func (s *sheet) propertiesInSecondary(list []*AccelerationStructure, buffer *vk.Buffer, want []byte) {
	s.t.Helper()
	clear(buffer.Mapped()[16:32])
	cb, err := s.dev.VK().NewSecondaryCommandBuffer("ask")
	s.check(err)
	defer cb.Destroy()
	s.check(cb.Begin())
	s.dev.CmdBarrier(cb)
	s.check(s.dev.CmdWriteProperties(cb, list, PropertySerializedSize, buffer, 16))
	s.check(cb.End())
	s.check(s.dev.Run(s.t.Context(), "ask twice", func(primary *vk.CommandBuffer) error {
		primary.ExecuteCommands(cb, cb)
		return nil
	}))
	if !bytes.Equal(buffer.Mapped(), want) {
		s.t.Errorf("asked in a secondary command buffer, the buffer holds %x, want %x", buffer.Mapped(), want)
	}
}

// TestCopyRefuses edits copies that are right.
func TestCopyRefuses(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		tlas := s.over(blas)
		clones, err := s.dev.Clone(t.Context(), []*AccelerationStructure{blas, blas})
		s.check(err)
		s.cleanup(clones...)
		same := clones[0]
		large, err := s.dev.NewAccelerationStructure(vk.BottomLevel, blas.Size()+256, "large")
		s.check(err)
		s.cleanup(large)
		s.mesh.Info.Flags = 0
		rigid := s.build(s.mesh)
		memory, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "memory", Size: 1024})
		s.check(err)
		defer memory.Destroy()
		blob := vk.Range{Buffer: memory}
		clone := Copy{Src: blas, Dst: same}
		tests := []struct {
			name   string
			copies []Copy
			want   string
		}{
			{"mode", []Copy{{Mode: 4, Src: blas, Dst: same}}, "Mode is 4"},
			{"source", []Copy{{Dst: same}}, "Src is nil"},
			{"destroyed", []Copy{{Src: blas, Dst: &AccelerationStructure{}}}, "Dst is nil or destroyed"},
			{"itself", []Copy{{Src: blas, Dst: blas}}, "are the same structure"},
			{"types", []Copy{{Src: blas, Dst: tlas}}, `Dst "sheets" is a TLAS, Src "sheet" a BLAS`},
			{"size", []Copy{{Src: blas, Dst: large}}, `Dst "large" has`},
			{"flag", []Copy{{Mode: CopyCompact, Src: rigid, Dst: same}}, `Src "sheet" was built without AllowCompaction`},
			{"no memory", []Copy{{Mode: CopySerialize, Src: blas}}, "Memory.Buffer is nil"},
			{"memory's place", []Copy{{Mode: CopySerialize, Src: blas, Memory: vk.Range{Buffer: memory, Offset: 1025}}},
				"Memory is 0 bytes at offset 1025"},
			{"memory's alignment", []Copy{{Mode: CopyDeserialize, Dst: same, Memory: vk.Range{Buffer: memory, Offset: 64}}},
				"not a multiple of 256"},
			{"memory's size", []Copy{{Mode: CopyDeserialize, Dst: same, Memory: vk.Range{Buffer: memory, Size: 48}}}, "Memory has 48 bytes"},
			{"deserialise into nothing", []Copy{{Mode: CopyDeserialize, Memory: blob}}, "Dst is nil"},
			{"status", []Copy{{Src: blas, Dst: same, Status: vk.Range{Buffer: memory, Offset: 2}}}, "Status has address"},
			{"one destination", []Copy{clone, {Src: clones[1], Dst: same}}, `copy 1 of 2: invalid argument: Dst "sheet" is that of copy 0`},
			{"chain", []Copy{{Src: same, Dst: clones[1]}, clone}, `copy 0 of 2: invalid argument: Src "sheet" is the Dst of copy 1`},
		}
		s.check(s.dev.Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error {
			for _, tt := range tests {
				if err := s.dev.CmdCopyAccelerationStructures(cb, tt.copies); !errors.Is(err, ErrInvalid) ||
					!strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v, want ErrInvalid with %q", tt.name, err, tt.want)
				}
			}
			for _, tt := range []struct {
				name   string
				list   []*AccelerationStructure
				p      Property
				dst    *vk.Buffer
				offset uint64
				want   string
			}{
				{"property", []*AccelerationStructure{blas}, 4, memory, 0, "property 4"},
				{"no buffer", []*AccelerationStructure{blas}, PropertySerializedSize, nil, 0, "dst is nil"},
				{"offset", []*AccelerationStructure{blas}, PropertySerializedSize, memory, 4, "offset is 4"},
				{"end", []*AccelerationStructure{blas, tlas}, PropertySerializedSize, memory, 1016, "offset is 1016"},
				{"nil", []*AccelerationStructure{blas, nil}, PropertySerializedSize, memory, 0, "structure 1 is nil"},
				{"flag", []*AccelerationStructure{rigid}, PropertyCompactedSize, memory, 0, "without AllowCompaction"},
			} {
				if err := s.dev.CmdWriteProperties(cb, tt.list, tt.p, tt.dst, tt.offset); !errors.Is(err, ErrInvalid) ||
					!strings.Contains(err.Error(), tt.want) {
					t.Errorf("properties, %s: %v, want ErrInvalid with %q", tt.name, err, tt.want)
				}
			}
			return nil
		}))
	})
}

// TestCopiesInheritHistory updates clones by the rules of what they were cloned from.
func TestCopiesInheritHistory(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		blas := s.build(s.mesh)
		clones, err := s.dev.Clone(t.Context(), []*AccelerationStructure{blas})
		s.check(err)
		s.cleanup(clones...)
		in := s.mesh
		in.Info.Update, in.Dst = true, clones[0]
		in.Info.Flags = vk.AllowUpdate
		if _, _, err := s.dev.BuildAccelerationStructures(t.Context(), []BuildInput{in}); !errors.Is(err, ErrInvalid) ||
			!strings.Contains(err.Error(), "was built with") {
			t.Errorf("an update with other flags: %v", err)
		}
		s.wave(3)
		in.Info.Flags = s.mesh.Info.Flags
		s.build(in)
		compareHits(t, "updated clone", s.hits(s.over(clones[0])), s.hits(s.over(s.build(s.mesh))), 8)
	})
}
