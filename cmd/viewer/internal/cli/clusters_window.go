//go:build !headless

package cli

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"runtime"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/overlay"
	"github.com/everray/everray/window"
)

// clustersLoop is the state of the window's loop. Window, display and camera are those of view.
type clustersLoop struct {
	viewer
	own     *animator
	mesh    bool    // the camera is the mesh's, not the statues'
	seconds float64 // between pictures, on average of late
	showed  time.Time
}

// clustersWindow shows the demo in a window until it is closed.
func (a *app) clustersWindow(ctx context.Context, f *clustersFlags) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f.byCompute()
	l := &clustersLoop{viewer: viewer{app: a, viewFlags: &viewFlags{deviceFlags: f.deviceFlags}, panel: true}, mesh: true}
	if l.window, err = window.Open(window.Options{Title: "clusters: " + f.scene, Width: f.width, Height: f.height}); err != nil {
		return err
	}
	defer l.window.Close()
	l.own = &animator{app: a, flags: f, request: newRequest[animation](l.window.Wake)}
	l.own.want.width, l.own.want.height = l.window.Size()
	return l.run(ctx)
}

// run starts what animates, and shows it.
func (l *clustersLoop) run(ctx context.Context) error {
	if err := l.beside(ctx, l.own.run, l.loop); err != nil {
		return err
	}
	if r := l.own.report(); r != nil {
		return l.app.printClusters(r)
	}
	return nil
}

// loop runs until the window is closed, the context ends, or --frames are shown.
func (l *clustersLoop) loop(ctx context.Context, ready <-chan opened, ended chan error) error {
	l.last = time.Now()
	for l.own.flags.quitAfter == 0 || l.frames < l.own.flags.quitAfter {
		wait := idle
		if l.held {
			wait = flying
		}
		in := l.window.Wait(wait)
		if in.Closed || ctx.Err() != nil {
			return nil //nolint:nilerr // interrupting a window is closing it
		}
		select {
		case o := <-ready:
			if o.err != nil {
				return o.err
			}
			if err := l.presents.open(o); err != nil {
				return err
			}
		case err := <-ended:
			return err
		default:
		}
		l.input(in)
		if err := l.present(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// input follows what the user did.
func (l *clustersLoop) input(in window.Input) {
	elapsed := time.Since(l.last)
	l.last = time.Now()
	width, height := l.window.Size()
	if w := l.own.wanted(); w.width != width || w.height != height {
		l.own.change(func(w *animation) { w.width, w.height = width, height })
	}
	l.own.mu.Lock()
	cameras, steps := l.own.cameras, len(l.own.frame.steps)
	l.own.mu.Unlock()
	for _, key := range in.Keys {
		if key == '\t' {
			l.panel = !l.panel
		}
	}
	if cameras[0].distance == 0 {
		return
	}
	if l.orbit == nil {
		l.home(cameras)
	}
	for _, key := range in.Keys {
		switch {
		case key >= '1' && key < '1'+rune(steps):
			shown := clusters.Shown(key - '1')
			l.own.change(func(w *animation) { w.shown = shown })
			if mesh := shown != clusters.ShowStatues; mesh != l.mesh {
				l.mesh = mesh
				l.home(cameras)
			}
		case key == 'S':
			l.own.change(func(w *animation) { w.still = !w.still })
		case key == 'R':
			l.home(cameras)
		}
	}
	if l.move(in, elapsed) {
		l.look()
	}
}

// home goes to where the mesh, or the statues, are seen from.
func (l *clustersLoop) home(cameras [2]place) {
	p := cameras[0]
	if !l.mesh {
		p = cameras[1]
	}
	l.orbit = camera.NewOrbit(p.camera, p.distance)
	l.look()
}

// look tells the animator where the camera is.
func (l *clustersLoop) look() {
	c := l.orbit.Camera()
	l.own.change(func(w *animation) { w.camera = c })
}

// present shows the newest picture with the panel over it, if any of that is new.
func (l *clustersLoop) present(ctx context.Context) error {
	l.own.mu.Lock()
	f, status, since, w := l.own.frame, l.own.status, l.own.since, l.own.want
	l.own.mu.Unlock()
	width, height := l.window.Size()
	if ok, err := l.presents.resize(ctx, width, height); err != nil || !ok {
		return err
	}
	var lines []string
	switch {
	case f.img == nil:
		lines = []string{fmt.Sprintf("%s ... %d s", status, int(time.Since(since).Seconds()))}
	case l.panel:
		lines = f.lines(w, l.own.flags.triangles, l.seconds)
	}
	scale := overlayScale(l.window.Scale())
	words := fmt.Sprint(lines, l.presents.size, scale)
	if f.number == l.number && words == l.shown {
		return nil
	}
	fresh := f.number != l.number
	l.number, l.shown = f.number, words
	wide, high := l.presents.presenter.Size()
	img := image.NewRGBA(image.Rect(0, 0, wide, high))
	if f.img != nil {
		overlay.Scale(img, f.img)
	} else {
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{24, 27, 34, 255}), image.Point{}, draw.Src)
	}
	if len(lines) > 0 {
		overlay.Box(img, 8*scale, 8*scale, scale, lines)
	}
	if err := l.presents.show(ctx, img.Pix); err != nil {
		return err
	}
	if fresh && f.img != nil {
		l.frames++
		l.paced()
	}
	return nil
}

// paced keeps how long it is from picture to picture.
func (l *clustersLoop) paced() {
	now := time.Now()
	s := now.Sub(l.showed).Seconds()
	switch {
	case l.showed.IsZero():
	case l.seconds == 0:
		l.seconds = s
	default:
		l.seconds += smoothing * (s - l.seconds)
	}
	l.showed = now
}
