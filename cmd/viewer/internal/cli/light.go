package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/cmd/viewer/internal/render"
)

// lightFlags choose what lights a scene beside its own lights, and the camera's lens.
type lightFlags struct {
	environment, headlight string
	sky, rotation          float64
	ground                 bool
	aperture, focus        float64
}

// Values of --environment beside files, and of --headlight.
const (
	environmentAuto   = "auto"
	environmentStudio = "studio"
	environmentSky    = "sky"
	environmentNone   = "none"

	headlightAuto = "auto"
	headlightOn   = "on"
	headlightOff  = "off"
)

func (f *lightFlags) register(flags *pflag.FlagSet, headlight string) {
	flags.StringVar(&f.environment, "environment", environmentAuto,
		"light from all around: studio, sky (with a sun), none, an .hdr or .exr file, or auto: the built-in scenes' own, "+
			"and studio for files")
	flags.Float64Var(&f.rotation, "environment-rotation", 0, "turn the environment by so many degrees")
	flags.Float64Var(&f.sky, "sky", 1, "scale of the environment and its sun; 0 switches them off")
	flags.BoolVar(&f.ground, "ground", false, "put a grey plane below the scene")
	flags.StringVar(&f.headlight, "headlight", headlight,
		"a light at the eye: on, off, or auto: where nothing else lights the picture")
	flags.Lookup("headlight").NoOptDefVal = headlightOn
	flags.Float64Var(&f.aperture, "aperture", 0, "diameter of the lens in the scene's units; 0 is a pinhole, all is in focus")
	flags.Float64Var(&f.focus, "focus", 0, "distance that is in focus (default that of the target)")
}

func (f *lightFlags) check() error {
	switch f.headlight {
	case headlightAuto, headlightOn, headlightOff:
	default:
		return fmt.Errorf("%w: --headlight %q: want on, off or auto", errUsage, f.headlight)
	}
	if !(f.sky >= 0) || f.sky > 1e6 {
		return fmt.Errorf("%w: --sky %g: want 0 to 1000000", errUsage, f.sky)
	}
	if math.IsNaN(f.rotation) || math.IsInf(f.rotation, 0) {
		return fmt.Errorf("%w: --environment-rotation %g: want degrees", errUsage, f.rotation)
	}
	if !(f.aperture >= 0) || math.IsInf(f.aperture, 0) || !(f.focus >= 0) || math.IsInf(f.focus, 0) {
		return fmt.Errorf("%w: --aperture %g --focus %g: neither may be negative", errUsage, f.aperture, f.focus)
	}
	return nil
}

// headlightIrradiance makes a white matt surface that faces the eye half as bright as white.
const headlightIrradiance = math.Pi / 2

// apply sets a renderer's light and the camera's lens, and puts the ground into the scene.
func (f *lightFlags) apply(ctx context.Context, scene *assets.Scene, o *render.Options, c *camera.Camera, distance float32) error {
	env, err := f.light(ctx, scene)
	if err != nil {
		return err
	}
	o.Environment = env
	if f.headlight != headlightOff {
		o.Headlight, o.HeadlightAuto = headlightIrradiance, f.headlight == headlightAuto
	}
	if f.ground {
		scene.AddGround()
	}
	c.LensRadius, c.Focus = float32(f.aperture)/2, float32(f.focus)
	if c.Focus == 0 {
		c.Focus = distance
	}
	return nil
}

func (f *lightFlags) light(ctx context.Context, scene *assets.Scene) (*assets.Environment, error) {
	env := scene.Environment
	switch f.environment {
	case environmentAuto:
		if !strings.HasPrefix(scene.Name, assets.BuiltinPrefix) {
			env = assets.Environment{Map: assets.Studio()}
		}
	case environmentStudio:
		env = assets.Environment{Map: assets.Studio()}
	case environmentSky:
		env = assets.Daylight(scene.Up)
	case environmentNone:
		env = assets.Environment{}
	default:
		m, err := assets.LoadEnvironment(ctx, f.environment)
		if err != nil {
			return nil, err
		}
		env = assets.Environment{Map: m}
	}
	s := float32(f.sky)
	env.Zenith, env.Horizon, env.Ground = env.Zenith.Mul(s), env.Horizon.Mul(s), env.Ground.Mul(s)
	env.SunIrradiance = env.SunIrradiance.Mul(s)
	env.Map = env.Map.Scale(s)
	env.Rotation = float32(f.rotation * math.Pi / 180)
	return &env, nil
}

// dark is what is said of a picture in which nothing is lit.
const dark = "the picture is black: no light reaches what the camera sees; try --headlight, or --environment"
