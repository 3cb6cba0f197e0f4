//go:build !headless

package cli

import (
	"bytes"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/oidn"
	"github.com/everray/everray/window/windowtest"
)

// childView makes TestViewChild a command with these arguments.
const childView = "EVERRAY_TEST_VIEW"

// TestViewChild is `viewer view` in a process of its own, whose loader finds other libraries.
func TestViewChild(t *testing.T) {
	args := os.Getenv(childView)
	if args == "" {
		t.Skip("it is a part of TestWindowDenoises")
	}
	if code := Main(t.Context(), append([]string{"view"}, strings.Fields(args)...), os.Stdout, os.Stderr); code != 0 {
		t.Errorf("code %d", code)
	}
}

// Where there is a denoiser, here a stand-in, the window's pictures go through it; where there is none, the command says so.
func TestWindowDenoises(t *testing.T) {
	requireBackend(t, "native")
	windowtest.StartDisplay(t)
	dir := t.TempDir()
	lib := filepath.Join(dir, "libOpenImageDenoise.so.2")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, filepath.Join("..", "oidn", "testdata", "fake.c"),
		"-lm").CombinedOutput(); err != nil {
		t.Skipf("no C compiler: %v %s", err, out)
	}
	view := func(args, libraries string) (string, error) {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestViewChild$")
		child.Env = append(os.Environ(), childView+"="+args, "LD_LIBRARY_PATH="+libraries)
		var out bytes.Buffer
		child.Stdout, child.Stderr = &out, &out
		err := child.Run()
		return out.String(), err
	}
	const args = "builtin:cornell --width 64 --height 48 --spp 2 --frames 1 --backend native"
	for flags, denoised := range map[string]bool{" --denoise": true, "": false} {
		if said, err := view(args+flags, dir); err != nil || strings.Contains(said, "samples per pixel, denoised") != denoised {
			t.Errorf("%q: %v, %s", flags, err, said)
		}
	}
	if _, err := oidn.Open(); !errors.Is(err, oidn.ErrMissing) {
		return // this machine has one
	}
	if said, err := view(args+" --denoise", ""); err == nil || !strings.Contains(said, "is not installed") {
		t.Errorf("without a library: %v, %s", err, said)
	}
}

// Pictures are cleaned at their first sample, and whenever there are twice as many; another picture is never taken for it.
func TestCleaningIsDue(t *testing.T) {
	var c cleaning
	at := cleaned{width: 4, height: 3}
	var when []int
	for samples := 1; samples <= 20; samples++ {
		if c.due(at, samples, 20) {
			when = append(when, samples)
			c.of, c.samples, c.img = at, samples, image.NewRGBA(image.Rect(0, 0, 4, 3))
		}
	}
	if want := []int{1, 2, 4, 8, 16, 20}; !slices.Equal(when, want) {
		t.Errorf("cleaned at %v samples, want %v", when, want)
	}
	other := at
	other.look.Exposure = 1
	if !c.due(other, 20, 20) || c.due(at, 20, 20) || !c.due(at, 3, 20) {
		t.Error("another look, the same picture, one that began anew")
	}
}
