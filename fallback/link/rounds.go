package link

import (
	"math"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

const (
	// maxChain bounds the calls of a shader whose longest chain is looked for, and the turns of a loop that are worth counting.
	maxChain = 64
	// maxRounds bounds the number of rounds that counts as a bound.
	maxRounds = 64
)

// boundRounds returns how many rounds of the wavefront form end every lane, 0 if that is unknown or too many. A ray of a ray
// generation shader takes the round that finds its shader; a call of that shader takes one more round, and another in which the
// caller goes on, if that is another kernel's. So it is with calls of those, as deep as the pipeline may trace. The last round
// ends ray generation. Callable shaders that call have no bound.
func (l *assembly) boundRounds() uint32 {
	first, other := 0, 0 // calls in a row: of ray generation, of hit and miss shaders
	for i := range l.parts {
		p := &l.parts[i]
		switch {
		case p.chain < 0 || p.model == Callable && p.chain > 0:
			return 0
		case p.model == Raygen:
			first = max(first, p.chain)
		default:
			other = max(other, p.chain)
		}
	}
	answer := 1 // rounds that the shader of a call takes
	for range max(l.options.MaxDepth, 1) - 1 {
		if answer = 1 + other*(answer+1); answer > maxRounds {
			return 0
		}
		if other == 0 {
			break
		}
	}
	if l.callsShaders() && other > 0 { // a shader at the deepest level may still call callable ones
		answer = 1 + other*(answer+1)
	}
	if n := first*answer + 1; n <= maxRounds {
		return uint32(n)
	}
	return 0
}

// longestChain returns how many cuts a shader can reach one after the other, -1 if there is no bound, or more calls than are
// looked at. Loops have a bound where a variable counts their turns up to a constant.
func (s *framedStage) longestChain() int {
	if len(s.sites) > maxChain {
		return -1
	}
	c := chain{s: s, c: s.graph.cfg, cuts: map[int]bool{}, inner: map[int]int{}}
	for _, at := range s.sites {
		c.cuts[at.block] = true
	}
	for _, h := range c.headers() {
		n := c.longest(h)
		if n != 0 {
			turns := c.turns(h)
			if n *= turns; turns < 0 || n > maxChain {
				return -1
			}
		}
		c.inner[h] = n
	}
	return c.longest(-1)
}

// chain looks for the longest chain of cuts.
type chain struct {
	s     *framedStage
	c     *spirv.CFG
	cuts  map[int]bool // blocks that end with one
	inner map[int]int  // cuts of a loop, by header, all turns together
}

// headers lists the headers of loops that hold cuts, those inside of others first.
func (c *chain) headers() []int {
	var list []int
	for b, block := range c.s.function.Blocks {
		if _, cont := block.Merges(); cont == 0 || !c.c.Reachable(b) {
			continue
		}
		for cut := range c.cuts {
			if c.within(cut, b) {
				list = append(list, b)
				break
			}
		}
	}
	// A loop's header dominates those of the loops inside.
	slices.SortFunc(list, func(a, b int) int { return slices.Index(c.c.RPO, b) - slices.Index(c.c.RPO, a) })
	return list
}

// within tells whether a block is in the loop of a header.
func (c *chain) within(b, header int) bool {
	if !c.c.Dominates(header, b) {
		return false
	}
	merge, _ := c.s.function.Blocks[header].Merges()
	m, ok := c.c.Index[merge]
	return !ok || !c.c.Dominates(m, b)
}

// longest returns the most cuts of one turn of a loop, whose loops inside are known; of the whole shader with -1.
func (c *chain) longest(header int) int {
	best := map[int]int{}
	rank := make(map[int]int, len(c.c.RPO))
	for i, b := range c.c.RPO {
		rank[b] = i
	}
	for _, b := range slices.Backward(c.c.RPO) {
		if header >= 0 && !c.within(b, header) {
			continue
		}
		n := 0
		next := c.c.Succs[b]
		if loop, ok := c.inner[b]; ok && b != header {
			merge, _ := c.s.function.Blocks[b].Merges()
			n, next = loop, []int{c.c.Index[merge]}
		} else if c.cuts[b] {
			n = 1
		}
		most := 0
		for _, to := range next {
			if rank[to] > rank[b] { // no way back
				most = max(most, best[to])
			}
		}
		best[b] = n + most
	}
	return best[max(0, header)]
}

// turns returns how often a loop runs at most, -1 if that is unknown: its first branch compares a variable with a constant, and
// the variable only ever grows, by a constant in every turn, from constants.
func (c *chain) turns(header int) int {
	blocks := c.s.function.Blocks
	merge, _ := blocks[header].Merges()
	exit, ok := c.c.Index[merge]
	if !ok {
		return -1
	}
	b := header
	for len(c.c.Succs[b]) == 1 && !c.cuts[b] && c.within(c.c.Succs[b][0], header) && c.c.Succs[b][0] != header {
		b = c.c.Succs[b][0]
	}
	end := blocks[b].Terminator()
	if end.Op != spirv.OpBranchConditional {
		return -1
	}
	choice := end.BranchConditional()
	if c.c.Index[choice.FalseLabel()] != exit || c.c.Index[choice.TrueLabel()] == exit {
		return -1
	}
	counter, limit, signed := c.condition(blocks[b], choice.Condition())
	if counter == 0 {
		return -1
	}
	from, step := c.counts(counter, header, signed)
	if step <= 0 || limit-from > maxChain*step {
		return -1
	}
	return int(max(0, (limit-from+step-1)/step))
}

// condition takes apart a comparison of a block: the variable that is to be less than a limit.
func (c *chain) condition(b *spirv.Block, id spirv.ID) (variable spirv.ID, limit int64, signed bool) {
	cmp := defined(b, id)
	if cmp == nil {
		return 0, 0, false
	}
	more := int64(0)
	switch cmp.Op {
	case spirv.OpULessThan:
	case spirv.OpULessThanEqual:
		more = 1
	case spirv.OpSLessThan:
		signed = true
	case spirv.OpSLessThanEqual:
		signed, more = true, 1
	default:
		return 0, 0, false
	}
	load := defined(b, cmp.Binary().Operand1())
	if load == nil || load.Op != spirv.OpLoad {
		return 0, 0, false
	}
	limit, ok := c.constant(cmp.Binary().Operand2(), signed)
	if !ok || limit+more+maxChain > math.MaxInt32 {
		return 0, 0, false
	}
	return load.Load().Pointer(), limit + more, signed
}

// defined returns the instruction of a block with a result.
func defined(b *spirv.Block, id spirv.ID) *spirv.Inst {
	for i := range b.Insts {
		if b.Insts[i].Result == id {
			return &b.Insts[i]
		}
	}
	return nil
}

// constant returns the value of a constant of 32 bits.
func (c *chain) constant(id spirv.ID, signed bool) (int64, bool) {
	l := c.s.vars.l
	in := l.types.get(id)
	v, ok := l.types.constantU32(id)
	if !ok || len(in.Operands) != 1 || l.types.get(in.Type).TypeNumber().Width() != 32 {
		return 0, false
	}
	if signed {
		return int64(int32(v)), true
	}
	return int64(v), true
}

// counts returns the least that a variable begins a loop with, and what every turn adds; no step where it is more than that.
func (c *chain) counts(variable spirv.ID, header int, signed bool) (from, step int64) {
	if x := c.s.vars.byID[variable]; x == nil || !x.local {
		return 0, 0
	}
	from = math.MaxInt64
	for b, block := range c.s.function.Blocks {
		for i := range block.Insts {
			in := &block.Insts[i]
			used := false
			in.EachID(func(p *uint32) { used = used || spirv.ID(*p) == variable })
			if !used || in.Op == spirv.OpLoad || in.Op == spirv.OpVariable {
				continue
			}
			if in.Op != spirv.OpStore || in.Store().Pointer() != variable {
				return 0, 0
			}
			if !c.within(b, header) {
				v, ok := c.constant(in.Store().Object(), signed)
				if !ok {
					return 0, 0
				}
				from = min(from, v)
				continue
			}
			if step != 0 {
				return 0, 0
			}
			if step = c.added(block, in.Store().Object(), variable); step <= 0 || !c.everyTurn(b, header) {
				return 0, 0
			}
		}
	}
	if from == math.MaxInt64 {
		return 0, 0
	}
	return from, step
}

// added returns the constant that a value is more than the variable, 0 if it is not that.
func (c *chain) added(b *spirv.Block, id, variable spirv.ID) int64 {
	sum := defined(b, id)
	if sum == nil || sum.Op != spirv.OpIAdd {
		return 0
	}
	load := defined(b, sum.Binary().Operand1())
	if load == nil || load.Op != spirv.OpLoad || load.Load().Pointer() != variable {
		return 0
	}
	step, ok := c.constant(sum.Binary().Operand2(), true)
	if !ok || step > maxChain {
		return 0
	}
	return step
}

// everyTurn tells whether each turn of a loop comes through a block.
func (c *chain) everyTurn(b, header int) bool {
	for _, from := range c.c.Preds[header] {
		if c.within(from, header) && !c.c.Dominates(b, from) {
			return false
		}
	}
	return true
}
