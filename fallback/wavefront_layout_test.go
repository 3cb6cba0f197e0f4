package fallback

import (
	"slices"
	"testing"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/vk"
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

// numbered is a kernel that is known by its number.
type numbered int

func (numbered) Destroy() {}

// waving is a pipeline of the wavefront form with numbered kernels.
func waving(plan *link.Wave) *Pipeline {
	return &Pipeline{wave: &wavefront{plan: plan, scan: numbered(kernelScan), scatter: numbered(kernelScatter),
		resume: numbered(kernelResume), shade: []vk.Kernel{numbered(kernelShade), numbered(kernelShade + 1)},
		tail: &lateKernel{made: numbered(kernelLaunch)}}}
}

// TestWaveRounds: as many rounds as end every lane are recorded, and no tail; where there is no such number, some, and the tail.
func TestWaveRounds(t *testing.T) {
	for _, c := range []struct {
		rounds uint32
		want   []vk.Kernel
	}{
		{rounds: 1, want: []vk.Kernel{numbered(kernelScan), numbered(kernelResume)}},
		{rounds: 2, want: []vk.Kernel{numbered(kernelScan), numbered(kernelResume), numbered(kernelScan), numbered(kernelScatter),
			numbered(kernelShade), numbered(kernelShade + 1), numbered(kernelResume)}},
	} {
		p := waving(&link.Wave{Rounds: c.rounds, Segments: []link.Segment{{Kernel: 0}, {Kernel: 1, First: 1}}})
		plan := &Plan{}
		p.batch(plan, &waveLaunch{}, 0, waveStart{groups: [3]uint32{1, 1, 1}})
		var got []vk.Kernel
		for _, s := range plan.Steps {
			got = append(got, s.Kernel)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rounds: kernels %v, want %v", c.rounds, got, c.want)
		}
	}
	p, plan := waving(&link.Wave{Segments: []link.Segment{{}}}), &Plan{}
	p.batch(plan, &waveLaunch{}, 0, waveStart{groups: [3]uint32{1, 1, 1}})
	if last := plan.Steps[len(plan.Steps)-1]; last.Kernel != numbered(kernelLaunch) || len(plan.Steps) != 2+4*waveRounds {
		t.Errorf("%d steps, the last is kernel %v", len(plan.Steps), last.Kernel)
	}
}
