package fallback

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// The wavefront form: see shaders/fallback/wave.glsl for what its kernels do. Here is how they follow each other, and their
// memory.

const (
	waveSegments = 128  //glsl:RT_WAVE_SEGMENTS
	waveBins     = 1024 //glsl:RT_WAVE_BINS

	// What rtWaveResume and rtWaveTail are told, as RT_WAVE_... in wave.glsl.
	waveBegin = 2
	waveRest  = 4

	// waveListBytes is what a lane takes in the two lists and the queue.
	waveListBytes = 12

	// waveRounds is how many rounds are recorded of a pipeline whose loops nobody can bound. Those that find no lane alive
	// take the H200 some 5 us each.
	waveRounds = 10
	// suspendedRounds is the same where each candidate takes a round.
	suspendedRounds = 16
)

// wavefront is what the form has beside the tail.
type wavefront struct {
	plan          *link.Wave
	sortLayout    vk.KernelLayout
	scan, scatter vk.Kernel
	scatterLanes  uint32
	resume        vk.Kernel
	shade         []vk.Kernel
	tail          *lateKernel
}

// newWavefront compiles all kernels side by side but the tail: that is compiled in the background where launches need it, and
// where only indirect ones may, with the first of those.
func (p *Pipeline) newWavefront(ctx context.Context, name string, linked *link.Result) error {
	w := &wavefront{plan: linked.Wave, shade: make([]vk.Kernel, len(linked.Wave.Shade))}
	o := vk.KernelOptions{Name: name + ", tail", Code: linked.Code, Layout: p.layout, Cache: p.options.Cache.driver()}
	w.tail = &lateKernel{compile: func(ctx context.Context) (vk.Kernel, error) { return p.dev.NewKernelContext(ctx, o) }}
	if err := p.compileWavefront(ctx, name, w); err != nil {
		w.destroy()
		return err
	}
	if _, bounded := w.rounds(); !bounded {
		w.tail.begin()
	}
	p.wave = w
	return nil
}

func (p *Pipeline) compileWavefront(ctx context.Context, name string, w *wavefront) (err error) {
	if w.sortLayout, err = p.dev.NewKernelLayout(name+", sort", nil, wavePushBytes); err != nil {
		return err
	}
	w.scatterLanes = min(512, max(128, p.options.target.MaxLanes))
	scan, err := shaders.Load("fallback/wave_scan.comp")
	if err != nil {
		return err
	}
	scatter, err := shaders.Load("fallback/wave_scatter.comp")
	if err != nil {
		return err
	}
	jobs := []compileJob{
		{&w.resume, vk.KernelOptions{Name: name + ", resume", Code: w.plan.Resume, Layout: p.layout, Statistics: true}},
		{&w.scan, vk.KernelOptions{Name: name + ", scan", Code: scan, Layout: w.sortLayout}},
		{&w.scatter, vk.KernelOptions{
			Name: name + ", scatter", Code: scatter, Layout: w.sortLayout, Specialization: map[uint32]uint32{
				0: w.scatterLanes, 1: w.plan.SharedBins}}},
	}
	for i, code := range w.plan.Shade {
		jobs = append(jobs, compileJob{&w.shade[i], vk.KernelOptions{
			Name: fmt.Sprintf("%s, shade %d", name, i), Code: code, Layout: p.layout, Statistics: true}})
	}
	return compileAll(ctx, p.dev, p.options.kernelCache(), jobs)
}

// compileJob is a kernel to be compiled and where it goes.
type compileJob struct {
	into    *vk.Kernel
	options vk.KernelOptions
}

// compileAll compiles kernels on all cores, the first ones first. When the context ends, what has begun is finished.
func compileAll(ctx context.Context, dev Device, cache vk.KernelCache, jobs []compileJob) error {
	next := make(chan int)
	errs := make([]error, len(jobs))
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wait.Go(func() {
			for i := range next {
				o := jobs[i].options
				o.Cache = cache
				*jobs[i].into, errs[i] = dev.NewKernelContext(ctx, o)
			}
		})
	}
	for i := range jobs {
		if errs[i] = ctx.Err(); errs[i] != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	return errors.Join(errs...)
}

func (w *wavefront) destroy() {
	if w == nil {
		return
	}
	destroy(w.scan, w.scatter, w.resume)
	for _, k := range w.shade {
		destroy(k)
	}
	destroy(w.sortLayout)
	w.tail.destroy()
}

// kernelStats lists what the kernels are.
func (p *Pipeline) kernelStats() ([]KernelStats, error) {
	if p.wave == nil {
		return nil, nil
	}
	var list []KernelStats
	add := func(name string, code []uint32, k vk.Kernel) error {
		driver, err := vk.KernelStatistics(k)
		list = append(list, KernelStats{Name: name, CodeWords: len(code), Driver: driver})
		return err
	}
	err := add("resume", p.wave.plan.Resume, p.wave.resume)
	for i, k := range p.wave.shade {
		err = errors.Join(err, add(fmt.Sprintf("shade %d", i), p.wave.plan.Shade[i], k))
	}
	return list, err
}

// laneBytes is what a lane of the wavefront form takes beside its stack.
func (w *wavefront) laneBytes() uint32 { return 16*w.plan.Quads + waveListBytes }

// batchLanes returns the lanes of a batch, whole workgroups.
func (w *wavefront) batchLanes(p *Pipeline, stack uint32) uint32 {
	lanes := uint32(batchLanesGPU)
	if p.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu {
		lanes = batchLanesCPU
	}
	for lanes > w.plan.Lanes && uint64(lanes)*uint64(4*stack+w.laneBytes()) > maxStackMemory {
		lanes /= 2
	}
	return lanes
}

// waveLaunch is the memory of one launch.
type waveLaunch struct {
	params *launchParams
	head   vk.DeviceAddress // RtWave
	round  vk.DeviceAddress // RtWaveRound
	reused bool
	lanes  uint32 // of a batch
}

// waveArguments are the push constants of the kernels: in those that resume, shade and end, the number says what to do.
//
//glsl:fallback/wave_scan.comp Arguments argument=begin
//glsl:fallback/wave_scatter.comp Arguments argument=list
type waveArguments struct {
	launch, wave uint64
	argument     uint32
}

// wavePushBytes is the size of what the kernels get as push constants.
const wavePushBytes = 20

var _ [wavePushBytes]byte = [unsafe.Offsetof(waveArguments{}.argument) + 4]byte{}

// waveHead is what the host knows of a launch.
//
//glsl:fallback/runtime.comp RtWave
type waveHead struct {
	round, lanes                                                                           uint64
	lists                                                                                  [2]uint64
	queue                                                                                  uint64
	capacity, bins, shift, continueBin, firstContinue, segments, scatterLanes, resumeLanes uint32
	bounds                                                                                 [waveSegments + 1]uint32
}

// waveSegment is a range of bins that one dispatch shades.
//
//glsl:fallback/runtime.comp RtWaveSegment
type waveSegment struct {
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	groups [3]uint32
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	first, count uint32
	_            [3]uint32
}

// waveRound has the counters of a round, which only kernels write; the host knows its size, and where
// the arguments of dispatches are.
//
//glsl:fallback/runtime.comp RtWaveRound
type waveRound struct {
	resume [3]uint32
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	alive   uint32
	scatter [3]uint32
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	next     uint32
	segments [waveSegments]waveSegment
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	count, cursor [waveBins]uint32
}

// Offsets and sizes of these.
const (
	roundResume      = uint64(unsafe.Offsetof(waveRound{}.resume))
	roundScatter     = uint64(unsafe.Offsetof(waveRound{}.scatter))
	roundSegments    = uint64(unsafe.Offsetof(waveRound{}.segments))
	roundSegmentSize = uint64(unsafe.Sizeof(waveSegment{}))
	roundBytes       = uint64(unsafe.Sizeof(waveRound{}))
	waveHeadBytes    = uint64(unsafe.Sizeof(waveHead{}))
)

// push encodes a kernel's push constants. All of the layout's range is set: the validation layer asks for what a module might
// read.
func (m *waveLaunch) push(size int, launch vk.DeviceAddress, argument uint32) []byte {
	b := make([]byte, size)
	copy(b, vk.Bytes(&waveArguments{launch, m.head, argument})[:wavePushBytes])
	return b
}

// waveMemory takes the memory of a launch whose batches have so many lanes.
func (p *Pipeline) waveMemory(from Memory, t *Trace, lanes uint32) (*waveLaunch, error) {
	w, stack := p.wave, t.stackDwords(p)
	m := &waveLaunch{params: p.known(t), lanes: lanes}
	stacks := uint64(lanes) * uint64(stack) * 4
	states, lists := uint64(lanes)*16*uint64(w.plan.Quads), uint64(lanes)*4
	scratch, reused, err := from.TransientScratch(stacks+states+3*lists, 256)
	if err != nil {
		return nil, fmt.Errorf("%d lanes of %d bytes: %w", lanes, 4*stack+w.laneBytes(), err)
	}
	m.params.stackBase, m.reused = scratch, reused
	if m.params.pushConstants, err = uploadPushConstants(from, t.PushConstants); err != nil {
		return nil, fmt.Errorf("push constants: %w", err)
	}
	if m.round, err = from.TransientDevice(roundBytes, 16); err != nil {
		return nil, fmt.Errorf("counters: %w", err)
	}
	head, memory, err := from.TransientUpload(waveHeadBytes, 16)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	m.head = head
	at := scratch + stacks
	h := w.head(lanes)
	h.round, h.lanes = m.round, at
	h.lists, h.queue = [2]uint64{at + states, at + states + lists}, at+states+2*lists
	copy(memory, vk.Bytes(h))
	return m, nil
}

// head is RtWave of a launch with batches of so many lanes, without addresses.
func (w *wavefront) head(lanes uint32) *waveHead {
	y := w.plan
	h := &waveHead{capacity: lanes, bins: y.Bins, shift: y.Shift, continueBin: y.ContinueBin, firstContinue: y.FirstContinue,
		segments: uint32(len(y.Segments)), scatterLanes: w.scatterLanes, resumeLanes: y.Lanes}
	for i, s := range y.Segments {
		h.bounds[i] = s.First
	}
	h.bounds[len(y.Segments)] = y.Bins
	return h
}

// planWave plans a direct launch.
func (p *Pipeline) planWave(ctx context.Context, from Memory, t *Trace) (*Plan, error) {
	if _, bounded := p.wave.rounds(); !bounded {
		if err := p.wave.tail.wait(ctx); err != nil {
			return nil, err
		}
	}
	params := launchParams{launchSize: [3]uint32{t.Width, t.Height, t.Depth}}
	params.placeGroups()
	total := params.groupCount * lanesPerGroup
	each := p.wave.plan.Lanes
	m, err := p.waveMemory(from, t, min(p.wave.batchLanes(p, t.stackDwords(p)), (total+each-1)/each*each))
	if err != nil {
		return nil, err
	}
	m.params.launchSize, m.params.tileWidthLog2 = params.launchSize, params.tileWidthLog2
	m.params.tilesPerRow, m.params.tilesPerSlice, m.params.groupCount = params.tilesPerRow, params.tilesPerSlice, params.groupCount
	plan := &Plan{Name: "trace rays by compute: " + p.options.Name}
	for first := uint32(0); first < params.groupCount; first += m.lanes / lanesPerGroup {
		launch, memory, err := from.TransientUpload(launchBytes, 16)
		if err != nil {
			return nil, fmt.Errorf("parameters: %w", err)
		}
		m.params.firstGroup = first
		copy(memory, m.params.encode())
		lanes := min((params.groupCount-first)*lanesPerGroup, m.lanes)
		begin := waveStart{groups: [3]uint32{(lanes + each - 1) / each, 1, 1}}
		if first > 0 || m.reused {
			begin.wait = vk.WaitCompute
		}
		p.batch(plan, m, launch, begin)
	}
	return plan, nil
}

// placeGroups covers the launch with tiles of 32 places, row by row, as indirect.comp does.
func (l *launchParams) placeGroups() {
	l.tileWidthLog2 = 3
	switch {
	case l.launchSize[1] == 1:
		l.tileWidthLog2 = 5
	case l.launchSize[1] < 4:
		l.tileWidthLog2 = 4
	}
	width := uint32(1) << l.tileWidthLog2
	height := lanesPerGroup / width
	l.tilesPerRow = (l.launchSize[0] + width - 1) / width
	l.tilesPerSlice = l.tilesPerRow * ((l.launchSize[1] + height - 1) / height)
	l.groupCount = l.tilesPerSlice * l.launchSize[2]
}

// waveStart is how a batch begins: what its first step waits for, and the workgroups that resume first, or where they are.
type waveStart struct {
	wait   vk.Wait
	groups [3]uint32
	at     vk.DeviceAddress
}

// batch appends the steps of one batch.
func (p *Pipeline) batch(plan *Plan, m *waveLaunch, launch vk.DeviceAddress, begin waveStart) {
	w := p.wave
	add := func(kernel int, wait vk.Wait, size int, argument uint32) *Step {
		s := p.step(kernel, wait)
		s.Push, s.Groups = m.push(size, launch, argument), [3]uint32{1, 1, 1}
		plan.Steps = append(plan.Steps, s)
		return &plan.Steps[len(plan.Steps)-1]
	}
	rounds, bounded := w.rounds()
	add(kernelScan, begin.wait, wavePushBytes, 1)
	for round := range rounds {
		if round > 0 {
			add(kernelResume, vk.WaitCompute, launchBytes, round&1).At = m.round + roundResume
		} else {
			s := add(kernelResume, vk.WaitCompute, launchBytes, waveBegin)
			if s.Groups, s.At = begin.groups, begin.at; s.At != 0 {
				s.Wait = vk.WaitIndirect
			}
		}
		if bounded && round == rounds-1 {
			return
		}
		add(kernelScan, vk.WaitCompute, wavePushBytes, 0)
		add(kernelScatter, vk.WaitIndirect, wavePushBytes, round&1^1).At = m.round + roundScatter
		wait := vk.WaitCompute
		for i, segment := range w.plan.Segments {
			add(kernelShade+segment.Kernel, wait, launchBytes, uint32(i)).At = m.round + roundSegments + roundSegmentSize*uint64(i)
			wait = vk.WaitNone
		}
	}
	add(kernelLaunch, vk.WaitCompute, launchBytes, rounds&1).At = m.round + roundResume
}

// rounds returns how many are recorded, and whether they end every lane.
func (w *wavefront) rounds() (n uint32, bounded bool) {
	if n = w.plan.Rounds; n > 0 && n <= 4*waveRounds {
		return n, true
	}
	if w.plan.Suspends {
		return suspendedRounds, false
	}
	return waveRounds, false
}

// planWaveIndirect plans an indirect launch, whose parameters the size kernel completes: the first batch in rounds, what is
// left in one kernel.
func (p *Pipeline) planWaveIndirect(from Memory, t *IndirectTrace) (*Plan, error) {
	m, err := p.waveMemory(from, &t.Trace, p.wave.batchLanes(p, t.stackDwords(p)))
	if err != nil {
		return nil, err
	}
	plan := &Plan{Name: "trace rays indirectly by compute: " + p.options.Name}
	block, err := p.planSize(plan, from, t, m.params, m.lanes/lanesPerGroup)
	if err != nil {
		return nil, err
	}
	p.batch(plan, m, block, waveStart{wait: vk.WaitCompute, at: m.round + roundResume})
	rest := p.step(kernelLaunch, vk.WaitCompute)
	rest.Push, rest.Groups = m.push(launchBytes, block, waveRest), [3]uint32{m.lanes / p.wave.plan.Lanes, 1, 1}
	plan.Steps = append(plan.Steps, rest)
	return plan, nil
}
