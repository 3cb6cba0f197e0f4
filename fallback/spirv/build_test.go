package spirv

import (
	"slices"
	"testing"
)

func TestBuilderShares(t *testing.T) {
	for _, s := range corpus(t) {
		m, err := Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		build := func() []ID {
			u32 := m.TypeInt(32, false)
			vec := m.TypeVector(m.TypeFloat(32), 4)
			return []ID{m.TypeVoid(), m.TypeBool(), u32, vec, m.TypeMatrix(vec, 4), m.TypePointer(StorageClassFunction, vec),
				m.TypeFunction(u32, vec, m.TypeBool()), m.TypeArray(u32, m.ConstantU32(7)), m.ConstantBool(true), m.ConstantI32(-1),
				m.ConstantF32(2.5), m.ConstantNull(vec), m.Undef(vec), m.ConstantComposite(vec, m.ConstantF32(1), m.ConstantF32(1),
					m.ConstantF32(1), m.ConstantF32(1))}
		}
		first := build()
		n := len(m.Globals)
		if second := build(); !slices.Equal(first, second) || len(m.Globals) != n {
			t.Errorf("%s: built %v, then %v", s.name, first, second)
		}
		if err := Verify(m); err != nil { // would find a type twice
			t.Errorf("%s: %v", s.name, err)
		}
		validate(t, s.env, m.Encode())
		// Changing Globals behind the builder's back does no harm.
		m.Globals = slices.DeleteFunc(m.Globals, func(in Inst) bool { return in.Result == first[len(first)-1] })
		if got := build(); !slices.Equal(got[:len(got)-1], first[:len(first)-1]) {
			t.Errorf("%s: after a removal built %v, before %v", s.name, got, first)
		}
	}
}

func TestBuilderDecorated(t *testing.T) {
	m := &Module{}
	u32, n := m.TypeInt(32, false), m.ConstantU32(4)
	strided := m.TypeArrayStride(u32, n, 16)
	plain := m.TypeArray(u32, n)
	if plain == strided {
		t.Error("an array with a stride is shared with one without")
	}
	if again := m.TypeArray(u32, n); again != plain {
		t.Error("arrays without stride are not shared")
	}
	if one, other := m.TypeStruct(u32), m.TypeStruct(u32); one == other {
		t.Error("structures are shared")
	}
	if m.TypeRuntimeArrayStride(u32, 4) == m.TypeRuntimeArrayStride(u32, 8) {
		t.Error("runtime arrays of different strides are shared")
	}
	m.AddCapability(CapabilityShader)
	m.AddCapability(CapabilityShader)
	m.AddExtension("SPV_KHR_ray_query")
	m.AddExtension("SPV_KHR_ray_query")
	if len(m.Capabilities) != 1 || len(m.Extensions) != 1 {
		t.Errorf("%d capabilities, %d extensions", len(m.Capabilities), len(m.Extensions))
	}
}

func TestIndex(t *testing.T) {
	m := &Module{}
	f32 := m.TypeFloat(32)
	s := m.TypeStruct(f32, f32)
	m.MemberDecorate(s, 1, DecorationOffset, 4)
	m.Decorate(s, DecorationBlock)
	m.Name(s, "Block")
	m.Names = append(m.Names, Inst{Op: OpMemberName, Operands: append([]uint32{uint32(s), 1}, EncodeString("y")...)})
	v := m.Variable(m.TypePointer(StorageClassUniform, s), StorageClassUniform)
	group := m.NewID()
	m.Annotations = append(m.Annotations,
		Inst{Op: OpDecorate, Operands: []uint32{uint32(group), uint32(DecorationBinding), 3}},
		Inst{Op: OpDecorationGroup, Result: group},
		Inst{Op: OpGroupDecorate, Operands: []uint32{uint32(group), uint32(v)}},
		Inst{Op: OpGroupMemberDecorate, Operands: []uint32{uint32(group), uint32(s), 0}})
	x := NewIndex(m)
	if x.Name(s) != "Block" || x.MemberName(s, 1) != "y" || x.Op(v) != OpVariable || x.Op(999) != OpNop {
		t.Error("names or opcodes are wrong")
	}
	if w, ok := x.MemberDecoration(s, 1, DecorationOffset); !ok || w[0] != 4 {
		t.Errorf("offset %v", w)
	}
	if _, ok := x.Decoration(s, DecorationBlock); !ok {
		t.Error("no Block")
	}
	if w, ok := x.Decoration(v, DecorationBinding); !ok || w[0] != 3 {
		t.Errorf("binding by group %v", w)
	}
	if w, ok := x.MemberDecoration(s, 0, DecorationBinding); !ok || w[0] != 3 {
		t.Errorf("binding of a member by group %v", w)
	}
	if x.Def(x.TypeOf(v)).Op != OpTypePointer {
		t.Error("type of the variable")
	}
}
