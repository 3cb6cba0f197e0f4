package assets

import (
	"encoding/json"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/ext/texturetransform"
)

// material returns the scene's index of a material of the document (nil is the
// default one), converting it at the first use.
func (l *loader) material(ref *int) (int, error) {
	i := -1
	if ref != nil {
		i = *ref
		if i < 0 || i >= len(l.doc.Materials) {
			return 0, fmt.Errorf("%w: material %d of %d", ErrInvalid, i, len(l.doc.Materials))
		}
	}
	if k, ok := l.materials[i]; ok {
		return k, nil
	}
	m := DefaultMaterial()
	if i >= 0 {
		if err := l.convertMaterial(&m, l.doc.Materials[i]); err != nil {
			return 0, fmt.Errorf("material %d %q: %w", i, l.doc.Materials[i].Name, err)
		}
	}
	k := len(l.scene.Materials)
	l.scene.Materials = append(l.scene.Materials, m)
	l.materials[i] = k
	return k, nil
}

func (l *loader) convertMaterial(m *Material, src *gltf.Material) (err error) {
	m.Name = src.Name
	m.DoubleSided = src.DoubleSided
	m.AlphaCutoff = float32(src.AlphaCutoffOrDefault())
	switch src.AlphaMode {
	case gltf.AlphaMask:
		m.AlphaMode = AlphaMask
	case gltf.AlphaBlend:
		m.AlphaMode = AlphaBlend
	}
	m.Emissive = vec3(src.EmissiveFactor)
	if m.EmissiveTexture, err = l.textureInfo("emissive", src.EmissiveTexture, true); err != nil {
		return err
	}
	if p := src.PBRMetallicRoughness; p != nil {
		c := p.BaseColorFactorOrDefault()
		m.BaseColor = mgl32.Vec4{float32(c[0]), float32(c[1]), float32(c[2]), float32(c[3])}
		m.Metallic, m.Roughness = float32(p.MetallicFactorOrDefault()), float32(p.RoughnessFactorOrDefault())
		if m.BaseColorTexture, err = l.textureInfo("base colour", p.BaseColorTexture, true); err != nil {
			return err
		}
		if m.MetallicRoughnessTexture, err = l.textureInfo("metallic-roughness", p.MetallicRoughnessTexture, false); err != nil {
			return err
		}
	}
	if n := src.NormalTexture; n != nil && n.Index != nil {
		m.NormalScale = float32(n.ScaleOrDefault())
		if m.NormalTexture, err = l.textureRef("normal", *n.Index, n.TexCoord, n.Extensions, false); err != nil {
			return err
		}
	}
	if o := src.OcclusionTexture; o != nil && o.Index != nil {
		m.OcclusionStrength = float32(o.StrengthOrDefault())
		if m.OcclusionTexture, err = l.textureRef("occlusion", *o.Index, o.TexCoord, o.Extensions, false); err != nil {
			return err
		}
	}
	if err := l.materialExtensions(m, src); err != nil {
		return err
	}
	if !allFinite(m.BaseColor[:]) || !allFinite(m.Emissive[:]) ||
		!allFinite([]float32{m.Metallic, m.Roughness, m.NormalScale, m.OcclusionStrength, m.AlphaCutoff, m.IOR, m.Transmission}) {
		return fmt.Errorf("%w: a factor is out of range", ErrInvalid)
	}
	return nil
}

// materialExtensions reads the extensions.
func (l *loader) materialExtensions(m *Material, src *gltf.Material) (err error) {
	var ext struct {
		EmissiveStrength   *float64
		IOR                *float64
		TransmissionFactor *float64
	}
	for _, name := range []string{"KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_transmission"} {
		if raw, ok := src.Extensions[name].(json.RawMessage); ok {
			if err := json.Unmarshal(raw, &ext); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrInvalid, name, err)
			}
		}
	}
	_, m.Unlit = src.Extensions["KHR_materials_unlit"]
	if ext.EmissiveStrength != nil {
		m.Emissive = m.Emissive.Mul(float32(*ext.EmissiveStrength))
	}
	if ext.IOR != nil {
		m.IOR = float32(*ext.IOR)
	}
	if ext.TransmissionFactor != nil {
		m.Transmission = float32(*ext.TransmissionFactor)
	}
	m.Layers, err = l.layers(src)
	return err
}

func (l *loader) textureInfo(what string, t *gltf.TextureInfo, srgb bool) (*TextureRef, error) {
	if t == nil {
		return nil, nil
	}
	return l.textureRef(what, t.Index, t.TexCoord, t.Extensions, srgb)
}

// textureRef converts a material's reference to a texture; nil where the
// texture has no image to show.
func (l *loader) textureRef(what string, index, coord int, ext gltf.Extensions, srgb bool) (*TextureRef, error) {
	r := &TextureRef{TexCoord: coord, Scale: mgl32.Vec2{1, 1}}
	if t, ok := ext[texturetransform.ExtensionName].(*texturetransform.TextureTranform); ok && t != nil {
		r.Offset = mgl32.Vec2{float32(t.Offset[0]), float32(t.Offset[1])}
		r.Scale = mgl32.Vec2{float32(t.Scale[0]), float32(t.Scale[1])}
		r.Rotation = float32(t.Rotation)
		if t.TexCoord != nil {
			r.TexCoord = *t.TexCoord
		}
	}
	if !allFinite([]float32{r.Offset[0], r.Offset[1], r.Scale[0], r.Scale[1], r.Rotation}) {
		return nil, fmt.Errorf("%w: %s texture: transform out of range", ErrInvalid, what)
	}
	if r.TexCoord < 0 || r.TexCoord > 1 {
		l.warn("texture coordinate sets other than 0 and 1 are not read: 0 is used")
		r.TexCoord = 0
	}
	k, err := l.texture(index, srgb)
	if err != nil {
		return nil, fmt.Errorf("%s texture: %w", what, err)
	}
	if k < 0 {
		return nil, nil
	}
	r.Texture = k
	return r, nil
}

// basisTextures is the extension of textures in KTX2 files.
const basisTextures = "KHR_texture_basisu"

// texture returns the scene's index of a texture in one of its uses, -1 where
// it has no image that can be read.
func (l *loader) texture(i int, srgb bool) (int, error) {
	key := colorUse{i, srgb}
	if k, ok := l.textures[key]; ok {
		return k, nil
	}
	if i < 0 || i >= len(l.doc.Textures) {
		return 0, fmt.Errorf("%w: texture %d of %d", ErrInvalid, i, len(l.doc.Textures))
	}
	src := l.doc.Textures[i]
	sampler, err := l.sampler(src.Sampler)
	if err != nil {
		return 0, fmt.Errorf("texture %d: %w", i, err)
	}
	source := src.Source
	for _, name := range []string{"EXT_texture_webp", basisTextures} {
		raw, ok := src.Extensions[name].(json.RawMessage)
		if !ok || name == basisTextures && source != nil { // what it falls back to has lost less
			continue
		}
		var ext struct{ Source *int }
		if err := json.Unmarshal(raw, &ext); err != nil {
			return 0, fmt.Errorf("%w: texture %d: %s: %w", ErrInvalid, i, name, err)
		}
		if ext.Source != nil {
			source = ext.Source
		}
	}
	k := -1
	if source == nil {
		l.warn("texture %d is left out: it has no image in a format that is read (PNG, JPEG, WebP, KTX2)", i)
	} else {
		image, err := l.image(*source, srgb)
		if err != nil {
			return 0, fmt.Errorf("texture %d: %w", i, err)
		}
		k = len(l.scene.Textures)
		l.scene.Textures = append(l.scene.Textures, Texture{Name: src.Name, Image: image, Sampler: sampler})
	}
	l.textures[key] = k
	return k, nil
}

func (l *loader) sampler(ref *int) (Sampler, error) {
	if ref == nil {
		return Sampler{}, nil
	}
	if *ref < 0 || *ref >= len(l.doc.Samplers) {
		return Sampler{}, fmt.Errorf("%w: sampler %d of %d", ErrInvalid, *ref, len(l.doc.Samplers))
	}
	src := l.doc.Samplers[*ref]
	s := Sampler{WrapS: wrap(src.WrapS), WrapT: wrap(src.WrapT)}
	if src.MagFilter == gltf.MagNearest {
		s.Mag = FilterNearest
	}
	switch src.MinFilter {
	case gltf.MinLinear:
		s.NoMips = true
	case gltf.MinNearest:
		s.Min, s.Mip, s.NoMips = FilterNearest, FilterNearest, true
	case gltf.MinNearestMipMapNearest:
		s.Min, s.Mip = FilterNearest, FilterNearest
	case gltf.MinLinearMipMapNearest:
		s.Mip = FilterNearest
	case gltf.MinNearestMipMapLinear:
		s.Min = FilterNearest
	}
	return s, nil
}

func wrap(w gltf.WrappingMode) Wrap {
	switch w {
	case gltf.WrapClampToEdge:
		return WrapClampToEdge
	case gltf.WrapMirroredRepeat:
		return WrapMirroredRepeat
	}
	return WrapRepeat
}
