package assets

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// maxEnvironmentWidth bounds environment maps: 8192 x 4096 texels take 400 MB here.
const maxEnvironmentWidth = 8192

// LoadEnvironment reads an environment map by longitude and latitude, twice as wide as high, from a Radiance (.hdr) or an
// OpenEXR file (.exr; see DecodeEXR for what of the format). No well-kept library for either is to be had through Go's module
// proxy: hence the code here.
func LoadEnvironment(ctx context.Context, path string) (*EnvironmentMap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	decoders := map[string]func(io.Reader) (*FloatImage, error){".hdr": DecodeHDR, ".exr": decodeLight}
	decode, ok := decoders[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return nil, fmt.Errorf("environment %q: %w: only .hdr (Radiance) and .exr files are read; convert it", path, ErrUnsupported)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	defer f.Close()
	img, err := decode(f)
	if err != nil {
		return nil, fmt.Errorf("environment %q: %w", path, err)
	}
	if img.Width > maxEnvironmentWidth {
		return nil, fmt.Errorf("environment %q: %w: %d pixels wide, at most %d are used: make it smaller", path, ErrTooLarge, img.Width,
			maxEnvironmentWidth)
	}
	if img.Width != 2*img.Height {
		return nil, fmt.Errorf("environment %q: %w: %d x %d pixels: want a map by longitude and latitude, twice as wide as high", path,
			ErrInvalid, img.Width, img.Height)
	}
	return &EnvironmentMap{Width: img.Width, Height: img.Height, Pixels: img.Pix}, nil
}

// decodeLight reads an OpenEXR picture as light: channels R, G and B, or Y alone. What is no amount of light (not a number, below
// zero) is 0; what overflowed the file's halves is their largest.
func decodeLight(r io.Reader) (*FloatImage, error) {
	const largestHalf = 65504
	e, err := DecodeEXR(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	found := map[string][]float32{}
	for _, c := range e.Channels {
		found[c.Name] = c.Floats
	}
	sources := [3][]float32{found["R"], found["G"], found["B"]}
	if grey := found["Y"]; grey != nil && sources[0] == nil {
		sources = [3][]float32{grey, grey, grey}
	}
	img := &FloatImage{Width: e.Width, Height: e.Height, Pix: make([]float32, 3*e.Width*e.Height)}
	for k, source := range sources {
		if source == nil {
			return nil, fmt.Errorf("%w: .exr: no channels R, G and B of floats or halves, and no Y", ErrUnsupported)
		}
		for i, v := range source {
			if v > 0 {
				img.Pix[3*i+k] = v
				if math.IsInf(float64(v), 1) {
					img.Pix[3*i+k] = largestHalf
				}
			}
		}
	}
	return img, nil
}

// DecodeHDR reads a Radiance picture (.hdr): one exponent for the three colours of a pixel, rows plain or packed by runs.
func DecodeHDR(r io.Reader) (*FloatImage, error) {
	b := bufio.NewReader(r)
	width, height, err := hdrHeader(b)
	if err != nil {
		return nil, err
	}
	img := &FloatImage{Width: width, Height: height}
	row := make([]byte, 4*width)
	for y := range height {
		if err := hdrRow(b, row); err != nil {
			return nil, fmt.Errorf("%w: .hdr: row %d: %w", ErrInvalid, y, err)
		}
		for x := range width {
			p := row[4*x : 4*x+4]
			scale := float32(0)
			if p[3] > 0 {
				scale = float32(math.Ldexp(1, int(p[3])-136))
			}
			img.Pix = append(img.Pix, float32(p[0])*scale, float32(p[1])*scale, float32(p[2])*scale)
		}
	}
	return img, nil
}

func hdrHeader(b *bufio.Reader) (width, height int, err error) {
	const longest = 100 // lines
	for i := range longest {
		line, err := b.ReadString('\n')
		if err != nil {
			return 0, 0, fmt.Errorf("%w: .hdr: the header is cut short", ErrInvalid)
		}
		line = strings.TrimSpace(line)
		if i == 0 && !strings.HasPrefix(line, "#?") {
			return 0, 0, fmt.Errorf("%w: .hdr: it does not begin with #?RADIANCE", ErrInvalid)
		}
		if format, ok := strings.CutPrefix(line, "FORMAT="); ok && format != "32-bit_rle_rgbe" {
			return 0, 0, fmt.Errorf("%w: .hdr: format %q", ErrUnsupported, format)
		}
		if line != "" {
			continue
		}
		if line, err = b.ReadString('\n'); err != nil {
			return 0, 0, fmt.Errorf("%w: .hdr: no size", ErrInvalid)
		}
		if _, err := fmt.Sscanf(line, "-Y %d +X %d", &height, &width); err != nil {
			return 0, 0, fmt.Errorf("%w: .hdr: size %q: want -Y height +X width", ErrUnsupported, strings.TrimSpace(line))
		}
		if width < 1 || height < 1 || width > maxEnvironmentWidth || height > maxEnvironmentWidth {
			return 0, 0, fmt.Errorf("%w: .hdr of %d x %d pixels, at most %d a side are read", ErrTooLarge, width, height,
				maxEnvironmentWidth)
		}
		return width, height, nil
	}
	return 0, 0, fmt.Errorf("%w: .hdr: the header has no end", ErrInvalid)
}

// hdrRow reads a row, plain or packed component by component.
func hdrRow(b *bufio.Reader, row []byte) error {
	width := len(row) / 4
	head, err := b.Peek(4)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	if head[0] != 2 || head[1] != 2 || int(head[2])<<8|int(head[3]) != width {
		_, err := io.ReadFull(b, row)
		return err
	}
	if _, err := b.Discard(4); err != nil {
		return err
	}
	for k := range 4 {
		for x := 0; x < width; {
			n, err := b.ReadByte()
			if err != nil {
				return io.ErrUnexpectedEOF
			}
			run, count := n > 128, int(n)
			if run {
				count -= 128
			}
			if count == 0 || x+count > width {
				return fmt.Errorf("a run of %d at %d of %d", count, x, width)
			}
			var v byte
			for i := range count {
				if i == 0 || !run {
					if v, err = b.ReadByte(); err != nil {
						return io.ErrUnexpectedEOF
					}
				}
				row[4*(x+i)+k] = v
			}
			x += count
		}
	}
	return nil
}
