package render

import (
	"image/color"
	"math"
	"testing"
)

// film makes a film of one row of heat samples.
func heatFilm(steps ...[3]float32) *Film {
	f := &Film{Width: len(steps), Height: 1}
	for _, s := range steps {
		f.Pixels = append(f.Pixels, 2*s[0], 2*s[1], 2*s[2], 2) // two samples
	}
	return f
}

func TestHeatMapCounts(t *testing.T) {
	f := heatFilm([3]float32{1, 0, 0}, [3]float32{5, 2, 1}, [3]float32{10, 4, 2}, [3]float32{0, 0, 0})
	f.Pixels[15] = 0 // the last pixel has no sample
	h := NewHeatMap(f, 0)
	if h.Nodes != 16.0/3 || h.Primitives != 2 || h.Instances != 1 || math.Abs(h.Steps-25.0/3) > 1e-12 || h.Peak != 16 || h.Max != 16 ||
		h.Hotter != 0 {
		t.Errorf("%+v", h)
	}
	if h := NewHeatMap(f, 8); h.Max != 8 || h.Hotter != 1.0/3 {
		t.Errorf("scale to 8: ends at %g, %g hotter", h.Max, h.Hotter)
	}
	img, err := h.Image()
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range []color.NRGBA{heatColor(1.0 / 16), heatColor(0.5), heatColor(1), notSeen} {
		if got := img.NRGBAAt(x, 0); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
}

func TestScaleEndsAtPercentile(t *testing.T) {
	cold := make([]float32, 100000) // the sky does not count
	for i := range cold {
		cold[i] = 1
	}
	warm := cold
	for i := range 1000 {
		warm = append(warm, float32(i+2))
	}
	for _, c := range []struct {
		name   string
		sorted []float32
		want   float64
	}{
		{"nothing", nil, 1}, {"all alike", []float32{3, 3, 3}, 3}, {"below one", []float32{0, 0.25}, 1},
		{"under a sky", warm, 997}, {"one warm pixel", []float32{1, 1, 7.5}, 8},
	} {
		if got := chooseMax(c.sorted); got != c.want {
			t.Errorf("%s: the scale ends at %g, want %g", c.name, got, c.want)
		}
	}
}

// TestColorMap holds the polynomial against the table it fits, and against what makes a map of quantities: lightness rises,
// without jumps that would look like edges.
func TestColorMap(t *testing.T) {
	// From matplotlib's _cm_listed.py, entries 0, 64, 128, 192 and 255 of 256.
	for _, c := range []struct {
		at   float64
		want [3]float64
	}{
		{0, [3]float64{0.001462, 0.000466, 0.013866}},
		{64.0 / 255, [3]float64{0.341500, 0.062325, 0.429425}},
		{128.0 / 255, [3]float64{0.735683, 0.215906, 0.330245}},
		{192.0 / 255, [3]float64{0.978422, 0.557937, 0.034931}},
		{1, [3]float64{0.988362, 0.998364, 0.644924}},
	} {
		got := heatColor(c.at)
		for k, v := range []uint8{got.R, got.G, got.B} {
			if math.Abs(float64(v)/255-c.want[k]) > 0.035 {
				t.Errorf("at %.3f: %v, want %v", c.at, got, c.want)
				break
			}
		}
	}
	before := heatColor(0)
	for i := 1; i <= 1000; i++ {
		c := heatColor(float64(i) / 1000)
		if luma(c) < luma(before)-0.5 {
			t.Errorf("darker at %d thousandths: %v after %v", i, c, before)
		}
		for k, v := range []int{int(c.R) - int(before.R), int(c.G) - int(before.G), int(c.B) - int(before.B)} {
			if v < -3 || v > 3 {
				t.Errorf("channel %d jumps by %d at %d thousandths", k, v, i)
			}
		}
		before = c
	}
	if heatColor(-1) != heatColor(0) || heatColor(7) != heatColor(1) || heatColor(math.NaN()) != notSeen {
		t.Error("values outside of 0 to 1")
	}
}

func luma(c color.NRGBA) float64 {
	return 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
}

// TestTicks: numbers of any scale on pictures of any size stay in the picture and apart from each other, and are round.
func TestTicks(t *testing.T) {
	for _, width := range []int{1, 16, 48, 120, 960, 5000} {
		for _, most := range []float64{0.5, 1, 7, 123, 99999} {
			h := &HeatMap{Width: width, Height: width, Max: most, Hotter: 0.1}
			s, err := newScale(h)
			if err != nil {
				t.Fatal(err)
			}
			ticks := s.ticks()
			if width >= 120 && len(ticks) < 2 || width >= 960 && len(ticks) < 5 {
				t.Errorf("%d pixels to %g: %d ticks", width, most, len(ticks))
			}
			for i, k := range ticks {
				if right := k.textX + s.width(k.text); width >= 120 && (k.textX < 0 || right > width) {
					t.Errorf("%d pixels to %g: %q lies at %d to %d", width, most, k.text, k.textX, right)
				}
				if i > 0 && !s.apart(ticks[i-1], k) {
					t.Errorf("%d pixels to %g: %q and %q touch", width, most, ticks[i-1].text, k.text)
				}
			}
			if last := ticks[len(ticks)-1].text; last != "≥ "+number(most) {
				t.Errorf("%d pixels to %g: the scale ends with %q", width, most, last)
			}
			if err := s.face.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for v, want := range map[float64]float64{1: 1, 1.1: 2, 2: 2, 3: 5, 6: 10, 0.03: 0.05, 700: 1000} {
		if got := niceStep(v); math.Abs(got-want) > 1e-9*want {
			t.Errorf("step for %g is %g, want %g", v, got, want)
		}
	}
}
