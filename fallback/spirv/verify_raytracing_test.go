package spirv

import (
	"errors"
	"strings"
	"testing"
)

// rayModule is a module with a value for each letter of rayOperands.
func rayModule() (m *Module, values map[byte]ID, types map[byte]ID) {
	m = &Module{Version: 0x10500, Bound: 1}
	m.AddCapability(CapabilityShader)
	m.AddCapability(CapabilityInt64)
	m.MemoryModel = Inst{Op: OpMemoryModel, Operands: []uint32{uint32(AddressingModelLogical), uint32(MemoryModelGLSL450)}}
	word, float := m.TypeInt(32, false), m.TypeFloat(32)
	v3 := m.TypeVector(float, 3)
	pointer := func(class StorageClass, to ID) ID { return m.TypePointer(class, to) }
	types = map[byte]ID{
		'a': m.declare(OpTypeAccelerationStructureKHR, 0), 'u': word, 'k': word, 'f': float, 'v': v3, 'w': m.TypeVector(float, 2),
		'b': m.TypeBool(), 'm': m.TypeMatrix(v3, 4), 't': m.TypeArray(v3, m.ConstantU32(3)), 'l': m.TypeInt(64, false),
		'e': m.TypeArray(v3, m.ConstantU32(2)), 'd': m.TypeArray(float, m.ConstantU32(2)),
		'p': pointer(StorageClassRayPayloadKHR, word), 'c': pointer(StorageClassCallableDataKHR, word),
		'h': pointer(StorageClassPrivate, m.declare(OpTypeHitObjectEXT, 0)),
		'q': pointer(StorageClassPrivate, m.declare(OpTypeRayQueryKHR, 0)),
		'x': pointer(StorageClassHitObjectAttributeEXT, word),
	}
	values = map[byte]ID{}
	for kind, typ := range types {
		switch kind {
		case 'p', 'c', 'h', 'q', 'x':
			class, _, _ := (&verifier{x: NewIndex(m)}).pointer(typ)
			values[kind] = m.Variable(typ, class)
		case 'k':
			values[kind] = m.ConstantU32(1)
		default:
			values[kind] = m.Undef(typ)
		}
	}
	return m, values, types
}

// withInst puts an instruction into the module's only function. A value of a parameter is not constant.
func withInst(m *Module, values map[byte]ID, types map[byte]ID, in Inst) *Module {
	fn, copied := m.TypeFunction(m.TypeVoid()), m.NewID()
	values['n'] = copied
	block := &Block{Label: m.NewID(), Insts: []Inst{
		{Op: OpCopyObject, Type: types['u'], Result: copied, Operands: []uint32{uint32(values['u'])}}, in, {Op: OpReturn},
	}}
	m.Functions = []*Function{{Def: Inst{Op: OpFunction, Type: m.TypeVoid(), Result: m.NewID(), Operands: []uint32{0, uint32(fn)}},
		Blocks: []*Block{block}}}
	return m
}

// TestRayOperands verifies each instruction of ray tracing with the operands that it takes, and with a wrong one in each place.
func TestRayOperands(t *testing.T) {
	checked := 0
	for op, info := range grammarRaytracing {
		kinds, known := rayOperands[op]
		if want := strings.Count(info.kinds, "i"); !known && want > 0 && !strings.Contains(info.name, "MicroTriangle") {
			t.Errorf("nobody knows the operands of %v", op)
		} else if !known {
			continue
		}
		result, operands, _ := strings.Cut(kinds, ":")
		if len(operands) != strings.Count(info.kinds, "i") || (result != "") != (info.result == tr) || op < firstRayOp {
			t.Errorf("%v has operands %q, here are %q", op, info.kinds, kinds)
			continue
		}
		verify := func(place int, kind byte) error {
			m, values, types := rayModule()
			in := Inst{Op: op}
			m = withInst(m, values, types, in)
			give := func(i int, of byte) byte {
				if i == place {
					return kind
				}
				return of
			}
			if result != "" {
				in.Result, in.Type = m.NewID(), types[give(-1, result[0])]
			}
			for i := range len(operands) {
				in.Operands = append(in.Operands, uint32(values[give(i, operands[i])]))
			}
			m.Functions[0].Blocks[0].Insts[1] = in
			return Verify(m)
		}
		if err := verify(-2, 0); err != nil {
			t.Errorf("%v with what it takes: %v", op, err)
		}
		for place := -1; place < len(operands); place++ {
			var right byte
			switch {
			case place >= 0:
				right = operands[place]
			case result != "":
				right = result[0]
			default:
				continue
			}
			for kind := range rayKinds {
				if kind == right || kind == 'k' || kind == 'u' && right == 'k' {
					continue
				}
				checked++
				if err := verify(place, kind); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), op.String()) {
					t.Errorf("%v with %q in place of %q as operand %d: %v", op, kind, right, place, err)
				}
			}
			if right == 'k' && verify(place, 'n') == nil {
				t.Errorf("operand %d of %v is a constant, another number is let through", place, op)
			}
		}
	}
	t.Logf("%d wrong operands", checked)
}
