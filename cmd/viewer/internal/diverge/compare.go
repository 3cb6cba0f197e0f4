package diverge

import (
	"errors"
	"fmt"
	"math"
)

// Comparison says how two images of the same paths differ.
type Comparison struct {
	Paths int `json:"paths"`
	// Rays are those of all paths, of the image and of the one that it is compared with.
	Rays      uint64 `json:"rays"`
	Reference uint64 `json:"rays_of_reference"`
	// Differ counts paths of another number of rays or another radiance.
	Differ int `json:"differ"`
	// Mean is the mean radiance of all channels, MeanReference that of the other.
	Mean          float64 `json:"mean_radiance"`
	MeanReference float64 `json:"mean_radiance_of_reference"`
}

// What two ways may differ in. A path goes on from where it hit, so that rounding of t may grow until a later segment hits
// another triangle, here and there.
const (
	radianceTolerance = 1e-3 // of a channel of a path, absolute or relative
	shareTolerance    = 1e-2 // of paths that differ
	meanTolerance     = 1e-3 // of the mean, relative
)

// ErrDiffer is returned by Comparison.Verdict for images that are not of the same paths.
var ErrDiffer = errors.New("the paths differ")

// Compare compares an image with a reference of the same size.
func Compare(image, reference []Path) Comparison {
	c := Comparison{Paths: len(image)}
	for i, a := range image {
		b := reference[i]
		c.Rays += uint64(a.Rays)
		c.Reference += uint64(b.Rays)
		same := a.Rays == b.Rays
		for k := range a.Radiance {
			x, y := float64(a.Radiance[k]), float64(b.Radiance[k])
			c.Mean += x
			c.MeanReference += y
			same = same && math.Abs(x-y) <= radianceTolerance*max(1, math.Abs(y)) // false for NaN
		}
		if !same {
			c.Differ++
		}
	}
	n := float64(3 * len(image))
	c.Mean, c.MeanReference = c.Mean/n, c.MeanReference/n
	return c
}

// Verdict is nil if the differences are those that rounding explains.
func (c Comparison) Verdict() error {
	off := math.Abs(c.Mean - c.MeanReference)
	if c.Paths == 0 || float64(c.Differ) > shareTolerance*float64(c.Paths) || !(off <= meanTolerance*c.MeanReference) {
		return fmt.Errorf("%w: %d of %d, %d rays and %d, mean radiance %g and %g", ErrDiffer, c.Differ, c.Paths, c.Rays, c.Reference,
			c.Mean, c.MeanReference)
	}
	return nil
}
