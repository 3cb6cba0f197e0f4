package ktx2

import "fmt"

// bits reads numbers, the lowest bit first. Behind the end are zeros, and short is set.
type bits struct {
	data  []byte
	at    int // in bits
	short bool
}

func (b *bits) read(n int) uint32 {
	var v uint32
	for i := range n {
		byteAt := b.at >> 3
		if byteAt >= len(b.data) {
			b.short = true
			break
		}
		v |= uint32(b.data[byteAt]>>(b.at&7)&1) << i
		b.at++
	}
	return v
}

// chunks reads a number in pieces of n bits, each behind a bit that says whether another follows.
func (b *bits) chunks(n int) uint32 {
	var v uint32
	for shift := 0; shift < 32 && !b.short; shift += n {
		s := b.read(n + 1)
		v |= s & (1<<n - 1) << shift
		if s>>n == 0 {
			break
		}
	}
	return v
}

// longestCode is the most bits of a code.
const longestCode = 16

// huffman decodes canonical codes: by length, how many there are, and their symbols in order.
type huffman struct {
	counts  [longestCode + 1]int
	symbols []uint16
}

func newHuffman(sizes []byte) (*huffman, error) {
	h := &huffman{}
	for _, s := range sizes {
		h.counts[s]++
	}
	h.counts[0] = 0
	space := 1 << longestCode
	for l := 1; l <= longestCode; l++ {
		space -= h.counts[l] << (longestCode - l)
	}
	if space < 0 {
		return nil, fmt.Errorf("%w: more codes than there are", ErrInvalid)
	}
	for l := 1; l <= longestCode; l++ {
		for i, s := range sizes {
			if int(s) == l {
				h.symbols = append(h.symbols, uint16(i))
			}
		}
	}
	return h, nil
}

// next decodes a symbol; 0 and short where there is none.
func (h *huffman) next(b *bits) int {
	code, first, index := 0, 0, 0
	for l := 1; l <= longestCode; l++ {
		code |= int(b.read(1))
		n := h.counts[l]
		if code-first < n {
			return int(h.symbols[index+code-first])
		}
		index += n
		first = (first + n) << 1
		code <<= 1
	}
	b.short = true
	return 0
}

// Symbols of code lengths that stand for runs.
const (
	smallZeros  = 17
	bigZeros    = 18
	smallRepeat = 19
	bigRepeat   = 20
)

// table reads a table of codes: the lengths of the codes for lengths, then the lengths.
func (b *bits) table() (*huffman, error) {
	total := int(b.read(14))
	if total == 0 {
		return &huffman{}, nil
	}
	order := [...]byte{smallZeros, bigZeros, smallRepeat, bigRepeat, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16}
	n := int(b.read(5))
	if n < 1 || n > len(order) {
		return nil, fmt.Errorf("%w: %d lengths of codes", ErrInvalid, n)
	}
	var lengths [len(order)]byte
	for _, i := range order[:n] {
		lengths[i] = byte(b.read(3))
	}
	h, err := newHuffman(lengths[:])
	if err != nil {
		return nil, err
	}
	var sizes []byte
	for len(sizes) < total && !b.short {
		switch c := h.next(b); c {
		case smallZeros:
			sizes = append(sizes, make([]byte, 3+b.read(3))...)
		case bigZeros:
			sizes = append(sizes, make([]byte, 11+b.read(7))...)
		case smallRepeat, bigRepeat:
			run := 3 + b.read(2)
			if c == bigRepeat {
				b.at -= 2
				run = 7 + b.read(7)
			}
			if len(sizes) == 0 || sizes[len(sizes)-1] == 0 {
				return nil, fmt.Errorf("%w: a run of no length", ErrInvalid)
			}
			for last := sizes[len(sizes)-1]; run > 0; run-- {
				sizes = append(sizes, last)
			}
		default:
			sizes = append(sizes, byte(c))
		}
	}
	if b.short || len(sizes) != total {
		return nil, fmt.Errorf("%w: a table of codes is cut short", ErrInvalid)
	}
	return newHuffman(sizes)
}
