package fallback

import (
	"testing"
	"time"

	"github.com/everray/everray/vk"
)

// toldTimes is a timer whose spans took what they are told to.
type toldTimes map[int]time.Duration

func (m toldTimes) CanTime(vk.Recorder) bool { return true }
func (m toldTimes) Begin(vk.Recorder, int) (func() error, error) {
	return func() error { return nil }, nil
}
func (m toldTimes) Took(span int) time.Duration { return m[span] }
func (m toldTimes) Destroy()                    {}

// TestChoose: the first launch of a size is not timed, then some are, in either form; once all times are there the faster form
// runs, and the wavefront form until then.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name        string
		rounds, one time.Duration
		want        int
	}{
		{"rounds are faster", 100, 300, inRounds},
		{"one kernel is faster", 300, 100, asOne},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := toldTimes{}
			l := &learner{sizes: map[launchSize]*learned{}, timer: times}
			made := make(chan struct{})
			l.alone.done = made // somebody compiles it
			launch := &Trace{Width: 640, Height: 360, Depth: 1}
			for range 3 {
				if form, _, timed := l.choose(launch, true); form != inRounds || timed {
					t.Fatal("something is timed before there is a choice")
				}
			}
			close(made)
			var at [2][]int
			for range 2 * timedLaunches {
				form, place, timed := l.choose(launch, true)
				if !timed {
					t.Fatal("a launch is not timed")
				}
				at[form] = append(at[form], place)
			}
			if len(at[inRounds]) != timedLaunches || len(at[asOne]) != timedLaunches {
				t.Fatalf("%d and %d launches are timed", len(at[inRounds]), len(at[asOne]))
			}
			for i := range timedLaunches { // the first one of each is slow
				if form, _, timed := l.choose(launch, true); form != inRounds || timed {
					t.Error("a choice before all times are there")
				}
				slow := time.Duration(timedLaunches-1-i) * 1000
				times[at[inRounds][i]], times[at[asOne][i]] = c.rounds+slow, c.one+slow
			}
			if form, _, timed := l.choose(launch, true); form != c.want || timed {
				t.Errorf("form %d, timed %t, want %d", form, timed, c.want)
			}
			if got := l.shortest(at[asOne]); got != c.one {
				t.Errorf("one kernel took %v, want %v", got, c.one)
			}
			other := &Trace{Width: 64, Height: 64, Depth: 1}
			if form, _, timed := l.choose(other, true); form != inRounds || timed {
				t.Error("the first launch of another size is timed, or takes the choice of this one")
			}
			raygen := &Trace{Width: 640, Height: 360, Depth: 1, Raygen: vk.StridedRegion{Address: 64}}
			if form, _, _ := l.choose(raygen, true); form != inRounds {
				t.Error("another ray generation shader takes the choice of this one")
			}
			if form, _, timed := l.choose(launch, false); form != c.want || timed {
				t.Error("a secondary command buffer does not take the choice")
			}
		})
	}
}

// TestChooseIsBounded: sizes beyond a number run in rounds, untimed.
func TestChooseIsBounded(t *testing.T) {
	times := toldTimes{}
	l := &learner{sizes: map[launchSize]*learned{}, timer: times}
	made := make(chan struct{})
	close(made)
	l.alone.done = made
	timed := 0
	for k := range uint64(3 * maxSizes) {
		for range 2 + 2*timedLaunches {
			if _, at, ok := l.choose(&Trace{Width: 8, Height: 8, Depth: 1, Raygen: vk.StridedRegion{Address: k}}, true); ok {
				timed++
				times[at] = 1
			}
		}
	}
	if timed != 2*timedLaunches*maxSizes {
		t.Errorf("%d launches are timed, want %d", timed, 2*timedLaunches*maxSizes)
	}
}
