package spirv

import "encoding/binary"

// Encode writes the module. What Decode read comes out word for word as long
// as it is unchanged. No instruction may have more than 65532 operand words,
// which Verify checks.
func (m *Module) Encode() []uint32 {
	w := append(make([]uint32, 0, m.words()), magic, m.Version, m.Generator, m.Bound, m.Schema)
	m.eachInst(func(in *Inst) { w = in.appendTo(w) })
	return w
}

// EncodeBytes writes the module as a little-endian file.
func (m *Module) EncodeBytes() []byte {
	words := m.Encode()
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// words returns the size of the encoded module.
func (m *Module) words() int {
	n := headerWords
	m.eachInst(func(in *Inst) { n += 3 + len(in.Operands) })
	return n
}

// appendTo appends the instruction's words.
func (in *Inst) appendTo(w []uint32) []uint32 {
	start := len(w)
	w = append(w, 0)
	if in.Type != 0 {
		w = append(w, uint32(in.Type))
	}
	if in.Result != 0 {
		w = append(w, uint32(in.Result))
	}
	w = append(w, in.Operands...)
	w[start] = uint32(len(w)-start)<<16 | uint32(in.Op)
	return w
}

// eachInst calls f with every instruction in the order of the binary; those
// that are no Inst of their own (OpLabel, OpFunctionEnd) are made up, and
// good only until f returns.
func (m *Module) eachInst(f func(in *Inst)) {
	for s := sectionCapabilities; s <= sectionGlobals; s++ {
		if s == sectionMemoryModel {
			if m.MemoryModel.Op != OpNop {
				f(&m.MemoryModel)
			}
			continue
		}
		eachOf(*m.list(s), f)
	}
	for _, fn := range m.Functions {
		fn.eachInst(f)
	}
	eachOf(m.Trailing, f)
}

func (fn *Function) eachInst(f func(in *Inst)) {
	eachOf(fn.Before, f)
	f(&fn.Def)
	for i := range fn.Params {
		if i < len(fn.ParamLines) {
			eachOf(fn.ParamLines[i], f)
		}
		f(&fn.Params[i])
	}
	made := new(Inst) // one for all: of millions of blocks the collector would have much to do
	for _, b := range fn.Blocks {
		eachOf(b.Before, f)
		*made = Inst{Op: OpLabel, Result: b.Label}
		f(made)
		eachOf(b.Insts, f)
	}
	eachOf(fn.End, f)
	*made = Inst{Op: OpFunctionEnd}
	f(made)
}

func eachOf(list []Inst, f func(in *Inst)) {
	for i := range list {
		f(&list[i])
	}
}
