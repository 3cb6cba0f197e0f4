package spirv

// operandTypes checks the types of operands of the commonest instructions.
func (v *verifier) operandTypes(in *Inst) error {
	if in.Op >= firstRayOp && v.rays {
		return v.rayTracing(in)
	}
	switch in.Op {
	case OpVariable:
		return v.variable(in)
	case OpLoad:
		if pointer := in.Load().Pointer(); v.pointee(pointer) != in.Type {
			return v.fail(in, "result is not what %%%d points to", pointer)
		}
	case OpStore:
		pointer, object := in.Store().Pointer(), in.Store().Object()
		if t := v.pointee(pointer); t == 0 || t != v.x.TypeOf(object) {
			return v.fail(in, "object is not what %%%d points to", pointer)
		}
	case OpCopyMemory:
		to, from := v.pointee(in.CopyMemory().Target()), v.pointee(in.CopyMemory().Source())
		if to == 0 || to != from {
			return v.fail(in, "pointers to different types")
		}
	case OpAccessChain, OpInBoundsAccessChain:
		return v.accessChain(in, in.AccessChain().Base(), in.AccessChain().Indexes())
	case OpPtrAccessChain, OpInBoundsPtrAccessChain:
		return v.accessChain(in, in.PtrAccessChain().Base(), in.PtrAccessChain().Indexes())
	case OpBranchConditional:
		if v.x.Op(v.x.TypeOf(in.BranchConditional().Condition())) != OpTypeBool {
			return v.fail(in, "condition is not bool")
		}
		if n := len(in.Operands); n != 3 && n != 5 {
			return v.fail(in, "%d branch weights", n-3)
		}
	case OpSwitch:
		if v.x.Op(v.x.TypeOf(in.Switch().Selector())) != OpTypeInt {
			return v.fail(in, "selector is no integer")
		}
	case OpReturn:
		if v.x.Op(v.f.Def.Type) != OpTypeVoid {
			return v.fail(in, "the function returns a value")
		}
	case OpReturnValue:
		if v.x.TypeOf(in.ReturnValue().Value()) != v.f.Def.Type {
			return v.fail(in, "value is not of the function's type")
		}
	case OpFunctionCall:
		return v.call(in)
	case OpCopyObject, OpSNegate, OpFNegate, OpNot, OpLogicalNot, OpDPdx, OpDPdy, OpFwidth:
		return v.sameTypes(in, 0, 1)
	case OpSelect:
		return v.selectTypes(in)
	case OpCompositeConstruct:
		return v.compositeParts(in, in.Operands)
	case OpCompositeExtract:
		part := in.CompositeExtract()
		if t, ok := v.member(v.x.TypeOf(part.Composite()), part.Indexes()); !ok || t != in.Type {
			return v.fail(in, "result is not the type of the part")
		}
	case OpCompositeInsert:
		whole := v.x.TypeOf(in.CompositeInsert().Composite())
		t, ok := v.member(whole, in.CompositeInsert().Indexes())
		if !ok || t != v.x.TypeOf(in.CompositeInsert().Object()) || whole != in.Type {
			return v.fail(in, "types of composite and part do not fit")
		}
	case OpVectorShuffle:
		return v.shuffle(in)
	case OpMatrixTimesScalar, OpVectorTimesScalar:
		if factor := in.TimesScalar().Factor(); v.x.TypeOf(factor) != in.Type {
			return v.fail(in, "%%%d is not of the result's type", factor)
		}
	case OpMatrixTimesVector:
		m := v.x.Def(v.x.TypeOf(in.MatrixTimesVector().Matrix()))
		if m == nil || m.Op != OpTypeMatrix || m.TypeMatrix().ColumnType() != in.Type {
			return v.fail(in, "result is no column of the matrix")
		}
	case OpLogicalAnd, OpLogicalOr, OpLogicalEqual, OpLogicalNotEqual:
		return v.sameTypes(in, 0, 2)
	}
	return v.arithmetic(in)
}

// typeOf returns the type of an operand.
func (v *verifier) typeOf(in *Inst, i int) ID { return v.x.TypeOf(in.ID(i)) }

// sameTypes checks that operands from ... to-1 have the type of the result.
func (v *verifier) sameTypes(in *Inst, from, to int) error {
	for i := from; i < to; i++ {
		if v.typeOf(in, i) != in.Type {
			return v.fail(in, "%%%d is not of the result's type", in.ID(i))
		}
	}
	return nil
}

// selectTypes checks OpSelect.
func (v *verifier) selectTypes(in *Inst) error {
	kind, n, _ := v.shape(v.x.TypeOf(in.Select().Condition()))
	if kind != OpTypeBool {
		return v.fail(in, "condition is not bool")
	}
	if _, m, _ := v.shape(in.Type); n != 1 && n != m {
		return v.fail(in, "condition of %d components for %d", n, m)
	}
	if n == 1 && v.m.Version < 0x10400 && v.x.Op(in.Type) == OpTypeVector {
		return v.fail(in, "scalar condition for a vector needs version 1.4")
	}
	return v.sameTypes(in, 1, 3)
}

// shape takes a scalar or vector type apart: kind and width of components, and
// how many. The kind of others is OpNop.
func (v *verifier) shape(typ ID) (kind Op, n, width uint32) {
	t := v.x.Def(typ)
	n = 1
	if t != nil && t.Op == OpTypeVector {
		n = t.TypeVector().ComponentCount()
		t = v.x.Def(t.TypeVector().ComponentType())
	}
	switch {
	case t == nil:
		return OpNop, 0, 0
	case t.Op == OpTypeBool:
		return OpTypeBool, n, 1
	case t.Op == OpTypeInt || t.Op == OpTypeFloat:
		return t.Op, n, t.TypeNumber().Width()
	}
	return OpNop, 0, 0
}

// arithmetic checks operations component by component.
func (v *verifier) arithmetic(in *Inst) error {
	switch op := in.Op; {
	case op == OpFAdd, op == OpFSub, op == OpFMul, op == OpFDiv, op == OpFRem, op == OpFMod:
		return v.sameTypes(in, 0, 2)
	case op == OpIAdd, op == OpISub, op == OpIMul, op == OpUDiv, op == OpSDiv, op == OpUMod, op == OpSRem, op == OpSMod,
		op == OpBitwiseAnd, op == OpBitwiseOr, op == OpBitwiseXor:
		return v.sameShapes(in, in.Type, OpTypeInt, 2, true)
	case op >= OpShiftRightLogical && op <= OpShiftLeftLogical:
		return v.sameShapes(in, in.Type, OpTypeInt, 2, false)
	case op >= OpIEqual && op <= OpSLessThanEqual, op >= OpFOrdEqual && op <= OpFUnordGreaterThanEqual:
		return v.comparison(in)
	case op >= OpConvertFToU && op <= OpFConvert:
		return v.conversion(in)
	}
	return nil
}

// sameShapes checks that the first n operands have components of a kind, as
// many as type like has, and as wide.
func (v *verifier) sameShapes(in *Inst, like ID, kind Op, n int, width bool) error {
	k, count, bits := v.shape(like)
	if k != kind {
		return v.fail(in, "the type is not made of %v", kind)
	}
	for i := range n {
		ki, ci, bi := v.shape(v.typeOf(in, i))
		if ki != kind || ci != count || width && bi != bits {
			return v.fail(in, "%%%d is of another shape", in.ID(i))
		}
	}
	return nil
}

func (v *verifier) comparison(in *Inst) error {
	kind := OpTypeInt
	if in.Op >= OpFOrdEqual {
		kind = OpTypeFloat
	}
	k, n, _ := v.shape(in.Type)
	if _, m, _ := v.shape(v.typeOf(in, 0)); k != OpTypeBool || n != m {
		return v.fail(in, "result is not bool, or has other components")
	}
	return v.sameShapes(in, v.typeOf(in, 0), kind, 2, true)
}

func (v *verifier) conversion(in *Inst) error {
	from, to := OpTypeFloat, OpTypeInt
	switch in.Op {
	case OpConvertSToF, OpConvertUToF:
		from, to = OpTypeInt, OpTypeFloat
	case OpUConvert, OpSConvert:
		from = OpTypeInt
	case OpFConvert:
		to = OpTypeFloat
	}
	k, n, _ := v.shape(in.Type)
	if fk, fn, _ := v.shape(v.typeOf(in, 0)); fk != from || k != to || n != fn {
		return v.fail(in, "types do not fit the conversion")
	}
	return nil
}

// shuffle checks that the components exist.
func (v *verifier) shuffle(in *Inst) error {
	want, n, _ := v.shape(in.Type)
	if have := len(in.VectorShuffle().Components()); int(n) != have {
		return v.fail(in, "%d components for %d", have, n)
	}
	total := uint32(0)
	for _, id := range [...]ID{in.VectorShuffle().Vector1(), in.VectorShuffle().Vector2()} {
		kind, m, _ := v.shape(v.x.TypeOf(id))
		if kind != want || v.x.Op(v.x.TypeOf(id)) != OpTypeVector {
			return v.fail(in, "%%%d is no vector of such components", id)
		}
		total += m
	}
	for _, i := range in.VectorShuffle().Components() {
		if i >= total && i != 0xffffffff {
			return v.fail(in, "no component %d among %d", i, total)
		}
	}
	return nil
}

// call checks the arguments of a function call.
func (v *verifier) call(in *Inst) error {
	f, arguments := v.funcs[in.FunctionCall().Function()], in.FunctionCall().Arguments()
	if f == nil {
		return v.fail(in, "%%%d is no function", in.FunctionCall().Function())
	}
	if f.Def.Type != in.Type {
		return v.fail(in, "result is not of the function's type")
	}
	if len(arguments) != len(f.Params) {
		return v.fail(in, "%d arguments for %d parameters", len(arguments), len(f.Params))
	}
	for i := range f.Params {
		if v.x.TypeOf(ID(arguments[i])) != f.Params[i].Type {
			return v.fail(in, "argument %d is not of the parameter's type", i)
		}
	}
	return nil
}

// accessChain checks that the indices lead to what the result points to.
func (v *verifier) accessChain(in *Inst, base ID, indices []uint32) error {
	class, t, ok := v.pointer(v.x.TypeOf(base))
	resultClass, want, also := v.pointer(in.Type)
	if !ok || !also || class != resultClass {
		return v.fail(in, "base or result is no pointer, or the storage classes differ")
	}
	for _, w := range indices {
		if k, n, _ := v.shape(v.x.TypeOf(ID(w))); k != OpTypeInt || n != 1 {
			return v.fail(in, "index %%%d is no integer", ID(w))
		}
		i := uint32(0)
		if v.x.Op(t) == OpTypeStruct {
			c := v.x.Def(ID(w))
			if c.Op != OpConstant && c.Op != OpConstantNull {
				return v.fail(in, "index %%%d of a structure is no constant", ID(w))
			}
			if c.Op == OpConstant {
				i = c.Constant().Word()
			}
		}
		if t, ok = v.component(t, i); !ok {
			return v.fail(in, "index %%%d leads nowhere", ID(w))
		}
	}
	if t != want {
		return v.fail(in, "the indices lead to type %%%d, not %%%d", t, want)
	}
	return nil
}

// component returns the type of part i of a composite type.
func (v *verifier) component(typ ID, i uint32) (ID, bool) {
	t := v.x.Def(typ)
	if t == nil {
		return 0, false
	}
	switch t.Op {
	case OpTypeStruct:
		if int64(i) < int64(len(t.Operands)) {
			return t.ID(int(i)), true
		}
		return 0, false
	case OpTypeVector, OpTypeMatrix:
		return t.TypeVectorOrMatrix().PartType(), i < t.TypeVectorOrMatrix().PartCount()
	case OpTypeArray, OpTypeRuntimeArray, OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV:
		return t.TypeOfParts().PartType(), true
	}
	return 0, false
}

// member follows literal indices.
func (v *verifier) member(typ ID, indices []uint32) (ID, bool) {
	for _, i := range indices {
		part, ok := v.component(typ, i)
		if !ok {
			return 0, false
		}
		typ = part
	}
	return typ, true
}

// compositeParts checks the parts a composite is made of.
func (v *verifier) compositeParts(in *Inst, parts []uint32) error {
	t := v.x.Def(in.Type)
	switch t.Op {
	case OpTypeStruct:
		if len(parts) != len(t.Operands) {
			return v.fail(in, "%d parts for %d members", len(parts), len(t.Operands))
		}
	case OpTypeVector:
		return v.vectorParts(in, t, parts)
	case OpTypeMatrix:
		if n := t.TypeMatrix().ColumnCount(); uint32(len(parts)) != n {
			return v.fail(in, "%d columns for %d", len(parts), n)
		}
	case OpTypeArray:
		if n := v.x.Def(t.TypeArray().Length()); n.Op == OpConstant && uint32(len(parts)) != n.Constant().Word() {
			return v.fail(in, "%d parts for %d elements", len(parts), n.Constant().Word())
		}
	case OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV:
		return nil
	default:
		return v.fail(in, "type is not composite")
	}
	for i, w := range parts {
		if want, _ := v.component(in.Type, uint32(i)); v.x.TypeOf(ID(w)) != want {
			return v.fail(in, "part %d is of another type", i)
		}
	}
	return nil
}

// vectorParts checks the parts of a vector, scalars or smaller vectors.
func (v *verifier) vectorParts(in, t *Inst, parts []uint32) error {
	n := uint32(0)
	for i, w := range parts {
		pt := v.x.TypeOf(ID(w))
		if d := v.x.Def(pt); d != nil && d.Op == OpTypeVector {
			pt = d.TypeVector().ComponentType()
			n += d.TypeVector().ComponentCount()
		} else {
			n++
		}
		if pt != t.TypeVector().ComponentType() {
			return v.fail(in, "part %d is of another type", i)
		}
	}
	if want := t.TypeVector().ComponentCount(); n != want {
		return v.fail(in, "%d components for %d", n, want)
	}
	return nil
}
