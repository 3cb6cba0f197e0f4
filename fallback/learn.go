package fallback

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// Which form is faster depends on what lanes meet: of the same pipeline, one kernel takes 0.55 times as long as the wavefront form
// where most rays miss (DamagedHelmet), and 1.47 times in sponza (H200); where launches are small and shaders diverge, the sorted
// form takes 0.84 times as long. So where FormAuto takes the wavefront form on a GPU, its rivals are compiled in the background,
// one after the other, once the pipeline is launched a second time, and some launches of each size are timed in the forms in turn,
// by timestamps of their own. Then the fastest one runs launches of that size. Results are the same in all. Whoever asks for a form
// gets it, and nothing is timed.

const (
	// timedLaunches is how many launches of a size are timed in a form. The shortest counts: others may have waited.
	timedLaunches = 4
	// maxSizes bounds the sizes that are told apart; all others run in rounds.
	maxSizes = 32
)

// launchSize is what launches have in common that are taken to be alike: the ray generation shader, and the number of places but
// for a factor of two.
type launchSize struct {
	raygen vk.DeviceAddress
	log2   int
}

// Choice tells how launches of a size run, and why: what a launch took in the wavefront form, as one kernel and in the sorted form,
// 0 where that is not known yet.
type Choice struct {
	Places                   uint64 // of a launch, but for a factor of two: the least
	Form                     rt.Form
	Wavefront, Alone, Sorted time.Duration
}

// The forms that are compared: the wavefront form, and its rivals.
const (
	inRounds = iota
	asOne
	inSorted
	learnedForms
)

// rivalForms are what the numbers say.
var rivalForms = [learnedForms]rt.Form{inRounds: rt.FormWavefront, asOne: rt.FormMonolithic, inSorted: rt.FormSorted}

// rival is a pipeline's kernel in another form.
type rival struct {
	lateKernel
	tiles uint32 // of a workgroup, once it is made
}

// learner is a pipeline's other forms, and what is known of each.
type learner struct {
	rivals [learnedForms]rival // none in place of the wavefront form
	timer  vk.Timer

	mu       sync.Mutex
	launches int
	sizes    map[launchSize]*learned
	used     int // spans of the timer
}

// learned is what is known of launches of a size.
type learned struct {
	launches int
	timed    [learnedForms][]int // of a form, the spans of its launches
}

// newLearner makes what a pipeline learns with, nil if there is nothing to choose or no way to time it.
func (p *Pipeline) newLearner() (*learner, error) {
	cpu := p.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu && !p.options.learns
	if p.wave == nil || p.options.Form != rt.FormAuto || len(p.options.Libraries) > 0 || p.stats.Reorders || cpu {
		return nil, nil
	}
	timer, err := p.dev.NewTimer(p.options.Name+", times of launches", learnedForms*timedLaunches*maxSizes)
	if timer == nil || err != nil {
		return nil, err
	}
	l := &learner{sizes: map[launchSize]*learned{}, timer: timer}
	for form := asOne; form < learnedForms; form++ {
		l.rivals[form].compile = func(ctx context.Context) (vk.Kernel, error) { return p.compileRival(ctx, l, form) }
	}
	return l, nil
}

// errOtherNumbers says that another form has other handles than the tables that exist, other numbers than faults are told by, or
// another stack.
var errOtherNumbers = errors.New("the form numbers its shaders otherwise")

// compileRival makes the pipeline in another form.
func (p *Pipeline) compileRival(ctx context.Context, l *learner, form int) (vk.Kernel, error) {
	o := p.options
	o.Form = rivalForms[form]
	linked, _, err := o.link(ctx, false)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(linked.Entries, p.entries) {
		return nil, errOtherNumbers
	}
	if form == inSorted {
		unknown := func(o link.Owner) bool { return !slices.Contains(p.owners, o) }
		if !slices.Equal(linked.Frames, p.frames) || slices.ContainsFunc(linked.Owners, unknown) {
			return nil, errOtherNumbers
		}
	}
	l.rivals[form].tiles = link.Tiles(linked.Code)
	return p.dev.NewKernelContext(ctx, vk.KernelOptions{
		Name: fmt.Sprintf("%s, %v", o.Name, o.Form), Code: linked.Code, Layout: p.layout, Cache: o.Cache.driver()})
}

func (l *learner) destroy() {
	if l == nil {
		return
	}
	for form := asOne; form < learnedForms; form++ {
		l.rivals[form].destroy()
	}
	l.timer.Destroy()
}

// compile has the next rival compiled that is not yet, one at a time.
func (l *learner) compile() {
	for form := asOne; form < learnedForms; form++ {
		select {
		case <-l.rivals[form].begin():
		default:
			return
		}
	}
}

// choose says how a launch is to run, and which of the timer's spans it is, if timed.
func (l *learner) choose(t *Trace, may bool) (form, span int, timed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.launches++; l.launches >= 2 {
		l.compile()
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
	if form, ok := l.next(s); ok && may {
		span := l.used
		l.used++
		s.timed[form] = append(s.timed[form], span)
		return form, span, true
	}
	return l.fastest(s), 0, false
}

// next returns the form that is to be timed next, if one is. Times are comparable only if they are taken in turn, with no compiler
// beside them: a GPU's clock rises in the first launches, and in small ones the host counts.
func (l *learner) next(s *learned) (form int, ok bool) {
	rivals := false
	for other := asOne; other < learnedForms; other++ {
		if !l.rivals[other].ended() {
			return inRounds, false
		}
		rivals = rivals || l.rivals[other].ready()
	}
	for other := range s.timed {
		if (other == inRounds || l.rivals[other].ready()) && len(s.timed[other]) < len(s.timed[form]) {
			form = other
		}
	}
	return form, rivals && len(s.timed[form]) < timedLaunches
}

func sizeOf(t *Trace) launchSize {
	return launchSize{t.Raygen.Address, bits.Len64(uint64(t.Width) * uint64(t.Height) * uint64(t.Depth))}
}

// fastest compares the forms of which all times are there, if the wavefront form is one.
func (l *learner) fastest(s *learned) int {
	best, least := inRounds, l.shortest(s.timed[inRounds])
	for form := asOne; form < learnedForms; form++ {
		if d := l.shortest(s.timed[form]); d > 0 && d < least {
			best, least = form, d
		}
	}
	return best
}

// shortest returns the shortest of a form's times, 0 unless all are there.
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
		form := rivalForms[l.fastest(s)]
		if form == rt.FormWavefront {
			form = p.stats.Form // which may suspend traversal
		}
		list = append(list, Choice{Places: 1 << (size.log2 - 1), Form: form,
			Wavefront: l.shortest(s.timed[inRounds]), Alone: l.shortest(s.timed[asOne]), Sorted: l.shortest(s.timed[inSorted])})
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
	if form != inRounds {
		record = func(cb Recorder, t *Trace) error { return p.recordRival(cb, t, form) }
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

// recordRival records a launch by the kernel of another form.
func (p *Pipeline) recordRival(cb Recorder, t *Trace, form int) error {
	plan, err := p.planOne(cb, t, rivalForms[form], p.learner.rivals[form].tiles, kernelRivals+form)
	if err != nil {
		return fmt.Errorf("trace rays with pipeline %q: %w", p.options.Name, err)
	}
	plan.Record(cb, t.Sets, t.DynamicOffsets)
	return nil
}
