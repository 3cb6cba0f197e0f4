package link

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/pipefuzz"
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

const (
	// passTime is enough for what spirv-opt comes to an end with.
	passTime = 20 * time.Second
	// largeModule is how many words a shader has at most that is linked in all forms. A state function for each of its traces holds
	// all that can follow, and inlining after merge-return makes 190,000 words of 13,000: only the forms whose size is linear
	// (largeForms) are to bear that.
	largeModule = 6000
)

// largeForms are what modules of more than largeModule words are linked in.
var largeForms = []Form{FormAuto, FormMonolithic, FormBlocks}

// program is shaders that go through the passes together.
type program struct {
	name  string
	parts []passedShader
	depth uint32
}

type passedShader struct {
	model          Model
	source         string
	specialization map[uint32][]byte
}

// extensions are the kinds of shaders as glslangValidator names them.
var extensions = map[Model]string{
	Raygen: "rgen", AnyHit: "rahit", ClosestHit: "rchit", Miss: "rmiss", Intersection: "rint", Callable: "rcall",
}

// singlePassPrograms are shapes, control flow from seeds, and whole pipelines from seeds.
func singlePassPrograms(seeds, pipelines uint64) []program {
	var list []program
	one := func(name string, m Model, source string, depth uint32) {
		list = append(list, program{name, []passedShader{{model: m, source: source}}, depth})
	}
	for _, s := range shapes.All() {
		one(s.Name, Raygen, s.Raygen, s.Depth)
	}
	for seed := range seeds {
		one(fmt.Sprint("trace-", seed), Raygen, shapes.Random(seed).Raygen, 1)
		one(fmt.Sprint("call-", seed), Raygen, shapes.RandomCall(seed), 1)
		one(fmt.Sprint("report-", seed), Intersection, shapes.RandomReport(seed), 1)
		one(fmt.Sprint("end-", seed), AnyHit, shapes.RandomAnyHit(seed), 1)
	}
	for seed := range pipelines {
		p := pipefuzz.Generate(seed, pipefuzz.Draw(seed, pipefuzz.All))
		x := program{name: fmt.Sprint("pipeline-", seed), depth: p.Depth}
		for _, s := range p.Shaders {
			for model, extension := range extensions {
				if extension == s.Stage {
					x.parts = append(x.parts, passedShader{model, s.Source,
						map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, s.Specialization)}})
				}
			}
		}
		list = append(list, x)
	}
	return list
}

// TestLinkSinglePasses links shapes, control flow from seeds and generated pipelines, as single passes of spirv-opt leave them,
// in all forms. What the passes make of a program's shaders is linked as one pipeline, and shader by shader only if that fails:
// most of a link is the runtime's. EVERRAY_SWEEP=1 runs every pass with every shape, 50 seeds of each kind of shader and 100
// pipelines; else each program meets one pass. The names of programs divide a sweep: -run 'TestLinkSinglePasses/pipeline-.*7$'.
func TestLinkSinglePasses(t *testing.T) {
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	seeds, pipelines := uint64(3), uint64(2)
	if sweep {
		seeds, pipelines = 50, 100
	}
	var glsl glsltest.Compiler
	for k, p := range singlePassPrograms(seeds, pipelines) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			passes := singlePasses
			if !sweep {
				passes = passes[k%len(passes):][:1]
			}
			linkTogether(t, p.passed(t, &glsl, passes), p.depth)
		})
	}
}

// passed returns what the passes make of the program's shaders, the same module once.
func (p program) passed(t *testing.T, glsl *glsltest.Compiler, passes [][]string) []Stage {
	t.Helper()
	var list []Stage
	refused, failed := 0, 0
	for i, x := range p.parts {
		seen := map[[sha256.Size]byte]bool{}
		code := glsl.Compile(t, extensions[x.model], x.source)
		for _, pass := range passes {
			made, err := glsltest.TryOptimize(t, code, passTime, pass...)
			if err != nil {
				failed++
				continue
			}
			b, _ := binary.Append(nil, binary.LittleEndian, made)
			if sum := sha256.Sum256(b); seen[sum] {
				continue
			} else {
				seen[sum] = true
			}
			if err := glsltest.Valid(t, made); err != nil {
				refused++
				continue // a defect of spirv-opt
			}
			list = append(list, Stage{Name: fmt.Sprintf("%d.%s %s", i, extensions[x.model], strings.Join(pass, " ")),
				Kind: x.model, Code: made, Specialization: x.specialization})
		}
	}
	t.Logf("%d shaders, %d different modules; %d that spirv-opt left invalid, %d times it failed", len(p.parts), len(list), refused,
		failed)
	if len(list) == 0 && len(passes) > 1 {
		t.Error("no pass left a valid module")
	}
	return list
}

// linkTogether links stages as one pipeline in every form that can run them, and one by one if that fails or, for the
// monolithic form, is refused.
func linkTogether(t *testing.T, stages []Stage, depth uint32) {
	t.Helper()
	var large []Stage
	stages = slices.DeleteFunc(stages, func(s Stage) bool {
		if len(s.Code) > largeModule {
			large = append(large, s)
		}
		return len(s.Code) > largeModule
	})
	for _, s := range large {
		for _, form := range largeForms {
			if err := linksValid(t, []Stage{s}, form, depth); err != nil && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v: %s of %d words: %v", form, s.Name, len(s.Code), err)
			}
		}
	}
	if len(stages) == 0 {
		return
	}
	for _, form := range []Form{FormMonolithic, FormMegakernel, FormBlocks, FormWavefront, FormSuspended} {
		err := linksValid(t, stages, form, depth)
		if err == nil || form == FormMonolithic && depth > 1 && errors.Is(err, ErrUnsupported) {
			continue
		}
		blamed := false
		for _, s := range stages {
			err := linksValid(t, []Stage{s}, form, depth)
			if err == nil || form == FormMonolithic && errors.Is(err, ErrUnsupported) {
				continue
			}
			blamed = true
			t.Errorf("%v: %s: %v", form, s.Name, err)
		}
		if !blamed && !(form == FormMonolithic && errors.Is(err, ErrUnsupported)) {
			t.Errorf("%v: all together: %v", form, err)
		}
	}
}

// linksValid links stages in a form and has spirv-val look at every kernel.
func linksValid(t *testing.T, stages []Stage, form Form, depth uint32) error {
	t.Helper()
	o := Options{Form: form, MaxDepth: depth, Indirect: form == FormBlocks}
	o.Check = form == FormMegakernel // the verifier after each pass is most of the time; the passes differ little
	r, err := Link(t.Context(), runtimeModule(t), stages, o)
	if err != nil {
		return err
	}
	kernels := [][]uint32{r.Code}
	if w := r.Wave; w != nil {
		kernels = append(append(kernels, w.Resume), w.Shade...)
	}
	for _, code := range kernels {
		if code != nil {
			err = errors.Join(err, glsltest.Valid(t, code))
		}
	}
	return err
}
