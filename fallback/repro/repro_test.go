package repro

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/rt"
)

// loops is a pipeline of three stages whose ray generation shader traces in a loop.
func loops(t *testing.T) *Case {
	t.Helper()
	at := slices.IndexFunc(shapes.All(), func(s shapes.Shape) bool { return s.Name == "loop" })
	return &Case{
		Name: "a loop/of rays", Way: "compute", MaxDepth: 1, MaxLanes: 256, MaxShared: 48 << 10, Flags: link.Flags{NoNullMiss: true},
		Set: Set{Form: link.FormMegakernel, Stages: []link.Stage{
			{Name: "raygen", Kind: link.Raygen, Entry: "main", Code: glsltest.Compile(t, "rgen", shapes.All()[at].Raygen),
				Specialization: map[uint32][]byte{7: {1, 2, 3, 4}}},
			{Name: "miss", Kind: link.Miss, Code: glsltest.Compile(t, "rmiss", shapes.Miss)},
			{Name: "hit", Kind: link.ClosestHit, Code: glsltest.Compile(t, "rchit", shapes.ClosestHit)},
		}},
		Groups: []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1), rt.TrianglesGroup(2, rt.Unused)},
	}
}

func TestWriteRead(t *testing.T) {
	c := loops(t)
	c.Libraries = []Set{{Form: link.FormBlocks, Stages: c.Stages[1:]}}
	c.Error = "it failed"
	dir, err := c.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(dir) != "a_loop_of_rays-1" {
		t.Errorf("directory %s", dir)
	}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, c) {
		t.Errorf("read %+v\nwrote %+v", got, c)
	}
	if again, err := c.NewDir(filepath.Dir(dir)); err != nil || filepath.Base(again) != "a_loop_of_rays-2" {
		t.Errorf("a second directory: %s, %v", again, err)
	}
}

func TestReadRefuses(t *testing.T) {
	if _, err := Read(t.TempDir()); !errors.Is(err, ErrInvalid) {
		t.Errorf("empty directory: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, make([]byte, 8), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"not JSON":         `{`,
		"kind":             `{"Version": 1, "Kind": "scene", "Stages": []}`,
		"shader":           `{"Version": 1, "Kind": "shader", "Stages": []}`,
		"shader's model":   `{"Version": 1, "Kind": "shader", "Stages": [{"Model": "Kernel", "File": "x.spv"}]}`,
		"version":          `{"Version": 2}`,
		"unknown field":    `{"Version": 1, "Stagez": []}`,
		"form":             `{"Version": 1, "Form": "round"}`,
		"model":            `{"Version": 1, "Stages": [{"Name": "x", "Model": "fragment", "File": "x.spv"}]}`,
		"specialisation":   `{"Version": 1, "Stages": [{"Model": "miss", "File": "x.spv", "Specialization": {"a": "00"}}]}`,
		"hexadecimal":      `{"Version": 1, "Stages": [{"Model": "miss", "File": "x.spv", "Specialization": {"1": "0"}}]}`,
		"bytes":            `{"Version": 1, "Stages": [{"Model": "miss", "File": "reproducer.json"} ]}`,
		"file above":       `{"Version": 1, "Stages": [{"Model": "miss", "File": "../` + filepath.Base(outside) + `"}]}`,
		"file by its path": `{"Version": 1, "Stages": [{"Model": "miss", "File": "` + outside + `"}]}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, describing), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := Read(dir); err == nil {
			t.Errorf("%s: read %+v", name, c)
		}
	}
}

// TestDump assembles what Dump writes again: the text is all of the module.
func TestDump(t *testing.T) {
	c := loops(t)
	for _, form := range rt.Forms() {
		c.Form = form
		dir := t.TempDir()
		if err := c.Dump(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		table, err := os.ReadFile(filepath.Join(dir, "passes.txt"))
		if err != nil || !strings.Contains(string(table), "fold of raygen") || !strings.Contains(string(table), "dispatch") {
			t.Errorf("%v: passes.txt: %v\n%s", form, err, table)
		}
		files, err := filepath.Glob(filepath.Join(dir, "passes", "*.txt"))
		if rows := strings.Count(string(table), "\n") - 2; err != nil || len(files) < rows/4 || len(files) >= rows {
			t.Fatalf("%v: %d files for the passes in\n%s", form, len(files), table)
		}
		glsltest.Validate(t, glsltest.AssembleFile(t, "spv1.5", files[len(files)-1]))
		if code, err := os.ReadFile(filepath.Join(dir, "linked.spv")); err != nil || len(code) < 1000 {
			t.Errorf("%v: linked.spv: %d bytes, %v", form, len(code), err)
		}
	}
}

// TestReduce looks for what is left of a pipeline in which one kind of instruction is what fails.
func TestReduce(t *testing.T) {
	c := loops(t)
	if _, err := c.Reduce(t.Context(), ReduceOptions{}); !errors.Is(err, ErrNoFailure) {
		t.Errorf("of a pipeline that links: %v", err)
	}
	has := func(c *Case) bool {
		for _, s := range c.Stages {
			m, err := spirv.Decode(s.Code)
			if err != nil || spirv.Verify(m) != nil {
				return false
			}
			found := false
			m.EachFunctionInst(func(in *spirv.Inst) { found = found || in.Op == spirv.OpTraceRayKHR })
			if found {
				return true
			}
		}
		return false
	}
	var steps []string
	small, err := c.Reduce(t.Context(), ReduceOptions{fails: has, Log: func(what string) { steps = append(steps, what) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(small.Stages) != 1 || small.Stages[0].Name != "raygen" || !has(small) {
		t.Errorf("%d stages are left", len(small.Stages))
	}
	if n, was := small.Instructions(), c.Instructions(); n > was/4 || len(steps) == 0 {
		m, _ := spirv.Decode(small.Stages[0].Code)
		t.Errorf("%d of %d instructions are left:\n%s", n, was, spirv.Disassemble(m))
	}
}

// TestReduceBroken reduces a module that the linker refuses.
func TestReduceBroken(t *testing.T) {
	c := loops(t)
	m, err := spirv.Decode(c.Stages[0].Code)
	if err != nil {
		t.Fatal(err)
	}
	broken := false
	m.EachFunctionInst(func(in *spirv.Inst) {
		if in.Op == spirv.OpTraceRayKHR && !broken {
			in.Operands[10], broken = in.Operands[7], true // the payload is a number
		}
	})
	c.Stages[0].Code = m.Encode()
	_, _, was := c.Link(t.Context(), Options{})
	if !errors.Is(was, link.ErrInvalid) {
		t.Fatalf("linked with %v", was)
	}
	small, err := c.Reduce(t.Context(), ReduceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, is := small.Link(t.Context(), Options{})
	if is == nil || Signature(is) != Signature(was) || len(small.Stages) != 1 || small.Instructions() > c.Instructions()/4 {
		t.Errorf("%d stages with %d instructions of %d fail with %v", len(small.Stages), small.Instructions(), c.Instructions(), is)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Reduce(ended, ReduceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// TestShaderCase writes, reads and links a shader with a ray query, and a library; neither is refused for what a pipeline needs.
func TestShaderCase(t *testing.T) {
	code := glsltest.Compile(t, "comp", `#version 460
#extension GL_EXT_ray_query : require
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1) buffer Out { uint kind; };
rayQueryEXT query;
void main() {
    rayQueryInitializeEXT(query, scene, 0, 0xFF, vec3(0), 0.0, vec3(0, 0, 1), 1.0);
    rayQueryProceedEXT(query);
    kind = rayQueryGetIntersectionTypeEXT(query, false);
}`)
	shader := &Case{Name: "query", Kind: Shader, Way: "compute", Model: spirv.ExecutionModelGLCompute, SkipHelpers: true,
		Flags: rt.Flags{AllowClusters: true}, Set: Set{Stages: []rt.Stage{{Name: "mine", Code: code}}}}
	library := loops(t)
	library.Kind, library.PushConstantBytes, library.StackBytes = Library, 16, 32
	for _, c := range []*Case{shader, library} {
		dir := t.TempDir()
		if err := c.Write(dir); err != nil {
			t.Fatal(err)
		}
		got, err := Read(dir)
		if err != nil || got.Kind != c.Kind || got.Model != c.Model || got.SkipHelpers != c.SkipHelpers ||
			got.Flags != c.Flags || got.PushConstantBytes != c.PushConstantBytes || got.StackBytes != c.StackBytes {
			t.Fatalf("%v: read %+v, %v", c.Kind, got, err)
		}
		result, passes, err := got.Link(t.Context(), Options{Check: true})
		if err != nil || len(passes) < 5 {
			t.Fatalf("%v: %d passes, %v", c.Kind, len(passes), err)
		}
		if c.Kind == Shader {
			glsltest.Validate(t, result.Code)
		}
	}
	shader.Stages[0].Code = slices.Clone(code[:len(code)-1])
	small, err := shader.Reduce(t.Context(), ReduceOptions{})
	if err != nil || len(small.Stages) != 1 {
		t.Errorf("of a shader that is not whole %+v is left, %v", small, err)
	}
}
