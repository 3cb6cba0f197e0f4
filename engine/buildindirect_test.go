package engine

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

func rangeWords(ranges ...vk.BuildRange) []byte {
	var b []byte
	for _, r := range ranges {
		for _, v := range []uint32{r.PrimitiveCount, r.PrimitiveOffset, r.FirstVertex, r.TransformOffset} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return b
}

// indirect sizes an indirect build with twice the primitives of an input, and places its range.
func (s *sheet) indirect(in BuildInput, buffer *vk.Buffer, offset uint64) IndirectBuild {
	s.t.Helper()
	most := []uint32{2 * in.Ranges[0].PrimitiveCount}
	sizes, err := s.dev.BuildSizes(in.Info, most)
	s.check(err)
	dst, err := s.dev.NewAccelerationStructure(in.Info.Type, sizes.AccelerationStructureSize, in.Name)
	s.check(err)
	s.cleanup(dst)
	scratch, err := s.dev.VK().NewBuffer(vk.BufferOptions{
		Name: "scratch", Size: max(sizes.BuildScratchSize, sizes.UpdateScratchSize, 1), Memory: vk.DeviceLocal,
		Alignment: s.dev.Limits().ScratchAlignment,
	})
	s.check(err)
	s.t.Cleanup(scratch.Destroy)
	return IndirectBuild{Info: in.Info, MaxPrimitives: most, Buffer: buffer, Offset: offset, Stride: BuildRangeSize, Dst: dst,
		Scratch: scratch.Address()}
}

// TestBuildIndirect builds both levels from ranges that a command has written, in one submission, and updates one so.
func TestBuildIndirect(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		if !s.dev.Limits().BuildIndirect {
			err := s.dev.Run(t.Context(), "indirect", func(cb *vk.CommandBuffer) error {
				return s.dev.CmdBuildAccelerationStructuresIndirect(cb, make([]IndirectBuild, 1))
			})
			if !errors.Is(err, vk.ErrMissingFeature) || !errors.Is(err, ErrUnsupported) ||
				!strings.Contains(err.Error(), "Limits.BuildIndirect") {
				t.Errorf("%v, want ErrMissingFeature", err)
			}
			t.Skipf("%s (%s) has no accelerationStructureIndirectBuild", s.dev.Info().Name, s.dev.Info().DriverInfo)
		}
		s.mesh.Ranges = []vk.BuildRange{{PrimitiveCount: 1500, PrimitiveOffset: 36}}
		want := s.hits(s.over(s.build(s.mesh)))
		buffer, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "ranges", Size: 64})
		s.check(err)
		defer buffer.Destroy()
		low, high := s.indirect(s.mesh, buffer, 16), s.indirect(s.top, buffer, 32)
		s.place(1, low.Dst)
		s.check(s.dev.Run(t.Context(), "indirect builds", func(cb *vk.CommandBuffer) error {
			cb.UpdateBuffer(buffer, 16, rangeWords(s.mesh.Ranges[0], s.top.Ranges[0]))
			for _, b := range []IndirectBuild{low, high} {
				s.dev.CmdBarrier(cb)
				s.check(s.dev.CmdBuildAccelerationStructuresIndirect(cb, []IndirectBuild{b}))
			}
			s.dev.CmdBarrier(cb)
			return nil
		}))
		compareHits(t, "indirect", s.hits(high.Dst), want, 0)

		s.wave(2)
		update := low
		update.Info.Update = true
		s.check(s.dev.Run(t.Context(), "indirect update", func(cb *vk.CommandBuffer) error {
			s.dev.CmdBarrier(cb)
			defer s.dev.CmdBarrier(cb)
			return s.dev.CmdBuildAccelerationStructuresIndirect(cb, []IndirectBuild{update})
		}))
		compareHits(t, "updated", s.hits(s.over(low.Dst)), s.hits(s.over(s.build(s.mesh))), 8)
		// A direct update of what was built indirectly: the host does not know the counts, but all else.
		in := s.mesh
		in.Info.Update, in.Dst = true, low.Dst
		s.build(in)
		in.Info.Flags = vk.AllowUpdate
		if _, _, err := s.dev.BuildAccelerationStructures(t.Context(), []BuildInput{in}); !errors.Is(err, ErrInvalid) {
			t.Errorf("an update with other flags: %v", err)
		}
	})
}

// TestBuildIndirectRefuses edits an indirect build that is right.
func TestBuildIndirectRefuses(t *testing.T) {
	s := newSheet(t, openBackend(t, BackendCompute))
	buffer, err := s.dev.VK().NewBuffer(vk.BufferOptions{Name: "ranges", Size: 64})
	s.check(err)
	defer buffer.Destroy()
	good := s.indirect(s.mesh, buffer, 48)
	top := s.over(s.build(s.mesh))
	for _, tt := range []struct {
		name string
		edit func(b *IndirectBuild)
		want string
	}{
		{"nothing", func(*IndirectBuild) {}, ""},
		{"no buffer", func(b *IndirectBuild) { b.Buffer = nil }, "Buffer is nil"},
		{"offset", func(b *IndirectBuild) { b.Offset = 2 }, "Offset 2 or Stride 16"},
		{"stride", func(b *IndirectBuild) { b.Stride = 18 }, "Stride 18 is not a multiple of 4"},
		{"end", func(b *IndirectBuild) { b.Offset = 52 }, "do not fit in the 64 bytes"},
		{"counts", func(b *IndirectBuild) { b.MaxPrimitives = nil }, "0 primitive counts or ranges for 1"},
		{"too many", func(b *IndirectBuild) { b.MaxPrimitives = []uint32{1 << 31} }, "the limit of one structure"},
		{"destination", func(b *IndirectBuild) { b.Dst = top }, "is a TLAS"},
		{"room", func(b *IndirectBuild) { b.MaxPrimitives = []uint32{10000} }, "the build needs"},
		{"scratch", func(b *IndirectBuild) { b.Scratch = 0 }, "Scratch 0x0"},
		{"vertices", func(b *IndirectBuild) {
			b.Info.Geometries = []vk.Geometry{b.Info.Geometries[0]}
			b.Info.Geometries[0].Triangles.VertexData = 0
		}, "VertexData is null"},
		{"update", func(b *IndirectBuild) { b.Info.Update, b.Src = true, top }, "Src \"sheets\" is a TLAS"},
	} {
		b := good
		tt.edit(&b)
		wantError(t, s.dev.checkIndirectBuild(b), tt.want)
	}
}
