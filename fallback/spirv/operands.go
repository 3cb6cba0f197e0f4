package spirv

import (
	"fmt"
	"math/bits"
)

// visitor is told each operand of an instruction: its kind (a letter of the
// grammar; parameters come as 'i', 'n' or 's') and its words, which are part
// of the instruction and may be changed.
type visitor func(kind byte, words []uint32)

// EachID calls f with every id among the operands, which f may change; result
// type and result id are not among them. The grammar decides, optional memory
// and image operands, phi and switch pairs, the embedded instruction of
// OpSpecConstantOp included. Malformed operands end the walk.
func (in *Inst) EachID(f func(p *uint32)) {
	// The most frequent shapes need no interpretation of the grammar.
	info, ok := in.Op.info()
	if !ok {
		return
	}
	switch info.kinds {
	case "", "V":
		return
	case "i", "ii", "iii", "iiii", "i*", "ii*", "iii*":
		for i := range in.Operands {
			f(&in.Operands[i])
		}
		return
	}
	_ = walk(info.kinds, in.Operands, in.literalWords(), func(kind byte, words []uint32) {
		if kind == 'i' {
			f(&words[0])
		}
	})
}

// literalWords is LiteralWords with its default.
func (in *Inst) literalWords() int { return max(int(in.LiteralWords), 1) }

// check walks the operands and says what is wrong with them.
func (in *Inst) check(visit visitor) error {
	info, ok := in.Op.info()
	if !ok {
		return fmt.Errorf("%w: opcode %d", ErrUnknownInstruction, in.Op)
	}
	if err := walk(info.kinds, in.Operands, in.literalWords(), visit); err != nil {
		return fmt.Errorf("%w: %v: %w", ErrMalformed, in.Op, err)
	}
	return nil
}

// walk visits operands w by the grammar.
func walk(kinds string, w []uint32, literal int, visit visitor) error {
	for k := 0; k < len(kinds); k++ {
		kind := kinds[k]
		optional, repeat := kind == 'M' || kind == 'I', false
		if k+1 < len(kinds) {
			switch kinds[k+1] {
			case '?':
				optional = true
				k++
			case '*':
				optional, repeat = true, true
				k++
			}
		}
		for n := 0; n == 0 || repeat; n++ {
			if len(w) == 0 && optional {
				break
			}
			used, err := operand(kind, w, literal, visit)
			if err != nil {
				return err
			}
			w = w[used:]
		}
	}
	if len(w) != 0 {
		return fmt.Errorf("%d operand words too many", len(w))
	}
	return nil
}

// operand visits one operand of this kind at the beginning of w, and returns
// how many words it takes.
func operand(kind byte, w []uint32, literal int, visit visitor) (int, error) {
	switch kind { // kinds that may be empty
	case 'W':
		return switchTargets(w, literal, visit)
	case 'G':
		if len(w)%2 != 0 {
			return 0, fmt.Errorf("member without number")
		}
		for i := range w {
			visit("in"[i%2], w[i:i+1])
		}
		return len(w), nil
	}
	if len(w) == 0 {
		return 0, fmt.Errorf("operands are missing")
	}
	switch kind {
	case 's':
		n := stringWords(w)
		if n == 0 {
			return 0, fmt.Errorf("string does not end")
		}
		visit('s', w[:n])
		return n, nil
	case 'M':
		return maskOperand('M', w, memoryParams, visit)
	case 'I':
		return maskOperand('I', w, imageParams, visit)
	case 'V':
		visit('V', w)
		return len(w), nil
	case 'O':
		return specOperation(w, literal, visit)
	case 'D', 'X', 'L':
		visit(kind, w[:1])
		return 1 + each('n', w[1:], visit), nil
	case 'Z':
		visit('D', w[:1])
		return 1 + each('i', w[1:], visit), nil
	case 'x':
		visit('X', w[:1])
		return 1 + each('i', w[1:], visit), nil
	case 'U':
		visit('D', w[:1])
		return len(w), walk("s*", w[1:], 1, visit)
	}
	visit(kind, w[:1])
	return 1, nil
}

// each visits every word as an operand of its own.
func each(kind byte, w []uint32, visit visitor) int {
	for i := range w {
		visit(kind, w[i:i+1])
	}
	return len(w)
}

// switchTargets visits the literal and label pairs of OpSwitch.
func switchTargets(w []uint32, literal int, visit visitor) (int, error) {
	if len(w)%(literal+1) != 0 {
		return 0, fmt.Errorf("targets of %d words do not fit %d-word literals", len(w), literal)
	}
	for i := 0; i < len(w); i += literal + 1 {
		visit('V', w[i:i+literal])
		visit('i', w[i+literal:i+literal+1])
	}
	return len(w), nil
}

// specOperation visits the opcode and operands inside OpSpecConstantOp.
func specOperation(w []uint32, literal int, visit visitor) (int, error) {
	op := Op(w[0])
	info, ok := op.info()
	if !ok || w[0] > 0xffff || info.result != tr || op == OpSpecConstantOp {
		return 0, fmt.Errorf("operation %d on constants", w[0])
	}
	visit('O', w[:1])
	return len(w), walk(info.kinds, w[1:], literal, visit)
}

// Parameters of the bits of a mask: how many words, and whether they are ids.
// Bits that are not listed are unknown.
type maskParams struct {
	known uint32 // all bits there are
	ids   uint32 // those with one id
	two   uint32 // of ids those with two
	nums  uint32 // those with one number
}

var (
	memoryParams = maskParams{known: 0x3003f, ids: 0x30018, nums: uint32(MemoryAccessAligned)}
	imageParams  = maskParams{known: 0x17fff, ids: 0x103ff, two: uint32(ImageOperandsGrad)}
)

// maskOperand visits a mask and the parameters its bits call for.
func maskOperand(kind byte, w []uint32, p maskParams, visit visitor) (int, error) {
	mask, n := w[0], 1
	if unknown := mask &^ p.known; unknown != 0 {
		return 0, fmt.Errorf("unknown operand mask bits 0x%x", unknown)
	}
	visit(kind, w[:1])
	for rest := mask & (p.ids | p.nums); rest != 0; rest &= rest - 1 {
		bit := uint32(1) << bits.TrailingZeros32(rest)
		param, count := byte('i'), 1
		if p.nums&bit != 0 {
			param = 'n'
		} else if p.two&bit != 0 {
			count = 2
		}
		if len(w) < n+count {
			return 0, fmt.Errorf("parameters of operand mask 0x%x are missing", mask)
		}
		n += each(param, w[n:n+count], visit)
	}
	return n, nil
}
