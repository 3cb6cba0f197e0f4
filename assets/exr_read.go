package assets

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
)

// What DecodeEXR refuses before it takes memory for it.
const (
	maxEXRSide     = 1 << 15
	maxEXRChannels = 64
	maxEXRValues   = 1 << 28 // of all channels together: 1 GiB
	maxEXRHeader   = 1 << 20
	maxEXRChunk    = 1 << 28 // bytes of a chunk as it is stored
)

// The format's compressions, and how many rows a chunk has with each.
const (
	exrNone = 0
	exrRLE  = 1
	exrZIPS = 2
	exrPIZ  = 4
)

var exrRows = map[byte]int{exrNone: 1, exrRLE: 1, exrZIPS: 1, exrZIP: exrRowsPerZIP, exrPIZ: 32}

// exrReader is what DecodeEXR knows of a file.
type exrReader struct {
	EXR
	compression byte
	top         int32 // y of the first row
}

// DecodeEXR reads an OpenEXR file: one part, scan lines, without compression or by RLE, ZIP, ZIPS or PIZ. Tiles, parts, deep
// pixels, channels at a lower rate and lossy compressions are ErrUnsupported. Halves become Floats. It is the inverse of
// EncodeEXR, and safe for files of strangers: sizes are judged before memory is taken. After "OpenEXR File Layout" of the OpenEXR
// documentation. The Go libraries of today read less of the format, and libOpenEXR would be a second language in the build.
func DecodeEXR(r io.Reader) (*EXR, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxEXRHeader))
	if err != nil {
		return nil, err
	}
	d := &exrReader{}
	rest, err := d.readHeader(data)
	if err != nil {
		return nil, err
	}
	if err := d.readRows(io.MultiReader(bytes.NewReader(rest), r)); err != nil {
		return nil, err
	}
	return &d.EXR, nil
}

func exrInvalid(format string, args ...any) error {
	return fmt.Errorf("%w: .exr: "+format, append([]any{ErrInvalid}, args...)...)
}

// exrText cuts a text that ends with a zero byte.
func exrText(data []byte) (text string, rest []byte, err error) {
	end := bytes.IndexByte(data[:min(len(data), exrLongestName+1)], 0)
	if end < 0 {
		return "", nil, exrInvalid("the header is cut short")
	}
	return string(data[:end]), data[end+1:], nil
}

// readHeader reads the attributes that count, and returns what follows the header.
func (d *exrReader) readHeader(data []byte) ([]byte, error) {
	le := binary.LittleEndian
	if len(data) < 8 || le.Uint32(data) != exrMagic {
		return nil, exrInvalid("it does not begin as OpenEXR files do")
	}
	if v := le.Uint32(data[4:]); v&^exrLongNames != exrVersion {
		return nil, fmt.Errorf("%w: .exr: version and flags %#x: want one part of scan lines", ErrUnsupported, v)
	}
	data = data[8:]
	seen := map[string]bool{}
	for {
		name, rest, err := exrText(data)
		if err != nil {
			return nil, err
		}
		if data = rest; name == "" {
			break
		}
		kind, rest, err := exrText(data)
		if err != nil {
			return nil, err
		}
		if len(rest) < 4 || uint64(le.Uint32(rest)) > uint64(len(rest)-4) {
			return nil, exrInvalid("attribute %q is cut short, or the header is larger than %d bytes", name, maxEXRHeader)
		}
		size := le.Uint32(rest)
		if err := d.attribute(name, kind, rest[4:4+size]); err != nil {
			return nil, err
		}
		seen[name] = true
		data = rest[4+size:]
	}
	for _, name := range []string{"channels", "compression", "dataWindow"} {
		if !seen[name] {
			return nil, exrInvalid("attribute %q is missing", name)
		}
	}
	if uint64(d.Width)*uint64(d.Height)*uint64(len(d.Channels)) > maxEXRValues {
		return nil, fmt.Errorf("%w: .exr: %d channels of %d x %d pixels, at most %d values are read", ErrTooLarge, len(d.Channels),
			d.Width, d.Height, maxEXRValues)
	}
	return data, nil
}

// attribute keeps what reading needs, and texts.
func (d *exrReader) attribute(name, kind string, value []byte) error {
	le := binary.LittleEndian
	switch {
	case name == "channels" && kind == "chlist":
		return d.channels(value)
	case name == "compression" && kind == "compression" && len(value) == 1:
		if _, ok := exrRows[value[0]]; !ok {
			return fmt.Errorf("%w: .exr: compression %d: convert it to ZIP or PIZ", ErrUnsupported, value[0])
		}
		d.compression = value[0]
	case name == "dataWindow" && kind == "box2i" && len(value) == 16:
		x0, y0 := int32(le.Uint32(value)), int32(le.Uint32(value[4:]))
		width, height := int64(int32(le.Uint32(value[8:])))-int64(x0)+1, int64(int32(le.Uint32(value[12:])))-int64(y0)+1
		if width < 1 || height < 1 {
			return exrInvalid("a data window of %d x %d pixels", width, height)
		}
		if width > maxEXRSide || height > maxEXRSide {
			return fmt.Errorf("%w: .exr of %d x %d pixels, at most %d a side are read", ErrTooLarge, width, height, maxEXRSide)
		}
		d.Width, d.Height, d.top = int(width), int(height), y0
	case name == "channels" || name == "compression" || name == "dataWindow":
		return exrInvalid("attribute %q of type %q and %d bytes", name, kind, len(value))
	case kind == "string":
		if d.Attributes == nil {
			d.Attributes = map[string]string{}
		}
		d.Attributes[name] = string(value)
	}
	return nil
}

// channels reads the list of channels, which are in the order of their names.
func (d *exrReader) channels(list []byte) error {
	le := binary.LittleEndian
	d.Channels = nil
	for {
		name, rest, err := exrText(list)
		if err != nil {
			return err
		}
		if name == "" {
			break
		}
		if len(rest) < 16 || len(d.Channels) == maxEXRChannels {
			return exrInvalid("channel %q is cut short, or there are more than %d", name, maxEXRChannels)
		}
		if le.Uint32(rest) > uint32(EXRFloat) {
			return exrInvalid("channel %q has type %d", name, le.Uint32(rest))
		}
		if le.Uint32(rest[8:]) != 1 || le.Uint32(rest[12:]) != 1 {
			return fmt.Errorf("%w: .exr: channel %q has fewer pixels than the picture", ErrUnsupported, name)
		}
		d.Channels = append(d.Channels, EXRChannel{Name: name, Type: EXRType(le.Uint32(rest))})
		list = rest[16:]
	}
	if len(d.Channels) == 0 {
		return exrInvalid("no channels")
	}
	byName := func(a, b EXRChannel) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(d.Channels, byName) {
		return exrInvalid("the channels are not in the order of their names")
	}
	return nil
}

// rowBytes is the size of a row of all channels.
func (d *exrReader) rowBytes() int {
	n := 0
	for _, c := range d.Channels {
		n += c.Type.size() * d.Width
	}
	return n
}

// size is that of a value, in bytes.
func (t EXRType) size() int {
	if t == EXRHalf {
		return 2
	}
	return 4
}

// readRows reads the table of chunks, which it does not need, and the chunks in whatever order they come; they are unpacked on
// all processors.
func (d *exrReader) readRows(r io.Reader) error {
	rows := exrRows[d.compression]
	chunks := (d.Height + rows - 1) / rows
	if _, err := io.CopyN(io.Discard, r, 8*int64(chunks)); err != nil {
		return exrInvalid("the table of chunks is cut short")
	}
	for i := range d.Channels {
		if d.Channels[i].Type == EXRUint {
			d.Channels[i].Uints = make([]uint32, d.Width*d.Height)
		} else {
			d.Channels[i].Floats = make([]float32, d.Width*d.Height)
		}
	}
	type chunk struct {
		row  int
		data []byte
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	work := make(chan chunk)
	for range min(runtime.GOMAXPROCS(0), chunks) {
		wg.Go(func() {
			for c := range work {
				if err := d.unpack(c.row, min(rows, d.Height-c.row), c.data); err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	seen := make([]bool, chunks)
	var err error
	for range chunks {
		var row int
		var data []byte
		if row, data, err = d.nextChunk(r, rows, seen); err != nil {
			break
		}
		work <- chunk{row, data}
	}
	close(work)
	wg.Wait()
	return cmp.Or(err, errors.Join(failed...))
}

// nextChunk reads a chunk: its first row and its bytes.
func (d *exrReader) nextChunk(r io.Reader, rows int, seen []bool) (row int, data []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, exrInvalid("it is cut short")
	}
	at := int64(int32(binary.LittleEndian.Uint32(head[:]))) - int64(d.top)
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	if at < 0 || at >= int64(d.Height) || at%int64(rows) != 0 || seen[at/int64(rows)] {
		return 0, nil, exrInvalid("a chunk begins at row %d, or is there twice", at)
	}
	if size > maxEXRChunk || size > int64(min(rows, d.Height-int(at))*d.rowBytes()) {
		return 0, nil, exrInvalid("the chunk at row %d has %d bytes, more than its pixels", at, size)
	}
	seen[at/int64(rows)] = true
	data = make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, nil, exrInvalid("it is cut short")
	}
	return int(at), data, nil
}

// unpack puts a chunk's rows into the channels.
func (d *exrReader) unpack(row, rows int, data []byte) error {
	raw := data
	if size := rows * d.rowBytes(); len(data) < size {
		var err error
		switch d.compression {
		case exrRLE:
			raw, err = exrRuns(data, size)
		case exrZIP, exrZIPS:
			raw, err = exrInflate(data, size)
		case exrPIZ:
			raw, err = d.pizRows(data, rows)
		default:
			err = exrInvalid("it has %d bytes for %d", len(data), size)
		}
		if err != nil {
			return fmt.Errorf("rows from %d on: %w", row, err)
		}
	}
	le := binary.LittleEndian
	for y := row; y < row+rows; y++ {
		for _, c := range d.Channels {
			from := y * d.Width
			for x := range d.Width {
				switch c.Type {
				case EXRUint:
					c.Uints[from+x] = le.Uint32(raw[4*x:])
				case EXRHalf:
					c.Floats[from+x] = floatOfHalf(le.Uint16(raw[2*x:]))
				default:
					c.Floats[from+x] = math.Float32frombits(le.Uint32(raw[4*x:]))
				}
			}
			raw = raw[c.Type.size()*d.Width:]
		}
	}
	return nil
}

// exrInflate undoes ZIP and ZIPS.
func exrInflate(data []byte, size int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, exrInvalid("%w", err)
	}
	packed := make([]byte, size)
	if _, err := io.ReadFull(z, packed); err != nil {
		return nil, exrInvalid("%w", err)
	}
	return exrUnpredict(packed), nil
}

// exrRuns undoes RLE: a count below zero is of bytes as they are, another of repetitions, less one.
func exrRuns(data []byte, size int) ([]byte, error) {
	packed := make([]byte, 0, size)
	for len(data) > 1 {
		n := int(int8(data[0]))
		if n < 0 {
			n = min(-n, len(data)-1)
			packed = append(packed, data[1:1+n]...)
			data = data[1+n:]
		} else {
			packed = append(packed, bytes.Repeat(data[1:2], n+1)...)
			data = data[2:]
		}
		if len(packed) > size {
			break
		}
	}
	if len(packed) != size {
		return nil, exrInvalid("runs of %d bytes, want %d", len(packed), size)
	}
	return exrUnpredict(packed), nil
}

// exrUnpredict is the inverse of exrPredict.
func exrUnpredict(packed []byte) []byte {
	for i := 1; i < len(packed); i++ {
		packed[i] += packed[i-1] - 128
	}
	out := make([]byte, len(packed))
	half := (len(packed) + 1) / 2
	for i := range out {
		out[i] = packed[i/2+i%2*half]
	}
	return out
}

// floatOfHalf is exact.
func floatOfHalf(h uint16) float32 {
	sign, e, m := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&1023)
	switch {
	case e == 31:
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	case e == 0: // the fraction counts units of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(m)*0x1p-24))
	}
	return math.Float32frombits(sign | (e+112)<<23 | m<<13)
}
