package render

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/vk"
)

func encodeMaterials(materials []assets.Material) []byte {
	list := make([]material, len(materials))
	for i := range materials {
		list[i] = newMaterial(&materials[i])
	}
	return vk.BytesOf(list)
}

func newMaterial(m *assets.Material) material {
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
	return material{
		baseColor: m.BaseColor, emissive: m.Emissive, alphaCutoff: m.AlphaCutoff, metallic: m.Metallic, roughness: m.Roughness,
		normalScale: m.NormalScale, occlusionStrength: m.OcclusionStrength, flags: flags, ior: m.IOR, transmission: m.Transmission,
		baseColorTexture: use(m.BaseColorTexture), metallicRoughnessTexture: use(m.MetallicRoughnessTexture),
		normalTexture: use(m.NormalTexture), occlusionTexture: use(m.OcclusionTexture), emissiveTexture: use(m.EmissiveTexture),
	}
}

// use is a material's use of a texture, nil for none.
func use(t *assets.TextureRef) textureUse {
	if t == nil {
		return textureUse{row0: mgl32.Vec3{1, 0, 0}, texture: -1, row1: mgl32.Vec3{0, 1, 0}}
	}
	m := t.Matrix()
	return textureUse{row0: mgl32.Vec3{m.At(0, 0), m.At(0, 1), m.At(0, 2)}, texture: int32(t.Texture),
		row1: mgl32.Vec3{m.At(1, 0), m.At(1, 1), m.At(1, 2)}, texCoord: uint32(t.TexCoord)}
}

func encodeGeometries(s *accel.Scene) []byte {
	list := make([]geometry, len(s.Geometries))
	for i, g := range s.Geometries {
		p := &s.Source.Meshes[g.Mesh].Primitives[g.Primitive]
		list[i] = geometry{indices: g.Indices, positions: g.Positions, normals: g.Normals, tangents: g.Tangents, uv0: g.UV0, uv1: g.UV1,
			colors: g.Colors, emission: g.Extra, material: uint32(p.Material), radius: p.Radius}
	}
	return vk.BytesOf(list)
}
