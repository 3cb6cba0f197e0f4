package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// FoldSpecConstants makes plain constants of all specialisation constants: the
// value for a SpecId in values, the module's default for others. A value has
// the size of its constant's type, a boolean 4 bytes, little endian, as in
// VkSpecializationInfo; values of unknown SpecIds are ignored. Operations on
// constants are computed, and SpecId decorations dropped.
//
// The module is changed also when an error is returned.
func FoldSpecConstants(m *Module, values map[uint32][]byte) error {
	return FoldSpecConstantsContext(context.Background(), m, values)
}

// FoldSpecConstantsContext is FoldSpecConstants that ends when the context
// does, with its error.
func FoldSpecConstantsContext(ctx context.Context, m *Module, values map[uint32][]byte) error {
	f := &folder{m: m, defs: map[ID]*Inst{}, specs: map[ID]uint32{}}
	keep := m.Annotations[:0]
	for i, in := range m.Annotations {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if in.Op == OpDecorate && in.Decorate().Decoration() == DecorationSpecId && len(in.Decorate().Literals()) > 0 {
			f.specs[in.Decorate().Target()] = in.Decorate().Literal()
			continue
		}
		keep = append(keep, in)
	}
	m.Annotations = keep
	if !slices.ContainsFunc(m.Globals, func(in Inst) bool { return in.Op.IsSpecConstant() }) {
		return nil
	}
	globals := m.Globals
	f.out = make([]Inst, 0, len(globals))
	for i, in := range globals {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.fold(&in, values); err != nil {
			return fmt.Errorf("%w %%%d: %w", ErrSpecialization, in.Result, err)
		}
		if f.made > maxFolded {
			return fmt.Errorf("%w %%%d: %w: operations on constants make more than %d words",
				ErrSpecialization, in.Result, ErrUnsupported, maxFolded)
		}
		f.add(in)
	}
	m.Globals = f.out
	return nil
}

// folder is the state of FoldSpecConstants.
type folder struct {
	m     *Module
	out   []Inst
	defs  map[ID]*Inst // copies of the globals so far
	specs map[ID]uint32
	made  int // words of the constants that operations gave
}

// maxFolded bounds the words of those constants: each operation on a large
// composite gives another one.
const maxFolded = 1 << 22

// add appends a global.
func (f *folder) add(in Inst) {
	f.out = append(f.out, in)
	if in.Result != 0 {
		f.defs[in.Result] = &in
	}
}

// emit appends a new constant and returns its id.
func (f *folder) emit(op Op, typ ID, operands []uint32) ID {
	in := Inst{Op: op, Type: typ, Result: f.m.NewID(), Operands: operands}
	f.made += len(operands)
	f.add(in)
	return in.Result
}

// fold replaces a specialisation constant by a plain one; others stay.
func (f *folder) fold(in *Inst, values map[uint32][]byte) error {
	var value []byte
	given := false
	if spec, ok := f.specs[in.Result]; ok {
		value, given = values[spec]
	}
	switch in.Op {
	case OpSpecConstantTrue, OpSpecConstantFalse:
		on := in.Op == OpSpecConstantTrue
		if given {
			if len(value) != 4 {
				return fmt.Errorf("%d bytes for a boolean, which takes 4", len(value))
			}
			on = binary.LittleEndian.Uint32(value) != 0
		}
		in.Op = boolConstant(on)
	case OpSpecConstant:
		in.Op = OpConstant
		if given {
			t := f.scalar(in.Type)
			if t.width == 0 || len(value) != int(t.width/8) {
				return fmt.Errorf("%d bytes for a value of %d bits", len(value), t.width)
			}
			var b [8]byte
			copy(b[:], value)
			in.Operands = t.encode(binary.LittleEndian.Uint64(b[:]))
		}
	case OpSpecConstantComposite:
		in.Op = OpConstantComposite
	case OpSpecConstantOp:
		op := in.SpecConstantOp().Opcode()
		res, err := f.operation(&Inst{Op: op, Type: in.Type, Operands: in.SpecConstantOp().Operands()})
		if err != nil {
			return fmt.Errorf("%v: %w", op, err)
		}
		if res.Type != in.Type {
			return fmt.Errorf("%v: result is of type %%%d", op, res.Type)
		}
		in.Op, in.Operands = res.Op, res.Operands
		f.made += len(res.Operands)
	}
	return nil
}

func boolConstant(v bool) Op {
	if v {
		return OpConstantTrue
	}
	return OpConstantFalse
}

// scalarType describes a scalar type; width 0 means it is none.
type scalarType struct {
	width           uint32 // bits; 1 of a boolean
	signed, isFloat bool
}

// scalar describes the scalar type with this id.
func (f *folder) scalar(id ID) scalarType {
	d := f.defs[id]
	switch {
	case d == nil:
	case d.Op == OpTypeBool:
		return scalarType{width: 1}
	case d.Op == OpTypeInt && validWidth(d.TypeInt().Width()):
		return scalarType{width: d.TypeInt().Width(), signed: d.TypeInt().Signedness() != 0}
	case d.Op == OpTypeFloat && validWidth(d.TypeNumber().Width()) && d.TypeNumber().Width() != 8:
		return scalarType{width: d.TypeNumber().Width(), isFloat: true}
	}
	return scalarType{}
}

func validWidth(w uint32) bool { return w == 8 || w == 16 || w == 32 || w == 64 }

// element returns the type of component i of a composite type, 0 if there is
// none, and how many components there are.
func (f *folder) element(typ ID, i uint32) (ID, uint32) {
	d := f.defs[typ]
	if d == nil {
		return 0, 0
	}
	n := uint32(0)
	switch d.Op {
	case OpTypeStruct:
		if n = uint32(len(d.Operands)); i < n {
			return d.ID(int(i)), n
		}
		return 0, n
	case OpTypeVector, OpTypeMatrix:
		n = d.TypeVectorOrMatrix().PartCount()
	case OpTypeArray:
		if bits, _, err := f.bits(d.TypeArray().Length()); err == nil {
			n = uint32(min(bits, 1<<31))
		}
	}
	if i >= n {
		return 0, n
	}
	return d.TypeOfParts().PartType(), n
}

// mask keeps the low bits of a value.
func (t scalarType) mask(v uint64) uint64 {
	if t.width < 64 {
		v &= 1<<t.width - 1
	}
	return v
}

// extend returns a value as a signed integer.
func (t scalarType) extend(v uint64) int64 { return int64(v<<(64-t.width)) >> (64 - t.width) }

// encode returns the words of OpConstant: narrow signed integers are sign
// extended, all else zero extended.
func (t scalarType) encode(v uint64) []uint32 {
	v = t.mask(v)
	switch {
	case t.width == 64:
		return []uint32{uint32(v), uint32(v >> 32)}
	case t.signed:
		return []uint32{uint32(t.extend(v))}
	}
	return []uint32{uint32(v)}
}

// constant returns the definition of a scalar constant, but for the result.
func (t scalarType) constant(typ ID, v uint64) Inst {
	if t.width == 1 {
		return Inst{Op: boolConstant(v != 0), Type: typ}
	}
	return Inst{Op: OpConstant, Type: typ, Operands: t.encode(v)}
}

// bits returns the value of a scalar constant; undefined ones are 0.
func (f *folder) bits(id ID) (uint64, scalarType, error) {
	d := f.defs[id]
	if d == nil {
		return 0, scalarType{}, fmt.Errorf("operand %%%d is not defined ahead of its use", id)
	}
	t := f.scalar(d.Type)
	if t.width == 0 {
		return 0, t, fmt.Errorf("operand %%%d is not scalar", id)
	}
	switch d.Op {
	case OpConstantTrue:
		return 1, t, nil
	case OpConstantFalse, OpConstantNull, OpUndef:
		return 0, t, nil
	case OpConstant:
		return t.mask(d.Constant().Bits()), t, nil
	}
	return 0, t, fmt.Errorf("operand %%%d is not constant", id)
}

// maxExpand bounds the components that a null constant is taken apart into.
const maxExpand = 1024

// parts returns the components of a composite constant.
func (f *folder) parts(id ID) ([]uint32, error) {
	d := f.defs[id]
	if d == nil {
		return nil, fmt.Errorf("operand %%%d is not defined ahead of its use", id)
	}
	switch d.Op {
	case OpConstantComposite:
		return d.Operands, nil
	case OpConstantNull, OpUndef:
		_, n := f.element(d.Type, 0)
		if n == 0 || n > maxExpand {
			return nil, fmt.Errorf("%w: cannot take apart a null constant of %d components", ErrUnsupported, n)
		}
		parts := make([]uint32, n)
		nulls := map[ID]ID{}
		for i := range n {
			t, _ := f.element(d.Type, i)
			if nulls[t] == 0 {
				nulls[t] = f.emit(OpConstantNull, t, nil)
			}
			parts[i] = uint32(nulls[t])
		}
		return parts, nil
	}
	return nil, fmt.Errorf("operand %%%d is not a composite constant", id)
}
