package render

import (
	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
)

func encodeMaterials(materials []assets.Material) []byte {
	e := &encoder{b: make([]byte, 0, len(materials)*materialSize)}
	for i := range materials {
		e.material(&materials[i])
	}
	return e.b
}

func (e *encoder) material(m *assets.Material) {
	e.f32(m.BaseColor[0], m.BaseColor[1], m.BaseColor[2], m.BaseColor[3])
	e.vec4(m.Emissive, m.AlphaCutoff)
	e.f32(m.Metallic, m.Roughness, m.NormalScale, m.OcclusionStrength)
	flags := uint32(m.AlphaMode) // the shader's ALPHA_ constants are the same numbers
	if m.DoubleSided {
		flags |= materialDoubleSided
	}
	if m.Unlit {
		flags |= materialUnlit
	}
	if m.PassesLight() && m.Layers != nil && m.Layers.Thickness > 0 {
		flags |= materialVolume
	}
	e.u32(flags)
	e.f32(m.IOR, m.Transmission, 0)
	for _, t := range []*assets.TextureRef{m.BaseColorTexture, m.MetallicRoughnessTexture, m.NormalTexture, m.OcclusionTexture,
		m.EmissiveTexture} {
		e.textureUse(t)
	}
}

func (e *encoder) textureUse(t *assets.TextureRef) {
	if t == nil {
		e.f32(1, 0, 0)
		e.u32(^uint32(0)) // -1
		e.f32(0, 1, 0)
		e.u32(0)
		return
	}
	m := t.Matrix()
	e.f32(m.At(0, 0), m.At(0, 1), m.At(0, 2))
	e.u32(uint32(t.Texture))
	e.f32(m.At(1, 0), m.At(1, 1), m.At(1, 2))
	e.u32(uint32(t.TexCoord))
}

func encodeGeometries(s *accel.Scene) []byte {
	e := &encoder{b: make([]byte, 0, len(s.Geometries)*geometrySize)}
	for _, g := range s.Geometries {
		for _, a := range []uint64{g.Indices, g.Positions, g.Normals, g.Tangents, g.UV0, g.UV1, g.Colors, g.Extra} {
			e.address(a)
		}
		material := s.Source.Meshes[g.Mesh].Primitives[g.Primitive].Material
		e.u32(uint32(material), 0, 0, 0)
	}
	return e.b
}
