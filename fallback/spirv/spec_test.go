package spirv

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// bytesOf is a value as VkSpecializationInfo has it.
func bytesOf(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestFoldCorpus(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			for name, values := range map[string]map[uint32][]byte{"defaults": nil, "values": specValues(s.name)} {
				m, err := Decode(s.words)
				if err != nil {
					t.Fatal(err)
				}
				had := slices.ContainsFunc(m.Globals, func(in Inst) bool { return in.Op.IsSpecConstant() })
				if err := FoldSpecConstants(m, values); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				m.eachInst(func(in *Inst) {
					if in.Op.IsSpecConstant() || in.Op == OpDecorate && Decoration(in.Operands[1]) == DecorationSpecId {
						t.Errorf("%s: %v is left", name, in)
					}
				})
				if err := Verify(m); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if had {
					validate(t, s.env, m.Encode())
				}
			}
		})
	}
}

// specValues are values for the constants of a shader of the corpus.
func specValues(name string) map[uint32][]byte {
	switch file, _, _ := strings.Cut(name, "/"); file {
	case "special.comp":
		return map[uint32][]byte{0: bytesOf(int32(2)), 1: bytesOf(uint32(3)), 2: bytesOf(float32(1)), 3: bytesOf(uint32(0)),
			4: bytesOf(0.25)}
	case "sky.rmiss":
		return map[uint32][]byte{0: bytesOf(float32(2)), 1: bytesOf(uint32(1)), 77: bytesOf(uint32(5))}
	case "camera.rgen":
		return map[uint32][]byte{3: bytesOf(int32(9))}
	}
	return nil
}

// TestFoldSpecial knows what the constants of special.comp become.
func TestFoldSpecial(t *testing.T) {
	for _, s := range corpus(t) {
		if !strings.HasPrefix(s.name, "special.comp") {
			continue
		}
		m, err := Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		if err := FoldSpecConstants(m, specValues(s.name)); err != nil {
			t.Fatal(err)
		}
		x := NewIndex(m)
		// a=2, b=3: f = 2*3 - 3/2 + 2%4 + (2<<2) - (~2) = 6-1+2+8+3; g = 3&3; the array o has f+3 elements.
		found := 0
		for i := range m.Globals {
			in := &m.Globals[i]
			if in.Op == OpTypeArray {
				if x.Def(in.ID(1)).Operands[0] == 21 {
					found++
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no array of f+3 = 21 elements:\n%s", s.name, Disassemble(m))
		}
	}
}

// folding is a module made for folding, with the types tests need.
type folding struct {
	*Module
	boolT, i32, u32, i64, u64, i16, u8, f16, f32, f64 ID
}

func newFolding() *folding {
	m := &Module{Version: 0x10500, MemoryModel: Inst{Op: OpMemoryModel, Operands: []uint32{0, 1}}}
	for _, c := range []Capability{CapabilityShader, CapabilityInt64, CapabilityInt16, CapabilityInt8, CapabilityFloat16,
		CapabilityFloat64} {
		m.AddCapability(c)
	}
	return &folding{m, m.TypeBool(), m.TypeInt(32, true), m.TypeInt(32, false), m.TypeInt(64, true), m.TypeInt(64, false),
		m.TypeInt(16, true), m.TypeInt(8, false), m.TypeFloat(16), m.TypeFloat(32), m.TypeFloat(64)}
}

// scalarConstant declares a constant of any scalar type by its bits.
func (f *folding) scalarConstant(typ ID, v uint64) ID {
	x := folder{m: f.Module, defs: map[ID]*Inst{}}
	for i := range f.Globals {
		x.defs[f.Globals[i].Result] = &f.Globals[i]
	}
	in := x.scalar(typ).constant(typ, v)
	return f.declare(in.Op, typ, in.Operands...)
}

func (f *folding) operation(op Op, typ ID, operands ...uint32) ID {
	id := f.NewID()
	f.Globals = append(f.Globals, Inst{Op: OpSpecConstantOp, Type: typ, Result: id,
		Operands: append([]uint32{uint32(op)}, operands...)})
	return id
}

// value returns the bits of a folded scalar.
func (f *folding) value(t *testing.T, id ID) uint64 {
	t.Helper()
	in := NewIndex(f.Module).Def(id)
	switch in.Op {
	case OpConstantTrue:
		return 1
	case OpConstantFalse, OpConstantNull:
		return 0
	case OpConstant:
		if len(in.Operands) == 2 {
			return uint64(in.Operands[0]) | uint64(in.Operands[1])<<32
		}
		return uint64(in.Operands[0])
	}
	t.Fatalf("%v is no scalar constant", in)
	return 0
}

func TestFoldScalars(t *testing.T) {
	f := newFolding()
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	nan := f32(float32(math.NaN()))
	neg := func(x int32) uint64 { return uint64(uint32(x)) }
	cases := []struct {
		op   Op
		typ  ID
		from ID
		args []uint64
		want uint64
	}{
		{OpIAdd, f.u32, f.u32, []uint64{0xffffffff, 2}, 1},
		{OpISub, f.u32, f.u32, []uint64{1, 2}, 0xffffffff},
		{OpIMul, f.i32, f.i32, []uint64{neg(-3), 5}, neg(-15)},
		{OpIMul, f.u64, f.u64, []uint64{1 << 33, 6}, 6 << 33},
		{OpUDiv, f.u32, f.u32, []uint64{neg(-2), 2}, 0x7fffffff},
		{OpSDiv, f.i32, f.i32, []uint64{neg(-7), 2}, neg(-3)},
		{OpSDiv, f.i64, f.i64, []uint64{1 << 63, math.MaxUint64}, 1 << 63},
		{OpSDiv, f.i32, f.i32, []uint64{7, 0}, 0},
		{OpUDiv, f.u32, f.u32, []uint64{7, 0}, 0},
		{OpUMod, f.u32, f.u32, []uint64{7, 4}, 3},
		{OpSRem, f.i32, f.i32, []uint64{neg(-7), 4}, neg(-3)},
		{OpSMod, f.i32, f.i32, []uint64{neg(-7), 4}, 1},
		{OpSMod, f.i32, f.i32, []uint64{7, neg(-4)}, neg(-1)},
		{OpSNegate, f.i16, f.i16, []uint64{5}, 0xfffffffb}, // sign extended in its word
		{OpNot, f.u8, f.u8, []uint64{5}, 0xfa},             // zero extended
		{OpShiftLeftLogical, f.u32, f.u32, []uint64{1, 31}, 1 << 31},
		{OpShiftRightLogical, f.u32, f.u32, []uint64{1 << 31, 31}, 1},
		{OpShiftRightArithmetic, f.i32, f.i32, []uint64{1 << 31, 30}, neg(-2)},
		{OpShiftRightArithmetic, f.i64, f.i64, []uint64{1 << 63, 70}, math.MaxUint64},
		{OpBitwiseAnd, f.u32, f.u32, []uint64{12, 10}, 8},
		{OpBitwiseOr, f.u32, f.u32, []uint64{12, 10}, 14},
		{OpBitwiseXor, f.u32, f.u32, []uint64{12, 10}, 6},
		{OpLogicalAnd, f.boolT, f.boolT, []uint64{1, 0}, 0},
		{OpLogicalOr, f.boolT, f.boolT, []uint64{1, 0}, 1},
		{OpLogicalNot, f.boolT, f.boolT, []uint64{1}, 0},
		{OpLogicalEqual, f.boolT, f.boolT, []uint64{0, 0}, 1},
		{OpLogicalNotEqual, f.boolT, f.boolT, []uint64{1, 0}, 1},
		{OpIEqual, f.boolT, f.i64, []uint64{1 << 40, 1 << 40}, 1},
		{OpINotEqual, f.boolT, f.u32, []uint64{1, 1}, 0},
		{OpSLessThan, f.boolT, f.i32, []uint64{neg(-1), 1}, 1},
		{OpULessThan, f.boolT, f.i32, []uint64{neg(-1), 1}, 0},
		{OpSLessThanEqual, f.boolT, f.i32, []uint64{2, 1}, 0},
		{OpULessThanEqual, f.boolT, f.u32, []uint64{1, 1}, 1},
		{OpSGreaterThan, f.boolT, f.i16, []uint64{0xffff, 0}, 0},
		{OpUGreaterThan, f.boolT, f.u8, []uint64{0xff, 0}, 1},
		{OpSGreaterThanEqual, f.boolT, f.i32, []uint64{0, neg(-1)}, 1},
		{OpUGreaterThanEqual, f.boolT, f.u32, []uint64{0, 1}, 0},
		{OpSConvert, f.i64, f.i32, []uint64{neg(-2)}, math.MaxUint64 - 1},
		{OpUConvert, f.u64, f.u32, []uint64{neg(-2)}, 0xfffffffe},
		{OpUConvert, f.u8, f.u32, []uint64{0x1234}, 0x34},
		{OpSConvert, f.i32, f.i16, []uint64{0x8000}, neg(-32768)},
		{OpBitcast, f.f32, f.u32, []uint64{0x3f800000}, 0x3f800000},
		{OpBitcast, f.u32, f.f32, []uint64{f32(1)}, 0x3f800000},
		{OpFNegate, f.f32, f.f32, []uint64{f32(1)}, f32(-1)},
		{OpFConvert, f.f64, f.f32, []uint64{f32(1.5)}, math.Float64bits(1.5)},
		{OpFConvert, f.f16, f.f32, []uint64{f32(1.5)}, 0x3e00},
		{OpFConvert, f.f32, f.f16, []uint64{0xc000}, f32(-2)},
		{OpQuantizeToF16, f.f32, f.f32, []uint64{f32(1.0001)}, f32(1)},
		{OpFOrdEqual, f.boolT, f.f32, []uint64{f32(1), f32(1)}, 1},
		{OpFOrdEqual, f.boolT, f.f32, []uint64{nan, nan}, 0},
		{OpFUnordEqual, f.boolT, f.f32, []uint64{nan, f32(1)}, 1},
		{OpFOrdNotEqual, f.boolT, f.f32, []uint64{nan, f32(1)}, 0},
		{OpFUnordNotEqual, f.boolT, f.f32, []uint64{f32(2), f32(1)}, 1},
		{OpFOrdLessThan, f.boolT, f.f64, []uint64{math.Float64bits(1), math.Float64bits(2)}, 1},
		{OpFUnordLessThan, f.boolT, f.f32, []uint64{f32(2), f32(1)}, 0},
		{OpFOrdGreaterThan, f.boolT, f.f32, []uint64{f32(2), f32(1)}, 1},
		{OpFOrdLessThanEqual, f.boolT, f.f32, []uint64{f32(2), f32(2)}, 1},
		{OpFOrdGreaterThanEqual, f.boolT, f.f16, []uint64{0x3c00, 0x4000}, 0},
		{OpFUnordGreaterThanEqual, f.boolT, f.f32, []uint64{nan, nan}, 1},
	}
	ids := make([]ID, len(cases))
	for i, c := range cases {
		args := make([]uint32, len(c.args))
		for k, a := range c.args {
			args[k] = uint32(f.scalarConstant(c.from, a))
		}
		ids[i] = f.operation(c.op, c.typ, args...)
	}
	if err := FoldSpecConstants(f.Module, nil); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if got := f.value(t, ids[i]); got != c.want {
			t.Errorf("%v %#x: %#x, want %#x", c.op, c.args, got, c.want)
		}
	}
	if err := Verify(f.Module); err != nil {
		t.Error(err)
	}
}

func TestFoldComposites(t *testing.T) {
	f := newFolding()
	vec3 := f.TypeVector(f.u32, 3)
	vec2 := f.TypeVector(f.u32, 2)
	bvec3 := f.TypeVector(f.boolT, 3)
	pair := f.TypeStruct(vec3, f.u32)
	u := func(v uint32) ID { return f.ConstantU32(v) }
	a := f.ConstantComposite(vec3, u(1), u(2), u(3))
	b := f.ConstantComposite(vec3, u(10), u(20), u(30))
	null := f.ConstantNull(pair)
	sum := f.operation(OpIAdd, vec3, uint32(a), uint32(b))
	less := f.operation(OpULessThan, bvec3, uint32(sum), uint32(f.ConstantComposite(vec3, u(12), u(12), u(100))))
	picked := f.operation(OpSelect, vec3, uint32(less), uint32(a), uint32(b))
	whole := f.operation(OpSelect, vec3, uint32(f.ConstantBool(false)), uint32(a), uint32(b))
	shuffled := f.operation(OpVectorShuffle, vec2, uint32(picked), uint32(whole), 5, 0)
	nested := f.operation(OpCompositeInsert, pair, uint32(u(7)), uint32(null), 0, 1)
	extracts := map[ID]uint64{
		f.operation(OpCompositeExtract, f.u32, uint32(sum), 2):       33,
		f.operation(OpCompositeExtract, f.u32, uint32(picked), 0):    1,
		f.operation(OpCompositeExtract, f.u32, uint32(picked), 1):    20,
		f.operation(OpCompositeExtract, f.u32, uint32(picked), 2):    3,
		f.operation(OpCompositeExtract, f.u32, uint32(whole), 2):     30,
		f.operation(OpCompositeExtract, f.u32, uint32(shuffled), 0):  30,
		f.operation(OpCompositeExtract, f.u32, uint32(nested), 0, 1): 7,
		f.operation(OpCompositeExtract, f.u32, uint32(nested), 0, 2): 0,
		f.operation(OpCompositeExtract, f.u32, uint32(nested), 1):    0,
	}
	if err := FoldSpecConstants(f.Module, nil); err != nil {
		t.Fatal(err)
	}
	if err := Verify(f.Module); err != nil {
		t.Error(err)
	}
	for id, want := range extracts {
		if got := f.value(t, id); got != want {
			t.Errorf("%%%d is %d, want %d", id, got, want)
		}
	}
}

func TestFoldValues(t *testing.T) {
	f := newFolding()
	spec := func(id uint32, op Op, typ ID, w ...uint32) ID {
		r := f.NewID()
		f.Globals = append(f.Globals, Inst{Op: op, Type: typ, Result: r, Operands: w})
		f.Decorate(r, DecorationSpecId, id)
		return r
	}
	flag := spec(0, OpSpecConstantTrue, f.boolT)
	narrow := spec(1, OpSpecConstant, f.i16, 3)
	wide := spec(2, OpSpecConstant, f.u64, 1, 2)
	half := spec(3, OpSpecConstant, f.f16, 0x3c00)
	kept := spec(4, OpSpecConstant, f.u32, 99)
	if err := FoldSpecConstants(f.Module, map[uint32][]byte{
		0: bytesOf(uint32(0)), 1: bytesOf(int16(-2)), 2: bytesOf(uint64(5 << 40)), 3: bytesOf(uint16(0xbc00)),
	}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[ID]uint64{flag: 0, narrow: 0xfffffffe, wide: 5 << 40, half: 0xbc00, kept: 99} {
		if got := f.value(t, id); got != want {
			t.Errorf("%%%d is %#x, want %#x", id, got, want)
		}
	}
}

func TestFoldErrors(t *testing.T) {
	for name, c := range map[string]struct {
		make   func(f *folding)
		values map[uint32][]byte
	}{
		"size of value": {func(f *folding) {
			id := f.NewID()
			f.Globals = append(f.Globals, Inst{Op: OpSpecConstant, Type: f.u32, Result: id, Operands: []uint32{1}})
			f.Decorate(id, DecorationSpecId, 1)
		}, map[uint32][]byte{1: {1, 2}}},
		"size of boolean": {func(f *folding) {
			id := f.NewID()
			f.Globals = append(f.Globals, Inst{Op: OpSpecConstantTrue, Type: f.boolT, Result: id})
			f.Decorate(id, DecorationSpecId, 1)
		}, map[uint32][]byte{1: {1}}},
		"operation":   {func(f *folding) { f.operation(OpAccessChain, f.u32, 1, 2) }, nil},
		"not defined": {func(f *folding) { f.operation(OpNot, f.u32, 99999) }, nil},
		"no component": {func(f *folding) {
			f.operation(OpCompositeExtract, f.u32, uint32(f.ConstantNull(f.TypeVector(f.u32, 2))), 2)
		}, nil},
		"not composite": {func(f *folding) { f.operation(OpCompositeExtract, f.u32, uint32(f.ConstantU32(1)), 0) }, nil},
		"float sum":     {func(f *folding) { x := uint32(f.ConstantF32(1)); f.operation(OpIAdd, f.f32, x, x) }, nil},
		"huge null": {func(f *folding) {
			f.operation(OpCompositeInsert, f.u32, uint32(f.ConstantU32(1)), uint32(f.ConstantNull(f.TypeArray(f.u32, f.ConstantU32(1<<30)))),
				3)
		}, nil},
	} {
		f := newFolding()
		c.make(f)
		if err := FoldSpecConstants(f.Module, c.values); !errors.Is(err, ErrSpecialization) {
			t.Errorf("%s: %v, want ErrSpecialization", name, err)
		}
	}
}

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		x := halfToFloat(uint16(h))
		if back := floatToHalf(x); back != uint16(h) && x == x {
			t.Fatalf("half %#04x is %g, which is half %#04x", h, x, back)
		}
	}
	for x, want := range map[float64]uint16{
		65504: 0x7bff, 65519: 0x7bff, 65520: 0x7c00, math.Inf(-1): 0xfc00, 1.0 / (1 << 24): 1, 1.0 / (1 << 25): 0,
		1.5 / (1 << 24): 2, 1 + 1.0/2048: 0x3c00, 1 + 3.0/2048: 0x3c02, math.Copysign(0, -1): 0x8000,
		1.0/(1<<14) - 1e-9: 0x0400,
	} {
		if got := doubleToHalf(x); got != want {
			t.Errorf("%g is half %#04x, want %#04x", x, got, want)
		}
	}
}
