package render

import (
	"encoding/binary"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

// features are the bits of features.glsl, by which shaders are specialised.
type features uint32

const (
	featureTransmission features = 1 << iota
	featureCoat
	featureSheen
	featureSpecular
	featureIridescence
	featureAnisotropy
	featureDiffuseTransmission
	featureDispersion
	featureEnvironment
	featureUnlit
	featureGuides
)

func (f features) has(g features) bool { return f&g != 0 }

// specialization sets the constant FEATURES.
func (f features) specialization() map[uint32][]byte {
	return map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, uint32(f))}
}

// materialFeatures are those that a material needs.
func materialFeatures(m *assets.Material) (f features) {
	set := func(on bool, g features) {
		if on {
			f |= g
		}
	}
	set(m.Unlit, featureUnlit)
	set(m.PassesLight(), featureTransmission)
	y := m.Layers
	if y == nil || m.Unlit {
		return f
	}
	set(m.PassesLight() && y.Thickness > 0 && y.Dispersion > 0, featureDispersion)
	set(y.Specular != 1 || y.SpecularColor != mgl32.Vec3{1, 1, 1} || y.SpecularTexture != nil || y.SpecularColorTexture != nil,
		featureSpecular)
	set(y.Coat > 0, featureCoat)
	set(y.SheenColor != mgl32.Vec3{}, featureSheen)
	set(y.Iridescence > 0, featureIridescence)
	set(y.Anisotropy > 0, featureAnisotropy)
	set(y.DiffuseTransmission > 0, featureDiffuseTransmission)
	return f
}

// sceneFeatures are what the materials that the scene shows, its light and its integrator need.
func sceneFeatures(scene *assets.Scene, env *assets.Environment, o Options) (f features) {
	if o.Integrator == Path {
		for m := range scene.Meshes {
			for p := range scene.Meshes[m].Primitives {
				f |= materialFeatures(&scene.Materials[scene.Meshes[m].Primitives[p].Material])
			}
		}
		if o.Guides {
			f |= featureGuides
		}
	}
	if env.Map != nil {
		f |= featureEnvironment
	}
	return f
}
