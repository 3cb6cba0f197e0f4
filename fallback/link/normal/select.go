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
		name := m.ExtInstImports[i].ExtInstImport().Name()
		if strings.HasPrefix(name, "NonSemantic.") || strings.HasSuffix(name, "DebugInfo.100") {
			sets[m.ExtInstImports[i].Result] = true
		}
	}
	if len(sets) == 0 {
		return
	}
	semantic := func(in *spirv.Inst) bool { return in.Op != spirv.OpExtInst || !sets[in.ExtInst().Set()] }
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
			return e.EntryPoint().EntryPoint()
		}
	}
	return 0
}

// isEntry tells whether an entry point has that name and model.
func isEntry(e *spirv.Inst, name string, model spirv.ExecutionModel) bool {
	v := e.EntryPoint()
	return v.ExecutionModel() == model && v.Name() == name
}

func listEntries(m *spirv.Module) string {
	list := ""
	for i, e := range m.EntryPoints {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%q of model %v", e.EntryPoint().Name(), e.EntryPoint().ExecutionModel())
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
		if err := s.look(8); err != nil {
			return nil, err
		}
		byID[f.Def.Result] = f
	}
	if f := byID[s.entry]; f == nil || len(f.Blocks) == 0 {
		return nil, s.invalid("entry point %q has no body", s.Entry)
	}
	reached, err := s.reach(byID)
	if err != nil {
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

// reach returns the functions that the entry function calls, and refuses recursion, which SPIR-V for Vulkan forbids.
func (s *stage) reach(byID map[spirv.ID]*spirv.Function) (map[spirv.ID]bool, error) {
	type step struct {
		id    spirv.ID
		calls []spirv.ID // still to be looked at
	}
	reached, open := map[spirv.ID]bool{}, map[spirv.ID]bool{}
	for work := []step{{calls: []spirv.ID{s.entry}}}; len(work) > 0; {
		top := &work[len(work)-1]
		if len(top.calls) == 0 {
			open[top.id] = false
			work = work[:len(work)-1]
			continue
		}
		id := top.calls[0]
		top.calls = top.calls[1:]
		f := byID[id]
		switch {
		case open[id]:
			return nil, s.invalid("function %v calls itself", s.name(id))
		case reached[id]:
			continue
		case f == nil || len(f.Blocks) == 0:
			return nil, s.invalid("call of function %v, which has no body", s.name(id))
		}
		if len(reached)%1024 == 0 && s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		reached[id], open[id] = true, true
		next := step{id: id}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				if b.Insts[i].Op == spirv.OpFunctionCall {
					next.calls = append(next.calls, b.Insts[i].FunctionCall().Function())
				}
			}
		}
		work = append(work, next)
	}
	return reached, nil
}

// name returns the debug name of an id, or its number.
func (s *stage) name(id spirv.ID) string { return s.module.NameOf(id) }
