package render

import (
	"encoding/binary"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// The layouts of shaders/viewer/frame.glsl, scene.glsl and lights.glsl, as little endian bytes.

// Sizes in bytes.
const (
	frameSize         = 176
	geometrySize      = 80
	materialSize      = 224
	lightSize         = 64
	lightTriangleSize = 64
	pushSize          = 8
	recordDataSize    = 4
)

// Flags of materials and frames.
const (
	materialDoubleSided = 4
	materialUnlit       = 8
	materialVolume      = 16

	cameraOrthographic = 1
)

// encoder appends values in the order of a shader's struct.
type encoder struct{ b []byte }

func (e *encoder) u32(v ...uint32) {
	for _, x := range v {
		e.b = binary.LittleEndian.AppendUint32(e.b, x)
	}
}

func (e *encoder) f32(v ...float32) {
	for _, x := range v {
		e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(x))
	}
}

func (e *encoder) vec3(v mgl32.Vec3) { e.f32(v[0], v[1], v[2]) }

// vec4 appends a vec3 and a fourth component.
func (e *encoder) vec4(v mgl32.Vec3, w float32) { e.f32(v[0], v[1], v[2], w) }

// address appends a uvec2.
func (e *encoder) address(a uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, a) }
