package cli

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// brightness is of 0 to 765.
func brightness(c color.NRGBA) int { return int(c.R) + int(c.G) + int(c.B) }

func meanRows(img *image.NRGBA, from, to int) float64 {
	sum := 0
	for y := from; y < to; y++ {
		for x := range img.Rect.Dx() {
			sum += brightness(img.NRGBAAt(x, y))
		}
	}
	return float64(sum) / float64((to-from)*img.Rect.Dx())
}

// TestHeatDrawsMapAndScale: the picture is the map over a scale, the right way up, and its numbers agree.
func TestHeatDrawsMapAndScale(t *testing.T) {
	requireBackend(t, "compute")
	const width, height = 120, 80
	args := []string{"--integrator", "heat", "--width", "120", "--height", "80", "--spp", "2"}
	img, r := renderImage(t, "builtin:terrain:2000", "auto", args...)
	h := r.Heat
	if h == nil || r.Backend != "compute" || r.Rays != 2*width*height || r.DroppedSamples != 0 {
		t.Fatalf("report %+v", r)
	}
	if img.Rect.Dx() != width || img.Rect.Dy() != height+h.ScaleRows || h.ScaleRows < 30 {
		t.Errorf("the picture is %v, of which %d rows are the scale", img.Rect, h.ScaleRows)
	}
	if math.Abs(h.Steps-h.Nodes-h.Primitives-h.Instances) > 1e-6 || h.Nodes < 1 || h.Primitives <= 0 || h.Instances < 0.1 ||
		h.Peak < h.Steps || h.Peak < h.Max {
		t.Errorf("numbers %+v", h)
	}
	if h.Percentile != 99.5 || h.Max < 2 || h.Hotter > 0.005 {
		t.Errorf("the scale ends at %g, percentile %g, %g of the pixels are hotter", h.Max, h.Percentile, h.Hotter)
	}
	// The sky, whose rays leave early, is at the top.
	if sky, ground := meanRows(img, 0, height/5), meanRows(img, height/2, height); !(2*sky < ground) {
		t.Errorf("the top (brightness %.0f) is not much colder than the bottom (%.0f)", sky, ground)
	}
	checkScale(t, img, height)
}

// checkScale finds the bar below the map: a row that rises from black to nearly white, and light numbers on dark below.
func checkScale(t *testing.T, img *image.NRGBA, top int) {
	t.Helper()
	bar := -1
	for y := top; y < img.Rect.Dy(); y++ {
		before, falls, colors := 0, 0, map[color.NRGBA]bool{}
		for x := img.Rect.Dx() / 6; x < img.Rect.Dx()*5/6; x++ {
			c := img.NRGBAAt(x, y)
			colors[c] = true
			if brightness(c) < before {
				falls++
			}
			before = brightness(c)
		}
		if falls == 0 && len(colors) > img.Rect.Dx()/2 {
			bar = y
		}
	}
	if bar < 0 {
		t.Fatal("there is no bar below the map")
	}
	ink := 0
	for y := bar + 2; y < img.Rect.Dy(); y++ {
		for x := range img.Rect.Dx() {
			if brightness(img.NRGBAAt(x, y)) > 600 {
				ink++
			}
		}
	}
	if ink < 20 || ink > img.Rect.Dx()*(img.Rect.Dy()-bar)/3 {
		t.Errorf("%d light pixels below the bar: no numbers", ink)
	}
}

// TestHeatMaxFixesTheScale, and builds show in the numbers.
func TestHeatMaxFixesTheScale(t *testing.T) {
	requireBackend(t, "compute")
	args := []string{"--integrator", "heat", "--width", "64", "--height", "48", "--spp", "1", "--heat-max", "20"}
	_, fast := renderImage(t, "builtin:terrain:5000", "compute", args...)
	_, linear := renderImage(t, "builtin:terrain:5000", "compute", append(args, "--build", "fast-build")...)
	if fast.Heat.Max != 20 || fast.Heat.Percentile != 0 || fast.Heat.Hotter <= 0 {
		t.Errorf("the scale: %+v", fast.Heat)
	}
	if !(linear.Heat.Steps > 1.02*fast.Heat.Steps) {
		t.Errorf("%.2f steps per ray in the linear tree, %.2f in the default one", linear.Heat.Steps, fast.Heat.Steps)
	}
}

// TestHeatCountsExactly: one triangle is one instance and one test, whatever the ray.
func TestHeatCountsExactly(t *testing.T) {
	requireBackend(t, "compute")
	var data []byte
	for _, f := range []float32{-1, -1, 0, 1, -1, 0, 0, 1, 0} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	path := filepath.Join(t.TempDir(), "triangle.gltf")
	doc := fmt.Sprintf(`{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[-1,-1,0],"max":[1,1,0]}],
		"bufferViews":[{"buffer":0,"byteLength":36}],
		"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,%s"}]}`, base64.StdEncoding.EncodeToString(data))
	if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	_, r := renderImage(t, path, "compute", "--integrator", "heat", "--width", "33", "--height", "17", "--spp", "3")
	if h := r.Heat; h == nil || h.Nodes != 0 || h.Primitives != 1 || h.Instances != 1 || h.Steps != 2 || h.Peak != 2 || h.Max != 2 ||
		h.Hotter != 0 {
		t.Errorf("counted %+v", h)
	}
}
