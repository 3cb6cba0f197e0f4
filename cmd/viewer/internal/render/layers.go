package render

import (
	"math"

	"github.com/everray/everray/assets"
)

// layersSize is that of MaterialLayers in layers.glsl.
const layersSize = 528

// encodeLayers lists the materials' extensions; nothing where no material has any.
func encodeLayers(materials []assets.Material) []byte {
	none := true
	for i := range materials {
		none = none && materials[i].Layers == nil && !materials[i].PassesLight()
	}
	if none {
		return nil
	}
	e := &encoder{b: make([]byte, 0, len(materials)*layersSize)}
	for i := range materials {
		e.layers(materials[i].Layers)
	}
	return e.b
}

func (e *encoder) layers(y *assets.Layers) {
	if y == nil {
		d := assets.DefaultLayers()
		y = &d
	}
	sin, cos := math.Sincos(float64(y.AnisotropyRotation))
	e.vec4(y.Attenuation, y.Dispersion)
	e.vec4(y.SpecularColor, y.Specular)
	e.vec4(y.SheenColor, y.SheenRoughness)
	e.vec4(y.DiffuseTransmissionColor, y.DiffuseTransmission)
	e.f32(y.Coat, y.CoatRoughness, y.CoatNormalScale, y.Iridescence)
	e.f32(y.FilmIOR, y.FilmMin, y.FilmMax, y.Anisotropy)
	e.f32(float32(cos), float32(sin), 0, 0)
	for _, t := range []*assets.TextureRef{y.TransmissionTexture, y.SpecularTexture, y.SpecularColorTexture, y.SheenColorTexture,
		y.SheenRoughnessTexture, y.DiffuseTransmissionTexture, y.DiffuseTransmissionColorTexture, y.CoatTexture,
		y.CoatRoughnessTexture, y.CoatNormalTexture, y.IridescenceTexture, y.FilmTexture, y.AnisotropyTexture} {
		e.textureUse(t)
	}
}
