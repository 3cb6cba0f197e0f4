package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/vk"
)

// maxLightTriangles bounds the memory of light sampling. Scenes with more emissive triangles are lit by chance hits only.
const maxLightTriangles = 1 << 21

// emission measures how bright the triangles of emissive primitives are: for each triangle the mean luminance of factor
// times texture. Zero is a triangle that light sampling never picks, and that shines when a ray happens to hit it.
type emission struct {
	scene   *assets.Scene
	weights map[[2]int][]float32 // by mesh and primitive
}

func newEmission(scene *assets.Scene) *emission {
	e := &emission{scene: scene, weights: map[[2]int][]float32{}}
	shown := make([]int, len(scene.Meshes))
	for i := range scene.Instances {
		shown[scene.Instances[i].Mesh]++
	}
	total := 0
	for m := range scene.Meshes {
		for p := range scene.Meshes[m].Primitives {
			prim := &scene.Meshes[m].Primitives[p]
			if scene.Materials[prim.Material].IsEmissive() {
				total += shown[m] * prim.TriangleCount()
				e.weights[[2]int{m, p}] = triangleWeights(scene, prim)
			}
		}
	}
	if total > maxLightTriangles {
		e.weights = nil
	}
	return e
}

// of is accel.Options.Extra.
func (e *emission) of(mesh, primitive int) []float32 { return e.weights[[2]int{mesh, primitive}] }

func luminance(c mgl32.Vec3) float32 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

func triangleWeights(scene *assets.Scene, p *assets.Primitive) []float32 {
	m := &scene.Materials[p.Material]
	out := make([]float32, p.TriangleCount())
	if m.EmissiveTexture == nil {
		for i := range out {
			out[i] = luminance(m.Emissive)
		}
		return out
	}
	t := m.EmissiveTexture
	uv := p.UV0
	if t.TexCoord == 1 {
		uv = p.UV1
	}
	lookup := newLookup(&scene.Images[scene.Textures[t.Texture].Image], t)
	for i := range out {
		var corner [3]mgl32.Vec2
		for c := range corner {
			if v := 2 * int(p.Indices[3*i+c]); v+1 < len(uv) {
				corner[c] = mgl32.Vec2{uv[v], uv[v+1]}
			}
		}
		out[i] = lookup.mean(corner, m.Emissive)
	}
	return out
}

// lookup samples an image, nearest and repeated: good enough for a weight.
type lookup struct {
	image  *assets.Image
	matrix mgl32.Mat3
	linear [256]float32
}

func newLookup(image *assets.Image, t *assets.TextureRef) *lookup {
	l := &lookup{image: image, matrix: t.Matrix()}
	for i := range l.linear {
		l.linear[i] = float32(i) / 255
		if image.SRGB {
			l.linear[i] = assets.SRGBToLinear(float32(i) / 255)
		}
	}
	return l
}

// mean returns the mean luminance over a grid of points inside the triangle.
func (l *lookup) mean(corner [3]mgl32.Vec2, factor mgl32.Vec3) float32 {
	const n = 6
	var sum float32
	count := 0
	for i := range n {
		for j := range n - i {
			b1, b2 := (float32(i)+1.0/3)/n, (float32(j)+1.0/3)/n
			uv := corner[0].Mul(1 - b1 - b2).Add(corner[1].Mul(b1)).Add(corner[2].Mul(b2))
			c := l.at(l.matrix.Mul3x1(uv.Vec3(1)))
			sum += luminance(mgl32.Vec3{c[0] * factor[0], c[1] * factor[1], c[2] * factor[2]})
			count++
		}
	}
	return sum / float32(count)
}

func (l *lookup) at(uv mgl32.Vec3) mgl32.Vec3 {
	x, y := wrap(uv[0], l.image.Width), wrap(uv[1], l.image.Height)
	p := l.image.Pixels[4*(y*l.image.Width+x):]
	return mgl32.Vec3{l.linear[p[0]], l.linear[p[1]], l.linear[p[2]]}
}

func wrap(u float32, n int) int {
	f := float64(u) - math.Floor(float64(u))
	return min(max(int(f*float64(n)), 0), n-1)
}

// lightTriangles lists the emissive triangles of all instances with their alias table, and the sum of weight times area.
func lightTriangles(s *accel.Scene, e *emission) (data []byte, count int, power float64) {
	type entry struct {
		p      [3]mgl32.Vec3
		ids    [2]uint32 // geometry, triangle
		weight float32
		side   float32
		power  float64
	}
	var entries []entry
	for i := range s.Source.Instances {
		in := &s.Source.Instances[i]
		side := float32(1)
		if in.Mirrored {
			side = -1
		}
		for p := range s.Source.Meshes[in.Mesh].Primitives {
			for t, weight := range e.of(in.Mesh, p) {
				tri, _ := s.Triangle(uint32(i), uint32(p), uint32(t))
				area := float64(tri[1].Sub(tri[0]).Cross(tri[2].Sub(tri[0])).Len()) / 2
				if share := area * float64(weight); share > 0 && !math.IsInf(share, 0) {
					entries = append(entries, entry{tri, [2]uint32{s.FirstGeometry[in.Mesh] + uint32(p), uint32(t)}, weight, side, share})
					power += share
				}
			}
		}
	}
	if len(entries) == 0 {
		return nil, 0, 0
	}
	weights := make([]float64, len(entries))
	for i := range entries {
		weights[i] = entries[i].power
	}
	table := newAliasTable(weights)
	out := make([]lightTriangle, len(entries))
	for i, t := range entries {
		out[i] = lightTriangle{p0: t.p[0], keep: table[i].keep, e1: t.p[1].Sub(t.p[0]), geometry: t.ids[0], e2: t.p[2].Sub(t.p[0]),
			primitive: t.ids[1], weight: t.weight, side: t.side, alias: table[i].alias}
	}
	return vk.BytesOf(out), len(entries), power
}

const headLight = 3 //glsl:LIGHT_HEAD

// encodeLights lists the punctual lights and the sun, and the headlight where it is not 0.
func encodeLights(lights []assets.Light, env *assets.Environment, head float32) (data []byte, count int) {
	var list []light
	for _, l := range lights {
		intensity := l.Color.Mul(l.Intensity)
		if intensity == (mgl32.Vec3{}) {
			continue
		}
		list = append(list, light{position: l.Position, kind: uint32(l.Kind), // the shader's LIGHT_ constants are the same numbers
			intensity: intensity, scope: l.Range, direction: l.Direction, cosOuter: cos(l.OuterCone), cosInner: cos(l.InnerCone)})
	}
	if env.SunIrradiance != (mgl32.Vec3{}) {
		list = append(list, light{kind: uint32(assets.DirectionalLight), intensity: env.SunIrradiance,
			direction: env.SunDirection.Mul(-1), tanRadius: float32(math.Tan(float64(env.SunAngularRadius)))})
	}
	if head > 0 {
		list = append(list, light{kind: headLight, intensity: mgl32.Vec3{head, head, head}})
	}
	return vk.BytesOf(list), len(list)
}

func cos(a float32) float32 { return float32(math.Cos(float64(a))) }
