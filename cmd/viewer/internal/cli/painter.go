//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"sync"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/engine"
)

// painter loads scenes, compiles and draws on goroutines of its own, so that the window's thread always answers. The window says
// what it wants, and takes the newest picture when it likes.
type painter struct {
	request[wanted]
	app   *app
	flags *viewFlags
	clock func() time.Time

	cleaning cleaning

	// What the request's lock guards, too.
	options render.Options // of the scene
	scene   *assets.Scene  // that is shown; nil before the first is loaded
	path    string         // its file
	start   camera.Camera  // its camera, and how far its target is
	reach   float32
	frame   painted
	wires   []accel.Wire
	notice  string // what went wrong without ending the program, or was done
}

// wanted is what the window asks for.
type wanted struct {
	width, height int
	camera        camera.Camera
	moved         time.Time
	look          render.Look
	integrator    render.Integrator
	file          string
	settings      settings
	files         int // counts the files that were opened, and settings that were changed
	saves         int
	wires         int // boxes of the tree to show: 0 for none, n for those n-1 steps below the roots
}

// painted is a picture and what there is to say of it.
type painted struct {
	img     *image.RGBA
	number  int
	stats   render.Stats
	size    [2]int
	way     string
	device  string
	perPass time.Duration // of a sample of this size
	rays    uint64
	memory  uint64
	drawing render.Integrator
	film    *render.Film // of a heat map
	clean   bool         // without noise
	camera  camera.Camera
}

// side is one renderer on one device.
type side struct {
	dev        *engine.Device
	renderer   *render.Renderer
	screen     *render.Screen
	integrator render.Integrator
	perPixel   float64 // seconds of a sample, on average of late; 0 is not known yet
	camera     camera.Camera
	stage      int
	way        string
	wired      int // wanted.wires that were made
}

func (s *side) destroy() {
	if s == nil {
		return
	}
	s.screen.Destroy()
	s.renderer.Destroy()
}

func (p *painter) note(text string) {
	p.mu.Lock()
	p.notice = text
	p.mu.Unlock()
	p.wake()
}

// run shows the file that is wanted, and then the next, until the context ends.
func (p *painter) run(ctx context.Context) error {
	defer p.cleaning.close()
	return p.repeat(ctx, func() error {
		devices := &deviceSet{p: p}
		err := p.scenes(ctx, devices)
		return errors.Join(err, devices.close())
	})
}

func (p *painter) scenes(ctx context.Context, devices *deviceSet) error {
	for {
		w := p.wanted()
		scene, err := p.load(ctx, w)
		switch {
		case err == nil:
			err = p.show(ctx, devices, scene, w.files)
			if err != nil || ctx.Err() != nil {
				return err
			}
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case w.files == 0: // the one that the command names
			return err
		}
		p.say("")
		p.note(explain(err))
		for p.wanted().files == w.files { // what was there stays
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-p.changes:
			}
		}
	}
}

// load opens the file that is wanted, as the settings say. The same file again keeps the camera.
func (p *painter) load(ctx context.Context, w wanted) (*assets.Scene, error) {
	p.say("load " + w.file)
	progress := func(done, total int) {
		if total > 0 {
			p.say(fmt.Sprintf("load %s: %d of %d", w.file, done, total))
		}
	}
	flags := w.settings.in(*p.flags)
	scene, err := assets.OpenWith(ctx, w.file, assets.LoadOptions{Progress: progress, Variant: flags.variant})
	if err != nil {
		return nil, err
	}
	for _, text := range scene.Warnings {
		p.app.warn(text)
	}
	cam, distance, err := flags.place(scene)
	if err != nil {
		return nil, err
	}
	options, _, err := flags.lookFlags.options()
	if err != nil {
		return nil, err
	}
	if err := flags.lightFlags.apply(ctx, scene, &options, &cam, distance); err != nil {
		return nil, err
	}
	notice := ""
	if flags.denoise {
		if err := p.cleaning.ready(); err != nil {
			notice = explain(err)
		}
		options.Guides = p.cleaning.device != nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options = options
	p.scene, p.start, p.reach, p.notice = scene, cam, distance, notice
	if p.path != w.file {
		p.want.camera = cam
	}
	p.path = w.file
	if n := len(scene.Warnings); n > 0 {
		p.notice = fmt.Sprintf("%d warnings, the first: %s", n, scene.Warnings[0])
	}
	return scene, nil
}

// made is a side that a goroutine has made, or why not.
type made struct {
	side       *side
	integrator render.Integrator
	err        error
}

// show draws a scene until another file is wanted, or the context ends.
func (p *painter) show(ctx context.Context, devices *deviceSet, scene *assets.Scene, file int) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan made, 1)
	var making sync.WaitGroup
	var current *side
	defer func() {
		cancel()
		making.Wait()
		select {
		case m := <-results:
			m.side.destroy()
		default:
		}
		current.destroy()
	}()
	busy := false
	begin := func(i render.Integrator, quick bool) {
		busy = true
		making.Go(func() {
			s, err := p.make(ctx, devices, scene, i, quick)
			results <- made{s, i, err}
		})
	}
	w := p.wanted()
	upgrade := devices.quick(w.integrator)
	begin(w.integrator, upgrade)
	saved := w.saves
	for {
		var m made
		got := false
		if current == nil || current.done(p.wanted(), p.flags.spp) { // nothing to draw: wait
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-p.changes:
			case m = <-results:
				got = true
			}
		} else {
			select {
			case m = <-results:
				got = true
			default:
			}
		}
		if got {
			busy = false
			if current, err = p.take(current, m); err != nil {
				return err
			}
		}
		w = p.wanted()
		if w.files != file {
			return nil
		}
		if current == nil {
			continue
		}
		p.wire(ctx, current, w.wires)
		if err := p.draw(ctx, current, w); err != nil {
			return err
		}
		if !busy && upgrade && current.renderer.Stats().Samples > 0 { // the first picture is there: now the faster way
			upgrade = false
			begin(w.integrator, false)
		}
		if !busy && w.integrator != current.integrator {
			begin(w.integrator, false)
		}
		if w.saves != saved {
			saved = w.saves
			p.save(ctx, current, w, scene)
		}
	}
}

// take puts a new side in the place of the old one. A failure ends the program only where there is nothing to show.
func (p *painter) take(old *side, m made) (*side, error) {
	p.say("")
	if m.err != nil {
		if old == nil {
			return nil, m.err
		}
		p.note(explain(m.err))
		p.change(func(w *wanted) { w.integrator = old.integrator })
		return old, nil
	}
	old.destroy()
	return m.side, nil
}

// make compiles a renderer and traces its first ray.
func (p *painter) make(ctx context.Context, devices *deviceSet, scene *assets.Scene, i render.Integrator,
	quick bool) (s *side, err error) {
	s = &side{integrator: i}
	defer func() {
		if err != nil {
			s.destroy()
			s = nil
		}
	}()
	p.say("open the device")
	if s.dev, err = devices.open(ctx, i, quick); err != nil {
		return s, err
	}
	s.way = s.dev.Backend().String() + ": " + s.dev.Reason()
	if quick {
		s.way = s.dev.Backend().String() + ": until the compute way, which is faster, is compiled"
	}
	p.mu.Lock()
	options := p.options
	p.mu.Unlock()
	options.Integrator = i
	options.OnStep = func(what string) { p.say(fmt.Sprintf("%s (%s, %s)", what, i, s.dev.Backend())) }
	if s.renderer, err = render.New(ctx, s.dev, scene, options); err != nil {
		return s, err
	}
	if s.screen, err = s.renderer.NewScreen(); err != nil {
		return s, err
	}
	w := p.wanted()
	if err := errors.Join(s.renderer.Resize(8, 8), s.renderer.SetCamera(w.camera)); err != nil {
		return s, err
	}
	s.camera = w.camera
	return s, s.renderer.WarmUp(ctx)
}

// done tells whether all samples are taken of what is wanted.
func (s *side) done(w wanted, spp int) bool {
	st := s.renderer.Stats()
	width, height := s.renderer.Size()
	return w.width == 0 || st.Samples >= spp && [2]int{width, height} == [2]int{w.width, w.height} && s.camera == w.camera &&
		s.integrator == w.integrator && s.stage == finest && s.wired == w.wires
}

// How a picture that moves and one that stands still are refined: coarse at first, so that there is an answer, then finer.
const (
	moving     = 200 * time.Millisecond
	movingPass = 40e-3  // seconds of a sample while the camera moves
	midPass    = 300e-3 // and at the next stage
	movePasses = 4      // samples of each stage
	midPasses  = 8
	finest     = 2
)

// draw takes a sample of a size that answers in time, and publishes the picture.
func (p *painter) draw(ctx context.Context, s *side, w wanted) error {
	if w.width == 0 || w.height == 0 {
		return nil
	}
	if w.camera != s.camera {
		if err := s.renderer.SetCamera(w.camera); err != nil {
			return err
		}
		s.camera, s.stage = w.camera, 0
	}
	width, height := s.size(w)
	if haveW, haveH := s.renderer.Size(); haveW != width || haveH != height {
		full := errors.Join(s.renderer.Resize(w.width, w.height), s.screen.Resize()) // buffers for the largest
		if err := errors.Join(full, s.renderer.Resize(width, height)); err != nil {
			return err
		}
	}
	before := s.renderer.Stats()
	if before.Samples >= p.flags.spp {
		s.stage = min(s.stage+1, finest)
		return nil
	}
	began := time.Now()
	if err := s.renderer.Render(ctx, 1, nil); err != nil {
		return err
	}
	took := time.Since(began)
	per := took.Seconds() / float64(width*height)
	if s.perPixel == 0 {
		s.perPixel = per
	}
	s.perPixel = 0.7*s.perPixel + 0.3*per
	return p.publish(ctx, s, w, took)
}

// size is the picture's at this stage.
func (s *side) size(w wanted) (width, height int) {
	samples := s.renderer.Stats().Samples
	haveW, haveH := s.renderer.Size()
	if time.Since(w.moved) < moving {
		s.stage = 0
	} else if s.stage == 0 && samples >= movePasses || s.stage == 1 && samples >= midPasses {
		s.stage++
	}
	budget := [...]float64{movingPass, midPass, math.Inf(1)}[s.stage]
	if s.stage == 1 && s.seconds(w, 1) < 1 {
		s.stage = finest // close enough to go at once
		budget = math.Inf(1)
	}
	scale := 1
	for scale < 16 && s.seconds(w, scale) > budget {
		scale++
	}
	width, height = max(w.width/scale, 1), max(w.height/scale, 1)
	if s.stage == 0 && samples > 0 && samples < movePasses && time.Since(w.moved) >= moving && haveW > 8 {
		return haveW, haveH // what stands still keeps its size while it is refined
	}
	if width == w.width && time.Since(w.moved) >= moving {
		s.stage = finest
	}
	return width, height
}

// seconds is what a sample takes at a fraction of the window's size.
func (s *side) seconds(w wanted, scale int) float64 {
	per := s.perPixel
	if per == 0 {
		per = 2e-6 // until it is known: a slow device
	}
	return per * float64(w.width/scale) * float64(w.height/scale)
}

func (p *painter) publish(ctx context.Context, s *side, w wanted, took time.Duration) error {
	look := w.look
	if s.integrator != render.Path {
		look = s.integrator.Look(look.Tone, look.Exposure)
	}
	img, film, err := s.picture(ctx, look)
	if err != nil {
		return err
	}
	clean := w.settings.denoise && p.cleaning.device != nil && s.integrator == render.Path &&
		(time.Since(w.moved) >= moving || s.renderer.Stats().Samples >= p.flags.spp) // while the camera moves, answers count
	if clean {
		if img, err = p.cleaning.picture(ctx, s, look, p.flags.spp); err != nil {
			return err
		}
	}
	rays, err := s.renderer.Rays(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	width, height := s.renderer.Size()
	st := s.renderer.Stats()
	p.frame = painted{img: img, number: p.frame.number + 1, stats: st, size: [2]int{width, height},
		way: s.way, device: s.dev.Info().Name, perPass: took, rays: rays, camera: s.camera,
		memory: st.Bottom.Bytes + st.Top.Bytes, drawing: s.integrator, film: film,
		clean: clean}
	p.mu.Unlock()
	p.wake()
	return nil
}

// picture is the image as it is shown. A heat map is coloured on the CPU.
func (s *side) picture(ctx context.Context, look render.Look) (*image.RGBA, *render.Film, error) {
	if s.integrator != render.Heat {
		if err := s.screen.Update(ctx, look, false); err != nil {
			return nil, nil, err
		}
		img, err := s.screen.Read(ctx)
		return img, nil, err
	}
	film, err := s.renderer.Film(ctx)
	if err != nil {
		return nil, nil, err
	}
	img, err := render.NewHeatMap(film, 0).Image()
	if err != nil {
		return nil, nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, film.Width, film.Height)) // without the scale below
	copy(out.Pix, img.Pix)
	return out, film, nil
}
