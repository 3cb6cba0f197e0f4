package link

import (
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/shaders"
)

// fuseHead begins a ray generation shader, fuseCases say what it does: T traces h, E executes it, P is a plain trace call.
const fuseHead = `
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Out { vec4 v[]; } outputs;
layout(set = 0, binding = 2) uniform In { vec4 c; } inputs;
#define T hoTrace(h, scene, 0u, 0xFFu, 0u, 1u, 0u, vec3(gl_LaunchIDEXT), 0.0, vec3(0, 0, 1), 1000.0);
#define E hoExecute(h);
#define P traceRayEXT(scene, 0u, 0xFFu, 0u, 1u, 0u, vec3(gl_LaunchIDEXT), 0.0, vec3(0, 0, 1), 1000.0, 0);
float largest(vec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }
float stored(uint i) { return outputs.v[i].x; }
void main() {
    payload = vec4(1);
    vec4 sum = inputs.c;
    uint note = 0u;
    for (uint i = 0u; i < 3u; i++) {
        HO h;
        BODY
        sum += payload * float(note);
    }
    outputs.v[gl_LaunchIDEXT.x] = sum;
}
`

// TestFuse: what is traced, reordered and executed costs no more cuts, or memory, than a trace call, unless something asks for the
// object, or stands between that would see what the execution changes.
func TestFuse(t *testing.T) {
	plain := map[shapes.Dialect]map[Form]*Result{}
	for _, d := range shapes.HitObjectDialects {
		plain[d] = map[Form]*Result{FormWavefront: fused(t, d, "P", FormWavefront), FormMonolithic: fused(t, d, "P", FormMonolithic)}
	}
	for _, c := range []struct {
		name, body string
		states     int    // to resume at
		more       uint32 // dwords of the frame beyond those of a trace call
		reorders   bool
	}{
		{"trace and execute", "T E", 1, 0, false},
		{"reorder", "T hoReorder(h); E", 1, 0, false},
		{"hint", "T hoReorderBoth(h, i, 2u); E", 1, 0, false},
		{"hint by branches and a function", "T hoReorderBoth(h, i == 2u || largest(sum) < 0.5 ? 1u : 0u, 1u); E", 1, 0, false},
		{"hint that asks the object", "T hoReorderBoth(h, hoIsHit(h) && i < 2u ? hoPrimitive(h) : 0u, 8u); E", 1, 0, false},
		{"hint from memory", "T hoReorderBoth(h, uint(stored(i)), 8u); E", 1, 0, false},
		{"other variables between", "T note = i * 3u; hoReorder(h); if (sum.x > 0.0) note++; E", 1, 1, false},
		{"asked behind", "T hoReorder(h); E if (hoIsMiss(h)) break;", 1, hitObjectWords, false},
		{"asked between", "T bool miss = hoIsMiss(h); hoReorder(h); E if (miss) break;", 1, hitObjectWords, false},
		{"payload changed between", "T hoReorder(h); payload.x = 2.0; E", 2, hitObjectWords, false},
		{"payload read between", "T sum.x += payload.y; E", 2, hitObjectWords, false},
		{"memory read between", "T sum.x += stored(i); E", 2, hitObjectWords, false},
		{"memory written between", "T outputs.v[i].x = 2.0; E", 2, hitObjectWords, false},
		{"executed on one way", "T if (sum.x > 1.0) E", 2, hitObjectWords, false},
		{"executed twice", "T E E", 2, hitObjectWords, false},
		{"traced on one way", "T E if (sum.x > 1.0) { T } E", 3, hitObjectWords, false},
		{"the loop ends between", "T hoReorder(h); if (hoIsMiss(h)) break; E", 3, hitObjectWords, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range shapes.HitObjectDialects {
				got, want := fused(t, d, c.body, FormWavefront), plain[d][FormWavefront]
				if n := len(got.Owners) - len(want.Owners) + 1; n != c.states {
					t.Errorf("%s: %d cuts, want %d", d, n, c.states)
				}
				if most := wholeQuads(want.Frames[0]+c.more) + quadSlots; got.Frames[0] > most || got.Frames[0] < want.Frames[0] {
					t.Errorf("%s: a frame of %d dwords, want at most %d", d, got.Frames[0], most)
				}
				if reorders := got.Wave.Keys > 0; reorders != c.reorders {
					t.Errorf("%s: reorders %v, want %v", d, reorders, c.reorders)
				}
				if c.states > 1 || c.more > 0 {
					continue
				}
				mono, want := fused(t, d, c.body, FormMonolithic), plain[d][FormMonolithic]
				if len(mono.Code) > len(want.Code)+64 {
					t.Errorf("%s: %d words by one kernel, a trace call has %d", d, len(mono.Code), len(want.Code))
				}
			}
		})
	}
}

// fused links a body of fuseHead.
func fused(t *testing.T, d shapes.Dialect, body string, form Form) *Result {
	t.Helper()
	source := shapes.HitObjects(d, "vec4", "vec2") + strings.Replace(fuseHead, "BODY", body, 1)
	stages := []Stage{
		{Kind: Raygen, Code: glsltest.Compile(t, "rgen", source)}, {Kind: Miss, Code: glsltest.Compile(t, "rmiss", shapes.Miss)},
	}
	r, err := Link(t.Context(), runtimeModule(t), stages, Options{Form: form, MaxDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	glsltest.Validate(t, r.Code)
	return r
}

// TestFuseViewer: the viewer's shaders with reorders are trace calls.
func TestFuseViewer(t *testing.T) {
	for _, name := range []string{"path", "diverge"} {
		var sizes []int
		for _, variant := range []string{"", "_reorder"} {
			code, err := shaders.Load("viewer/" + name + variant + ".rgen")
			if err != nil {
				t.Fatal(err)
			}
			l := linkUpTo(t, "join", Options{Form: FormWavefront, MaxDepth: 1}, Stage{Kind: Raygen, Code: code}).(*assembly)
			sizes = append(sizes, len(l.parts[0].resumptions), int(l.parts[0].frame))
			if l.parts[0].hitObjects || l.parts[0].reorders {
				t.Errorf("%s%s: hit objects %v, reorders %v", name, variant, l.parts[0].hitObjects, l.parts[0].reorders)
			}
		}
		if sizes[0] != sizes[2] || sizes[1] != sizes[3] {
			t.Errorf("%s: cuts and dwords of the frame %v", name, sizes)
		}
	}
}

// TestSweep drops what nothing needs, and nothing else.
func TestSweep(t *testing.T) {
	source := raygenHead + `
    float sum = result.word[3], unused = result.word[4] * 2.0;
    if (sum > 2.0) unused += sum;
    traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(sum), 0.0, vec3(1.0), 1.0, 0);
    result.word[gl_LaunchIDEXT.x] = sum + p;
}
`
	l := linkUpTo(t, "fuse", Options{Form: FormMegakernel, MaxDepth: 1},
		Stage{Kind: Raygen, Code: glsltest.Compile(t, "rgen", source)}).(*shapedStages)
	s := l.stages[0]
	newEffects(l, s).sweep(s.function)
	loads, stores, branches, multiplies := 0, 0, 0, 0
	for _, b := range s.function.Blocks {
		for i := range b.Insts {
			switch b.Insts[i].Op {
			case spirv.OpLoad:
				loads++
			case spirv.OpStore:
				stores++
			case spirv.OpBranchConditional:
				branches++
			case spirv.OpFMul:
				multiplies++
			}
		}
	}
	if branches != 0 || multiplies != 0 {
		t.Errorf("%d branches and %d multiplications are left", branches, multiplies)
	}
	if stores != 2 || loads < 4 { // sum and the result; those and the structure, the payload, the place
		t.Errorf("%d loads and %d stores are left", loads, stores)
	}
	if err := spirv.VerifyPartial(l.out, false); err != nil {
		t.Error(err)
	}
}

// linkUpTo takes stages through the passes ahead of one.
func linkUpTo(t *testing.T, name string, o Options, stages ...Stage) phase {
	t.Helper()
	at := slices.IndexFunc(passes, func(p pass) bool { return p.name == name })
	end, err := link(newJob(t.Context(), o), runtimeModule(t), stages, passes[:at])
	if err != nil {
		t.Fatal(err)
	}
	return end
}
