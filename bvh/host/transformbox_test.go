package host

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTransformBox transforms boxes of any size and place, points among them, and holds what the host makes, which the device
// does, against float64: it is around the exact box, with less than 2^-20 of how far that reaches to spare.
func TestTransformBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(191, 192))
	for n := range 200000 {
		var rows [12]float32
		for k := range rows {
			rows[k] = float32((rng.Float64()*2 - 1) * math.Pow(10, float64(rng.IntN(13)-6)*float64(n%3)/2))
		}
		var lo, hi [3]float32
		for k := range lo {
			lo[k] = float32((rng.Float64()*2 - 1) * math.Pow(10, float64(rng.IntN(9)-4)*float64(n%2)))
			hi[k] = lo[k]
			if n%5 > 0 {
				hi[k] += float32(rng.Float64() * math.Pow(10, float64(rng.IntN(9)-4)))
			}
		}
		b := transformBox(&rows, lo, hi)
		for row := range 3 {
			least, most, reach := float64(rows[4*row+3]), float64(rows[4*row+3]), math.Abs(float64(rows[4*row+3]))
			for k := range 3 {
				p, q := float64(rows[4*row+k])*float64(lo[k]), float64(rows[4*row+k])*float64(hi[k])
				least += min(p, q)
				most += max(p, q)
				reach += max(math.Abs(p), math.Abs(q))
			}
			below, above := least-float64(b.Min[row]), float64(b.Max[row])-most
			if below < 0 || above < 0 || max(below, above) > reach/(1<<20) {
				t.Fatalf("box %v to %v by %v, row %d: %g below, %g above %g to %g", lo, hi, rows, row, below, above, least, most)
			}
		}
	}
	endless := transformBox(&[12]float32{3e38, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, [3]float32{-2, -1, -1}, [3]float32{2, 1, 1})
	if endless.Min[0] != float32(math.Inf(-1)) || endless.Max[0] != float32(math.Inf(1)) || endless.Min[1] > -1 || endless.Max[1] < 1 {
		t.Errorf("beyond what floats hold a box is %v", endless)
	}
}
