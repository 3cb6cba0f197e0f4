package repro

import (
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// dropFunctions drops functions that nobody calls, and empties others.
func (r *reducer) dropFunctions(y *module) {
	for i := len(y.m.Functions) - 1; i >= 0; i-- {
		name := y.m.NameOf(y.m.Functions[i].Def.Result)
		without := y.m.Clone()
		gone := without.Functions[i]
		without.Functions = slices.Delete(without.Functions, i, i+1)
		without.ForgetFunctions([]*spirv.Function{gone})
		if y.try(without, "function "+name) {
			continue
		}
		f := y.m.Functions[i]
		if len(f.Blocks) == 0 || len(f.Blocks) == 1 && len(f.Blocks[0].Insts) <= 1 {
			continue
		}
		y.try(emptied(y.m, i), "code of function "+name)
	}
}

// emptied is the module with a function that returns at once.
func emptied(m *spirv.Module, i int) *spirv.Module {
	m = m.Clone()
	f := m.Functions[i]
	end := spirv.Inst{Op: spirv.OpReturn}
	for k := range m.Globals {
		if in := &m.Globals[k]; in.Result == f.Def.Type && in.Op != spirv.OpTypeVoid {
			end = spirv.Inst{Op: spirv.OpReturnValue, Operands: []uint32{uint32(m.Undef(f.Def.Type))}}
			break
		}
	}
	f.Blocks = []*spirv.Block{{Label: f.Blocks[0].Label, Insts: []spirv.Inst{end}}}
	m.DropStale()
	return m
}

// straighten makes branches of conditional ones, and drops the blocks that nobody comes to then.
func (r *reducer) straighten(y *module) {
	for i := 0; i < len(y.m.Functions); i++ {
		for b := len(y.m.Functions[i].Blocks) - 1; b >= 0; b-- {
			if b >= len(y.m.Functions[i].Blocks) {
				continue // blocks behind went with another branch
			}
			for _, to := range successors(y.m.Functions[i].Blocks[b]) {
				if y.try(straightened(y.m, i, b, to), "a branch") {
					break
				}
			}
		}
	}
}

// successors lists where a block with a choice may go, each once.
func successors(b *spirv.Block) (list []spirv.ID) {
	t := b.Terminator()
	if t == nil {
		return nil
	}
	if t.Op == spirv.OpBranchConditional || t.Op == spirv.OpSwitch {
		list = b.Successors()
	}
	slices.Sort(list)
	return list
}

// straightened is the module with a block that always goes to one place.
func straightened(m *spirv.Module, function, block int, to spirv.ID) *spirv.Module {
	m = m.Clone()
	f := m.Functions[function]
	b := f.Blocks[block]
	left := b.Insts[:len(b.Insts)-1]
	if n := len(left); n > 0 && left[n-1].Op == spirv.OpSelectionMerge {
		left = left[:n-1]
	}
	b.Insts = append(left, spirv.Inst{Op: spirv.OpBranch, Operands: []uint32{uint32(to)}})
	f.DropUnreachable(m.Undef)
	dropEdges(f)
	m.DropStale()
	return m
}

// dropEdges takes from phis what comes from blocks that no longer go there.
func dropEdges(f *spirv.Function) {
	from := map[[2]spirv.ID]bool{}
	for _, b := range f.Blocks {
		t := b.Terminator()
		if t == nil {
			continue
		}
		list := successors(b)
		if t.Op == spirv.OpBranch {
			list = []spirv.ID{t.Branch().TargetLabel()}
		}
		for _, to := range list {
			from[[2]spirv.ID{b.Label, to}] = true
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op == spirv.OpPhi {
				in.Phi().Keep(func(_, parent spirv.ID) bool { return from[[2]spirv.ID{parent, b.Label}] })
			}
		}
	}
}

// dropInstructions drops instructions in ever smaller runs. Results that are used become undefined values.
func (r *reducer) dropInstructions(y *module) {
	for i := 0; i < len(y.m.Functions); i++ {
		total := 0
		for _, b := range y.m.Functions[i].Blocks {
			total += len(b.Insts)
		}
		for run := max(total/2, 1); ; run /= 2 {
			for first := total - run; first > -run; first -= run {
				if r.ctx.Err() != nil {
					return
				}
				if m, n := thinned(y.m, i, max(first, 0), first+run); n > 0 {
					y.try(m, fmt.Sprintf("%d instructions", n))
				}
			}
			if run <= 1 {
				break
			}
		}
	}
}

// thinned is the module without some instructions of a function, numbered through its blocks, and how many these were.
func thinned(m *spirv.Module, function, first, end int) (*spirv.Module, int) {
	m = m.Clone()
	f := m.Functions[function]
	undefined, dropped, number := map[uint32]uint32{}, 0, 0
	for _, b := range f.Blocks {
		kept := b.Insts[:0:0]
		for k := range b.Insts {
			in := b.Insts[k]
			at := number
			number++
			if at < first || at >= end || in.Op.IsTerminator() || in.Op.IsMerge() {
				kept = append(kept, in)
				continue
			}
			dropped++
			if in.Result != 0 && in.Type != 0 {
				undefined[uint32(in.Result)] = uint32(in.Type)
			}
		}
		b.Insts = kept
	}
	if dropped == 0 {
		return m, 0
	}
	values := map[uint32]uint32{} // by type
	for _, b := range f.Blocks {
		for k := range b.Insts {
			b.Insts[k].EachID(func(p *uint32) {
				typ := undefined[*p]
				if typ == 0 {
					return
				}
				if values[typ] == 0 {
					values[typ] = uint32(m.Undef(spirv.ID(typ)))
				}
				*p = values[typ]
			})
		}
	}
	m.DropStale()
	return m, dropped
}

// dropUnused drops names, debug information and what no function needs.
func (r *reducer) dropUnused(y *module) {
	m := y.m.Clone()
	m.Names, m.DebugStrings, m.Processed = nil, nil, nil
	roots := []spirv.ID{}
	for i := range m.ExecutionModes {
		m.ExecutionModes[i].EachID(func(p *uint32) { roots = append(roots, spirv.ID(*p)) })
	}
	m.Prune(roots...)
	if size(m) < size(y.m) {
		y.try(m, "what is not used")
	}
}
