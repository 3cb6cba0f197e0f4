package link

import (
	"maps"
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
				q.l.work(1)
				b.Insts[i].EachID(func(p *uint32) {
					id := spirv.ID(*p)
					list := users[id]
					if q.l.types.op(id) != spirv.OpVariable || len(list) > 0 && list[len(list)-1] == f {
						return
					}
					if _, ok := q.local(q.l.types.get(id).Type); ok {
						users[id] = append(list, f)
					}
				})
			}
		}
	}
	globals := slices.Sorted(maps.Keys(users))
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
	callers := q.callersOf()
	for work := slices.Clone(users); len(work) > 0; {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[f.Def.Result] {
			q.l.work(1)
			if c != q.s.function && param[c.Def.Result] == 0 {
				param[c.Def.Result] = q.l.out.NewID()
				work = append(work, c)
			}
		}
	}
	typ := q.l.types.get(id).Type
	for _, f := range q.functions {
		q.l.work(1)
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

// callersOf returns the functions that call a function, each once.
func (q *queryLowering) callersOf() map[spirv.ID][]*spirv.Function {
	if q.callers != nil {
		return q.callers
	}
	q.callers = map[spirv.ID][]*spirv.Function{}
	for _, f := range q.functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				in := &b.Insts[i]
				if in.Op != spirv.OpFunctionCall {
					continue
				}
				called := in.FunctionCall().Function()
				if list := q.callers[called]; len(list) == 0 || list[len(list)-1] != f {
					q.callers[called] = append(list, f)
				}
			}
		}
	}
	return q.callers
}
