package spirv

// Clone returns a copy that shares no memory with the module.
func (m *Module) Clone() *Module {
	c := *m
	c.cache = nil
	for s := sectionCapabilities; s <= sectionGlobals; s++ {
		if list := c.list(s); list != nil {
			*list = cloneInsts(*list)
		}
	}
	c.MemoryModel = m.MemoryModel.Clone()
	c.Functions = make([]*Function, len(m.Functions))
	for i, f := range m.Functions {
		c.Functions[i] = f.Clone()
	}
	c.Trailing = cloneInsts(m.Trailing)
	return &c
}

// Clone returns a copy that shares no memory with the function.
func (fn *Function) Clone() *Function {
	c := &Function{Def: fn.Def.Clone(), Params: cloneInsts(fn.Params), Before: cloneInsts(fn.Before), End: cloneInsts(fn.End)}
	for _, lines := range fn.ParamLines {
		c.ParamLines = append(c.ParamLines, cloneInsts(lines))
	}
	for _, b := range fn.Blocks {
		c.Blocks = append(c.Blocks, &Block{Label: b.Label, Insts: cloneInsts(b.Insts), Before: cloneInsts(b.Before)})
	}
	return c
}

// cloneInsts copies a list, with one allocation for all operands.
func cloneInsts(list []Inst) []Inst {
	if list == nil {
		return nil
	}
	n := 0
	for i := range list {
		n += len(list[i].Operands)
	}
	words := make([]uint32, 0, n)
	out := make([]Inst, len(list))
	for i, in := range list {
		if in.Operands != nil {
			at := len(words)
			words = append(words, in.Operands...)
			in.Operands = words[at:len(words):len(words)]
		}
		out[i] = in
	}
	return out
}
