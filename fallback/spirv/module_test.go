package spirv

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			validate(t, s.env, s.words)
			m, err := Decode(s.words)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Encode(); !slices.Equal(got, s.words) {
				t.Errorf("%d words became %d others", len(s.words), len(got))
			}
			again, err := DecodeBytes(m.EncodeBytes())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(again.Encode(), s.words) {
				t.Error("bytes do not give the module back")
			}
			swapped := slices.Clone(s.words)
			for i := range swapped {
				swapped[i] = bits.ReverseBytes32(swapped[i])
			}
			if m, err = Decode(swapped); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Encode(), s.words) {
				t.Error("the other byte order does not give the module back")
			}
		})
	}
}

// TestEachID gives all ids new numbers: an id that EachID does not see, or a
// word it takes for one, makes an invalid module.
func TestEachID(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			m, err := Decode(s.words)
			if err != nil {
				t.Fatal(err)
			}
			renumber(m, rand.New(rand.NewPCG(1, uint64(len(s.words)))))
			validate(t, s.env, m.Encode())
			if err := Verify(m); err != nil {
				t.Error(err)
			}
		})
	}
}

// renumber permutes all ids of a module within a much larger bound, so that a
// stale id is no id at all.
func renumber(m *Module, rnd *rand.Rand) {
	perm := rnd.Perm(int(m.Bound))
	fresh := func(id uint32) uint32 { return uint32(perm[id]) + m.Bound }
	change := func(in *Inst) {
		if in.Type != 0 {
			in.Type = ID(fresh(uint32(in.Type)))
		}
		if in.Result != 0 {
			in.Result = ID(fresh(uint32(in.Result)))
		}
		in.EachID(func(p *uint32) { *p = fresh(*p) })
	}
	m.eachInst(change)
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			b.Label = ID(fresh(uint32(b.Label)))
		}
	}
	m.Bound *= 2
}

func TestDropLines(t *testing.T) {
	for _, s := range corpus(t) {
		m, err := DecodeOptions{DropLines: true}.Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		m.eachInst(func(in *Inst) {
			if in.Op.IsLine() {
				t.Errorf("%s: %v is still there", s.name, in.Op)
			}
		})
	}
}

// asm makes an instruction's words.
func asm(op Op, w ...uint32) []uint32 {
	return append([]uint32{uint32(len(w)+1)<<16 | uint32(op)}, w...)
}

func program(bound uint32, list ...[]uint32) []uint32 {
	return append([]uint32{magic, 0x10500, 0, bound, 0}, slices.Concat(list...)...)
}

func TestDecodeErrors(t *testing.T) {
	void, fn := asm(OpTypeVoid, 1), asm(OpTypeFunction, 2, 1)
	def := asm(OpFunction, 1, 3, 0, 2)
	for _, c := range []struct {
		name  string
		words []uint32
		want  error
	}{
		{"empty", nil, ErrNotSPIRV},
		{"magic", []uint32{1, 2, 3, 4, 5}, ErrNotSPIRV},
		{"version", []uint32{magic, 0x20000, 0, 1, 0}, ErrNotSPIRV},
		{"header", []uint32{magic, 0x10000}, ErrTruncated},
		{"no words", program(1, []uint32{0}), ErrTruncated},
		{"too long", program(1, []uint32{2 << 16}), ErrTruncated},
		{"unknown", program(1, asm(Op(60000))), ErrUnknownInstruction},
		{"no result", program(1, asm(OpTypeVoid)), ErrMalformed},
		{"id 0", program(1, asm(OpTypeVoid, 0)), ErrMalformed},
		{"id at bound", program(1, asm(OpTypeVoid, 1)), ErrMalformed},
		{"operand at bound", program(3, asm(OpTypeVector, 1, 3, 2)), ErrMalformed},
		{"operand missing", program(3, asm(OpTypeVector, 1, 2)), ErrMalformed},
		{"operands too many", program(3, asm(OpTypeVoid, 1, 2)), ErrMalformed},
		{"string without end", program(3, asm(OpExtension, 0x41414141)), ErrMalformed},
		{"memory operand missing", program(9, void, fn, def, asm(OpLabel, 4), asm(OpLoad, 1, 5, 6, 2)), ErrMalformed},
		{"memory operand unknown", program(9, void, fn, def, asm(OpLabel, 4), asm(OpLoad, 1, 5, 6, 1<<30)), ErrMalformed},
		{"image operand missing", program(9, void, fn, def, asm(OpLabel, 4), asm(OpImageFetch, 1, 5, 6, 7, 4, 8)), ErrMalformed},
		{"switch", program(9, void, fn, def, asm(OpLabel, 4), asm(OpSwitch, 1, 4, 5)), ErrMalformed},
		{"nested operation", program(9, asm(OpSpecConstantOp, 1, 2, uint32(OpSpecConstantOp), uint32(OpIAdd), 3, 4)), ErrMalformed},
		{"order", program(3, void, asm(OpCapability, 1)), ErrLayout},
		{"outside", program(3, asm(OpReturn)), ErrLayout},
		{"label outside", program(3, asm(OpLabel, 1)), ErrLayout},
		{"second memory model", program(3, asm(OpMemoryModel, 0, 1), asm(OpMemoryModel, 0, 1)), ErrLayout},
		{"function in function", program(9, void, fn, def, def), ErrLayout},
		{"type in function", program(9, void, fn, def, asm(OpLabel, 4), asm(OpTypeVoid, 5)), ErrLayout},
		{"no terminator", program(9, void, fn, def, asm(OpLabel, 4), asm(OpFunctionEnd)), ErrLayout},
		{"between blocks", program(9, void, fn, def, asm(OpReturn)), ErrLayout},
		{"no function end", program(9, void, fn, def, asm(OpLabel, 4), asm(OpReturn)), ErrTruncated},
	} {
		if _, err := Decode(c.words); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := DecodeBytes([]byte{3, 2, 0x23, 7, 0}); !errors.Is(err, ErrTruncated) {
		t.Errorf("odd bytes: %v", err)
	}
}

func TestLinesBetween(t *testing.T) {
	line := asm(OpLine, 1, 2, 3)
	words := program(9, asm(OpString, 1, 0), asm(OpTypeVoid, 2), asm(OpTypeFunction, 3, 2, 2), line,
		asm(OpFunction, 2, 4, 0, 3), line, asm(OpFunctionParameter, 2, 5), line, asm(OpFunctionParameter, 2, 6), line,
		asm(OpLabel, 7), line, asm(OpReturn), line, asm(OpNoLine), asm(OpFunctionEnd), line,
		asm(OpFunction, 2, 8, 0, 3), asm(OpFunctionEnd), asm(OpNoLine))
	m, err := Decode(words)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Encode(), words) {
		t.Error("lines between functions, parameters and blocks are not kept in place")
	}
	if f := m.Functions[0]; len(f.Params) != 2 || len(f.Blocks) != 1 || len(f.End) != 2 {
		t.Errorf("%d parameters, %d blocks, %d lines at the end", len(f.Params), len(f.Blocks), len(f.End))
	}
}

func TestStrings(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "abcd", "main", "GLSL.std.450", "ü€"} {
		w := EncodeString(s)
		if len(w) != len(s)/4+1 {
			t.Errorf("%q takes %d words", s, len(w))
		}
		got, n := DecodeString(append(w, 0x41414141))
		if got != s || n != len(w) {
			t.Errorf("%q became %q of %d words", s, got, n)
		}
	}
	if s, n := DecodeString([]uint32{0x41414141}); s != "AAAA" || n != 1 {
		t.Errorf("a string without end is %q of %d words", s, n)
	}
}
