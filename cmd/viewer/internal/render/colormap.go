package render

import (
	"image/color"
	"math"
)

// inferno is the colour map of that name by Nathaniel Smith and Stéfan van der Walt (matplotlib, 2015, CC0), which is
// perceptually uniform: equal steps look equally far apart, and lightness rises all the way, so that it survives printing in
// grey and colour blindness. It is computed by Matt Zucker's polynomial of degree 6 (shadertoy.com/view/WlfXRN, CC0), lowest
// power first, which stays within 0.035 of the table in blue and 0.02 in red and green.
var inferno = [7][3]float64{
	{0.0002189403691192265, 0.001651004631001012, -0.01948089843709184},
	{0.1065134194856116, 0.5639564367884091, 3.932712388889277},
	{11.60249308247187, -3.972853965665698, -15.9423941062914},
	{-41.70399613139459, 17.43639888205313, 44.35414519872813},
	{77.162935699427, -33.40235894210092, -81.80730925738993},
	{-71.31942824499214, 32.62606426397723, 73.20951985803202},
	{25.13112622477341, -12.24266895238567, -23.07032500287172},
}

// notSeen is the colour of pixels without a value, far from all of the map.
var notSeen = color.NRGBA{R: 0, G: 200, B: 255, A: 255}

// heatColor returns the colour of a value, which is clamped to 0..1.
func heatColor(v float64) color.NRGBA {
	if math.IsNaN(v) {
		return notSeen
	}
	v = min(max(v, 0), 1)
	var c [3]uint8
	for k := range c {
		sum := 0.0
		for p := len(inferno) - 1; p >= 0; p-- {
			sum = sum*v + inferno[p][k]
		}
		c[k] = uint8(math.Round(255 * min(max(sum, 0), 1)))
	}
	return color.NRGBA{R: c[0], G: c[1], B: c[2], A: 255}
}
