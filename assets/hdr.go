package assets

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// EncodeHDR writes a picture in Radiance's format (.hdr): a common exponent for the three colours of a pixel, rows packed by
// runs of each component. What is negative or not finite is written as black.
func EncodeHDR(w io.Writer, f *FloatImage) error {
	c := f.channels()
	if f.Width < 1 || f.Height < 1 || len(f.Pix) != c*f.Width*f.Height {
		return fmt.Errorf("picture of %dx%d pixels of %d channels has %d floats", f.Width, f.Height, c, len(f.Pix))
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n", f.Height, f.Width)
	row := make([]byte, f.Width)
	pixels := make([][4]byte, f.Width)
	packed := f.Width >= 8 && f.Width < 1<<15 // only such rows may be
	for y := range f.Height {
		for x := range pixels {
			pixels[x] = rgbe([3]float32(f.Pix[c*(y*f.Width+x):]))
		}
		if !packed {
			for _, p := range pixels {
				b.Write(p[:])
			}
			continue
		}
		b.Write([]byte{2, 2, byte(f.Width >> 8), byte(f.Width)})
		for k := range 4 {
			for x := range pixels {
				row[x] = pixels[x][k]
			}
			writeRuns(b, row)
		}
	}
	return b.Flush() // with the first error of all before
}

// rgbe is a pixel with one exponent.
func rgbe(c [3]float32) (out [4]byte) {
	most := float32(0)
	for i, v := range c {
		if !(v > 0) || !isFinite(v) {
			c[i] = 0
		}
		most = max(most, c[i])
	}
	if most < 1e-32 {
		return out
	}
	_, e := math.Frexp(float64(most))
	if e > 127 {
		e = 127
	}
	for i, v := range c {
		out[i] = byte(min(255, math.Ldexp(float64(v), 8-e)))
	}
	out[3] = byte(e + 128)
	return out
}

// writeRuns writes bytes as runs of one value, of up to 127, and as they are, up to 128.
func writeRuns(b *bufio.Writer, row []byte) {
	const leastRun = 4
	run := func(at int) int {
		n := 1
		for at+n < len(row) && n < 127 && row[at+n] == row[at] {
			n++
		}
		return n
	}
	for at := 0; at < len(row); {
		if n := run(at); n >= leastRun {
			b.Write([]byte{byte(128 + n), row[at]})
			at += n
			continue
		}
		end := at
		for end < len(row) && end-at < 128 && run(end) < leastRun {
			end++
		}
		b.WriteByte(byte(end - at))
		b.Write(row[at:end])
		at = end
	}
}
