package chart

import (
	"errors"
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

// ErrEmpty is returned for a chart without values.
var ErrEmpty = errors.New("a chart without values")

// Bar is one value with the least and the most that was measured; both 0 if that is not known.
type Bar struct{ Value, Low, High float64 }

// Group is what stands together above one name: a bar for each of Bars.Series. Values that are not above 0 are left out.
type Group struct {
	Name string
	Bars []Bar
}

// Bars is a chart of grouped bars.
type Bars struct {
	Title, Subtitle string
	// Series names the bars of a group, which have the same colours in all groups.
	Series []string
	Groups []Group
	// Line is a value to compare with, drawn across; 0 for none.
	Line float64
}

// Add appends a bar to the group of that name, which it makes if there is none.
func (c *Bars) Add(group string, b Bar) {
	for i := range c.Groups {
		if c.Groups[i].Name == group {
			c.Groups[i].Bars = append(c.Groups[i].Bars, b)
			return
		}
	}
	c.Groups = append(c.Groups, Group{Name: group, Bars: []Bar{b}})
}

// Below puts images one below the other, as wide as the widest.
func Below(images ...*image.NRGBA) *image.NRGBA {
	var size image.Point
	for _, img := range images {
		size.X, size.Y = max(size.X, img.Rect.Dx()), size.Y+img.Rect.Dy()
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(out, out.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	y := 0
	for _, img := range images {
		draw.Draw(out, img.Rect.Sub(img.Rect.Min).Add(image.Pt(0, y)), img, img.Rect.Min, draw.Src)
		y += img.Rect.Dy()
	}
	return out
}

// headroom is left above the highest value for its whisker; a longer one, of an outlier, is cut off.
const headroom = 1.15

// Lengths in pixels; em is the font's size.
const (
	em        = 15
	barWidth  = 34
	barGap    = 4
	groupGap  = 28
	plotLeft  = 4 * em
	plotAbove = 7 * em // title, subtitle, legend
	plotRows  = 20 * em
	plotBelow = 3 * em
	margin    = em
)

// Image draws the chart.
func (c *Bars) Image() (*image.NRGBA, error) {
	p, err := newPainter(c)
	if err != nil {
		return nil, fmt.Errorf("draw chart: %w", err)
	}
	defer p.face.Close()
	p.axis()
	x := plotLeft + groupGap/2
	for _, g := range c.Groups {
		p.group(x, g)
		x += p.groupWidth + groupGap
	}
	if c.Line > 0 {
		p.fill(plotLeft, p.y(c.Line)-1, p.right, p.y(c.Line)+1, ink)
	}
	p.text(margin, margin+em, c.Title, ink)
	p.text(margin, margin+em*5/2, c.Subtitle, grey)
	p.legend()
	return p.img, nil
}

var (
	paper = color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	ink   = color.NRGBA{R: 30, G: 30, B: 30, A: 255}
	grey  = color.NRGBA{R: 110, G: 110, B: 110, A: 255}
	rule  = color.NRGBA{R: 222, G: 222, B: 222, A: 255}
)

// seriesColor tells series apart for all kinds of colour vision (Okabe and Ito 2008).
func seriesColor(i int) color.NRGBA {
	list := []color.NRGBA{
		{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{86, 180, 233, 255}, {213, 94, 0, 255}, {240, 228, 66, 255}, {140, 140, 140, 255},
	}
	return list[i%len(list)]
}

// painter draws one chart.
type painter struct {
	c          *Bars
	face       font.Face
	img        *image.NRGBA
	most, step float64 // of the axis
	groupWidth int
	right      int // of the plot
}

func newPainter(c *Bars) (*painter, error) {
	p := &painter{c: c}
	for _, g := range c.Groups {
		for _, b := range g.Bars {
			if !math.IsInf(b.Value, 0) && !math.IsNaN(b.Value) {
				p.most = max(p.most, b.Value)
			}
		}
	}
	if !(p.most > 0) || math.IsInf(p.most, 0) {
		return nil, ErrEmpty
	}
	p.step = tickStep(max(p.most, c.Line) / 8)
	p.most = p.step * math.Ceil(max(p.most*headroom, c.Line)/p.step)
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	if p.face, err = opentype.NewFace(f, &opentype.FaceOptions{Size: em, DPI: 72, Hinting: font.HintingFull}); err != nil {
		return nil, err
	}
	p.groupWidth = len(c.Series) * (barWidth + barGap)
	for _, g := range c.Groups {
		p.groupWidth = max(p.groupWidth, p.width(g.Name))
	}
	p.right = plotLeft + len(c.Groups)*(p.groupWidth+groupGap)
	width := max(p.right, margin+p.width(c.Title), margin+p.width(c.Subtitle), p.legendWidth()) + margin
	p.img = image.NewNRGBA(image.Rect(0, 0, width, plotAbove+plotRows+plotBelow))
	p.fill(0, 0, width, p.img.Rect.Dy(), paper)
	return p, nil
}

// tickStep is the smallest of 1, 2 and 5 times a power of ten that is at least v.
func tickStep(v float64) float64 {
	for power := math.Pow(10, math.Floor(math.Log10(v))); ; power *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if m*power >= v {
				return m * power
			}
		}
	}
}

// y is the row of a value.
func (p *painter) y(v float64) int {
	return plotAbove + plotRows - int(math.Round(min(v, p.most)/p.most*plotRows))
}

func (p *painter) axis() {
	for i := 0; float64(i)*p.step <= p.most*(1+1e-9); i++ {
		v := float64(i) * p.step
		p.fill(plotLeft, p.y(v), p.right, p.y(v)+1, rule)
		text := strconv.FormatFloat(v, 'g', 6, 64)
		p.text(plotLeft-em/2-p.width(text), p.y(v)+em/3, text, grey)
	}
}

func (p *painter) group(x int, g Group) {
	bars := len(p.c.Series) * (barWidth + barGap)
	at := x + (p.groupWidth-bars)/2
	for i, b := range g.Bars {
		if b.Value > 0 && !math.IsInf(b.Value, 0) {
			p.bar(at+i*(barWidth+barGap), b, seriesColor(i))
		}
	}
	p.text(x+(p.groupWidth-p.width(g.Name))/2, plotAbove+plotRows+em*3/2, g.Name, ink)
}

func (p *painter) bar(x int, b Bar, c color.NRGBA) {
	p.fill(x, p.y(b.Value), x+barWidth, plotAbove+plotRows, c)
	top := p.y(b.Value)
	if b.High > b.Low {
		top = p.y(b.High)
		middle := x + barWidth/2
		p.fill(middle, p.y(b.High), middle+1, p.y(b.Low)+1, ink)
		for _, v := range []float64{b.Low, b.High} {
			if v > p.most {
				continue
			}
			p.fill(middle-3, p.y(v), middle+4, p.y(v)+1, ink)
		}
	}
	text := valueText(b.Value)
	p.text(x+(barWidth-p.width(text))/2, top-em/4, text, ink)
}

// valueText has three digits, and fits above a bar.
func valueText(v float64) string {
	digits := 2 - int(math.Floor(math.Log10(v)))
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), 2), 64)
}

// legend is a row of swatches with the names of the series.
func (p *painter) legend() {
	x, base := margin, plotAbove-em*3/2
	for i, name := range p.c.Series {
		p.fill(x, base-em*3/4, x+em, base+em/4, seriesColor(i))
		p.text(x+em*3/2, base, name, ink)
		x += p.width(name) + 3*em
	}
}

func (p *painter) legendWidth() int {
	x := margin
	for _, name := range p.c.Series {
		x += p.width(name) + 3*em
	}
	return x
}

func (p *painter) width(text string) int { return font.MeasureString(p.face, text).Ceil() }

func (p *painter) text(x, base int, text string, c color.NRGBA) {
	d := font.Drawer{Dst: p.img, Src: image.NewUniform(c), Face: p.face, Dot: fixed.P(x, base)}
	d.DrawString(text)
}

func (p *painter) fill(left, top, right, bottom int, c color.NRGBA) {
	draw.Draw(p.img, image.Rect(left, top, right, bottom).Intersect(p.img.Bounds()), image.NewUniform(c), image.Point{}, draw.Src)
}
