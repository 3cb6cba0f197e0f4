package render

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The meter's estimate is the standard error of noise that is known.
func TestNoiseMeter(t *testing.T) {
	const side, deviation = 200, 0.3
	r := rand.New(rand.NewPCG(1, 2))
	f := &Film{Width: side, Height: side, Pixels: make([]float32, 4*side*side)}
	add := func(n int) {
		for range n {
			for i := range side * side {
				v := float32(1 + deviation*r.NormFloat64())
				p := f.Pixels[4*i:]
				p[0], p[1], p[2], p[3] = p[0]+v, p[1]+v, p[2]+v, p[3]+1
			}
		}
	}
	var m NoiseMeter
	add(m.Next(0))
	if _, ok := m.Measure(f); ok {
		t.Error("the first measure has nothing to compare with")
	}
	for _, n := range []int{8, 48} {
		add(n)
		total := float64(f.Pixels[3])
		// Around 1 the compression has the slope 1/4.
		want := deviation / 4 / math.Sqrt(total)
		if got, ok := m.Measure(f); !ok || math.Abs(got/want-1) > 0.05 {
			t.Errorf("%g samples: %g, want %g", total, got, want)
		}
	}
}
