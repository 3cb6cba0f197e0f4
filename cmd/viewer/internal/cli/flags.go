package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cache"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/compare"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// errUsage is wrapped by errors about flags.
var errUsage = errors.New("usage")

// deviceFlags choose device and way.
type deviceFlags struct {
	backend, device string
	validation      bool
	cache, form     string
	hitObjects      bool // shaders have some; no flag of its own
}

// Values of --cache beside directories.
const (
	cacheDefault = "default"
	cacheNone    = "none"
)

// cacheDir returns the directory of the pipeline cache, "" for none. A default one that cannot be used is none: only who
// names a directory wants to hear of it.
func (f *deviceFlags) cacheDir() string {
	switch f.cache {
	case cacheNone:
		return ""
	case cacheDefault:
		base, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir := filepath.Join(base, "everray")
		if _, err := cache.Open(dir, cache.Options{}); err != nil {
			return ""
		}
		return dir
	}
	return f.cache
}

func (f *deviceFlags) register(flags *pflag.FlagSet, backend bool) {
	if backend {
		flags.StringVar(&f.backend, "backend", "auto", "way of ray tracing: auto, native or compute")
	}
	// Those that choose the way themselves measure, creation times too.
	keep := cacheDefault
	if !backend {
		keep = cacheNone
	}
	flags.StringVar(&f.cache, "cache", keep,
		"directory that keeps linked and compiled pipelines, none for no cache, or default: everray in the user's cache directory")
	flags.StringVar(&f.form, "form", "auto",
		"how the compute way links pipelines: auto, monolithic, megakernel, blocks, wavefront, sorted or suspended")
	f.registerDevice(flags)
}

// registerDevice is register for commands without pipelines and without a choice of the way.
func (f *deviceFlags) registerDevice(flags *pflag.FlagSet) {
	flags.StringVar(&f.device, "device", "", "index of a device or part of its name, see viewer info (default the best)")
	flags.BoolVar(&f.validation, "validation", false,
		"run under Vulkan's validation layer; its messages end the command with an error")
}

// options returns the engine's options, and a function that reports what the validation layer said.
func (f *deviceFlags) options() (engine.Options, *messages, error) {
	backend, err := engine.ParseBackend(f.backend)
	if err != nil {
		return engine.Options{}, nil, fmt.Errorf("%w: --backend: %w", errUsage, err)
	}
	form, err := engine.ParseLinkForm(f.form)
	if err != nil {
		return engine.Options{}, nil, fmt.Errorf("%w: --form: %w", errUsage, err)
	}
	m := &messages{}
	// Without validation only the loader has messages, and what they mean comes back as errors.
	quiet := slog.New(slog.DiscardHandler)
	o := engine.Options{
		Backend: backend, Device: f.device, AppName: "viewer", Validation: f.validation, Logger: quiet, CacheDir: f.cacheDir(),
		Form:       form,
		HitObjects: engine.HitObjects{NV: f.hitObjects},
	}
	if f.validation {
		o.SyncValidation = true
		o.OnMessage = m.add
	}
	return o, m, nil
}

// open opens the device; close reports validation messages too.
func (f *deviceFlags) open(ctx context.Context) (*engine.Device, func() error, error) {
	o, m, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	dev, err := engine.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return dev, func() error { return errors.Join(dev.Close(), m.err()) }, nil
}

// opener opens a device in whichever way is asked for.
func (f deviceFlags) opener() compare.Opener {
	return func(ctx context.Context, backend engine.Backend) (*engine.Device, func() error, error) {
		own := f
		own.backend = backend.String()
		return own.open(ctx)
	}
}

// sceneFlags choose scene and camera.
type sceneFlags struct {
	scene, camera, eye, target, up string
	variant                        string
	fov                            float64
	width, height                  int
}

// maxSide bounds width and height of images.
const maxSide = 16384

func (f *sceneFlags) register(flags *pflag.FlagSet, width, height int) {
	f.registerScene(flags)
	f.registerView(flags, width, height)
}

// registerView is register for commands with scenes of their own.
func (f *sceneFlags) registerView(flags *pflag.FlagSet, width, height int) {
	flags.StringVar(&f.variant, "variant", "", "material variant of the file, by name (KHR_materials_variants)")
	flags.StringVar(&f.camera, "camera", "", "camera of the scene, by index or name (default the first)")
	flags.StringVar(&f.eye, "eye", "", "position of the eye, x,y,z, instead of the camera's")
	flags.StringVar(&f.target, "target", "", "point to look at, x,y,z, instead of the camera's")
	flags.StringVar(&f.up, "up", "", "up axis, x,y,z, instead of the camera's")
	flags.Float64Var(&f.fov, "fov", 0, "vertical field of view in degrees, instead of the camera's")
	flags.IntVar(&f.width, "width", width, "image width in pixels")
	flags.IntVar(&f.height, "height", height, "image height in pixels")
}

// registerScene is register for commands that see nothing.
func (f *sceneFlags) registerScene(flags *pflag.FlagSet) {
	flags.StringVar(&f.scene, "scene", "",
		"scene: a .gltf, .glb, .obj or .ply file, or builtin:NAME; may also be given without --scene")
}

// check judges what can be judged before anything is loaded.
func (f *sceneFlags) check() error {
	if f.scene == "" {
		return fmt.Errorf("%w: name a scene: a .gltf, .glb, .obj or .ply file, or builtin:cornell (--scene)", errUsage)
	}
	for _, s := range []struct {
		name  string
		value int
	}{{"--width", f.width}, {"--height", f.height}} {
		if s.value < 0 || s.value > maxSide {
			return fmt.Errorf("%w: %s %d: want 1 to %d", errUsage, s.name, s.value, maxSide)
		}
	}
	if f.fov < 0 || f.fov >= 180 || math.IsNaN(f.fov) {
		return fmt.Errorf("%w: --fov %g: want more than 0 and less than 180 degrees", errUsage, f.fov)
	}
	for name, v := range map[string]string{"--eye": f.eye, "--target": f.target, "--up": f.up} {
		if v != "" {
			if _, err := parseVector(v); err != nil {
				return fmt.Errorf("%w: %s %q: %w", errUsage, name, v, err)
			}
		}
	}
	return nil
}

// size refuses a width or height of 0, which means "not given" only to commands that choose one themselves.
func (f *sceneFlags) size() error {
	if f.width == 0 || f.height == 0 {
		return fmt.Errorf("%w: --width %d --height %d: want 1 to %d", errUsage, f.width, f.height, maxSide)
	}
	return nil
}

// load loads the scene and places the camera.
func (f *sceneFlags) load(ctx context.Context, a *app) (*assets.Scene, camera.Camera, float32, error) {
	bar := a.progress("load", 0)
	scene, err := assets.OpenWith(ctx, f.scene, assets.LoadOptions{Progress: bar.update, Variant: f.variant})
	bar.finish()
	if err != nil {
		return nil, camera.Camera{}, 0, err
	}
	for _, w := range scene.Warnings {
		a.warn(w)
	}
	c, distance, err := f.place(scene)
	return scene, c, distance, err
}

// errNoTriangles is wrapped where a command for triangles is given a scene without any.
var errNoTriangles = errors.New("has no triangles")

// loadTriangles is load for what measures triangles: points and lines are left out.
func (f *sceneFlags) loadTriangles(ctx context.Context, a *app) (*assets.Scene, camera.Camera, error) {
	scene, c, _, err := f.load(ctx, a)
	if err != nil {
		return nil, c, err
	}
	if n := scene.Stats().Thin; n > 0 {
		if scene = scene.WithoutThin(); len(scene.Instances) == 0 {
			return nil, c, fmt.Errorf("%s %w: this command does not take points and lines", f.scene, errNoTriangles)
		}
		a.warn(fmt.Sprintf("%d points and lines of %s are left out: this command is about triangles", n, f.scene))
	}
	return scene, c, nil
}

func (f *sceneFlags) place(scene *assets.Scene) (camera.Camera, float32, error) {
	source, err := findCamera(scene, f.camera)
	if err != nil {
		return camera.Camera{}, 0, err
	}
	c, distance := camera.Of(*source)
	eye, target, up := c.Eye, source.Target, c.Up
	for _, o := range []struct {
		text string
		to   *mgl32.Vec3
	}{{f.eye, &eye}, {f.target, &target}, {f.up, &up}} {
		if o.text != "" {
			if *o.to, err = parseVector(o.text); err != nil {
				return c, 0, err
			}
		}
	}
	if f.eye != "" || f.target != "" {
		c.Eye, c.Forward = eye, target.Sub(eye)
		distance = c.Forward.Len()
		if f.up == "" { // the camera's own up belongs to its own direction
			up = scene.Up
		}
	}
	c.Up = up
	if f.fov > 0 {
		c.FovY = float32(f.fov * math.Pi / 180)
		c.Orthographic = false
	}
	return c, distance, c.Validate()
}

func findCamera(scene *assets.Scene, name string) (*assets.Camera, error) {
	if name == "" {
		return &scene.Cameras[0], nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(scene.Cameras) {
		return &scene.Cameras[i], nil
	}
	names := make([]string, len(scene.Cameras))
	for i := range scene.Cameras {
		if scene.Cameras[i].Name == name {
			return &scene.Cameras[i], nil
		}
		names[i] = fmt.Sprintf("%d %q", i, scene.Cameras[i].Name)
	}
	return nil, fmt.Errorf("%w: --camera %q: the scene has %s", errUsage, name, strings.Join(names, ", "))
}

// parseVector reads "x,y,z".
func parseVector(s string) (mgl32.Vec3, error) {
	parts := strings.Split(s, ",")
	var v mgl32.Vec3
	if len(parts) != 3 {
		return v, errors.New("want three numbers, x,y,z")
	}
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return v, fmt.Errorf("%q is not a number", p)
		}
		v[i] = float32(x)
	}
	return v, nil
}

// buildNames are what buildFlags reads.
const buildNames = "fast-trace, fast-build, default or low-memory"

// buildFlags reads --build.
func buildFlags(s string) (vk.BuildFlags, error) {
	switch s {
	case "", "fast-trace":
		return vk.PreferFastTrace, nil
	case "fast-build":
		return vk.PreferFastBuild, nil
	case "default":
		return 0, nil
	case "low-memory":
		return vk.LowMemory, nil
	}
	return 0, fmt.Errorf("%w: --build %q: want %s", errUsage, s, buildNames)
}
