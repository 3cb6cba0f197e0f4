package vk_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// frameChild in the environment makes TestLargeFrames the child that asks for the pipeline.
const frameChild = "EVERRAY_FRAME_CHILD"

// TestLargeFrames makes a pipeline with many locals, in a process of its own. SwiftShader's compiler dies of it, as the table of
// drivers' differences says of conformance programs: when it no longer does, they can run there.
func TestLargeFrames(t *testing.T) {
	d := vktest.Device(t)
	if os.Getenv(frameChild) != "" {
		l, err := d.NewPipelineLayout("frame", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 24}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Destroy()
		p, err := d.NewComputePipeline(vk.ComputePipelineOptions{Name: "frame", Code: fixture(t, "frame.comp"), Layout: l})
		if err != nil {
			t.Fatal(err)
		}
		p.Destroy()
		return
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestLargeFrames$")
	cmd.Env = append(os.Environ(), frameChild+"=1")
	out, err := cmd.CombinedOutput()
	switch dies := strings.Contains(d.Physical().DriverName, "SwiftShader"); {
	case dies && err == nil:
		t.Error("SwiftShader compiles it now: take conformance's FatalForm of SwiftShader away")
	case dies && !strings.Contains(string(out), "SIGSEGV") && !strings.Contains(string(out), "stack size limit"):
		t.Errorf("SwiftShader dies, but not of the frame: %v\n%s", err, out)
	case !dies && err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}
