//go:build !headless

package cli

import (
	"context"
	"image"
	"image/draw"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// cleaning takes the noise out of the window's pictures: of the first sample behind each restart, and again when there are twice
// as many, so that it takes a part of the time at most. In between, what is clean stays. The painter's goroutine alone uses it.
type cleaning struct {
	open    func() (*oidn.Device, error) // oidn.Open, but in tests
	device  *oidn.Device
	missing error

	of      cleaned
	samples int
	img     *image.RGBA
}

// cleaned tells pictures apart: of another, nothing may be shown.
type cleaned struct {
	renderer      *render.Renderer
	width, height int
	camera        camera.Camera
	look          render.Look
}

// ready opens the library when it is first of use, and says why it cannot be.
func (c *cleaning) ready() error {
	if c.device == nil && c.missing == nil {
		c.device, c.missing = c.open()
	}
	return c.missing
}

// due tells whether a picture of so many samples is to be cleaned; else the last one that was is still good.
func (c *cleaning) due(of cleaned, samples, most int) bool {
	return c.img == nil || of != c.of || samples < c.samples || samples >= 2*c.samples || samples >= most && c.samples < most
}

// picture is a clean picture of what a side has drawn.
func (c *cleaning) picture(ctx context.Context, s *side, look render.Look, most int) (*image.RGBA, error) {
	width, height := s.renderer.Size()
	of, samples := cleaned{s.renderer, width, height, s.camera, look}, s.renderer.Stats().Samples
	if !c.due(of, samples, most) {
		return c.img, nil
	}
	film, err := s.renderer.Film(ctx)
	if err != nil {
		return nil, err
	}
	if err := denoiseWith(ctx, c.device, film); err != nil {
		return nil, err
	}
	shown, err := film.Image(look)
	if err != nil {
		return nil, err
	}
	c.of, c.samples, c.img = of, samples, image.NewRGBA(shown.Rect)
	draw.Draw(c.img, shown.Rect, shown, image.Point{}, draw.Src)
	return c.img, nil
}

func (c *cleaning) close() { c.device.Close() }
