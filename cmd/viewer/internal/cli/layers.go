package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// layerNames are what --aov takes.
func layerNames() []string {
	return []string{"albedo", "normal", "depth", "position", "object", "material", "primitive", "samples", "motion",
		"cryptomatte"}
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
	for name, v := range map[string]string{"--previous-eye": f.previousEye, "--previous-target": f.previousTarget} {
		if v == "" {
			continue
		}
		if _, err := parseVector(v); err != nil {
			return fmt.Errorf("%w: %s %q: %w", errUsage, name, v, err)
		}
		if !slices.Contains(f.layers, "motion") {
			return fmt.Errorf("%w: %s: only the layer motion has a camera before: name it with --aov", errUsage, name)
		}
	}
	return nil
}

// variables are the layers beside the colour.
type variables struct {
	*render.AOV
	motion [][2]float32
}

// variables draws what --aov names; nil where it names nothing.
func (a *app) variables(ctx context.Context, s *sampling) (*variables, error) {
	if len(s.layers) == 0 {
		return nil, nil
	}
	bar := a.progress("output variables", 0)
	defer bar.finish()
	aov, err := s.r.AOV(ctx, render.AOVOptions{Samples: min(s.spp, aovSamples), Mattes: slices.Contains(s.layers, "cryptomatte")})
	if err != nil {
		return nil, err
	}
	before, err := s.cameraBefore()
	if err != nil {
		return nil, err
	}
	return &variables{AOV: aov, motion: aov.Motion(s.camera, before)}, nil
}

// cameraBefore is the camera of --previous-eye and --previous-target: what they leave out is as it is now.
func (s *sampling) cameraBefore() (camera.Camera, error) {
	if s.previousEye == "" && s.previousTarget == "" {
		return s.camera, nil
	}
	f := s.sceneFlags
	if s.previousEye != "" {
		f.eye = s.previousEye
	}
	if s.previousTarget != "" {
		f.target = s.previousTarget
	}
	c, _, err := f.place(s.scene)
	if err != nil {
		return c, fmt.Errorf("--previous-eye and --previous-target: %w", err)
	}
	return c, nil
}

// addLayers adds the channels of the layers that --aov names. Numbers are floats and unsigned integers, never halves, but for
// albedo and normals.
func (f *renderFlags) addLayers(e *assets.EXR, film *render.Film, a *variables) error {
	var list []assets.EXRChannel
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
		case "motion":
			for k, name := range "XY" {
				c := assets.EXRChannel{Name: "motion." + string(name), Type: assets.EXRFloat}
				for _, v := range a.motion {
					c.Floats = append(c.Floats, v[k])
				}
				list = append(list, c)
			}
		case "cryptomatte":
			for _, m := range a.Mattes {
				if err := e.AddMatte(m); err != nil {
					return err
				}
			}
		}
	}
	e.Channels = append(e.Channels, list...)
	return nil
}
