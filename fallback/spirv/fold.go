package spirv

import (
	"fmt"
	"math"
	"slices"
)

// operation computes an operation on constants, and returns the constant that
// takes its place, without result.
func (f *folder) operation(in *Inst) (Inst, error) {
	switch in.Op {
	case OpCompositeExtract:
		return f.extract(in.CompositeExtract())
	case OpCompositeInsert:
		return f.insert(in.CompositeInsert().Object(), in.CompositeInsert().Composite(), in.CompositeInsert().Indexes())
	case OpVectorShuffle:
		return f.shuffle(in.Type, in.VectorShuffle())
	case OpCopyObject:
		return f.copyOf(in.CopyObject().Operand())
	case OpSelect:
		v := in.Select()
		if d := f.defs[v.Condition()]; d != nil && f.scalar(d.Type).width == 1 {
			on, _, err := f.bits(v.Condition())
			switch {
			case err != nil:
				return Inst{}, err
			case on != 0:
				return f.copyOf(v.Object1())
			}
			return f.copyOf(v.Object2())
		}
	}
	vector, w := f.defs[in.Type], in.Operands
	if vector == nil || vector.Op != OpTypeVector {
		return f.scalarOperation(in.Op, in.Type, w)
	}
	count := vector.TypeVector().ComponentCount()
	// Component by component.
	args := make([][]uint32, len(w))
	for i := range w {
		parts, err := f.parts(ID(w[i]))
		if err != nil {
			return Inst{}, err
		}
		if uint32(len(parts)) != count {
			return Inst{}, fmt.Errorf("operand %%%d has %d components", w[i], len(parts))
		}
		args[i] = parts
	}
	res := Inst{Op: OpConstantComposite, Type: in.Type}
	component := vector.TypeVector().ComponentType()
	for c := range count {
		one := make([]uint32, len(w))
		for i := range args {
			one[i] = args[i][c]
		}
		part, err := f.scalarOperation(in.Op, component, one)
		if err != nil {
			return Inst{}, err
		}
		res.Operands = append(res.Operands, uint32(f.emit(part.Op, part.Type, part.Operands)))
	}
	return res, nil
}

// copyOf returns the same constant once more.
func (f *folder) copyOf(id ID) (Inst, error) {
	d := f.defs[id]
	if d == nil || !d.Op.IsConstant() {
		return Inst{}, fmt.Errorf("operand %%%d is not constant", id)
	}
	return d.Clone(), nil
}

func (f *folder) extract(v CompositeExtractView) (Inst, error) {
	id := v.Composite()
	for _, i := range v.Indexes() {
		parts, err := f.parts(id)
		if err != nil {
			return Inst{}, err
		}
		if int64(i) >= int64(len(parts)) {
			return Inst{}, fmt.Errorf("no component %d in %%%d", i, id)
		}
		id = ID(parts[i])
	}
	return f.copyOf(id)
}

// insert returns the composite with another object at a place.
func (f *folder) insert(object, composite ID, at []uint32) (Inst, error) {
	if len(at) == 0 {
		return f.copyOf(object)
	}
	way := make([][]uint32, len(at)) // the parts of each composite on the way
	types := make([]ID, len(at))
	for k, i := range at {
		parts, err := f.parts(composite)
		if err != nil {
			return Inst{}, err
		}
		if int64(i) >= int64(len(parts)) {
			return Inst{}, fmt.Errorf("no component %d in %%%d", i, composite)
		}
		way[k], types[k] = slices.Clone(parts), f.defs[composite].Type
		composite = ID(parts[i])
	}
	for k := len(at) - 1; k > 0; k-- {
		way[k][at[k]] = uint32(object)
		object = f.emit(OpConstantComposite, types[k], way[k])
	}
	way[0][at[0]] = uint32(object)
	return Inst{Op: OpConstantComposite, Type: types[0], Operands: way[0]}, nil
}

func (f *folder) shuffle(typ ID, v VectorShuffleView) (Inst, error) {
	a, err := f.parts(v.Vector1())
	if err != nil {
		return Inst{}, err
	}
	b, err := f.parts(v.Vector2())
	if err != nil {
		return Inst{}, err
	}
	all := slices.Concat(a, b)
	res := Inst{Op: OpConstantComposite, Type: typ}
	for _, i := range v.Components() {
		switch {
		case i == math.MaxUint32: // undefined
			t, _ := f.element(typ, 0)
			res.Operands = append(res.Operands, uint32(f.emit(OpConstantNull, t, nil)))
		case int64(i) < int64(len(all)):
			res.Operands = append(res.Operands, all[i])
		default:
			return Inst{}, fmt.Errorf("no component %d in two vectors of %d", i, len(all))
		}
	}
	return res, nil
}

// scalarOperation computes an operation on scalars.
func (f *folder) scalarOperation(op Op, typ ID, w []uint32) (Inst, error) {
	t := f.scalar(typ)
	if t.width == 0 {
		return Inst{}, fmt.Errorf("result of type %%%d is not scalar", typ)
	}
	if n := arity(op); n != len(w) {
		return Inst{}, fmt.Errorf("%w: not supported on constants; precompute it in the application", ErrUnsupported)
	}
	var v [3]uint64
	var from scalarType
	for i := range w {
		bits, at, err := f.bits(ID(w[i]))
		if err != nil {
			return Inst{}, err
		}
		if v[i] = bits; i == 0 {
			from = at
		}
	}
	var bits uint64
	var ok bool
	switch {
	case op == OpSelect:
		bits, ok = v[2], true
		if v[0] != 0 {
			bits = v[1]
		}
	case from.isFloat:
		bits, ok = foldFloat(op, from, t, v[0], v[1])
	case !from.isFloat && t.isFloat:
		bits, ok = v[0], op == OpBitcast && from.width == t.width
	default:
		bits, ok = foldInt(op, from, v[0], v[1])
	}
	if !ok {
		return Inst{}, fmt.Errorf("%w: not supported on constants of these types; precompute it in the application", ErrUnsupported)
	}
	return t.constant(typ, bits), nil
}

// arity returns how many operands a foldable operation has, -1 of others.
func arity(op Op) int {
	switch op {
	case OpSNegate, OpNot, OpLogicalNot, OpSConvert, OpUConvert, OpFConvert, OpBitcast, OpQuantizeToF16, OpFNegate:
		return 1
	case OpSelect:
		return 3
	case OpIAdd, OpISub, OpIMul, OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod,
		OpShiftRightLogical, OpShiftRightArithmetic, OpShiftLeftLogical, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd,
		OpLogicalOr, OpLogicalAnd, OpLogicalEqual, OpLogicalNotEqual:
		return 2
	}
	if op >= OpIEqual && op <= OpFUnordGreaterThanEqual {
		return 2
	}
	return -1
}

// foldInt computes an operation on integers or booleans of type t. What SPIR-V
// leaves undefined, such as a division by zero, is 0.
func foldInt(op Op, t scalarType, a, b uint64) (uint64, bool) {
	sa, sb := t.extend(a), t.extend(b)
	switch op {
	case OpSNegate:
		return -a, true
	case OpNot:
		return ^a, true
	case OpLogicalNot:
		return a ^ 1, true
	case OpSConvert:
		return uint64(sa), true
	case OpUConvert, OpBitcast:
		return a, true
	case OpIAdd:
		return a + b, true
	case OpISub:
		return a - b, true
	case OpIMul:
		return a * b, true
	case OpBitwiseOr, OpLogicalOr:
		return a | b, true
	case OpBitwiseXor, OpLogicalNotEqual:
		return a ^ b, true
	case OpBitwiseAnd, OpLogicalAnd:
		return a & b, true
	case OpLogicalEqual:
		return a ^ b ^ 1, true
	}
	if v, ok := foldDivide(op, a, b, sa, sb); ok {
		return v, true
	}
	if v, ok := foldShift(op, t, a, b, sa); ok {
		return v, true
	}
	return foldCompareInt(op, a, b, sa, sb)
}

func foldDivide(op Op, a, b uint64, sa, sb int64) (uint64, bool) {
	switch op {
	case OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod:
		if b == 0 {
			return 0, true
		}
	}
	switch op {
	case OpUDiv:
		return a / b, true
	case OpUMod:
		return a % b, true
	case OpSDiv:
		return uint64(sa / sb), true
	case OpSRem: // sign of the dividend
		return uint64(sa % sb), true
	case OpSMod: // sign of the divisor
		m := sa % sb
		if m != 0 && (m < 0) != (sb < 0) {
			m += sb
		}
		return uint64(m), true
	}
	return 0, false
}

// foldShift shifts; Go gives 0 or the sign for counts beyond the width.
func foldShift(op Op, t scalarType, a, b uint64, sa int64) (uint64, bool) {
	switch op {
	case OpShiftRightLogical:
		return a >> b, true
	case OpShiftLeftLogical:
		return a << b, true
	case OpShiftRightArithmetic:
		return uint64(sa >> min(b, 63)), true
	}
	return 0, false
}

func foldCompareInt(op Op, a, b uint64, sa, sb int64) (uint64, bool) {
	var v bool
	switch op {
	case OpIEqual:
		v = a == b
	case OpINotEqual:
		v = a != b
	case OpUGreaterThan:
		v = a > b
	case OpSGreaterThan:
		v = sa > sb
	case OpUGreaterThanEqual:
		v = a >= b
	case OpSGreaterThanEqual:
		v = sa >= sb
	case OpULessThan:
		v = a < b
	case OpSLessThan:
		v = sa < sb
	case OpULessThanEqual:
		v = a <= b
	case OpSLessThanEqual:
		v = sa <= sb
	default:
		return 0, false
	}
	return uint64(boolWord(v)), true
}

// foldFloat computes an operation on floating-point values of type from with a
// result of type to.
func foldFloat(op Op, from, to scalarType, a, b uint64) (uint64, bool) {
	x, y := from.float(a), from.float(b)
	switch op {
	case OpBitcast:
		return a, from.width == to.width
	case OpFNegate:
		return a ^ 1<<(from.width-1), true
	case OpFConvert:
		return to.fromFloat(x), to.isFloat
	case OpQuantizeToF16:
		q := halfToFloat(floatToHalf(float32(x)))
		return to.fromFloat(float64(q)), to.width == 32
	}
	unordered := math.IsNaN(x) || math.IsNaN(y)
	var v, unord bool
	switch op {
	case OpFOrdEqual, OpFUnordEqual:
		v, unord = x == y, op == OpFUnordEqual
	case OpFOrdNotEqual, OpFUnordNotEqual:
		v, unord = !unordered && x != y, op == OpFUnordNotEqual
	case OpFOrdLessThan, OpFUnordLessThan:
		v, unord = x < y, op == OpFUnordLessThan
	case OpFOrdGreaterThan, OpFUnordGreaterThan:
		v, unord = x > y, op == OpFUnordGreaterThan
	case OpFOrdLessThanEqual, OpFUnordLessThanEqual:
		v, unord = x <= y, op == OpFUnordLessThanEqual
	case OpFOrdGreaterThanEqual, OpFUnordGreaterThanEqual:
		v, unord = x >= y, op == OpFUnordGreaterThanEqual
	default:
		return 0, false
	}
	return uint64(boolWord(v || unordered && unord)), true
}
