package link

import (
	"os"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// treatment is one way to compile and optimise a shader.
type treatment struct {
	name   string
	target []string // of glslangValidator
	passes []string // of spirv-opt, none for its output as it is
	always bool     // run also without EVERRAY_SWEEP
}

var treatments = []treatment{
	{name: "O", passes: []string{"-O"}, always: true},
	{name: "Os", passes: []string{"-Os"}},
	{name: "merge-return and inline", passes: []string{"--merge-return", "--inline-entry-points-exhaustive",
		"--eliminate-dead-functions"}},
	{name: "ssa", passes: []string{"--private-to-local", "--convert-local-access-chains", "--scalar-replacement=0", "--ssa-rewrite",
		"--eliminate-dead-code-aggressive"}},
	{name: "unroll", passes: []string{"--ssa-rewrite", "--loop-peeling", "--loop-unroll", "--simplify-instructions",
		"--merge-blocks"}},
	{name: "dead branches", passes: []string{"--eliminate-dead-branches", "--eliminate-dead-const", "--if-conversion",
		"--redundancy-elimination",
		"--cfg-cleanup"}},
	{name: "wrap opkill, combine access chains", passes: []string{"--wrap-opkill", "--combine-access-chains", "--vector-dce",
		"--copy-propagate-arrays", "--loop-invariant-code-motion"}},
	{name: "upgraded memory model", target: []string{"--target-env", "spirv1.5"}, passes: []string{"--upgrade-memory-model", "-O"}},
	{name: "debug", target: []string{"--target-env", "vulkan1.3", "-gVS"}, always: true},
	{name: "debug O", target: []string{"--target-env", "vulkan1.2", "-g"}, passes: []string{"-O"}},
	{name: "Od", target: []string{"--target-env", "vulkan1.2", "-Od"}},
	{name: "1.4", target: []string{"--target-env", "spirv1.4"}},
	{name: "1.5", target: []string{"--target-env", "spirv1.5"}},
	{name: "1.6", target: []string{"--target-env", "spirv1.6"}, passes: []string{"-O", "--strip-debug"}},
}

// compile compiles a shader by the treatment.
func (x treatment) compile(t testing.TB, stage, source string) []uint32 {
	target := x.target
	if target == nil {
		target = []string{"--target-env", "vulkan1.2"}
	}
	code := glsltest.CompileAs(t, stage, source, target...)
	if len(x.passes) > 0 {
		code = glsltest.Optimize(t, code, x.passes...)
	}
	return code
}

// TestLinkOptimised links every shape as other compilers and optimisers would have left it. EVERRAY_SWEEP=1 runs all
// treatments with all shapes; else each treatment is run with some, and some with all.
func TestLinkOptimised(t *testing.T) {
	runtime := runtimeModule(t)
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	for i, x := range treatments {
		for k, s := range shapes.All() {
			if !sweep && k%16 != i%16 {
				continue
			}
			t.Run(strings.ReplaceAll(x.name, " ", "-")+"/"+s.Name, func(t *testing.T) {
				hit := shapes.ClosestHit
				if s.Depth > 1 {
					hit = shapes.Recursive
				}
				stages := []Stage{
					{Kind: Raygen, Code: x.compile(t, "rgen", s.Raygen)},
					{Kind: ClosestHit, Code: x.compile(t, "rchit", hit)},
					{Kind: AnyHit, Code: x.compile(t, "rahit", s.AnyHit)},
				}
				r, err := Link(t.Context(), runtime, stages, verified)
				if err != nil {
					t.Fatal(err)
				}
				if r.Code[1] > 0x10500 {
					glsltest.ValidateNewest(t, r.Code)
				} else {
					glsltest.Validate(t, r.Code)
				}
			})
		}
	}
}
