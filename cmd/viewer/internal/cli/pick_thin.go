package cli

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/everray/everray/assets"
)

// meetsThin is where a ray enters a point or line from outside.
func meetsThin(p *assets.Primitive, i int, origin, direction mgl32.Vec3) (t float32, ok bool) {
	from, to := p.Thin(i)
	a, b, r := wide(from), wide(to), float64(p.Radius)
	o, d := wide(origin), wide(direction)
	along := b.Sub(a)
	best := math.Inf(1)
	for _, end := range [2]mgl64.Vec3{a, b} {
		best = min(best, entersRound(o.Sub(end), d, r))
	}
	if l := along.Dot(along); l > 0 { // the tube: what goes along it does not count
		across := func(v mgl64.Vec3) mgl64.Vec3 { return v.Sub(along.Mul(v.Dot(along) / l)) }
		tube := entersRound(across(o.Sub(a)), across(d), r)
		if y := o.Sub(a).Add(d.Mul(tube)).Dot(along) / l; y >= 0 && y <= 1 {
			best = min(best, tube)
		}
	}
	return float32(best), !math.IsInf(best, 1)
}

// entersRound is where a ray comes nearer than r to the middle; infinite where it does not.
func entersRound(o, d mgl64.Vec3, r float64) float64 {
	dd := d.Dot(d)
	if dd == 0 {
		return math.Inf(1)
	}
	nearest := -o.Dot(d) / dd
	from := o.Add(d.Mul(nearest))
	h := r*r - from.Dot(from)
	t := nearest - math.Sqrt(h/dd)
	if h < 0 || t <= 0 {
		return math.Inf(1)
	}
	return t
}

func wide(v mgl32.Vec3) mgl64.Vec3 { return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])} }
