package main

import "math"

// The modes of glTF's primitives.
const (
	modePoints   = 0
	modeLineLoop = 2
)

// putThin places points or lines through vertices with colours of their own.
func (f *file) putThin(mode int, positions, colors []float32, material object, x, y, z float64) {
	f.materials = append(f.materials, material)
	f.meshes = append(f.meshes, object{"primitives": []any{object{"mode": mode, "material": len(f.materials) - 1,
		"attributes": object{"POSITION": f.floats("VEC3", 3, positions), "COLOR_0": f.floats("VEC3", 3, colors)}}}})
	f.nodes = append(f.nodes, object{"mesh": len(f.meshes) - 1, "translation": []float64{x, y, z}})
}

// hue is a colour of a wheel that goes round once from 0 to 1.
func hue(t float64) []float32 {
	c := make([]float32, 3)
	for k := range c {
		c[k] = float32(0.5 + 0.45*math.Cos(2*math.Pi*(t-float64(k)/3)))
	}
	return c
}

// pointsAndLines is a ball of points inside a knot of lines: spheres and capsules by an intersection shader.
func pointsAndLines() *file {
	f := newFile()
	f.checkered(8, 16, 120, 190)
	var positions, colors []float32
	const points = 1500
	for i := range points { // evenly over the ball, by the golden angle
		height := 1 - 2*(float64(i)+0.5)/points
		sin, cos := math.Sincos(float64(i) * math.Pi * (3 - math.Sqrt(5)))
		r := math.Sqrt(1 - height*height)
		positions = append(positions, float32(0.5*r*cos), float32(0.5*height), float32(0.5*r*sin))
		colors = append(colors, hue(0.5+height/2)...)
	}
	f.putThin(modePoints, positions, colors, paint(1, 1, 1, 0, 0.3), 0, 1, 0)
	positions, colors = nil, nil
	const steps = 900
	for i := range steps {
		t := 2 * math.Pi * float64(i) / steps
		r := 0.85 + 0.18*math.Cos(13*t)
		positions = append(positions, float32(r*math.Cos(3*t)), float32(0.55*math.Sin(7*t)), float32(r*math.Sin(3*t)))
		colors = append(colors, hue(float64(i)/steps)...)
	}
	f.putThin(modeLineLoop, positions, colors, paint(1, 1, 1, 1, 0.25), 0, 1, 0)
	f.sun(4)
	f.look([3]float64{1.6, 2.1, 3}, [3]float64{0, 0.9, 0}, 38)
	return f
}
