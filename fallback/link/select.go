package link

import (
	"fmt"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// selectEntries decodes each stage, picks its entry point and drops what that does not reach.
func (l *linker) selectEntries() error {
	loaded := sources{}
	for _, s := range l.stages {
		if err := s.selectEntry(loaded); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) selectEntry(loaded sources) error {
	m, err := loaded.load(s)
	if err != nil {
		return err
	}
	s.module = m
	if s.Model < Raygen || s.Model > Callable {
		return s.invalid("unknown %v", s.Model)
	}
	if s.entry = findEntry(m, s.Entry, s.Model.execution()); s.entry == 0 {
		return s.invalid("module has no %v entry point %q (it has %s)", s.Model, s.Entry, listEntries(m))
	}
	if err := s.checkModule(); err != nil {
		return err
	}
	if err := s.ownModule(); err != nil {
		return err
	}
	if err := spirv.FoldSpecConstants(s.module, s.Specialization); err != nil {
		return fmt.Errorf("shader %s: specialisation constants: %w", s.Name, err)
	}
	if err := s.prune(); err != nil {
		return err
	}
	if err := s.lowerPointers(); err != nil {
		return err
	}
	if err := s.checkInstructions(); err != nil {
		return err
	}
	s.lowerBarriers()
	return nil
}

// dropDebugInfo removes debug information and other non-semantic instructions, which say nothing about what a shader does.
func dropDebugInfo(m *spirv.Module) {
	sets := map[spirv.ID]bool{}
	for i := range m.ExtInstImports {
		name, _ := spirv.DecodeString(m.ExtInstImports[i].Operands)
		if strings.HasPrefix(name, "NonSemantic.") || strings.HasSuffix(name, "DebugInfo.100") {
			sets[m.ExtInstImports[i].Result] = true
		}
	}
	if len(sets) == 0 {
		return
	}
	semantic := func(in *spirv.Inst) bool { return in.Op != spirv.OpExtInst || !sets[in.ID(0)] }
	m.Globals = filter(m.Globals, semantic)
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			b.Insts = filter(b.Insts, semantic)
		}
	}
}

// findEntry returns the entry function of that name and model, 0 if there is none.
func findEntry(m *spirv.Module, name string, model spirv.ExecutionModel) spirv.ID {
	for _, e := range m.EntryPoints {
		n, _ := spirv.DecodeString(e.Operands[2:])
		if spirv.ExecutionModel(e.Operands[0]) == model && n == name {
			return spirv.ID(e.Operands[1])
		}
	}
	return 0
}

func listEntries(m *spirv.Module) string {
	list := ""
	for i, e := range m.EntryPoints {
		if i > 0 {
			list += ", "
		}
		n, _ := spirv.DecodeString(e.Operands[2:])
		list += fmt.Sprintf("%q of model %d", n, e.Operands[0])
	}
	if list == "" {
		return "none"
	}
	return list
}

// prune keeps the functions that the entry function calls and the globals that those use, beside roots.
func (s *stage) prune(roots ...spirv.ID) error {
	kept, err := s.reachedFunctions()
	if err != nil {
		return err
	}
	s.module.Functions = kept
	if err := s.normalise(); err != nil {
		return err
	}
	pruneGlobals(s.module, roots)
	return nil
}

// reachedFunctions returns the functions that the entry function calls, and itself.
func (s *stage) reachedFunctions() ([]*spirv.Function, error) {
	byID := map[spirv.ID]*spirv.Function{}
	for _, f := range s.module.Functions {
		byID[f.Def.Result] = f
	}
	if f := byID[s.entry]; f == nil || len(f.Blocks) == 0 {
		return nil, s.invalid("entry point %q has no body", s.Entry)
	}
	reached := map[spirv.ID]bool{}
	if err := s.reach(byID, s.entry, reached, map[spirv.ID]bool{}); err != nil {
		return nil, err
	}
	var kept []*spirv.Function
	for _, f := range s.module.Functions {
		if reached[f.Def.Result] {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// reach marks the functions called from id, and refuses recursion, which SPIR-V for Vulkan forbids.
func (s *stage) reach(byID map[spirv.ID]*spirv.Function, id spirv.ID, reached, open map[spirv.ID]bool) error {
	if open[id] {
		return s.invalid("function %d calls itself", id)
	}
	if reached[id] {
		return nil
	}
	f := byID[id]
	if f == nil || len(f.Blocks) == 0 {
		return s.invalid("call of function %d, which has no body", id)
	}
	reached[id], open[id] = true, true
	for _, b := range f.Blocks {
		for i := range b.Insts {
			if b.Insts[i].Op == spirv.OpFunctionCall {
				if err := s.reach(byID, spirv.ID(b.Insts[i].Operands[0]), reached, open); err != nil {
					return err
				}
			}
		}
	}
	open[id] = false
	return nil
}

// pruneGlobals drops types, constants, variables and annotations that the module's functions do not reach; roots are
// kept besides.
func pruneGlobals(m *spirv.Module, roots []spirv.ID) {
	needed := make([]bool, m.Bound)
	at := make([]int32, m.Bound) // of globals, their place in the list, from 1
	for i := range m.Globals {
		at[m.Globals[i].Result] = int32(i + 1)
	}
	var work []int32
	need := func(id spirv.ID) {
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
	mark := func(in *spirv.Inst) {
		need(in.Type)
		need(in.Result)
		in.EachID(func(p *uint32) { need(spirv.ID(*p)) })
	}
	eachFunctionInst(m, mark)
	for len(work) > 0 {
		in := &m.Globals[work[len(work)-1]]
		work = work[:len(work)-1]
		need(in.Type)
		in.EachID(func(p *uint32) { need(spirv.ID(*p)) })
	}
	m.Globals = filter(m.Globals, func(in *spirv.Inst) bool {
		if in.Op == spirv.OpTypeForwardPointer {
			return needed[spirv.ID(in.Operands[0])]
		}
		return in.Result != 0 && needed[in.Result]
	})
	keepTarget := func(in *spirv.Inst) bool { return needed[spirv.ID(in.Operands[0])] }
	m.Annotations = filter(m.Annotations, func(in *spirv.Inst) bool {
		switch in.Op {
		case spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
			return false
		}
		return keepTarget(in)
	})
	m.Names = filter(m.Names, keepTarget)
	m.ExtInstImports = filter(m.ExtInstImports, func(in *spirv.Inst) bool { return needed[in.Result] })
}

func filter(list []spirv.Inst, keep func(*spirv.Inst) bool) []spirv.Inst {
	var out []spirv.Inst
	for i := range list {
		if keep(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}

// eachFunctionInst visits every instruction of all functions, definitions and parameters included.
func eachFunctionInst(m *spirv.Module, visit func(*spirv.Inst)) {
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
