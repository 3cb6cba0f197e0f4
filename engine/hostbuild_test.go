package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// hosted makes a structure in memory of the host for an input.
func (s *sheet) hosted(in BuildInput) *AccelerationStructure {
	s.t.Helper()
	sizes, err := s.dev.BuildSizes(in.Info, counts(in.Ranges))
	s.check(err)
	a, err := s.dev.NewHostAccelerationStructure(in.Info.Type, sizes.AccelerationStructureSize, in.Name+" by the host")
	s.check(err)
	s.cleanup(a)
	return a
}

// meshOf and topOf are host builds of the sheet and its instances at a step.
func (s *sheet) meshOf(k int, dst *AccelerationStructure) HostBuild {
	return HostBuild{Info: s.mesh.Info, Ranges: s.mesh.Ranges,
		Data: []HostGeometry{{Vertices: sheetVertices(k), Indices: sheetIndices()}}, Dst: dst}
}

func (s *sheet) topOf(k int, blas, dst *AccelerationStructure) HostBuild {
	return HostBuild{
		Info: s.top.Info, Ranges: s.top.Ranges, Data: []HostGeometry{{Instances: sheetInstances(k, blas)}},
		BottomLevels: []*AccelerationStructure{blas}, Dst: dst,
	}
}

func (s *sheet) runHost(builds ...HostBuild) {
	s.t.Helper()
	o, err := s.dev.HostBuild(builds)
	s.check(err)
	s.check(o.Run(s.t.Context()))
}

// TestHostBuild builds and updates both levels by the host, and holds their hits against the device's. The device updates
// and clones what the host built, and the host what the device built.
func TestHostBuild(t *testing.T) {
	eachBackend(t, func(t *testing.T, s *sheet) {
		if !s.dev.Limits().HostCommands {
			if _, err := s.dev.HostBuild(make([]HostBuild, 1)); !errors.Is(err, vk.ErrMissingFeature) ||
				!strings.Contains(err.Error(), "accelerationStructureHostCommands") {
				t.Errorf("%v, want ErrMissingFeature", err)
			}
			return
		}
		blas, tlas := s.hosted(s.mesh), s.hosted(s.top)
		s.runHost(s.meshOf(1, blas))
		s.runHost(s.topOf(1, blas, tlas))
		first := s.hits(s.over(s.build(s.mesh)))
		compareHits(t, "by the host", s.hits(tlas), first, 8)
		clones, err := s.dev.Clone(t.Context(), []*AccelerationStructure{blas})
		s.check(err)
		s.cleanup(clones...)
		compareHits(t, "cloned by the device", s.hits(s.over(clones[0])), first, 8)

		s.wave(2)
		second := s.hits(s.over(s.build(s.mesh)))
		low, high := s.meshOf(2, blas), s.topOf(1, blas, tlas)
		low.Info.Update, high.Info.Update = true, true
		s.runHost(low)
		s.runHost(high)
		updated := s.hits(tlas)
		compareHits(t, "updated by the host", updated, second, 8)
		if slices.Equal(updated, first) {
			t.Error("the update changed nothing")
		}

		in := s.mesh // of what the host built and updated, by the device; and the host again, out of place
		in.Info.Update, in.Dst = true, blas
		s.wave(3)
		s.build(in)
		other := s.hosted(s.mesh)
		last := s.meshOf(1, other)
		last.Info.Update, last.Src = true, blas
		s.runHost(last)
		compareHits(t, "by device and host", s.hits(s.over(other)), first, 8)
		s.wave(3)
		compareHits(t, "by the device", s.hits(s.over(blas)), s.hits(s.over(s.build(s.mesh))), 8)
	})
}

// TestHostBuildRefuses edits host builds that are right.
func TestHostBuildRefuses(t *testing.T) {
	s := newSheet(t, openBackend(t, BackendCompute))
	blas, tlas, device := s.hosted(s.mesh), s.hosted(s.top), s.build(s.mesh)
	s.runHost(s.meshOf(0, blas))
	for _, tt := range []struct {
		name string
		edit func(mesh, top *HostBuild)
		want string
	}{
		{"device memory", func(m, _ *HostBuild) { m.Dst = device }, `Dst "sheet" is not in memory of the host`},
		{"source in device memory", func(m, _ *HostBuild) { m.Info.Update, m.Src = true, device },
			`Src "sheet" is not in memory of the host`},
		{"no destination", func(m, _ *HostBuild) { m.Dst = nil }, "Dst is nil or destroyed"},
		{"type", func(m, _ *HostBuild) { m.Dst = tlas }, "Info.Type says"},
		{"flags of an update", func(m, _ *HostBuild) { m.Info.Update, m.Info.Flags = true, vk.AllowUpdate }, "Info.Flags is 0x1"},
		{"counts", func(m, _ *HostBuild) { m.Ranges = nil }, "0 primitive counts or ranges"},
		{"memory", func(m, _ *HostBuild) { m.Data = nil }, "memory of 0 geometries"},
		{"vertices", func(m, _ *HostBuild) { m.Data[0].Indices = m.Data[0].Indices[:12] }, "12 bytes of indices"},
		{"bottom level", func(_, top *HostBuild) { top.BottomLevels = []*AccelerationStructure{device} },
			`BottomLevels[0] "sheet" is not in memory of the host`},
		{"no bottom level", func(_, top *HostBuild) { top.BottomLevels = []*AccelerationStructure{nil} }, "BottomLevels[0] is nil"},
		{"top for bottom level", func(_, top *HostBuild) { top.BottomLevels = []*AccelerationStructure{tlas} }, "BottomLevels[0]"},
		{"unknown bottom level", func(_, top *HostBuild) { top.BottomLevels = nil }, "BottomLevel returns 0 bytes"},
		{"index", func(m, _ *HostBuild) { m.Data[0].Vertices = m.Data[0].Vertices[:1200] }, "is beyond the 1200 bytes of vertices"},
	} {
		mesh, top := s.meshOf(0, blas), s.topOf(0, blas, tlas)
		tt.edit(&mesh, &top)
		o, err := s.dev.HostBuild([]HostBuild{mesh, top})
		if err == nil {
			err = o.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrInvalid) &&
			!strings.Contains(err.Error(), "host build ") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := s.dev.HostBuild(nil); err != nil {
		t.Error(err)
	}
}
