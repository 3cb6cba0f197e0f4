package assets

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

const (
	terrainSize    = 100.0 // units a side, whatever the number of triangles
	terrainHeight  = 17.0
	terrainSeed    = 20261121
	terrainOctaves = 8
)

// terrain is a square heightfield of 2c^2 triangles, with c chosen so that
// this is as near to n as it gets (4,193,408 is the 1449 x 1449 grid of the
// measured baseline). The shape does not depend on n, only its resolution.
func terrain(ctx context.Context, n int) (*Scene, error) {
	cells := max(1, int(math.Round(math.Sqrt(float64(n)/2))))
	g := &terrainGrid{cells: cells, step: terrainSize / float64(cells)}
	p, err := g.primitive(ctx)
	if err != nil {
		return nil, err
	}
	ground := matte("ground", 1, 1, 1)
	ground.Roughness = 0.95
	s := &Scene{
		Meshes:    []Mesh{{Name: "terrain", Primitives: []Primitive{*p}}},
		Instances: []Instance{{Name: "terrain", Transform: mgl32.Ident4()}},
		Materials: []Material{ground},
		Up:        mgl32.Vec3{0, 1, 0},
	}
	s.ComputeBounds()
	const fov = 42 * math.Pi / 180
	from, to := mgl32.Vec3{-34, 0, 47}, mgl32.Vec3{6, 3, -8}
	from[1] = float32(terrainAt(float64(from[0]), float64(from[2]))) + 9
	s.Cameras = []Camera{lookAt("valley", from, to, fov)}
	s.Environment = daylight(s.Up, true)
	s.Environment.SunDirection = mgl32.Vec3{0.72, 0.42, 0.30}.Normalize() // low: long shadows
	s.Environment.SunIrradiance = mgl32.Vec3{4.2, 3.6, 2.8}
	return s, nil
}

// terrainAt is the height at a place: ridged noise in octaves (Musgrave's
// ridged multifractal, in "Texturing and Modeling", 1994), bent by slower noise,
// and lowered towards valleys.
func terrainAt(x, z float64) float64 {
	const base = 1.0 / 34 // features of the first octave are so long
	x, z = x*base, z*base
	bx := x + 0.35*noise2(x*1.3+7, z*1.3, terrainSeed^1)
	bz := z + 0.35*noise2(x*1.3, z*1.3+3, terrainSeed^2)
	sum, amplitude, weight, frequency := 0.0, 0.5, 1.0, 1.0
	for o := range terrainOctaves {
		r := 1 - math.Abs(noise2(bx*frequency, bz*frequency, terrainSeed+uint64(o)*31))
		r *= r * weight
		sum += r * amplitude
		weight = min(1, max(0, r*1.8))
		amplitude *= 0.47
		frequency *= 2.03
	}
	broad := 0.5 + 0.5*noise2(x*0.6-5, z*0.6+9, terrainSeed^3)
	return terrainHeight * (sum*(0.35+0.85*broad) - 0.12)
}

// terrainGrid is the sampling of the heightfield.
type terrainGrid struct {
	cells int
	step  float64
	h     []float64 // (cells+3)^2: a row more on every side, for the normals
}

func (g *terrainGrid) at(row, col int) float64 { return g.h[(row+1)*(g.cells+3)+col+1] }

func (g *terrainGrid) coordinate(i int) float64 { return float64(i)*g.step - terrainSize/2 }

func (g *terrainGrid) primitive(ctx context.Context) (*Primitive, error) {
	wide := g.cells + 3
	g.h = make([]float64, wide*wide)
	err := parallel(ctx, wide, func(from, to int) {
		for row := from; row < to; row++ {
			for col := range wide {
				g.h[row*wide+col] = terrainAt(g.coordinate(col-1), g.coordinate(row-1))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	v := g.cells + 1
	p := &Primitive{
		Positions: make([]float32, 3*v*v), Normals: make([]float32, 3*v*v), Tangents: make([]float32, 4*v*v),
		UV0: make([]float32, 2*v*v), Colors: make([]float32, 4*v*v), Indices: make([]uint32, 6*g.cells*g.cells),
	}
	err = parallel(ctx, v, func(from, to int) {
		for row := from; row < to; row++ {
			g.fillRow(p, row)
		}
	})
	return p, err
}

// fillRow writes the vertices of one row, and the triangles of the row of
// cells after it.
func (g *terrainGrid) fillRow(p *Primitive, row int) {
	v := g.cells + 1
	for col := range v {
		i := row*v + col
		h := g.at(row, col)
		dx := (g.at(row, col+1) - g.at(row, col-1)) / (2 * g.step)
		dz := (g.at(row+1, col) - g.at(row-1, col)) / (2 * g.step)
		nl := math.Sqrt(dx*dx + dz*dz + 1)
		tl := math.Sqrt(dx*dx + 1)
		put3(p.Positions, i, g.coordinate(col), h, g.coordinate(row))
		put3(p.Normals, i, -dx/nl, 1/nl, -dz/nl)
		p.Tangents[4*i], p.Tangents[4*i+1], p.Tangents[4*i+3] = float32(1/tl), float32(dx/tl), 1
		p.UV0[2*i], p.UV0[2*i+1] = float32(col)/float32(g.cells), float32(row)/float32(g.cells)
		c := terrainColor(h, 1/nl, g.coordinate(col), g.coordinate(row))
		copy(p.Colors[4*i:], c[:])
	}
	if row == g.cells {
		return
	}
	for col := range g.cells {
		a := uint32(row*v + col)
		b := a + uint32(v)
		// The diagonal alternates, which hides the grid.
		t := [6]uint32{a, b, b + 1, a, b + 1, a + 1}
		if (row+col)%2 == 1 {
			t = [6]uint32{a, b, a + 1, a + 1, b, b + 1}
		}
		copy(p.Indices[6*(row*g.cells+col):], t[:])
	}
}

func put3(s []float32, i int, x, y, z float64) {
	s[3*i], s[3*i+1], s[3*i+2] = float32(x), float32(y), float32(z)
}

// terrainColor is grass in the valleys, rock where it is steep, snow above.
func terrainColor(h, slope, x, z float64) [4]float32 {
	speckle := 0.06 * noise2(x*1.7, z*1.7, terrainSeed^4)
	rocky := smooth(0.86, 0.70, slope+speckle)
	snowy := smooth(0.42, 0.58, h/terrainHeight+2*speckle) * smooth(0.55, 0.75, slope)
	dry := smooth(0.05, 0.38, h/terrainHeight+speckle)
	var c [4]float32
	for k := range 3 {
		grass := lerp([]float64{0.085, 0.125, 0.045}[k], []float64{0.24, 0.20, 0.10}[k], dry)
		ground := lerp(grass, []float64{0.24, 0.21, 0.19}[k], rocky)
		c[k] = float32(lerp(ground, []float64{0.86, 0.88, 0.92}[k], snowy) * (1 + speckle))
	}
	c[3] = 1
	return c
}

// smooth rises from 0 at a to 1 at b; a may be above b.
func smooth(a, b, x float64) float64 {
	t := max(0, min(1, (x-a)/(b-a)))
	return t * t * (3 - 2*t)
}
