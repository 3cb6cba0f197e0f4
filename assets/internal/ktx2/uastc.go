package ktx2

import (
	"fmt"
	"image"
)

// UASTC: blocks of 4x4 pixels in 16 bytes, each in one of 19 modes, which are a part of ASTC's. Numbers are stored as ASTC's
// bounded integer sequences, but with all trits or quints before the bits. Names and numbers of tables are the specification's.

const (
	uastcBlock = 16
	modeSolid  = 8
	modeCount  = 19
)

// uastcMode is what a block's mode says.
type uastcMode struct {
	code                           uint32 // that begins a block, lowest bit first
	codeBits, hintBits, weightBits int
	endpointRange                  int // into endpointRanges
	subsets, planes, components    int
}

// uastcModes are the modes by number. Hints are for transcoders to other formats and are skipped.
func uastcModes() [modeCount]uastcMode {
	return [modeCount]uastcMode{
		{0x1, 4, 15, 4, 19, 1, 1, 3}, {0x35, 6, 15, 2, 20, 1, 1, 3}, {0x1d, 5, 15, 3, 8, 2, 1, 3}, {0x3, 5, 15, 2, 7, 3, 1, 3},
		{0x13, 5, 15, 2, 12, 2, 1, 3}, {0xb, 5, 15, 3, 20, 1, 1, 3}, {0x1b, 5, 15, 2, 18, 1, 2, 3}, {0x7, 5, 15, 2, 12, 2, 1, 3},
		{0x17, 5, 0, 0, 0, 0, 0, 4}, {0xf, 5, 23, 2, 8, 2, 1, 4}, {0x2, 3, 17, 4, 13, 1, 1, 4}, {0x0, 2, 17, 2, 13, 1, 2, 4},
		{0x6, 3, 17, 3, 19, 1, 1, 4}, {0x1f, 5, 23, 1, 20, 1, 2, 4}, {0xd, 5, 23, 2, 20, 1, 1, 4}, {0x5, 7, 23, 4, 20, 1, 1, 2},
		{0x15, 6, 23, 2, 20, 2, 1, 2}, {0x25, 6, 23, 2, 20, 1, 2, 2}, {0x9, 4, 15, 5, 11, 1, 1, 3},
	}
}

// intRange is a range of integers: so many bits, and a trit or a quint above.
type intRange struct{ bits, trits, quints int }

// endpointRanges are ASTC's, by number.
func endpointRanges() [21]intRange {
	return [21]intRange{
		{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 1}, {1, 1, 0}, {3, 0, 0}, {1, 0, 1}, {2, 1, 0}, {4, 0, 0}, {2, 0, 1}, {3, 1, 0},
		{5, 0, 0}, {3, 0, 1}, {4, 1, 0}, {6, 0, 0}, {4, 0, 1}, {5, 1, 0}, {7, 0, 0}, {5, 0, 1}, {6, 1, 0}, {8, 0, 0},
	}
}

// spread returns, for a range with a trit or a quint, where its bits go (a is the lowest, a dash nothing) and what the trit or
// quint counts, to become a byte (ASTC specification, "Endpoint Unquantization").
func spread(r intRange) (pattern string, factor int) {
	if r.trits > 0 {
		return [...]string{"", "---------", "b---b-bb-", "cb---cbcb", "dcb---dcb", "edcb---ed", "fedcb---f"}[r.bits],
			[...]int{0, 204, 93, 44, 22, 11, 5}[r.bits]
	}
	return [...]string{"", "---------", "b----bb--", "cb----cbc", "dcb----dc", "edcb----e"}[r.bits],
		[...]int{0, 113, 54, 26, 13, 6}[r.bits]
}

// endpointByte is what a stored number means.
func endpointByte(r intRange, low, high int) byte {
	if r.trits+r.quints == 0 { // bits, repeated
		v := 0
		for left := 8; left > 0; left -= r.bits {
			n := min(left, r.bits)
			v |= low >> (r.bits - n) << (left - n)
		}
		return byte(v)
	}
	pattern, factor := spread(r)
	b := 0
	for _, letter := range pattern {
		b <<= 1
		if letter != '-' {
			b |= low >> (letter - 'a') & 1
		}
	}
	a := 0
	if low&1 == 1 {
		a = 511
	}
	v := (high*factor + b) ^ a
	return byte(a&0x80 | v>>2)
}

// weightScale is what a weight of so many bits means, from 0 to 64.
func weightScale(bits int) []int {
	return [...][]int{
		1: {0, 64}, 2: {0, 21, 43, 64}, 3: {0, 9, 18, 27, 37, 46, 55, 64},
		4: {0, 4, 8, 12, 17, 21, 25, 29, 35, 39, 43, 47, 52, 56, 60, 64},
		5: {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
			34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64},
	}[bits]
}

// uastc decodes all blocks.
func (f *file) uastc(img *image.NRGBA, data []byte) error {
	d := uastcDecoder{modes: uastcModes(), ranges: endpointRanges()}
	for i := range d.byCode {
		d.byCode[i] = modeCount
		for m, mode := range d.modes {
			if uint32(i)&(1<<mode.codeBits-1) == mode.code {
				d.byCode[i] = m
			}
		}
	}
	for y := 0; y < f.height; y += 4 {
		for x := 0; x < f.width; x += 4 {
			if err := d.block(data[:uastcBlock]); err != nil {
				return fmt.Errorf("block %d,%d: %w", x/4, y/4, err)
			}
			data = data[uastcBlock:]
			for row := range min(4, f.height-y) {
				n := min(4, f.width-x)
				copy(img.Pix[img.PixOffset(x, y+row):], d.texels[16*row:16*row+4*n])
			}
		}
	}
	return nil
}

// uastcDecoder is the tables, and a block's texels.
type uastcDecoder struct {
	modes  [modeCount]uastcMode
	ranges [21]intRange
	byCode [128]int
	texels [64]byte
}

// block decodes 16 bytes.
func (d *uastcDecoder) block(data []byte) error {
	number := d.byCode[data[0]&127]
	if number == modeCount {
		return fmt.Errorf("%w: a reserved mode", ErrInvalid)
	}
	m := &d.modes[number]
	in := &bits{data: data, at: m.codeBits}
	if number == modeSolid {
		var c [4]byte
		for i := range c {
			c[i] = byte(in.read(8))
		}
		for i := range 16 {
			copy(d.texels[4*i:], c[:])
		}
		return nil
	}
	in.at += m.hintBits
	pattern, err := readPattern(in, number, m.subsets)
	if err != nil {
		return err
	}
	second := -1 // the component of the second plane
	switch number {
	case 6, 11, 13:
		second = int(in.read(2))
	case 17:
		second = 3
	}
	ends := d.readEndpoints(in, m)
	var weights [32]int
	var seen [3]bool
	for i := range 16 * m.planes {
		n := m.weightBits
		texel := i / m.planes
		subset := int(pattern[texel] - '0')
		if !seen[subset] { // the first of a subset lacks its highest bit
			n--
			seen[subset] = i%m.planes == m.planes-1
		}
		weights[i] = int(in.read(n))
	}
	scale := weightScale(m.weightBits)
	for i := range 16 {
		e := ends[2*m.components*int(pattern[i]-'0'):]
		for c := range 4 {
			w := weights[i*m.planes]
			if c == second {
				w = weights[i*m.planes+1]
			}
			d.texels[4*i+c] = component(e, m.components, c, scale[w])
		}
	}
	return nil
}

// component mixes a pair of ends. Two components are luminance and alpha, three have no alpha.
func component(ends []byte, components, c, weight int) byte {
	at := 2 * c
	switch {
	case components == 2 && c < 3:
		at = 0
	case components == 2:
		at = 2
	case c >= components:
		return 255
	}
	low, high := int(ends[at])*257, int(ends[at+1])*257
	return byte((low*(64-weight) + high*weight + 32) >> 6 >> 8)
}

// readEndpoints reads the ends of all subsets: first trits or quints, several in one number, then the bits.
func (d *uastcDecoder) readEndpoints(in *bits, m *uastcMode) (ends [18]byte) {
	r := d.ranges[m.endpointRange]
	n := 2 * m.components * m.subsets
	var high [18]int
	per, radix, sizes := 5, 3, []int{2, 4, 5, 7, 8}
	if r.quints > 0 {
		per, radix, sizes = 3, 5, []int{3, 5, 7}
	}
	if r.trits+r.quints > 0 {
		for first := 0; first < n; first += per {
			have := min(per, n-first)
			v := int(in.read(sizes[have-1]))
			for k := range have {
				high[first+k] = v % radix
				v /= radix
			}
		}
	}
	for i := range n {
		ends[i] = endpointByte(r, int(in.read(r.bits)), high[i])
	}
	return ends
}
