package fallback

import "testing"

// TestRowStep checks that all rows of a batch come, each once, and that either half of them is spread over the batch.
func TestRowStep(t *testing.T) {
	for n := uint32(1); n < 700; n++ {
		step, seen, sum := rowStep(n), make([]bool, n), uint32(0)
		for i := range n {
			row := i * step % n
			if seen[row] {
				t.Fatalf("%d rows: row %d comes twice by steps of %d", n, row, step)
			}
			seen[row] = true
			if i < n/2 {
				sum += row
			}
		}
		if mean := float64(sum) / float64(max(1, n/2)); n > 16 && (mean < 0.4*float64(n) || mean > 0.6*float64(n)) {
			t.Errorf("%d rows by steps of %d: the first half has row %.1f in the mean", n, step, mean)
		}
	}
}
