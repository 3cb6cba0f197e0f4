//go:build !headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/window"
)

// A device that is lost after it has worked is opened again; one that is lost at once, and any other error, ends the window with
// a line that says what to do.
func TestDeviceLostInTheWindow(t *testing.T) {
	now := time.Unix(0, 0)
	p := &painter{app: &app{}, request: newRequest[wanted](func() {}), clock: func() time.Time { return now }}
	gone := fmt.Errorf("sample 7: %w", &vk.ResultError{Op: "vkQueueSubmit2", Result: vulkan.ErrorDeviceLost})
	lasts := []time.Duration{time.Hour, leastWork, leastWork - time.Millisecond}
	runs := 0
	err := p.repeat(t.Context(), func() error {
		now = now.Add(lasts[runs])
		runs++
		return gone
	})
	if runs != len(lasts) || !errors.Is(err, vk.ErrDeviceLost) || !strings.Contains(explain(err), "choose another --device") {
		t.Errorf("%d runs, %v", runs, err)
	}
	if !strings.Contains(p.notice, "opened again") {
		t.Errorf("notice %q", p.notice)
	}
	other := errors.New("other")
	if err := p.repeat(t.Context(), func() error { now = now.Add(time.Hour); return other }); !errors.Is(err, other) {
		t.Errorf("another error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := p.repeat(ctx, func() error { cancel(); now = now.Add(time.Hour); return gone }); err != nil {
		t.Errorf("a closed window: %v", err)
	}
}

// Of files that are dropped the last is opened, without a variant of the file before, and what was picked is forgotten.
func TestDropIsTaken(t *testing.T) {
	p := &painter{app: &app{}, request: newRequest[wanted](func() {})}
	p.want = wanted{file: "first.glb", settings: settings{variant: "night", bounces: 3}}
	v := &viewer{painter: p, picked: []string{"ball"}, orbit: camera.NewOrbit(camera.Camera{}, 1)}
	v.input(t.Context(), window.Input{Dropped: []string{"a.glb", "b.glb"}})
	w := p.wanted()
	if w.file != "b.glb" || w.files != 1 || w.settings != (settings{bounces: 3}) || v.picked != nil || v.orbit != nil {
		t.Errorf("wanted %+v, picked %q", w, v.picked)
	}
}

// The painter opens what is dropped; of a file that cannot be opened it says why, and what was there stays.
func TestDroppedFilesAreShown(t *testing.T) {
	requireBackend(t, "native")
	good := variantsFile(t)
	flags := &viewFlags{spp: 1}
	flags.integrator, flags.tone, flags.build, flags.headlight, flags.sky = "normals", "clamp", "fast-trace", headlightAuto, 1
	flags.backend, flags.form, flags.cache = "native", "auto", "none"
	p := &painter{app: &app{}, flags: flags, clock: time.Now, request: newRequest[wanted](func() {})}
	p.want = wanted{file: "builtin:cornell", width: 16, height: 12, integrator: render.Normals,
		settings: settings{environment: environmentStudio}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	until := func(what string, holds func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			p.mu.Lock()
			ok := holds()
			p.mu.Unlock()
			if ok {
				return
			}
			if time.Now().After(deadline) || len(ended) > 0 {
				t.Fatalf("the painter does not show %s", what)
			}
		}
	}
	drop := func(path string) { p.change(func(w *wanted) { w.file, w.files = path, w.files+1 }) }
	until("the box", func() bool { return p.frame.img != nil && p.path == "builtin:cornell" })
	shown := p.frame.number
	drop(filepath.Join(t.TempDir(), "gone.glb"))
	until("why there is nothing", func() bool { return strings.Contains(p.notice, "there is no file") })
	p.mu.Lock()
	if p.path != "builtin:cornell" || p.scene == nil {
		t.Errorf("the scene is that of %q", p.path)
	}
	p.mu.Unlock()
	drop(good)
	until("the file", func() bool { return p.path == good && p.frame.number > shown && p.notice == "" })
}

func TestOverlayScale(t *testing.T) {
	for display, want := range map[float64]int{0: 1, 0.75: 1, 1: 1, 1.25: 1, 1.5: 2, 2: 2, 2.75: 3} {
		if got := overlayScale(display); got != want {
			t.Errorf("scale %g: letters of %d, want %d", display, got, want)
		}
	}
}
