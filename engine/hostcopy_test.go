package engine

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// hostedOf makes a structure of a size in memory of the host.
func (s *sheet) hostedOf(t vk.AccelerationStructureType, size uint64) *AccelerationStructure {
	s.t.Helper()
	a, err := s.dev.NewHostAccelerationStructure(t, size, "copy by the host")
	s.check(err)
	s.cleanup(a)
	return a
}

func (s *sheet) copyByHost(copies ...HostCopy) {
	s.t.Helper()
	o, err := s.dev.HostCopy(copies)
	s.check(err)
	s.check(o.Run(s.t.Context()))
}

// TestHostCopy clones, compacts, serialises and deserialises by the host what the host has built; blobs and properties are
// those of the device, and so are hits.
func TestHostCopy(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		if !s.dev.Limits().HostCommands {
			if _, err := s.dev.HostCopy(make([]HostCopy, 1)); !errors.Is(err, vk.ErrMissingFeature) ||
				!strings.Contains(err.Error(), "accelerationStructureHostCommands") {
				t.Errorf("%v, want ErrMissingFeature", err)
			}
			if _, err := s.dev.HostProperty(nil, PropertyCurrentSize); !errors.Is(err, vk.ErrMissingFeature) {
				t.Errorf("%v, want ErrMissingFeature", err)
			}
			return
		}
		blas, tlas := s.hosted(s.mesh), s.hosted(s.top)
		s.runHost(s.meshOf(1, blas))
		s.runHost(s.topOf(1, blas, tlas))
		want := s.hits(tlas)
		var sizes [2][4]uint64
		for i, a := range []*AccelerationStructure{blas, tlas} {
			for p := range sizes[i] {
				size, err := s.dev.HostProperty(a, Property(p))
				s.check(err)
				if sizes[i][p] = size; size != s.property(Property(p), a)[0] {
					t.Errorf("%v: property %d is %d by the host", a.Type(), p, size)
				}
			}
		}
		clone, small := s.hostedOf(vk.BottomLevel, blas.Size()), s.hostedOf(vk.BottomLevel, sizes[0][PropertyCompactedSize])
		low, high := make([]byte, sizes[0][PropertySerializedSize]), make([]byte, sizes[1][PropertySerializedSize])
		s.copyByHost(HostCopy{Mode: CopyClone, Src: blas, Dst: clone}, HostCopy{Mode: CopyCompact, Src: blas, Dst: small},
			HostCopy{Mode: CopySerialize, Src: blas, Blob: low}, HostCopy{Mode: CopySerialize, Src: tlas, Blob: high})
		compareHits(t, "cloned", s.hits(s.over(clone)), want, 0)
		compareHits(t, "compacted", s.hits(s.over(small)), want, 0)
		blobs, err := s.dev.Serialize(t.Context(), []*AccelerationStructure{blas, tlas})
		s.check(err)
		if !bytes.Equal(blobs[0], low) || !bytes.Equal(blobs[1], high) {
			t.Error("the device's blobs are not the host's")
		}

		again := s.hostedOf(vk.BottomLevel, sizes[0][PropertyCurrentSize])
		s.copyByHost(HostCopy{Mode: CopyDeserialize, Blob: low, Dst: again})
		for _, ready := range []bool{false, true} {
			bottom, c := again, HostCopy{Mode: CopyDeserialize, Blob: slices.Clone(high),
				Dst: s.hostedOf(vk.TopLevel, sizes[1][PropertyCurrentSize])}
			if ready {
				bottom = small
				c.BottomLevels = []*AccelerationStructure{small}
			}
			h, err := ReadSerializedHeader(c.Blob)
			s.check(err)
			for i := range h.Handles {
				h.Handles[i] = bottom.Address()
			}
			s.check(SetSerializedHandles(c.Blob, h.Handles))
			s.copyByHost(c)
			compareHits(t, "deserialised", s.hits(c.Dst), want, 0)
		}
	})
}

// TestHostCopyRefuses edits a copy that is right.
func TestHostCopyRefuses(t *testing.T) {
	s := newSheet(t, openBackend(t, BackendCompute))
	blas, device := s.hosted(s.mesh), s.build(s.mesh)
	s.runHost(s.meshOf(0, blas))
	dst := s.hostedOf(vk.BottomLevel, blas.Size())
	for _, tt := range []struct {
		name string
		edit func(c *HostCopy)
		want string
	}{
		{"mode", func(c *HostCopy) { c.Mode = 9 }, "Mode is 9"},
		{"source in device memory", func(c *HostCopy) { c.Src = device }, `Src "sheet" is not in memory of the host`},
		{"destination in device memory", func(c *HostCopy) { c.Dst = device }, `Dst "sheet" is not in memory of the host`},
		{"no source", func(c *HostCopy) { c.Src = nil }, "Src is nil"},
		{"itself", func(c *HostCopy) { c.Dst = c.Src }, "the same structure"},
		{"compaction", func(c *HostCopy) { c.Mode = CopyCompact }, "without AllowCompaction"},
		{"small", func(c *HostCopy) { c.Dst = s.hostedOf(vk.BottomLevel, 256) }, "a clone of Src"},
		{"type", func(c *HostCopy) { c.Dst = s.hosted(s.top) }, "is a TLAS, Src"},
		{"bottom level", func(c *HostCopy) { c.BottomLevels = []*AccelerationStructure{nil} }, "BottomLevels[0] is nil"},
		{"no blob", func(c *HostCopy) { c.Mode = CopyDeserialize }, "0 bytes, the header has"},
		{"small blob", func(c *HostCopy) { c.Mode, c.Blob = CopySerialize, make([]byte, 64) }, "Dst has 64 bytes"},
	} {
		c := HostCopy{Mode: CopyClone, Src: blas, Dst: dst}
		tt.edit(&c)
		o, err := s.dev.HostCopy([]HostCopy{c})
		if err == nil {
			err = o.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := s.dev.HostCopy([]HostCopy{{Src: blas, Dst: dst}, {Src: blas, Dst: dst}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("two copies to one structure: %v", err)
	}
	if _, err := s.dev.HostProperty(device, PropertyCurrentSize); !errors.Is(err, ErrInvalid) {
		t.Errorf("a property of a structure in device memory: %v", err)
	}
}
