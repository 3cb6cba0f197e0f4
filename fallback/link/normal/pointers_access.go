package normal

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// call writes the call of a function that chooses among places.
func (p *pointerLowering) call(in *spirv.Inst, at int, places []int) {
	var args []uint32
	var types []spirv.ID
	key := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(in.Op)), uint32(in.Type))
	masked := in.Clone() // with 0 for what becomes a parameter
	masked.EachID(func(w *uint32) {
		if typ, local := p.types[spirv.ID(*w)]; local {
			args, types = append(args, *w), append(types, p.valueType(typ))
			*w = 0
		}
	})
	for _, w := range masked.Operands {
		key = binary.LittleEndian.AppendUint32(key, w)
	}
	key = fmt.Append(key, types, at, places)
	id, ok := p.accessors[string(key)]
	if !ok {
		id = p.accessor(masked, at, places, types)
		p.accessors[string(key)] = id
	}
	call := spirv.Inst{Op: spirv.OpFunctionCall, Type: in.Type, Result: in.Result, Operands: append([]uint32{uint32(id)}, args...)}
	if in.Result == 0 {
		call.Type, call.Result = p.m.TypeVoid(), p.m.NewID()
	}
	p.out = append(p.out, call)
}

// accessor makes the function: a switch over the place that its pointer names.
func (p *pointerLowering) accessor(in spirv.Inst, at int, places []int, types []spirv.ID) spirv.ID {
	m := p.m
	result := in.Type
	if result == 0 {
		result = m.TypeVoid()
	}
	f := &spirv.Function{Def: spirv.Inst{Op: spirv.OpFunction, Type: result, Result: m.NewID(),
		Operands: []uint32{0, uint32(m.TypeFunction(result, types...))}}}
	for _, t := range types {
		f.Params = append(f.Params, spirv.Inst{Op: spirv.OpFunctionParameter, Type: t, Result: m.NewID()})
	}
	next := 0
	in.EachID(func(w *uint32) {
		if *w == 0 {
			*w = uint32(f.Params[next].Result)
			next++
		}
	})
	p.choose(f, in, at, places)
	p.made = append(p.made, f)
	return f.Def.Result
}

// choose writes the body of an accessor, whose pointer is operand at of the instruction.
func (p *pointerLowering) choose(f *spirv.Function, in spirv.Inst, at int, places []int) {
	m, value, outer := p.m, in.ID(at), p.out
	block := func(label spirv.ID, write func()) {
		p.out = nil
		write()
		f.Blocks = append(f.Blocks, &spirv.Block{Label: label, Insts: p.out})
	}
	back := func(result spirv.ID) {
		if in.Result == 0 {
			p.out = append(p.out, spirv.Inst{Op: spirv.OpReturn})
		} else {
			p.out = append(p.out, spirv.Inst{Op: spirv.OpReturnValue, Operands: []uint32{uint32(result)}})
		}
	}
	merge, other := m.NewID(), m.NewID()
	var choice []uint32
	block(m.NewID(), func() {
		choice = []uint32{uint32(p.part(value, 0)), uint32(other)}
		for _, n := range places {
			choice = append(choice, uint32(n), uint32(m.NewID()))
		}
		p.out = append(p.out, spirv.Inst{Op: spirv.OpSelectionMerge, Operands: []uint32{uint32(merge), 0}},
			spirv.Inst{Op: spirv.OpSwitch, Operands: choice})
	})
	for i, n := range places {
		block(spirv.ID(choice[3+2*i]), func() {
			c := in.Clone()
			c.Operands[at] = uint32(p.pointer(p.places[n-1], value))
			if c.Result != 0 {
				c.Result = m.NewID()
			}
			p.out = append(p.out, c)
			back(c.Result)
		})
	}
	block(other, func() {
		if in.Result == 0 {
			back(0)
		} else {
			back(m.ConstantNull(in.Type))
		}
	})
	block(merge, func() { p.out = append(p.out, spirv.Inst{Op: spirv.OpUnreachable}) })
	p.out = outer
}
