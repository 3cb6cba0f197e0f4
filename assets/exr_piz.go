package assets

import "encoding/binary"

// PIZ packs a chunk in three steps: values that occur are numbered, Haar wavelets of those numbers are taken by channel, and
// the result is written in Huffman codes. After the documentation of OpenEXR ("Technical Introduction", PIZ) and the layout of
// its ImfPizCompressor, ImfWav and ImfHuf; written anew.
const (
	pizValues     = 1 << 16
	pizSymbols    = pizValues + 1 // and one for runs
	pizLongest    = 58            // bits of a code
	pizShortZeros = 59            // lengths from here on are runs of symbols without a code
	pizLongZeros  = 63
	pizShortRun   = 2 // symbols that pizShortZeros stands for
	pizLongRun    = pizShortRun + pizLongZeros - pizShortZeros
	pizHead       = 20 // bytes before the table of code lengths
)

// pizRows unpacks a chunk into rows of channels.
func (d *exrReader) pizRows(data []byte, rows int) ([]byte, error) {
	le := binary.LittleEndian
	if len(data) < 4 {
		return nil, exrInvalid("PIZ: it is cut short")
	}
	first, last := int(le.Uint16(data)), int(le.Uint16(data[2:]))
	data = data[4:]
	var used []byte
	if first <= last {
		if last >= pizValues/8 || len(data) < last-first+1 {
			return nil, exrInvalid("PIZ: values %d to %d", first, last)
		}
		used, data = data[:last-first+1], data[last-first+1:]
	}
	values := []uint16{0}
	for i, b := range used {
		for bit := range 8 {
			if v := 8*(first+i) + bit; b>>bit&1 == 1 && v != 0 {
				values = append(values, uint16(v))
			}
		}
	}
	if len(data) < 4 || uint64(le.Uint32(data)) > uint64(len(data)-4) {
		return nil, exrInvalid("PIZ: it is cut short")
	}
	words, err := pizDecode(data[4:4+le.Uint32(data)], rows*d.rowBytes()/2)
	if err != nil {
		return nil, err
	}
	d.pizWavelets(words, rows, uint16(len(values)-1))
	for i, w := range words {
		words[i] = values[min(int(w), len(values)-1)]
	}
	return d.pizInRows(words, rows), nil
}

// pizWavelets undoes the wavelets: each channel lies by itself, its values of 32 bits as two planes that alternate.
func (d *exrReader) pizWavelets(words []uint16, rows int, most uint16) {
	for _, c := range d.Channels {
		step := c.Type.size() / 2
		for plane := range step {
			w := wavelet{words: words[plane:], step: step, stride: step * d.Width, small: most < 1<<14}
			w.undo(d.Width, rows)
		}
		words = words[step*d.Width*rows:]
	}
}

// pizInRows puts the channels' rows beside each other.
func (d *exrReader) pizInRows(words []uint16, rows int) []byte {
	out := make([]byte, 0, 2*len(words))
	for y := range rows {
		rest := words
		for _, c := range d.Channels {
			n := c.Type.size() / 2 * d.Width
			for _, w := range rest[y*n : (y+1)*n] {
				out = binary.LittleEndian.AppendUint16(out, w)
			}
			rest = rest[n*rows:]
		}
	}
	return out
}

// wavelet is a plane of values, step apart in a row.
type wavelet struct {
	words        []uint16
	step, stride int
	small        bool // all values are below 1<<14: no step overflows
}

// undo goes from the coarsest level to the finest.
func (w *wavelet) undo(width, height int) {
	side := 1
	for 2*side <= min(width, height) {
		side *= 2
	}
	for p := side / 2; p >= 1; p /= 2 {
		y := 0
		for ; y+2*p <= height; y += 2 * p {
			x := 0
			for ; x+2*p <= width; x += 2 * p {
				at := y*w.stride + x*w.step
				w.pair(at, at+p*w.stride)
				w.pair(at+p*w.step, at+p*w.stride+p*w.step)
				w.pair(at, at+p*w.step)
				w.pair(at+p*w.stride, at+p*w.stride+p*w.step)
			}
			if width&p != 0 {
				at := y*w.stride + x*w.step
				w.pair(at, at+p*w.stride)
			}
		}
		if height&p != 0 {
			for x := 0; x+2*p <= width; x += 2 * p {
				at := y*w.stride + x*w.step
				w.pair(at, at+p*w.step)
			}
		}
	}
}

// pair makes two values of their mean and their difference.
func (w *wavelet) pair(a, b int) {
	mean, difference := w.words[a], w.words[b]
	if w.small {
		m, d := int32(int16(mean)), int32(int16(difference))
		x := m + d&1 + d>>1
		w.words[a], w.words[b] = uint16(x), uint16(x-d)
		return
	}
	y := mean - difference>>1
	w.words[a], w.words[b] = difference+y-0x8000, y
}

// bitReader reads from the highest bit of each byte on. Behind the end it gives zeros and says so.
type bitReader struct {
	data []byte
	at   uint64 // in bits
	end  uint64
}

func (r *bitReader) bit() uint64 {
	if r.at >= r.end {
		r.at++
		return 0
	}
	b := r.data[r.at/8] >> (7 - r.at%8) & 1
	r.at++
	return uint64(b)
}

func (r *bitReader) bits(n int) (v uint64) {
	for range n {
		v = v<<1 | r.bit()
	}
	return v
}

func (r *bitReader) ended() bool { return r.at > r.end }

// pizCodes are canonical Huffman codes: those of one length follow each other in the order of their symbols.
type pizCodes struct {
	first  [pizLongest + 1]uint64   // code of the first symbol of a length
	symbol [pizLongest + 1][]uint32 // symbols by length
}

// pizDecode reads count values.
func pizDecode(data []byte, count int) ([]uint16, error) {
	le := binary.LittleEndian
	if len(data) < pizHead {
		return nil, exrInvalid("PIZ: it is cut short")
	}
	low, high, bits := le.Uint32(data), le.Uint32(data[4:]), uint64(le.Uint32(data[12:]))
	if low >= pizSymbols || high >= pizSymbols || low > high {
		return nil, exrInvalid("PIZ: symbols %d to %d", low, high)
	}
	table := &bitReader{data: data[pizHead:], end: 8 * uint64(len(data)-pizHead)}
	codes, err := pizTable(table, low, high)
	if err != nil {
		return nil, err
	}
	start := (table.at + 7) / 8
	coded := data[pizHead:][start:]
	if bits > 8*uint64(len(coded)) {
		return nil, exrInvalid("PIZ: %d bits in %d bytes", bits, len(coded))
	}
	r := &bitReader{data: coded, end: bits}
	out := make([]uint16, 0, count)
	for len(out) < count {
		s, ok := codes.next(r)
		if !ok {
			return nil, exrInvalid("PIZ: no such code at bit %d of %d", r.at, bits)
		}
		if s != high { // the highest symbol repeats the value before it
			out = append(out, uint16(s))
			continue
		}
		n := int(r.bits(8))
		if len(out) == 0 || len(out)+n > count || r.ended() {
			return nil, exrInvalid("PIZ: a run of %d at value %d", n, len(out))
		}
		for range n {
			out = append(out, out[len(out)-1])
		}
	}
	return out, nil
}

// pizTable reads the lengths of the codes, six bits each, and makes the codes: from the longest to the shortest, each length
// begins where the longer ones end, cut to its bits.
func pizTable(r *bitReader, low, high uint32) (*pizCodes, error) {
	c := &pizCodes{}
	for s := low; s <= high; s++ {
		n := uint32(r.bits(6))
		switch {
		case n == pizLongZeros:
			s += uint32(r.bits(8)) + pizLongRun - 1
		case n >= pizShortZeros:
			s += n - pizShortZeros + pizShortRun - 1
		case n > 0:
			c.symbol[n] = append(c.symbol[n], s)
		}
		if r.ended() || s > high {
			return nil, exrInvalid("PIZ: the table of codes is cut short")
		}
	}
	var code uint64
	for n := pizLongest; n > 0; n-- {
		c.first[n] = code
		code = (code + uint64(len(c.symbol[n]))) >> 1
	}
	return c, nil
}

// next reads a symbol.
func (c *pizCodes) next(r *bitReader) (uint32, bool) {
	var code uint64
	for n := 1; n <= pizLongest; n++ {
		code = code<<1 | r.bit()
		if i := code - c.first[n]; code >= c.first[n] && i < uint64(len(c.symbol[n])) {
			return c.symbol[n][i], !r.ended()
		}
	}
	return 0, false
}
