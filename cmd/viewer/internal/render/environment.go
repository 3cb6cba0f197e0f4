package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/vk"
)

// environmentData is the environment's map as the shaders read it: radiance with the density of light sampling, and the alias
// table. Without a map both are nil, as is the table of a map that gives no light.
type environmentData struct {
	texels, table []byte
	width         int
}

func encodeEnvironment(m *assets.EnvironmentMap) environmentData {
	if m == nil {
		return environmentData{}
	}
	out := environmentData{width: m.Width}
	weights, sum := environmentWeights(m)
	texels := make([]mgl32.Vec4, len(weights))
	for i := range weights {
		p := m.Pixels[3*i : 3*i+3]
		density := 0.0
		if sum > 0 {
			density = weights[i] / sum / texelAngle(m, i/m.Width)
		}
		texels[i] = mgl32.Vec4{p[0], p[1], p[2], float32(density)}
	}
	out.texels = vk.BytesOf(texels)
	if sum > 0 {
		out.table = vk.BytesOf(newAliasTable(weights))
	}
	return out
}

// texelAngle is the solid angle of a texel of a row.
func texelAngle(m *assets.EnvironmentMap, row int) float64 {
	h := float64(m.Height)
	return (math.Cos(math.Pi*float64(row)/h) - math.Cos(math.Pi*float64(row+1)/h)) * 2 * math.Pi / float64(m.Width)
}

// environmentWeights are luminances times solid angles. A texel counts as bright as the brightest beside it, since lookups
// are filtered.
func environmentWeights(m *assets.EnvironmentMap) (weights []float64, sum float64) {
	weights = make([]float64, m.Width*m.Height)
	light := make([]float32, len(weights))
	for i := range light {
		light[i] = luminance(mgl32.Vec3(m.Pixels[3*i : 3*i+3]))
	}
	for y := range m.Height {
		angle := texelAngle(m, y)
		for x := range m.Width {
			i := y*m.Width + x
			most := light[i]
			for _, k := range []int{y*m.Width + (x+1)%m.Width, y*m.Width + (x+m.Width-1)%m.Width, min(y+1, m.Height-1)*m.Width + x,
				max(y-1, 0)*m.Width + x} {
				most = max(most, light[k])
			}
			weights[i] = float64(most) * angle
			sum += weights[i]
		}
	}
	return weights, sum
}
