package fallback

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk/vktest"
)

// TestInternalErrorLeavesReproducer has the linker panic: the error names a directory from which the link can be done again.
func TestInternalErrorLeavesReproducer(t *testing.T) {
	stages := []Stage{
		{Name: "raygen", Kind: Raygen, Code: glsltest.Compile(t, "rgen", shapes.All()[0].Raygen)},
		{Name: "miss", Kind: Miss, Code: glsltest.Compile(t, "rmiss", shapes.Miss)},
	}
	panics := func(pass string, _ *spirv.Module) error {
		if pass == "frames" {
			panic("a defect")
		}
		return nil
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, parent := range []string{"", t.TempDir()} {
		o := PipelineOptions{Dump: parent, afterPass: panics,
			Pipeline: rt.Pipeline{Name: "mine", Stages: stages, MaxRecursionDepth: 1, Form: FormMegakernel}}
		job := o.resolve(Target{})
		_, _, err := job.link(t.Context(), false)
		if !errors.Is(err, link.ErrInternal) || !strings.Contains(err.Error(), "pass frames") {
			t.Fatalf("it ended with %v", err)
		}
		within := parent
		if parent == "" {
			within = temporary
		}
		dirs, _ := filepath.Glob(filepath.Join(within, "*"))
		if len(dirs) != 1 || !strings.Contains(err.Error(), dirs[0]) {
			t.Fatalf("%v are there, and the error is %v", dirs, err)
		}
		c, err := repro.Read(dirs[0])
		if err != nil {
			t.Fatal(err)
		}
		if c.Form != FormMegakernel || len(c.Stages) != 2 || !strings.Contains(c.Error, "a defect") {
			t.Errorf("the reproducer is %+v", c)
		}
		if _, _, err := c.Link(context.Background(), repro.Options{}); err != nil {
			t.Errorf("without the defect it ends with %v", err)
		}
	}
}

// TestDump makes a pipeline that leaves its dump behind.
func TestDump(t *testing.T) {
	dir := t.TempDir()
	o := PipelineOptions{Dump: dir, Pipeline: rt.Pipeline{Name: "dumped", MaxRecursionDepth: 1,
		Stages: []Stage{{Name: "raygen", Kind: Raygen,
			Code: glsltest.Compile(t, "rgen", "#version 460\n#extension GL_EXT_ray_tracing : "+
				"require\nvoid main() {}")}},
		Groups: []Group{rt.GeneralGroup(0)}}}
	p, err := NewPipeline(t.Context(), vktest.Device(t), o)
	if err != nil {
		t.Fatal(err)
	}
	p.Destroy()
	for _, name := range []string{"reproducer.json", "stage0.spv", "passes.txt", "linked.spv", "statistics.json", "passes"} {
		if info, err := os.Stat(filepath.Join(dir, "dumped-1", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
