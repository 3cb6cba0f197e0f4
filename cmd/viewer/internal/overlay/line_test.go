package overlay

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
)

// TestLine: as many pixels as the longer side, none outside, none for what is not a number.
func TestLine(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		from, to mgl32.Vec2
		want     int
	}{
		{mgl32.Vec2{0.5, 0.5}, mgl32.Vec2{9.5, 0.5}, 10},
		{mgl32.Vec2{1.5, 1.5}, mgl32.Vec2{7.5, 4.5}, 7},
		{mgl32.Vec2{3.5, -1e6}, mgl32.Vec2{3.5, 1e6}, 8},
		{mgl32.Vec2{-5, 3}, mgl32.Vec2{-1, 6}, 0},
		{mgl32.Vec2{5, 9}, mgl32.Vec2{14, -1e9}, 8}, // all but straight up, in one column until it is out
		{mgl32.Vec2{nan, 3}, mgl32.Vec2{4, 4}, 0},
		{mgl32.Vec2{2.5, 2.5}, mgl32.Vec2{2.5, 2.5}, 1},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 10, 8))
		Line(img, c.from, c.to, color.RGBA{255, 0, 0, 255})
		n := 0
		for i := 0; i < len(img.Pix); i += 4 {
			n += int(img.Pix[i]) / 255
		}
		if n != c.want {
			t.Errorf("%v to %v: %d pixels, want %d", c.from, c.to, n, c.want)
		}
	}
}
