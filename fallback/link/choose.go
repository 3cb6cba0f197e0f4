package link

import (
	"fmt"
	"math"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// What FormAuto goes by; measured in docs/experiments/wavefront.md.
const (
	// monolithicSites bounds the trace calls of a pipeline in the monolithic form: compilers copy traversal and all hit shaders to
	// each.
	monolithicSites = 2
	// largeShader is the size, in instructions, from which on a shader is better left to a kernel of its own: in others its registers
	// and those of traversal add up.
	largeShader = 4000
	// heavyShaders hit shaders of heavyWeight let the wavefront form win, in which only lanes of the same shader run together.
	// The weight is the number of instructions, those of loops loopTurns times: 45 steps of 12 operations in every other shader are
	// the break-even on the H200.
	heavyShaders = 4
	heavyWeight  = 500
	loopTurns    = 16
	// manyShaders, and manyShaderInstructions of them all, are what one kernel takes long to compile with: the time grows faster
	// than the code.
	manyShaders            = 48
	manyShaderInstructions = 30000
	// heavyAsks any hit and intersection shaders of heavyAskWeight, three quarters of all at least, are worth a traversal that is
	// suspended for them. It costs as much as some 1,100 operations in each of sixteen shaders that run inside traversal, where
	// lanes wait for each other (H200); and what only some of the candidates ask for, all of them pay.
	heavyAsks      = 8
	heavyAskWeight = 1500
)

// chooseForm takes the form that was asked for, if it can run the pipeline, or the first that is worth it.
func (l *mergedStages) chooseForm() (*shapedStages, error) {
	o, to := l.options, &shapedStages{mergedStages: l}
	for _, s := range l.stages {
		to.stages = append(to.stages, &shapedStage{mergedStage: s})
	}
	if l.library {
		to.size = l.measure()
	}
	if o.Form == FormAuto {
		to.form = l.bestForm()
	} else {
		for _, row := range forms {
			if row.form == o.Form {
				to.form = row.make(o)
			}
		}
	}
	if to.form == nil {
		return nil, fmt.Errorf("unknown %v: %w", o.Form, ErrInvalid)
	}
	_, waves := to.form.(*wavefront)
	if o.Indirect || waves && !l.library {
		to.arguments = l.moveLaunch()
	}
	return to, to.form.obstacle(l)
}

// bestForm is what FormAuto takes.
func (l *mergedStages) bestForm() form {
	if l.library {
		return blocks{} // of stages past a budget
	}
	n := l.measure()
	for _, y := range l.options.Libraries {
		if y != nil {
			n = n.and(y.size)
		}
	}
	if l.wantsSuspension(n) {
		return &wavefront{suspended: true}
	}
	if l.wantsWaves(n) {
		return &wavefront{}
	}
	mono := &monolithic{}
	if mono.obstacle(l) != nil || l.traceCalls() > monolithicSites {
		return blocks{} // of stages past a budget
	}
	return mono
}

// wantsWaves tells whether shaders are worth the wavefront form. The runtime for CPUs has no tiles. There the tail of a large
// shader takes seconds to compile.
func (l *linked) wantsWaves(n hitShaders) bool {
	large := n.largest >= largeShader && l.symbols.RtTiles.id != 0
	return n.heavy >= heavyShaders || n.shaders >= manyShaders || n.instructions >= manyShaderInstructions || large
}

// wantsSuspension tells whether any hit and intersection shaders are better left to kernels of their own. On CPUs nobody has
// measured it.
func (l *linked) wantsSuspension(n hitShaders) bool {
	return n.heavyAsks >= heavyAsks && 4*n.heavyAsks >= 3*n.asks && l.symbols.RtTiles.id != 0
}

// hitShaders are how many there are that the wavefront form sorts, those that are heavy, and the instructions of all and of the
// largest. asks are any hit and intersection shaders.
type hitShaders struct{ shaders, heavy, instructions, largest, asks, heavyAsks int }

func (n hitShaders) and(o hitShaders) hitShaders {
	return hitShaders{n.shaders + o.shaders, n.heavy + o.heavy, n.instructions + o.instructions, max(n.largest, o.largest),
		n.asks + o.asks, n.heavyAsks + o.heavyAsks}
}

// measure counts the stages' shaders but for ray generation.
func (l *mergedStages) measure() (n hitShaders) {
	weights := map[spirv.ID]int{}
	for _, s := range l.stages {
		switch s.Kind {
		case Raygen:
			continue
		case AnyHit, Intersection:
			n.asks++
			if l.weight(s, s.function.Def.Result, weights, 0) >= heavyAskWeight {
				n.heavyAsks++
			}
			continue
		}
		one := hitShaders{shaders: 1, instructions: s.instructions()}
		one.largest = one.instructions
		if l.weight(s, s.function.Def.Result, weights, 0) >= heavyWeight {
			one.heavy = 1
		}
		n = n.and(one)
	}
	return n
}

// maxWeightDepth bounds the calls that a weight is followed through.
const maxWeightDepth = 16

// weight estimates how much a function of a stage does.
func (l *mergedStages) weight(s *mergedStage, id spirv.ID, known map[spirv.ID]int, depth int) int {
	f := s.functions[id]
	if f == nil || depth > maxWeightDepth {
		return 0
	}
	if n, ok := known[id]; ok {
		return n
	}
	known[id] = 0
	total := 0
	turns, runs := l.turnsOfBlocks(f), l.mayRun(f)
	for i, b := range f.Blocks {
		if !runs[i] {
			continue
		}
		n := len(b.Insts)
		for k := range b.Insts {
			if in := &b.Insts[k]; in.Op == spirv.OpFunctionCall {
				n += l.weight(s, in.FunctionCall().Function(), known, depth+1)
			}
		}
		if total += turns[i] * min(n, math.MaxInt32); total > math.MaxInt32 {
			total = math.MaxInt32
		}
	}
	known[id] = total
	return total
}

// turnsOfBlocks guesses how often the blocks of a function run: those of a loop loopTurns times, of a loop in a loop no more. A
// loop is what its header dominates, less what its merge block dominates.
func (l *linked) turnsOfBlocks(f *spirv.Function) []int {
	turns := make([]int, len(f.Blocks))
	for i := range turns {
		turns[i] = 1
	}
	if !slices.ContainsFunc(f.Blocks, func(b *spirv.Block) bool { _, cont := b.Merges(); return cont != 0 }) {
		return turns
	}
	const none = -1
	c := l.cfg(f)
	loops := make([]int, len(f.Blocks)) // by block, the header of the outermost loop around it
	for _, b := range c.RPO {           // dominators first
		loop := none
		if parent := c.IDom[b]; parent != b && parent >= 0 {
			loop = loops[parent]
		}
		if loop != none {
			if merge, _ := f.Blocks[loop].Merges(); f.Blocks[b].Label == merge {
				loop = none
			}
		}
		if _, cont := f.Blocks[b].Merges(); loop == none && cont != 0 {
			loop = b
		}
		if loops[b] = loop; loop != none {
			turns[b] = loopTurns
		}
	}
	return turns
}

// mayRun tells which blocks of a function its constants leave: specialisation has decided branches that are still there.
func (l *linked) mayRun(f *spirv.Function) []bool {
	index := make(map[spirv.ID]int, len(f.Blocks))
	for i, b := range f.Blocks {
		index[b.Label] = i
	}
	runs, work := make([]bool, len(f.Blocks)), []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if runs[b] {
			continue
		}
		runs[b] = true
		next := f.Blocks[b].Successors()
		if end := f.Blocks[b].Terminator(); end.Op == spirv.OpBranchConditional {
			choice := end.BranchConditional()
			switch l.types.op(choice.Condition()) {
			case spirv.OpConstantTrue:
				next = []spirv.ID{choice.TrueLabel()}
			case spirv.OpConstantFalse:
				next = []spirv.ID{choice.FalseLabel()}
			}
		}
		for _, label := range next {
			if i, ok := index[label]; ok {
				work = append(work, i)
			}
		}
	}
	return runs
}
