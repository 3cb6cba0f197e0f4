package rays

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/cmd/viewer/internal/camera"
)

// Ray is a ray as ray_io.glsl declares it: 32 bytes.
//
//glsl:viewer/bare.comp Ray
type Ray struct {
	Origin    mgl32.Vec3
	TMin      float32
	Direction mgl32.Vec3
	TMax      float32
}

// Infinity is the tMax of rays without an end.
const Infinity = 1e30

// Set names a ray set.
type Set string

// The ray sets.
const (
	Primary Set = "primary"
	AO      Set = "ao"
	Diffuse Set = "diffuse"
	Random  Set = "random"
)

// AllSets lists the sets in the order of the baseline's tables.
func AllSets() []Set { return []Set{Primary, AO, Diffuse, Random} }

// Occlusion reports whether the set asks only whether something is in between.
func (s Set) Occlusion() bool { return s == AO }

var (
	// ErrUnknownSet is returned by ParseSets.
	ErrUnknownSet = errors.New("unknown ray set")
	// ErrNothingHit is returned by Secondary when no primary ray hit the scene, so that there is nowhere to start from.
	ErrNothingHit = errors.New("no primary ray hits the scene: choose another camera")
)

// ParseSets reads a list such as "primary,ao"; the order is kept, doubles are dropped.
func ParseSets(names []string) ([]Set, error) {
	var sets []Set
	seen := map[Set]bool{}
	for _, name := range names {
		s := Set(strings.ToLower(strings.TrimSpace(name)))
		switch s {
		case Primary, AO, Diffuse, Random:
		default:
			return nil, fmt.Errorf("%w %q: want primary, ao, diffuse or random", ErrUnknownSet, name)
		}
		if !seen[s] {
			seen[s] = true
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%w: no set named: want primary, ao, diffuse or random", ErrUnknownSet)
	}
	return sets, nil
}

// Bounds is the scene's box.
type Bounds struct{ Low, High mgl32.Vec3 }

// Diagonal returns the box's diagonal.
func (b Bounds) Diagonal() float32 { return b.High.Sub(b.Low).Len() }

// PrimaryRays returns one ray through the centre of every pixel, row by row.
func PrimaryRays(b camera.Basis, width, height int) []Ray {
	out := make([]Ray, 0, width*height)
	for y := range height {
		for x := range width {
			origin, direction := b.Ray(x, y, width, height)
			out = append(out, Ray{Origin: origin, Direction: direction, TMax: Infinity})
		}
	}
	return out
}

// Point is where a primary ray hit; its normal is on the ray's side. The zero Normal is a miss.
type Point struct{ Position, Normal mgl32.Vec3 }

// Tile sizes of the launch order: neighbouring hits share a tile, so that a GPU's lanes trace neighbours.
const (
	tileWidth  = 8
	tileHeight = 4
)

// tileOrder lists the pixels of an image tile by tile.
func tileOrder(width, height int) []int {
	out := make([]int, 0, width*height)
	for ty := 0; ty < height; ty += tileHeight {
		for tx := 0; tx < width; tx += tileWidth {
			for y := ty; y < min(ty+tileHeight, height); y++ {
				for x := tx; x < min(tx+tileWidth, width); x++ {
					out = append(out, y*width+x)
				}
			}
		}
	}
	return out
}

// Secondary returns one ao or diffuse ray per pixel. Pixels that missed get further samples of the hits around them, so
// that every ray of a set works.
func Secondary(s Set, points []Point, width, height int, bounds Bounds) ([]Ray, error) {
	const (
		offset = 1e-4 // of the diagonal, along the normal
		reach  = 0.25 // of the diagonal, for ao
	)
	order := tileOrder(width, height)
	var hits []int
	for _, pixel := range order {
		if points[pixel].Normal != (mgl32.Vec3{}) {
			hits = append(hits, pixel)
		}
	}
	if len(hits) == 0 {
		return nil, ErrNothingHit
	}
	diagonal := bounds.Diagonal()
	tMax, seed := float32(Infinity), uint32(2)
	if s == AO {
		tMax, seed = reach*diagonal, 1
	}
	out := make([]Ray, len(points))
	for slot, pixel := range order {
		p := points[hits[slot*len(hits)/len(order)]]
		out[pixel] = Ray{
			Origin:    p.Position.Add(p.Normal.Mul(offset * diagonal)),
			Direction: cosineDirection(p.Normal, uniform(uint32(slot), seed, 0), uniform(uint32(slot), seed, 1)),
			TMax:      tMax,
		}
	}
	return out, nil
}

// RandomRays returns n rays between random points on two different faces of the grown bounds.
func RandomRays(n int, b Bounds) []Ray {
	const seed = 3
	grow := b.High.Sub(b.Low).Mul(0.05)
	low, high := b.Low.Sub(grow), b.High.Add(grow)
	out := make([]Ray, n)
	for i := range out {
		u := func(dimension uint32) float32 { return uniform(uint32(i), seed, dimension) }
		from := int(u(0) * 6)
		to := (from + 1 + int(u(1)*5)) % 6
		origin := onFace(from, u(2), u(3), low, high)
		direction := onFace(to, u(4), u(5), low, high).Sub(origin)
		if direction.Len() == 0 {
			direction = mgl32.Vec3{1, 0, 0}
		}
		out[i] = Ray{Origin: origin, Direction: direction.Normalize(), TMax: Infinity}
	}
	return out
}

// onFace returns a point on one of the six faces of a box.
func onFace(face int, u, v float32, low, high mgl32.Vec3) mgl32.Vec3 {
	axis := face / 2
	p := low
	if face%2 == 1 {
		p[axis] = high[axis]
	}
	a, b := (axis+1)%3, (axis+2)%3
	p[a] += u * (high[a] - low[a])
	p[b] += v * (high[b] - low[b])
	return p
}

// pcg is the hash of shaders/viewer/random.glsl.
func pcg(x uint32) uint32 {
	state := x*747796405 + 2891336453
	word := (state>>(state>>28+4) ^ state) * 277803737
	return word>>22 ^ word
}

// uniform returns a number in [0, 1) that depends on its arguments only.
func uniform(index, seed, dimension uint32) float32 {
	return float32(pcg(index+pcg(seed+pcg(dimension)))>>8) / (1 << 24)
}

// cosineDirection maps two numbers to a direction around n (Malley's method, Duff et al. 2017 for the basis).
func cosineDirection(n mgl32.Vec3, u, v float32) mgl32.Vec3 {
	s := float32(1)
	if n.Z() < 0 {
		s = -1
	}
	a := -1 / (s + n.Z())
	b := n.X() * n.Y() * a
	x := mgl32.Vec3{1 + s*n.X()*n.X()*a, s * b, -s * n.X()}
	y := mgl32.Vec3{b, s + n.Y()*n.Y()*a, -n.Y()}
	sin, cos := math.Sincos(2 * math.Pi * float64(v))
	r := float32(math.Sqrt(float64(u)))
	z := float32(math.Sqrt(math.Max(0, float64(1-u))))
	return x.Mul(r * float32(cos)).Add(y.Mul(r * float32(sin))).Add(n.Mul(z)).Normalize()
}
