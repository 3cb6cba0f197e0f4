package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// placeGlobals turns the stage's queries in the module's storage into variables of functions: of the entry function if
// nobody else uses them, or of the function that always initialises them before it does anything else with them. Others
// become variables of the entry function that are passed to all functions that need them.
func (q *queryLowering) placeGlobals() {
	users := map[spirv.ID][]*spirv.Function{}
	for _, f := range q.functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				b.Insts[i].EachID(func(p *uint32) {
					id := spirv.ID(*p)
					if q.l.types.op(id) == spirv.OpVariable && !slices.Contains(users[id], f) {
						users[id] = append(users[id], f)
					}
				})
			}
		}
	}
	var globals []spirv.ID
	for id := range users {
		if _, ok := q.local(q.l.types.get(id).Type); ok {
			globals = append(globals, id)
		}
	}
	slices.Sort(globals)
	for _, id := range globals {
		home := q.s.function
		if f := users[id][0]; len(users[id]) == 1 && f != home && initialises(f, id) {
			home = f
		} else {
			q.pass(id, users[id])
		}
		_, typ := q.l.types.pointee(q.l.types.get(id).Type)
		in := q.l.newVariable(typ)
		// The id moves from the global to the variable, so that every use stays as it is.
		q.l.types.release(id)
		in.Result = id
		addVariableInsts(home, []spirv.Inst{in})
		delete(q.s.uses, id)
	}
}

// initialises tells whether the function initialises a query before any other use of it.
func initialises(f *spirv.Function, id spirv.ID) bool {
	cfg := spirv.NewCFG(f)
	type place struct{ block, at int }
	var uses, starts []place
	for b, blk := range f.Blocks {
		for i := range blk.Insts {
			in := &blk.Insts[i]
			in.EachID(func(p *uint32) {
				if spirv.ID(*p) == id {
					uses = append(uses, place{b, i})
				}
			})
			if in.Op == spirv.OpRayQueryInitializeKHR && in.RayQueryInitialize().RayQuery() == id {
				starts = append(starts, place{b, i})
			}
		}
	}
	return slices.ContainsFunc(starts, func(s place) bool {
		return cfg.Reachable(s.block) && !slices.ContainsFunc(uses, func(u place) bool {
			if u.block == s.block {
				return u.at < s.at
			}
			return cfg.Reachable(u.block) && !cfg.Dominates(s.block, u.block)
		})
	})
}

// pass makes a variable of the module a parameter of all functions but the entry function that use it, or that call one
// which does.
func (q *queryLowering) pass(id spirv.ID, users []*spirv.Function) {
	param := map[spirv.ID]spirv.ID{} // by function
	for _, f := range users {
		if f != q.s.function {
			param[f.Def.Result] = q.l.out.NewID()
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range q.functions {
			if f != q.s.function && param[f.Def.Result] == 0 && calls(f, param) {
				param[f.Def.Result], changed = q.l.out.NewID(), true
			}
		}
	}
	typ := q.l.types.get(id).Type
	for _, f := range q.functions {
		own := id
		if p := param[f.Def.Result]; p != 0 {
			own = p
			f.Params = append(f.Params, spirv.Inst{Op: spirv.OpFunctionParameter, Type: typ, Result: p})
		}
		for _, b := range f.Blocks {
			for i := range b.Insts {
				in := &b.Insts[i]
				in.EachID(func(p *uint32) {
					if spirv.ID(*p) == id {
						*p = uint32(own)
					}
				})
				if in.Op == spirv.OpFunctionCall && param[in.FunctionCall().Function()] != 0 {
					in.Operands = append(in.Operands[:len(in.Operands):len(in.Operands)], uint32(own))
				}
			}
		}
	}
}

// calls tells whether a function calls one of those that have a parameter.
func calls(f *spirv.Function, param map[spirv.ID]spirv.ID) bool {
	for _, b := range f.Blocks {
		for i := range b.Insts {
			if in := &b.Insts[i]; in.Op == spirv.OpFunctionCall && param[in.FunctionCall().Function()] != 0 {
				return true
			}
		}
	}
	return false
}
