package assets

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
)

// Layers is what glTF's material extensions add to the metallic-roughness material, named as they name it. Textures multiply
// their factors; nil is none.
type Layers struct {
	// KHR_materials_transmission: the factor is Material.Transmission.
	TransmissionTexture *TextureRef // in r

	// KHR_materials_volume: a thickness of 0 is an infinitely thin sheet, any other bounds a volume. How thick it is where,
	// rays find out. Attenuation is per unit of length.
	Thickness   float32
	Attenuation mgl32.Vec3
	Dispersion  float32 // KHR_materials_dispersion

	// KHR_materials_specular.
	Specular             float32
	SpecularTexture      *TextureRef // in a
	SpecularColor        mgl32.Vec3
	SpecularColorTexture *TextureRef // sRGB

	// KHR_materials_clearcoat.
	Coat                 float32
	CoatTexture          *TextureRef // in r
	CoatRoughness        float32
	CoatRoughnessTexture *TextureRef // in g
	CoatNormalTexture    *TextureRef
	CoatNormalScale      float32

	// KHR_materials_sheen.
	SheenColor            mgl32.Vec3
	SheenColorTexture     *TextureRef // sRGB
	SheenRoughness        float32
	SheenRoughnessTexture *TextureRef // in a

	// KHR_materials_iridescence: a film of FilmMin to FilmMax nanometres.
	Iridescence        float32
	IridescenceTexture *TextureRef // in r
	FilmIOR            float32
	FilmMin, FilmMax   float32
	FilmTexture        *TextureRef // in g

	// KHR_materials_anisotropy: the rotation is from the tangent, counter-clockwise in radians.
	Anisotropy         float32
	AnisotropyRotation float32
	AnisotropyTexture  *TextureRef // direction in r and g, strength in b

	// KHR_materials_diffuse_transmission.
	DiffuseTransmission             float32
	DiffuseTransmissionTexture      *TextureRef // in a
	DiffuseTransmissionColor        mgl32.Vec3
	DiffuseTransmissionColorTexture *TextureRef // sRGB
}

// DefaultLayers are those of a material without extensions.
func DefaultLayers() Layers {
	white := mgl32.Vec3{1, 1, 1}
	return Layers{Specular: 1, SpecularColor: white, CoatNormalScale: 1, FilmIOR: 1.3, FilmMin: 100, FilmMax: 400,
		DiffuseTransmissionColor: white}
}

// textureRefs lists all references, also those that are nil.
func (y *Layers) textureRefs() []*TextureRef {
	return []*TextureRef{y.TransmissionTexture, y.SpecularTexture, y.SpecularColorTexture, y.CoatTexture, y.CoatRoughnessTexture,
		y.CoatNormalTexture, y.SheenColorTexture, y.SheenRoughnessTexture, y.IridescenceTexture, y.FilmTexture, y.AnisotropyTexture,
		y.DiffuseTransmissionTexture, y.DiffuseTransmissionColorTexture}
}

// factors lists all numbers, for checks.
func (y *Layers) factors() []float32 {
	f := []float32{y.Thickness, y.Dispersion, y.Specular, y.Coat, y.CoatRoughness, y.CoatNormalScale, y.SheenRoughness,
		y.Iridescence, y.FilmIOR, y.FilmMin, y.FilmMax, y.Anisotropy, y.AnisotropyRotation, y.DiffuseTransmission}
	for _, v := range []mgl32.Vec3{y.Attenuation, y.SpecularColor, y.SheenColor, y.DiffuseTransmissionColor} {
		f = append(f, v[:]...)
	}
	return f
}

// layerExtensions are the members of the extensions in Layers. Names are compared without regard to case.
type layerExtensions struct {
	TransmissionTexture *gltf.TextureInfo

	ThicknessFactor     float64
	AttenuationDistance float64
	AttenuationColor    *[3]float64
	Dispersion          float64

	SpecularFactor       *float64
	SpecularTexture      *gltf.TextureInfo
	SpecularColorFactor  *[3]float64
	SpecularColorTexture *gltf.TextureInfo

	ClearcoatFactor           float64
	ClearcoatTexture          *gltf.TextureInfo
	ClearcoatRoughnessFactor  float64
	ClearcoatRoughnessTexture *gltf.TextureInfo
	ClearcoatNormalTexture    *gltf.NormalTexture

	SheenColorFactor      [3]float64
	SheenColorTexture     *gltf.TextureInfo
	SheenRoughnessFactor  float64
	SheenRoughnessTexture *gltf.TextureInfo

	IridescenceFactor           float64
	IridescenceTexture          *gltf.TextureInfo
	IridescenceIOR              *float64
	IridescenceThicknessMinimum *float64
	IridescenceThicknessMaximum *float64
	IridescenceThicknessTexture *gltf.TextureInfo

	AnisotropyStrength float64
	AnisotropyRotation float64
	AnisotropyTexture  *gltf.TextureInfo

	DiffuseTransmissionFactor       float64
	DiffuseTransmissionTexture      *gltf.TextureInfo
	DiffuseTransmissionColorFactor  *[3]float64
	DiffuseTransmissionColorTexture *gltf.TextureInfo
}

// layerNames are the extensions that layerExtensions is of.
func layerNames() []string {
	return []string{"KHR_materials_transmission", "KHR_materials_volume", "KHR_materials_dispersion", "KHR_materials_specular",
		"KHR_materials_clearcoat", "KHR_materials_sheen", "KHR_materials_iridescence", "KHR_materials_anisotropy",
		"KHR_materials_diffuse_transmission"}
}

// layers reads a material's extensions; nil where it has none.
func (l *loader) layers(src *gltf.Material) (*Layers, error) {
	var e layerExtensions
	found := false
	for _, name := range layerNames() {
		if raw, ok := src.Extensions[name].(json.RawMessage); ok {
			if err := json.Unmarshal(raw, &e); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrInvalid, name, err)
			}
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	y := DefaultLayers()
	y.setFactors(&e)
	if err := l.layerTextures(&y, &e); err != nil {
		return nil, err
	}
	if !allFinite(y.factors()) {
		return nil, fmt.Errorf("%w: a factor of an extension is out of range", ErrInvalid)
	}
	return &y, nil
}

func (y *Layers) setFactors(e *layerExtensions) {
	set := func(to *float32, from *float64) {
		if from != nil {
			*to = float32(*from)
		}
	}
	color := func(to *mgl32.Vec3, from *[3]float64) {
		if from != nil {
			*to = vec3(*from)
		}
	}
	y.Thickness, y.Dispersion = float32(e.ThicknessFactor), float32(e.Dispersion)
	if e.AttenuationDistance > 0 && e.AttenuationColor != nil {
		for k, c := range e.AttenuationColor {
			y.Attenuation[k] = float32(-math.Log(min(max(c, 1e-6), 1)) / e.AttenuationDistance)
		}
	}
	set(&y.Specular, e.SpecularFactor)
	color(&y.SpecularColor, e.SpecularColorFactor)
	y.Coat, y.CoatRoughness = float32(e.ClearcoatFactor), float32(e.ClearcoatRoughnessFactor)
	y.SheenColor, y.SheenRoughness = vec3(e.SheenColorFactor), float32(e.SheenRoughnessFactor)
	y.Iridescence = float32(e.IridescenceFactor)
	set(&y.FilmIOR, e.IridescenceIOR)
	set(&y.FilmMin, e.IridescenceThicknessMinimum)
	set(&y.FilmMax, e.IridescenceThicknessMaximum)
	y.Anisotropy, y.AnisotropyRotation = float32(e.AnisotropyStrength), float32(e.AnisotropyRotation)
	y.DiffuseTransmission = float32(e.DiffuseTransmissionFactor)
	color(&y.DiffuseTransmissionColor, e.DiffuseTransmissionColorFactor)
	if e.IridescenceThicknessTexture == nil {
		y.FilmMin = y.FilmMax // as the specification says
	}
}

func (l *loader) layerTextures(y *Layers, e *layerExtensions) (err error) {
	for _, t := range []struct {
		what string
		to   **TextureRef
		from *gltf.TextureInfo
		srgb bool
	}{
		{"transmission", &y.TransmissionTexture, e.TransmissionTexture, false},
		{"specular", &y.SpecularTexture, e.SpecularTexture, false},
		{"specular colour", &y.SpecularColorTexture, e.SpecularColorTexture, true},
		{"clearcoat", &y.CoatTexture, e.ClearcoatTexture, false},
		{"clearcoat roughness", &y.CoatRoughnessTexture, e.ClearcoatRoughnessTexture, false},
		{"sheen colour", &y.SheenColorTexture, e.SheenColorTexture, true},
		{"sheen roughness", &y.SheenRoughnessTexture, e.SheenRoughnessTexture, false},
		{"iridescence", &y.IridescenceTexture, e.IridescenceTexture, false},
		{"iridescence thickness", &y.FilmTexture, e.IridescenceThicknessTexture, false},
		{"anisotropy", &y.AnisotropyTexture, e.AnisotropyTexture, false},
		{"diffuse transmission", &y.DiffuseTransmissionTexture, e.DiffuseTransmissionTexture, false},
		{"diffuse transmission colour", &y.DiffuseTransmissionColorTexture, e.DiffuseTransmissionColorTexture, true},
	} {
		if *t.to, err = l.textureInfo(t.what, t.from, t.srgb); err != nil {
			return err
		}
	}
	if n := e.ClearcoatNormalTexture; n != nil && n.Index != nil {
		y.CoatNormalScale = float32(n.ScaleOrDefault())
		y.CoatNormalTexture, err = l.textureRef("clearcoat normal", *n.Index, n.TexCoord, n.Extensions, false)
	}
	return err
}
