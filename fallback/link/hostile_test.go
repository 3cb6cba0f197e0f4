package link

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/everray/everray/internal/glsltest"
)

// growing are generators of ray generation shaders of a size: valid modules whose cost once grew faster than they do.
var growing = []struct {
	name string
	// make returns types, of which one is %t, functions, a body, and annotations.
	make func(n int) hostile
}{
	{"loops", func(n int) hostile {
		var b strings.Builder
		b.WriteString(traceInst + "OpBranch %h0\n")
		for i := range n {
			fmt.Fprintf(&b, "%%h%[1]d = OpLabel\nOpLoopMerge %%m%[1]d %%c%[1]d None\n"+
				"OpBranchConditional %%true %%b%[1]d %%m%[1]d\n"+
				"%%b%[1]d = OpLabel\nOpBranch %%c%[1]d\n%%c%[1]d = OpLabel\nOpBranch %%h%[1]d\n%%m%[1]d = OpLabel\n", i)
			if i+1 < n {
				fmt.Fprintf(&b, "OpBranch %%h%d\n", i+1)
			}
		}
		return hostile{body: b.String()}
	}},
	{"traced loops", func(n int) hostile { // loops that are taken apart
		var b strings.Builder
		b.WriteString("OpBranch %h0\n")
		for i := range n {
			fmt.Fprintf(&b, "%%h%[1]d = OpLabel\nOpLoopMerge %%m%[1]d %%c%[1]d None\n"+
				"OpBranchConditional %%true %%b%[1]d %%m%[1]d\n"+
				"%%b%[1]d = OpLabel\nOpBranch %%c%[1]d\n%%c%[1]d = OpLabel\n%[2]sOpBranch %%h%[1]d\n%%m%[1]d = OpLabel\n",
				i, traceInst)
			if i+1 < n {
				fmt.Fprintf(&b, "OpBranch %%h%d\n", i+1)
			}
		}
		return hostile{body: b.String()}
	}},
	{"nested loops", func(n int) hostile {
		var b strings.Builder
		b.WriteString(traceInst + "OpBranch %h0\n")
		for i := range n {
			fmt.Fprintf(&b, "%%h%[1]d = OpLabel\nOpLoopMerge %%m%[1]d %%c%[1]d None\n"+
				"OpBranchConditional %%true %%b%[1]d %%m%[1]d\n%%b%[1]d = OpLabel\n", i)
			if i+1 < n {
				fmt.Fprintf(&b, "OpBranch %%h%d\n", i+1)
			}
		}
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "OpBranch %%c%[1]d\n%%c%[1]d = OpLabel\nOpBranch %%h%[1]d\n%%m%[1]d = OpLabel\n", i)
		}
		return hostile{body: b.String()}
	}},
	{"selections", func(n int) hostile { // around a trace
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "OpSelectionMerge %%m%[1]d None\nOpBranchConditional %%true %%t%[1]d %%m%[1]d\n"+
				"%%t%[1]d = OpLabel\n", i)
		}
		b.WriteString(traceInst)
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "OpBranch %%m%[1]d\n%%m%[1]d = OpLabel\n", i)
		}
		return hostile{body: b.String()}
	}},
	{"selections side by side", func(n int) hostile {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "OpSelectionMerge %%m%[1]d None\nOpBranchConditional %%true %%t%[1]d %%m%[1]d\n"+
				"%%t%[1]d = OpLabel\n%[2]sOpBranch %%m%[1]d\n%%m%[1]d = OpLabel\n",
				i, map[bool]string{true: traceInst}[i%16 == 0])
		}
		return hostile{body: b.String()}
	}},
	{"inlined instructions", func(n int) hostile { // a function of n/8 instructions and a trace that is called n times
		f := "%f = OpFunction %void None %fn\n%l_f = OpLabel\n%loaded_f = OpLoad %as %rs\n" + strings.ReplaceAll(traceInst,
			"%loaded", "%loaded_f")
		for i := range n / 8 {
			f += fmt.Sprintf("%%a%d = OpFAdd %%float %%f0 %%f0\n", i)
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%%c%d = OpFunctionCall %%void %%f\n", i)
		}
		return hostile{functions: f + "OpReturn\nOpFunctionEnd\n", body: b.String()}
	}},
	{"inlined decorations", func(n int) hostile {
		f := "%f = OpFunction %void None %fn\n%l_f = OpLabel\n%loaded_f = OpLoad %as %rs\n" + strings.ReplaceAll(traceInst,
			"%loaded", "%loaded_f") +
			"%a = OpFAdd %float %f0 %f0\nOpReturn\nOpFunctionEnd\n"
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%%c%d = OpFunctionCall %%void %%f\n", i)
		}
		return hostile{functions: f, body: b.String(), annotations: strings.Repeat("OpDecorate %a RelaxedPrecision\n", n/8)}
	}},
	{"live leaves", func(n int) hostile { // blocks times leaves
		types := "%sixteen = OpConstant %uint 16000\n%t = OpTypeArray %uint %sixteen\n"
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "OpBranch %%b%[1]d\n%%b%[1]d = OpLabel\n", i)
		}
		return hostile{types: types, body: "%x = OpLoad %t %v\n" + traceInst + b.String() + traceInst + "OpStore %v %x\n"}
	}},
	{"live values", func(n int) hostile { // over n/20 traces
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%%a%d = OpFAdd %%float %%f0 %%f0\n", i)
		}
		b.WriteString(strings.Repeat(traceInst, max(n/20, 1)))
		for i := range n {
			fmt.Fprintf(&b, "%%z%d = OpFAdd %%float %%a%d %%f0\n", i, i)
		}
		return hostile{body: b.String()}
	}},
	{"traces", func(n int) hostile { return hostile{body: strings.Repeat(traceInst, n)} }},
	{"structures", func(n int) hostile { // a descriptor for each trace
		var b strings.Builder
		types := "%count = OpConstant %uint 1000000\n%many_as = OpTypeArray %as %count\n" +
			"%p_many = OpTypePointer UniformConstant %many_as\n%many = OpVariable %p_many UniformConstant\n"
		for i := range n {
			types += fmt.Sprintf("%%k%d = OpConstant %%uint %d\n", i, i+1)
			fmt.Fprintf(&b, "%%p%[1]d = OpAccessChain %%p_as %%many %%k%[1]d\n%%l%[1]d = OpLoad %%as %%p%[1]d\n%[2]s", i,
				strings.ReplaceAll(traceInst, "%loaded", fmt.Sprintf("%%l%d", i)))
		}
		return hostile{types: types, body: b.String(), annotations: "OpDecorate %many DescriptorSet 0\n" +
			"OpDecorate %many Binding 1\n", interfaces: " %many"}
	}},
	{"chain of calls", func(n int) hostile {
		var f strings.Builder
		f.WriteString("%f_0 = OpFunction %void None %fn\n%l_0 = OpLabel\n%loaded_f = OpLoad %as %rs\n" +
			strings.ReplaceAll(traceInst, "%loaded", "%loaded_f") + "OpReturn\nOpFunctionEnd\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&f, "%%f_%[1]d = OpFunction %%void None %%fn\n%%l_%[1]d = OpLabel\n"+
				"%%c_%[1]d = OpFunctionCall %%void %%f_%[2]d\nOpReturn\nOpFunctionEnd\n", i, i-1)
		}
		return hostile{functions: f.String(), body: fmt.Sprintf("%%c = OpFunctionCall %%void %%f_%d\n", n-1)}
	}},
	{"chain of plain calls", func(n int) hostile {
		var f strings.Builder
		f.WriteString("%f_0 = OpFunction %void None %fn\n%l_0 = OpLabel\nOpReturn\nOpFunctionEnd\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&f, "%%f_%[1]d = OpFunction %%void None %%fn\n%%l_%[1]d = OpLabel\n"+
				"%%c_%[1]d = OpFunctionCall %%void %%f_%[2]d\nOpReturn\nOpFunctionEnd\n", i, i-1)
		}
		return hostile{functions: f.String(), body: traceInst + fmt.Sprintf("%%c = OpFunctionCall %%void %%f_%d\n", n-1) +
			traceInst}
	}},
	{"decorations", func(n int) hostile {
		return hostile{body: traceInst, types: "%z = OpUndef %float\n",
			annotations: strings.Repeat("OpDecorate %z RelaxedPrecision\n", n)}
	}},
	{"extensions", func(n int) hostile {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "OpExtension \"SPV_%06d\"\n", i)
		}
		return hostile{body: traceInst, extensions: b.String()}
	}},
	{"switch", func(n int) hostile {
		n = min(n, 16000)
		var b strings.Builder
		b.WriteString("OpSelectionMerge %m None\nOpSwitch %u0 %d ")
		for i := range n {
			fmt.Fprintf(&b, "%d %%k%d ", i, i)
		}
		b.WriteString("\n%d = OpLabel\nOpBranch %m\n")
		for i := range n {
			fmt.Fprintf(&b, "%%k%d = OpLabel\n%sOpBranch %%m\n", i, map[bool]string{true: traceInst}[i%16 == 0])
		}
		return hostile{body: b.String() + "%m = OpLabel\n"}
	}},
	{"chain of copies", func(n int) hostile { // pointers that are made again behind the trace
		var b strings.Builder
		b.WriteString("%q0 = OpCopyObject %p_t %v\n")
		for i := range n {
			fmt.Fprintf(&b, "%%q%d = OpCopyObject %%p_t %%q%d\n", i+1, i)
		}
		return hostile{body: b.String() + traceInst + fmt.Sprintf("%%x = OpLoad %%t %%q%d\nOpStore %%q%d %%x\n", n, n)}
	}},
	{"phis", func(n int) hostile { // at one block, behind a trace in a branch
		var b strings.Builder
		b.WriteString("OpSelectionMerge %m None\nOpBranchConditional %true %a %b\n%a = OpLabel\n" + traceInst +
			"OpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\n")
		for i := range n {
			fmt.Fprintf(&b, "%%x%d = OpPhi %%float %%f0 %%a %%f0 %%b\n", i)
		}
		b.WriteString(traceInst)
		for i := range n {
			fmt.Fprintf(&b, "%%y%d = OpFAdd %%float %%x%d %%f0\n", i, i)
		}
		return hostile{body: b.String()}
	}},
	{"variables", func(n int) hostile {
		var g, b strings.Builder
		listed := ""
		for i := range n {
			fmt.Fprintf(&g, "%%g%d = OpVariable %%p_u Private\n", i)
			fmt.Fprintf(&b, "OpStore %%g%d %%u0\n", i)
			listed += fmt.Sprintf(" %%g%d", i)
		}
		b.WriteString(traceInst)
		for i := range n {
			fmt.Fprintf(&b, "%%y%d = OpLoad %%uint %%g%d\n", i, i)
		}
		return hostile{types: "%p_u = OpTypePointer Private %uint\n" + g.String(), body: b.String(), interfaces: listed}
	}},
}

// hostile is what a test adds to the shader of bounds_test.go.
type hostile struct{ types, functions, body, annotations, extensions, interfaces string }

func (h hostile) assemble(t testing.TB) []uint32 {
	if !strings.Contains(h.types, "%t =") {
		h.types += "%t = OpTypeStruct %uint\n"
	}
	text := strings.NewReplacer("TYPES", "%true = OpConstantTrue %bool\n"+h.types, "FUNCTIONS", h.functions, "BODY", h.body,
		"OpDecorate %rs DescriptorSet 0", h.annotations+"OpDecorate %rs DescriptorSet 0", "OpMemoryModel",
		h.extensions+"OpMemoryModel",
		"%v %record\n", "%v %record"+h.interfaces+"\n").Replace(tracing)
	return glsltest.Assemble(t, text)
}

// BenchmarkGrowth links shaders of growing sizes: time, and bytes allocated, should grow as they do.
func BenchmarkGrowth(b *testing.B) {
	rt := runtimeModule(b)
	for _, g := range growing {
		for _, n := range []int{1000, 2000, 4000, 8000} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(g.name, " ", "-"), n), func(b *testing.B) {
				code := g.make(n).assemble(b)
				b.ReportAllocs()
				b.ReportMetric(float64(4*len(code)), "input-bytes")
				for b.Loop() {
					if r, err := Link(b.Context(), rt, []Stage{{Name: g.name, Kind: Raygen, Code: code}},
						Options{}); err != nil {
						b.Logf("%v", err)
					} else {
						b.ReportMetric(float64(4*len(r.Code)), "output-bytes")
					}
				}
			})
		}
	}
}

// TestGrowth holds that twice the shader is at most about twice the work and memory, or as many times as the linked module is
// larger. Work is what passes count themselves (limits.go).
func TestGrowth(t *testing.T) {
	rt := runtimeModule(t)
	for _, g := range growing {
		t.Run(g.name, func(t *testing.T) {
			type cost struct{ work, bytes, words float64 }
			measure := func(n int) (cost, error) {
				code := g.make(n).assemble(t)
				j := newJob(t.Context(), Options{})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				at, err := link(j, rt, []Stage{{Name: g.name, Kind: Raygen, Code: code}}, passes)
				runtime.ReadMemStats(&after)
				c := cost{work: float64(j.done), bytes: float64(after.TotalAlloc - before.TotalAlloc),
					words: float64(len(code))}
				if err == nil {
					c.words += float64(len(at.(*completed).result.Code) - len(rt))
				}
				return c, err
			}
			none, err := measure(16) // what the runtime takes
			if err != nil {
				t.Fatal(err)
			}
			small, err := measure(1000)
			if err != nil {
				t.Fatal(err)
			}
			large, err := measure(2000)
			if err != nil {
				t.Fatal(err)
			}
			grown := (large.words - none.words) / (small.words - none.words)
			work, bytes := (large.work-none.work)/(small.work-none.work), (large.bytes-none.bytes)/(small.bytes-none.bytes)
			t.Logf("words %.2f, work %.2f (%.0f), bytes %.2f (%.0f MB)", grown, work, large.work, bytes, large.bytes/1e6)
			if most := 1.2 * grown; work > most || bytes > 1.1*most {
				t.Errorf("%.2f times the words take %.2f times the work and %.2f times the memory", grown, work, bytes)
			}
		})
	}
}
