package overlay

import (
	"image"
	"image/color"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Line draws from one point to another, in pixels from the corner, one pixel wide; what is outside of dst is left out. What is
// not a number draws nothing.
func Line(dst *image.RGBA, from, to mgl32.Vec2, c color.RGBA) {
	from, to, ok := clip(from, to, float32(dst.Rect.Dx()), float32(dst.Rect.Dy()))
	if !ok {
		return
	}
	d := to.Sub(from)
	steps := int(math.Ceil(float64(max(abs(d[0]), abs(d[1])))))
	for i := range steps + 1 {
		p := from.Add(d.Mul(float32(i) / float32(max(steps, 1))))
		at := dst.Rect.Min.Add(image.Pt(int(p[0]), int(p[1])))
		if at.In(dst.Rect) {
			dst.SetRGBA(at.X, at.Y, c)
		}
	}
}

func abs(v float32) float32 { return max(v, -v) }

// clip cuts a line to the rectangle from 0, 0 (Liang and Barsky 1984).
func clip(from, to mgl32.Vec2, width, height float32) (a, b mgl32.Vec2, ok bool) {
	first, last := float32(0), float32(1)
	d := to.Sub(from)
	for axis, most := range [2]float32{width, height} {
		if !(abs(from[axis]) <= math.MaxFloat32 && abs(to[axis]) <= math.MaxFloat32) {
			return a, b, false
		}
		if d[axis] == 0 {
			if from[axis] < 0 || from[axis] > most {
				return a, b, false
			}
			continue
		}
		t0, t1 := -from[axis]/d[axis], (most-from[axis])/d[axis]
		first, last = max(first, min(t0, t1)), min(last, max(t0, t1))
	}
	return from.Add(d.Mul(first)), from.Add(d.Mul(last)), first <= last
}
