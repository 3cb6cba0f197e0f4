package link

import (
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// Where traversal is suspended at candidates (FormSuspended, shaders/fallback/wave_suspend.glsl), any hit and intersection shaders
// have kernels of their own, and lanes that wait for one are in states of a range of their own. An intersection shader may report
// hits to any of the pipeline's any hit shaders, which then run as plain calls: its kernel has all of them.

const (
	// maxAskKernels bounds the kernels of any hit and intersection shaders, which take one of RT_WAVE_SEGMENTS each, maxAskBins the
	// bins of either kind.
	maxAskKernels = 32
	maxAskBins    = 128
	// walkQuads are those of a suspended traversal but for its stack and attributes, as RT_WALK_QUADS.
	walkQuads = 4 //glsl:RT_WALK_QUADS
)

// askPlan is how any hit and intersection shaders are divided into kernels.
type askPlan struct {
	anyHits, intersections []int // by number of their parts, in the order of their own numbers
	drop                   uint32
	first                  uint32 // the first state
	shift                  uint32 // of the plan: states of a bin
	kernels                []askKernel
}

// askKernel is a range of bins, and the shaders that are asked there.
type askKernel struct {
	bins  [2]uint32 // from, to
	parts map[int]bool
}

// planAsks divides the pipeline's any hit and intersection shaders, nil if it has none.
func (l *assembly) planAsks() *askPlan {
	a := &askPlan{}
	for i := range l.parts {
		switch l.parts[i].model {
		case AnyHit:
			a.anyHits = append(a.anyHits, i)
		case Intersection:
			a.intersections = append(a.intersections, i)
		}
	}
	if l.kernelsOnly || len(a.anyHits)+len(a.intersections) == 0 {
		return nil
	}
	for max(a.binsOf(a.anyHits), a.binsOf(a.intersections)) > maxAskBins {
		a.drop++
	}
	sizes := l.functionSizes()
	a.divide(l, a.anyHits, 0, sizes, nil)
	a.divide(l, a.intersections, a.binsOf(a.anyHits), sizes, a.anyHits)
	return a
}

// binsOf is how many bins a list of shaders takes.
func (a *askPlan) binsOf(list []int) uint32 { return (uint32(len(list)) + 1<<a.drop - 1) >> a.drop }

// divide appends kernels for shaders, whose bins begin with first. Each has others beside.
func (a *askPlan) divide(l *assembly, list []int, first uint32, sizes map[spirv.ID]int, others []int) {
	whole := 1 << a.drop
	most := max(shadersOfKernel, int(a.binsOf(list)+maxAskKernels/4-1)/(maxAskKernels/4)*whole)
	begin, size, count := len(a.kernels), 0, 0
	for i := 0; i < len(list); i += whole {
		bin := list[i:min(len(list), i+whole)]
		n := 0
		for _, p := range bin {
			n += l.partSize(&l.parts[p], sizes)
		}
		large := size+n > instructionsOfKernel && len(a.kernels)-begin < maxAskKernels/4
		if k := len(a.kernels); k == begin || count+len(bin) > most || large {
			at := first + uint32(i)>>a.drop
			a.kernels = append(a.kernels, askKernel{bins: [2]uint32{at, at}, parts: map[int]bool{}})
			size, count = 0, 0
			for _, p := range others {
				a.kernels[k].parts[p] = true
			}
		}
		k := &a.kernels[len(a.kernels)-1]
		k.bins[1]++
		size, count = size+n, count+len(bin)
		for _, p := range bin {
			k.parts[p] = true
		}
	}
}

// bins is how many bins all take.
func (a *askPlan) bins() uint32 {
	if a == nil {
		return 0
	}
	return a.binsOf(a.anyHits) + a.binsOf(a.intersections)
}

// number gives the bins states from one on, and returns what follows.
func (a *askPlan) number(first, shift uint32) uint32 {
	if a == nil {
		return first
	}
	a.first, a.shift = first, shift
	return first + a.bins()<<shift
}

// segments lists the dispatches, whose kernels are numbered from one on.
func (a *askPlan) segments(kernel int, w *wavePlan) (list []Segment) {
	if a == nil {
		return nil
	}
	for i, k := range a.kernels {
		list = append(list, Segment{kernel + i, w.shades + (a.first-w.first)>>w.shift + k.bins[0]})
	}
	return list
}

// kernelsOf lists the kernels.
func (a *askPlan) kernelsOf(l *assembly) (list []waveKernel) {
	if a == nil {
		return nil
	}
	for i, k := range a.kernels {
		list = append(list, waveKernel{
			name: fmt.Sprintf("candidates %d", i), main: l.symbols.RtWaveDecide, decides: k.parts, lanes: shadeLanes,
		})
	}
	return list
}

// quads is what a suspended traversal takes of a lane's memory, its stack included.
func (a *askPlan) quads(l *assembly) uint32 {
	if a == nil {
		return 0
	}
	f := l.functionByID(l.symbols.RtWalkStackQuads.id)
	end := f.Blocks[len(f.Blocks)-1].Terminator()
	stack, _ := l.types.constantU32(end.ReturnValue().Value())
	return walkQuads + stack
}

// suspendNeeds are what is kept of a lane whose traversal may be suspended: the ray, and the attributes of the closest procedural
// hit, all of them where a hit object may take them.
func (l *assembly) suspendNeeds(n laneNeeds) laneNeeds {
	n.ray, n.nested = true, true
	if l.procedural {
		for i := range l.parts {
			if l.parts[i].hitObjects {
				n.attributes = maxAttributeWords
			}
		}
	}
	return n
}

// emit tells a kernel about the states of lanes that wait.
func (a *askPlan) emit(l *assembly, k waveKernel) {
	if a == nil {
		return
	}
	t, y := l.types, l.symbols
	here := spirv.OpConstantFalse
	if k.tail {
		here = spirv.OpConstantTrue
	}
	l.emitConstant(y.RtAskHere, t.declare(here, t.boolean()))
	for _, c := range []struct {
		hook  routine
		value uint32
	}{
		{y.RtAskFirst, a.first}, {y.RtAskStep, 1 << a.shift}, {y.RtAskDrop, a.drop}, {y.RtAskBoxes, a.binsOf(a.anyHits)},
		{y.RtAskAnyHits, uint32(len(a.anyHits))}, {y.RtAskIntersections, uint32(len(a.intersections))},
	} {
		l.emitConstant(c.hook, t.u32(c.value))
	}
}
