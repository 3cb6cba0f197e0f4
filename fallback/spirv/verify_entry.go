package spirv

// entryPoints checks entry points, their interfaces and the call graph.
func (v *verifier) entryPoints() error {
	if err := v.recursion(); err != nil {
		return err
	}
	type key struct {
		model ExecutionModel
		name  string
	}
	seen, entries := map[key]bool{}, map[ID]bool{}
	for i := range v.m.EntryPoints {
		in := &v.m.EntryPoints[i]
		e := in.EntryPoint()
		k := key{e.ExecutionModel(), e.Name()}
		if seen[k] {
			return v.fail(in, "a second entry point %q of this model", k.name)
		}
		seen[k], entries[e.EntryPoint()] = true, true
		f := v.funcs[e.EntryPoint()]
		if f == nil || f.Blocks == nil || len(f.Params) != 0 || v.x.Op(f.Def.Type) != OpTypeVoid {
			return v.fail(in, "%%%d is no function of type void()", e.EntryPoint())
		}
		if err := v.interfaces(in, e.Interface()); err != nil {
			return err
		}
	}
	for i := range v.m.ExecutionModes {
		in := &v.m.ExecutionModes[i]
		if entry := in.ExecutionMode().EntryPoint(); !entries[entry] {
			return v.fail(in, "%%%d is no entry point", entry)
		}
	}
	return nil
}

// interfaces checks that the list of an entry point holds all it must.
func (v *verifier) interfaces(in *Inst, list []uint32) error {
	listed := map[ID]bool{}
	for _, w := range list {
		id := ID(w)
		if v.x.Op(id) != OpVariable || v.x.Owner(id) != nil {
			return v.fail(in, "%%%d of the interface is no global variable", id)
		}
		if listed[id] && v.m.Version >= 0x10400 {
			return v.fail(in, "%%%d is twice in the interface", id)
		}
		listed[id] = true
	}
	entry := in.EntryPoint().EntryPoint()
	reached, work := map[ID]bool{entry: true}, []ID{entry}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if err := v.poll(in); err != nil {
			return err
		}
		for _, id := range v.uses[f] {
			class := v.x.Def(id).Variable().StorageClass()
			must := v.m.Version >= 0x10400 || class == StorageClassInput || class == StorageClassOutput
			if must && !listed[id] {
				return v.fail(in, "%%%d (%v), which function %%%d uses, is not in the interface", id, class, f)
			}
		}
		for _, g := range v.calls[f] {
			if v.reads[g] && !reached[g] {
				reached[g] = true
				work = append(work, g)
			}
		}
	}
	return nil
}

// recursion checks that no function calls itself, directly or not: functions
// without calls are taken away until none is left. On the way it notes which
// use global variables, by themselves or by calls.
func (v *verifier) recursion() error {
	v.reads = map[ID]bool{}
	callers := map[ID][]ID{}
	open := map[ID]int{}
	var leaves []ID
	for _, f := range v.m.Functions {
		if err := v.poll(&f.Def); err != nil {
			return err
		}
		id := f.Def.Result
		open[id] = len(v.calls[id])
		for _, g := range v.calls[id] {
			callers[g] = append(callers[g], id)
		}
		if open[id] == 0 {
			leaves = append(leaves, id)
		}
	}
	done := 0
	for ; len(leaves) > 0; done++ {
		id := leaves[len(leaves)-1]
		if err := v.poll(&v.funcs[id].Def); err != nil {
			return err
		}
		leaves = leaves[:len(leaves)-1]
		v.reads[id] = len(v.uses[id]) > 0
		for _, g := range v.calls[id] {
			v.reads[id] = v.reads[id] || v.reads[g]
		}
		for _, c := range callers[id] {
			if open[c]--; open[c] == 0 {
				leaves = append(leaves, c)
			}
		}
	}
	if done == len(v.m.Functions) {
		return nil
	}
	for _, f := range v.m.Functions {
		if open[f.Def.Result] > 0 {
			return v.fail(nil, "function %%%d is in, or calls into, a recursion", f.Def.Result)
		}
	}
	return nil
}
