package spirv

// function checks one function.
func (v *verifier) function(f *Function) error {
	v.f, v.block = f, 0
	defer func() { v.f, v.block = nil, 0 }()
	if f.Def.Op != OpFunction {
		return v.fail(&f.Def, "no OpFunction")
	}
	t := v.x.Def(f.Def.Function().FunctionType())
	switch {
	case t.Op != OpTypeFunction || t.TypeFunction().ReturnType() != f.Def.Type:
		return v.fail(&f.Def, "type does not fit the result")
	case len(t.TypeFunction().Parameters()) != len(f.Params):
		return v.fail(&f.Def, "%d parameters, the type has %d", len(f.Params), len(t.TypeFunction().Parameters()))
	}
	params := t.TypeFunction().Parameters()
	for i := range f.Params {
		if p := &f.Params[i]; p.Op != OpFunctionParameter || p.Type != ID(params[i]) {
			return v.fail(p, "parameter %d does not fit the function's type", i)
		}
	}
	if f.Blocks == nil {
		return nil
	}
	for i, b := range f.Blocks {
		v.block = b.Label
		if err := v.blockShape(b, i == 0); err != nil {
			return err
		}
	}
	c, err := v.graph(f)
	if err != nil {
		return err
	}
	steps := []func(*CFG) error{v.order, v.values}
	if v.structured {
		steps = append(steps, v.structure)
	}
	for _, step := range steps {
		v.block = 0
		if err := step(c); err != nil {
			return err
		}
	}
	for _, b := range f.Blocks {
		v.block = b.Label
		for i := range b.Insts {
			if err := v.poll(&b.Insts[i]); err != nil {
				return err
			}
			if err := v.inst(&b.Insts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// graph computes a function's control flow graph, and the structural one where that is looked at.
func (v *verifier) graph(f *Function) (*CFG, error) {
	if v.structured {
		return NewCFGContext(v.ctx, f)
	}
	c := newCFG(v.ctx, f, false)
	return c, v.ctx.Err()
}

// blockShape checks which instructions stand where in a block.
func (v *verifier) blockShape(b *Block, entry bool) error {
	for i := range b.Before {
		if !mayFloat(b.Before[i].Op) {
			return v.fail(&b.Before[i], "outside of a block")
		}
	}
	last := len(b.Insts) - 1
	if last < 0 || !b.Insts[last].Op.IsTerminator() {
		return v.fail(nil, "no terminator")
	}
	phis, variables := true, entry
	for i := range b.Insts {
		in := &b.Insts[i]
		switch {
		case in.Op.IsTerminator() && i != last:
			return v.fail(in, "terminator ahead of the end")
		case in.Op.IsMerge() && i != last-1:
			return v.fail(in, "merge instruction is not right before the terminator")
		case in.Op == OpPhi && (!phis || entry):
			return v.fail(in, "not at the beginning of a block that has predecessors")
		case in.Op == OpVariable && !variables:
			return v.fail(in, "not at the beginning of the function")
		case sectionOf(in.Op) != sectionBody && !mayFloat(in.Op) && in.Op != OpVariable && in.Op != OpUndef,
			in.Op == OpLabel, in.Op == OpFunctionParameter, in.Op == OpFunctionEnd:
			return v.fail(in, "not allowed in a block")
		}
		phis = phis && (in.Op == OpPhi || mayFloat(in.Op))
		variables = variables && (in.Op == OpVariable || mayFloat(in.Op))
	}
	if merge := b.Merge(); merge != nil {
		t := b.Insts[last].Op
		if !(t == OpBranchConditional || merge.Op == OpSelectionMerge && t == OpSwitch || merge.Op == OpLoopMerge && t == OpBranch) {
			return v.fail(merge, "not ahead of %v", t)
		}
	}
	return nil
}

// order checks branch targets and the order of blocks.
func (v *verifier) order(c *CFG) error {
	for i, b := range c.Function.Blocks {
		v.block = b.Label
		merge, cont := b.Merges()
		for _, id := range append(b.Successors(), merge, cont) {
			if id == 0 {
				continue
			}
			to, ok := c.Index[id]
			if !ok {
				return v.fail(b.Terminator(), "%%%d is no block of the function", id)
			}
			if to == 0 {
				return v.fail(b.Terminator(), "branch to the entry block")
			}
		}
		if c.Reachable(i) && c.IDom[i] > i {
			return v.fail(nil, "its dominator %%%d comes later", c.Function.Blocks[c.IDom[i]].Label)
		}
	}
	return nil
}

// place is where an id is defined: a block and a position in it.
type place struct{ block, at int }

// values checks that definitions dominate uses, and phis.
func (v *verifier) values(c *CFG) error {
	for b, block := range c.Function.Blocks {
		v.block = block.Label
		for i := range block.Insts {
			in := &block.Insts[i]
			if err := v.poll(in); err != nil {
				return err
			}
			if in.Op == OpPhi {
				if err := v.phi(c, b, in); err != nil {
					return err
				}
				continue
			}
			bad := ID(0)
			in.EachID(func(p *uint32) {
				if !v.available(c, ID(*p), place{b, i}) {
					bad = ID(*p)
				}
			})
			if bad != 0 {
				return v.fail(in, "%%%d is not defined on all ways to here", bad)
			}
		}
	}
	return nil
}

// available tells whether id may be used at a place.
func (v *verifier) available(c *CFG, id ID, at place) bool {
	d := v.x.defs.get(id)
	if d.owner == nil || d.owner.Def.Result == id {
		return true // global or function
	}
	if d.owner != c.Function {
		return false
	}
	switch block := int(d.block); {
	case block < 0: // parameter or label
		return true
	case block == at.block:
		return int(d.at) < at.at
	default:
		return !c.Reachable(at.block) || c.Dominates(block, at.block)
	}
}

// phi checks that a phi has one value from each predecessor.
func (v *verifier) phi(c *CFG, b int, in *Inst) error {
	phi := in.Phi()
	if len(in.Operands)%2 != 0 {
		return v.fail(in, "value without block")
	}
	preds := make(map[int]bool, len(c.Preds[b])) // whether the phi has a value from it
	for _, p := range c.Preds[b] {
		preds[p] = false
	}
	for i := range phi.Sources() {
		value, label := phi.Variable(i), phi.Parent(i)
		p, ok := c.Index[label]
		had, pred := preds[p]
		switch {
		case !ok || !pred:
			return v.fail(in, "%%%d is no predecessor", label)
		case had:
			return v.fail(in, "predecessor %%%d comes twice", label)
		case v.x.TypeOf(value) != in.Type:
			return v.fail(in, "%%%d has another type", value)
		case c.Reachable(p) && !v.available(c, value, place{p, len(c.Function.Blocks[p].Insts)}):
			return v.fail(in, "%%%d is not defined on all ways to %%%d", value, label)
		}
		preds[p] = true
	}
	if n := phi.Sources(); n != len(c.Preds[b]) {
		return v.fail(in, "values from %d of %d predecessors", n, len(c.Preds[b]))
	}
	return nil
}

// inst checks types of operands, and notes calls and uses of globals.
func (v *verifier) inst(in *Inst) error {
	if v.calls == nil {
		v.calls, v.uses = map[ID][]ID{}, map[ID][]ID{}
	}
	me := v.f.Def.Result
	if in.Op == OpFunctionCall {
		v.calls[me] = append(v.calls[me], in.FunctionCall().Function())
	}
	in.EachID(func(p *uint32) {
		if id := ID(*p); v.x.Op(id) == OpVariable && v.x.Owner(id) == nil && in.Op != OpExtInst {
			v.uses[me] = append(v.uses[me], id)
		}
	})
	if in.Op == OpExtInst { // those of non-semantic sets do not count, GLSL.std.450's do
		if set := v.x.Def(in.ExtInst().Set()); set.Op == OpExtInstImport && set.ExtInstImport().Name() == "GLSL.std.450" {
			for _, w := range in.ExtInst().Operands() {
				if v.x.Op(ID(w)) == OpVariable && v.x.Owner(ID(w)) == nil {
					v.uses[me] = append(v.uses[me], ID(w))
				}
			}
		}
	}
	if err := v.roles(in); err != nil {
		return err
	}
	return v.operandTypes(in)
}

// roles checks that operands that should be values are: no types, labels or
// functions.
func (v *verifier) roles(in *Inst) error {
	labels := false
	switch in.Op {
	case OpExtInst, OpExtInstWithForwardRefsKHR, OpLine, OpFunctionCall,
		OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLengthNV:
		return nil // have sets, strings, functions or types among them
	case OpPhi, OpBranch, OpBranchConditional, OpSwitch, OpLoopMerge, OpSelectionMerge:
		labels = true // checked as such elsewhere
	}
	var bad ID
	in.EachID(func(p *uint32) {
		d := v.x.Def(ID(*p))
		if d.Type == 0 && !(labels && d.Op == OpLabel) || d.Op == OpFunction {
			bad = ID(*p)
		}
	})
	if bad != 0 {
		return v.fail(in, "%%%d (%v) is no value", bad, v.x.Op(bad))
	}
	return nil
}
