package assets

import "math"

// MipLevels returns the image and its mipmaps down to 1x1, as a GPU wants them:
// each level has half the size of the one before, rounded down. Levels are
// averaged in linear light, and colours weighted by alpha, so that what lies
// behind transparent texels does not bleed. The first level is Pixels itself.
func (im *Image) MipLevels() [][]byte {
	levels := [][]byte{im.Pixels}
	w, h := im.Width, im.Height
	var t *srgbTables
	if im.SRGB {
		t = newSRGBTables()
	}
	for w > 1 || h > 1 {
		next := halve(levels[len(levels)-1], w, h, t)
		w, h = max(1, w/2), max(1, h/2)
		levels = append(levels, next)
	}
	return levels
}

// halve averages the texels that fall into each texel of the next level. Odd
// sizes take three rows or columns at the far end.
func halve(src []byte, w, h int, t *srgbTables) []byte {
	nw, nh := max(1, w/2), max(1, h/2)
	out := make([]byte, 4*nw*nh)
	for y := range nh {
		y0, y1 := span(y, nh, h)
		for x := range nw {
			x0, x1 := span(x, nw, w)
			var sum, weighted [4]float32
			for yy := y0; yy < y1; yy++ {
				for _, p := range quads(src[4*(yy*w+x0) : 4*(yy*w+x1)]) {
					a := float32(p[3])
					for c := range 3 {
						v := float32(p[c])
						if t != nil {
							v = t.toLinear[p[c]]
						}
						sum[c] += v
						weighted[c] += v * a
					}
					sum[3] += a
				}
			}
			n := float32((y1 - y0) * (x1 - x0))
			o := out[4*(y*nw+x):]
			for c := range 3 {
				v := sum[c] / n
				if t != nil && sum[3] > 0 { // data has no coverage: plain mean
					v = weighted[c] / sum[3]
				}
				if t != nil {
					o[c] = t.encode(v)
				} else {
					o[c] = byte(v + 0.5)
				}
			}
			o[3] = byte(sum[3]/n + 0.5)
		}
	}
	return out
}

// span is the range of n source texels below destination texel i of m.
func span(i, m, n int) (from, to int) {
	if n == 1 {
		return 0, 1
	}
	if i == m-1 {
		return 2 * i, n
	}
	return 2 * i, 2*i + 2
}

// quads views bytes as texels.
func quads(b []byte) [][4]byte {
	var q [3][4]byte
	n := len(b) / 4
	for i := range min(n, len(q)) {
		q[i] = [4]byte(b[4*i : 4*i+4])
	}
	return q[:min(n, len(q))]
}

// srgbTables convert 8-bit sRGB to linear and back.
type srgbTables struct {
	toLinear [256]float32
	fromHigh [4096]uint8
}

func newSRGBTables() *srgbTables {
	t := new(srgbTables)
	for i := range t.toLinear {
		t.toLinear[i] = SRGBToLinear(float32(i) / 255)
	}
	for i := range t.fromHigh {
		l := float32(i) / float32(len(t.fromHigh)-1)
		t.fromHigh[i] = uint8(LinearToSRGB(l)*255 + 0.5)
	}
	return t
}

// encode is linear to 8-bit sRGB; the table is indexed by the linear value,
// which is coarse only for the darkest, where it is computed.
func (t *srgbTables) encode(v float32) uint8 {
	if v < 0.05 {
		return uint8(LinearToSRGB(v)*255 + 0.5)
	}
	return t.fromHigh[min(len(t.fromHigh)-1, int(v*float32(len(t.fromHigh)-1)+0.5))]
}

// SRGBToLinear decodes one component, 0 to 1 (IEC 61966-2-1).
func SRGBToLinear(v float32) float32 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return float32(math.Pow((float64(v)+0.055)/1.055, 2.4))
}

// LinearToSRGB encodes one component; what is outside of 0 to 1 is clamped.
func LinearToSRGB(v float32) float32 {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return 1
	case v <= 0.0031308:
		return v * 12.92
	}
	return float32(1.055*math.Pow(float64(v), 1/2.4) - 0.055)
}
