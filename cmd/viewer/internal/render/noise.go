package render

import "math"

// NoiseMeter estimates the noise of an image from its two halves: what the first samples and those since say of each pixel.
type NoiseMeter struct {
	sums    []float32 // luminance, summed
	numbers []float32
}

// firstMeasure is the number of samples from which on it is worth to look.
const firstMeasure = 8

// Next is the number of samples at which to measure again.
func (m *NoiseMeter) Next(samples int) int { return max(firstMeasure, 2*samples) }

// Measure takes the image as it is now. It returns the standard error of the pixels' brightness, from black at 0 to white at
// 1, as the root of the mean square over all pixels; ok is false at the first call, which has nothing to compare with.
// Brightness is luminance compressed by x/(1+x), so that lamps do not outweigh the rest.
func (m *NoiseMeter) Measure(f *Film) (noise float64, ok bool) {
	n := f.Width * f.Height
	sums, numbers := make([]float32, n), make([]float32, n)
	for i := range n {
		p := f.Pixels[4*i : 4*i+4]
		sums[i], numbers[i] = 0.2126*p[0]+0.7152*p[1]+0.0722*p[2], p[3]
	}
	total, counted := 0.0, 0
	for i := range m.sums {
		a, b := m.numbers[i], numbers[i]-m.numbers[i]
		if a <= 0 || b <= 0 {
			continue
		}
		first, second := float64(m.sums[i]/a), float64((sums[i]-m.sums[i])/b)
		// The two means differ by noise of variance v/a + v/b; that of all samples has v/(a+b).
		d := first/(1+first) - second/(1+second)
		total += d * d * float64(a) * float64(b) / (float64(a+b) * float64(a+b))
		counted++
	}
	m.sums, m.numbers = sums, numbers
	if counted == 0 {
		return 0, false
	}
	return math.Sqrt(total / float64(counted)), true
}
