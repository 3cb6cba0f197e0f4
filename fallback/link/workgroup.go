package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// Workgroups take tiles of a launch, of 64 places. The fewer there are, the sooner they are launched: a launch that does
// nothing takes 22.3 us with one tile each (H200, 1920 x 1080), 12.7 with two, 9.5 with three and about 8 with four. But
// workgroups end with their last lane: with one or three tiles rays are 1 to 4% slower than with two, with four up to 9%.
// Lanes that trace no ray are done sooner than launched, so where some may be, three are right. And drivers limit registers
// so that a workgroup fits a processor, and shaders that want very many gain by that: the path tracer goes from 168 to 128
// and 7 to 11% faster with eight tiles.
const (
	tileLanes = 64 // local_size of runtime.comp, where a workgroup takes one
	fewTiles  = 2
	idleTiles = 3 // where lanes may trace no ray
	manyTiles = 8
	// manyInstructions is the size of a shader that wants very many registers.
	manyInstructions = 2000
	// leastLanes is how many lanes a workgroup may have on every device.
	leastLanes = 128
)

// widest decides how many tiles a workgroup of the monolithic form takes. Indirect launches, whose lane groups take their places
// one by one, and the runtime for CPUs stay with what the runtime has: 0.
func (l *framedStages) widest() uint32 {
	if l.options.Indirect || l.symbols.RtTiles.id == 0 {
		return 0
	}
	tiles := uint32(fewTiles)
	for _, s := range l.stages {
		if s.Kind == Raygen && l.mayTraceNothing(s.function) {
			tiles = max(tiles, idleTiles)
		}
		if s.instructions() >= manyInstructions {
			tiles = manyTiles
		}
	}
	return max(1, min(tiles, max(l.options.MaxLanes, leastLanes)/tileLanes))
}

// mayTraceNothing tells whether a ray generation shader has a way to its end without a trace call. Loops that trace are taken
// to run.
func (l *linked) mayTraceNothing(f *spirv.Function) bool {
	c := l.cfg(f)
	var traces []int
	for i, b := range f.Blocks {
		if slices.ContainsFunc(b.Insts, func(in spirv.Inst) bool {
			return in.Op == spirv.OpTraceRayKHR || makesHitObject(in.Op)
		}) {
			traces = append(traces, i)
		}
	}
	tracing := func(b int) bool {
		merge, loop := f.Blocks[b].Merges()
		return slices.ContainsFunc(traces, func(t int) bool {
			return b == t || loop != 0 && c.Dominates(b, t) && !c.Dominates(c.Index[merge], t)
		})
	}
	seen, next := make([]bool, len(f.Blocks)), []int{0}
	for len(next) > 0 {
		b := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[b] || tracing(b) {
			continue
		}
		if f.Blocks[b].Terminator().Op == spirv.OpReturn {
			return true
		}
		seen[b] = true
		next = append(next, c.Succs[b]...)
	}
	return false
}

// instructions counts those of a stage.
func (s *mergedStage) instructions() int {
	n := 0
	for _, f := range s.functions {
		for _, b := range f.Blocks {
			n += len(b.Insts)
		}
	}
	return n
}

// Tiles returns how many tiles of 64 places of a launch each workgroup of a linked module takes, side by side.
func Tiles(code []uint32) uint32 {
	for at := 5; at < len(code); {
		n, op := int(code[at]>>16), spirv.Op(code[at]&0xFFFF)
		if n == 0 || at+n > len(code) || op == spirv.OpFunction {
			break
		}
		if op == spirv.OpExecutionMode && n >= 4 && spirv.ExecutionMode(code[at+2]) == spirv.ExecutionModeLocalSize {
			return max(1, code[at+3]/tileLanes)
		}
		at += n
	}
	return 1
}
