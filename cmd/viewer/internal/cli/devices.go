//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// deviceSet opens the devices of a painter, each way at most once.
type deviceSet struct {
	p      *painter
	mu     sync.Mutex
	opened map[engine.Backend]*engine.Device
	closes []func() error
}

// quick tells whether the first picture comes sooner natively: on the CPU, whose compiler takes seconds for what the compute
// way links, and whose native way builds and compiles in one or two.
func (d *deviceSet) quick(i render.Integrator) bool {
	if d.p.flags.backend != engine.BackendAuto.String() || i == render.Heat {
		return false
	}
	infos, err := engine.List(context.Background(), engine.Options{})
	if err != nil {
		return false
	}
	usable := 0
	for _, info := range infos {
		if info.Err == nil && (info.TypeName() != "cpu" || info.Backend != engine.BackendCompute || len(info.NativeMissing) > 0) {
			return false
		}
		usable++
	}
	return usable > 0
}

// open returns the device for an integrator; quick asks for the native way.
func (d *deviceSet) open(ctx context.Context, i render.Integrator, quick bool) (*engine.Device, error) {
	backend, err := engine.ParseBackend(d.p.flags.backend)
	if err != nil {
		return nil, err
	}
	switch {
	case quick:
		backend = engine.BackendNative
	case i == render.Heat && backend == engine.BackendNative:
		return nil, fmt.Errorf("%w: heat counts the steps of the compute way's traversal: use --backend compute", errUsage)
	case i == render.Heat:
		backend = engine.BackendCompute
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev := d.opened[backend]; dev != nil {
		return dev, nil
	}
	flags := d.p.flags.deviceFlags
	flags.backend = backend.String()
	dev, closeDevice, err := flags.open(ctx)
	if err != nil {
		return nil, err
	}
	if d.opened == nil {
		d.opened = map[engine.Backend]*engine.Device{}
	}
	d.opened[backend] = dev
	d.closes = append(d.closes, closeDevice)
	return dev, nil
}

func (d *deviceSet) close() (err error) {
	for _, c := range d.closes {
		// A sample that the window's end has left alone goes on for a while; the process ends, and with it all of it.
		if e := c(); !errors.Is(e, vk.ErrBusy) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// save writes the picture, as it is shown and as light, beside each other.
func (p *painter) save(ctx context.Context, s *side, w wanted, scene *assets.Scene) {
	film, err := s.renderer.Film(ctx)
	if err != nil {
		p.note(explain(err))
		return
	}
	base := strings.TrimSuffix(defaultOut(scene.Name), ".png")
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%03d", base, n)
		if _, err := os.Stat(name + ".png"); err == nil {
			continue
		}
		f := renderFlags{sceneFlags: p.flags.sceneFlags}
		look := w.look
		if s.integrator != render.Path {
			look = s.integrator.Look(look.Tone, look.Exposure)
		}
		if w.settings.denoise && p.cleaning.device != nil && s.integrator == render.Path {
			err = denoiseWith(ctx, p.cleaning.device, film)
		}
		img, _, err2 := f.picture(s.integrator, film, look)
		err = errors.Join(err, err2)
		for _, ext := range []string{".png", ".exr"} {
			if err == nil {
				err = f.writePicture(name+ext, film, img, nil)
			}
		}
		text := "saved " + name + ".png and .exr"
		if dir, e := os.Getwd(); e == nil {
			text = "saved " + filepath.Join(dir, name) + ".png and .exr"
		}
		if err != nil {
			text = explain(err)
		}
		p.note(text)
		return
	}
}
