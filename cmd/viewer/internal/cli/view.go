//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/window"
)

// How far the mouse and the keys move the camera.
const (
	radiansPerPixel = 0.006
	panPerPixel     = 0.0015 // of the distance to the target
	zoomPerNotch    = 0.9
	stepPerFrame    = 0.02 // of the distance
)

// idle is how long the loop waits for input once the image is complete, or the window minimised.
const idle = 50 * time.Millisecond

type viewFlags struct {
	deviceFlags
	sceneFlags
	lookFlags
	spp, frames int
}

func (a *app) viewCommand() *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view SCENE",
		Short: "Show a scene in a window, progressively",
		Long: `view shows a scene in a window and adds a sample per pixel with every frame.

  left mouse button    turn around the target      W S A D R F   fly
  other mouse buttons  shift                       Esc Q         quit
  wheel                nearer, farther`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.view(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), true)
	f.sceneFlags.register(cmd.Flags(), 1280, 720)
	f.lookFlags.register(cmd, headlightAuto)
	cmd.Flags().IntVar(&f.spp, "spp", 4096, "samples per pixel after which the image is complete")
	cmd.Flags().IntVar(&f.frames, "frames", 0, "quit after so many frames; 0 stays")
	return cmd
}

// viewer is the state of the window's loop.
type viewer struct {
	*viewFlags
	window    *window.Window
	dev       *engine.Device
	messages  *messages
	renderer  *render.Renderer
	screen    *render.Screen
	presenter *window.Presenter
	look      render.Look
	orbit     *camera.Orbit
	name      string
	size      [2]int
	samples   int
	titled    time.Time
}

func (a *app) view(ctx context.Context, f *viewFlags) (err error) {
	if err := errors.Join(f.sceneFlags.check(), f.size()); err != nil {
		return err
	}
	if f.spp < 1 || f.spp > maxSamples || f.frames < 0 {
		return fmt.Errorf("%w: --spp %d --frames %d: want 1 to %d, and 0 or more", errUsage, f.spp, f.frames, maxSamples)
	}
	options, look, err := f.lookFlags.options()
	if err != nil {
		return err
	}
	if options.Integrator == render.Heat {
		return fmt.Errorf("%w: --integrator heat: the window has no room for its scale; use viewer render", errUsage)
	}
	scene, cam, distance, err := f.load(ctx, a)
	if err != nil {
		return err
	}
	if err := f.lightFlags.apply(ctx, scene, &options, &cam, distance); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v := &viewer{viewFlags: f, look: look, orbit: camera.NewOrbit(cam, distance), name: scene.Name}
	defer func() { err = errors.Join(err, v.close()) }()
	if err := v.open(ctx, scene, options); err != nil {
		return err
	}
	return v.loop(ctx)
}

// open opens window and device; close releases what it got to, also after an error.
func (v *viewer) open(ctx context.Context, scene *assets.Scene, options render.Options) (err error) {
	if v.window, err = window.Open(window.Options{Title: v.name, Width: v.width, Height: v.height}); err != nil {
		return err
	}
	o, messages, err := v.deviceFlags.options()
	if err != nil {
		return err
	}
	o.InstanceExtensions = v.window.InstanceExtensions()
	o.CreateSurface = v.window.CreateSurface
	if v.dev, err = engine.Open(ctx, o); err != nil {
		return err
	}
	v.messages = messages
	if v.renderer, err = render.New(ctx, v.dev, scene, options); err != nil {
		return err
	}
	if v.screen, err = v.renderer.NewScreen(); err != nil {
		return err
	}
	v.presenter, err = window.NewPresenter(v.dev.VK(), v.dev.Surface())
	return err
}

func (v *viewer) close() (err error) {
	if v.dev != nil {
		err = v.dev.VK().WaitIdle()
		v.presenter.Destroy()
		v.screen.Destroy()
		v.renderer.Destroy()
		err = errors.Join(err, v.dev.Close(), v.messages.err())
	}
	v.window.Close()
	return err
}

// loop runs until the window is closed, the context ends, or --frames are shown.
func (v *viewer) loop(ctx context.Context) error {
	in := window.Input{}
	for frame := 0; v.frames == 0 || frame < v.frames; frame++ {
		if in.Closed {
			return nil
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // interrupting a window is closing it
		}
		if width, height := v.window.Size(); width == 0 || height == 0 {
			in = v.window.Wait(idle)
			continue
		}
		if err := v.frame(ctx, in); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // as above
			}
			return err
		}
		if v.samples >= v.spp {
			in = v.window.Wait(idle)
		} else {
			in = v.window.Poll()
		}
	}
	return nil
}

// frame follows size and input, adds a sample, and presents.
func (v *viewer) frame(ctx context.Context, in window.Input) error {
	if err := v.resize(ctx); err != nil {
		return err
	}
	if v.move(in) {
		if err := v.restart(); err != nil {
			return err
		}
	}
	if v.samples < v.spp {
		if err := v.renderer.Render(ctx, 1, nil); err != nil {
			return err
		}
		v.samples++
	}
	if err := v.screen.Update(ctx, v.look, v.presenter.BlueFirst()); err != nil {
		return err
	}
	v.title()
	err := v.presenter.Present(ctx, v.screen.Pixels())
	if errors.Is(err, window.ErrOutdated) {
		v.size = [2]int{} // the next frame makes a new swapchain
		return nil
	}
	return err
}

func (v *viewer) resize(ctx context.Context) error {
	width, height := v.window.Size()
	if v.size == [2]int{width, height} {
		return nil
	}
	if err := v.presenter.Resize(ctx, width, height); err != nil {
		return err
	}
	width, height = v.presenter.Size()
	if err := v.renderer.Resize(width, height); err != nil {
		return err
	}
	if err := v.screen.Resize(); err != nil {
		return err
	}
	v.size = [2]int{width, height}
	return v.restart()
}

func (v *viewer) restart() error {
	v.samples = 0
	return v.renderer.SetCamera(v.orbit.Camera())
}

// move applies the input to the camera and reports whether it moved.
func (v *viewer) move(in window.Input) bool {
	if !in.Moved() {
		return false
	}
	v.orbit.Rotate(in.OrbitX*radiansPerPixel, in.OrbitY*radiansPerPixel)
	v.orbit.Move(-in.PanX*panPerPixel, in.PanY*panPerPixel, 0)
	v.orbit.Move(float64(in.Right)*stepPerFrame, float64(in.Up)*stepPerFrame, float64(in.Forward)*stepPerFrame)
	v.orbit.Zoom(math.Pow(zoomPerNotch, in.Wheel))
	return true
}

// title shows the progress, a few times a second.
func (v *viewer) title() {
	if time.Since(v.titled) < 250*time.Millisecond {
		return
	}
	v.titled = time.Now()
	s := v.renderer.Stats()
	perSample := 0.0
	if s.Samples > 0 {
		perSample = report.Milliseconds(s.TraceGPU) / float64(s.Samples)
	}
	v.window.SetTitle(fmt.Sprintf("%s: %s, %s, %d samples, %.2f ms per sample", v.name, v.dev.Info().Name, v.dev.Backend(), s.Samples,
		perSample))
}
