package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// checkDenoise finds out before the first sample whether pictures can be denoised.
func checkDenoise(i render.Integrator) error {
	if i != render.Path {
		return fmt.Errorf("%w: --denoise is for --integrator path: the others have little noise", errUsage)
	}
	d, err := oidn.Open()
	if errors.Is(err, oidn.ErrMissing) {
		return fmt.Errorf("--denoise: %w: install Intel's Open Image Denoise 1 or 2 where the loader finds it, or leave the flag out",
			err)
	}
	d.Close()
	return err
}

// denoise replaces a film's light by what is left of it without noise. What is unlit has none, and stays.
func denoise(ctx context.Context, f *render.Film) error {
	d, err := oidn.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	return denoiseWith(ctx, d, f)
}

// denoiseWith is denoise by a library that is open.
func denoiseWith(ctx context.Context, d *oidn.Device, f *render.Film) error {
	p := filmPicture(f)
	out, err := d.Denoise(ctx, p)
	if err != nil {
		return err
	}
	for i := range f.Width * f.Height {
		sum, shown := f.Pixels[4*i:4*i+4], unlitOf(f, i)
		for k := range 3 {
			sum[k] = max(out[3*i+k], 0)*(sum[3]-shown[3]) + shown[k]
		}
	}
	return nil
}

func unlitOf(f *render.Film, pixel int) [4]float32 {
	if f.Unlit == nil {
		return [4]float32{}
	}
	return [4]float32(f.Unlit[4*pixel:])
}

// filmPicture is a film's means.
func filmPicture(f *render.Film) oidn.Picture {
	n := f.Width * f.Height
	p := oidn.Picture{Width: f.Width, Height: f.Height, Color: make([]float32, 3*n)}
	mean := func(to []float32, sum [4]float32) {
		if sum[3] > 0 {
			for k := range 3 {
				to[k] = sum[k] / sum[3]
			}
		}
	}
	if f.Guides != nil {
		p.Albedo, p.Normal = make([]float32, 3*n), make([]float32, 3*n)
	}
	for i := range n {
		sum, shown := [4]float32(f.Pixels[4*i:]), unlitOf(f, i)
		for k := range sum {
			sum[k] -= shown[k]
		}
		mean(p.Color[3*i:3*i+3], sum)
		if f.Guides != nil {
			mean(p.Albedo[3*i:3*i+3], [4]float32(f.Guides[4*i:]))
			mean(p.Normal[3*i:3*i+3], [4]float32(f.Guides[4*(n+i):]))
		}
	}
	return p
}
