package link

import "github.com/everray/everray/fallback/spirv"

// The sorted form: the megakernel, whose workgroups sort their lanes by hit and miss shader through shared memory between traversal
// and shading. See shaders/fallback/sorted.glsl.

const (
	// sortedLanes is how many lanes a workgroup has where the device and its shared memory allow: fewer have less to sort among,
	// more wait for each other longer (512 and 1024 were slower in all that was measured by hand-written kernels).
	sortedLanes = 256
	// leastShared is the shared memory that every device has, in bytes.
	leastShared = 16 << 10
	// Words of shared memory that a lane takes for what it always passes, and for its ray: rtSortedPutCall, rtSortedPutAddress and
	// rtSortedPutRay; what it takes for the sort.
	sortedCallWords, sortedRayWords, sortedSortWords = 8, 8, 2
)

// sorted is FormSorted. Stages past the budget of state functions have one function, as in the other forms.
type sorted struct{ blocks }

// sortedWords counts what a lane passes, as the runtime does.
func (n laneNeeds) sortedWords() uint32 {
	words := uint32(sortedCallWords)
	if n.ray || n.nested {
		words += sortedRayWords
	}
	if n.hit {
		words += 2
		if n.barycentrics {
			words += 2
		}
	}
	if n.instance {
		words += 4
	}
	return words + wholeQuads(n.attributes)
}

// lanes returns how many lanes a workgroup has, in tiles.
func (sorted) lanes(l *assembly, words uint32) uint32 {
	if l.symbols.RtTiles.id == 0 { // the runtime for CPUs: one tile
		return tileLanes
	}
	lanes := min(sortedLanes, max(l.options.MaxLanes, leastLanes))
	shared := max(l.options.MaxShared, leastShared)
	for lanes > tileLanes && 4*lanes*(words+sortedSortWords)+4 > shared {
		lanes /= 2
	}
	return lanes / tileLanes * tileLanes
}

func (f sorted) dispatch(l *assembly) error {
	if err := l.numberStates(); err != nil {
		return err
	}
	c := l.stateCases()
	l.emitStructures()
	l.emitSwitch(l.symbols.RtShade, c.shades)
	l.emitSwitch(l.symbols.RtContinue, c.goOn)
	l.emitTraversalHooks(c)
	l.emitRaygen()
	needs := l.laneNeeds()
	l.emitLaneNeeds(needs)
	l.emitAgreement(func(*part) bool { return true })
	words := needs.sortedWords()
	lanes := f.lanes(l, words)
	bins, shift := max(1, uint32(len(c.shades))), uint32(0)
	for (bins+1<<shift-1)>>shift > lanes {
		shift++
	}
	bins = (bins + 1<<shift - 1) >> shift
	for _, constant := range []struct {
		hook  routine
		value uint32
	}{{l.symbols.RtSortedLanes, lanes}, {l.symbols.RtSortedBins, bins}, {l.symbols.RtSortedShift, shift}} {
		l.emitConstant(constant.hook, l.types.u32(constant.value))
	}
	if l.symbols.RtTiles.id != 0 {
		l.emitConstant(l.symbols.RtTiles, l.types.u32(lanes/tileLanes))
	}
	l.setLanes(lanes)
	l.forward(l.symbols.RtPlaceLane, l.symbols.RtPlaceSorted)
	l.emitKernel(l.symbols.RtSorted)
	l.resizeArray(l.symbols.RtSortedWords, lanes*words)
	l.resizeArray(l.symbols.RtSortedStarts, bins)
	l.resizeArray(l.symbols.RtSortedOrder, lanes)
	return nil
}

func (sorted) finish(l *assembly) (*Result, error) {
	l.finishModule()
	return l.makeResult(FormSorted), nil
}

// emitLaneNeeds tells the runtime what is passed of a lane between the phases.
func (l *assembly) emitLaneNeeds(needs laneNeeds) {
	for _, c := range []struct {
		hook  routine
		value bool
	}{
		{l.symbols.RtWaveReadsRay, needs.ray}, {l.symbols.RtWaveReadsHit, needs.hit},
		{l.symbols.RtWaveReadsBarycentrics, needs.barycentrics},
		{l.symbols.RtWaveReadsInstance, needs.instance}, {l.symbols.RtWaveNested, needs.nested},
	} {
		op := spirv.OpConstantFalse
		if c.value {
			op = spirv.OpConstantTrue
		}
		l.emitConstant(c.hook, l.types.declare(op, l.types.boolean()))
	}
	l.emitConstant(l.symbols.RtWaveAttributeQuads, l.types.u32((needs.attributes+quadSlots-1)/quadSlots))
}
