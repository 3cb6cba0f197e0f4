package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// queryShader has a ray query.
const queryShader = `#version 460
#extension GL_EXT_ray_query : require
layout(binding = 0) uniform accelerationStructureEXT scene;
void main() {
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, 0, 0xFF, vec3(0), 0.0, vec3(0, 0, 1), 1.0);
    rayQueryProceedEXT(query);
}`

// TestLinkCommand links a reproducer, and reduces one whose ray generation shader is not whole.
func TestLinkCommand(t *testing.T) {
	c := &repro.Case{Name: "mine", Way: "compute", MaxDepth: 1, Set: repro.Set{Stages: []link.Stage{
		{Name: "raygen", Kind: link.Raygen, Code: glsltest.Compile(t, "rgen", shapes.All()[0].Raygen)},
		{Name: "miss", Kind: link.Miss, Code: glsltest.Compile(t, "rmiss", shapes.Miss)},
	}}}
	run := func(args ...string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = Main(t.Context(), append([]string{"link"}, args...), &out, &err)
		return code, out.String(), err.String()
	}
	good := filepath.Join(t.TempDir(), "good")
	if err := c.Write(good); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(good, "--check")
	if code != 0 || !strings.Contains(stdout, `pipeline "mine"`) || !strings.Contains(stdout, "\ndispatch ") ||
		!strings.Contains(stdout, "linked: monolithic form") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
	c.Form = link.FormMegakernel
	cut := filepath.Join(t.TempDir(), "cut")
	if err := c.Write(cut); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr = run(cut); code != 0 || !strings.Contains(stdout, "\nraygen: trace, ") {
		t.Errorf("exit code %d, stderr %q, no word of what lives across the trace call:\n%s", code, stderr, stdout)
	}
	if err := repro.WriteStatistics(cut, map[string]int{"Registers": 7}); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr = run(cut); code != 0 || !strings.Contains(stdout, "\nstage 1: miss miss, entry point \"main\", ") ||
		!strings.Contains(stdout, "in the application:\n{\n  \"Registers\": 7") {
		t.Errorf("exit code %d, stderr %q, no stages or statistics:\n%s", code, stderr, stdout)
	}
	query := filepath.Join(t.TempDir(), "query")
	s := &repro.Case{Name: "query", Kind: repro.Shader, Way: "native", Model: spirv.ExecutionModelGLCompute,
		Set: repro.Set{Stages: []link.Stage{{Code: glsltest.Compile(t, "comp", queryShader)}}}}
	if err := s.Write(query); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr = run(query, "--check"); code != 0 || !strings.Contains(stdout, `shader "query", made the native way`) ||
		!strings.Contains(stdout, "model GLCompute") || !strings.Contains(stdout, "\nqueries ") ||
		!strings.Contains(stdout, "\nlowered: ") {
		t.Errorf("a shader: exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
	c.Stages[0].Code = c.Stages[0].Code[:len(c.Stages[0].Code)-1]
	broken, small := filepath.Join(t.TempDir(), "broken"), filepath.Join(t.TempDir(), "small")
	if err := c.Write(broken); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = run(broken, "--reduce", small)
	if code != 1 || !strings.Contains(stderr, "shader raygen") || !strings.Contains(stdout, "1 of 2 stages") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
	if left, err := repro.Read(small); err != nil || len(left.Stages) != 1 {
		t.Errorf("what is left: %+v, %v", left, err)
	}
	if code, _, stderr := run(t.TempDir()); code != 1 || !strings.Contains(stderr, "reproducer.json") {
		t.Errorf("an empty directory: exit code %d, stderr %q", code, stderr)
	}
}
