//go:build !headless

package cli

import (
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/everray/everray/assets/imagediff"
	"github.com/everray/everray/window/windowtest"
)

var updatePictures = flag.Bool("update", false, "write the pictures in testdata/window: look at them")

// Drivers may round otherwise along edges: so many of the window's pixels may be further off than the tolerance.
const (
	pictureTolerance = 6
	pictureOutliers  = 0.01
)

// shows waits until the window looks like a stored picture, testdata/window/NAME.png.
func (s *session) shows(name string) {
	s.t.Helper()
	path := s.stored(name)
	if *updatePictures {
		time.Sleep(5 * time.Second) // all samples are taken then
		writePicture(s.t, path, cut(windowtest.Screenshot(s.t)))
		return
	}
	want := readPicture(s.t, path)
	var last imagediff.Result
	defer func() {
		if s.t.Failed() {
			s.t.Logf("%s: %v", path, last)
		}
	}()
	s.until(path, func(screen image.Image) bool {
		var err error
		if last, err = imagediff.Compare(want, cut(screen), imagediff.Options{Tolerance: pictureTolerance}); err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
		return float64(last.Differing) <= pictureOutliers*float64(last.Pixels)
	})
}

// stored is a picture's path, also from another working directory.
func (s *session) stored(name string) string {
	return filepath.Join(s.folder, "testdata", "window", name+".png")
}

// cut takes the window from the screen.
func cut(screen image.Image) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(out, out.Rect, screen, image.Point{}, draw.Src)
	return out
}

func writePicture(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func readPicture(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}
