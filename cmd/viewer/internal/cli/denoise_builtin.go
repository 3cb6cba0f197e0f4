package cli

import (
	"context"

	"github.com/everray/everray/cmd/viewer/internal/nlm"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// halves keeps what the film was at powers of two of samples, for a denoiser that compares one half of them with the other.
type halves struct {
	kept [2]keptFilm // the last two
}

type keptFilm struct {
	film    *render.Film
	samples int
}

// firstHalf is from how many samples on films are kept, where twice as many are asked for.
const firstHalf = 8

// next is the number of samples at which to keep the film, after that many of at most so many.
func (h *halves) next(have, most int) int {
	n := 1
	for n <= have || n < min(firstHalf, most/2) {
		n *= 2
	}
	return min(n, most)
}

func (h *halves) newest() int { return h.kept[1].samples }

func (h *halves) keep(f *render.Film, samples int) {
	h.kept[0], h.kept[1] = h.kept[1], keptFilm{f, samples}
}

// nearest is what was kept nearest to the half of so many samples; nil where nothing was before them.
func (h *halves) nearest(samples int) *render.Film {
	var best *render.Film
	off := samples
	for _, k := range h.kept {
		if d := max(2*k.samples-samples, samples-2*k.samples); k.film != nil && k.samples < samples && d < off {
			best, off = k.film, d
		}
	}
	return best
}

// clean takes the noise out of a film, in the way that was chosen.
func (s *sampling) clean(ctx context.Context, f *render.Film) error {
	switch s.denoise {
	case denoiseOIDN:
		return denoise(ctx, f)
	case denoiseBuiltin:
		half := s.halves.nearest(s.r.Stats().Samples)
		if half == nil {
			s.app.warn("one sample per pixel is too little for the built-in denoiser: the noise stays")
			s.denoise = ""
			return nil
		}
		out, err := nlm.Denoise(ctx, halvesOf(f, half))
		if err != nil {
			return err
		}
		replaceLight(f, out)
	}
	return nil
}

// halvesOf takes the samples since the first half was kept from those of the film.
func halvesOf(f, first *render.Film) nlm.Picture {
	all := filmPicture(f)
	rest := &render.Film{Width: f.Width, Height: f.Height, Pixels: make([]float32, len(f.Pixels))}
	for i, v := range f.Pixels {
		rest.Pixels[i] = v - first.Pixels[i]
	}
	if f.Unlit != nil {
		rest.Unlit = make([]float32, len(f.Unlit))
		for i, v := range f.Unlit {
			rest.Unlit[i] = v - first.Unlit[i]
		}
	}
	return nlm.Picture{Width: f.Width, Height: f.Height, Albedo: all.Albedo, Normal: all.Normal,
		First:  nlm.Half{Color: filmPicture(first).Color, Samples: most(first)},
		Second: nlm.Half{Color: filmPicture(rest).Color, Samples: most(rest)}}
}

// most is the number of samples of a film, but for those that a pixel lacks.
func most(f *render.Film) int {
	n := float32(1)
	for i := 3; i < len(f.Pixels); i += 4 {
		n = max(n, f.Pixels[i])
	}
	return int(n)
}
