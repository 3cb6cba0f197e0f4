package conformance

import (
	"fmt"

	"github.com/everray/everray/sbt"
)

// addressScene has instances with table offsets 0, 5 and 40 at y = 0, 10 and 20, each of four geometries at x = 0, 4, 8
// and 12; the last geometry is not opaque.
func addressScene() (*Scene, []uint32) {
	s := &Scene{Models: []Model{{
		mesh(opaqueOnce, front(0, 0, 2)), mesh(opaqueOnce, front(4, 0, 2)), mesh(opaqueOnce, front(8, 0, 2)), mesh(once, front(12, 0, 2)),
	}}}
	offsets := []uint32{0, 5, 40}
	for i, o := range offsets {
		s.Instances = append(s.Instances, place(0).at(0, float32(10*i), 0).offset(o))
	}
	return s, offsets
}

const addressRecords = 40 + 3*15 + 15 + 1

// addressRows is the address rule in every combination of instance offset, geometry index, ray offset and stride.
func (c *core) addressRows() []Row {
	scene, offsets := addressScene()
	table := c.table(repeat(addressRecords, func(int) int { return c.recordAny })...)
	rule := sbtAt + "record = instance offset + geometry index * ray stride + ray offset; " + dxr +
		"TraceRay(): the bottom 4 bits of offset and stride count"
	row := func(name string, rayOffsets, strides []uint32) Row {
		var rays []Ray
		var want []Word
		for i, instance := range offsets {
			for g := range uint32(4) {
				for _, o := range rayOffsets {
					for _, stride := range strides {
						r := down(float32(4*g), float32(10*i))
						r.Offset, r.Stride = o, stride
						rays = append(rays, r)
						record := instance + g*(stride&15) + o&15 + 1
						w := set(set(coreHit(2, 0), coreRecord, U(record)), coreGeometry, U(g))
						if g == 3 {
							w[coreSeen] = U(record)
						}
						want = append(want, w...)
					}
				}
			}
		}
		return c.row("address/"+name, rule, scene, table, want, rays...)
	}
	all := repeat(16, func(i int) uint32 { return uint32(i) })
	var out []Row
	for _, stride := range all {
		out = append(out, row(fmt.Sprintf("stride-%d", stride), all, []uint32{stride}))
	}
	return append(out,
		row("offset-high-bits", []uint32{0x10, 0x1F, 0xFFFFFFF3}, []uint32{1}),
		row("stride-high-bits", []uint32{2}, []uint32{0x10, 0x12, 0xFFFFFFFF}),
	)
}

// recordStrideRows: tables whose records are longer than the shaders' blocks.
func (c *core) recordStrideRows() []Row {
	scene := single(mesh(opaqueOnce, front(0, 0, 2)), mesh(opaqueOnce, front(4, 0, 2)))
	var out []Row
	for _, data := range []uint64{4, 28, 32, 33, 96, 224, 992, 4064} {
		table := c.table(c.noAny, c.accept, c.noAny)
		table.HitData, table.MissData = data, data
		table.Miss = []sbt.Record{{Group: c.miss, Data: le(50)}, {Group: c.otherMiss, Data: le(51)}, {Group: c.miss, Data: le(52)}}
		hit := down(4, 0)
		hit.Offset, hit.Stride = 1, 1
		missed := down(40, 0)
		missed.Miss = 2
		other := missed
		other.Miss = 1
		out = append(out, c.row(fmt.Sprintf("record-stride/data-%d", data), sbtAt+"records are as far apart as the section's stride says",
			scene, table,
			join(set(set(coreHit(2, 0), coreRecord, U(3)), coreGeometry, U(1)), coreMissed(52, 0, tmax), coreMissed(0x1000+51, 0, tmax)),
			hit, missed, other))
	}
	return out
}

// missRows: only the low 16 bits of the miss index count.
func (c *core) missRows() []Row {
	table := c.table(c.accept)
	table.Miss = repeat(5, func(i int) sbt.Record { return sbt.Record{Group: c.miss, Data: le(uint32(70 + i))} })
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	var out []Row
	for _, index := range []uint32{0, 1, 4, 0x10003, 0xFFFF0002} {
		r := down(40, 40)
		r.Miss = index
		out = append(out, c.row(fmt.Sprintf("miss-index/%#x", index),
			sbtAt+"Miss Shaders; "+dxr+"TraceRay(): the bottom 16 bits of MissShaderIndex count",
			scene, table, coreMissed(70+index&0xFFFF, 0, tmax), r))
	}
	return out
}

// sharedRows: one shader in many groups, one group in many records, several groups on one ray.
func (c *core) sharedRows() []Row {
	scene := &Scene{Models: []Model{{mesh(once, front(0, 0, 0))}}}
	for k := range uint32(6) {
		scene.Instances = append(scene.Instances, place(0).at(0, 0, 2+float32(k)).offset(k).custom(k))
	}
	rule := vulkan + "Ray Tracing Pipelines: a shader may stand in any number of groups, a group in any number of records"
	want := func(t float32, record, seen uint32) []Word {
		w := set(set(coreHit(t, seen), coreRecord, U(record)), coreInstance, U(record-1))
		return w
	}
	return []Row{
		// The nearest three are ignored, the fourth ends the search; what lies behind may have been accepted before.
		{Name: "shared/mixed-groups", Rule: rule, Program: c.Program, Scene: scene, Rays: []Ray{down(0, 0)},
			Table: c.table(c.ignore, c.ignore, c.ignore, c.noAny, c.noAny, c.noAny), Want: want(5, 4, 3)},
		{Name: "shared/one-group", Rule: rule, Program: c.Program, Scene: scene, Rays: []Ray{down(0, 0)},
			Table: c.table(c.noAny, c.noAny, c.noAny, c.noAny, c.noAny, c.noAny), Want: want(2, 1, 0)},
		{Name: "shared/all-ignored", Rule: rule, Program: c.Program, Scene: scene, Rays: []Ray{down(0, 0)},
			Table: c.table(c.ignore, c.ignore, c.ignore, c.ignore, c.ignore, c.ignore), Want: coreMissed(missRecord, 6, tmax)},
		{Name: "shared/null-in-front", Rule: rule, Program: c.Program, Scene: scene, Rays: []Ray{down(0, 0)},
			Table: c.table(c.ignore, sbt.NullGroup, c.noAny, c.noAny, c.noAny, c.noAny), Want: coreNothing(1)},
	}
}
