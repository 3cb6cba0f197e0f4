package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// What --denoise may be.
const (
	denoiseAuto    = "auto"
	denoiseOIDN    = "oidn"
	denoiseBuiltin = "builtin"
)

// chooseDenoiser finds out before the first sample what pictures are denoised by.
func chooseDenoiser(flag string, i render.Integrator) (string, error) {
	switch flag {
	case "":
		return "", nil
	case denoiseAuto, denoiseOIDN, denoiseBuiltin:
	default:
		return "", fmt.Errorf("%w: --denoise=%s: want auto, oidn or builtin", errUsage, flag)
	}
	if i != render.Path {
		return "", fmt.Errorf("%w: --denoise is for --integrator path: the others have little noise", errUsage)
	}
	if flag == denoiseBuiltin {
		return flag, nil
	}
	d, err := oidn.Open()
	if errors.Is(err, oidn.ErrMissing) {
		if flag == denoiseAuto {
			return denoiseBuiltin, nil
		}
		return "", fmt.Errorf("--denoise: %w: install Intel's Open Image Denoise 1 or 2 where the loader finds it, or leave the flag "+
			"out; viewer render has --denoise=builtin", err)
	}
	d.Close()
	return denoiseOIDN, err
}

// denoiserText says in the summary what a picture went through.
func denoiserText(denoiser string) string {
	switch denoiser {
	case denoiseOIDN:
		return ", denoised by Open Image Denoise"
	case denoiseBuiltin:
		return ", denoised by the built-in filter"
	}
	return ""
}

// denoise replaces a film's light by what is left of it without noise.
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
	replaceLight(f, out)
	return nil
}

// replaceLight puts clean means in the place of a film's. What is unlit has no noise, and stays.
func replaceLight(f *render.Film, out []float32) {
	for i := range f.Width * f.Height {
		sum, shown := f.Pixels[4*i:4*i+4], unlitOf(f, i)
		for k := range 3 {
			sum[k] = max(out[3*i+k], 0)*(sum[3]-shown[3]) + shown[k]
		}
	}
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
