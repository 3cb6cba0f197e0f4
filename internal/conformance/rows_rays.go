package conformance

import (
	"fmt"
	"math"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/sbt"
)

// maskRows: an instance is visited if its mask and the low 8 bits of the ray's have a bit in common.
func (c *core) maskRows() []Row {
	rule := dxr + "TraceRay(), InstanceInclusionMask: only the bottom 8 bits count; 0 rejects"
	masks := []uint8{0xFF, 0x01, 0x80, 0x0F, 0x00}
	scene := &Scene{Models: []Model{{mesh(opaqueOnce, front(0, 0, 2))}}}
	for k, m := range masks {
		scene.Instances = append(scene.Instances, place(0).at(float32(4*k), 0, 0).masked(m))
	}
	var out []Row
	for _, mask := range []uint32{0xFF, 0x01, 0x80, 0x70, 0x00, 0x100, 0xFFFFFF00, 0x1FF, 0xABCD0008} {
		var rays []Ray
		var want []Word
		for k, m := range masks {
			r := down(float32(4*k), 0)
			r.Mask = mask
			rays = append(rays, r)
			if uint32(m)&mask&0xFF != 0 {
				want = append(want, coreHit(2, 0)...)
			} else {
				want = append(want, coreMissed(missRecord, 0, tmax)...)
			}
		}
		out = append(out, c.row(fmt.Sprintf("mask/%#x", mask), rule, scene, c.table(c.noAny), want, rays...))
	}
	return out
}

// intervalRows: tmin, tmax and t along rays of any length.
func (c *core) intervalRows() []Row {
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	below := math.Nextafter32(2, 0)
	above := math.Nextafter32(2, 3)
	inf := float32(math.Inf(1))
	var out []Row
	for _, i := range []struct {
		name       string
		tmin, tmax float32
		hit        bool
	}{
		{"around", 1, 3, true}, {"before", 0, 1.5, false}, {"behind", 2.5, 100, false}, {"just-above-tmin", below, 100, true},
		{"just-below-tmax", 0, above, true}, {"tight", below, above, true}, {"infinite", 0, inf, true},
		{"empty-before", 1.5, 1.5, false}, {"empty-behind", 3, 3, false}, {"just-behind-tmin", above, 100, false},
		{"just-before-tmax", 0, below, false},
	} {
		r := down(0, 0)
		r.TMin, r.TMax = i.tmin, i.tmax
		want := coreMissed(missRecord, 0, i.tmax)
		if i.hit {
			want = coreHit(2, 0)
		}
		out = append(out, c.row("interval/"+i.name, dxr+"ray: intersections within [TMin, TMax]; RayTCurrent() in a miss shader is TMax",
			scene, c.table(c.noAny), want, r))
	}
	// Whether the ends belong to the interval of a triangle is said differently in different places: the ways must agree.
	for _, ends := range [][2]float32{{2, 100}, {0, 2}, {2, 2}} {
		r := down(0, 0)
		r.TMin, r.TMax = ends[0], ends[1]
		out = append(out, c.row(fmt.Sprintf("interval/ends/%v-%v", ends[0], ends[1]),
			dxr+"ray: whether t = TMin or TMax counts is left open by the seeds", scene, c.table(c.noAny), nil, r))
	}
	backwards := down(0, 0)
	backwards.Direction[2] = -1
	out = append(out, c.row("interval/behind-origin", dxr+"ray: positions are origin + T * direction, T from TMin on", scene,
		c.table(c.noAny), coreMissed(missRecord, 0, tmax), backwards))
	for _, length := range []float32{0.25, 0.5, 4, 1024, 1.0 / 1024, 3} {
		r := down(0, 0)
		r.Direction[2] = length
		r.TMax = 1 << 20
		out = append(out, c.row(fmt.Sprintf("length/%v", length), dxr+"ray: the direction does not get normalised", scene,
			c.table(c.noAny), coreHit(2/length, 0), r))
	}
	return append(out, c.scaleRows()...)
}

// scaleRows: t belongs to the world's ray, whatever the instance's scale.
func (c *core) scaleRows() []Row {
	var out []Row
	for _, scale := range []float32{0.125, 2, 64, -1, -4} {
		i := place(0)
		i.Transform = [12]float32{scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 2}
		scene := &Scene{Models: []Model{{mesh(opaqueOnce, front(0, 0, 0))}}, Instances: []Instance{i}}
		want := coreHit(2, 0)
		if scale < 0 { // the ray looks along -z in object space
			want[coreKind] = U(backFace)
		}
		out = append(out, c.row(fmt.Sprintf("scale/%v", scale), dxr+"RayTCurrent(): independent of world or object space", scene,
			c.table(c.noAny), want, down(0, 0)))
	}
	return out
}

// nullRows: the null acceleration structure, structures without content, and null handles in the table.
func (c *core) nullRows() []Row {
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	other := single(mesh(once, front(0, 0, 2)))
	far := &Scene{Models: []Model{{mesh(opaqueOnce, front(0, 0, 2))}},
		Instances: []Instance{place(0).offset(0), place(0).at(0, 0, 2).offset(1)}}
	table := func(groups ...int) sbt.Layout { return c.table(groups...) }
	noMiss := table(c.accept)
	noMiss.Miss = []sbt.Record{{Group: sbt.NullGroup, Data: le(7)}, {Group: c.miss, Data: le(8)}}
	null := "VkPhysicalDeviceRayTracingPipeline: a group handle of zeros invokes no shader"
	lacking := vulkan + "Ray Tracing Shader Group: hit groups may lack any of their shaders; without an any hit shader a candidate " +
		"is accepted"
	missing := func(r Ray) Ray {
		r.Flags = inspect.RaySkipTriangles
		return r
	}
	up := down(0, 0)
	up.Direction[2] = -1
	second := up
	second.Miss = 1
	return []Row{
		c.row("null/acceleration-structure", vulkan+"nullDescriptor, VK_NULL_HANDLE: every ray misses", nil, c.table(c.accept),
			join(coreMissed(missRecord, 0, tmax), coreMissed(missRecord, 0, tmax)), down(0, 0), missing(down(1, 1))),
		c.row("null/no-instances", vulkan+"Top Level Acceleration Structures: a structure of no instances is never hit", &Scene{},
			c.table(c.accept), coreMissed(missRecord, 0, tmax), down(0, 0)),
		c.row("null/miss", null, scene, noMiss, join(coreNothing(0), coreMissed(8, 0, tmax)), up, second),
		c.row("null/hit", null, scene, table(sbt.NullGroup), coreNothing(0), down(0, 0)),
		c.row("null/hit-not-opaque", null, other, table(sbt.NullGroup), coreNothing(0), down(0, 0)),
		c.row("null/hit-hides-others", null, far, table(sbt.NullGroup, c.accept), coreNothing(0), down(0, 0)),
		c.row("lacking/any-hit", lacking, other, table(c.noAny), coreHit(2, 0), down(0, 0)),
		c.row("lacking/closest-hit", lacking, other, table(c.noClosest), coreNothing(1), down(0, 0)),
		c.row("lacking/closest-hit/opaque", lacking, scene, table(c.noClosest), coreNothing(0), down(0, 0)),
		c.row("lacking/both", lacking, scene, table(c.emptyGroup), coreNothing(0), down(0, 0)),
		c.row("lacking/both/not-opaque", lacking, other, table(c.emptyGroup), coreNothing(0), down(0, 0)),
	}
}

// inactiveRows: what instances and triangles never take part.
func (c *core) inactiveRows() []Row {
	nan := float32(math.NaN())
	dead := front(0, 0, 1)
	dead[0][0] = nan
	point := Triangle{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}
	rule := vulkan + "Inactive Primitives and Instances: a NaN in the first component of a vertex makes a triangle inactive; "
	return []Row{
		c.row("inactive/nan", rule+"indices keep counting", single(mesh(opaqueOnce, dead, front(0, 0, 2))), c.table(c.noAny),
			set(coreHit(2, 0), corePrimitive, U(1)), down(0, 0)),
		c.row("inactive/all", rule+"a structure of inactive primitives is never hit", single(mesh(opaqueOnce, dead)), c.table(c.noAny),
			coreMissed(missRecord, 0, tmax), down(0, 0)),
		c.row("degenerate", vulkan+"Geometry: a degenerate triangle covers nothing", single(mesh(opaqueOnce, point, front(0, 0, 2))),
			c.table(c.noAny), set(coreHit(2, 0), corePrimitive, U(1)), down(0, 0)),
	}
}

// identityRows: what distinguishes hits.
func (c *core) identityRows() []Row {
	far := front(50, 50, 0)
	scene := &Scene{
		Models: []Model{
			{mesh(opaqueOnce, far, far, front(0, 0, 0))},
			{mesh(opaqueOnce, front(0, 0, 0)), mesh(opaqueOnce, far, front(4, 0, 0)), mesh(once, front(8, 0, 0))},
		},
		Instances: []Instance{
			place(0).at(0, 0, 2).custom(0xFFFFFF),
			place(1).at(0, 10, 2).custom(0x123456),
			place(1).at(0, 20, 2).custom(0),
		},
	}
	want := func(primitive, geometry, custom, seen uint32) []Word {
		return []Word{U(1), U(1), U(frontFace), F(2), U(seen), U(primitive), U(geometry), U(custom)}
	}
	rule := vulkan + "Built-In Variables: "
	return []Row{
		c.row("identity/primitive", rule+"PrimitiveId counts within the geometry", scene, c.table(c.accept), want(2, 0, 0xFFFFFF, 0),
			down(0, 0)),
		c.row("identity/geometry", rule+"RayGeometryIndexKHR", scene, c.table(c.accept),
			join(want(0, 0, 0x123456, 0), want(1, 1, 0x123456, 0), want(0, 2, 0x123456, 1)), down(0, 10), down(4, 10), down(8, 10)),
		c.row("identity/custom-index", rule+"InstanceCustomIndexKHR has 24 bits", scene, c.table(c.accept),
			join(want(2, 0, 0xFFFFFF, 0), want(0, 0, 0x123456, 0), want(0, 0, 0, 0)), down(0, 0), down(0, 10), down(0, 20)),
		c.row("identity/many-instances", rule+"the nearest of many instances", crowd(), c.table(c.noAny), want(0, 0, 77, 0), down(0, 0)),
	}
}

// crowd is 100 instances behind each other in no order, the nearest of which has custom index 77 and z = 2.
func crowd() *Scene {
	s := &Scene{Models: []Model{{mesh(opaqueOnce, front(0, 0, 0))}}}
	for i := range uint32(100) {
		n := (i*37 + 5) % 100
		s.Instances = append(s.Instances, place(0).at(0, 0, 2+float32(n)).custom(177-n-100*boolean(n == 0)))
	}
	return s
}

func boolean(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
