package fallback

import (
	"testing"

	"github.com/everray/everray/fallback/link"
)

// TestWaveHead looks at what a launch is told of the plan.
func TestWaveHead(t *testing.T) {
	w := &wavefront{scatterLanes: 107, plan: &link.Wave{
		Bins: 102, Shift: 103, ContinueBin: 104, FirstContinue: 105, Lanes: 108, Segments: []link.Segment{{First: 201}, {First: 202}},
	}}
	want := waveHead{capacity: 101, bins: 102, shift: 103, continueBin: 104, firstContinue: 105, segments: 2, scatterLanes: 107,
		resumeLanes: 108, bounds: [waveSegments + 1]uint32{201, 202, 102}}
	if got := w.head(101); *got != want {
		t.Errorf("%+v, want %+v", *got, want)
	}
}

// TestWaveRounds: as many rounds as end every lane are recorded, and no tail; where there is no such number, some, and the tail.
func TestWaveRounds(t *testing.T) {
	for _, c := range []struct {
		rounds uint32
		want   []int
	}{
		{rounds: 1, want: []int{kernelScan, kernelResume}},
		{rounds: 2, want: []int{kernelScan, kernelResume, kernelScan, kernelScatter, kernelShade, kernelShade + 1, kernelResume}},
	} {
		w := &wavefront{plan: &link.Wave{Rounds: c.rounds, Segments: []link.Segment{{Kernel: 0}, {Kernel: 1, First: 1}}}}
		plan := &Plan{}
		w.batch(plan, &waveLaunch{}, 0, WaitNone, Step{Groups: [3]uint32{1, 1, 1}})
		var got []int
		for _, s := range plan.Steps {
			got = append(got, s.Kernel)
		}
		if len(got) != len(c.want) {
			t.Fatalf("%d rounds: kernels %v, want %v", c.rounds, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%d rounds: kernels %v, want %v", c.rounds, got, c.want)
			}
		}
	}
	w := &wavefront{plan: &link.Wave{Segments: []link.Segment{{}}}}
	plan := &Plan{}
	w.batch(plan, &waveLaunch{}, 0, WaitNone, Step{Groups: [3]uint32{1, 1, 1}})
	if last := plan.Steps[len(plan.Steps)-1]; last.Kernel != kernelLaunch || len(plan.Steps) != 2+4*waveRounds {
		t.Errorf("%d steps, the last is kernel %d", len(plan.Steps), last.Kernel)
	}
}
