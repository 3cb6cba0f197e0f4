package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/vk"
)

// TestDumps makes one of everything that Options.Dump is about, in both ways, and links what it finds in the directory.
func TestDumps(t *testing.T) {
	for _, backend := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		t.Run(backend.String(), func(t *testing.T) {
			dir := t.TempDir()
			d := openWith(t, engine.Options{Backend: backend, Dump: dir})
			r := newRig(t, d, imageSize)
			o := pipelineOptions(t, r.layout)
			library := o
			library.Name, o.Name = "hits", "rest"
			library.Stages, library.Groups = o.Stages[3:], []engine.Group{engine.TrianglesGroup(0, 1)}
			y, err := d.NewPipelineLibrary(t.Context(), library)
			check(t, err)
			t.Cleanup(y.Destroy)
			o.Stages, o.Groups, o.Libraries = o.Stages[:3], o.Groups[:3], []*engine.PipelineLibrary{y}
			o.PushConstantBytes = library.PushConstantBytes
			p, err := d.NewRayTracingPipeline(t.Context(), o)
			check(t, err)
			t.Cleanup(p.Destroy)
			if d.Backend() == engine.BackendCompute || d.VK().Features().RayQuery {
				layout := queryLayout(t, d)
				compute, err := d.NewComputePipeline(t.Context(), queryOptions(t, layout))
				check(t, err)
				t.Cleanup(compute.Destroy)
				_, err = d.LowerShader(t.Context(), engine.ShaderOptions{Name: "lowered", Stage: vk.StageCompute,
					Code: queryOptions(t, layout).Code})
				check(t, err)
			}
			for _, want := range []struct {
				name      string
				kind      repro.Kind
				stages    int
				libraries int
				files     []string // beside the reproducer
			}{
				{"hits-1", repro.Library, 2, 0, nil}, {"rest-1", repro.Pipeline, 3, 1, []string{"statistics.json"}},
				{"query-1", repro.Shader, 1, 0, []string{"statistics.json"}}, {"lowered-1", repro.Shader, 1, 0, nil},
			} {
				if want.kind == repro.Shader && d.Backend() == engine.BackendNative && !d.VK().Features().RayQuery {
					continue
				}
				checkDump(t, filepath.Join(dir, want.name), d.Backend(), want.kind, want.stages, want.libraries, want.files)
			}
		})
	}
}

// checkDump reads a dump, and links it with checks.
func checkDump(t *testing.T, dir string, way engine.Backend, kind repro.Kind, stages, libraries int, files []string) {
	t.Helper()
	c, err := repro.Read(dir)
	if err != nil {
		t.Error(err)
		return
	}
	if c.Kind != kind || c.Way != way.String() || len(c.Stages) != stages || len(c.Libraries) != libraries {
		t.Errorf("%s is %q of the %s way, with %d stages and %d libraries", dir, c.Kind, c.Way, len(c.Stages), len(c.Libraries))
	}
	result, passes, err := c.Link(t.Context(), repro.Options{Check: true})
	if err != nil || len(passes) < 5 || kind != repro.Library && len(result.Code) < 1000 {
		t.Errorf("%s links in %d passes: %v", dir, len(passes), err)
	}
	if way == engine.BackendCompute {
		files = append(slices.Clone(files), "passes.txt")
		if kind != repro.Library {
			files = append(files, "linked.spv")
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", dir, err)
		}
		if name == "statistics.json" && !strings.Contains(string(text), `"CompileTime": `) {
			t.Errorf("%s says %s", name, text)
		}
	}
}
