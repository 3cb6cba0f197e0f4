package conformance

import (
	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
)

// pipelineFlagRows: what a pipeline's flags leave out of all its rays, and that promises which are kept change nothing.
func pipelineFlagRows() []Row {
	closest := func(t float32, serial, instance uint32) []Word {
		return join([]Word{U(1), U(serial), Any(), Exactly(t), U(0), U(0), U(0), U(instance)},
			repeat(boxWords-8, func(int) Word { return Any() }))
	}
	mixed := &Scene{
		Models: []Model{{boxes(opaqueOnce, cube(0, 0, 0))}, {mesh(opaqueOnce, front(0, 0, 0))}},
		Instances: []Instance{place(0).at(0, 0, 5).custom(10), place(1).at(0, 0, 8).custom(11).offset(1),
			place(1).at(8, 0, 2).custom(12).offset(1), place(0).at(8, 0, 5).custom(13)},
	}
	var out []Row
	for _, c := range []struct {
		name  string
		flags engine.PipelineFlags
		want  []Word
	}{
		{"skip-aabbs", engine.PipelineFlags{SkipAABBs: true}, join(closest(8, 5000, 11), closest(2, 5000, 12))},
		{"skip-triangles", engine.PipelineFlags{SkipTriangles: true}, join(closest(5, 1, 10), closest(5, 1, 13))},
		{"no-null", engine.PipelineFlags{NoNullAnyHit: true, NoNullClosestHit: true, NoNullMiss: true, NoNullIntersection: true},
			join(closest(5, 1, 10), closest(2, 5000, 12))},
	} {
		b := newWholeBox("pipeline-" + c.name)
		b.Program.Flags = c.flags
		table := b.table(sbt.Record{Group: b.both, Data: script(report{5, 1, accepts})}, sbt.Record{Group: b.triangles, Data: script()})
		out = append(out, b.row("mixed", vulkan+"VkPipelineCreateFlagBits: skip triangles, skip AABBs, no null shaders", mixed, table,
			c.want, down(0, 0), down(8, 0)))
	}
	return out
}

// newWholeBox returns a program for boxes and triangles whose groups lack no shader.
func newWholeBox(name string) *box {
	p := newProgram(name, boxWords)
	b := &box{Program: p, raygen: p.raygen(boxRaygen), miss: p.miss(boxMiss)}
	b.both, b.triangles = p.box(boxIntersection, boxClosest, boxAny), p.hit(boxTriangle, boxAny)
	return b
}
