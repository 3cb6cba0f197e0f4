package pipelinetest_test

import (
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/conformance"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// restrictedPrograms are run on devices that lack something: triangles and boxes, with shaders of all stages between them. Each
// but in a sweep in one form, as compilers take most of the time.
var restrictedPrograms = map[string]engine.LinkForm{"core": engine.FormAuto, "boxes": engine.FormMegakernel}

// TestRestrictedDevices runs some of the conformance table by compute on devices that have the least limits and lack features:
// all that they may lack, and in a sweep each by itself. The validation layer tells of what is used and not enabled.
func TestRestrictedDevices(t *testing.T) {
	cases := [][]string{{"optional", "least"}}
	if sweep() {
		cases = append(cases, []string{"least"})
		for _, f := range vk.OptionalFeatures() {
			cases = append(cases, []string{f})
		}
	}
	var glsl glsltest.Compiler
	for _, restriction := range cases {
		t.Run(restriction[0], func(t *testing.T) {
			rig := openConformance(t, engine.BackendCompute, vktest.Restriction(t, restriction...))
			for name, form := range restrictedPrograms {
				forms := []engine.LinkForm{form}
				if sweep() {
					forms = []engine.LinkForm{engine.FormAuto, engine.FormMegakernel}
				}
				runRestricted(t, rig, name, forms, &glsl)
			}
		})
	}
}

// runRestricted runs a program in some forms.
func runRestricted(t *testing.T, rig *conformanceRig, name string, forms []engine.LinkForm, glsl *glsltest.Compiler) {
	rows := slices.DeleteFunc(conformance.All(), func(r conformance.Row) bool { return r.Program.Name != name })
	if len(rows) == 0 {
		t.Fatalf("there is no program %q", name)
	}
	program := rows[0].Program
	stages := compileProgram(t, glsl, program)
	for _, form := range forms {
		run, err := rig.link(t, program, stages, form)
		if err != nil {
			t.Errorf("%s, form %v: %v", name, form, err)
			continue
		}
		for _, row := range rows {
			got, err := run.trace(t, &row)
			if err == nil && !row.Compared() {
				err = row.Judge(got)
			}
			if err != nil {
				t.Errorf("%s/%s, form %v: %v", name, row.Name, form, err)
			}
		}
		run.pipeline.Destroy()
	}
}

// TestRestrictionTakesAway: what is taken away is neither enabled nor told of.
func TestRestrictionTakesAway(t *testing.T) {
	dev, err := openWay(t, engine.BackendCompute, vktest.Restriction(t, "optional", "least"))
	if err != nil {
		missingWay(t, engine.BackendCompute, err)
	}
	defer func() { check(t, dev.Close()) }()
	have, limits := dev.VK().Features(), dev.VK().Physical().Limits
	for _, f := range vk.OptionalFeatures() {
		if slices.Contains(have.Names(), f) || slices.Contains(dev.Info().Features, f) {
			t.Errorf("%s is still there", f)
		}
	}
	if dev.VK().SIMD() {
		t.Error("the variant for CPUs would run, which needs shaderInt64")
	}
	if limits.MaxComputeSharedMemorySize > 16<<10 || limits.MaxPushConstantsSize > 128 || limits.MaxStorageBufferRange > 1<<27 ||
		limits.MaxMemoryAllocationCount > 4096 || limits.MaxComputeWorkGroupInvocations > 256 {
		t.Errorf("limits %+v", limits)
	}
}
