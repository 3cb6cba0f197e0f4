package assets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"sync"

	"golang.org/x/image/webp"

	"github.com/everray/everray/assets/internal/ktx2"
)

// pendingImage is an image whose bytes are at hand and not decoded yet.
type pendingImage struct {
	index  int // in the document
	scene  []int
	source string // for messages
	data   []byte
	failed error // why a placeholder stands for it
}

const (
	// maxImageSide is what common GPUs can sample.
	maxImageSide = 16384
	// smallImagePixels is how many pixels any file may unpack to; a larger
	// image must bring a byte for each maxImageRatio pixels, so that a tiny
	// file cannot claim gigabytes.
	smallImagePixels = 4096 * 4096
	maxImageRatio    = 4096
)

// image returns the scene's index of an image in one of its uses. It is
// decoded later, with all others.
func (l *loader) image(i int, srgb bool) (int, error) {
	key := colorUse{i, srgb}
	if k, ok := l.images[key]; ok {
		return k, nil
	}
	if i < 0 || i >= len(l.doc.Images) {
		return 0, fmt.Errorf("%w: image %d of %d", ErrInvalid, i, len(l.doc.Images))
	}
	src := l.doc.Images[i]
	k := len(l.scene.Images)
	name := src.Name
	if name == "" && src.BufferView == nil {
		name = clip(src.URI)
	}
	if other, ok := l.images[colorUse{i, !srgb}]; ok { // decoded once for both uses
		for p := range l.pending {
			if l.pending[p].scene[0] == other {
				l.pending[p].scene = append(l.pending[p].scene, k)
			}
		}
	} else {
		p := pendingImage{index: i, scene: []int{k}}
		var err error
		if src.BufferView != nil {
			p.source = fmt.Sprintf("bufferView %d", *src.BufferView)
			p.data, _, err = l.read.view(*src.BufferView)
		} else if src.URI != "" {
			p.source = fmt.Sprintf("URI %q", clip(src.URI))
			p.data, err = l.src.resolve(src.URI)
		} else {
			err = fmt.Errorf("%w: neither a URI nor a bufferView", ErrInvalid)
		}
		if err != nil && !replaceable(err) {
			return 0, fmt.Errorf("image %d %q: %w", i, name, err)
		}
		p.failed = err
		l.pending = append(l.pending, p)
	}
	l.scene.Images = append(l.scene.Images, Image{Name: name, SRGB: srgb})
	l.images[key] = k
	return k, nil
}

// decodeImages decodes on all processors. The first error, in the order of
// the file, is the one returned.
func (l *loader) decodeImages() error {
	if len(l.pending) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	errs := make([]error, len(l.pending))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards the steps
	for range min(runtime.GOMAXPROCS(0), len(l.pending)) {
		wg.Go(func() {
			for i := range next {
				p := &l.pending[i]
				if errs[i] = l.decodePending(ctx, p); errs[i] != nil && replaceable(errs[i]) {
					p.failed, errs[i] = errs[i], nil
				}
				if errs[i] != nil {
					cancel()
					continue
				}
				mu.Lock()
				_ = l.step() // the context is looked at before each image
				mu.Unlock()
			}
		})
	}
	for i := range l.pending {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := l.ctx.Err(); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			p := &l.pending[i]
			return fmt.Errorf("image %d %q (%s): %w", p.index, l.scene.Images[p.scene[0]].Name, p.source, err)
		}
	}
	l.replaceFailed()
	return nil
}

func (l *loader) decodePending(ctx context.Context, p *pendingImage) error {
	if err := ctx.Err(); err != nil || p.failed != nil {
		return err
	}
	img, err := decodeImage(p.data, l.src.charge)
	if err != nil {
		return err
	}
	for _, k := range p.scene {
		d := &l.scene.Images[k]
		d.Width, d.Height, d.Pixels = img.Rect.Dx(), img.Rect.Dy(), img.Pix
	}
	return nil
}

// imageFormat is a decoder and how to know its files.
type imageFormat struct {
	name         string
	magic        string
	decode       func(r *bytes.Reader) (image.Image, error)
	decodeConfig func(r *bytes.Reader) (image.Config, error)
}

// imageFormats are the formats that glTF allows. A list, not the standard
// library's registry: what this package reads must not depend on imports
// elsewhere.
func imageFormats() []imageFormat {
	return []imageFormat{
		{"PNG", "\x89PNG\r\n\x1a\n",
			func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
			func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }},
		{"JPEG", "\xff\xd8\xff",
			func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
			func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }},
		{"WebP", "RIFF",
			func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
			func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) }},
		{"KTX2", ktx2.Magic, decodeKTX2, configKTX2},
	}
}

func decodeKTX2(r *bytes.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return ktx2.Decode(data)
}

func configKTX2(r *bytes.Reader) (image.Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return image.Config{}, err
	}
	return ktx2.DecodeConfig(data)
}

// decodeImage decodes a PNG, JPEG, WebP or KTX2 file, told apart by its first bytes
// as the specification advises. charge may refuse its size before memory is
// taken.
func decodeImage(data []byte, charge func(n int64, what string) error) (out *image.NRGBA, err error) {
	var f *imageFormat
	formats := imageFormats()
	for i := range formats {
		if bytes.HasPrefix(data, []byte(formats[i].magic)) {
			f = &formats[i]
		}
	}
	if f == nil {
		return nil, fmt.Errorf("%w: neither PNG, JPEG, WebP nor KTX2", ErrInvalid)
	}
	// These decoders see hostile bytes; a fault of theirs must not end the program.
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("%w: the %s decoder failed: %v", ErrInvalid, f.name, r)
		}
	}()
	cfg, err := f.decodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %s does not decode: %w", ErrInvalid, f.name, err)
	}
	w, h := cfg.Width, cfg.Height
	if w < 1 || h < 1 || w > maxImageSide || h > maxImageSide {
		return nil, fmt.Errorf("%w: %s of %dx%d pixels, at most %d a side are read", ErrTooLarge, f.name, w, h, maxImageSide)
	}
	if px := w * h; px > smallImagePixels && px/maxImageRatio > len(data) {
		return nil, fmt.Errorf("%w: %s of %d bytes claims %dx%d pixels", ErrTooLarge, f.name, len(data), w, h)
	}
	if err := charge(int64(w)*int64(h)*4, f.name+" image"); err != nil {
		return nil, err
	}
	img, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %s does not decode: %w", ErrInvalid, f.name, err)
	}
	if img.Bounds().Dx() != w || img.Bounds().Dy() != h {
		return nil, fmt.Errorf("%w: %s decodes to %v, its header says %dx%d", ErrInvalid, f.name, img.Bounds().Size(), w, h)
	}
	return toNRGBA(img), nil
}

// toNRGBA converts to 8 bits with straight alpha and the origin at 0, 0,
// without going through premultiplied colours where there is alpha: that would
// lose the colour of transparent texels.
func toNRGBA(img image.Image) *image.NRGBA {
	b := img.Bounds()
	if m, ok := img.(*image.NRGBA); ok && m.Stride == 4*b.Dx() && b.Min == (image.Point{}) {
		return m
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		// Without alpha both kinds are the same bytes, and draw has fast paths.
		rgba := &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}
		draw.Draw(rgba, rgba.Rect, img, b.Min, draw.Src)
		return out
	}
	switch m := img.(type) {
	case *image.NRGBA:
		for y := range b.Dy() {
			copy(out.Pix[y*out.Stride:(y+1)*out.Stride], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):])
		}
	case *image.NRGBA64:
		for y := range b.Dy() {
			src := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
			dst := out.Pix[y*out.Stride : (y+1)*out.Stride]
			for i := range dst {
				dst[i] = src[2*i] // big endian: the high byte
			}
		}
	case *image.Paletted:
		palette := make([]color.NRGBA, 256)
		for i, c := range m.Palette {
			palette[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		for y := range b.Dy() {
			for x := range b.Dx() {
				out.SetNRGBA(x, y, palette[m.ColorIndexAt(b.Min.X+x, b.Min.Y+y)])
			}
		}
	case *image.NYCbCrA: // WebP with alpha
		for y := range b.Dy() {
			for x := range b.Dx() {
				c := m.NYCbCrAAt(b.Min.X+x, b.Min.Y+y)
				r, g, bl := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
				out.SetNRGBA(x, y, color.NRGBA{R: r, G: g, B: bl, A: c.A})
			}
		}
	default:
		for y := range b.Dy() {
			for x := range b.Dx() {
				out.SetNRGBA(x, y, color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA))
			}
		}
	}
	return out
}
