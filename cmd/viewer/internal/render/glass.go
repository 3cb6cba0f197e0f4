package render

import "math"

// The table of glassLoss in microfacet.glsl: what a rough interface between two media loses between its microfacets, which
// scatter light once only. It is measured from both sides, for indices that differ by more from slice to slice, in squares.
const (
	glassSide    = 16   // of columns and rows: square roots of cosines, and roughness
	glassSlices  = 8    // by how much the indices differ
	glassMost    = 0.5  // |n - 1| / (n + 1) of the last slice: an index of 3
	glassSamples = 256  // microfacets for each direction
	glassMinimum = 1e-3 // cosine of the first column, of cosine 0
)

// glassTable returns the losses: halves for the thin and the dense side, four corners in an entry. The last entry of a row has
// the means over the hemispheres, for this roughness and the next.
func glassTable() (list [][4]uint32) {
	for slice := range glassSlices {
		x := float64(slice) / (glassSlices - 1)
		r := glassMost * x * x
		index := (1 + r) / (1 - r)
		var losses [glassSide][glassSide][2]float64
		var means [glassSide][2]float64
		for row := range losses {
			roughness := float64(row) / (glassSide - 1)
			for c := range losses[row] {
				x := float64(c) / (glassSide - 1)
				losses[row][c][0] = glassLoss(max(x*x, glassMinimum), max(roughness*roughness, minAlpha), 1/index)
				losses[row][c][1] = glassLoss(max(x*x, glassMinimum), max(roughness*roughness, minAlpha), index)
			}
			for side := range means[row] {
				means[row][side] = columnsMean(glassSide, func(c int) float64 { return losses[row][c][side] })
			}
		}
		pair := func(v [2]float64) uint32 { return halves(v[0], v[1]) }
		for row := range glassSide {
			next := min(row+1, glassSide-1)
			for c := range glassSide - 1 {
				list = append(list,
					[4]uint32{pair(losses[row][c]), pair(losses[row][c+1]), pair(losses[next][c]), pair(losses[next][c+1])})
			}
			list = append(list, [4]uint32{pair(means[row]), pair(means[next])})
		}
	}
	return list
}

// glassLoss is the part of light from a direction that is neither reflected nor transmitted; eta is the index of this side by
// the other's. It weighs as bsdfEvaluate of bsdf.glsl does.
func glassLoss(cosine, alpha, eta float64) float64 {
	wo := vec{math.Sqrt(1 - cosine*cosine), 0, cosine}
	lambda := ggxLambda(wo, alpha)
	r := (eta - 1) / (eta + 1)
	kept := 0.0
	add := func(wi vec, share float64) {
		wi[2] = math.Abs(wi[2])
		kept += share * (1 + lambda) / (1 + lambda + ggxLambda(wi, alpha))
	}
	for i := range glassSamples {
		h := visibleNormal(wo, alpha, (float64(i)+0.5)/glassSamples, radicalInverse(uint32(i)))
		oh := wo.dot(h)
		sine2 := eta * eta * (1 - oh*oh) // behind the interface
		fresnel := 1.0
		if sine2 < 1 {
			behind := math.Sqrt(1 - sine2)
			c := oh
			if eta > 1 {
				c = behind
			}
			fresnel = r*r + (1-r*r)*math.Pow(1-min(c, 1), 5)
			k := eta*oh - behind
			if wi := (vec{k*h[0] - eta*wo[0], k*h[1] - eta*wo[1], k*h[2] - eta*wo[2]}); wi[2] < 0 {
				add(wi, 1-fresnel)
			}
		}
		if wi := (vec{2*oh*h[0] - wo[0], 2*oh*h[1] - wo[1], 2*oh*h[2] - wo[2]}); wi[2] > 0 {
			add(wi, fresnel)
		}
	}
	return max(1-kept/glassSamples, 0)
}
