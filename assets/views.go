package assets

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf/ext/lightspunctual"
)

// camera converts a node's camera. Scale and shear of the node do not count,
// as the specification says.
func (l *loader) camera(node int) (Camera, error) {
	n := l.doc.Nodes[node]
	i := *n.Camera
	if i < 0 || i >= len(l.doc.Cameras) {
		return Camera{}, fmt.Errorf("%w: camera %d of %d", ErrInvalid, i, len(l.doc.Cameras))
	}
	src := l.doc.Cameras[i]
	world := l.nodes.world[node]
	m, err := narrow(world)
	if err != nil {
		return Camera{}, err
	}
	c := Camera{Name: src.Name, Position: m.Col(3).Vec3()}
	if !(Bounds{c.Position, c.Position}).reasonable() {
		return c, fmt.Errorf("%w: camera %d is further than %g from the origin", ErrInvalid, i, maxCoordinate)
	}
	if c.Name == "" {
		c.Name = n.Name
	}
	back := unit64(world.Col(2).Vec3(), mgl64.Vec3{0, 0, 1})
	up := world.Col(1).Vec3()
	b := mgl64.Vec3{float64(back[0]), float64(back[1]), float64(back[2])}
	side, _ := basis(back)
	c.Up = unit64(up.Sub(b.Mul(up.Dot(b))), mgl64.Vec3{float64(side[0]), float64(side[1]), float64(side[2])})
	c.Target = c.Position.Sub(back.Mul(max(1, c.Position.Len()*leastTargetDistance)))
	switch {
	case src.Perspective != nil:
		p := src.Perspective
		c.YFov = float32(p.Yfov)
		if !(c.YFov > 0 && c.YFov < math.Pi) {
			return c, fmt.Errorf("%w: camera %d: field of view of %g radians", ErrInvalid, i, p.Yfov)
		}
		c.ZNear = float32(p.Znear)
		if p.AspectRatio != nil {
			c.AspectRatio = float32(*p.AspectRatio)
		}
		if p.Zfar != nil {
			c.ZFar = float32(*p.Zfar)
		}
	case src.Orthographic != nil:
		o := src.Orthographic
		c.Kind = Orthographic
		c.XMag, c.YMag, c.ZNear, c.ZFar = float32(o.Xmag), float32(o.Ymag), float32(o.Znear), float32(o.Zfar)
		if c.XMag == 0 || c.YMag == 0 {
			return c, fmt.Errorf("%w: camera %d: magnification %g x %g", ErrInvalid, i, o.Xmag, o.Ymag)
		}
		c.AspectRatio = abs32(c.XMag / c.YMag)
	default:
		return c, fmt.Errorf("%w: camera %d is neither perspective nor orthographic", ErrInvalid, i)
	}
	if !allFinite([]float32{c.AspectRatio, c.XMag, c.YMag, c.ZNear, c.ZFar}) || c.AspectRatio < 0 {
		return c, fmt.Errorf("%w: camera %d has numbers out of range", ErrInvalid, i)
	}
	return c, nil
}

// aim moves a camera's target along its axis to the depth of the scene's
// centre, for orbiting; the direction stays.
func aim(c *Camera, b Bounds) {
	f := c.Forward()
	depth := b.Center().Sub(c.Position).Dot(f)
	least := max(b.Diagonal()*0.01, 1e-12, c.Position.Len()*leastTargetDistance)
	if t := c.Position.Add(f.Mul(max(depth, least))); allFinite(t[:]) {
		if g := t.Sub(c.Position).Normalize(); g.Dot(f) > 1-1e-6 {
			c.Target = t
		}
	}
	c.square()
}

// light converts the light that a node carries, if it does.
func (l *loader) light(node int) (Light, bool, error) {
	n := l.doc.Nodes[node]
	ref, ok := n.Extensions[lightspunctual.ExtensionName].(lightspunctual.LightIndex)
	if !ok {
		return Light{}, false, nil
	}
	list, _ := l.doc.Extensions[lightspunctual.ExtensionName].(lightspunctual.Lights)
	i := int(ref)
	if i < 0 || i >= len(list) || list[i] == nil {
		return Light{}, false, fmt.Errorf("%w: light %d of %d", ErrInvalid, i, len(list))
	}
	src := list[i]
	world := l.nodes.world[node]
	m, err := narrow(world)
	if err != nil {
		return Light{}, false, err
	}
	color := src.ColorOrDefault()
	light := Light{
		Name: src.Name, Position: m.Col(3).Vec3(),
		Direction: unit64(world.Col(2).Vec3().Mul(-1), mgl64.Vec3{0, 0, -1}),
		Color:     vec3(color),
		Intensity: float32(src.IntensityOrDefault()),
	}
	if src.Range != nil && !math.IsInf(*src.Range, 0) {
		light.Range = float32(*src.Range)
	}
	switch src.Type {
	case lightspunctual.TypeDirectional:
		light.Kind = DirectionalLight
	case lightspunctual.TypePoint:
		light.Kind = PointLight
	case lightspunctual.TypeSpot:
		light.Kind = SpotLight
		light.OuterCone = math.Pi / 4
		if src.Spot != nil {
			light.InnerCone = float32(src.Spot.InnerConeAngle)
			light.OuterCone = float32(src.Spot.OuterConeAngleOrDefault())
		}
		if !(light.InnerCone >= 0 && light.InnerCone <= light.OuterCone && light.OuterCone <= math.Pi/2+1e-6) {
			return light, false, fmt.Errorf("%w: light %d: cone angles %g and %g", ErrInvalid, i, light.InnerCone, light.OuterCone)
		}
	default:
		return light, false, fmt.Errorf("%w: light %d: unknown type %q", ErrInvalid, i, src.Type)
	}
	if !allFinite(light.Color[:]) || !isFinite(light.Intensity) || light.Intensity < 0 || !isFinite(light.Range) || light.Range < 0 {
		return light, false, fmt.Errorf("%w: light %d has numbers out of range", ErrInvalid, i)
	}
	return light, true, nil
}

func vec3(v [3]float64) mgl32.Vec3 {
	return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])}
}
