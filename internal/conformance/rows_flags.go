package conformance

import (
	"fmt"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

const tmax = 1000 // of the rays that down returns

// opacityFlags are the ray flags that override opacity, which exclude each other.
var opacityFlags = []struct {
	name string
	bits uint32
}{
	{"none", 0}, {"opaque", inspect.RayOpaque}, {"no-opaque", inspect.RayNoOpaque},
	{"cull-opaque", inspect.RayCullOpaque}, {"cull-no-opaque", inspect.RayCullNoOpaque},
}

var opacityInstances = []struct {
	name string
	bits vk.InstanceFlags
}{{"none", 0}, {"force-opaque", vk.InstanceForceOpaque}, {"force-no-opaque", vk.InstanceForceNoOpaque}}

// outcome says what a candidate comes to: a ray flag overrides the instance's flags, which override the geometry's; culling
// judges what comes of geometry and instance.
func outcome(geometryOpaque bool, instance vk.InstanceFlags, ray uint32) (opaque, culled bool) {
	opaque = geometryOpaque
	switch {
	case instance&vk.InstanceForceOpaque != 0:
		opaque = true
	case instance&vk.InstanceForceNoOpaque != 0:
		opaque = false
	}
	culled = opaque && ray&inspect.RayCullOpaque != 0 || !opaque && ray&inspect.RayCullNoOpaque != 0
	switch {
	case ray&inspect.RayOpaque != 0:
		opaque = true
	case ray&inspect.RayNoOpaque != 0:
		opaque = false
	}
	return opaque, culled
}

// opacityScene places an opaque and a non-opaque model under each kind of instance, at x = 4 * (3 * model + instance).
func opacityScene(opaque, other Geometry) *Scene {
	s := &Scene{Models: []Model{{opaque}, {other}}}
	for model := range s.Models {
		for k, i := range opacityInstances {
			s.Instances = append(s.Instances, place(model).at(float32(4*(3*model+k)), 0, 2).flagged(i.bits))
		}
	}
	return s
}

// opacityRows is every combination of geometry, instance and ray flags; want tells what a ray sees.
func opacityRows(kind string, scene *Scene, row func(name, rule string, want []Word, r Ray) Row,
	want func(opaque, culled bool) []Word) []Row {
	var out []Row
	for model, geometry := range []string{"opaque", "not-opaque"} {
		for k, instance := range opacityInstances {
			for _, ray := range opacityFlags {
				opaque, culled := outcome(model == 0, instance.bits, ray.bits)
				name := fmt.Sprintf("opacity/%s/geometry-%s/instance-%s/ray-%s", kind, geometry, instance.name, ray.name)
				rule := dxr + "Ray flags; D3D12_RAYTRACING_INSTANCE_FLAGS: ray flags override instance flags override geometry flags; " +
					"culling by what geometry and instance say"
				out = append(out, row(name, rule, want(opaque, culled), down(float32(4*(3*model+k)), 0).with(ray.bits)))
			}
		}
	}
	return out
}

func (c *core) opacityRows() []Row {
	scene := opacityScene(mesh(opaqueOnce, front(0, 0, 0)), mesh(once, front(0, 0, 0)))
	row := func(name, rule string, want []Word, r Ray) Row {
		return c.row(name, rule, scene, c.table(c.accept), want, r)
	}
	return opacityRows("triangles", scene, row, func(opaque, culled bool) []Word {
		switch {
		case culled:
			return coreMissed(missRecord, 0, tmax)
		case opaque:
			return coreHit(2, 0)
		}
		return coreHit(2, 1)
	})
}

// facingRows is culling by winding: two triangles per instance, one of each winding.
func (c *core) facingRows() []Row {
	rule := dxr + "D3D12_RAYTRACING_INSTANCE_FLAGS: winding in object space, not changed by the instance's transform; flip and " +
		"disable per instance; Ray flags: cull back/front"
	mirror := [12]float32{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}
	upright := [12]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}
	scenes := map[string]*Scene{}
	var out []Row
	for _, transform := range []struct {
		name string
		m    [12]float32
	}{{"upright", upright}, {"mirrored", mirror}} {
		for _, flags := range []vk.InstanceFlags{0, vk.InstanceTriangleFlipFacing, vk.InstanceTriangleFacingCullDisable,
			vk.InstanceTriangleFlipFacing | vk.InstanceTriangleFacingCullDisable} {
			where := fmt.Sprintf("%s/instance-flags-%d", transform.name, flags)
			instance := place(0).flagged(flags)
			instance.Transform = transform.m
			scenes[where] = &Scene{Models: []Model{{mesh(opaqueOnce, front(0, -2, 0), back(0, 2, 0))}}, Instances: []Instance{instance}}
			for _, ray := range []struct {
				name string
				bits uint32
			}{{"none", 0}, {"cull-back", inspect.RayCullBackFacing}, {"cull-front", inspect.RayCullFrontFacing}} {
				want := func(primitive uint32) []Word {
					// In object space a mirrored ray along +z still looks along +z.
					isFront := primitive == 0
					if flags&vk.InstanceTriangleFlipFacing != 0 {
						isFront = !isFront
					}
					culled := isFront && ray.bits == inspect.RayCullFrontFacing || !isFront && ray.bits == inspect.RayCullBackFacing
					if culled && flags&vk.InstanceTriangleFacingCullDisable == 0 {
						return coreMissed(missRecord, 0, tmax)
					}
					kind := uint32(backFace)
					if isFront {
						kind = frontFace
					}
					return set(set(coreHit(2, 0), coreKind, U(kind)), corePrimitive, U(primitive))
				}
				out = append(out, c.row("facing/"+where+"/ray-"+ray.name, rule, scenes[where], c.table(c.noAny),
					join(want(0), want(1)), down(0, -2).with(ray.bits), down(0, 2).with(ray.bits)))
			}
		}
	}
	return append(out, c.geometryTransformRows()...)
}

// geometryTransformRows: a mirroring transform of a geometry, unlike an instance's, turns the winding.
func (c *core) geometryTransformRows() []Row {
	rule := dxr + "D3D12_RAYTRACING_INSTANCE_FLAGS: a geometry's transform is part of object space, so that a negative determinant " +
		"turns the winding"
	g := mesh(opaqueOnce, front(0, 0, 0))
	g.Transform = &[12]float32{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}
	scene := single(g)
	seen := set(coreHit(2, 0), coreKind, U(backFace))
	return []Row{
		c.row("facing/geometry-transform/none", rule, scene, c.table(c.noAny), seen, down(0, 0)),
		c.row("facing/geometry-transform/cull-back", rule, scene, c.table(c.noAny), coreMissed(missRecord, 0, tmax),
			down(0, 0).with(inspect.RayCullBackFacing)),
		c.row("facing/geometry-transform/cull-front", rule, scene, c.table(c.noAny), seen, down(0, 0).with(inspect.RayCullFrontFacing)),
	}
}

// stack is three triangles behind each other, at z = 1, 2 and 3.
func stack(flags vk.GeometryFlags) *Scene {
	return single(mesh(flags, front(0, 0, 1), front(0, 0, 2), front(0, 0, 3)))
}

// anyOfThree checks that one hit of the stack was shaded after seen calls of any hit shaders.
func anyOfThree(shaded, seen uint32) func([]uint32) error {
	return func(got []uint32) error {
		if got[coreEnded] != shaded || got[coreSeen] != seen {
			return fmt.Errorf("ended %#x after %d any hit shaders, want %#x after %d", got[coreEnded], got[coreSeen], shaded, seen)
		}
		if t := got[coreT]; shaded == 1 && t != 0x3F800000 && t != 0x40000000 && t != 0x40400000 {
			return fmt.Errorf("t is %#x, want 1, 2 or 3", t)
		}
		return nil
	}
}

// endRows: ray flags and any hit shaders that end the search or leave shaders out.
func (c *core) endRows() []Row {
	opaque, other := stack(opaqueOnce), stack(once)
	type end struct {
		name  string
		scene *Scene
		group int
		flags uint32
		want  []Word
		check func([]uint32) error
	}
	const first, skip = inspect.RayTerminateOnFirstHit, inspect.RaySkipClosestHit
	missed := func(seen uint32) []Word { return coreMissed(missRecord, seen, tmax) }
	var out []Row
	for _, e := range []end{
		{"nearest", opaque, c.accept, 0, coreHit(1, 0), nil},
		{"first/opaque", opaque, c.accept, first, nil, anyOfThree(1, 0)},
		{"first/accept", other, c.accept, first, nil, anyOfThree(1, 1)},
		{"first/ignore", other, c.ignore, first, missed(3), nil},
		{"first/no-any-hit", other, c.noAny, first, nil, anyOfThree(1, 0)},
		{"first/skip-closest", opaque, c.accept, first | skip, coreNothing(0), nil},
		{"first/skip-closest/accept", other, c.accept, first | skip, coreNothing(1), nil},
		{"first/skip-closest/ignore", other, c.ignore, first | skip, missed(3), nil},
		{"skip-closest/opaque", opaque, c.accept, skip, coreNothing(0), nil},
		{"skip-closest/ignore", other, c.ignore, skip, missed(3), nil},
		{"ignore", other, c.ignore, 0, missed(3), nil},
		{"ignore/forced-opaque", other, c.ignore, inspect.RayOpaque, coreHit(1, 0), nil},
		{"terminate", other, c.terminate, 0, nil, anyOfThree(1, 1)},
		{"terminate/skip-closest", other, c.terminate, skip, nil, anyOfThree(0, 1)},
		{"terminate/opaque-geometry", opaque, c.terminate, 0, coreHit(1, 0), nil},
		{"terminate/forced-not-opaque", opaque, c.terminate, inspect.RayNoOpaque, nil, anyOfThree(1, 1)},
		{"skip-triangles", opaque, c.accept, inspect.RaySkipTriangles, missed(0), nil},
		{"skip-triangles/not-opaque", other, c.accept, inspect.RaySkipTriangles, missed(0), nil},
		{"skip-aabbs", opaque, c.accept, inspect.RaySkipAABBs, coreHit(1, 0), nil},
	} {
		row := c.row("end/"+e.name, dxr+"Ray flags; AcceptHitAndEndSearch(), IgnoreHit(); "+vulkan+"Ray Primitive Culling", e.scene,
			c.table(e.group), e.want, down(0, 0).with(e.flags))
		row.Check = e.check
		out = append(out, row)
	}
	return out
}
