package spirv

import (
	"encoding/binary"
	"math"
	"slices"
)

// typeCache remembers where in Module.Globals a declaration was found. It is
// only a hint, checked at each use, so that callers may change Globals freely.
type typeCache map[string]int

// declare returns the id of a type or constant of this content, adding it to
// the end of Globals if there is none yet. Decorated ones are never shared.
func (m *Module) declare(op Op, typ ID, operands ...uint32) ID {
	key := declarationKey(op, typ, operands)
	if at, ok := m.cache[key]; ok && at < len(m.Globals) && m.Globals[at].is(op, typ, operands) {
		return m.Globals[at].Result
	}
	at := slices.IndexFunc(m.Globals, func(in Inst) bool {
		return in.is(op, typ, operands) && !(mayBeDecorated(op) && m.decorated(in.Result))
	})
	if at < 0 {
		at = len(m.Globals)
		m.Globals = append(m.Globals, Inst{Op: op, Type: typ, Result: m.NewID(), Operands: slices.Clone(operands)})
	}
	if m.cache == nil {
		m.cache = typeCache{}
	}
	m.cache[key] = at
	return m.Globals[at].Result
}

func declarationKey(op Op, typ ID, operands []uint32) string {
	b := make([]byte, 0, 8+4*len(operands))
	b = binary.LittleEndian.AppendUint32(b, uint32(op))
	b = binary.LittleEndian.AppendUint32(b, uint32(typ))
	for _, w := range operands {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

// is tells whether the instruction has this content.
func (in *Inst) is(op Op, typ ID, operands []uint32) bool {
	return in.Op == op && in.Type == typ && slices.Equal(in.Operands, operands)
}

// mayBeDecorated tells whether decorations make otherwise equal declarations
// of this opcode different: array strides, and constants like WorkgroupSize.
func mayBeDecorated(op Op) bool {
	switch op {
	case OpTypeArray, OpTypeRuntimeArray, OpTypePointer, OpConstantComposite:
		return true
	}
	return false
}

// decorated tells whether any decoration names id as its target.
func (m *Module) decorated(id ID) bool {
	for i := range m.Annotations {
		in := &m.Annotations[i]
		switch in.Op {
		case OpDecorate, OpDecorateId, OpDecorateString:
			if in.Decorate().Target() == id {
				return true
			}
		case OpGroupDecorate:
			if slices.Contains(in.GroupDecorate().Targets(), uint32(id)) {
				return true
			}
		}
	}
	return false
}

// TypeVoid returns the void type.
func (m *Module) TypeVoid() ID { return m.declare(OpTypeVoid, 0) }

// TypeBool returns the boolean type.
func (m *Module) TypeBool() ID { return m.declare(OpTypeBool, 0) }

// TypeInt returns the integer type of this width in bits.
func (m *Module) TypeInt(width uint32, signed bool) ID {
	return m.declare(OpTypeInt, 0, width, boolWord(signed))
}

// TypeFloat returns the floating-point type of this width in bits.
func (m *Module) TypeFloat(width uint32) ID { return m.declare(OpTypeFloat, 0, width) }

// TypeVector returns a vector type.
func (m *Module) TypeVector(component ID, n uint32) ID {
	return m.declare(OpTypeVector, 0, uint32(component), n)
}

// TypeMatrix returns a matrix type.
func (m *Module) TypeMatrix(column ID, columns uint32) ID {
	return m.declare(OpTypeMatrix, 0, uint32(column), columns)
}

// TypeArray returns an array type without a stride; length is a constant.
func (m *Module) TypeArray(element, length ID) ID {
	return m.declare(OpTypeArray, 0, uint32(element), uint32(length))
}

// TypeArrayStride makes an array type with a stride in bytes.
func (m *Module) TypeArrayStride(element, length ID, stride uint32) ID {
	return m.strided(Inst{Op: OpTypeArray, Operands: []uint32{uint32(element), uint32(length)}}, stride)
}

// TypeRuntimeArrayStride makes a runtime array type with a stride in bytes.
func (m *Module) TypeRuntimeArrayStride(element ID, stride uint32) ID {
	return m.strided(Inst{Op: OpTypeRuntimeArray, Operands: []uint32{uint32(element)}}, stride)
}

func (m *Module) strided(in Inst, stride uint32) ID {
	in.Result = m.NewID()
	m.Globals = append(m.Globals, in)
	m.Decorate(in.Result, DecorationArrayStride, stride)
	return in.Result
}

// TypeStruct makes a structure type; each call makes another one.
func (m *Module) TypeStruct(members ...ID) ID {
	id := m.NewID()
	m.Globals = append(m.Globals, Inst{Op: OpTypeStruct, Result: id, Operands: idWords(members)})
	return id
}

// TypePointer returns a pointer type.
func (m *Module) TypePointer(class StorageClass, pointee ID) ID {
	return m.declare(OpTypePointer, 0, uint32(class), uint32(pointee))
}

// TypeFunction returns a function type.
func (m *Module) TypeFunction(result ID, params ...ID) ID {
	return m.declare(OpTypeFunction, 0, append([]uint32{uint32(result)}, idWords(params)...)...)
}

// ConstantBool returns a boolean constant.
func (m *Module) ConstantBool(v bool) ID {
	if v {
		return m.declare(OpConstantTrue, m.TypeBool())
	}
	return m.declare(OpConstantFalse, m.TypeBool())
}

// ConstantU32 returns a constant of the unsigned 32-bit type.
func (m *Module) ConstantU32(v uint32) ID { return m.declare(OpConstant, m.TypeInt(32, false), v) }

// ConstantI32 returns a constant of the signed 32-bit type.
func (m *Module) ConstantI32(v int32) ID {
	return m.declare(OpConstant, m.TypeInt(32, true), uint32(v))
}

// ConstantU64 returns a constant of the unsigned 64-bit type.
func (m *Module) ConstantU64(v uint64) ID {
	return m.declare(OpConstant, m.TypeInt(64, false), uint32(v), uint32(v>>32))
}

// ConstantF32 returns a constant of the 32-bit floating-point type.
func (m *Module) ConstantF32(v float32) ID {
	return m.declare(OpConstant, m.TypeFloat(32), math.Float32bits(v))
}

// ConstantComposite returns a composite constant.
func (m *Module) ConstantComposite(typ ID, parts ...ID) ID {
	return m.declare(OpConstantComposite, typ, idWords(parts)...)
}

// ConstantNull returns the null constant of a type.
func (m *Module) ConstantNull(typ ID) ID { return m.declare(OpConstantNull, typ) }

// Undef returns an undefined value of a type, at global scope.
func (m *Module) Undef(typ ID) ID { return m.declare(OpUndef, typ) }

// Variable adds a global variable; typ is a pointer type of the same class.
func (m *Module) Variable(typ ID, class StorageClass) ID {
	id := m.NewID()
	m.Globals = append(m.Globals, Inst{Op: OpVariable, Type: typ, Result: id, Operands: []uint32{uint32(class)}})
	return id
}

// Decorate adds a decoration with literal parameters.
func (m *Module) Decorate(id ID, d Decoration, params ...uint32) {
	m.Annotations = append(m.Annotations,
		Inst{Op: OpDecorate, Operands: append([]uint32{uint32(id), uint32(d)}, params...)})
}

// MemberDecorate adds a decoration of a structure member.
func (m *Module) MemberDecorate(id ID, member uint32, d Decoration, params ...uint32) {
	m.Annotations = append(m.Annotations,
		Inst{Op: OpMemberDecorate, Operands: append([]uint32{uint32(id), member, uint32(d)}, params...)})
}

// Name gives id a debug name.
func (m *Module) Name(id ID, name string) {
	m.Names = append(m.Names, Inst{Op: OpName, Operands: append([]uint32{uint32(id)}, EncodeString(name)...)})
}

// AddCapability adds a capability unless it is there.
func (m *Module) AddCapability(c Capability) {
	if !m.HasCapability(c) {
		m.Capabilities = append(m.Capabilities, Inst{Op: OpCapability, Operands: []uint32{uint32(c)}})
	}
}

// HasCapability tells whether the module declares a capability.
func (m *Module) HasCapability(c Capability) bool {
	return slices.ContainsFunc(m.Capabilities, func(in Inst) bool {
		return len(in.Operands) == 1 && in.Capability().Capability() == c
	})
}

// AddExtension adds an extension unless it is there.
func (m *Module) AddExtension(name string) {
	w := EncodeString(name)
	if !slices.ContainsFunc(m.Extensions, func(in Inst) bool { return slices.Equal(in.Operands, w) }) {
		m.Extensions = append(m.Extensions, Inst{Op: OpExtension, Operands: w})
	}
}

func idWords(ids []ID) []uint32 {
	w := make([]uint32, len(ids))
	for i, id := range ids {
		w[i] = uint32(id)
	}
	return w
}

func boolWord(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
