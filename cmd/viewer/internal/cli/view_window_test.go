//go:build !headless

package cli

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/window/windowtest"
)

// session is a window under test.
type session struct {
	t    *testing.T
	done chan string // how it ended
	// folder is the package's, from which tests go elsewhere.
	folder string
}

// openSession shows a scene in a window of 200 x 150 at the corner of a virtual display.
func openSession(t *testing.T, args ...string) *session {
	t.Helper()
	return openCommand(t, append([]string{"view", "--width", "200", "--height", "150", "--backend", "compute"}, args...)...)
}

// openCommand is a session of a command that opens a window.
func openCommand(t *testing.T, args ...string) *session {
	t.Helper()
	requireBackend(t, "compute")
	windowtest.StartDisplay(t)
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("xdotool is not installed (apt-get install xdotool)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	s := &session{t: t, done: make(chan string, 1)}
	ended := make(chan struct{})
	t.Cleanup(func() { // a process that ends while the driver compiles crashes in it, and hides what failed
		cancel()
		<-ended
	})
	go func() {
		defer close(ended)
		var out, errs bytes.Buffer
		code := Main(ctx, args, &out, &errs)
		s.done <- fmt.Sprint(code, " ", out.String(), errs.String())
	}()
	return s
}

// act sends input, as xdotool takes it.
func (s *session) act(words string) {
	s.t.Helper()
	if out, err := exec.Command("xdotool", strings.Fields(words)...).CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %s: %v: %s", words, err, out)
	}
}

// until waits for the screen to show something.
func (s *session) until(what string, holds func(img image.Image) bool) image.Image {
	s.t.Helper()
	deadline := time.Now().Add(150 * time.Second)
	for {
		select {
		case end := <-s.done:
			s.t.Fatalf("the window is gone before %s: %s", what, end)
		case <-time.After(200 * time.Millisecond):
		}
		img := windowtest.Screenshot(s.t)
		if holds(img) {
			return img
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the screen does not show %s", what)
		}
	}
}

// share is the part of the window's pixels for which something holds.
func share(img image.Image, holds func(x, y int, r, g, b uint32) bool) float64 {
	n := 0
	for y := range 150 {
		for x := range 200 {
			r, g, b, _ := img.At(x, y).RGBA()
			if holds(x, y, r>>8, g>>8, b>>8) {
				n++
			}
		}
	}
	return float64(n) / (200 * 150)
}

func reds(img image.Image) float64 {
	return share(img, func(_, _ int, r, g, b uint32) bool { return r > g+40 && r > b+40 })
}

// white counts pixels of the overlay's letters.
func letters(img image.Image) float64 {
	return share(img, func(_, _ int, r, g, b uint32) bool { return r == 235 && g == 238 && b == 245 })
}

// wires is how much of the window lines of the tree's boxes take.
func wires(img image.Image) float64 {
	return share(img, func(_, _ int, r, g, b uint32) bool { return r == 120 && g == 235 && b == 160 })
}

// The window follows mouse and keys, says what is under a click, opens what is dropped, saves, and ends with a line.
func TestWindow(t *testing.T) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	s := openSession(t, "builtin:cornell", "--integrator", "primary", "--spp", "64", "--validation")
	s.folder = folder
	start := s.until("the box", func(img image.Image) bool { return reds(img) > 0.05 && letters(img) == 0 })
	s.shows("cornell")
	s.act("mousemove 100 75 mousedown 1 mousemove 110 75 mousemove 190 75 mouseup 1")
	turned := s.until("the box from another side", func(img image.Image) bool {
		return reds(img) < reds(start)*0.8 || reds(img) > reds(start)*1.2
	})
	s.act("key r")
	s.until("the box as at first", func(img image.Image) bool { return near(reds(img), reds(start)) })
	s.act("key f")
	s.until("all of it", func(img image.Image) bool { return !near(reds(img), reds(start)) && !near(reds(img), reds(turned)) })
	s.shows("cornell-framed")
	s.act("key 1")
	s.until("the first camera", func(img image.Image) bool { return near(reds(img), reds(start)) })
	s.act("key w")
	roots := 0.0
	s.until("boxes of the tree's roots", func(img image.Image) bool { roots = wires(img); return roots > 0.01 })
	s.shows("cornell-roots")
	s.act("key w")
	s.until("boxes below them", func(img image.Image) bool { return wires(img) > roots*1.1 })
	for range 40 { // level after level, and none behind the last
		s.act("key w")
		time.Sleep(300 * time.Millisecond)
		if img := windowtest.Screenshot(t); wires(img) == 0 {
			break
		}
	}
	s.until("no boxes", func(img image.Image) bool { return wires(img) == 0 && near(reds(img), reds(start)) })
	s.act("key Tab")
	s.until("the panel", func(img image.Image) bool { return letters(img) > 0.02 })
	s.act("key Tab")
	s.until("no panel", func(img image.Image) bool { return letters(img) == 0 })
	s.act("mousemove 100 75 click 1")
	s.until("what was clicked", func(img image.Image) bool { return letters(img) > 0.01 })
	s.act("key p")
	for range 100 {
		if found, _ := filepath.Glob("cornell-001.*"); len(found) == 2 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, name := range []string{"cornell-001.png", "cornell-001.exr"} {
		if st, err := os.Stat(name); err != nil || st.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.act("key Escape")
	if end := <-s.done; !strings.HasPrefix(end, "0 builtin:cornell: ") || !strings.Contains(end, "samples per pixel") {
		t.Errorf("it ended with %q", end)
	}
}

func near(a, b float64) bool { return a > b*0.97 && a < b*1.03 }

// While the driver compiles, with nothing in its cache, the window is there, says what is being done, and takes keys: the panel's
// letters come with the first picture.
func TestWindowAnswersWhileCompiling(t *testing.T) {
	t.Setenv("MESA_SHADER_CACHE_DIR", t.TempDir())
	s := openSession(t, "builtin:cornell", "--spp", "1", "--cache", "none", "--backend", "native")
	s.until("what is being done", func(img image.Image) bool { return letters(img) > 0.002 && reds(img) == 0 })
	s.act("key Tab")
	s.until("the panel", func(img image.Image) bool { return letters(img) > 0.02 })
	s.act("key Tab")
	s.until("the box", func(img image.Image) bool { return reds(img) > 0.02 && letters(img) == 0 })
	s.act("key Escape")
	if end := <-s.done; !strings.HasPrefix(end, "0 builtin:cornell: ") || !strings.Contains(end, "first picture after") {
		t.Errorf("it ended with %q", end)
	}
}

// A window whose scene cannot be loaded ends with the reason.
func TestWindowWithoutScene(t *testing.T) {
	s := openSession(t, filepath.Join(t.TempDir(), "gone.glb"))
	if end := <-s.done; !strings.HasPrefix(end, "1 ") || !strings.Contains(end, "there is no file") {
		t.Errorf("it ended with %q", end)
	}
}
