package vk

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func spirvFile(t *testing.T, path string) []uint32 {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	code := make([]uint32, len(b)/4)
	for i := range code {
		code[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return code
}

// TestWorkgroups reads the workgroups of kernels whose size and shared memory are constants, specialised ones, and products.
func TestWorkgroups(t *testing.T) {
	for _, c := range []struct {
		file   string
		spec   map[uint32]uint32
		lanes  uint32
		shared uint64 // at least
	}{
		{"bvh/trace/trace.comp", nil, 64, 0},
		{"bvh/build/crown.comp", nil, 256, 17 << 10},
		{"bvh/build/bounds.comp", nil, 256, 36},
		{"bvh/refit/nodes.comp", map[uint32]uint32{1: 128, 2: 256}, 256, 1 << 10},
		{"bvh/refit/nodes.comp", map[uint32]uint32{1: 256, 2: 512}, 512, 2 << 10},
		{"bvh/refit/leaves.comp", map[uint32]uint32{2: 1, 3: 128}, 128, 0},
		{"viewer/tonemap.comp", nil, 64, 0},
	} {
		g := readWorkgroup(&ComputePipelineOptions{Code: spirvFile(t, "../shaders/spv/"+c.file+".spv"), Specialization: c.spec})
		if lanes := g.size[0] * g.size[1] * g.size[2]; !g.known || lanes != c.lanes || g.shared < c.shared {
			t.Errorf("%s: %+v, want %d lanes and at least %d bytes", c.file, g, c.lanes, c.shared)
		}
		least := Limits{MaxComputeWorkGroupInvocations: 256, MaxComputeWorkGroupSize: [3]uint32{256, 256, 64},
			MaxComputeSharedMemorySize: 16 << 10}
		err, refuse := g.fits(&least), c.lanes > 256 || c.shared > 16<<10
		if refuse != errors.Is(err, ErrInvalid) || (err != nil && !strings.Contains(err.Error(), "device")) {
			t.Errorf("%s: %v", c.file, err)
		}
	}
	nonsense := []uint32{0x07230203, 0, 0, 0, 0, 0, 1<<16 | 59, 9<<16 | 71, 1}
	if g := readWorkgroup(&ComputePipelineOptions{Code: nonsense}); g.known || g.shared != 0 {
		t.Errorf("nonsense: %+v", g)
	}
}

// TestFeaturesWithout takes features away by name.
func TestFeaturesWithout(t *testing.T) {
	f := Features{Int64: true, Float16: true, BufferDeviceAddress: true}
	g, err := f.Without("shaderInt64")
	if err != nil || g.Int64 || !g.Float16 || !f.Int64 {
		t.Errorf("%v: %v", g.Names(), err)
	}
	if _, err := f.Without("shaderInt65"); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "shaderInt65") {
		t.Error(err)
	}
	if g, err = f.Without(OptionalFeatures()...); err != nil || len(g.Names()) != 1 || !g.BufferDeviceAddress {
		t.Errorf("all optional ones: %v, %v", g.Names(), err)
	}
}
