package link

import (
	"slices"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

const loopsInLoops = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float p;
void main() {
    for (int i = 0; i < 4; i++) {
        if (p > 3.0) break;
        for (int k = 0; k < i; k++) { if (p < 1.0) continue; p += 1.0; }
        p = sin(p);
    }
    do { p *= 0.5; } while (p > 9.0);
    if (p < 2.0) { while (true) { p += 2.0; if (p > 7.0) { p = 1.0; break; } } }
    p += 1.0;
}
`

// TestTurnsOfBlocks compares the walk with what a loop is: all that its header dominates, less what its merge block does.
func TestTurnsOfBlocks(t *testing.T) {
	sources := []string{loopsInLoops, heavyHit, lightHit}
	stages := []string{"rchit", "rchit", "rchit"}
	for _, s := range shapes.All() {
		sources, stages = append(sources, s.Raygen), append(stages, "rgen")
	}
	loops := 0
	for i, source := range sources {
		m, err := spirv.Decode(glsltest.Compile(t, stages[i], source))
		if err != nil {
			t.Fatal(err)
		}
		l := &linked{job: newJob(t.Context(), Options{}), out: m}
		for _, f := range m.Functions {
			got, want := l.turnsOfBlocks(f), turnsByDominance(l, f)
			if !slices.Equal(got, want) {
				t.Errorf("source %d: got %v, want %v", i, got, want)
			}
			if slices.Contains(want, loopTurns) && slices.Contains(want, 1) {
				loops++
			}
		}
	}
	if loops < 10 {
		t.Errorf("%d functions with loops, want 10 at least", loops)
	}
}

// turnsByDominance takes loops times blocks.
func turnsByDominance(l *linked, f *spirv.Function) []int {
	c := l.cfg(f)
	turns := make([]int, len(f.Blocks))
	for b := range turns {
		turns[b] = 1
		for h, block := range f.Blocks {
			merge, cont := block.Merges()
			exit, left := c.Index[merge]
			if cont != 0 && c.Dominates(h, b) && !(left && c.Dominates(exit, b)) {
				turns[b] = loopTurns
			}
		}
	}
	return turns
}
