package link

import (
	"math/bits"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// How the wavefront form divides a pipeline's shaders among kernels, and numbers their states. Libraries come first, each with
// kernels and numbers of its own: so the kernels of the first one are the same words whatever a pipeline adds to it, and those of
// others wherever they follow the same libraries. The shaders of the pipeline itself come last.

const (
	// maxBins is how many bins lanes are sorted into, as RT_WAVE_BINS.
	maxBins = 1024
	// maxShadeKernels bounds the kernels that shade: each may take two of RT_WAVE_SEGMENTS.
	maxShadeKernels = 64
	// shadersOfKernel and instructionsOfKernel are how many shaders, and instructions of theirs, one kernel shades with.
	// Compilers take longer than linearly over more (H200: 16 shaders 0.9 s, 50 2.3 s, 200 17.5 s).
	shadersOfKernel      = 16
	instructionsOfKernel = 6000
	// leastBins is what shared memory for bins is rounded up to, by powers of two, and raygenStates the numbers of ray generation's
	// states: so that kernels stay as they are where there is a shader more.
	leastBins    = 64
	raygenStates = 256
)

// wavePlan is how a pipeline is divided into kernels.
type wavePlan struct {
	kernels []shadeKernel
	shift   uint32
	resume  [2]uint32 // states of ray generation shaders: from, to
	first   uint32    // the first state behind them that has a bin
	shades  uint32    // bins of hit and miss shaders
	bins    uint32
	// reorders tells whether ray generation asks for another order of lanes: then it has a kernel that goes on in that order, too,
	// and states of that range, by key.
	reorders bool
	sorted   [2]uint32
	// asks are the kernels of any hit and intersection shaders where traversal is suspended at candidates, else nil.
	asks *askPlan
}

// shadeKernel is some shaders, by number of their parts, and the states they have.
type shadeKernel struct {
	parts          []int
	shade, resumed [2]uint32 // from, to
}

// planWave divides the pipeline's shaders among kernels.
func (l *assembly) planWave(suspended bool) *wavePlan {
	w := &wavePlan{}
	most := maxShadeKernels
	if suspended {
		if w.asks = l.planAsks(); w.asks != nil {
			most -= maxAskKernels
		}
	}
	lists := make([][]int, 1+len(l.options.Libraries)) // of each library, then the pipeline's own
	for i := range l.parts {
		switch p := &l.parts[i]; p.model {
		case ClosestHit, Miss, Callable:
			at := len(lists) - 1
			if p.library > 0 {
				at = p.library - 1
			}
			lists[at] = append(lists[at], i)
		}
	}
	sizes := l.functionSizes()
	w.reorders = slices.ContainsFunc(l.parts, func(p part) bool { return p.reorders })
	for _, list := range lists {
		w.divide(l, list, sizes, maxShadeKernels)
	}
	if len(w.kernels) > most { // of too many libraries
		w.kernels = nil
		w.divide(l, slices.Concat(lists...), sizes, most)
	}
	for w.shift = 0; w.countBins(l.parts) > maxBins; w.shift++ {
	}
	return w
}

// divide appends kernels for shaders, at most so many.
func (w *wavePlan) divide(l *assembly, list []int, sizes map[spirv.ID]int, kernels int) {
	most := max(shadersOfKernel, (len(list)+kernels-1)/kernels)
	instructions, first := 0, len(w.kernels)
	for _, i := range list {
		size := l.partSize(&l.parts[i], sizes)
		k := len(w.kernels) - 1
		large := instructions+size > instructionsOfKernel && most == shadersOfKernel && k-first+1 < kernels/2
		if k < first || len(w.kernels[k].parts) >= most || large {
			w.kernels = append(w.kernels, shadeKernel{})
			k, instructions = k+1, 0
		}
		w.kernels[k].parts = append(w.kernels[k].parts, i)
		instructions += size
	}
}

// sharedBins is how many bins the kernel of resumption has room for.
func (w *wavePlan) sharedBins() uint32 {
	return max(leastBins, uint32(1)<<bits.Len32(max(1, w.bins)-1))
}

// functionSizes counts the instructions of functions.
func (l *assembly) functionSizes() map[spirv.ID]int {
	sizes := map[spirv.ID]int{}
	for _, f := range l.out.Functions {
		for _, b := range f.Blocks {
			sizes[f.Def.Result] += len(b.Insts)
		}
	}
	return sizes
}

func (l *assembly) partSize(p *part, sizes map[spirv.ID]int) int {
	n := 0
	for _, id := range p.functions() {
		n += sizes[id]
	}
	return n
}

// functions returns the state functions of a part, each once.
func (p *part) functions() []spirv.ID {
	list := []spirv.ID{p.entry}
	if p.machine {
		return list
	}
	for _, r := range p.resumptions {
		list = append(list, r.function)
	}
	return list
}

// states counts those of a kernel: of hit and miss shaders, and those beside.
func (k *shadeKernel) states(parts []part) (shade, resumed uint32) {
	for _, i := range k.parts {
		if parts[i].model == Callable {
			resumed++
		} else {
			shade++
		}
		resumed += uint32(len(parts[i].resumptions))
	}
	return shade, resumed
}

func (w *wavePlan) countBins(parts []part) uint32 {
	n := uint32(0)
	for i := range w.kernels {
		shade, resumed := w.kernels[i].states(parts)
		n += w.wholeBins(shade)>>w.shift + w.wholeBins(resumed)>>w.shift
	}
	if w.reorders {
		n += reorderBins
	}
	return n + w.asks.bins()
}

// wholeBins rounds a number of states up to whole bins.
func (w *wavePlan) wholeBins(states uint32) uint32 {
	return (states + 1<<w.shift - 1) >> w.shift << w.shift
}

// number gives all states their numbers: ray generation first, then kernel by kernel, each from a bin's begin on.
func (w *wavePlan) number(l *assembly) error {
	n := newNumbering()
	w.resume[0] = n.goOn
	for i := range l.parts {
		switch p := &l.parts[i]; p.model {
		case ClosestHit, Miss, Callable:
		default:
			n.part(l, p)
		}
	}
	w.resume[1] = n.goOn
	n.goOn = firstContinue + max(1, (n.goOn-firstContinue+raygenStates-1)/raygenStates)*raygenStates
	w.first = n.goOn
	for i := range w.kernels {
		k := &w.kernels[i]
		k.shade[0], k.resumed[0] = n.shade, n.goOn
		for _, at := range k.parts {
			n.part(l, &l.parts[at])
		}
		k.shade[1], k.resumed[1] = n.shade, n.goOn
		n.shade = firstShade + w.wholeBins(n.shade-firstShade)
		n.goOn = w.first + w.wholeBins(n.goOn-w.first)
	}
	w.shades = (n.shade - firstShade) >> w.shift
	n.goOn = w.asks.number(n.goOn, w.shift)
	if w.sorted = [2]uint32{n.goOn, n.goOn}; w.reorders {
		n.goOn += reorderBins << w.shift
		w.sorted[1] = n.goOn
	}
	w.bins = w.shades + (n.goOn-w.first)>>w.shift
	return n.check(l)
}

// segments lists the dispatches of a round, by bin.
func (w *wavePlan) segments() []Segment {
	var list []Segment
	for i, k := range w.kernels {
		if k.shade[0] < k.shade[1] {
			list = append(list, Segment{i, (k.shade[0] - firstShade) >> w.shift})
		}
	}
	for i, k := range w.kernels {
		if k.resumed[0] < k.resumed[1] {
			list = append(list, Segment{i, w.shades + (k.resumed[0]-w.first)>>w.shift})
		}
	}
	at := len(w.kernels)
	if w.reorders {
		at++
	}
	list = append(list, w.asks.segments(at, w)...)
	if w.reorders {
		list = append(list, Segment{len(w.kernels), w.shades + (w.sorted[0]-w.first)>>w.shift})
	}
	return list
}
