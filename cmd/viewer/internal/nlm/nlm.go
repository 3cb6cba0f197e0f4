package nlm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrInvalid is returned for pictures whose parts do not fit each other.
var ErrInvalid = errors.New("invalid picture")

// Half is a picture of a part of the samples.
type Half struct {
	Color   []float32 // r g b by pixel, rows from the top: means
	Samples int
}

// Picture is what Denoise reads: the same picture from two sets of samples, and guides.
type Picture struct {
	Width, Height  int
	First, Second  Half
	Albedo, Normal []float32 // three a pixel, means; nil where there are none
}

// Parameters of the filter, as the second paper has them but for a smaller window.
const (
	window     = 8    // pixels around one that may count
	patch      = 3    // around two that are compared
	damping    = 0.45 // of differences, in standard deviations
	leastShade = 0.03 // albedo below which light is not divided by it
	albedoStep = 0.05 // a difference that counts as another surface
	normalStep = 0.15
	varianceAt = 3   // pixels around one that its variance is the mean of
	farAway    = 8.0 // distances from which on weights are nothing
	band       = 32  // rows that one worker does at a time
)

// Denoise returns the picture of all samples with less noise.
func Denoise(ctx context.Context, p Picture) ([]float32, error) {
	n := p.Width * p.Height
	if p.Width < 1 || p.Height < 1 || len(p.First.Color) != 3*n || len(p.Second.Color) != 3*n || p.First.Samples < 1 ||
		p.Second.Samples < 1 || p.Albedo != nil && len(p.Albedo) != 3*n || p.Normal != nil && len(p.Normal) != 3*n {
		return nil, fmt.Errorf("%w: halves of %d and %d samples for %d x %d pixels", ErrInvalid, p.First.Samples, p.Second.Samples,
			p.Width, p.Height)
	}
	f := newFilter(&p)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (p.Height+band-1)/band) {
		group.Go(func() {
			for ctx.Err() == nil {
				from := int(next.Add(1)-1) * band
				if from >= p.Height {
					return
				}
				f.rows(ctx, from, min(from+band, p.Height))
			}
		})
	}
	group.Wait()
	return f.out, ctx.Err()
}

// filter is a picture under work. Light is divided by albedo, so that textures stay sharp.
type filter struct {
	width, height int
	light         [2][]float32 // three a pixel
	brightness    [2][]float32
	variance      [2][]float32 // of brightness
	share         [2]float32   // of all samples
	guides        []float32    // six a pixel: albedo and normal in units of their steps
	shade         []float32
	out           []float32
}

func newFilter(p *Picture) *filter {
	n := p.Width * p.Height
	f := &filter{width: p.Width, height: p.Height, guides: make([]float32, 6*n), shade: make([]float32, 3*n),
		out: make([]float32, 3*n)}
	for i := range 3 * n {
		f.shade[i] = 1
		if p.Albedo != nil {
			f.shade[i] = max(p.Albedo[i], leastShade)
			f.guides[i/3*6+i%3] = p.Albedo[i] / albedoStep
		}
		if p.Normal != nil {
			f.guides[i/3*6+3+i%3] = p.Normal[i] / normalStep
		}
	}
	halves := [2]Half{p.First, p.Second}
	all := float32(p.First.Samples + p.Second.Samples)
	for h := range halves {
		f.share[h] = float32(halves[h].Samples) / all
		f.light[h], f.brightness[h] = make([]float32, 3*n), make([]float32, n)
		for i := range n {
			for k := range 3 {
				f.light[h][3*i+k] = halves[h].Color[3*i+k] / f.shade[3*i+k]
			}
			l := f.light[h][3*i : 3*i+3]
			f.brightness[h][i] = (l[0] + l[1] + l[2]) / 3
		}
	}
	// The means of both halves differ by noise of variance v/a + v/b, where v is that of one sample.
	difference := make([]float32, n)
	for i := range difference {
		d := f.brightness[0][i] - f.brightness[1][i]
		difference[i] = d * d
	}
	smooth := f.blurred(difference, varianceAt)
	for h := range halves {
		f.variance[h] = make([]float32, n)
		for i, v := range smooth {
			f.variance[h][i] = v * f.share[1-h]
		}
	}
	return f
}

// blurred is the mean over squares of pixels, at the border over what is there.
func (f *filter) blurred(in []float32, r int) []float32 {
	out, between := make([]float32, len(in)), make([]float32, len(in))
	for y := range f.height {
		for x := range f.width {
			sum, from, to := float32(0), max(x-r, 0), min(x+r, f.width-1)
			for k := from; k <= to; k++ {
				sum += in[y*f.width+k]
			}
			between[y*f.width+x] = sum / float32(to-from+1)
		}
	}
	for y := range f.height {
		from, to := max(y-r, 0), min(y+r, f.height-1)
		for x := range f.width {
			sum := float32(0)
			for k := from; k <= to; k++ {
				sum += between[k*f.width+x]
			}
			out[y*f.width+x] = sum / float32(to-from+1)
		}
	}
	return out
}

// scratch is the memory of one worker's band.
type scratch struct {
	distance, across [2][]float32 // with patch more rows on both sides
	sums             [2][]float32 // weighted light, and the weights: four a pixel
}

// rows filters a band.
func (f *filter) rows(ctx context.Context, from, to int) {
	low, high := max(from-patch, 0), min(to+patch, f.height)
	var s scratch
	for h := range s.sums {
		s.sums[h] = make([]float32, 4*f.width*(to-from))
		s.distance[h] = make([]float32, f.width*(high-low))
		s.across[h] = make([]float32, f.width*(high-low))
	}
	for dy := -window; dy <= window; dy++ {
		for dx := -window; dx <= window; dx++ {
			if ctx.Err() != nil {
				return
			}
			for h := range s.distance {
				f.distances(s.distance[h], h, low, high, dx, dy)
				f.sumAcross(s.across[h], s.distance[h], high-low)
			}
			f.gather(&s, from, to, low, high, dx, dy)
		}
	}
	for i := range f.width * (to - from) {
		at := f.width*from + i
		for k := range 3 {
			light := float32(0)
			for h := range s.sums {
				light += f.share[h] * s.sums[h][4*i+k] / s.sums[h][4*i+3] // a pixel itself always counts
			}
			f.out[3*at+k] = light * f.shade[3*at+k]
		}
	}
}

// distances says how far pixels of one half are from those at an offset, in squares of what their noise lets expect. Beyond the
// border the nearest pixel stands for what is not there.
func (f *filter) distances(out []float32, h, low, high, dx, dy int) {
	b, v := f.brightness[h], f.variance[h]
	for y := low; y < high; y++ {
		row := y * f.width
		other := min(max(y+dy, 0), f.height-1) * f.width
		line := out[(y-low)*f.width : (y-low+1)*f.width]
		for x := range line {
			q := other + min(max(x+dx, 0), f.width-1)
			d, vp, vq := b[row+x]-b[q], v[row+x], v[q]
			line[x] = (d*d - (vp + min(vp, vq))) / (1e-8 + damping*damping*(vp+vq))
		}
	}
}

// sumAcross sums up each row over the width of a patch.
func (f *filter) sumAcross(out, in []float32, rows int) {
	for y := range rows {
		line, to := in[y*f.width:(y+1)*f.width], out[y*f.width:(y+1)*f.width]
		for x := range to {
			sum := float32(0)
			for _, d := range line[max(x-patch, 0):min(x+patch+1, f.width)] {
				sum += d
			}
			to[x] = sum / float32(min(x+patch+1, f.width)-max(x-patch, 0))
		}
	}
}

// weight is 1 at no distance and 0 from farAway on: (1 - d/8)^8, which is near exp(-d).
func weight(d float32) float32 {
	w := max(1-d/farAway, 0)
	w *= w
	w *= w
	return w * w
}

// gather adds the pixels at an offset, each half with the weights of the other one.
func (f *filter) gather(s *scratch, from, to, low, high, dx, dy int) {
	for y := max(from, -dy); y < min(to, f.height-dy); y++ {
		first, last := max(y-patch, low)-low, min(y+patch, high-1)-low
		for x := max(0, -dx); x < min(f.width, f.width-dx); x++ {
			p, q := y*f.width+x, (y+dy)*f.width+x+dx
			guide := float32(0)
			a, b := f.guides[6*p:6*p+6], f.guides[6*q:6*q+6]
			for k := range a {
				guide += (a[k] - b[k]) * (a[k] - b[k])
			}
			if guide > farAway {
				continue
			}
			for h := range s.across {
				d := float32(0)
				for k := first; k <= last; k++ {
					d += s.across[1-h][k*f.width+x]
				}
				if d = max(d/float32(last-first+1), guide, 0); d > farAway {
					continue
				}
				w := weight(d)
				sum, light := s.sums[h][4*(p-from*f.width):4*(p-from*f.width)+4], f.light[h][3*q:3*q+3]
				sum[0] += w * light[0]
				sum[1] += w * light[1]
				sum[2] += w * light[2]
				sum[3] += w
			}
		}
	}
}
