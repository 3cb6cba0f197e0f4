//go:build !headless

package cli

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"time"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/overlay"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/cmd/viewer/internal/report"
	"github.com/everray/everray/window"
)

// exposureStep is what [ and ] change, in stops.
const exposureStep = 0.5

// input follows what the user did.
func (v *viewer) input(ctx context.Context, in window.Input) {
	elapsed := time.Since(v.last)
	v.last = time.Now()
	if n := len(in.Dropped); n > 0 {
		v.picked, v.orbit = nil, nil
		v.painter.change(func(w *wanted) { w.file, w.files, w.settings.variant = in.Dropped[n-1], w.files+1, "" })
	}
	for _, key := range in.Keys {
		if key == '\t' { // it needs no scene
			v.panel = !v.panel
		}
	}
	v.painter.mu.Lock()
	scene, path, start, reach := v.painter.scene, v.painter.path, v.painter.start, v.painter.reach
	v.painter.mu.Unlock()
	if scene == nil {
		return
	}
	if v.orbit == nil || v.path != path {
		v.orbit = camera.NewOrbit(start, reach)
	}
	v.seen, v.path = scene, path
	for _, key := range in.Keys {
		v.key(key, scene, start, reach)
	}
	for _, c := range in.Clicks {
		v.click(ctx, scene, c)
	}
	if v.move(in, elapsed) {
		v.moved()
	}
	width, height := v.window.Size()
	if w := v.painter.wanted(); w.width != width || w.height != height {
		v.painter.change(func(w *wanted) { w.width, w.height = width, height })
	}
}

// moved tells the painter where the camera is.
func (v *viewer) moved() {
	c := v.orbit.Camera()
	v.painter.change(func(w *wanted) { w.camera, w.moved = c, time.Now() })
}

func (v *viewer) key(key rune, scene *assets.Scene, start camera.Camera, reach float32) {
	change := v.painter.change
	switch {
	case key == 'R':
		v.orbit = camera.NewOrbit(start, reach)
		v.moved()
	case key == 'F':
		v.orbit.Frame(scene.Bounds.Center(), scene.Bounds.Diagonal()/2)
		v.moved()
	case key >= '1' && key <= '9':
		if i := int(key - '1'); i < len(scene.Cameras) {
			v.orbit = camera.NewOrbit(camera.Of(scene.Cameras[i]))
			v.moved()
		}
	case key == 'P':
		change(func(w *wanted) { w.saves++ })
	case key == 'H':
		change(func(w *wanted) {
			if w.integrator == render.Heat {
				w.integrator = v.before
				return
			}
			v.before, w.integrator = w.integrator, render.Heat
		})
	case key == 'W':
		change(func(w *wanted) { w.wires++ })
	case key == 'V' || key == 'E' || key == 'B' || key == 'N':
		change(func(w *wanted) {
			if s, ok := w.settings.another(key, v.environment, scene.Variants); ok {
				w.settings, w.files, w.moved = s, w.files+1, time.Now()
			}
		})
	case key == '[' || key == ']':
		step := float32(exposureStep)
		if key == '[' {
			step = -step
		}
		v.look.Exposure += step
		change(func(w *wanted) { w.look, w.moved = v.look, time.Now() })
	case key == 'T':
		v.look.Tone = nextTone(v.look.Tone)
		change(func(w *wanted) { w.look, w.moved = v.look, time.Now() })
	}
}

// nextTone is the tone mapping behind one, and the first behind the last.
func nextTone(t assets.ToneMap) assets.ToneMap {
	if next, err := assets.ParseToneMap((t + 1).String()); err == nil {
		return next
	}
	return 0
}

// click finds out beside the loop what is under a pixel.
func (v *viewer) click(ctx context.Context, scene *assets.Scene, c window.Click) {
	width, height := v.window.Size()
	if width == 0 || height == 0 {
		return
	}
	origin, direction := v.orbit.Camera().Basis(float32(width)/float32(height)).Ray(c.X, c.Y, width, height)
	steps := v.steps(c, width, height)
	v.work.Go(func() {
		h, ok := pick(ctx, scene, origin, direction)
		text := []string{"nothing is there"}
		if ok {
			text = append(h.describe(scene), steps...)
			if c.Double {
				select {
				case v.focus <- h:
				default:
				}
			}
		}
		select {
		case v.picking <- text:
		default:
		}
		v.window.Wake()
	})
}

// steps is what a heat map says of a pixel.
func (v *viewer) steps(c window.Click, width, height int) []string {
	v.painter.mu.Lock()
	defer v.painter.mu.Unlock()
	f := &v.painter.frame
	if f.film == nil {
		return []string{"steps      press H first"}
	}
	x, y := c.X*f.size[0]/width, c.Y*f.size[1]/height
	mean, _ := f.film.Mean(y*f.size[0] + x)
	return []string{fmt.Sprintf("steps      %.1f: %.1f nodes, %.1f triangles, %.1f instances", mean[0]+mean[1]+mean[2], mean[0],
		mean[1], mean[2])}
}

// present shows the newest picture with what there is to say over it, if any of that is new.
func (v *viewer) present(ctx context.Context) error {
	v.painter.mu.Lock()
	f, status, since, notice := v.painter.frame, v.painter.status, v.painter.since, v.painter.notice
	w, wires := v.painter.want, v.painter.wires
	v.painter.mu.Unlock()
	v.title(status, &f)
	width, height := v.window.Size()
	ok, err := v.presents.resize(ctx, width, height)
	if err != nil || !ok {
		return err
	}
	lines := v.lines(&f, status, since, notice)
	scale := overlayScale(v.window.Scale()) // it changes when the window goes to another display
	words := fmt.Sprint(lines, v.picked, v.presents.size, len(wires), w.wires, scale)
	if f.number == v.number && words == v.shown {
		return nil
	}
	v.number, v.shown = f.number, words
	wide, h := v.presents.presenter.Size()
	img := image.NewRGBA(image.Rect(0, 0, wide, h))
	if f.img != nil {
		overlay.Scale(img, f.img)
		drawWires(img, f.camera, wires)
	} else {
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{24, 27, 34, 255}), image.Point{}, draw.Src)
	}
	margin := 8 * scale
	if len(lines) > 0 {
		overlay.Box(img, margin, margin, scale, lines)
	}
	if len(v.picked) > 0 {
		_, tall := overlay.Size(scale, v.picked)
		overlay.Box(img, margin, h-tall-margin, scale, v.picked)
	}
	if err := v.presents.show(ctx, img.Pix); err != nil {
		return err
	}
	if f.img != nil {
		if v.frames++; v.firstShow == 0 {
			v.firstShow = time.Since(v.opened)
		}
	}
	return nil
}

// overlayScale is how many pixels a dot of the overlay's letters takes on a display of that scale.
func overlayScale(display float64) int { return max(int(display+0.5), 1) }

// lines are those of the box on top: what is being done, what happened, and the panel.
func (v *viewer) lines(f *painted, status string, since time.Time, notice string) (lines []string) {
	if status != "" {
		lines = append(lines, fmt.Sprintf("%s ... %d s", status, int(time.Since(since).Seconds())))
	} else if f.img == nil {
		lines = append(lines, "starting ...")
	}
	if notice != "" {
		lines = append(lines, clipped(notice))
	}
	if !v.panel || f.img == nil {
		return lines
	}
	w := v.painter.wanted()
	seconds := f.stats.TraceWall
	return append(lines,
		fmt.Sprintf("sample     %.1f ms at %d x %d", report.Milliseconds(f.perPass), f.size[0], f.size[1]),
		fmt.Sprintf("rays       %.2f Mrays/s", report.MegaraysPerSecond(f.rays, seconds)),
		fmt.Sprintf("samples    %d of %d", f.stats.Samples, v.spp),
		fmt.Sprintf("structures %.1f MiB", float64(f.memory)/(1<<20)),
		"device     "+f.device,
		"way        "+clipped(f.way),
		"form       "+v.form,
		fmt.Sprintf("integrator %s, %d bounces  B", f.drawing, w.settings.bounces),
		fmt.Sprintf("exposure   %+.1f stops  [ ]", v.look.Exposure),
		fmt.Sprintf("tone map   %s  T", v.look.Tone),
		"light      "+w.settings.environment+"  E",
		"noise      "+noiseName(w.settings.denoise)+"  N",
		"tree       "+wiresName(w.wires)+"  W",
		fmt.Sprintf("cameras    %d  1 to 9", len(v.seen.Cameras)),
		"variants   "+variantsName(v.seen.Variants, w.settings.variant),
		"file       "+w.file,
	)
}

func noiseName(denoise bool) string {
	if denoise {
		return "taken out"
	}
	return "as it is"
}

// clipped keeps a line short enough for a window.
func clipped(s string) string {
	const most = 110
	if len(s) > most {
		return strings.TrimSpace(s[:most]) + "..."
	}
	return s
}
