package link

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/shaders"
)

func runtimeModule(t testing.TB) []uint32 {
	t.Helper()
	code, err := shaders.Load("fallback/runtime.comp")
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// verified checks what passes promise, and the module, after every pass.
var verified = Options{Check: true}

// TestPassesAreInOrder checks that each pass takes the phase that the one before leaves, that what a pass needs holds when
// its turn comes, that each property is given, checked and, but for those of the result, needed, and that no two passes
// share a name.
func TestPassesAreInOrder(t *testing.T) {
	holds, given, needed, names := map[property]bool{}, map[property]bool{}, map[property]bool{}, map[string]bool{}
	at := reflect.TypeFor[*normalStages]()
	for _, p := range passes {
		if p.run.from != at {
			t.Errorf("pass %s takes %v, and comes when there is %v", p.name, p.run.from, at)
		}
		at = p.run.to
		for _, n := range p.needs {
			if needed[n] = true; !holds[n] {
				t.Errorf("pass %s needs that %s, and that does not hold", p.name, n)
			}
		}
		for _, e := range p.ends {
			if !holds[e] {
				t.Errorf("pass %s ends that %s, and that does not hold", p.name, e)
			}
		}
		for _, g := range p.gives {
			given[g] = true
			if checks[g] == nil && g != structured {
				t.Errorf("nobody checks that %s", g)
			}
		}
		p.update(holds)
		if names[p.name] {
			t.Errorf("two passes are called %s", p.name)
		}
		names[p.name] = true
	}
	for p := range checks {
		if !given[p] {
			t.Errorf("no pass gives that %s", p)
		}
		if !needed[p] && p != complete {
			t.Errorf("no pass needs that %s", p)
		}
	}
	if at != reflect.TypeFor[*completed]() {
		t.Errorf("the last pass leaves %v", at)
	}
	if !holds[structured] || !holds[complete] {
		t.Error("the result is not complete, or not structured")
	}
}

// pipelineOf compiles the stages of a shape's pipeline.
func pipelineOf(t testing.TB, glsl *glsltest.Compiler, s shapes.Shape) []Stage {
	hit := shapes.ClosestHit
	if s.Depth > 1 {
		hit = shapes.Recursive
	}
	return []Stage{
		{Kind: Raygen, Code: glsl.Compile(t, "rgen", s.Raygen)},
		{Kind: Miss, Code: glsl.Compile(t, "rmiss", shapes.Miss)},
		{Kind: Miss, Code: glsl.Compile(t, "rmiss", shapes.OtherMiss)},
		{Kind: ClosestHit, Code: glsl.Compile(t, "rchit", hit)},
		{Kind: ClosestHit, Code: glsl.Compile(t, "rchit", shapes.OtherHit)},
		{Kind: AnyHit, Code: glsl.Compile(t, "rahit", s.AnyHit)},
	}
}

// TestLinkShapes links every shape in each form. What passes promise is checked after every pass in one form, by turns, and with
// EVERRAY_SWEEP=1 in all.
func TestLinkShapes(t *testing.T) {
	var glsl glsltest.Compiler
	turn, sweep := 0, os.Getenv("EVERRAY_SWEEP") != ""
	checked := func() []Form {
		if sweep {
			return allForms
		}
		turn++
		return allForms[turn%len(allForms):][:1]
	}
	for _, s := range shapes.All() {
		t.Run(s.Name, func(t *testing.T) { linkForms(t, pipelineOf(t, &glsl, s), s.Depth, checked()...) })
	}
	for _, s := range shapes.Callables() {
		t.Run("callable-"+s.Name, func(t *testing.T) {
			linkForms(t, []Stage{
				{Kind: Raygen, Code: glsl.Compile(t, "rgen", s.Raygen)},
				{Kind: Callable, Code: glsl.Compile(t, "rcall", shapes.Called)},
				{Kind: Callable, Code: glsl.Compile(t, "rcall", shapes.OtherCalled)},
			}, 1, checked()...)
		})
	}
	for _, s := range shapes.Reports() {
		t.Run("report-"+s.Name, func(t *testing.T) {
			stages := pipelineOf(t, &glsl, shapes.All()[0])
			linkForms(t, append(stages, Stage{Kind: Intersection, Code: glsl.Compile(t, "rint", s.Raygen)}), 1, checked()...)
		})
	}
}

// allForms are those that linkForms links.
var allForms = []Form{FormMonolithic, FormMegakernel, FormBlocks, FormWavefront, FormSorted, FormSuspended}

// linkForms links the stages in every form that can run them, directly and for indirect launches, and checks after every pass in
// those given.
func linkForms(t *testing.T, stages []Stage, depth uint32, checked ...Form) {
	t.Helper()
	runtime := runtimeModule(t)
	asks := slices.ContainsFunc(stages, func(s Stage) bool { return s.Kind == AnyHit || s.Kind == Intersection })
	for _, form := range allForms {
		if form == FormSuspended && !asks { // the wavefront form
			continue
		}
		o := Options{Form: form, MaxDepth: depth, Check: slices.Contains(checked, form)}
		o.Indirect = form == FormBlocks
		r, err := Link(t.Context(), runtime, stages, o)
		if form == FormMonolithic && errors.Is(err, ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", form, err)
		}
		glsltest.Validate(t, r.Code)
		if form.InRounds() {
			validateWave(t, r)
		}
		if o.Check = false; form != FormBlocks {
			continue
		}
		again, err := Link(t.Context(), runtime, stages, o)
		if err != nil {
			t.Fatalf("%v: %v", form, err)
		}
		if !slices.Equal(r.Code, again.Code) {
			t.Errorf("%v: linking twice gives different modules", form)
		}
		t.Logf("%v: %v, %d words, %d states, frames %v", form, r.Form, len(r.Code), r.States, r.Frames)
	}
}

// validateWave validates the kernels beside the tail, and looks whether their bins are divided among them.
func validateWave(t *testing.T, r *Result) {
	t.Helper()
	w := r.Wave
	for _, code := range append([][]uint32{w.Resume}, w.Shade...) {
		glsltest.Validate(t, code)
	}
	next := uint32(0)
	for i, s := range w.Segments {
		if s.First != next && i == 0 || s.First < next || s.First >= w.Bins {
			t.Errorf("segment %d begins with bin %d, %d bins, the one before with %d", i, s.First, w.Bins, next)
		}
		next = s.First + 1
	}
	least, most := uint32(2), uint32(8)
	if w.Suspends { // the ray, where traversal is, and its stack of 66 words
		least, most = 4+walkQuads+17, 8+walkQuads+17
	}
	if w.Quads < least || w.Quads > most || len(w.Segments) < len(w.Shade) {
		t.Errorf("%d quads, %d segments for %d kernels", w.Quads, len(w.Segments), len(w.Shade))
	}
}

func TestLinkRefuses(t *testing.T) {
	runtime := runtimeModule(t)
	head := "#version 460\n#extension GL_EXT_ray_tracing : require\n"
	cases := []struct {
		name, stage, source string
		model               Model
		want                error
		text                string
	}{
		{"no entry point", "rmiss", head + "void main() {}", ClosestHit, ErrInvalid, "no closest hit entry point"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Link(t.Context(), runtime, []Stage{{Name: "mine", Kind: c.model, Code: glsltest.Compile(t, c.stage, c.source)}},
				Options{})
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.Contains(fmt.Sprint(err), "mine") {
				t.Errorf("got %v, want %v naming %q and the shader", err, c.want, c.text)
			}
		})
	}
	for name, code := range map[string][]uint32{"empty": nil, "not SPIR-V": {1, 2, 3, 4, 5, 6}, "truncated": runtime[:100]} {
		if _, err := Link(t.Context(), runtime, []Stage{{Name: "mine", Kind: Raygen, Code: code}}, Options{}); err == nil ||
			!strings.Contains(err.Error(), "mine") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// isInternal tells whether an error comes from a pass that gave up by a panic.
func isInternal(err error) bool { return errors.Is(err, ErrInternal) }
