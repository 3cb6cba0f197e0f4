package assets

import (
	"math"
	"path"
	"strconv"

	"github.com/go-gl/mathgl/mgl32"
)

// plainMaterial is that of formats which say nothing of materials.
func plainMaterial(name string) Material {
	m := DefaultMaterial()
	m.Name, m.Metallic, m.Roughness = name, 0, 0.8
	m.BaseColor = mgl32.Vec4{0.8, 0.8, 0.8, 1}
	m.DoubleSided = true
	return m
}

// library reads a material library (.mtl) beside the scene. One that cannot be read is a warning: the shapes can be seen
// without.
func (r *objReader) library(name string) error {
	data, err := r.l.src.local(name)
	if err != nil {
		r.l.warn("the materials are grey: %s", r.l.whyMissing(&pendingImage{failed: err, source: "material library"}))
		return nil //nolint:nilerr // it was said
	}
	dir := path.Dir(name)
	var m *Material
	for len(data) > 0 {
		var line []byte
		line, data = nextLine(data)
		key, rest := word(line)
		if string(key) == "newmtl" {
			if err := r.l.src.charge(512, "materials"); err != nil {
				return err
			}
			r.materials[string(rest)] = len(r.l.scene.Materials)
			r.l.scene.Materials = append(r.l.scene.Materials, plainMaterial(clip(string(rest))))
			m = &r.l.scene.Materials[len(r.l.scene.Materials)-1]
			continue
		}
		if m != nil {
			r.l.materialStatement(m, string(key), rest, dir)
		}
	}
	return r.l.ctx.Err()
}

// materialStatement applies a line of a material. Colours are linear, as exporters of today write them. Of the old shading
// model the exponent becomes a roughness whose highlight has its width (Karis 2013); of the new one (Pm, Pr) numbers count as
// they are.
func (l *loader) materialStatement(m *Material, key string, rest []byte, dir string) {
	value := func() (float32, bool) {
		w, _ := word(rest)
		x, err := strconv.ParseFloat(string(w), 32)
		return float32(x), err == nil && !math.IsNaN(x)
	}
	x, isNumber := value()
	unit := min(max(x, 0), 1)
	switch key {
	case "Kd":
		if c, ok := color3(rest); ok {
			m.BaseColor = c.Vec4(m.BaseColor[3])
		}
	case "Ke":
		if c, ok := color3(rest); ok {
			m.Emissive = c
		}
	case "map_Kd":
		m.BaseColorTexture = l.mapTexture(rest, dir, true)
		m.BaseColor = mgl32.Vec4{1, 1, 1, m.BaseColor[3]}
	case "map_Ke":
		if m.EmissiveTexture = l.mapTexture(rest, dir, true); !m.IsEmissive() {
			m.Emissive = mgl32.Vec3{1, 1, 1}
		}
	case "norm", "map_Kn":
		m.NormalTexture = l.mapTexture(rest, dir, false)
	}
	if !isNumber {
		return
	}
	switch key {
	case "Ns":
		m.Roughness = float32(math.Sqrt(math.Sqrt(2 / (2 + float64(max(x, 0))))))
	case "Pr":
		m.Roughness = unit
	case "Pm":
		m.Metallic = unit
	case "d":
		m.setOpacity(unit)
	case "Tr":
		m.setOpacity(1 - unit)
	case "Ni":
		if x >= 1 && x < 10 {
			m.IOR = x
		}
	}
}

func (m *Material) setOpacity(a float32) {
	m.BaseColor[3] = a
	if a < 1 {
		m.AlphaMode = AlphaBlend
	}
}

// color3 reads three numbers; one alone stands for all.
func color3(rest []byte) (c mgl32.Vec3, ok bool) {
	for i := range c {
		var w []byte
		w, rest = word(rest)
		if len(w) == 0 && i > 0 {
			c[i] = c[0]
			continue
		}
		x, err := strconv.ParseFloat(string(w), 32)
		if err != nil || !isFinite(float32(x)) || x < 0 {
			return c, false
		}
		c[i] = float32(x)
	}
	return c, true
}

// mapTexture reads the file's name of a map: the last words, behind options that begin with a minus and their numbers.
func (l *loader) mapTexture(rest []byte, dir string, srgb bool) *TextureRef {
	for len(rest) > 0 && rest[0] == '-' {
		_, rest = word(rest) // the option
		for len(rest) > 0 {
			w, more := word(rest)
			if _, err := strconv.ParseFloat(string(w), 32); err != nil && string(w) != "on" && string(w) != "off" || len(more) == 0 {
				break
			}
			rest = more
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return l.fileTexture(path.Join(dir, string(rest)), srgb)
}
