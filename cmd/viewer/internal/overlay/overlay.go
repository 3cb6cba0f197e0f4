// Package overlay draws text and panels over pictures on the CPU, for the window. It keeps nothing and blocks on nothing.
package overlay

import (
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Box draws lines of text on a dark box whose corner is at x, y. scale is how many pixels those of the font take.
func Box(dst *image.RGBA, x, y, scale int, lines []string) {
	scale = max(scale, 1)
	face := basicfont.Face7x13
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(face, l).Ceil())
	}
	if width == 0 {
		return
	}
	const pad = 6
	text := image.NewAlpha(image.Rect(0, 0, width+2*pad, len(lines)*face.Height+2*pad))
	d := font.Drawer{Dst: text, Src: image.Opaque, Face: face}
	for i, l := range lines {
		d.Dot = fixed.P(pad, pad+i*face.Height+face.Ascent)
		d.DrawString(l)
	}
	for ty := range text.Rect.Dy() * scale {
		for tx := range text.Rect.Dx() * scale {
			p := image.Pt(x+tx, y+ty)
			if !p.In(dst.Rect) {
				continue
			}
			if text.AlphaAt(tx/scale, ty/scale).A > 0 {
				dst.SetRGBA(p.X, p.Y, color.RGBA{235, 238, 245, 255})
				continue
			}
			i := dst.PixOffset(p.X, p.Y)
			for c := range 3 { // a quarter of what is below stays
				dst.Pix[i+c] /= 4
			}
		}
	}
}

// Size is what Box takes.
func Size(scale int, lines []string) (width, height int) {
	face := basicfont.Face7x13
	for _, l := range lines {
		width = max(width, font.MeasureString(face, l).Ceil())
	}
	return (width + 12) * max(scale, 1), (len(lines)*face.Height + 12) * max(scale, 1)
}

// Scale fills dst with src, however large it is; between pixels the nearest counts.
func Scale(dst *image.RGBA, src *image.RGBA) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	if sw == 0 || sh == 0 {
		return
	}
	if w == sw && h == sh {
		copy(dst.Pix, src.Pix)
		return
	}
	columns := make([]int, w)
	for x := range columns {
		columns[x] = 4 * (x * sw / w)
	}
	last := -1
	for y := range h {
		row := dst.Pix[y*dst.Stride : y*dst.Stride+4*w]
		sy := y * sh / h
		if sy == last { // the row above is the same
			copy(row, dst.Pix[(y-1)*dst.Stride:])
			continue
		}
		last = sy
		from := src.Pix[sy*src.Stride:]
		for x, at := range columns {
			copy(row[4*x:4*x+4], from[at:at+4])
		}
	}
}
