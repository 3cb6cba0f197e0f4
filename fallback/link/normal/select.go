package normal

import (
	"fmt"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

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
	m.Globals = spirv.Filter(m.Globals, semantic)
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			b.Insts = spirv.Filter(b.Insts, semantic)
		}
	}
}

func (s *stage) dropDebugInfo() error {
	dropDebugInfo(s.module)
	return nil
}

// findEntry returns the entry function of that name and model, 0 if there is none.
func findEntry(m *spirv.Module, name string, model spirv.ExecutionModel) spirv.ID {
	for _, e := range m.EntryPoints {
		if isEntry(&e, name, model) {
			return spirv.ID(e.Operands[1])
		}
	}
	return 0
}

// isEntry tells whether an entry point has that name and model.
func isEntry(e *spirv.Inst, name string, model spirv.ExecutionModel) bool {
	n, _ := spirv.DecodeString(e.Operands[2:])
	return spirv.ExecutionModel(e.Operands[0]) == model && n == name
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
