package camera

import (
	"errors"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
)

var yUp = mgl32.Vec3{0, 1, 0}

func TestRayHandedness(t *testing.T) {
	b := LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{}, yUp, math.Pi/2).Basis(2)
	for _, c := range []struct {
		name string
		x, y int
		want mgl32.Vec3 // signs only
	}{
		{"left top", 0, 0, mgl32.Vec3{-1, 1, -1}},
		{"right top", 199, 0, mgl32.Vec3{1, 1, -1}},
		{"left bottom", 0, 99, mgl32.Vec3{-1, -1, -1}},
	} {
		_, d := b.Ray(c.x, c.y, 200, 100)
		for i := range 3 {
			if d[i]*c.want[i] <= 0 {
				t.Errorf("%s: direction %v, want signs %v", c.name, d, c.want)
			}
		}
	}
	if got := b.Right.Len(); math.Abs(float64(got)-2) > 1e-5 {
		t.Errorf("half width %g at 90 degrees and aspect 2, want 2", got)
	}
}

// The scene's own definition of a camera ray is the one to follow.
func TestRaysAreTheScenes(t *testing.T) {
	for _, c := range []assets.Camera{
		{Position: mgl32.Vec3{1, 2, 3}, Target: mgl32.Vec3{0, 1, 0}, Up: yUp, YFov: 0.7},
		{Kind: assets.Orthographic, Position: mgl32.Vec3{1, 2, 3}, Target: mgl32.Vec3{0, 1, 0}, Up: yUp, XMag: 3, YMag: 2},
	} {
		got, distance := Of(c)
		b := got.Basis(1.5)
		for _, pixel := range [][2]int{{0, 0}, {29, 0}, {7, 13}} {
			o, d := b.Ray(pixel[0], pixel[1], 30, 20)
			wantO, wantD := c.Ray((float32(pixel[0])+0.5)/30, (float32(pixel[1])+0.5)/20, 1.5)
			if o.Sub(wantO).Len() > 1e-5 || d.Sub(wantD).Len() > 1e-5 {
				t.Errorf("%v pixel %v: ray %v %v, want %v %v", c.Kind, pixel, o, d, wantO, wantD)
			}
		}
		if want := c.Target.Sub(c.Position).Len(); distance != want {
			t.Errorf("distance %g, want %g", distance, want)
		}
	}
}

func TestOrbitStartsAtTheCamera(t *testing.T) {
	c := LookAt(mgl32.Vec3{3, 2, 5}, mgl32.Vec3{1, 0, 0}, yUp, 1)
	o := NewOrbit(c, c.Forward.Len())
	if d := o.Camera().Eye.Sub(c.Eye).Len(); d > 1e-4 {
		t.Errorf("the orbit starts %g away from the camera", d)
	}
	if d := o.Camera().Forward.Normalize().Sub(c.Forward.Normalize()).Len(); d > 1e-4 {
		t.Errorf("the orbit starts looking %g off", d)
	}
	before := o.Camera()
	o.Rotate(0.3, 0.2)
	after := o.Camera()
	right := before.Forward.Cross(yUp)
	if after.Eye.Sub(before.Eye).Dot(right) >= 0 {
		t.Error("positive yaw did not move the eye to its left")
	}
	if after.Eye.Y() <= before.Eye.Y() {
		t.Error("positive pitch did not move the eye up")
	}
	o.Rotate(0, 100)
	if p := o.Camera().Forward.Normalize().Dot(yUp); p < -0.99999 {
		t.Errorf("the orbit reached the pole: %g", p)
	}
	distance := o.Camera().Eye.Sub(mgl32.Vec3{1, 0, 0}).Len()
	o.Zoom(0.5)
	if got := o.Camera().Eye.Sub(mgl32.Vec3{1, 0, 0}).Len(); math.Abs(float64(got/distance)-0.5) > 1e-3 {
		t.Errorf("zoom by half went from %g to %g", distance, got)
	}
}

func TestLookingAlongUpHasABasis(t *testing.T) {
	for _, up := range []mgl32.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		b := LookAt(mgl32.Vec3{}, up.Mul(-1), up, 1).Basis(1)
		if !finite(b.Right) || !finite(b.Up) || b.Right.Len() == 0 {
			t.Errorf("up %v: basis %+v", up, b)
		}
	}
}

func TestValidate(t *testing.T) {
	nan := float32(math.NaN())
	good := LookAt(mgl32.Vec3{1}, mgl32.Vec3{}, yUp, 1)
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]Camera{
		"zero":         {},
		"eye = target": LookAt(mgl32.Vec3{1}, mgl32.Vec3{1}, yUp, 1),
		"no up":        LookAt(mgl32.Vec3{1}, mgl32.Vec3{}, mgl32.Vec3{}, 1),
		"nan":          LookAt(mgl32.Vec3{nan}, mgl32.Vec3{}, yUp, 1),
		"wide":         LookAt(mgl32.Vec3{1}, mgl32.Vec3{}, yUp, 4),
		"flat":         {Forward: mgl32.Vec3{1}, Up: yUp, Orthographic: true},
	} {
		if err := c.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A point in focus is in the middle and at the target; framing keeps the direction and shows the whole ball.
func TestFocusAndFrame(t *testing.T) {
	o := NewOrbit(LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{}, mgl32.Vec3{0, 1, 0}, 1), 5)
	point := mgl32.Vec3{1, 2, -3}
	eye := o.Camera().Eye
	o.Focus(point)
	c := o.Camera()
	if c.Eye.Sub(eye).Len() > 1e-3 || c.Forward.Normalize().Sub(point.Sub(eye).Normalize()).Len() > 1e-3 {
		t.Errorf("eye %v, forward %v", c.Eye, c.Forward)
	}
	o.Rotate(0.5, 0.1)
	if d := o.Camera().Eye.Sub(point).Len(); d < point.Sub(eye).Len()*0.999 || d > point.Sub(eye).Len()*1.001 {
		t.Errorf("turning around the point changes the distance to %g", d)
	}
	before := o.Camera().Forward.Normalize()
	o.Frame(mgl32.Vec3{10, 0, 0}, 2)
	c = o.Camera()
	if c.Forward.Normalize().Sub(before).Len() > 1e-3 {
		t.Errorf("the direction changes to %v", c.Forward)
	}
	if d := c.Eye.Sub(mgl32.Vec3{10, 0, 0}).Len(); d < 2/float32(math.Sin(0.5))*0.999 || d > 2/float32(math.Sin(0.5))*1.001 {
		t.Errorf("the ball is %g away", d)
	}
}

// TestSegment: a line is seen where rays through its ends' pixels begin, and what is behind the eye is cut off.
func TestSegment(t *testing.T) {
	for _, orthographic := range []bool{false, true} {
		c := LookAt(mgl32.Vec3{1, 2, 5}, mgl32.Vec3{0.5, 0, 0}, yUp, 0.9)
		c.Orthographic, c.HalfHeight = orthographic, 2
		b := c.Basis(1.5)
		for _, pixel := range [][2]int{{0, 0}, {29, 19}, {7, 13}} {
			o, d := b.Ray(pixel[0], pixel[1], 30, 20)
			from, to, ok := b.Segment(o.Add(d.Mul(0.5)), o.Add(d.Mul(40)), 30, 20)
			want := mgl32.Vec2{float32(pixel[0]) + 0.5, float32(pixel[1]) + 0.5}
			if !ok || from.Sub(want).Len() > 1e-3 || to.Sub(want).Len() > 1e-3 {
				t.Errorf("orthographic %v, pixel %v: from %v to %v, %v", orthographic, pixel, from, to, ok)
			}
		}
	}
	b := LookAt(mgl32.Vec3{}, mgl32.Vec3{0, 0, -1}, yUp, math.Pi/2).Basis(1)
	if _, _, ok := b.Segment(mgl32.Vec3{0, 0, 1}, mgl32.Vec3{1, 0, 2}, 100, 100); ok {
		t.Error("a line behind the eye is seen")
	}
	// From the middle of what is ahead to the right and back through the plane of the eye: it leaves on the right.
	from, to, ok := b.Segment(mgl32.Vec3{0, 0, -2}, mgl32.Vec3{2, 0, 2}, 100, 100)
	if !ok || from.Sub(mgl32.Vec2{50, 50}).Len() > 1e-3 || to[0] < 1000 || to[1] != 50 {
		t.Errorf("through the plane of the eye: from %v to %v, %v", from, to, ok)
	}
}
