package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// AlphaMode says what a material's alpha means.
type AlphaMode int

// The alpha modes of glTF.
const (
	AlphaOpaque AlphaMode = iota // alpha is ignored
	AlphaMask                    // below the cutoff nothing is there
	AlphaBlend                   // alpha is coverage
)

// String names the mode as glTF does.
func (m AlphaMode) String() string {
	switch m {
	case AlphaOpaque:
		return "OPAQUE"
	case AlphaMask:
		return "MASK"
	case AlphaBlend:
		return "BLEND"
	}
	return "unknown"
}

// Material is glTF's metallic-roughness material. Factors multiply the texture
// of the same name where there is one (nil is none), and BaseColor also the
// vertex colour.
type Material struct {
	Name             string
	BaseColor        mgl32.Vec4  // linear, straight alpha
	BaseColorTexture *TextureRef // sRGB, alpha in a
	Metallic         float32
	Roughness        float32
	// MetallicRoughnessTexture: roughness in g, metallic in b.
	MetallicRoughnessTexture *TextureRef
	NormalTexture            *TextureRef // tangent space, +y up
	NormalScale              float32     // multiplies x and y of the normal
	OcclusionTexture         *TextureRef // in r
	OcclusionStrength        float32
	// Emissive is radiance: the factor times KHR_materials_emissive_strength.
	Emissive        mgl32.Vec3
	EmissiveTexture *TextureRef // sRGB
	AlphaMode       AlphaMode
	AlphaCutoff     float32 // for AlphaMask
	DoubleSided     bool
	// Unlit is KHR_materials_unlit: base colour is the result.
	Unlit bool
	// IOR is KHR_materials_ior, 1.5 where the file does not say.
	IOR float32
	// Transmission is the factor of KHR_materials_transmission.
	Transmission float32
	// Layers are what other extensions add; nil is nothing.
	Layers *Layers
}

// DefaultMaterial is glTF's material of primitives that name none, and the
// start for those made by hand: white, metallic 1 and roughness 1 as the
// specification has it.
func DefaultMaterial() Material {
	return Material{
		Name:      "default",
		BaseColor: mgl32.Vec4{1, 1, 1, 1}, Metallic: 1, Roughness: 1,
		NormalScale: 1, OcclusionStrength: 1, AlphaCutoff: 0.5, IOR: 1.5,
	}
}

// IsOpaque tells whether the geometry may be built with the opaque flag, so
// that no any-hit shader is needed.
func (m *Material) IsOpaque() bool { return m.AlphaMode == AlphaOpaque }

// IsEmissive tells whether the material gives light.
func (m *Material) IsEmissive() bool { return m.Emissive != mgl32.Vec3{} }

// textureRefs lists the references that are set, for checks.
func (m *Material) textureRefs() []*TextureRef {
	var r []*TextureRef
	for _, t := range []*TextureRef{m.BaseColorTexture, m.MetallicRoughnessTexture, m.NormalTexture, m.OcclusionTexture,
		m.EmissiveTexture} {
		if t != nil {
			r = append(r, t)
		}
	}
	if m.Layers != nil {
		for _, t := range m.Layers.textureRefs() {
			if t != nil {
				r = append(r, t)
			}
		}
	}
	return r
}

// PassesLight tells whether straight rays may pass the material, so that shadow rays have to ask.
func (m *Material) PassesLight() bool { return m.Transmission > 0 && m.Metallic < 1 }

// NeedsTangents tells whether shading needs the vertices' tangents.
func (m *Material) NeedsTangents() bool {
	return m.NormalTexture != nil || m.Layers != nil && (m.Layers.CoatNormalTexture != nil || m.Layers.Anisotropy > 0)
}

// TextureRef is a material's use of a texture.
type TextureRef struct {
	Texture  int // into Scene.Textures
	TexCoord int // 0 or 1: UV0 or UV1
	// Offset, Rotation (radians, counter-clockwise) and Scale are those of
	// KHR_texture_transform; see Matrix.
	Offset   mgl32.Vec2
	Rotation float32
	Scale    mgl32.Vec2
}

// Matrix takes (u, v, 1) to the coordinates to sample:
// translation * rotation * scale, as KHR_texture_transform defines them.
func (t *TextureRef) Matrix() mgl32.Mat3 {
	sin, cos := math.Sincos(float64(t.Rotation))
	s, c := float32(sin), float32(cos)
	return mgl32.Mat3{ // column-major
		c * t.Scale[0], -s * t.Scale[0], 0,
		s * t.Scale[1], c * t.Scale[1], 0,
		t.Offset[0], t.Offset[1], 1,
	}
}

// Texture is an image with the way to sample it.
type Texture struct {
	Name    string
	Image   int // into Scene.Images
	Sampler Sampler
}

// Filter is a texture filter.
type Filter int

// The filters.
const (
	FilterLinear Filter = iota
	FilterNearest
)

// Wrap says what lies outside of 0..1.
type Wrap int

// The wrapping modes.
const (
	WrapRepeat Wrap = iota
	WrapClampToEdge
	WrapMirroredRepeat
)

// Sampler is how a texture is read. The zero value is glTF's suggestion where
// a file says nothing: repeat, linear, trilinear mipmaps.
type Sampler struct {
	Mag, Min, Mip Filter
	// NoMips tells that the file asks for a minification filter without mipmaps.
	NoMips       bool
	WrapS, WrapT Wrap
}

// Image is decoded: RGBA, 8 bits, straight alpha, rows from the top.
type Image struct {
	Name          string
	Width, Height int
	Pixels        []byte // 4 * Width * Height
	// SRGB tells that r, g, b are sRGB encoded (base colour and emissive);
	// otherwise they are linear data.
	SRGB bool
	// Missing tells that the file's picture could not be read and that Pixels are a placeholder.
	Missing bool
}
