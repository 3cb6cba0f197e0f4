//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/clusters"
	"github.com/everray/everray/cmd/viewer/internal/report"
)

// animator loads a scene, compiles and animates on a goroutine of its own, so that the window's thread always answers. The window
// says what it wants, and takes the newest picture when it likes.
type animator struct {
	request[animation]
	app   *app
	flags *clustersFlags

	// What the request's lock guards, too.
	frame   animated
	cameras [2]place // of the mesh and of the statues; the first is not set before there is a scene
}

// animation is what the window asks for.
type animation struct {
	width, height int
	camera        camera.Camera
	shown         clusters.Shown
	still         bool
}

// animated is a picture and what there is to say of it. Times of steps are averages of late.
type animated struct {
	img       *image.RGBA
	number    int
	steps     []clusters.Step
	shown     clusters.Shown
	way       report.Way
	triangles int
	took      time.Duration // of the last frame, as the host sees it
}

// place is a camera and how far its target is.
type place struct {
	camera   camera.Camera
	distance float32
}

// The mesh twists to a quarter of a turn and back.
const (
	twist       = math.Pi / 2
	twistPeriod = 8 * time.Second
	smoothing   = 0.1 // share of a new time in an average
)

// run animates until the context ends.
func (n *animator) run(ctx context.Context) (err error) {
	n.say("load " + n.flags.scene)
	scene, _, err := n.flags.loadTriangles(ctx, n.app)
	if err != nil {
		return err
	}
	view, distance, err := n.flags.place(scene)
	if err != nil {
		return err
	}
	n.say("open the device")
	dev, closeDevice, err := n.flags.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice()) }()
	mesh := clusters.Of(scene)
	n.say(fmt.Sprintf("cut %d triangles into clusters and build", mesh.Triangles()))
	w := n.wanted()
	d, err := clusters.NewDemo(ctx, dev, mesh, n.flags.triangles, max(w.width, 1), max(w.height, 1))
	if err != nil {
		return err
	}
	defer d.Destroy()
	if n.flags.statues > 0 {
		if err := d.AddStatues(ctx, n.flags.statues); err != nil {
			return err
		}
	}
	n.mu.Lock()
	n.cameras = [2]place{{view, distance}, {d.Around(), 12 * d.Apart()}}
	n.want.camera = view
	n.frame.way, n.frame.triangles = report.WayOf(dev), mesh.Triangles()
	n.mu.Unlock()
	n.say("first picture")
	return n.animate(ctx, d)
}

// animate shows frame after frame. One that stands still waits for something to change, and one that is begun is ended: work of a
// device that nobody waits for keeps it from being closed.
func (n *animator) animate(ctx context.Context, d *clusters.Demo) error {
	var phase time.Duration
	last := time.Now()
	for {
		w := n.wanted()
		if w.still || w.width == 0 || w.height == 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-n.changes:
			}
			w, last = n.wanted(), time.Now()
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // interrupting a window is closing it
		}
		if w.width == 0 || w.height == 0 {
			continue
		}
		if w.width != d.Width || w.height != d.Height {
			if err := d.Resize(w.width, w.height); err != nil {
				return err
			}
		}
		began := time.Now()
		if !w.still {
			phase += began.Sub(last)
		}
		last = began
		angle := twist * math.Sin(2*math.Pi*phase.Seconds()/twistPeriod.Seconds())
		img, steps, err := d.Live(context.WithoutCancel(ctx), w.camera, angle, w.shown)
		if err != nil {
			return err
		}
		n.publish(img, steps, w.shown, time.Since(began))
	}
}

// publish gives a picture to the window.
func (n *animator) publish(img *image.NRGBA, steps []clusters.Step, shown clusters.Shown, took time.Duration) {
	n.mu.Lock()
	f := &n.frame
	for k := range steps {
		if k < len(f.steps) {
			steps[k] = averaged(f.steps[k], steps[k])
		}
	}
	f.img = &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect} // all of it is opaque
	f.steps, f.shown, f.took = steps, shown, took
	f.number++
	n.status = ""
	n.mu.Unlock()
	n.wake()
}

// averaged puts a new time in an average. What a frame did not do keeps its time.
func averaged(old, s clusters.Step) clusters.Step {
	mix := func(was, is float64) float64 {
		switch {
		case was == 0:
			return is
		case is == 0:
			return was
		}
		return was + smoothing*(is-was)
	}
	s.Positions, s.Structures = mix(old.Positions, s.Positions), mix(old.Structures, s.Structures)
	s.Top, s.Picture = mix(old.Top, s.Top), mix(old.Picture, s.Picture)
	s.All = s.Positions + s.Structures + s.Top + s.Picture
	return s
}

// lines are those of the panel.
func (f *animated) lines(w animation, size int, seconds float64) []string {
	rate := ""
	if seconds > 0 {
		rate = fmt.Sprintf(", %.0f frames a second", 1/seconds)
	}
	out := []string{
		fmt.Sprintf("%d triangles in clusters of up to %d; %s", f.triangles, size, clipped(f.way.Device)),
		fmt.Sprintf("%dx%d%s", f.img.Rect.Dx(), f.img.Rect.Dy(), rate),
		"",
		fmt.Sprintf("  %-17s %9s %10s %9s %8s %8s", "ms of the GPU", "positions", "structures", "top level", "picture", "MiB"),
	}
	number := func(ms float64) string {
		if ms == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f", ms)
	}
	for k, s := range f.steps {
		mark := " "
		if clusters.Shown(k) == f.shown {
			mark = ">"
		}
		out = append(out, fmt.Sprintf("%s %d %-15s %9s %10s %9s %8s %8.2f", mark, k+1, s.Way, number(s.Positions), number(s.Structures),
			number(s.Top), number(s.Picture), mebibytes(s.Bytes)))
	}
	still := "S stops"
	if w.still {
		still = "S goes on"
	}
	return append(out, "", fmt.Sprintf("1 to %d shows one   %s   R back   Tab panel   Esc", len(f.steps), still))
}

// report is what the command prints at the end.
func (n *animator) report() *clustersReport {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := &n.frame
	if f.img == nil {
		return nil
	}
	r := &clustersReport{Way: f.way, Scene: n.flags.scene, Triangles: f.triangles, Clusters: n.flags.triangles,
		Frames: [][]clusters.Step{f.steps[:clusters.ShowStatues]}}
	if len(f.steps) > int(clusters.ShowStatues) {
		r.Statues = &f.steps[clusters.ShowStatues]
	}
	return r
}
