package render

import (
	"math"

	"github.com/everray/everray/vk"
)

// The table of microfacet.glsl: what surfaces reflect in all, by cosine and roughness.
const (
	albedoSide    = 32
	albedoSamples = 256
	sheenSteps    = 24
	minAlpha      = 1e-3   // MIN_ALPHA of bsdf.glsl
	minSheenAlpha = 0.0049 // MIN_SHEEN_ALPHA
)

// albedoTable returns the table: of GGX under Schlick's Fresnel, which reflects f0 times the first number plus f90 times the
// second, behind it of white sheen, and behind that what glass loses.
func albedoTable(sheen, glass bool) []byte {
	var values [albedoSide][albedoSide][3]float64
	var means [albedoSide][3]float64
	for row := range values {
		roughness := float64(row) / (albedoSide - 1)
		for column := range values[row] {
			c := float64(column) / (albedoSide - 1)
			v := &values[row][column]
			v[0], v[1] = ggxAlbedo(max(c*c, 1e-4), max(roughness*roughness, minAlpha))
			if sheen {
				v[2] = sheenAlbedo(max(c*c, 1e-4), max(roughness*roughness, minSheenAlpha))
			}
		}
		means[row] = hemisphereMean(&values[row])
	}
	list := make([][4]uint32, 0, 2*albedoSide*albedoSide)
	pair := func(v [3]float64) uint32 { return halves(v[0], v[1]) }
	for row := range albedoSide {
		next := min(row+1, albedoSide-1)
		for c := range albedoSide - 1 {
			list = append(list,
				[4]uint32{pair(values[row][c]), pair(values[row][c+1]), pair(values[next][c]), pair(values[next][c+1])})
		}
		list = append(list, [4]uint32{pair(means[row]), pair(means[next])})
	}
	for row := range albedoSide {
		next := min(row+1, albedoSide-1)
		for c := range albedoSide {
			right := min(c+1, albedoSide-1)
			list = append(list,
				[4]uint32{halves(values[row][c][2], values[row][right][2]), halves(values[next][c][2], values[next][right][2])})
		}
	}
	if glass {
		list = append(list, glassTable()...)
	}
	return vk.BytesOf(list)
}

// halves packs two numbers from 0 to a few as unpackHalf2x16 reads them.
func halves(a, b float64) uint32 {
	half := func(v float64) uint32 {
		const least = 1.0 / (1 << 14) // the least normal number
		if v < least {
			return uint32(math.Round(v * (1 << 24)))
		}
		fraction, exponent := math.Frexp(v)                                // 0.5 to 1
		return uint32(exponent+13)<<10 + uint32(math.Round(fraction*2048)) // the leading bit adds one to the exponent
	}
	return half(a) | half(b)<<16
}

// hemisphereMean is columnsMean of each number.
func hemisphereMean(values *[albedoSide][3]float64) (mean [3]float64) {
	for k := range mean {
		mean[k] = columnsMean(albedoSide, func(c int) float64 { return values[c][k] })
	}
	return mean
}

// columnsMean integrates 2 * value * cosine, values linear between the columns' cosines, which are squares.
func columnsMean(columns int, value func(column int) float64) (mean float64) {
	for i := range columns - 1 {
		a, b := float64(i)/float64(columns-1), float64(i+1)/float64(columns-1)
		a, b = a*a, b*b
		va, vb := value(i), value(i+1)
		slope := (vb - va) / (b - a)
		mean += (va-slope*a)*(b*b-a*a) + slope*2/3*(b*b*b-a*a*a)
	}
	return mean
}

type vec [3]float64

func (a vec) dot(b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) unit() vec {
	l := math.Sqrt(a.dot(a))
	return vec{a[0] / l, a[1] / l, a[2] / l}
}

func ggxLambda(w vec, alpha float64) float64 {
	return 0.5 * (math.Sqrt(1+alpha*alpha*(w[0]*w[0]+w[1]*w[1])/(w[2]*w[2])) - 1)
}

// visibleNormal draws a microfacet that wo, of y 0, sees (Heitz 2018, as sampleVisibleNormal of the shader).
func visibleNormal(wo vec, alpha, u, w float64) vec {
	v := vec{alpha * wo[0], 0, wo[2]}.unit()
	r, phi := math.Sqrt(u), 2*math.Pi*w
	p1, p2 := r*math.Cos(phi), r*math.Sin(phi)
	s := 0.5 * (1 + v[2])
	p2 = (1-s)*math.Sqrt(1-p1*p1) + s*p2
	up := math.Sqrt(max(0, 1-p1*p1-p2*p2))
	// t1 is y, t2 = v x t1.
	n := vec{-p2*v[2] + up*v[0], p1, p2*v[0] + up*v[2]}
	return vec{alpha * n[0], alpha * n[1], max(1e-9, n[2])}.unit()
}

// ggxAlbedo integrates over visible normals.
func ggxAlbedo(cosine, alpha float64) (scale, bias float64) {
	wo := vec{math.Sqrt(1 - cosine*cosine), 0, cosine}
	lambda := ggxLambda(wo, alpha)
	for i := range albedoSamples {
		h := visibleNormal(wo, alpha, (float64(i)+0.5)/albedoSamples, radicalInverse(uint32(i)))
		oh := wo.dot(h)
		wi := vec{2*oh*h[0] - wo[0], 2*oh*h[1] - wo[1], 2*oh*h[2] - wo[2]}
		if wi[2] <= 0 {
			continue
		}
		weight := (1 + lambda) / (1 + lambda + ggxLambda(wi, alpha)) / albedoSamples
		fresnel := math.Pow(1-min(oh, 1), 5)
		scale += weight * (1 - fresnel)
		bias += weight * fresnel
	}
	return scale, bias
}

// radicalInverse is van der Corput's sequence in base 2.
func radicalInverse(i uint32) float64 {
	var r, f float64 = 0, 0.5
	for ; i > 0; i >>= 1 {
		r += f * float64(i&1)
		f /= 2
	}
	return r
}

func sheenFit(x, alpha float64) float64 {
	t := (1 - alpha) * (1 - alpha)
	mix := func(a, b float64) float64 { return a + (b-a)*t }
	a, b, c := mix(21.5473, 25.3245), mix(3.82987, 3.32435), mix(0.19823, 0.16801)
	d, e := mix(-1.97760, -1.27393), mix(-4.32054, -4.85967)
	return a/(1+b*math.Pow(x, c)) + d*x + e
}

func sheenLambda(cosine, alpha float64) float64 {
	if cosine < 0.5 {
		return math.Exp(sheenFit(cosine, alpha))
	}
	return math.Exp(2*sheenFit(0.5, alpha) - sheenFit(1-cosine, alpha))
}

// sheenAlbedo integrates Charlie's sheen over a grid, denser at grazing angles.
func sheenAlbedo(cosine, alpha float64) (albedo float64) {
	wo := vec{math.Sqrt(1 - cosine*cosine), 0, cosine}
	lambdaOut := sheenLambda(cosine, alpha)
	for i := range sheenSteps {
		t := (float64(i) + 0.5) / sheenSteps
		z := t * t
		r := math.Sqrt(1 - z*z)
		around := 0.0
		for k := range sheenSteps { // half the circle: the other half is the same
			phi := math.Pi * (float64(k) + 0.5) / sheenSteps
			wi := vec{r * math.Cos(phi), r * math.Sin(phi), z}
			h := vec{wo[0] + wi[0], wo[1] + wi[1], wo[2] + wi[2]}.unit()
			sine2 := max(h[0]*h[0]+h[1]*h[1], 1e-12)
			around += (2 + 1/alpha) * math.Pow(sine2, 0.5/alpha) / (2 * math.Pi)
		}
		solid := 2 * math.Pi / sheenSteps * 2 * t / sheenSteps // dz = 2 t dt
		albedo += around * solid / ((1 + lambdaOut + sheenLambda(z, alpha)) * 4 * cosine)
	}
	return albedo
}
