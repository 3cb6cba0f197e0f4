package cli

import (
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// pictureFormats are the files that render writes, by extension.
func pictureFormats() []string { return []string{".png", ".exr", ".hdr"} }

// defaultOut is the picture of a scene where --out does not name one: the scene's name, in the current folder.
func defaultOut(scene string) string {
	if name, ok := strings.CutPrefix(scene, assets.BuiltinPrefix); ok {
		return strings.ReplaceAll(name, ":", "-") + ".png"
	}
	base := filepath.Base(scene)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".png"
}

// layerNames are what --aov takes.
func layerNames() []string {
	return []string{"albedo", "normal", "depth", "position", "object", "material", "primitive", "samples"}
}

// aovSamples is the most camera rays per pixel for albedo and normal.
const aovSamples = 64

// checkLayers judges --aov; all is all.
func (f *renderFlags) checkLayers() error {
	if slices.Contains(f.layers, "all") {
		f.layers = layerNames()
	}
	for _, name := range f.layers {
		if !slices.Contains(layerNames(), name) {
			return fmt.Errorf("%w: --aov %q: want all or %s", errUsage, name, strings.Join(layerNames(), ", "))
		}
	}
	isEXR := func(out string) bool { return strings.EqualFold(filepath.Ext(out), ".exr") }
	if len(f.layers) > 0 && !slices.ContainsFunc(f.outs, isEXR) {
		return fmt.Errorf("%w: --aov: only .exr files hold layers: name one with --out", errUsage)
	}
	return nil
}

// checkOuts judges the names of pictures, and whether they can be written.
func (f *renderFlags) checkOuts() error {
	if len(f.outs) == 0 {
		f.outs = []string{defaultOut(f.scene)}
	}
	for _, out := range f.outs {
		if err := checkOutput("--out", out, pictureFormats()...); err != nil {
			return err
		}
	}
	return f.checkLayers()
}

// checkOutput finds out before the work whether its result can be written.
func checkOutput(flag, path string, formats ...string) error {
	if !slices.Contains(formats, strings.ToLower(filepath.Ext(path))) {
		return fmt.Errorf("%w: %s %q: want a name that ends in %s", errUsage, flag, path, strings.Join(formats, " or "))
	}
	return checkFolder(flag, path)
}

// checkFolder finds out whether a file can be made at a path: by making one beside it.
func checkFolder(flag, path string) error {
	dir := filepath.Dir(path)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("%w: %s %q: there is no folder %q: make it first", errUsage, flag, path, dir)
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return fmt.Errorf("%w: %s %q is a folder: name a file in it", errUsage, flag, path)
	}
	f, err := os.CreateTemp(dir, ".everray-*.tmp")
	if err != nil {
		return fmt.Errorf("%w: %s %q: the folder %q cannot be written to: choose another", errUsage, flag, path, dir)
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s %q: %w", flag, path, err)
	}
	return nil
}

// writePicture writes the film in the format that the name says: as it is shown, or as light.
func (f *renderFlags) writePicture(path string, film *render.Film, shown *image.NRGBA, aov *render.AOV) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".exr":
		e := f.exr(film)
		e.Channels = append(e.Channels, f.layerChannels(film, aov)...)
		return assets.WriteFile(path, func(w io.Writer) error { return assets.EncodeEXR(w, e) })
	case ".hdr":
		light := &assets.FloatImage{Width: film.Width, Height: film.Height}
		for i := range film.Width * film.Height {
			c, _ := film.Mean(i)
			light.Pix = append(light.Pix, c[:]...)
		}
		return assets.WriteFile(path, func(w io.Writer) error { return assets.EncodeHDR(w, light) })
	}
	return assets.WritePNG(path, shown)
}

// exr is the film as light: the mean of the samples, linear Rec. 709.
func (f *renderFlags) exr(film *render.Film) *assets.EXR {
	kind := assets.EXRHalf
	if f.float {
		kind = assets.EXRFloat
	}
	n := film.Width * film.Height
	channels := [3]assets.EXRChannel{{Name: "R", Type: kind}, {Name: "G", Type: kind}, {Name: "B", Type: kind}}
	for i := range n {
		c, _ := film.Mean(i)
		for k := range channels {
			channels[k].Floats = append(channels[k].Floats, c[k])
		}
	}
	return &assets.EXR{
		Width: film.Width, Height: film.Height, Channels: channels[:],
		Attributes: map[string]string{"comments": "viewer render " + f.scene},
	}
}

// layerChannels are the channels of the layers that --aov names. Numbers are floats and unsigned integers, never halves, but for
// albedo and normals.
func (f *renderFlags) layerChannels(film *render.Film, a *render.AOV) (list []assets.EXRChannel) {
	vector := func(layer, names string, kind assets.EXRType, values [][3]float32) {
		for k, name := range names {
			c := assets.EXRChannel{Name: layer + "." + string(name), Type: kind}
			for _, v := range values {
				c.Floats = append(c.Floats, v[k])
			}
			list = append(list, c)
		}
	}
	number := func(name string, values []uint32) {
		list = append(list, assets.EXRChannel{Name: name, Type: assets.EXRUint, Uints: values})
	}
	kind := assets.EXRHalf
	if f.float {
		kind = assets.EXRFloat
	}
	for _, layer := range f.layers {
		switch layer {
		case "albedo":
			vector(layer, "RGB", kind, a.Albedo)
		case "normal":
			vector(layer, "XYZ", kind, a.Normal)
		case "position":
			vector(layer, "XYZ", assets.EXRFloat, a.Position)
		case "depth":
			list = append(list, assets.EXRChannel{Name: "Z", Type: assets.EXRFloat, Floats: a.Depth})
		case "object":
			number("id.object", a.Object)
		case "material":
			number("id.material", a.Material)
		case "primitive":
			number("id.primitive", a.Primitive)
		case "samples":
			counts := make([]uint32, film.Width*film.Height)
			for i := range counts {
				counts[i] = uint32(film.Pixels[4*i+3])
			}
			number("samples", counts)
		}
	}
	return list
}
