package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// CameraKind is the kind of a camera's projection.
type CameraKind int

// The kinds of glTF.
const (
	Perspective CameraKind = iota
	Orthographic
)

// Camera is a view of the scene in world space.
type Camera struct {
	Name     string
	Kind     CameraKind
	Position mgl32.Vec3
	// Target lies on the view axis, at the depth of the scene's centre where
	// that is in front of the camera: a point to orbit around.
	Target mgl32.Vec3
	Up     mgl32.Vec3 // unit, perpendicular to the view axis
	YFov   float32    // perspective: full vertical angle, radians
	// AspectRatio is width by height as the file wants it, 0 where it does not say.
	AspectRatio float32
	XMag, YMag  float32 // orthographic: half the width and height of the view
	ZNear, ZFar float32 // ZFar 0 is infinite
	IsGenerated bool    // made from the bounds, not by the scene's author
}

// Forward is the unit view direction.
func (c *Camera) Forward() mgl32.Vec3 { return c.Target.Sub(c.Position).Normalize() }

// Right is the unit vector to the right of the image.
func (c *Camera) Right() mgl32.Vec3 { return c.Forward().Cross(c.Up).Normalize() }

// View is the world-to-camera matrix (the camera looks along -z).
func (c *Camera) View() mgl32.Mat4 { return c.World().Inv() }

// World is the camera-to-world matrix: columns right, up, back, position.
func (c *Camera) World() mgl32.Mat4 {
	f, r := c.Forward(), c.Right()
	u := r.Cross(f)
	return mgl32.Mat4FromCols(r.Vec4(0), u.Vec4(0), f.Mul(-1).Vec4(0), c.Position.Vec4(1))
}

// Ray is the ray through the point x, y of an image of the given aspect ratio
// (width by height), x and y from 0 (left, top) to 1: the definition that ray
// generation shaders follow. The direction is of unit length.
func (c *Camera) Ray(x, y, aspect float32) (origin, direction mgl32.Vec3) {
	f, r := c.Forward(), c.Right()
	u := r.Cross(f)
	sx, sy := 2*x-1, 1-2*y
	if c.Kind == Orthographic {
		h := c.YMag
		return c.Position.Add(r.Mul(sx * h * aspect)).Add(u.Mul(sy * h)), f
	}
	t := float32(math.Tan(float64(c.YFov) / 2))
	return c.Position, f.Add(r.Mul(sx * t * aspect)).Add(u.Mul(sy * t)).Normalize()
}

const (
	framingFov    = 40 * math.Pi / 180
	framingMargin = 1.02
	framingAspect = 4.0 / 3 // the narrowest picture that shows everything
)

// FramingCamera looks at the box from the front, a little from the right and
// from above, at the distance at which all of it is seen.
func FramingCamera(b Bounds, up mgl32.Vec3) Camera {
	side, front := basis(up)
	dir := front.Mul(0.86).Add(side.Mul(0.36)).Add(up.Mul(0.30)).Normalize()
	right := up.Cross(dir).Normalize()
	top := dir.Cross(right)
	center := b.Center()
	ty := float32(math.Tan(framingFov / 2))
	tx := ty * framingAspect
	var dist float32
	for i := range 8 { // each corner inside the four side planes
		p := b.Min
		for a := range 3 {
			if i>>a&1 == 1 {
				p[a] = b.Max[a]
			}
		}
		d := p.Sub(center)
		near := d.Dot(dir)
		dist = max(dist, near+abs32(d.Dot(right))/tx, near+abs32(d.Dot(top))/ty)
	}
	dist *= framingMargin
	if !(dist > 1e-12) {
		dist = 1 // a single point
	}
	dist = max(dist, center.Len()*leastTargetDistance)
	c := Camera{
		Name: "framing", Position: center.Add(dir.Mul(dist)), Target: center, Up: top,
		YFov: framingFov, ZNear: dist * 1e-3, IsGenerated: true,
	}
	c.square()
	return c
}

// leastTargetDistance, times the distance from the origin, is how far from a
// camera its target is at least: nearer, rounding would bend the view axis.
const leastTargetDistance = 1e-4

// square makes the up vector perpendicular to the view axis again.
func (c *Camera) square() {
	f := c.Forward()
	c.Up = c.Up.Sub(f.Mul(c.Up.Dot(f))).Normalize()
}

// basis returns two unit vectors perpendicular to the up axis: "right" and
// "front" (towards the viewer); +x and +z for up = +y.
func basis(up mgl32.Vec3) (side, front mgl32.Vec3) {
	ref := mgl32.Vec3{1, 0, 0}
	if abs32(up[0]) > 0.9 {
		ref = mgl32.Vec3{0, 1, 0}
	}
	front = ref.Cross(up).Normalize()
	return up.Cross(front).Normalize(), front
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

// sceneUp is +y, glTF's up, unless the camera is rolled so far that this
// cannot be: its horizontal axis stands upright or its up points down. Then
// it is the axis nearest to the camera's up. (Sponza of the bench scenes is
// modelled with -z up.)
func sceneUp(c Camera) mgl32.Vec3 {
	y := mgl32.Vec3{0, 1, 0}
	if abs32(c.Right()[1]) < 0.9 && c.Up[1] > -0.9 {
		return y
	}
	best := 0
	for i := range 3 {
		if abs32(c.Up[i]) > abs32(c.Up[best]) {
			best = i
		}
	}
	var up mgl32.Vec3
	up[best] = 1
	if c.Up[best] < 0 {
		up[best] = -1
	}
	return up
}
