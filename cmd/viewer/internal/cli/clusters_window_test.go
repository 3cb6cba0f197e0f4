//go:build !headless

package cli

import (
	"image"
	"strings"
	"testing"
)

// colourful is how much of the window is of colours that are neither grey, as plain structures are, nor the sky's.
func colourful(img image.Image) float64 {
	return share(img, func(_, _ int, r, g, b uint32) bool {
		d := max(r, g, b) - min(r, g, b)
		return d > 40 || d > 20 && b < max(r, g)
	})
}

// TestClustersWindow shows the demo in a window: clusters in colours, plain structures without, statues that share clusters, times
// in a panel; it stands still, and ends with a table.
func TestClustersWindow(t *testing.T) {
	s := openCommand(t, "clusters", "builtin:terrain:2000", "--window", "--width", "200", "--height", "150", "--statues", "5",
		"--validation")
	s.until("what is being done", func(img image.Image) bool { return letters(img) > 0.001 })
	s.until("the panel", func(img image.Image) bool { return letters(img) > 0.03 })
	s.act("key Tab")
	mesh := s.until("clusters alone", func(img image.Image) bool { return letters(img) == 0 && colourful(img) > 0.1 })
	s.act("key 2")
	s.until("a structure that is refitted", func(img image.Image) bool { return colourful(img) < 0.001 })
	s.act("key 3")
	s.act("key Tab")
	s.until("the panel over one that is built again", func(img image.Image) bool { return letters(img) > 0.03 })
	s.act("key Tab")
	s.act("key 4")
	crowd := s.until("statues", func(img image.Image) bool { return letters(img) == 0 && colourful(img) > 0.005 })
	if a, b := colourful(mesh), colourful(crowd); near(a, b) {
		t.Errorf("statues take as much of the window as the mesh: %.3f, %.3f", a, b)
	}
	s.act("key 1")
	s.act("key s")
	var last image.Image
	same := 0
	s.until("a picture that stands still", func(img image.Image) bool {
		if same++; last == nil || differ(img, last) > 0 || colourful(img) < 0.02 {
			same = 0
		}
		last = img
		return same == 3
	})
	s.act("key s")
	s.until("one that moves again", func(img image.Image) bool { return differ(img, last) > 0.01 })
	s.act("key Escape")
	if end := <-s.done; !strings.HasPrefix(end, "0 builtin:terrain:2000: ") || !strings.Contains(end, "25 statues") ||
		!strings.Contains(end, "templates") || !strings.Contains(end, "refit") || !strings.Contains(end, "rebuild") {
		t.Errorf("it ended with %q", end)
	}
}

// differ is the part of the window's pixels that two pictures have in different colours.
func differ(a, b image.Image) float64 {
	return share(a, func(x, y int, r, g, bl uint32) bool {
		r2, g2, b2, _ := b.At(x, y).RGBA()
		return r != r2>>8 || g != g2>>8 || bl != b2>>8
	})
}
