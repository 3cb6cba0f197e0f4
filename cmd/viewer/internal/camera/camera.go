package camera

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

// ErrInvalid is wrapped by the errors about cameras that cannot see anything.
var ErrInvalid = errors.New("invalid camera")

// DefaultFovY is the vertical field of view, in radians, of a camera that is placed by hand.
const DefaultFovY = 45 * math.Pi / 180

// Camera looks from Eye along Forward. The zero value is not usable; Validate says why.
type Camera struct {
	Eye, Forward, Up mgl32.Vec3
	// FovY is the vertical field of view in radians, of a perspective camera.
	FovY float32
	// Orthographic cameras see HalfHeight up and down from their axis instead.
	Orthographic bool
	HalfHeight   float32
	// LensRadius of a perspective camera, and the distance at which it is in focus; 0 is a pinhole.
	LensRadius, Focus float32
}

// LookAt returns a perspective camera.
func LookAt(eye, target, up mgl32.Vec3, fovY float32) Camera {
	return Camera{Eye: eye, Forward: target.Sub(eye), Up: up, FovY: fovY}
}

// Of returns a scene's camera, and the distance to what it looks at.
func Of(c assets.Camera) (Camera, float32) {
	out := LookAt(c.Position, c.Target, c.Up, c.YFov)
	if c.Kind == assets.Orthographic {
		out.Orthographic, out.HalfHeight = true, c.YMag
	}
	return out, c.Target.Sub(c.Position).Len()
}

// Validate reports what makes a camera unusable.
func (c Camera) Validate() error {
	for name, v := range map[string]mgl32.Vec3{"eye": c.Eye, "direction": c.Forward, "up": c.Up} {
		if !finite(v) {
			return fmt.Errorf("%w: %s %v is not finite", ErrInvalid, name, v)
		}
	}
	switch {
	case !(c.LensRadius >= 0) || math.IsInf(float64(c.LensRadius), 0) || c.LensRadius > 0 && !(c.Focus > 0):
		return fmt.Errorf("%w: a lens of radius %g in focus at %g", ErrInvalid, c.LensRadius, c.Focus)
	case c.Forward.Len() == 0:
		return fmt.Errorf("%w: eye and target are the same point", ErrInvalid)
	case c.Up.Len() == 0:
		return fmt.Errorf("%w: the up axis has no length", ErrInvalid)
	case c.Orthographic && !(c.HalfHeight > 0):
		return fmt.Errorf("%w: orthographic height %g is not positive", ErrInvalid, c.HalfHeight)
	case !c.Orthographic && !(c.FovY > 0 && c.FovY < math.Pi):
		return fmt.Errorf("%w: field of view %g degrees is not between 0 and 180", ErrInvalid, c.FovY*180/math.Pi)
	}
	return nil
}

// Basis is a camera for an image of some aspect ratio: a pixel at (x, y) in -1..1, y down, is seen along
// Forward + x Right - y Up from Eye or, orthographic, along Forward from Eye + x Right - y Up.
type Basis struct {
	Eye, Right, Up, Forward mgl32.Vec3
	Orthographic            bool
}

// Basis returns the camera's basis for aspect = width / height.
func (c Camera) Basis(aspect float32) Basis {
	forward := c.Forward.Normalize()
	up := c.Up
	if forward.Cross(up.Normalize()).Len() < 1e-4 { // looking along the up axis: any other one will do
		up = mgl32.Vec3{up.Y(), up.Z(), up.X()}
		if forward.Cross(up.Normalize()).Len() < 1e-4 {
			up = mgl32.Vec3{1, 0, 0}
		}
	}
	right := forward.Cross(up).Normalize()
	half := float32(math.Tan(float64(c.FovY) / 2))
	if c.Orthographic {
		half = c.HalfHeight
	}
	return Basis{
		Eye:          c.Eye,
		Right:        right.Mul(half * aspect),
		Up:           right.Cross(forward).Mul(half),
		Forward:      forward,
		Orthographic: c.Orthographic,
	}
}

// Ray returns the ray through the centre of a pixel.
func (b Basis) Ray(x, y, width, height int) (origin, direction mgl32.Vec3) {
	px := (float32(x)+0.5)/float32(width)*2 - 1
	py := (float32(y)+0.5)/float32(height)*2 - 1
	plane := b.Right.Mul(px).Sub(b.Up.Mul(py))
	if b.Orthographic {
		return b.Eye.Add(plane), b.Forward
	}
	return b.Eye, b.Forward.Add(plane).Normalize()
}

// PixelSpread returns the angle of one pixel in an image of that height (orthographic: its width in the world), with which
// texture levels of detail are chosen.
func (b Basis) PixelSpread(height int) float32 {
	half := b.Up.Len()
	if b.Orthographic {
		return 2 * half / float32(height)
	}
	return float32(math.Atan(float64(2 * half / float32(height))))
}

func finite(v mgl32.Vec3) bool {
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// Segment returns where in an image the line between two points is seen, in pixels from the corner, the inverse of Ray. What is
// behind the eye is cut off; false if that is all of it.
func (b Basis) Segment(p, q mgl32.Vec3, width, height int) (from, to mgl32.Vec2, ok bool) {
	const nearest = 1e-3 // in lengths of Forward
	dp, dq := b.depth(p), b.depth(q)
	if !b.Orthographic {
		if dp < nearest && dq < nearest {
			return from, to, false
		}
		if dp < nearest {
			p = p.Add(q.Sub(p).Mul((nearest - dp) / (dq - dp)))
		} else if dq < nearest {
			q = q.Add(p.Sub(q).Mul((nearest - dq) / (dp - dq)))
		}
	}
	return b.project(p, width, height), b.project(q, width, height), true
}

// Project returns where in an image a point is seen, in pixels from the corner, the inverse of Ray; false behind the eye.
func (b Basis) Project(p mgl32.Vec3, width, height int) (mgl32.Vec2, bool) {
	if !b.Orthographic && !(b.depth(p) > 0) {
		return mgl32.Vec2{}, false
	}
	return b.project(p, width, height), true
}

// depth is how far a point lies along Forward, which has length 1.
func (b Basis) depth(p mgl32.Vec3) float32 { return p.Sub(b.Eye).Dot(b.Forward) }

func (b Basis) project(p mgl32.Vec3, width, height int) mgl32.Vec2 {
	scale := float32(1)
	if !b.Orthographic {
		scale = 1 / b.depth(p)
	}
	d := p.Sub(b.Eye).Mul(scale)
	x, y := d.Dot(b.Right)/b.Right.LenSqr(), -d.Dot(b.Up)/b.Up.LenSqr()
	return mgl32.Vec2{(x + 1) / 2 * float32(width), (y + 1) / 2 * float32(height)}
}
