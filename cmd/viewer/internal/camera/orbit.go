package camera

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Orbit moves a camera around a target, the way a mouse does.
type Orbit struct {
	camera        Camera
	target        mgl32.Vec3
	distance      float32
	yaw, pitch    float64
	side, up, out mgl32.Vec3 // the axes that yaw and pitch are measured in
}

// maxPitch keeps the orbit off the poles, where the view would flip.
const maxPitch = 89 * math.Pi / 180

// NewOrbit starts at a camera. The target lies on its axis at that distance.
func NewOrbit(c Camera, distance float32) *Orbit {
	up := c.Up.Normalize()
	forward := c.Forward.Normalize()
	out := forward.Sub(up.Mul(forward.Dot(up))).Mul(-1)
	if out.Len() < 1e-4 {
		out = frontOf(up)
	}
	out = out.Normalize()
	distance = max(distance, 1e-6)
	o := &Orbit{camera: c, target: c.Eye.Add(forward.Mul(distance)), distance: distance, up: up, out: out, side: up.Cross(out)}
	o.pitch = math.Asin(clamp(float64(-forward.Dot(up)), -1, 1))
	o.pitch = clamp(o.pitch, -maxPitch, maxPitch)
	return o
}

// Rotate turns by angles in radians; positive yaw moves the eye to its left, positive pitch up.
func (o *Orbit) Rotate(yaw, pitch float64) {
	o.yaw -= yaw
	o.pitch = clamp(o.pitch+pitch, -maxPitch, maxPitch)
}

// Zoom scales the distance: 0.5 halves it. An orthographic camera's height scales instead.
func (o *Orbit) Zoom(factor float64) {
	if !(factor > 0) {
		return
	}
	o.distance *= float32(factor)
	o.camera.HalfHeight *= float32(factor)
}

// Move shifts eye and target along the camera's own axes, in units of the distance.
func (o *Orbit) Move(right, up, forward float64) {
	c := o.Camera()
	f := c.Forward.Normalize()
	r := f.Cross(o.up).Normalize()
	step := r.Mul(float32(right)).Add(r.Cross(f).Mul(float32(up))).Add(f.Mul(float32(forward)))
	o.target = o.target.Add(step.Mul(o.distance))
}

// Camera returns where the orbit is now.
func (o *Orbit) Camera() Camera {
	sinYaw, cosYaw := math.Sincos(o.yaw)
	sinPitch, cosPitch := math.Sincos(o.pitch)
	flat := o.out.Mul(float32(cosYaw)).Add(o.side.Mul(float32(sinYaw)))
	toEye := flat.Mul(float32(cosPitch)).Add(o.up.Mul(float32(sinPitch)))
	c := o.camera
	c.Eye = o.target.Add(toEye.Mul(o.distance))
	c.Forward = toEye.Mul(-1)
	c.Up = o.up
	return c
}

// frontOf returns a horizontal axis, for cameras that look along the up axis.
func frontOf(up mgl32.Vec3) mgl32.Vec3 {
	if math.Abs(float64(up.Z())) > 0.9 {
		return mgl32.Vec3{0, -1, 0}
	}
	return mgl32.Vec3{0, 0, 1}.Sub(up.Mul(up.Z())).Normalize()
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }

// Focus makes a point the target. The eye stays where it is, and turns to it.
func (o *Orbit) Focus(point mgl32.Vec3) {
	c := o.Camera()
	toPoint := point.Sub(c.Eye)
	if !(toPoint.Len() > 0) || !finite(point) {
		return
	}
	distance := toPoint.Len()
	f := toPoint.Mul(1 / distance)
	o.pitch = clamp(math.Asin(clamp(float64(-f.Dot(o.up)), -1, 1)), -maxPitch, maxPitch)
	if back := f.Mul(-1).Sub(o.up.Mul(f.Mul(-1).Dot(o.up))); back.Len() > 1e-6 {
		o.yaw = math.Atan2(float64(back.Dot(o.side)), float64(back.Dot(o.out)))
	}
	o.target, o.distance = point, distance
}

// Frame shows a ball whole, from the direction in which the camera looks.
func (o *Orbit) Frame(center mgl32.Vec3, radius float32) {
	if !(radius > 0) || !finite(center) {
		return
	}
	o.target = center
	if o.camera.Orthographic {
		o.camera.HalfHeight, o.distance = radius, 2*radius
		return
	}
	o.distance = radius / float32(math.Sin(float64(o.camera.FovY)/2))
}
