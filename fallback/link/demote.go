package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// demotePhis turns the phis at the heads of fragments into variables.
func (l *cutStages) demotePhis() error {
	return each(l.job, l.stages, func(s *cutStage) error {
		d := &demoter{l: l.linked, s: s, g: s.graph}
		d.phis()
		return nil
	})
}

// demoteValues turns values that are used in other fragments than the one that makes them into variables. Pointers and opaque
// handles cannot be stored; they are made again where they are used.
func (l *cutStages) demoteValues() error {
	return each(l.job, l.stages, func(s *cutStage) error {
		d := &demoter{l: l.linked, s: s, g: s.graph, defs: map[spirv.ID]definition{}}
		d.collect()
		for i := range d.g.fragments {
			if err := d.fragment(i); err != nil {
				return err
			}
		}
		d.insert()
		return nil
	})
}

type definition struct {
	inst     spirv.Inst
	fragment int
}

type demoter struct {
	l    *linked
	s    *cutStage
	g    *graph
	defs map[spirv.ID]definition
	// variables that carry values across fragments
	carriers map[spirv.ID]spirv.ID
	added    []spirv.Inst         // their declarations
	heads    map[int][]spirv.Inst // to be inserted at the head of a block
}

// phis replaces phis at the head of fragments by a variable, stored where the phi's sources end.
func (d *demoter) phis() {
	f := d.s.function
	stores := map[spirv.ID][]spirv.Inst{} // by the block that they go to the end of
	var variables []spirv.Inst
	for _, fr := range d.g.fragments {
		b := f.Blocks[fr.blocks[0]]
		for i := range b.Insts {
			in := &b.Insts[i]
			if in.Op != spirv.OpPhi {
				continue
			}
			d.l.work(len(in.Operands))
			variable := d.l.newVariable(in.Type)
			v := uint32(variable.Result)
			variables = append(variables, variable)
			d.l.aliased(variable.Result, in.Type)
			for j, phi := 0, in.Phi(); j < phi.Sources(); j++ {
				from, value := phi.Parent(j), uint32(phi.Variable(j))
				stores[from] = append(stores[from], spirv.Inst{Op: spirv.OpStore, Operands: []uint32{v, value}})
			}
			*in = spirv.Inst{Op: spirv.OpLoad, Type: in.Type, Result: in.Result, Operands: []uint32{v}}
		}
	}
	for _, b := range f.Blocks {
		if list := stores[b.Label]; len(list) > 0 {
			insertBeforeEnd(b, list)
		}
	}
	slices.Reverse(variables)
	addVariableInsts(f, variables)
}

// insertBeforeEnd puts instructions before a block's terminator and what belongs to it.
func insertBeforeEnd(b *spirv.Block, list []spirv.Inst) {
	at := len(b.Insts) - 1
	if at > 0 {
		switch op := b.Insts[at-1].Op; {
		case op == spirv.OpSelectionMerge, op == spirv.OpLoopMerge, leaves(op), op == spirv.OpReportIntersectionKHR:
			at--
		}
	}
	b.Insts = slices.Concat(b.Insts[:at], list, b.Insts[at:])
}

func (d *demoter) collect() {
	d.carriers, d.heads = map[spirv.ID]spirv.ID{}, map[int][]spirv.Inst{}
	for b, blk := range d.s.function.Blocks {
		for i := range blk.Insts {
			d.l.work(1)
			if in := blk.Insts[i]; in.Result != 0 && in.Op != spirv.OpVariable {
				if fr, ok := d.g.of[b]; ok {
					d.defs[in.Result] = definition{in.Clone(), fr} // as it is now: uses are replaced in place
				}
			}
		}
	}
}

// fragment replaces the uses of other fragments' values in fragment i.
func (d *demoter) fragment(i int) error {
	fr := d.g.fragments[i]
	local := map[spirv.ID]spirv.ID{}
	var err error
	for _, b := range fr.blocks {
		blk := d.s.function.Blocks[b]
		for k := range blk.Insts {
			d.l.work(1)
			blk.Insts[k].EachID(func(p *uint32) {
				def, ok := d.defs[spirv.ID(*p)]
				if !ok || def.fragment == i || err != nil {
					return
				}
				var id spirv.ID
				id, err = d.value(i, spirv.ID(*p), local)
				*p = uint32(id)
			})
		}
	}
	return err
}

// value makes a value of another fragment available at the head of fragment i and returns its id there.
func (d *demoter) value(i int, id spirv.ID, local map[spirv.ID]spirv.ID) (spirv.ID, error) {
	head := d.g.fragments[i].blocks[0]
	// What is made again needs its operands, also such as this fragment makes itself: the head stands before it and needs the
	// value of the time before. They are made first.
	for work := []spirv.ID{id}; len(work) > 0; {
		d.l.work(1)
		id := work[len(work)-1]
		def := d.defs[id]
		if local[id] != 0 {
			work = work[:len(work)-1]
			continue
		}
		if !d.rematerialised(&def.inst) {
			if _, err := d.carry(head, id, local); err != nil {
				return 0, err
			}
			continue
		}
		in := def.inst.Clone()
		missing := false
		in.EachID(func(p *uint32) {
			operand := spirv.ID(*p)
			if _, ok := d.defs[operand]; !ok {
				return
			}
			if *p = uint32(local[operand]); *p == 0 {
				work, missing = append(work, operand), true
			}
		})
		if missing {
			continue
		}
		in.Result = d.l.out.NewID()
		d.l.copyDecorations(id, in.Result)
		d.heads[head] = append(d.heads[head], in)
		local[id] = in.Result
	}
	return local[id], nil
}

// rematerialised tells whether an instruction is repeated rather than its result stored: what makes pointers within
// variables and opaque handles, and reads nothing that may change.
func (d *demoter) rematerialised(in *spirv.Inst) bool {
	switch in.Op {
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpSampledImage, spirv.OpImage, spirv.OpImageTexelPointer:
		return true
	case spirv.OpCopyObject, spirv.OpLoad:
		switch d.l.types.op(in.Type) {
		case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage:
			return true
		case spirv.OpTypePointer:
			class, _ := d.l.types.pointee(in.Type)
			return in.Op == spirv.OpCopyObject && class != spirv.StorageClassPhysicalStorageBuffer
		}
	}
	return false
}

// carry stores a value in a variable where it is made and loads it at the head of the fragment. Physical pointers
// travel as two dwords.
func (d *demoter) carry(head int, id spirv.ID, local map[spirv.ID]spirv.ID) (spirv.ID, error) {
	t := d.l.types
	def := d.defs[id]
	typ := def.inst.Type
	class, _ := t.pointee(typ)
	if t.op(typ) == spirv.OpTypePointer {
		if class != spirv.StorageClassPhysicalStorageBuffer {
			return 0, d.s.unsupported("pointer %s made by %v used beyond a trace call", d.s.nameOf(id), def.inst.Op)
		}
		typ = t.vector(t.uint32(), 2)
	}
	v, ok := d.carriers[id]
	if !ok {
		in := d.l.newVariable(typ)
		v = in.Result
		d.carriers[id] = v
		if name := d.s.names[id]; name != "" {
			d.s.names[v] = name
		}
		d.added = append(d.added, in)
	}
	load := spirv.Inst{Op: spirv.OpLoad, Type: typ, Result: d.l.out.NewID(), Operands: []uint32{uint32(v)}}
	d.heads[head] = append(d.heads[head], load)
	local[id] = load.Result
	if typ != def.inst.Type {
		cast := spirv.Inst{Op: spirv.OpBitcast, Type: def.inst.Type, Result: d.l.out.NewID(), Operands: []uint32{uint32(load.Result)}}
		d.heads[head] = append(d.heads[head], cast)
		local[id] = cast.Result
	} else {
		d.l.copyDecorations(id, load.Result)
	}
	return local[id], nil
}

// insert puts the heads in place, and behind each carried value's definition the store.
func (d *demoter) insert() {
	for b, blk := range d.s.function.Blocks {
		var out []spirv.Inst
		placed := len(d.heads[b]) == 0
		var pending []spirv.Inst // stores of phis, which must stay together
		for i := range blk.Insts {
			in := blk.Insts[i]
			d.l.work(1)
			if in.Op != spirv.OpPhi && in.Op != spirv.OpVariable {
				out = append(out, pending...)
				pending = nil
				// The loads that stand for phis come first: a head may use them.
				if !placed {
					out = append(out, d.heads[b]...)
					placed = true
				}
			}
			out = append(out, in)
			if v, ok := d.carriers[in.Result]; ok && in.Result != 0 {
				pending = append(pending, d.store(&in, v)...)
			}
		}
		blk.Insts = out
	}
	slices.Reverse(d.added)
	addVariableInsts(d.s.function, d.added)
}

func (d *demoter) store(in *spirv.Inst, v spirv.ID) []spirv.Inst {
	t := d.l.types
	value := in.Result
	var list []spirv.Inst
	if t.op(in.Type) == spirv.OpTypePointer {
		cast := spirv.Inst{Op: spirv.OpBitcast, Type: t.vector(t.uint32(), 2), Result: d.l.out.NewID(), Operands: []uint32{uint32(value)}}
		list = append(list, cast)
		value = cast.Result
	}
	return append(list, spirv.Inst{Op: spirv.OpStore, Operands: []uint32{uint32(v), uint32(value)}})
}
