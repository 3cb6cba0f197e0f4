package spirv

import (
	"fmt"
	"math/bits"
	"slices"
)

// CallsShaders tells whether an instruction hands over to other shaders: a trace call, that of a callable shader, or the execution
// of a hit object's. Handed returns the payload or callable data. Those on hit objects of NV are not among them.
func (op Op) CallsShaders() bool {
	switch op {
	case OpTraceRayKHR, OpExecuteCallableKHR, OpHitObjectTraceRayEXT, OpHitObjectExecuteShaderEXT, OpHitObjectTraceReorderExecuteEXT:
		return true
	}
	return false
}

// Filter returns a list of those instructions that are to stay: the list itself where all do, otherwise a new one.
func Filter(list []Inst, keep func(*Inst) bool) []Inst {
	for i := range list {
		if keep(&list[i]) {
			continue
		}
		out := append(make([]Inst, 0, len(list)-1), list[:i]...)
		for k := i + 1; k < len(list); k++ {
			if keep(&list[k]) {
				out = append(out, list[k])
			}
		}
		return out
	}
	return list[:len(list):len(list)]
}

// EachFunctionInst visits every instruction of all functions, definitions and parameters included.
func (m *Module) EachFunctionInst(visit func(*Inst)) {
	for _, f := range m.Functions {
		visit(&f.Def)
		for i := range f.Params {
			visit(&f.Params[i])
		}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				visit(&b.Insts[i])
			}
		}
	}
}

// RenamePhiSources tells phis that the ends of blocks now are the ends of
// others, which may have been split themselves.
func (fn *Function) RenamePhiSources(ends map[ID]ID) {
	if len(ends) == 0 {
		return
	}
	for _, b := range fn.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op == OpPhi {
				in.Phi().RenameParents(func(parent ID) ID { return endOf(ends, parent) })
			}
		}
	}
}

// endOf returns the block that ends what a block held, however often it was split, and remembers it.
func endOf(ends map[ID]ID, label ID) ID {
	last, split := label, false
	for to, ok := ends[label]; ok; to, ok = ends[to] {
		last, split = to, true
	}
	for split && ends[label] != last {
		label, ends[label] = ends[label], last
	}
	return last
}

// MemoryAccessWords returns how many words the first memory operands of a list take: the mask, and what belongs to its bits.
func MemoryAccessWords(w []uint32) int {
	const parameters = MemoryAccessAligned | MemoryAccessMakePointerAvailable | MemoryAccessMakePointerVisible
	if len(w) == 0 {
		return 0
	}
	return min(1+bits.OnesCount32(w[0]&uint32(parameters)), len(w))
}

// Prune drops types, constants, variables and annotations that the module's functions do not reach; roots are kept besides. The
// interfaces of entry points lose what was dropped.
func (m *Module) Prune(roots ...ID) {
	needed := make([]bool, m.Bound)
	at := make([]int32, m.Bound) // of globals, their place in the list, from 1
	for i := range m.Globals {
		at[m.Globals[i].Result] = int32(i + 1)
	}
	var work []int32
	need := func(id ID) {
		if id != 0 && !needed[id] {
			needed[id] = true
			if at[id] > 0 {
				work = append(work, at[id]-1)
			}
		}
	}
	for _, r := range roots {
		need(r)
	}
	mark := func(in *Inst) {
		need(in.Type)
		need(in.Result)
		in.EachID(func(p *uint32) { need(ID(*p)) })
	}
	m.EachFunctionInst(mark)
	for len(work) > 0 {
		in := &m.Globals[work[len(work)-1]]
		work = work[:len(work)-1]
		need(in.Type)
		in.EachID(func(p *uint32) { need(ID(*p)) })
	}
	m.Globals = Filter(m.Globals, func(in *Inst) bool {
		if in.Op == OpTypeForwardPointer {
			return needed[in.TypeForwardPointer().PointerType()]
		}
		return in.Result != 0 && needed[in.Result]
	})
	keepTarget := func(in *Inst) bool { return needed[in.Target()] }
	m.Annotations = Filter(m.Annotations, func(in *Inst) bool {
		switch in.Op {
		case OpDecorationGroup, OpGroupDecorate, OpGroupMemberDecorate:
			return false
		}
		return keepTarget(in)
	})
	m.Names = Filter(m.Names, keepTarget)
	m.ExtInstImports = Filter(m.ExtInstImports, func(in *Inst) bool { return needed[in.Result] })
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		kept := e.InterfaceStart()
		list := e.Operands[:kept:kept]
		for _, id := range e.Operands[kept:] {
			if needed[id] {
				list = append(list, id)
			}
		}
		e.Operands = list
	}
}

// ForgetFunctions drops names and annotations of what lies in those functions of a list that the module no longer has.
func (m *Module) ForgetFunctions(list []*Function) {
	kept := map[ID]bool{}
	for _, f := range m.Functions {
		kept[f.Def.Result] = true
	}
	var gone []bool
	for _, f := range list {
		if kept[f.Def.Result] {
			continue
		}
		if gone == nil {
			gone = make([]bool, m.Bound)
		}
		f.eachInst(func(in *Inst) { gone[in.Result] = true })
	}
	if gone == nil {
		return
	}
	stays := func(in *Inst) bool { return !gone[in.Target()] }
	m.Names, m.Annotations = Filter(m.Names, stays), Filter(m.Annotations, stays)
}

// Decorated tells whether an id itself, no member of it, has a decoration.
func (m *Module) Decorated(id ID, d Decoration) bool {
	return slices.ContainsFunc(m.Annotations, func(in Inst) bool {
		return in.Op == OpDecorate && in.Decorate().Target() == id && in.Decorate().Decoration() == d
	})
}

// DropStale drops names and annotations of what the module no longer has.
func (m *Module) DropStale() {
	known := make([]bool, m.Bound)
	m.eachInst(func(in *Inst) { known[in.Result] = true })
	stays := func(in *Inst) bool { return known[in.Target()] }
	m.Names, m.Annotations = Filter(m.Names, stays), Filter(m.Annotations, stays)
}

// ShareTypes makes equal declarations of types one, where SPIR-V allows no two: all but aggregates, decorated types and pointers
// that are declared ahead.
func (m *Module) ShareTypes() {
	apart := make([]bool, m.Bound)
	for i := range m.Annotations {
		apart[m.Annotations[i].Target()] = true
	}
	shared, first := map[ID]ID{}, map[string]ID{}
	share := func(in *Inst) {
		if to := shared[in.Type]; to != 0 {
			in.Type = to
		}
		in.EachID(func(p *uint32) {
			if to := shared[ID(*p)]; to != 0 {
				*p = uint32(to)
			}
		})
	}
	m.Globals = Filter(m.Globals, func(in *Inst) bool {
		share(in)
		switch in.Op {
		case OpTypeForwardPointer:
			apart[in.TypeForwardPointer().PointerType()] = true
			return true
		case OpTypeInt, OpTypeFloat, OpTypeVector, OpTypeMatrix, OpTypeImage, OpTypeSampledImage, OpTypePointer, OpTypeFunction:
		default:
			return true
		}
		if apart[in.Result] {
			return true
		}
		key := declarationKey(in.Op, 0, in.Operands)
		if have, ok := first[key]; ok {
			shared[in.Result] = have
			return false
		}
		first[key] = in.Result
		return true
	})
	if len(shared) == 0 {
		return
	}
	m.EachFunctionInst(share)
	m.Names = Filter(m.Names, func(in *Inst) bool { return shared[in.Target()] == 0 })
}

// NameOf returns the debug name of an id, or its number, for messages.
func (m *Module) NameOf(id ID) string {
	for i := range m.Names {
		if in := &m.Names[i]; in.Op == OpName && in.Name().Target() == id {
			if name := in.Name().Name(); name != "" {
				return name
			}
		}
	}
	return fmt.Sprintf("%%%d", id)
}
