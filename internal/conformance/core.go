package conformance

import (
	"slices"

	"github.com/everray/everray/sbt"
)

// core is the program of most rows about traversal and tables: one ray per launch index, shaders that report which record
// ran and what was hit.
type core struct {
	*Program
	// Groups. The hit groups all hold the reporting closest hit shader, but for noClosest and empty.
	raygen, miss, otherMiss                                 int
	accept, ignore, terminate, noAny, noClosest, emptyGroup int
	// recordAny's any hit shader reports its record.
	recordAny int
}

// Words of the core program's result. `ended` counts closest hit calls in its low half and misses in its high half.
const (
	coreEnded = iota
	coreRecord
	coreKind
	coreT
	coreSeen
	corePrimitive
	coreGeometry
	coreInstance
	coreWords
)

const corePayload = `
struct Hit { uint ended, record, kind; float t; uint seen, primitive, geometry, instance; };
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
`

const coreRaygen = corePayload + `
layout(location = 0) rayPayloadEXT Hit p;
void main() {
    p = Hit(0u, 0u, 0u, 0.0, 0u, 0u, 0u, 0u);
    TRACE(RAY, 0);
    OUT(0) = p.ended; OUT(1) = p.record; OUT(2) = p.kind; OUT(3) = BITS(p.t);
    OUT(4) = p.seen; OUT(5) = p.primitive; OUT(6) = p.geometry; OUT(7) = p.instance;
}
`

const coreClosest = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() {
    p.ended += 1u; p.record = record.id; p.kind = gl_HitKindEXT; p.t = gl_HitTEXT;
    p.primitive = gl_PrimitiveID; p.geometry = gl_GeometryIndexEXT; p.instance = gl_InstanceCustomIndexEXT;
}
`

const coreMiss = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.ended += 0x10000u; p.record = record.id; p.t = gl_RayTmaxEXT; }
`

const coreOtherMiss = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.ended += 0x10000u; p.record = record.id + 0x1000u; p.t = gl_RayTmaxEXT; }
`

const coreAccept = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.seen += 1u; }
`

const coreIgnore = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.seen += 1u; ignoreIntersectionEXT; }
`

const coreTerminate = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.seen += 1u; terminateRayEXT; }
`

const coreRecordAny = corePayload + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.seen = record.id; }
`

func newCore() *core {
	p := newProgram("core", coreWords, "ended", "record", "kind", "t", "seen", "primitive", "geometry", "instance")
	c := &core{Program: p}
	c.raygen = p.raygen(coreRaygen)
	c.miss, c.otherMiss = p.miss(coreMiss), p.miss(coreOtherMiss)
	c.accept, c.ignore, c.terminate = p.hit(coreClosest, coreAccept), p.hit(coreClosest, coreIgnore), p.hit(coreClosest, coreTerminate)
	c.noAny, c.noClosest, c.emptyGroup = p.hit(coreClosest, ""), p.hit("", coreAccept), p.hit("", "")
	c.recordAny = p.hit(coreClosest, coreRecordAny)
	return c
}

// missRecord is the number of the only miss record of table.
const missRecord = 900

// table is one raygen record, one miss record, and hit records of these groups, numbered from 1 on.
func (c *core) table(groups ...int) sbt.Layout {
	return sbt.Layout{
		Raygen: []sbt.Record{{Group: c.raygen}},
		Miss:   []sbt.Record{{Group: c.miss, Data: le(missRecord)}},
		Hit:    repeat(len(groups), func(i int) sbt.Record { return sbt.Record{Group: groups[i], Data: le(uint32(i + 1))} }),
	}
}

// Hit kinds of triangles.
const (
	frontFace = 0xFE
	backFace  = 0xFF
)

// hit expects the closest hit shader of record 1 at t, on the front of the only primitive, and seen calls of any hit shaders.
func coreHit(t float32, seen uint32) []Word {
	return []Word{U(1), U(1), U(frontFace), F(float64(t)), U(seen), U(0), U(0), U(0)}
}

// coreMissed expects the miss shader of record, at the ray's own end, after seen calls of any hit shaders.
func coreMissed(record, seen uint32, tmax float32) []Word {
	return []Word{U(0x10000), U(record), U(0), Exactly(tmax), U(seen), U(0), U(0), U(0)}
}

// coreNothing expects that neither a closest hit nor a miss shader ran.
func coreNothing(seen uint32) []Word { return us(0, 0, 0, 0, seen, 0, 0, 0) }

// set returns a copy of the words with one replaced.
func set(w []Word, at int, v Word) []Word {
	w = slices.Clone(w)
	w[at] = v
	return w
}

// row fills in what rows of the program share.
func (c *core) row(name, rule string, scene *Scene, table sbt.Layout, want []Word, rays ...Ray) Row {
	return Row{Name: name, Rule: rule, Program: c.Program, Scene: scene, Table: table, Want: want, Rays: rays}
}
