package render

import (
	"math"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/vk"
)

// encodeLayers lists the materials' extensions; nothing where no material has any.
func encodeLayers(materials []assets.Material) []byte {
	none := true
	for i := range materials {
		none = none && materials[i].Layers == nil && !materials[i].PassesLight()
	}
	if none {
		return nil
	}
	list := make([]materialLayers, len(materials))
	for i := range materials {
		list[i] = newLayers(materials[i].Layers)
	}
	return vk.BytesOf(list)
}

func newLayers(y *assets.Layers) materialLayers {
	if y == nil {
		d := assets.DefaultLayers()
		y = &d
	}
	sin, cos := math.Sincos(float64(y.AnisotropyRotation))
	return materialLayers{
		attenuation: y.Attenuation, dispersion: y.Dispersion, specularColor: y.SpecularColor, specular: y.Specular,
		sheen: y.SheenColor, sheenRoughness: y.SheenRoughness,
		diffuseTransmissionColor: y.DiffuseTransmissionColor, diffuseTransmission: y.DiffuseTransmission,
		coat: y.Coat, coatRoughness: y.CoatRoughness, coatNormalScale: y.CoatNormalScale,
		iridescence: y.Iridescence, filmIor: y.FilmIOR, filmMinimum: y.FilmMin, filmMaximum: y.FilmMax,
		anisotropy: y.Anisotropy, anisotropyCosine: float32(cos), anisotropySine: float32(sin),
		transmissionTexture: use(y.TransmissionTexture), specularTexture: use(y.SpecularTexture),
		specularColorTexture: use(y.SpecularColorTexture), sheenTexture: use(y.SheenColorTexture),
		sheenRoughnessTexture: use(y.SheenRoughnessTexture), diffuseTransmissionTexture: use(y.DiffuseTransmissionTexture),
		diffuseTransmissionColorTexture: use(y.DiffuseTransmissionColorTexture),
		coatTexture:                     use(y.CoatTexture), coatRoughnessTexture: use(y.CoatRoughnessTexture),
		coatNormalTexture: use(y.CoatNormalTexture), iridescenceTexture: use(y.IridescenceTexture), filmTexture: use(y.FilmTexture),
		anisotropyTexture: use(y.AnisotropyTexture),
	}
}
