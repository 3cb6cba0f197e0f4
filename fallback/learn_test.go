package fallback

import (
	"context"
	"slices"
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

// TestChoose: the first launch of a size is not timed, then some are, in each form that is made; once all times are there the
// fastest form runs, and the wavefront form until then.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name string
		took [learnedForms]time.Duration // 0 for a form that cannot be made
		want int
	}{
		{"rounds are faster", [...]time.Duration{100, 300, 0}, inRounds},
		{"one kernel is faster", [...]time.Duration{300, 100, 0}, asOne},
		{"rounds are the fastest of all", [...]time.Duration{100, 300, 101}, inRounds},
		{"one kernel is the fastest of all", [...]time.Duration{300, 100, 200}, asOne},
		{"the sorted form is the fastest of all", [...]time.Duration{300, 200, 100}, inSorted},
		{"the sorted form is the only rival", [...]time.Duration{300, 0, 100}, inSorted},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := toldTimes{}
			l := &learner{sizes: map[launchSize]*learned{}, timer: times}
			made := l.tell(c.took)
			launch := &Trace{Width: 640, Height: 360, Depth: 1}
			for range 3 {
				if form, _, timed := l.choose(launch, true); form != inRounds || timed {
					t.Fatal("something is timed before there is a choice")
				}
			}
			close(made)
			var at [learnedForms][]int
			for range timedLaunches { // in turn
				for want, d := range c.took {
					if d == 0 {
						continue
					}
					form, place, timed := l.choose(launch, true)
					if !timed || form != want {
						t.Fatalf("form %d, timed %t, want form %d in its turn", form, timed, want)
					}
					at[form] = append(at[form], place)
				}
			}
			for i := range timedLaunches { // the first one of each is slow
				if form, _, timed := l.choose(launch, true); form != inRounds || timed {
					t.Error("a choice before all times are there")
				}
				for form, d := range c.took {
					if d > 0 {
						times[at[form][i]] = d + time.Duration(timedLaunches-1-i)*1000
					}
				}
			}
			if form, _, timed := l.choose(launch, true); form != c.want || timed {
				t.Errorf("form %d, timed %t, want %d", form, timed, c.want)
			}
			if got := l.shortest(at[c.want]); got != c.took[c.want] {
				t.Errorf("it took %v, want %v", got, c.took[c.want])
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

// tell says that somebody compiles the forms that take some time, until made is closed, and that others cannot be made.
func (l *learner) tell(took [learnedForms]time.Duration) (made chan struct{}) {
	made = make(chan struct{})
	for form := asOne; form < learnedForms; form++ {
		r := &l.rivals[form]
		if r.done = made; took[form] == 0 {
			r.err = errOtherNumbers
		}
	}
	return made
}

// TestRivalsComeInTurn: the forms are compiled one after the other, from the second launch on.
func TestRivalsComeInTurn(t *testing.T) {
	l := &learner{sizes: map[launchSize]*learned{}, timer: toldTimes{}}
	var begun []int
	let := make(chan struct{})
	for form := asOne; form < learnedForms; form++ {
		l.rivals[form].compile = func(context.Context) (vk.Kernel, error) {
			begun = append(begun, form)
			<-let
			return nil, nil
		}
	}
	launch := &Trace{Width: 8, Height: 8, Depth: 1}
	l.choose(launch, true)
	if l.rivals[asOne].done != nil {
		t.Error("something is compiled for one launch")
	}
	for form := asOne; form < learnedForms; form++ {
		for range 3 {
			l.choose(launch, true)
		}
		for other := asOne; other < learnedForms; other++ {
			if begins := l.rivals[other].done != nil; begins != (other <= form) {
				t.Fatalf("with form %d under way, form %d has begun: %t", form, other, begins)
			}
		}
		let <- struct{}{}
		<-l.rivals[form].done
	}
	if !slices.Equal(begun, []int{asOne, inSorted}) {
		t.Errorf("compiled %v", begun)
	}
}

// TestChooseIsBounded: sizes beyond a number run in rounds, untimed.
func TestChooseIsBounded(t *testing.T) {
	times := toldTimes{}
	l := &learner{sizes: map[launchSize]*learned{}, timer: times}
	close(l.tell([...]time.Duration{1, 1, 1}))
	timed := 0
	for k := range uint64(3 * maxSizes) {
		for range 2 + learnedForms*timedLaunches {
			if _, at, ok := l.choose(&Trace{Width: 8, Height: 8, Depth: 1, Raygen: vk.StridedRegion{Address: k}}, true); ok {
				timed++
				times[at] = 1
			}
		}
	}
	if timed != learnedForms*timedLaunches*maxSizes {
		t.Errorf("%d launches are timed, want %d", timed, learnedForms*timedLaunches*maxSizes)
	}
}
