package render

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
)

// What the host writes for the shaders of shaders/viewer. The GLSL has the one definition of each; internal/house holds all
// structures with a //glsl: directive against the compiled shaders.

// frame is the uniform block of frame.glsl; its vectors' fourth components are explained there.
//
//glsl:viewer/path.rchit Frame
type frame struct {
	eye, right, up, forward                           mgl32.Vec4
	skyUp, skyZenith, skyHorizon, skyGround, skyFront mgl32.Vec4
	flags, lightCount, lightTriangleCount             uint32
	//lint:ignore U1000 the kernels have it, and the twins test holds it
	lightPower, clampRadiance, tMin, tMax float32
	environmentWidth                      uint32
}

// geometry has the addresses of a geometry's attributes.
//
//glsl:viewer/path.rchit Geometry
type geometry struct {
	indices, positions, normals, tangents, uv0, uv1, colors, emission uint64
	material                                                          uint32
	radius                                                            float32
	_                                                                 [2]uint32
}

// textureUse is a texture and where it lies.
//
//glsl:viewer/path.rchit TextureUse
type textureUse struct {
	row0     mgl32.Vec3
	texture  int32 // -1 = none
	row1     mgl32.Vec3
	texCoord uint32
}

// material is a material without its layers.
//
//glsl:viewer/path.rchit Material
type material struct {
	baseColor                                           mgl32.Vec4
	emissive                                            mgl32.Vec3
	alphaCutoff                                         float32
	metallic, roughness, normalScale, occlusionStrength float32
	flags                                               uint32
	ior, transmission                                   float32
	_                                                   uint32
	baseColorTexture, metallicRoughnessTexture          textureUse
	normalTexture, occlusionTexture, emissiveTexture    textureUse
}

// materialLayers are a material's extensions.
//
//glsl:viewer/path.rchit MaterialLayers
type materialLayers struct {
	attenuation                                        mgl32.Vec3
	dispersion                                         float32
	specularColor                                      mgl32.Vec3
	specular                                           float32
	sheen                                              mgl32.Vec3
	sheenRoughness                                     float32
	diffuseTransmissionColor                           mgl32.Vec3
	diffuseTransmission                                float32
	coat, coatRoughness, coatNormalScale, iridescence  float32
	filmIor, filmMinimum, filmMaximum                  float32
	anisotropy, anisotropyCosine, anisotropySine       float32
	_                                                  [2]uint32
	transmissionTexture, specularTexture               textureUse
	specularColorTexture, sheenTexture                 textureUse
	sheenRoughnessTexture, diffuseTransmissionTexture  textureUse
	diffuseTransmissionColorTexture, coatTexture       textureUse
	coatRoughnessTexture, coatNormalTexture            textureUse
	iridescenceTexture, filmTexture, anisotropyTexture textureUse
}

// light is a punctual light, the sun, or the headlight.
//
//glsl:viewer/path.rchit Light scope=range
type light struct {
	position            mgl32.Vec3
	kind                uint32
	intensity           mgl32.Vec3
	scope               float32
	direction           mgl32.Vec3
	cosOuter            float32
	cosInner, tanRadius float32
	_                   [2]uint32
}

// lightTriangle is a triangle that shines, and its entry of the alias table.
//
//glsl:viewer/path.rchit LightTriangle
type lightTriangle struct {
	p0           mgl32.Vec3
	keep         float32
	e1           mgl32.Vec3
	geometry     uint32
	e2           mgl32.Vec3
	primitive    uint32
	weight, side float32
	alias        uint32
	_            uint32
}

// samplePush are the push constants of the integrators.
//
//glsl:viewer/path.rchit Push
type samplePush struct{ sampleIndex, maxBounces uint32 }

// computePush are those of integrators that are kernels.
//
//glsl:viewer/heat.comp Push
type computePush struct {
	samplePush
	size [2]uint32
}

// screenPush are those of tonemap.comp.
//
//glsl:viewer/tonemap.comp Push
type screenPush struct {
	width, height                uint32
	scale                        float32
	display, blueFirst, hasUnlit uint32
}

// record is what follows the handle in a hit record.
//
//glsl:viewer/path.rchit Record
type record struct{ geometry uint32 }

// Sizes in bytes.
const (
	frameSize         = uint64(unsafe.Sizeof(frame{}))
	geometrySize      = int(unsafe.Sizeof(geometry{}))
	materialSize      = int(unsafe.Sizeof(material{}))
	layersSize        = int(unsafe.Sizeof(materialLayers{}))
	lightSize         = int(unsafe.Sizeof(light{}))
	lightTriangleSize = int(unsafe.Sizeof(lightTriangle{}))
	pushSize          = uint32(unsafe.Sizeof(samplePush{}))
)

// Flags of materials and frames.
const (
	materialDoubleSided = 4  //glsl:MATERIAL_DOUBLE_SIDED
	materialUnlit       = 8  //glsl:MATERIAL_UNLIT
	materialVolume      = 16 //glsl:MATERIAL_VOLUME

	cameraOrthographic = 1 //glsl:CAMERA_ORTHOGRAPHIC
)

// flag is 1 for true.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
