package ktx2

import (
	"encoding/binary"
	"fmt"
	"image"
)

// intensities are ETC1's modifiers.
func intensities() [8][4]int {
	return [8][4]int{{-8, -2, 2, 8}, {-17, -5, 5, 17}, {-29, -9, 9, 29}, {-42, -13, 13, 42}, {-60, -18, 18, 60},
		{-80, -24, 24, 80}, {-106, -33, 33, 106}, {-183, -47, 47, 183}}
}

// endpoint is an entry of the colours' codebook: 5 bits a component, and a table of modifiers.
type endpoint struct {
	color     [3]byte
	intensity byte
}

// selector is an entry of the other one: two bits for each of 16 pixels, a byte a row.
type selector [4]byte

// basis is BasisLZ's global data.
type basis struct {
	endpoints                    []endpoint
	selectors                    []selector
	predict, delta, choose, runs *huffman
	history                      int
	rgbOffset, rgbLength         uint32
	alphaOffset, alphaLength     uint32
}

const (
	globalHeader = 20
	imageDesc    = 20
)

// readBasis reads the global data: codebooks and tables of codes.
func (f *file) readBasis() (*basis, error) {
	le, g := binary.LittleEndian, f.global
	fail := func(what string) (*basis, error) { return nil, fmt.Errorf("%w: BasisLZ: %s", ErrInvalid, what) }
	if len(g) < globalHeader+imageDesc {
		return fail("the global data is cut short")
	}
	b := &basis{
		endpoints: make([]endpoint, le.Uint16(g)), selectors: make([]selector, le.Uint16(g[2:])),
		rgbOffset: le.Uint32(g[24:]), rgbLength: le.Uint32(g[28:]), alphaOffset: le.Uint32(g[32:]), alphaLength: le.Uint32(g[36:]),
	}
	sizes := [4]uint64{uint64(le.Uint32(g[4:])), uint64(le.Uint32(g[8:])), uint64(le.Uint32(g[12:])), uint64(le.Uint32(g[16:]))}
	total := sizes[0] + sizes[1] + sizes[2] + sizes[3]
	if total > uint64(len(g)) || len(b.endpoints) == 0 || len(b.selectors) == 0 {
		return fail("the codebooks are cut short")
	}
	// The parts lie at the end, behind a description of each image.
	rest := g[uint64(len(g))-total:]
	if err := b.readEndpoints(&bits{data: rest[:sizes[0]]}); err != nil {
		return nil, err
	}
	rest = rest[sizes[0]:]
	if err := b.readSelectors(&bits{data: rest[:sizes[1]]}); err != nil {
		return nil, err
	}
	in := &bits{data: rest[sizes[1] : sizes[1]+sizes[2]]}
	for _, h := range []**huffman{&b.predict, &b.delta, &b.choose, &b.runs} {
		var err error
		if *h, err = in.table(); err != nil {
			return nil, err
		}
	}
	if b.history = int(in.read(13)); in.short {
		return fail("the tables are cut short")
	}
	return b, nil
}

func (b *basis) readEndpoints(in *bits) error {
	var models [4]*huffman // by the previous value of the component, and of the intensity
	for i := range models {
		var err error
		if models[i], err = in.table(); err != nil {
			return err
		}
	}
	gray := in.read(1) == 1
	last := endpoint{color: [3]byte{16, 16, 16}}
	for i := range b.endpoints {
		last.intensity = byte(int(last.intensity)+models[3].next(in)) & 7
		for c := range last.color {
			if gray && c > 0 {
				last.color[c] = last.color[0]
				continue
			}
			model := 0
			if v := last.color[c]; v >= 22 {
				model = 2
			} else if v >= 10 {
				model = 1
			}
			last.color[c] = byte(int(last.color[c])+models[model].next(in)) & 31
		}
		b.endpoints[i] = last
	}
	if in.short {
		return fmt.Errorf("%w: BasisLZ: the colours are cut short", ErrInvalid)
	}
	return nil
}

func (b *basis) readSelectors(in *bits) error {
	global, hybrid, raw := in.read(1), in.read(1), in.read(1)
	if global+hybrid > 0 {
		return fmt.Errorf("%w: BasisLZ with a global codebook", ErrUnsupported)
	}
	var model *huffman
	if raw == 0 {
		var err error
		if model, err = in.table(); err != nil {
			return err
		}
	}
	var last selector
	for i := range b.selectors {
		for y := range last {
			if raw == 1 || i == 0 {
				last[y] = byte(in.read(8))
			} else {
				last[y] ^= byte(model.next(in))
			}
		}
		b.selectors[i] = last
	}
	if in.short {
		return fmt.Errorf("%w: BasisLZ: the selectors are cut short", ErrInvalid)
	}
	return nil
}

// etc1s decodes a picture, and its alpha, which is a picture of its own.
func (f *file) etc1s() (*image.NRGBA, error) {
	b, err := f.readBasis()
	if err != nil {
		return nil, err
	}
	rgb, ok := part(f.level, uint64(b.rgbOffset), uint64(b.rgbLength))
	if !ok {
		return nil, fmt.Errorf("%w: BasisLZ: the picture is cut short", ErrInvalid)
	}
	img := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	if err := b.slice(img, rgb, false); err != nil {
		return nil, err
	}
	if b.alphaLength == 0 {
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 255
		}
		return img, nil
	}
	alpha, ok := part(f.level, uint64(b.alphaOffset), uint64(b.alphaLength))
	if !ok {
		return nil, fmt.Errorf("%w: BasisLZ: the alpha is cut short", ErrInvalid)
	}
	return img, b.slice(img, alpha, true)
}

// put writes a block's pixels: colours, or the green as alpha.
func (b *basis) put(img *image.NRGBA, x0, y0 int, e endpoint, s selector, modifiers *[8][4]int, alpha bool) {
	var colors [4][3]byte
	for k, m := range modifiers[e.intensity] {
		for c, v := range e.color {
			colors[k][c] = byte(min(max(int(v<<3|v>>2)+m, 0), 255))
		}
	}
	for y := range min(4, img.Rect.Dy()-y0) {
		for x := range min(4, img.Rect.Dx()-x0) {
			c := colors[s[y]>>(2*x)&3]
			p := img.Pix[img.PixOffset(x0+x, y0+y):]
			if alpha {
				p[3] = c[1]
			} else {
				copy(p, c[:])
			}
		}
	}
}

// The codes of a slice.
const (
	repeatPrediction = 256
	leastRepeat      = 3
	longRun          = 63
	leastRun         = 3
)

// slice decodes blocks in rows. A block's colours are its left, upper or upper left neighbour's, or a step from the last; its
// selector one of the codebook, or of those that were used lately.
func (b *basis) slice(img *image.NRGBA, data []byte, alpha bool) error {
	in := &bits{data: data}
	columns, rows := (img.Rect.Dx()+3)/4, (img.Rect.Dy()+3)/4
	upper, current := make([]int, columns), make([]int, columns)
	below := make([]byte, columns) // predictions for the odd row
	recent := make([]int, b.history)
	rover := b.history / 2
	modifiers := intensities()
	var prediction, lastPrediction byte
	repeats, run, last := 0, 0, 0
	for y := range rows {
		for x := range columns {
			if x&1 == 0 && y&1 == 0 { // a symbol for four blocks
				switch {
				case repeats > 0:
					repeats--
					prediction = lastPrediction
				default:
					s := b.predict.next(in)
					if s == repeatPrediction {
						repeats = int(in.chunks(4)) + leastRepeat - 1
						prediction = lastPrediction
					} else {
						prediction = byte(s)
						lastPrediction = prediction
					}
				}
				below[x] = prediction >> 4
			} else if x&1 == 0 {
				prediction = below[x]
			}
			how := prediction & 3
			prediction >>= 2
			switch {
			case how == 0 && x > 0:
			case how == 1 && y > 0:
				last = upper[x]
			case how == 2 && x > 0 && y > 0:
				last = upper[x-1]
			case how == 3:
				if last += b.delta.next(in); last >= len(b.endpoints) {
					last -= len(b.endpoints)
				}
			default:
				return fmt.Errorf("%w: BasisLZ: block %d,%d has no such neighbour", ErrInvalid, x, y)
			}
			current[x] = last
			// The selector.
			s := len(b.selectors)
			if run > 0 {
				run--
			} else if s = b.choose.next(in); s == len(b.selectors)+b.history {
				if run = b.runs.next(in); run == longRun {
					run = int(in.chunks(7))
				}
				run += leastRun - 1
				s = len(b.selectors)
			}
			if at := s - len(b.selectors); at >= 0 {
				if at >= b.history {
					return fmt.Errorf("%w: BasisLZ: block %d,%d has no such selector", ErrInvalid, x, y)
				}
				s = recent[at]
				recent[at/2], recent[at] = recent[at], recent[at/2]
			} else if b.history > 0 {
				recent[rover] = s
				if rover++; rover == b.history {
					rover = b.history / 2
				}
			}
			if in.short || last >= len(b.endpoints) || s >= len(b.selectors) || run < 0 || repeats < 0 {
				return fmt.Errorf("%w: BasisLZ: the blocks are cut short at %d,%d", ErrInvalid, x, y)
			}
			b.put(img, 4*x, 4*y, b.endpoints[last], b.selectors[s], &modifiers, alpha)
		}
		upper, current = current, upper
	}
	return nil
}
