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
func (f *renderFlags) writePicture(path string, film *render.Film, shown *image.NRGBA, aov *variables) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".exr":
		e := f.exr(film)
		if err := f.addLayers(e, film, aov); err != nil {
			return err
		}
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
