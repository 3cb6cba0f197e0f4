package link

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everray/everray/fallback/spirv"
)

// The wavefront form: the state functions of the megakernel in several kernels, with the lanes' states in memory between
// them. See shaders/fallback/wave.glsl for what the kernels do, and fallback/wavefront.go for how they follow each other.

const (
	// resumeLanes is how many lanes a workgroup has that resumes and traces, as RT_WAVE_MOST_LANES at most: 128 take the H200 2%
	// longer. Workgroups that shade have RT_WAVE_LANES.
	resumeLanes = 64
	shadeLanes  = 64
)

// Wave is what the wavefront form consists of, beside the tail, which is Result.Code.
type Wave struct {
	// Resume is the kernel of ray generation shaders and traversal, Shade are those of hit, miss and callable shaders.
	Resume []uint32
	Shade  [][]uint32
	// Quads are how many quads (16 bytes) of memory the state of a lane takes, beside its stack.
	Quads uint32
	// Segments are the dispatches of a round's shading.
	Segments []Segment
	// Bins is the number of bins that lanes are sorted into. The bin of a state follows from its number: one of a hit or miss
	// shader is (state - 3) >> Shift, one from FirstContinue on ContinueBin + (state - FirstContinue) >> Shift.
	Bins, Shift, ContinueBin, FirstContinue uint32
	// SharedBins is how many bins the kernels that sort have room for in shared memory, Bins at least.
	SharedBins uint32
	// Rounds is how many rounds end every lane; 0 if no number does.
	Rounds uint32
	// Keys is how many keys lanes are sorted by that wait at reorders of ray generation shaders, 0 if there are none.
	Keys uint32
	// Lanes is how many lanes a workgroup of the kernels has, but for those that shade.
	Lanes uint32
	// Suspends tells whether traversal is suspended at candidates; then the last of Shade are kernels of any hit and intersection
	// shaders.
	Suspends bool
}

// Segment is a range of bins that a kernel shades.
type Segment struct {
	Kernel int // in Wave.Shade
	First  uint32
}

// wavefront is FormWavefront. Stages past the budget of state functions have one function, as in the other forms.
type wavefront struct {
	blocks
	// suspended is FormSuspended: where there are any hit or intersection shaders, they have kernels of their own.
	suspended bool
	plan      *wavePlan
}

func (f *wavefront) dispatch(l *assembly) error {
	f.plan = l.planWave(f.suspended)
	return f.plan.number(l) // each kernel gets bodies of its own
}

// waveKernel is a kernel to be made.
type waveKernel struct {
	name      string
	main      routine
	runs      func(part int) bool
	traverses bool
	states    [2]uint32    // that it goes on with
	goesOn    bool         // one of them may follow another
	lanes     uint32       // of a workgroup
	answers   map[int]bool // miss shaders that it has for rays which skip closest hit shaders
	decides   map[int]bool // any hit and intersection shaders that it runs by themselves
	tail      bool
}

// make makes a kernel.
func (f *wavefront) make(l *assembly, k waveKernel, needs laneNeeds) (*assembly, error) {
	c := f.kernel(l, k, needs)
	if l.options.Check {
		if err := spirv.Verify(c.out); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.name, err)
		}
	}
	if l.options.AfterPass != nil {
		if err := l.options.AfterPass("kernel "+k.name, c.out); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.name, err)
		}
	}
	return c, nil
}

// makeAll makes kernels and encodes them, on all cores but where tests watch.
func (f *wavefront) makeAll(l *assembly, kernels []waveKernel, needs laneNeeds) (made []*assembly, codes [][]uint32, err error) {
	made, codes = make([]*assembly, len(kernels)), make([][]uint32, len(kernels))
	errs := make([]error, len(kernels))
	one := func(i int) {
		defer func() {
			if p := recover(); p != nil {
				errs[i] = l.recovered("kernel "+kernels[i].name, p)
			}
		}()
		if made[i], errs[i] = f.make(l, kernels[i], needs); errs[i] == nil {
			codes[i] = made[i].out.Encode()
		}
	}
	cores := runtime.GOMAXPROCS(0)
	if l.options.Check || l.options.AfterPass != nil {
		cores = 1
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(cores, len(kernels)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(kernels); i = int(next.Add(1)) - 1 {
				one(i)
			}
		})
	}
	wait.Wait()
	return made, codes, errors.Join(errs...)
}

// kernels lists what is to be made: the tail last, the kernels that shade before it.
func (f *wavefront) kernels(l *assembly) []waveKernel {
	w := f.plan
	raygens := func(i int) bool { return l.parts[i].model == Raygen }
	answers := w.answerers(l)
	list := []waveKernel{
		{name: "resume", main: l.symbols.RtWaveResume, traverses: true, states: w.resume, goesOn: l.callsShaders(),
			runs: func(i int) bool { return raygens(i) || answers[i] }, answers: answers},
	}
	tail := l.symbols.RtWaveTail
	if w.asks != nil {
		list[0].main, list[0].traverses, tail = l.symbols.RtWaveResumeOn, false, l.symbols.RtWaveTailOn
	}
	for i, k := range w.kernels {
		mine := map[int]bool{}
		for _, p := range k.parts {
			mine[p] = true
		}
		list = append(list, waveKernel{
			name: fmt.Sprintf("shade %d", i), main: l.symbols.RtWaveShade, states: k.resumed, goesOn: k.resumed[0] < k.resumed[1],
			runs: func(i int) bool { return mine[i] }, lanes: shadeLanes,
		})
	}
	if w.reorders {
		list = append(list, waveKernel{
			name: "sorted", main: l.symbols.RtWaveShade, states: w.resume, goesOn: true, runs: raygens, lanes: shadeLanes,
		})
	}
	list = append(list, w.asks.kernelsOf(l)...)
	all := func(int) bool { return true }
	list = append(list, waveKernel{name: "tail", main: tail, traverses: true, goesOn: true, runs: all, tail: true})
	for i := range list {
		if list[i].lanes == 0 {
			list[i].lanes = resumeLanes
		}
	}
	return list
}

// finish makes the kernels.
func (f *wavefront) finish(l *assembly) (*Result, error) {
	w, needs := f.plan, l.laneNeeds()
	needs.nested = needs.nested || w.reorders
	if w.asks != nil {
		needs = l.suspendNeeds(needs)
	}
	needs.ray = needs.ray || len(w.answerers(l)) > 0 // lanes keep rays there
	if l.kernelsOnly || len(l.options.Libraries) > 0 {
		needs = needs.all() // so that kernels do not depend on what others read
	}
	out := &Wave{
		Quads: needs.quads() + w.asks.quads(l), Segments: w.segments(), Bins: w.bins, Shift: w.shift, ContinueBin: w.shades,
		FirstContinue: w.first, SharedBins: w.sharedBins(), Lanes: resumeLanes, Suspends: w.asks != nil,
	}
	if w.asks == nil { // else each candidate takes a round
		out.Rounds = l.boundRounds()
	}
	if w.reorders {
		out.Keys = reorderBins
	}
	kernels := f.kernels(l)
	if l.kernelsOnly {
		kernels = kernels[1 : 1+len(w.kernels)]
	}
	made, codes, err := f.makeAll(l, kernels, needs)
	if err != nil {
		return nil, err
	}
	if l.kernelsOnly {
		out.Shade = codes
		return &Result{Form: f.number(), Wave: out}, nil
	}
	out.Resume, out.Shade = codes[0], codes[1:len(codes)-1]
	last := made[len(made)-1]
	l.out, l.types = last.out, last.types
	r := l.makeResult(f.number())
	r.Wave = out
	return r, nil
}

// number is the form's.
func (f *wavefront) number() Form {
	if f.suspended {
		return FormSuspended
	}
	return FormWavefront
}

// kernel copies what a kernel needs of the module and completes it.
func (f *wavefront) kernel(l *assembly, k waveKernel, needs laneNeeds) *assembly {
	c, own, j := *l, *l.linked, *l.job
	c.linked, own.job = &own, &j
	whole := *l.out
	whole.Functions = l.functionsOf(k)
	c.out = whole.Clone()
	j.grows = c.out
	c.types = newInterner(c.out)
	c.emitWaveHooks(k)
	t, y := c.types, l.symbols
	boolean := func(v bool) spirv.ID {
		if v {
			return t.declare(spirv.OpConstantTrue, t.boolean())
		}
		return t.declare(spirv.OpConstantFalse, t.boolean())
	}
	for _, constant := range []struct {
		hook  routine
		value spirv.ID
	}{
		{y.RtWaveFirst, t.u32(k.states[0])}, {y.RtWaveEnd, t.u32(k.states[1])},
		{y.RtWaveObjects, boolean(slices.ContainsFunc(l.parts, func(p part) bool { return p.hitObjects }))},
		{y.RtWaveGoesOn, boolean(k.goesOn)}, {y.RtWaveLanes, t.u32(k.lanes)},
	} {
		c.emitConstant(constant.hook, constant.value)
	}
	c.emitLaneNeeds(needs)
	c.emitAnswers(k.answers)
	f.plan.emitReorders(&c, !k.tail)
	f.plan.asks.emit(&c, k)
	c.emitAgreement(func(p *part) bool { return needs.nested || p.model == Raygen })
	c.emitArgument(l.symbols.RtWaveAddress, 1)
	c.emitArgument(l.symbols.RtWaveArgument, 2)
	c.forward(l.symbols.RtPlaceLane, l.symbols.RtPlaceWave)
	c.emitKernel(k.main)
	c.setLanes(k.lanes)
	c.resizeArray(l.symbols.RtWaveCounts, f.plan.sharedBins())
	c.finishModule()
	if !k.tail { // which is the pipeline's own in any case
		c.out.Canonise()
	}
	return &c
}

// has tells whether a shader is in the kernel: any hit and intersection shaders are where rays are traversed.
func (k *waveKernel) has(parts []part, i int) bool {
	if m := parts[i].model; m == AnyHit || m == Intersection {
		return k.traverses || k.decides[i]
	}
	return k.runs != nil && k.runs(i)
}

// emitWaveHooks writes the hooks of a kernel.
func (l *assembly) emitWaveHooks(k waveKernel) {
	cases := l.stateCasesOf(func(i int) bool { return k.has(l.parts, i) })
	l.emitStructures()
	l.emitSwitch(l.symbols.RtShade, cases.shades)
	l.emitSwitch(l.symbols.RtContinue, cases.goOn)
	l.emitTraversalHooks(cases)
}

// functionsOf returns those of the runtime and what the kernel's shaders reach.
func (l *assembly) functionsOf(k waveKernel) []*spirv.Function {
	byID := map[spirv.ID]*spirv.Function{}
	for _, f := range l.out.Functions {
		byID[f.Def.Result] = f
	}
	kept := map[spirv.ID]bool{}
	var work []spirv.ID
	keep := func(id spirv.ID) {
		if id >= l.runtimeBound && !kept[id] {
			kept[id] = true
			work = append(work, id)
		}
	}
	for i := range l.parts {
		if !k.has(l.parts, i) {
			continue
		}
		for _, id := range l.parts[i].functions() {
			keep(id)
		}
	}
	for len(work) > 0 {
		f := byID[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, b := range f.Blocks {
			for i := range b.Insts {
				if b.Insts[i].Op == spirv.OpFunctionCall {
					keep(b.Insts[i].FunctionCall().Function())
				}
			}
		}
	}
	var list []*spirv.Function
	for _, f := range l.out.Functions {
		if id := f.Def.Result; id < l.runtimeBound || kept[id] {
			list = append(list, f)
		}
	}
	return list
}
