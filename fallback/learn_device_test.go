package fallback_test

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
)

// TestLearning: a pipeline of FormAuto's wavefront form times its launches, in every form with the same results, and runs the
// fastest one from then on.
func TestLearning(t *testing.T) {
	contents := [][]uint32{make([]uint32, nullLanes), {5}, {0}}
	r := newNullRig(t, contents...)
	stages := []rt.Stage{{
		Kind: rt.Raygen, Code: glsltest.Compile(t, "rgen", strings.Replace(longLoop, "TIMES", "times.most", 1))}}
	for i := range 4 { // heavy ones, of which the first runs
		stages = append(stages, rt.Stage{Kind: rt.Miss, Code: glsltest.Compile(t, "rmiss", heavyMiss(i))})
	}
	var choices []fallback.Choice
	launches := 1
	r.more = func(p *fallback.Pipeline, launch func()) {
		if s := p.Stats(); s.Form != rt.FormWavefront {
			t.Fatalf("the form is %v", s.Form)
		}
		if err := p.CompileOthers(); err != nil {
			t.Fatal(err)
		}
		result := r.buffers[0].Mapped()
		want := slices.Clone(result)
		for range 20 {
			clear(result)
			launch()
			if launches++; !slices.Equal(result, want) {
				t.Fatalf("launch %d has other results", launches)
			}
		}
		choices = p.Stats().Choices
	}
	got := r.run(t, rt.FormAuto, contents, stages...)
	if binary.LittleEndian.Uint32(r.buffers[0].Mapped()) == 0 || len(got) != len(contents) {
		t.Error("no result")
	}
	if len(choices) != 1 {
		t.Fatalf("%d sizes", len(choices))
	}
	c := choices[0]
	least := min(c.Wavefront, c.Alone, c.Sorted)
	took := map[rt.Form]time.Duration{rt.FormWavefront: c.Wavefront, rt.FormMonolithic: c.Alone, rt.FormSorted: c.Sorted}[c.Form]
	if c.Places != 64 || least <= 0 || took != least {
		t.Errorf("the choice is %+v", c)
	}
}

// heavyMiss is a miss shader that FormAuto takes for heavy.
func heavyMiss(i int) string {
	steps := strings.Repeat("p = p * 1664525u + 1013904223u; p ^= p >> 7u;\n", 10)
	return strings.Replace(longMiss, "p = p * 5u + 7u;", "for (uint i = 0u; i < (p & 7u) + 1u; i++) {\n"+steps+"}\np += "+
		strconv.Itoa(i)+"u;", 1)
}
