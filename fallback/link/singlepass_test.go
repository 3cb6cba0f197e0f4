package link

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// singlePasses are passes of spirv-opt that leave control flow that no compiler writes, alone and behind those that make
// values of variables: -O hides what one leaves behind what the next cleans up.
var singlePasses = [][]string{
	{"--ssa-rewrite"},
	{"--merge-return"},
	{"--if-conversion"},
	{"--merge-blocks"},
	{"--eliminate-dead-branches"},
	{"--inline-entry-points-exhaustive"},
	{"--inline-entry-points-exhaustive", "--ssa-rewrite"},
	{"--ssa-rewrite", "--merge-return"},
	{"--ssa-rewrite", "--loop-unroll"},
	{"--ssa-rewrite", "--if-conversion"},
	{"--ssa-rewrite", "--merge-blocks"},
	{"--ssa-rewrite", "--ccp", "--eliminate-dead-branches"},
	{"--ssa-rewrite", "--loop-peeling"},
	{"--ssa-rewrite", "--loop-unroll-partial", "2"},
	{"--ssa-rewrite", "--loop-unswitch"},
	{"--ssa-rewrite", "--loop-fission", "5"},
	{"--ssa-rewrite", "--loop-invariant-code-motion"},
	{"--merge-return", "--inline-entry-points-exhaustive", "--ssa-rewrite"},
	{"--inline-entry-points-exhaustive", "--ssa-rewrite", "--ccp", "--eliminate-dead-branches", "--merge-blocks"},
	{"--ssa-rewrite", "--eliminate-dead-code-aggressive"},
	{"--ssa-rewrite", "--cfg-cleanup"},
	{"--ssa-rewrite", "--simplify-instructions", "--redundancy-elimination"},
	{"--wrap-opkill", "--ssa-rewrite"},
}

// TestLinkSinglePasses links shapes, and control flow from seeds, as single passes of spirv-opt leave them, in all forms.
// EVERRAY_SWEEP=1 runs every pass with every shape and 200 seeds of each kind of shader, else each shape meets one pass.
func TestLinkSinglePasses(t *testing.T) {
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	seeds := uint64(3)
	if sweep {
		seeds = 200
	}
	type shader struct {
		name, stage, source string
		model               Model
		depth               uint32
	}
	var list []shader
	for _, s := range shapes.All() {
		list = append(list, shader{s.Name, "rgen", s.Raygen, Raygen, s.Depth})
	}
	for seed := range seeds {
		list = append(list,
			shader{fmt.Sprint("trace-", seed), "rgen", shapes.Random(seed).Raygen, Raygen, 1},
			shader{fmt.Sprint("call-", seed), "rgen", shapes.RandomCall(seed), Raygen, 1},
			shader{fmt.Sprint("report-", seed), "rint", shapes.RandomReport(seed), Intersection, 1},
			shader{fmt.Sprint("end-", seed), "rahit", shapes.RandomAnyHit(seed), AnyHit, 1})
	}
	for k, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			code := glsltest.Compile(t, s.stage, s.source)
			for i, passes := range singlePasses {
				if !sweep && i != k%len(singlePasses) {
					continue
				}
				t.Run(strings.ReplaceAll(strings.Join(passes, ""), "--", "-"), func(t *testing.T) {
					code := glsltest.Optimize(t, code, passes...)
					if err := glsltest.Valid(t, code); err != nil {
						t.Skipf("spirv-opt left what spirv-val refuses: %v", err)
					}
					linkForms(t, []Stage{{Kind: s.model, Code: code}}, s.depth)
				})
			}
		})
	}
}
