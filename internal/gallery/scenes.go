package main

import (
	"image/color"
	"math"
)

// sphere is a ball of that radius about the origin.
func sphere(radius float64) (s shape) {
	const rows, columns = 48, 96
	for r := range rows + 1 {
		theta := math.Pi * float64(r) / rows
		for c := range columns + 1 {
			phi := 2 * math.Pi * float64(c) / columns
			n := [3]float64{math.Sin(theta) * math.Sin(phi), math.Cos(theta), math.Sin(theta) * math.Cos(phi)}
			for _, v := range n {
				s.positions = append(s.positions, float32(radius*v))
				s.normals = append(s.normals, float32(v))
			}
			s.uv = append(s.uv, float32(c)/columns, float32(r)/rows)
		}
	}
	for r := range uint32(rows) {
		for c := range uint32(columns) {
			a := r*(columns+1) + c
			b := a + columns + 1
			if r > 0 {
				s.indices = append(s.indices, a, b, a+1)
			}
			if r < rows-1 {
				s.indices = append(s.indices, a+1, b, b+1)
			}
		}
	}
	return s
}

// quad spans two edges from the origin, which is its centre; it faces their cross product.
func quad(u, v [3]float64) (s shape) {
	n := [3]float64{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	for i := range 4 {
		a, b := []float64{-0.5, 0.5, 0.5, -0.5}[i], []float64{-0.5, -0.5, 0.5, 0.5}[i]
		for k := range 3 {
			s.positions = append(s.positions, float32(a*u[k]+b*v[k]))
			s.normals = append(s.normals, float32(n[k]/l))
		}
		s.uv = append(s.uv, float32(a+0.5), float32(0.5-b))
	}
	s.indices = []uint32{0, 1, 2, 0, 2, 3}
	return s
}

func floor(size float64) shape { return quad([3]float64{size, 0, 0}, [3]float64{0, 0, -size}) }
func card(w, h float64) shape  { return quad([3]float64{w, 0, 0}, [3]float64{0, h, 0}) }

// paint is a metallic-roughness material.
func paint(r, g, b, metallic, roughness float64) object {
	return object{"pbrMetallicRoughness": object{"baseColorFactor": []float64{r, g, b, 1}, "metallicFactor": metallic,
		"roughnessFactor": roughness}}
}

// with adds an extension.
func with(m object, extension string, members object) object {
	ext, _ := m["extensions"].(object)
	if ext == nil {
		ext = object{}
		m["extensions"] = ext
	}
	ext["KHR_materials_"+extension] = members
	return m
}

func glass(r, g, b, roughness, ior float64) object {
	m := with(paint(r, g, b, 0, roughness), "transmission", object{"transmissionFactor": 1})
	return with(with(m, "volume", object{"thicknessFactor": 1}), "ior", object{"ior": ior})
}

// checker is a texture of n x n fields.
func (f *file) checker(size, n int, a, b color.NRGBA) object {
	return object{"index": f.texture(size, size, func(x, y int) color.NRGBA {
		if (x*n/size+y*n/size)%2 == 0 {
			return a
		}
		return b
	})}
}

func grey(v uint8) color.NRGBA { return color.NRGBA{R: v, G: v, B: v, A: 255} }

// checkered is a floor that shows what is refracted and reflected.
func (f *file) checkered(size float64, n int, low, high uint8) {
	m := paint(1, 1, 1, 0, 0.9)
	m["pbrMetallicRoughness"].(object)["baseColorTexture"] = f.checker(256, n, grey(low), grey(high))
	f.put(floor(size), m, 0, 0, 0)
}

// materials shows each extension on a ball.
func materials() *file {
	f := newFile()
	f.checkered(16, 16, 120, 190)
	balls := []object{
		paint(0.8, 0.2, 0.15, 0, 0.05), paint(0.8, 0.2, 0.15, 0, 0.6), paint(1, 0.77, 0.34, 1, 0.12), paint(0.56, 0.57, 0.58, 1, 0.5),
		with(paint(0.9, 0.6, 0.45, 1, 0.35), "anisotropy", object{"anisotropyStrength": 0.9}),
		with(paint(0.45, 0.02, 0.03, 0.7, 0.5), "clearcoat", object{"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.03}),
		with(paint(0.1, 0.12, 0.4, 0, 1), "sheen", object{"sheenColorFactor": []float64{0.6, 0.6, 1}, "sheenRoughnessFactor": 0.4}),
		with(paint(0.02, 0.02, 0.02, 0, 0.1), "iridescence",
			object{"iridescenceFactor": 1, "iridescenceIor": 1.8, "iridescenceThicknessMaximum": 420}),
		with(paint(0.9, 0.95, 1, 0, 0), "transmission", object{"transmissionFactor": 1}),
		with(paint(1, 1, 1, 0, 0.35), "transmission", object{"transmissionFactor": 1}),
		glass(1, 1, 1, 0, 1.5), glass(1, 1, 1, 0.3, 1.5),
		with(glass(1, 1, 1, 0, 1.5), "volume", object{"thicknessFactor": 1, "attenuationDistance": 0.5,
			"attenuationColor": []float64{0.1, 0.7, 0.35}}),
		with(glass(1, 1, 1, 0, 2.2), "dispersion", object{"dispersion": 8}),
		with(paint(0.9, 0.75, 0.3, 0, 0.7), "diffuse_transmission",
			object{"diffuseTransmissionFactor": 0.7, "diffuseTransmissionColorFactor": []float64{1, 0.5, 0.1}}),
	}
	for i, m := range balls {
		f.put(sphere(0.46), m, float64(i%5)-2, 0.461, 1.1*float64(i/5)-1.1)
	}
	f.look([3]float64{0, 3.2, 5.4}, [3]float64{0, 0.3, 0}, 38)
	return f
}

// glassShadow is a clear ball under a sun.
func glassShadow() *file {
	f := newFile()
	f.checkered(12, 12, 150, 220)
	f.put(sphere(0.6), glass(0.95, 1, 0.97, 0, 1.5), -0.7, 0.601, 0)
	f.put(card(1.1, 1.2), with(paint(0.9, 0.4, 0.3, 0, 0), "transmission", object{"transmissionFactor": 1}), 0.8, 0.61, 0)
	f.sun(3)
	f.look([3]float64{0, 2.2, 4}, [3]float64{0, 0.4, -0.2}, 38)
	return f
}

// roughTransmission is a frosted sheet with clear fields, before a checkered wall.
func roughTransmission() *file {
	f := newFile()
	m := paint(1, 1, 1, 0, 0.9)
	m["pbrMetallicRoughness"].(object)["baseColorTexture"] = f.checker(256, 12, color.NRGBA{R: 200, G: 40, B: 30, A: 255}, grey(230))
	f.put(card(6, 4), m, 0, 0, -1)
	sheet := with(paint(1, 1, 1, 0, 0.3), "transmission", object{"transmissionFactor": 1,
		"transmissionTexture": f.checker(64, 2, grey(255), grey(0))})
	sheet["doubleSided"] = true
	f.put(card(2.4, 2.4), sheet, 0, 0, 0)
	f.look([3]float64{0.6, 0.4, 5}, [3]float64{0, 0, 0}, 34)
	return f
}

// normalMappedMetal is a metal ball with a map of steep bumps.
func normalMappedMetal() *file {
	f := newFile()
	const size, bumps = 256, 12
	m := paint(0.95, 0.93, 0.88, 1, 0.08)
	m["normalTexture"] = object{"scale": 1.2, "index": f.texture(size, size, func(x, y int) color.NRGBA {
		slope := func(v int) float64 { return 0.75 * math.Sin(2*math.Pi*bumps*float64(v)/size) }
		n := [3]float64{slope(x), slope(y), 1}
		l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
		pack := func(v float64) uint8 { return uint8(math.Round((v/l*0.5 + 0.5) * 255)) }
		return color.NRGBA{R: pack(n[0]), G: pack(n[1]), B: pack(n[2]), A: 255}
	})}
	f.checkered(12, 12, 150, 220)
	f.put(sphere(0.8), m, 0, 0.81, 0)
	f.look([3]float64{0, 1.4, 3.6}, [3]float64{0, 0.75, 0}, 36)
	return f
}

// textureTransform repeats a fine texture by its transform: without the right level of detail it is noise.
func textureTransform() *file {
	f := newFile()
	m := paint(1, 1, 1, 0, 0.9)
	t := f.checker(512, 64, grey(20), grey(240))
	t["extensions"] = object{"KHR_texture_transform": object{"scale": []float64{16, 16}}}
	f.used["KHR_texture_transform"] = true
	m["pbrMetallicRoughness"].(object)["baseColorTexture"] = t
	f.put(floor(30), m, 0, 0, -10)
	f.look([3]float64{0, 1.2, 4}, [3]float64{0, 0.4, -2}, 40)
	return f
}

// unlit is a chart of colours that are to be shown as they are.
func unlit() *file {
	f := newFile()
	f.checkered(12, 12, 150, 220)
	for i, c := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0.214, 0.214, 0.214}, {0, 0, 0}} {
		f.put(card(0.7, 0.7), with(paint(c[0], c[1], c[2], 0, 1), "unlit", object{}), 0.8*float64(i%3)-0.8, 1.2-0.8*float64(i/3), 0)
	}
	f.look([3]float64{0, 1.2, 4}, [3]float64{0, 0.8, 0}, 38)
	return f
}

// darkPaint is black lettering's paint beside white paper, in soft light.
func darkPaint() *file {
	f := newFile()
	f.put(card(5, 3), paint(0.9, 0.9, 0.9, 0, 0.9), 0, 0, -0.02)
	for i, v := range []float64{0, 0.005, 0.02, 0.05, 0.1} {
		f.put(card(0.34, 1.4), paint(v, v, v, 0, 0.6), 0.5*float64(i)-1, 0, 0)
	}
	f.look([3]float64{0, 0, 4}, [3]float64{0, 0, 0}, 36)
	return f
}

// morph is a ball whose default weight pulls it into an egg.
func morph() *file {
	f := newFile()
	f.checkered(12, 12, 150, 220)
	s := sphere(0.5)
	mesh := f.put(s, paint(0.9, 0.5, 0.2, 0, 0.3), 0, 0.52, 0)
	up := make([]float32, len(s.positions))
	for i := 1; i < len(up); i += 3 {
		if y := s.positions[i]; y > 0 {
			up[i] = 1.5 * y
		}
	}
	mesh["primitives"].([]any)[0].(object)["targets"] = []any{object{"POSITION": f.floats("VEC3", 3, up)}}
	mesh["weights"] = []float64{0.8}
	f.look([3]float64{0, 1.4, 3.6}, [3]float64{0, 0.6, 0}, 38)
	return f
}

// hull is a closed room, without any light.
func hull() *file {
	f := newFile()
	room := func(u, v [3]float64, r, g, b, x, y, z float64) { f.put(quad(u, v), paint(r, g, b, 0, 0.8), x, y, z) }
	x, y, z := [3]float64{4, 0, 0}, [3]float64{0, 4, 0}, [3]float64{0, 0, 4}
	room(x, [3]float64{0, 0, -4}, 0.6, 0.6, 0.6, 0, 0, 0)
	room(x, z, 0.8, 0.8, 0.8, 0, 4, 0)
	room(x, y, 0.7, 0.7, 0.6, 0, 2, -2)
	room(y, x, 0.5, 0.5, 0.5, 0, 2, 2)
	room(z, y, 0.7, 0.2, 0.2, 2, 2, 0)
	room(y, z, 0.2, 0.6, 0.2, -2, 2, 0)
	f.put(sphere(0.6), paint(0.9, 0.8, 0.4, 0, 0.4), 0.3, 0.61, -0.6)
	f.look([3]float64{0, 1.6, 1.9}, [3]float64{0, 1.2, -1}, 60)
	return f
}
