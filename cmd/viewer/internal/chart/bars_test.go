package chart

import (
	"errors"
	"image"
	"math"
	"testing"
)

// column counts the pixels of a series' colour in one column.
func column(img *image.NRGBA, x, series int) int {
	n := 0
	for y := plotAbove; y < plotAbove+plotRows; y++ { // below the legend
		if img.NRGBAAt(x, y) == seriesColor(series) {
			n++
		}
	}
	return n
}

func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	c := Bars{Title: "ratio", Series: []string{"one", "two"}, Line: 1, Groups: []Group{
		{Name: "a", Bars: []Bar{{Value: 2}, {Value: 4, Low: 3, High: 5}}},
		{Name: "b", Bars: []Bar{{Value: 1}, {Value: math.NaN()}}},
	}}
	img, err := c.Image()
	if err != nil {
		t.Fatal(err)
	}
	// The columns beside the whiskers, which stand in the middle.
	at := func(group, bar int) int {
		width := 2 * (barWidth + barGap)
		return plotLeft + groupGap/2 + group*(width+groupGap) + bar*(barWidth+barGap) + 2
	}
	one, two, three := column(img, at(0, 0), 0), column(img, at(0, 1), 1), column(img, at(1, 0), 0)
	if one == 0 || math.Abs(float64(two)/float64(one)-2) > 0.05 || math.Abs(float64(one)/float64(three)-2) > 0.05 {
		t.Errorf("bars of 2, 4 and 1 have %d, %d and %d rows", one, two, three)
	}
	if n := column(img, at(1, 1), 1); n != 0 {
		t.Errorf("a value that is not a number has %d rows", n)
	}
}

func TestEmptyCharts(t *testing.T) {
	for name, c := range map[string]Bars{
		"nothing":      {},
		"zeros":        {Series: []string{"s"}, Groups: []Group{{Name: "g", Bars: []Bar{{}}}}},
		"not a number": {Series: []string{"s"}, Groups: []Group{{Name: "g", Bars: []Bar{{Value: math.NaN()}}}}},
		"infinite":     {Series: []string{"s"}, Groups: []Group{{Name: "g", Bars: []Bar{{Value: math.Inf(1)}}}}},
	} {
		if img, err := c.Image(); !errors.Is(err, ErrEmpty) || img != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTickStep(t *testing.T) {
	for v, want := range map[float64]float64{0.3: 0.5, 1: 1, 1.1: 2, 4: 5, 51: 100, 0.02: 0.02} {
		if got := tickStep(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("step for %g is %g, want %g", v, got, want)
		}
	}
}

func TestValueText(t *testing.T) {
	for v, want := range map[float64]string{1.234: "1.23", 12.34: "12.3", 5312: "5312", 0.004: "0.00"} {
		if got := valueText(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

func TestAddFillsGroups(t *testing.T) {
	var c Bars
	for i, name := range []string{"a", "b", "a"} {
		c.Add(name, Bar{Value: float64(i)})
	}
	if len(c.Groups) != 2 || len(c.Groups[0].Bars) != 2 || c.Groups[0].Bars[1].Value != 2 || c.Groups[1].Name != "b" {
		t.Errorf("%+v", c.Groups)
	}
}

func TestBelowKeepsAllPixels(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 3, 2)), image.NewNRGBA(image.Rect(5, 5, 6, 9))
	a.Set(2, 1, ink)
	b.Set(5, 8, grey)
	got := Below(a, b)
	if got.Rect != image.Rect(0, 0, 3, 6) || got.At(2, 1) != ink || got.At(0, 5) != grey || got.At(1, 5) != paper {
		t.Errorf("%v: %v, %v, %v", got.Rect, got.At(2, 1), got.At(0, 5), got.At(1, 5))
	}
}
