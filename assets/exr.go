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

// EXRType is the type of a channel's values in an OpenEXR file.
type EXRType int

// The types, by the format's numbers.
const (
	EXRUint EXRType = iota
	EXRHalf
	EXRFloat
)

// EXRChannel is a channel: Floats for EXRHalf and EXRFloat, Uints for EXRUint, rows from the top.
type EXRChannel struct {
	Name   string // "R" for the picture's red, "normal.X" for a layer's
	Type   EXRType
	Floats []float32
	Uints  []uint32
}

// EXR is a picture of any channels, to be written as an OpenEXR file of scan lines, ZIP compressed.
type EXR struct {
	Width, Height int
	Channels      []EXRChannel
	// Attributes are texts for the header, such as "comments".
	Attributes map[string]string
}

const (
	exrMagic       = 20000630
	exrVersion     = 2
	exrLongNames   = 1 << 10 // flag of the version: names of more than 31 bytes
	exrZIP         = 3
	exrRowsPerZIP  = 16
	exrLongestName = 255
)

// check judges the picture.
func (e *EXR) check() error {
	if e.Width < 1 || e.Height < 1 || len(e.Channels) == 0 {
		return fmt.Errorf("an EXR picture of %dx%d pixels and %d channels", e.Width, e.Height, len(e.Channels))
	}
	for i, c := range e.Channels {
		have := len(c.Floats)
		if c.Type == EXRUint {
			have = len(c.Uints)
		}
		if c.Name == "" || len(c.Name) > exrLongestName || have != e.Width*e.Height {
			return fmt.Errorf("EXR channel %d %q has %d values for %dx%d pixels", i, c.Name, have, e.Width, e.Height)
		}
	}
	return nil
}

// EncodeEXR writes the file.
func EncodeEXR(w io.Writer, e *EXR) error {
	if err := e.check(); err != nil {
		return err
	}
	channels := slices.Clone(e.Channels)
	slices.SortFunc(channels, func(a, b EXRChannel) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(channels); i++ {
		if channels[i].Name == channels[i-1].Name {
			return fmt.Errorf("EXR channel %q is there twice", channels[i].Name)
		}
	}
	chunks, err := e.compress(channels)
	if err != nil {
		return err
	}
	head := e.header(channels)
	at := uint64(len(head) + 8*len(chunks))
	for _, c := range chunks {
		head = binary.LittleEndian.AppendUint64(head, at)
		at += uint64(len(c))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, c := range chunks {
		if _, err := w.Write(c); err != nil {
			return err
		}
	}
	return nil
}

func (e *EXR) header(channels []EXRChannel) []byte {
	le := binary.LittleEndian
	h := le.AppendUint32(nil, exrMagic)
	version := uint32(exrVersion)
	var list []byte
	for _, c := range channels {
		if len(c.Name) > 31 {
			version |= exrLongNames
		}
		list = append(append(list, c.Name...), 0)
		list = le.AppendUint32(list, uint32(c.Type))
		list = append(list, 0, 0, 0, 0) // not perceptually linear; reserved
		list = le.AppendUint32(le.AppendUint32(list, 1), 1)
	}
	h = le.AppendUint32(h, version)
	attribute := func(name, kind string, value []byte) {
		h = append(append(append(append(h, name...), 0), kind...), 0)
		h = append(le.AppendUint32(h, uint32(len(value))), value...)
	}
	words := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = le.AppendUint32(b, x)
		}
		return b
	}
	box := words(0, 0, uint32(e.Width-1), uint32(e.Height-1))
	attribute("channels", "chlist", append(list, 0))
	attribute("compression", "compression", []byte{exrZIP})
	attribute("dataWindow", "box2i", box)
	attribute("displayWindow", "box2i", box)
	attribute("lineOrder", "lineOrder", []byte{0})
	attribute("pixelAspectRatio", "float", words(math.Float32bits(1)))
	attribute("screenWindowCenter", "v2f", words(0, 0))
	attribute("screenWindowWidth", "float", words(math.Float32bits(1)))
	for _, name := range slices.Sorted(keys(e.Attributes)) {
		attribute(name, "string", []byte(e.Attributes[name]))
	}
	return append(h, 0)
}

func keys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// compress makes the chunks of 16 rows, on all processors.
func (e *EXR) compress(channels []EXRChannel) ([][]byte, error) {
	chunks := make([][]byte, (e.Height+exrRowsPerZIP-1)/exrRowsPerZIP)
	errs := make([]error, len(chunks))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(chunks)) {
		wg.Go(func() {
			for i := range next {
				chunks[i], errs[i] = e.chunk(channels, i*exrRowsPerZIP)
			}
		})
	}
	for i := range chunks {
		next <- i
	}
	close(next)
	wg.Wait()
	return chunks, errors.Join(errs...)
}

// chunk compresses the rows from y on.
func (e *EXR) chunk(channels []EXRChannel, y int) ([]byte, error) {
	le := binary.LittleEndian
	var raw []byte
	for row := y; row < min(y+exrRowsPerZIP, e.Height); row++ {
		from, to := row*e.Width, (row+1)*e.Width
		for _, c := range channels {
			switch c.Type {
			case EXRUint:
				for _, v := range c.Uints[from:to] {
					raw = le.AppendUint32(raw, v)
				}
			case EXRHalf:
				for _, v := range c.Floats[from:to] {
					raw = le.AppendUint16(raw, halfOf(v))
				}
			default:
				for _, v := range c.Floats[from:to] {
					raw = le.AppendUint32(raw, math.Float32bits(v))
				}
			}
		}
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(exrPredict(raw))
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	data := packed.Bytes()
	if len(data) >= len(raw) { // readers tell by the size
		data = raw
	}
	out := le.AppendUint32(nil, uint32(y))
	return append(le.AppendUint32(out, uint32(len(data))), data...), nil
}

// exrPredict puts the even bytes before the odd ones, and differences in place of bytes.
func exrPredict(raw []byte) []byte {
	out := make([]byte, len(raw))
	half := (len(raw) + 1) / 2
	for i, b := range raw {
		out[i/2+i%2*half] = b
	}
	for i := len(out) - 1; i > 0; i-- {
		out[i] += 128 - out[i-1]
	}
	return out
}

// halfOf rounds to the nearest half, ties to even; what is too large becomes infinite.
func halfOf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 // not a number
	case b >= 0x477ff000:
		return sign | 0x7c00
	case b < 0x33000001: // at most half of the smallest
		return sign
	case b < 0x38800000: // without a leading one
		shift := 126 - b>>23
		m := b&0x7fffff | 0x800000
		return sign + uint16((m+1<<(shift-1)-1+m>>shift&1)>>shift)
	}
	return sign + uint16((b-0x38000000+0xfff+b>>13&1)>>13)
}
