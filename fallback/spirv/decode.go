package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
)

const (
	magic        = 0x07230203
	headerWords  = 5
	maxOperation = 0xffff  // words of one instruction
	maxBound     = 1 << 22 // SPIR-V's universal limit; passes keep tables by id
)

// DecodeOptions says how to decode; the zero value keeps everything.
type DecodeOptions struct {
	// DropLines leaves out OpLine and OpNoLine.
	DropLines bool
	// Context, if not nil, ends the decoding when it ends, with its error.
	Context context.Context
}

// Decode reads a module. The result shares no memory with words, and its size
// is proportional to theirs. A module of the other byte order is accepted.
//
// Decode checks the header, the grammar of each instruction, the order of the
// sections, and that ids are below the bound; the rest is Verify's.
func Decode(words []uint32) (*Module, error) { return DecodeOptions{}.Decode(words) }

// DecodeBytes reads a module from a file's content, little or big endian.
func DecodeBytes(b []byte) (*Module, error) { return DecodeOptions{}.DecodeBytes(b) }

// DecodeBytes reads a module from a file's content, little or big endian.
func (o DecodeOptions) DecodeBytes(b []byte) (*Module, error) {
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if len(words) > 0 && (words[0] == magic || words[0] == bits.ReverseBytes32(magic)) && len(b)%4 != 0 {
		return nil, fmt.Errorf("%w: %d bytes are not whole words", ErrTruncated, len(b))
	}
	return o.decode(words)
}

// Decode reads a module.
func (o DecodeOptions) Decode(words []uint32) (*Module, error) {
	return o.decode(append([]uint32(nil), words...))
}

// decode reads a module from words that the module may keep.
func (o DecodeOptions) decode(words []uint32) (*Module, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrNotSPIRV)
	}
	switch words[0] {
	case magic:
	case bits.ReverseBytes32(magic):
		for i, w := range words {
			words[i] = bits.ReverseBytes32(w)
		}
	default:
		return nil, fmt.Errorf("%w: magic number 0x%08x", ErrNotSPIRV, words[0])
	}
	if len(words) < headerWords {
		return nil, fmt.Errorf("%w: %d words of a header of %d", ErrTruncated, len(words), headerWords)
	}
	if v := words[1]; v&0xff0000ff != 0 || v>>16 != 1 {
		return nil, fmt.Errorf("%w: version 0x%08x", ErrNotSPIRV, v)
	}
	if words[3] > maxBound {
		return nil, fmt.Errorf("%w: bound of ids %d, more than %d", ErrMalformed, words[3], maxBound)
	}
	d := decoder{
		m:    &Module{Version: words[1], Generator: words[2], Bound: words[3], Schema: words[4]},
		wide: map[ID]bool{},
	}
	const often = 1 << 14 // words from look to look at the context
	look := headerWords + often
	for at := headerWords; at < len(words); {
		if at >= look && o.Context != nil {
			if err := o.Context.Err(); err != nil {
				return nil, err
			}
			look = at + often
		}
		n := int(words[at] >> 16)
		if n == 0 || n > len(words)-at {
			return nil, fmt.Errorf("%w: instruction of %d words at word %d of %d", ErrTruncated, n, at, len(words))
		}
		d.rest = words[at:]
		in, err := d.inst(words[at : at+n : at+n])
		if err == nil && !(o.DropLines && in.Op.IsLine()) {
			err = d.place(in)
		}
		if err != nil {
			return nil, fmt.Errorf("word %d: %w", at, err)
		}
		at += n
	}
	if d.f != nil {
		return nil, fmt.Errorf("%w: function %%%d does not end", ErrTruncated, d.f.Def.Result)
	}
	d.m.Trailing = d.pending
	return d.m, nil
}

// decoder is the state of Decode.
type decoder struct {
	m       *Module
	section section
	f       *Function // within OpFunction and OpFunctionEnd
	b       *Block    // within OpLabel and its terminator
	pending []Inst    // lines ahead of what comes next in or between functions
	rest    []uint32  // the words from the instruction on

	// wide holds the 64-bit integer types and the values of these types, to
	// know the size of OpSwitch literals.
	wide map[ID]bool
}

// ahead counts the instructions from the one that is read on of which all are of a kind. Lists of millions then have their room
// from the beginning, and are not copied each time they are full.
func (d *decoder) ahead(of func(op Op) bool) int {
	n := 0
	for w := d.rest; len(w) > 0 && of(Op(w[0])); n++ {
		words := int(w[0] >> 16)
		if words == 0 || words > len(w) {
			break // decode says so when it comes there
		}
		w = w[words:]
	}
	return n
}

// inst reads one instruction.
func (d *decoder) inst(w []uint32) (Inst, error) {
	in := Inst{Op: Op(w[0])}
	info, ok := in.Op.info()
	if !ok {
		return in, fmt.Errorf("%w: opcode %d", ErrUnknownInstruction, in.Op)
	}
	w = w[1:]
	if len(w) < int(info.result) {
		return in, fmt.Errorf("%w: %v without result", ErrMalformed, in.Op)
	}
	switch info.result {
	case r:
		in.Result, w = ID(w[0]), w[1:]
	case tr:
		in.Type, in.Result, w = ID(w[0]), ID(w[1]), w[2:]
	}
	if len(w) > 0 {
		in.Operands = w
	}
	if in.Op == OpTypeInt && len(w) > 0 && w[0] > 32 || in.Type != 0 && d.wide[in.Type] {
		d.wide[in.Result] = true
	}
	if in.Op == OpSwitch && len(w) > 0 && d.wide[ID(w[0])] {
		in.LiteralWords = 2
	}
	return in, d.checkIDs(&in, info)
}

// checkIDs checks operands by the grammar, and ids by the bound.
func (d *decoder) checkIDs(in *Inst, info opInfo) error {
	bad := uint32(0)
	isBad := func(id uint32) bool { return id == 0 || id >= d.m.Bound }
	if info.result != none && isBad(uint32(in.Result)) {
		return fmt.Errorf("%w: %v: result id %d is not below the bound %d", ErrMalformed, in.Op, in.Result, d.m.Bound)
	}
	found := info.result == tr && isBad(uint32(in.Type))
	if found {
		bad = uint32(in.Type)
	}
	err := in.check(func(kind byte, w []uint32) {
		if kind == 'i' && isBad(w[0]) {
			found, bad = true, w[0]
		}
	})
	if err == nil && found {
		err = fmt.Errorf("%w: %v: id %d is not below the bound %d", ErrMalformed, in.Op, bad, d.m.Bound)
	}
	return err
}
