package render

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Image draws the map, and below it the scale: a bar of the colours with numbers, which makes the image taller. Pixel (x, y)
// of the map is pixel (x, y) of the image.
func (h *HeatMap) Image() (*image.NRGBA, error) {
	s, err := newScale(h)
	if err != nil {
		return nil, fmt.Errorf("scale of the heat map: %w", err)
	}
	defer s.face.Close()
	img := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height+s.height()))
	for i, v := range h.steps {
		img.SetNRGBA(i%h.Width, i/h.Width, heatColor(float64(v)/h.Max))
	}
	s.draw(img)
	return img, nil
}

// The scale's colours: grey enough that both ends of the map stand out.
var (
	scaleBackground = color.NRGBA{R: 40, G: 40, B: 40, A: 255}
	scaleInk        = color.NRGBA{R: 235, G: 235, B: 235, A: 255}
	scaleFrame      = color.NRGBA{R: 150, G: 150, B: 150, A: 255}
)

// scale draws the strip below a map. All its lengths are in ems, the font's size in pixels.
type scale struct {
	h    *HeatMap
	em   int
	face font.Face
}

// Bounds of the font's size: readable, and in proportion to the picture.
const (
	smallestEm = 11
	largestEm  = 40
	emsPerSide = 42
)

func newScale(h *HeatMap) (*scale, error) {
	em := min(max(min(h.Width, h.Height)/emsPerSide, smallestEm), largestEm)
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(em), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, err
	}
	return &scale{h: h, em: em, face: face}, nil
}

// The strip from the top: half an em, the title, the bar, the ticks with their numbers, half an em.
func (s *scale) titleBase() int  { return s.em * 3 / 2 }
func (s *scale) barTop() int     { return s.em * 2 }
func (s *scale) barBottom() int  { return s.em * 3 }
func (s *scale) tickEnd() int    { return s.em*3 + s.em/3 }
func (s *scale) numberBase() int { return s.em*4 + s.em/3 }
func (s *scale) height() int     { return s.em * 5 }

// bar returns the columns of the colours in an image of that width.
func (s *scale) bar() (left, right int) {
	margin := min(s.em, s.h.Width/8)
	return margin, s.h.Width - margin
}

func (s *scale) draw(img *image.NRGBA) {
	top := s.h.Height
	fill(img, image.Rect(0, top, s.h.Width, top+s.height()), scaleBackground)
	left, right := s.bar()
	fill(img, image.Rect(left-1, top+s.barTop()-1, right+1, top+s.barBottom()+1), scaleFrame)
	for x := left; x < right; x++ {
		v := (float64(x-left) + 0.5) / float64(right-left)
		fill(img, image.Rect(x, top+s.barTop(), x+1, top+s.barBottom()), heatColor(v))
	}
	for _, t := range s.ticks() {
		fill(img, image.Rect(t.x, top+s.barBottom(), t.x+1, top+s.tickEnd()), scaleInk)
		s.write(img, t.textX, top+s.numberBase(), t.text)
	}
	for _, title := range s.titles() {
		if s.width(title) <= right-left {
			s.write(img, left, top+s.titleBase(), title)
			return
		}
	}
}

// titles returns what the numbers are, from the longest text to the shortest.
func (s *scale) titles() []string {
	const unit = "traversal steps per ray"
	h := s.h
	return []string{
		fmt.Sprintf("%s: nodes visited, instances and triangles tested; mean %.1f, most %.0f", unit, h.Steps, h.Peak),
		fmt.Sprintf("%s; mean %.1f, most %.0f", unit, h.Steps, h.Peak),
		unit, "steps per ray", "steps",
	}
}

// tick is a line below the bar with a number.
type tick struct {
	x, textX int
	text     string
}

// ticks returns both ends and round numbers between them, as many as have room.
func (s *scale) ticks() []tick {
	left, right := s.bar()
	place := func(v float64, text string) tick {
		x := left + int(math.Round(v/s.h.Max*float64(right-left-1)))
		w := s.width(text)
		return tick{x: x, textX: min(max(x-w/2, s.em/3), max(s.h.Width-w-s.em/3, 0)), text: text}
	}
	last := number(s.h.Max)
	if s.h.Hotter > 0 {
		last = "≥ " + last
	}
	out := []tick{place(0, "0")}
	end := place(s.h.Max, last)
	room := max((right-left)/(5*s.em), 1)
	step := niceStep(s.h.Max / float64(room))
	for i := 1.0; i*step < s.h.Max; i++ {
		t := place(i*step, number(i*step))
		if s.apart(out[len(out)-1], t) && s.apart(t, end) {
			out = append(out, t)
		}
	}
	if s.apart(out[0], end) {
		return append(out, end)
	}
	return []tick{end} // no room for both: the end says more
}

// apart reports whether the numbers of two ticks, in the order of the bar, leave a gap.
func (s *scale) apart(a, b tick) bool { return a.textX+s.width(a.text)+s.em/2 <= b.textX }

func (s *scale) width(text string) int { return font.MeasureString(s.face, text).Ceil() }

func (s *scale) write(img *image.NRGBA, x, base int, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(scaleInk), Face: s.face, Dot: fixed.P(x, base)}
	d.DrawString(text)
}

func fill(img *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	draw.Draw(img, r.Intersect(img.Bounds()), image.NewUniform(c), image.Point{}, draw.Src)
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at least v.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// number prints without the noise of binary fractions.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
