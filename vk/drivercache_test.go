package vk_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// vectorChild in the environment makes TestCacheKeepsVectorsApart the child that counts lanes.
const vectorChild = "EVERRAY_VECTOR_CHILD"

// TestCacheKeepsVectorsApart runs a shader with vectors of four, eight and sixteen lanes, twice each, in processes of their own:
// lavapipe would take the first one's code from its cache each time, if tests had one cache for all (vktest.OwnCache).
func TestCacheKeepsVectorsApart(t *testing.T) {
	if os.Getenv(vectorChild) != "" {
		countLanes(t)
		return
	}
	if vktest.Device(t).Physical().DriverID != vk.DriverLavapipe {
		t.Skip("only lavapipe's subgroups have a size that one can choose")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, bits := range []int{128, 256, 512, 128, 256, 512} {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestCacheKeepsVectorsApart$")
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+home, "MESA_SHADER_CACHE_DIR=", vectorChild+"=1",
			fmt.Sprintf("LP_NATIVE_VECTOR_WIDTH=%d", bits))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("vectors of %d bits: %v\n%s", bits, err, out)
		}
	}
}

func countLanes(t *testing.T) {
	d := vktest.Device(t)
	layout, err := d.NewPipelineLayout("subgroup", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 8}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(layout.Destroy)
	p, err := d.NewComputePipeline(vk.ComputePipelineOptions{Name: "subgroup", Code: fixture(t, "subgroup.comp"), Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	lanes := newBuffer(t, d, vk.BufferOptions{Name: "lanes", Size: 4})
	err = d.Run(t.Context(), "count", func(cb *vk.CommandBuffer) error {
		cb.BindComputePipeline(p)
		cb.PushConstants(layout, vk.StageCompute, 0, binary.LittleEndian.AppendUint64(nil, lanes.Address()))
		cb.Dispatch(1, 1, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if err := d.ReadBuffer(t.Context(), lanes, 0, got); err != nil {
		t.Fatal(err)
	}
	if n, want := binary.LittleEndian.Uint32(got), d.Physical().Limits.SubgroupSize; n != want {
		t.Errorf("subgroups have %d lanes, the device says %d", n, want)
	}
}
