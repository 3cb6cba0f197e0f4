package fallback

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// Which form is faster depends on what lanes meet: of the same pipeline, one kernel takes 0.55 times as long as the wavefront form
// where most rays miss (DamagedHelmet), and 1.47 times in sponza (H200). So where FormAuto takes the wavefront form on a GPU and
// the monolithic form could run the pipeline, too, that is compiled in the background once the pipeline is launched a second time,
// and some launches of each size are timed in either form, by timestamps of their own. Then the faster one runs launches of that
// size. Results are the same in both. Whoever asks for a form gets it, and nothing is timed.

const (
	// timedLaunches is how many launches of a size are timed in a form. The shortest counts: others may have waited.
	timedLaunches = 3
	// maxSizes bounds the sizes that are told apart; all others run in rounds.
	maxSizes = 32
)

// launchSize is what launches have in common that are taken to be alike: the ray generation shader, and the number of places but
// for a factor of two.
type launchSize struct {
	raygen vk.DeviceAddress
	log2   int
}

// Choice tells how launches of a size run, and why: what a launch took in the wavefront form and as one kernel, 0 where that
// is not known yet.
type Choice struct {
	Places           uint64 // of a launch, but for a factor of two: the least
	Form             rt.Form
	Wavefront, Alone time.Duration
}

// learner is a pipeline's other form, and what is known of either.
type learner struct {
	alone lateKernel
	tiles uint32 // of a workgroup, once alone is made
	timer vk.Timer

	mu       sync.Mutex
	launches int
	sizes    map[launchSize]*learned
	used     int // spans of the timer
}

// learned is what is known of launches of a size.
type learned struct {
	launches int
	timed    [2][]int // of a form, the spans of its launches: of rounds, and of one kernel
}

// newLearner makes what a pipeline learns with, nil if there is nothing to choose or no way to time it.
func (p *Pipeline) newLearner() (*learner, error) {
	cpu := p.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu && !p.options.learns
	if p.wave == nil || p.options.Form != rt.FormAuto || len(p.options.Libraries) > 0 || p.stats.Reorders || cpu {
		return nil, nil
	}
	timer, err := p.dev.NewTimer(p.options.Name+", times of launches", 2*timedLaunches*maxSizes)
	if timer == nil || err != nil {
		return nil, err
	}
	l := &learner{sizes: map[launchSize]*learned{}, timer: timer}
	l.alone.compile = func(ctx context.Context) (vk.Kernel, error) { return p.compileAlone(ctx, l) }
	return l, nil
}

// errOtherNumbers says that the other form has other handles than the tables that exist.
var errOtherNumbers = errors.New("the monolithic form numbers its shaders otherwise")

// compileAlone makes the pipeline in the monolithic form.
func (p *Pipeline) compileAlone(ctx context.Context, l *learner) (vk.Kernel, error) {
	o := p.options
	o.Form = rt.FormMonolithic
	linked, _, err := o.link(ctx, false)
	if err != nil {
		return nil, err
	}
	for i, entry := range linked.Entries {
		if entry != p.entries[i] {
			return nil, errOtherNumbers
		}
	}
	l.tiles = link.Tiles(linked.Code)
	return p.dev.NewKernelContext(ctx, vk.KernelOptions{
		Name: o.Name + ", alone", Code: linked.Code, Layout: p.layout, Cache: o.Cache.driver()})
}

func (l *learner) destroy() {
	if l != nil {
		l.alone.destroy()
		l.timer.Destroy()
	}
}

// The forms that are compared.
const (
	inRounds = iota
	asOne
)

// choose says how a launch is to run, and which of the timer's spans it is, if timed.
func (l *learner) choose(t *Trace, may bool) (form, span int, timed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.launches++; l.launches == 2 {
		l.alone.begin()
	}
	size := sizeOf(t)
	s := l.sizes[size]
	if s == nil {
		if len(l.sizes) == maxSizes {
			return inRounds, 0, false
		}
		s = &learned{}
		l.sizes[size] = s
	}
	if s.launches++; s.launches == 1 {
		return inRounds, 0, false // perhaps the only one; it warms up, too
	}
	if !l.alone.ready() {
		return inRounds, 0, false
	}
	for form := range s.timed {
		if may && len(s.timed[form]) < timedLaunches {
			span := l.used
			l.used++
			s.timed[form] = append(s.timed[form], span)
			return form, span, true
		}
	}
	return l.faster(s), 0, false
}

func sizeOf(t *Trace) launchSize {
	return launchSize{t.Raygen.Address, bits.Len64(uint64(t.Width) * uint64(t.Height) * uint64(t.Depth))}
}

// faster compares the forms, once all times are there.
func (l *learner) faster(s *learned) int {
	rounds, one := l.shortest(s.timed[inRounds]), l.shortest(s.timed[asOne])
	if one > 0 && rounds > 0 && one < rounds {
		return asOne
	}
	return inRounds
}

// shortest returns the shortest of times, 0 unless all are there.
func (l *learner) shortest(spans []int) time.Duration {
	shortest := time.Duration(0)
	for _, s := range spans {
		d := l.timer.Took(s)
		if d == 0 {
			return 0
		}
		if shortest == 0 || d < shortest {
			shortest = d
		}
	}
	return shortest
}

// choices lists the sizes of launches whose form FormAuto has learned, or is about to.
func (p *Pipeline) choices() []Choice {
	l := p.learner
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []Choice
	for size, s := range l.sizes {
		if size.log2 == 0 {
			continue
		}
		c := Choice{Places: 1 << (size.log2 - 1), Form: rt.FormWavefront, Wavefront: l.shortest(s.timed[inRounds]),
			Alone: l.shortest(s.timed[asOne])}
		if l.faster(s) == asOne {
			c.Form = rt.FormMonolithic
		}
		list = append(list, c)
	}
	return list
}

// cmdLearned records a launch in the form that is best as far as is known, and times it as long as that is not known.
func (p *Pipeline) cmdLearned(cb Recorder, t *Trace) error {
	if err := t.validate(p); err != nil {
		return err
	}
	form, span, timed := p.learner.choose(t, p.learner.timer.CanTime(cb))
	record := p.record
	if form == asOne {
		record = p.recordAlone
	}
	if !timed {
		return record(cb, t)
	}
	end, err := p.learner.timer.Begin(cb, span)
	if err != nil {
		return fmt.Errorf("trace rays with pipeline %q: %w", p.options.Name, err)
	}
	if err := record(cb, t); err != nil {
		return err
	}
	return end()
}

// recordAlone records a launch by the kernel that has all shaders.
func (p *Pipeline) recordAlone(cb Recorder, t *Trace) error {
	params := p.known(t)
	params.launchSize = [3]uint32{t.Width, t.Height, t.Depth}
	var err error
	if params.pushConstants, err = uploadPushConstants(cb, t.PushConstants); err != nil {
		return fmt.Errorf("trace rays with pipeline %q: push constants: %w", p.options.Name, err)
	}
	g := newGrid(t.Width, t.Height, t.Depth, maxLaunchSize, p.learner.tiles)
	p.planGrid(&g, params, false, kernelAlone).Record(cb, t.Sets, t.DynamicOffsets)
	return nil
}
