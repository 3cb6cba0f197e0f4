package spirv

import (
	"encoding/binary"
	"slices"
	"testing"
)

// FuzzDecode decodes any bytes.
func FuzzDecode(f *testing.F) {
	for _, s := range corpus(f) {
		m, err := Decode(s.words)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(m.EncodeBytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeBytes(b)
		if err != nil {
			return
		}
		if got := binary.LittleEndian.Uint32(b); got == magic && !slices.Equal(m.EncodeBytes(), b) {
			t.Fatal("the module has changed")
		}
		useAll(t, m)
	})
}

// FuzzMutate changes words of real modules, which gets further than bytes do:
// each edit is where (2 bytes) and what, a small number or another word.
func FuzzMutate(f *testing.F) {
	list := corpus(f)
	for i := range list {
		f.Add(uint8(i), []byte{100, 0, 3, 200, 0, 130})
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		words := slices.Clone(list[int(which)%len(list)].words)
		for ; len(edits) >= 3; edits = edits[3:] {
			at := int(binary.LittleEndian.Uint16(edits)) % len(words)
			what := uint32(edits[2])
			if what >= 128 {
				what = words[(at+int(what)-192+len(words))%len(words)]
			}
			words[at] = what
		}
		m, err := Decode(words)
		if err != nil {
			return
		}
		if words[0] == magic && !slices.Equal(m.Encode(), words) {
			t.Fatal("the module has changed")
		}
		useAll(t, m)
	})
}

// useAll runs everything on a module that may be broken in any way: nothing
// may panic, and folding must not break it.
func useAll(t *testing.T, m *Module) {
	x := NewIndex(m)
	for _, fn := range m.Functions {
		c := NewCFG(fn)
		for _, k := range c.Constructs() {
			_ = x.Name(fn.Blocks[k.Header].Label)
		}
	}
	_ = Disassemble(m)
	valid := Verify(m)
	if err := FoldSpecConstants(m, map[uint32][]byte{0: {1, 0, 0, 0}, 1: {2, 0, 0, 0}}); err != nil || valid != nil {
		return
	}
	if err := Verify(m); err != nil {
		t.Fatalf("valid before, not after folding: %v", err)
	}
}
