//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/window"
)

// How far the mouse and the keys move the camera.
const (
	radiansPerPixel = 0.006
	panPerPixel     = 0.0015 // of the distance to the target
	zoomPerNotch    = 0.9
	flyPerSecond    = 0.8 // of the distance
	longestStep     = 100 * time.Millisecond
)

// How long the loop waits for input: while keys are held, and else.
const (
	flying = 10 * time.Millisecond
	idle   = 50 * time.Millisecond
)

type viewFlags struct {
	deviceFlags
	sceneFlags
	lookFlags
	spp, frames int
	denoise     bool
}

func (a *app) viewCommand() *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view SCENE",
		Short: "Show a scene in a window, progressively",
		Long: `view shows a scene in a window: coarse while the camera moves, then finer, and a sample per pixel more with
every frame. Files dropped on the window are opened.

  left mouse button    turn around the target      arrows, page up and down     fly
  other mouse buttons  shift                       right button and W S A D E Q fly
  wheel                nearer, farther             1 to 9    cameras of the scene
  click                what is there               F         frame all
  double click         turn around that point      R         back to the start
  Tab                  panel                       P         save a .png and an .exr
  H                    heat map, and back          [ ] T     exposure, tone mapping
  E B V                environment, bounces, material variant
  N                    take out noise, and back (where Open Image Denoise is installed)
  W                    boxes of the tree, level    Esc Q     quit
                       after level (by compute)`,
		Args: sceneArg(&f.sceneFlags),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.view(cmd.Context(), &f) },
	}
	f.deviceFlags.register(cmd.Flags(), true)
	f.sceneFlags.register(cmd.Flags(), 1280, 720)
	f.lookFlags.register(cmd, headlightAuto)
	cmd.Flags().IntVar(&f.spp, "spp", 4096, "samples per pixel after which the image is complete")
	cmd.Flags().BoolVar(&f.denoise, "denoise", false, "take out noise with Open Image Denoise, where it is installed (N)")
	cmd.Flags().IntVar(&f.frames, "frames", 0, "quit after so many frames; 0 stays")
	return cmd
}

// viewer is the state of the window's loop.
type viewer struct {
	*viewFlags
	app       *app
	window    *window.Window
	painter   *painter
	presents  presenting
	orbit     *camera.Orbit // nil before there is a scene
	look      render.Look
	panel     bool
	picked    []string
	picking   chan []string
	focus     chan picked
	held      bool // keys that fly are
	seen      *assets.Scene
	path      string            // its file
	before    render.Integrator // H goes back to it
	work      *sync.WaitGroup
	shown     string // what was presented last, in words
	number    int    // and which picture
	frames    int    // pictures that were presented
	last      time.Time
	titled    time.Time
	opened    time.Time
	firstShow time.Duration
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
	f.hitObjects = options.Reorder
	if options.Integrator == render.Heat {
		return fmt.Errorf("%w: --integrator heat: press H in the window, or use viewer render, which draws its scale", errUsage)
	}
	if f.denoise {
		if _, err := chooseDenoiser(denoiseOIDN, options.Integrator); err != nil {
			return err
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v := &viewer{viewFlags: f, app: a, look: look, opened: time.Now(), picking: make(chan []string, 1), focus: make(chan picked, 1)}
	if v.window, err = window.Open(window.Options{Title: f.scene, Width: f.width, Height: f.height}); err != nil {
		return err
	}
	defer v.window.Close()
	return v.run(ctx, options.Integrator)
}

// run starts what draws, and shows it until the window is closed.
func (v *viewer) run(ctx context.Context, i render.Integrator) error {
	p := &painter{app: v.app, flags: v.viewFlags, request: newRequest[wanted](v.window.Wake)}
	p.cleaning.open, p.clock = oidn.Open, time.Now
	p.want = wanted{look: v.look, integrator: i, file: v.scene, settings: v.viewFlags.settings()}
	v.painter = p
	if err := v.beside(ctx, p.run, v.loop); err != nil {
		return err
	}
	v.summary()
	return nil
}

// beside runs what draws, and opens the display, each on a goroutine of its own, while loop shows what there is. When it returns,
// all have ended.
func (v *viewer) beside(ctx context.Context, draw func(context.Context) error,
	loop func(ctx context.Context, ready <-chan opened, ended chan error) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	v.work = &work
	ended := make(chan error, 1)
	work.Go(func() {
		ended <- draw(ctx)
		v.window.Wake()
	})
	ready := make(chan opened, 1)
	work.Go(func() { v.openDisplay(ctx, ready) })
	defer func() {
		cancel()
		v.window.Hide()
		work.Wait()
		select {
		case o := <-ready:
			_ = v.presents.open(o) // to be closed below
		default:
		}
		err = errors.Join(err, v.presents.close())
		select {
		case e := <-ended:
			err = errors.Join(err, e)
		default:
		}
	}()
	return loop(ctx, ready, ended)
}

// opened is the device that presents, or why there is none.
type opened struct {
	dev      *engine.Device
	messages *messages
	err      error
}

// openDisplay opens the device that presents: one of its own, so that showing a picture never waits for the next.
func (v *viewer) openDisplay(ctx context.Context, to chan<- opened) {
	o, m, err := v.deviceFlags.options()
	if err == nil {
		o.InstanceExtensions, o.CreateSurface = v.window.InstanceExtensions(), v.window.CreateSurface
		o.CacheDir = ""
		var dev *engine.Device
		dev, err = engine.Open(ctx, o)
		to <- opened{dev, m, err}
		v.window.Wake()
		return
	}
	to <- opened{err: err}
	v.window.Wake()
}

// loop runs until the window is closed, the context ends, or --frames are shown.
func (v *viewer) loop(ctx context.Context, ready <-chan opened, ended chan error) error {
	v.last = time.Now()
	for v.viewFlags.frames == 0 || v.frames < v.viewFlags.frames {
		wait := idle
		if v.held {
			wait = flying
		}
		in := v.window.Wait(wait)
		if in.Closed || ctx.Err() != nil {
			return nil //nolint:nilerr // interrupting a window is closing it
		}
		select {
		case o := <-ready:
			if o.err != nil {
				return o.err
			}
			if err := v.presents.open(o); err != nil {
				return err
			}
		case err := <-ended:
			if err != nil || ctx.Err() != nil {
				return err
			}
		case v.picked = <-v.picking:
		case h := <-v.focus:
			if v.orbit != nil {
				v.orbit.Focus(h.point)
				v.moved()
			}
		default:
		}
		v.input(ctx, in)
		if err := v.present(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// move applies the input to the camera and reports whether it moved. Flying counts by time.
func (v *viewer) move(in window.Input, elapsed time.Duration) bool {
	v.held = in.Right != 0 || in.Up != 0 || in.Forward != 0
	if !in.Moved() {
		return false
	}
	step := flyPerSecond * min(elapsed, longestStep).Seconds()
	v.orbit.Rotate(in.OrbitX*radiansPerPixel, in.OrbitY*radiansPerPixel)
	v.orbit.Move(-in.PanX*panPerPixel, in.PanY*panPerPixel, 0)
	v.orbit.Move(float64(in.Right)*step, float64(in.Up)*step, float64(in.Forward)*step)
	v.orbit.Zoom(math.Pow(zoomPerNotch, in.Wheel))
	return true
}

// summary is the line on quitting: what was rendered.
func (v *viewer) summary() {
	f := v.painter.frame
	if v.app.quiet || f.img == nil {
		return
	}
	clean := ""
	if f.clean {
		clean = ", denoised"
	}
	fmt.Fprintf(v.app.stdout, "%s: %d x %d, %d samples per pixel%s, %.2f Mrays in %.2f s, %s; first picture after %.2f s\n",
		v.painter.want.file, f.size[0], f.size[1], f.stats.Samples, clean, float64(f.rays)/1e6, f.stats.TraceWall.Seconds(), f.way,
		v.firstShow.Seconds())
}

// title shows the progress, a few times a second.
func (v *viewer) title(status string, f *painted) {
	if time.Since(v.titled) < 250*time.Millisecond {
		return
	}
	v.titled = time.Now()
	text := v.painter.wanted().file
	switch {
	case f.img != nil:
		text = fmt.Sprintf("%s: %s, %d samples, %.1f ms each", text, f.device, f.stats.Samples, report.Milliseconds(f.perPass))
	case status != "":
		text += ": " + status
	}
	v.window.SetTitle(text)
}

// presenting shows pixels in the window.
type presenting struct {
	dev       *engine.Device
	messages  *messages
	presenter *window.Presenter
	pixels    *vk.Buffer
	size      [2]int
}

func (p *presenting) open(o opened) (err error) {
	if o.dev == nil {
		return nil
	}
	p.dev, p.messages = o.dev, o.messages
	p.presenter, err = window.NewPresenter(o.dev.VK(), o.dev.Surface())
	return err
}

// resize follows the window; false while it has no area.
func (p *presenting) resize(ctx context.Context, width, height int) (bool, error) {
	if width == 0 || height == 0 || p.presenter == nil {
		return false, nil
	}
	if p.size == [2]int{width, height} {
		return true, nil
	}
	if err := p.presenter.Resize(ctx, width, height); err != nil {
		return false, err
	}
	w, h := p.presenter.Size()
	if w == 0 || h == 0 {
		return false, nil
	}
	p.pixels.Destroy()
	var err error
	p.pixels, err = p.dev.VK().NewBuffer(vk.BufferOptions{Name: "window", Size: uint64(4 * w * h), Memory: vk.DeviceLocal})
	if err != nil {
		return false, fmt.Errorf("picture of the window, %d x %d pixels: %w", w, h, err)
	}
	p.size = [2]int{width, height}
	return true, nil
}

func (p *presenting) show(ctx context.Context, pix []byte) error {
	if p.presenter.BlueFirst() {
		for i := 0; i+3 < len(pix); i += 4 {
			pix[i], pix[i+2] = pix[i+2], pix[i]
		}
	}
	if err := p.dev.VK().UploadBuffer(ctx, p.pixels, 0, pix); err != nil {
		return fmt.Errorf("show the picture: %w", err)
	}
	err := p.presenter.Present(ctx, p.pixels)
	if errors.Is(err, window.ErrOutdated) {
		p.size = [2]int{} // the next frame makes a new swapchain
		return nil
	}
	return err
}

func (p *presenting) close() error {
	if p.dev == nil {
		return nil
	}
	err := p.dev.VK().WaitIdle()
	p.presenter.Destroy()
	p.pixels.Destroy()
	return errors.Join(err, p.dev.Close(), p.messages.err())
}
