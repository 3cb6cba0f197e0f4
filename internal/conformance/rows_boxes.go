package conformance

import (
	"fmt"
	"math"
	"slices"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/sbt"
)

// box is the program of rows about procedural primitives. Its intersection shader does what a script in the record says:
// up to four reports, each with t, kind and attributes; the attributes tell the any hit shader what to decide.
type box struct {
	*Program
	raygen, miss, both, noAny, noClosest, neither, triangles int
}

// Words of the result of the boxes' program. For report k: 1 accepted, 2 rejected, 0 not returned from; and gl_RayTmaxEXT
// after it. boxEnd is 1 if the intersection shader came to its end.
const (
	boxEnded = iota
	boxSerial
	boxKind
	boxT
	boxSeen
	boxPrimitive
	boxGeometry
	boxInstance
	boxReports
	boxTmax    = 12
	boxEnd     = 16
	boxFirst   = 17 // gl_RayTmaxEXT at the beginning
	boxAnyT    = 18
	boxAnyKind = 19
	boxWords   = 20
)

const boxTypes = `
struct Report { float t; uint kind; uint serial; uint decision; };
layout(shaderRecordEXT, std430) buffer Record { uint id, count; Report report[4]; } record;
struct Hit { uint ended, serial, kind; float t; uint seen, primitive, geometry, instance; };
struct Attributes { vec2 pad; uint serial; uint decision; };
`

const boxRaygen = boxTypes + `
layout(location = 0) rayPayloadEXT Hit p;
void main() {
    for (uint k = 0u; k < WORDS; k++) OUT(k) = 0u;
    p = Hit(0u, 0u, 0u, 0.0, 0u, 0u, 0u, 0u);
    TRACE(RAY, 0);
    OUT(0) = p.ended; OUT(1) = p.serial; OUT(2) = p.kind; OUT(3) = BITS(p.t);
    OUT(4) = p.seen; OUT(5) = p.primitive; OUT(6) = p.geometry; OUT(7) = p.instance;
}
`

// boxIntersection keeps the first run's log: a primitive may be visited again, when its reports come too late.
const boxIntersection = boxTypes + `
hitAttributeEXT Attributes a;
void main() {
    bool log = OUT(17) == 0u;
    if (log) OUT(17) = BITS(gl_RayTmaxEXT);
    for (uint k = 0u; k < record.count; k++) {
        Report r = record.report[k];
        a.serial = r.serial + uint(gl_PrimitiveID) * 256u;
        a.decision = r.decision;
        bool ok = reportIntersectionEXT(r.t, r.kind);
        if (log) { OUT(8u + k) = ok ? 1u : 2u; OUT(12u + k) = BITS(gl_RayTmaxEXT); }
    }
    if (log) OUT(16) = 1u;
}
`

const boxClosest = boxTypes + `
layout(location = 0) rayPayloadInEXT Hit p;
hitAttributeEXT Attributes a;
void main() {
    p.ended += 1u; p.serial = a.serial; p.kind = gl_HitKindEXT; p.t = gl_HitTEXT;
    p.primitive = gl_PrimitiveID; p.geometry = gl_GeometryIndexEXT; p.instance = gl_InstanceCustomIndexEXT;
}
`

const boxAny = boxTypes + `
layout(location = 0) rayPayloadInEXT Hit p;
hitAttributeEXT Attributes a;
void main() {
    p.seen += 1u;
    OUT(18) = BITS(gl_HitTEXT); OUT(19) = gl_HitKindEXT;
    if (a.decision == 1u) ignoreIntersectionEXT;
    if (a.decision == 2u) terminateRayEXT;
}
`

const boxMiss = boxTypes + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.ended += 0x10000u; p.t = gl_RayTmaxEXT; }
`

// boxTriangle reports a triangle in a scene of both.
const boxTriangle = boxTypes + `
layout(location = 0) rayPayloadInEXT Hit p;
void main() { p.ended += 1u; p.serial = 5000u; p.kind = gl_HitKindEXT; p.t = gl_HitTEXT; p.instance = gl_InstanceCustomIndexEXT; }
`

func newBox() *box {
	p := newProgram("boxes", boxWords, "ended", "serial", "kind", "t", "seen", "primitive", "geometry", "instance",
		"report 0", "report 1", "report 2", "report 3", "tmax 0", "tmax 1", "tmax 2", "tmax 3", "end", "first tmax", "any hit t",
		"any hit kind")
	b := &box{Program: p, raygen: p.raygen(boxRaygen), miss: p.miss(boxMiss)}
	// Each group has an intersection shader of its own; sharedRows has one in two groups.
	own := func(k int) string { return fmt.Sprintf("%s// group %d\n", boxIntersection, k) }
	b.both, b.noAny = p.box(own(1), boxClosest, boxAny), p.box(own(2), boxClosest, "")
	b.noClosest, b.neither = p.box(own(3), "", boxAny), p.box(own(4), "", "")
	b.triangles = p.hit(boxTriangle, "")
	return b
}

// report is one line of a script.
type report struct {
	t              float32
	kind, decision uint32
}

// What an any hit shader decides.
const (
	accepts = iota
	ignores
	terminates
)

// script is the data of a record whose intersection shader makes the reports, with serial numbers from 1 on.
func script(reports ...report) []byte {
	words := []uint32{1, uint32(len(reports))}
	for i, r := range reports {
		words = append(words, math.Float32bits(r.t), r.kind, uint32(i+1), r.decision)
	}
	for len(words) < 2+4*4 {
		words = append(words, 0)
	}
	return le(words...)
}

func (b *box) table(hit ...sbt.Record) sbt.Layout {
	return sbt.Layout{Raygen: []sbt.Record{{Group: b.raygen}}, Miss: []sbt.Record{{Group: b.miss}}, Hit: hit}
}

// reported is what the specification says of a script: a report counts if it is within the interval, and, unless the box is
// opaque or the group has no any hit shader, if that does not ignore it.
type reported struct {
	words []Word // of the result
	tmax  []Word // of the result, with gl_RayTmaxEXT after each report in place
	// changed tells that gl_RayTmaxEXT changed under the intersection shader's eyes, stale that attributes were written
	// after those of the hit that counts.
	changed, stale bool
}

func follow(opaque, any bool, tmin, tmax float32, reports ...report) reported {
	var f reported
	words := us(make([]uint32, boxWords)...)
	tmaxes := words[boxTmax : boxTmax+4]
	current, seen, best, last, stop := tmax, uint32(0), -1, -1, false
	anyT, anyKind := Exactly(0), U(0)
	for k, r := range reports {
		last = k
		ok := r.t >= tmin && r.t <= current
		if ok && any && !opaque {
			seen++
			anyT, anyKind = Exactly(r.t), U(r.kind)
			ok, stop = r.decision != ignores, r.decision == terminates
		}
		if ok {
			current, best = r.t, k
		}
		if stop {
			break
		}
		words[boxReports+k], tmaxes[k] = U(2-boolean(ok)), Exactly(current)
		f.changed = f.changed || current != tmax
	}
	words[boxEnd], words[boxFirst] = U(boolean(!stop)), Exactly(tmax)
	words[boxSeen], words[boxAnyT], words[boxAnyKind] = U(seen), anyT, anyKind
	if best < 0 {
		words[boxEnded], words[boxT] = U(0x10000), Exactly(tmax)
	} else {
		words[boxEnded], words[boxSerial], words[boxKind], words[boxT] = U(1), U(uint32(best+1)), U(reports[best].kind),
			Exactly(reports[best].t)
	}
	f.tmax = slices.Clone(words)
	for k := range tmaxes {
		tmaxes[k] = Any() // rows of their own
	}
	f.words, f.stale = words, best >= 0 && best != last
	return f
}

// boxWant is the result of a script but for gl_RayTmaxEXT after reports, and for the attributes where a later report left its
// own: rows of their own check these.
func boxWant(opaque, any bool, tmin, tmax float32, reports ...report) []Word {
	f := follow(opaque, any, tmin, tmax, reports...)
	if f.stale {
		f.words[boxSerial] = Any()
	}
	return f.words
}

// boxNothing expects that no shader of a box ran.
func boxNothing(tmax float32) []Word {
	out := us(make([]uint32, boxWords)...)
	out[boxEnded], out[boxT] = U(0x10000), Exactly(tmax)
	return out
}

func (b *box) row(name, rule string, scene *Scene, table sbt.Layout, want []Word, rays ...Ray) Row {
	return Row{Name: name, Rule: rule, Program: b.Program, Scene: scene, Table: table, Want: want, Rays: rays}
}

// reportRows: what reports come to, by themselves and after each other.
func (b *box) reportRows() []Row {
	open, opaque := single(boxes(once, cube(0, 0, 5))), single(boxes(opaqueOnce, cube(0, 0, 5)))
	out := b.sharedRows(open)
	rule := glsl + "reportIntersectionEXT: true if within the current interval and not ignored, and then the new gl_RayTmaxEXT; " +
		dxr + "ReportHit()"
	for _, c := range []struct {
		name    string
		reports []report
	}{
		{"none", nil},
		{"one", []report{{5, 3, accepts}}},
		{"nearer", []report{{5.5, 1, accepts}, {5, 2, accepts}, {4.5, 3, accepts}}},
		{"farther", []report{{4.5, 1, accepts}, {5, 2, accepts}, {5.5, 3, accepts}}},
		{"mixed", []report{{5.5, 10, accepts}, {4.5, 20, accepts}, {5, 30, accepts}, {4.25, 40, accepts}}},
		{"before-tmin", []report{{0.5, 1, accepts}}},
		{"behind-tmax", []report{{8.5, 1, accepts}}},
		{"out-then-in", []report{{0.5, 1, accepts}, {8.5, 2, accepts}, {5, 4, accepts}, {0.25, 1, accepts}}},
		{"at-tmin", []report{{1, 7, accepts}}},
		{"at-tmax", []report{{8, 7, accepts}}},
		{"ignore", []report{{5, 1, ignores}}},
		{"ignore-all", []report{{5, 1, ignores}, {4.5, 2, ignores}, {5.5, 3, ignores}}},
		{"ignore-leaves-tmax", []report{{4.5, 1, ignores}, {5, 2, accepts}, {4.25, 3, ignores}, {4.75, 4, accepts}}},
		{"ignored-attributes", []report{{5, 1, accepts}, {4.5, 2, ignores}}},
		{"terminate", []report{{5, 1, terminates}, {4.5, 2, accepts}}},
		{"accept-terminate", []report{{5.5, 1, accepts}, {5, 2, terminates}, {4.5, 3, accepts}}},
		{"ignore-terminate", []report{{4.5, 1, ignores}, {5, 2, terminates}}},
		{"rejected-do-not-terminate", []report{{8.5, 1, terminates}, {5, 2, accepts}}},
	} {
		for _, s := range []struct {
			name        string
			scene       *Scene
			group       int
			opaque, any bool
		}{{"any-hit", open, b.both, false, true}, {"no-any-hit", open, b.noAny, false, false}, {"opaque", opaque, b.both, true, true}} {
			r := down(0, 0)
			r.TMin, r.TMax = 1, 8
			table := b.table(sbt.Record{Group: s.group, Data: script(c.reports...)})
			row := func(topic string, want []Word) Row {
				return b.row(topic+"/"+c.name+"/"+s.name, rule, s.scene, table, want, r)
			}
			out = append(out, row("report", boxWant(s.opaque, s.any, 1, 8, c.reports...)))
			f := follow(s.opaque, s.any, 1, 8, c.reports...)
			if f.changed {
				tmax := row("report-tmax", f.tmax)
				tmax.Want[boxSerial] = Any()
				tmax.NativeDiffers = map[Driver]Difference{Lavapipe25: {Reason: "`gl_RayTmaxEXT` in an intersection shader stays at its " +
					"first value after an accepted report"}}
				out = append(out, tmax)
			}
			if f.stale {
				attributes := row("report-attributes", f.words)
				attributes.NativeDiffers = map[Driver]Difference{Lavapipe25: {Reason: "hit attributes are the last that an intersection " +
					"shader wrote, not those of the accepted report"}}
				out = append(out, attributes)
			}
		}
	}
	return append(out, b.kindRows(open)...)
}

// sharedRows: one intersection shader in two groups, of which one has an any hit shader.
func (b *box) sharedRows(open *Scene) []Row {
	p := newProgram("boxes-shared", boxWords, b.Labels...)
	s := &box{Program: p, raygen: p.raygen(boxRaygen), miss: p.miss(boxMiss)}
	s.both, s.noAny = p.box(boxIntersection, boxClosest, boxAny), p.box(boxIntersection, boxClosest, "")
	var out []Row
	for _, decision := range []uint32{accepts, ignores, terminates} {
		r := report{5, 3, decision}
		rule := vulkan + "Ray Tracing Pipelines: a shader may stand in any number of groups"
		with := s.row(fmt.Sprintf("any-hit/%d", decision), rule, open, s.table(sbt.Record{Group: s.both, Data: script(r)}),
			boxWant(false, true, 0, tmax, r), down(0, 0))
		without := s.row(fmt.Sprintf("no-any-hit/%d", decision), rule, open, s.table(sbt.Record{Group: s.noAny, Data: script(r)}),
			boxWant(false, false, 0, tmax, r), down(0, 0))
		without.NativeDiffers = map[Driver]Difference{Lavapipe25: {Reason: "an intersection shader in several groups calls the any " +
			"hit shader of the first of them"}}
		out = append(out, with, without)
	}
	return out
}

// kindRows: hit kinds of the application, and groups without shaders.
func (b *box) kindRows(open *Scene) []Row {
	var out []Row
	for _, kind := range []uint32{0, 1, 63, 64, 126, 127} {
		reports := []report{{5, kind, accepts}}
		out = append(out, b.row(fmt.Sprintf("kind/%d", kind), dxr+"ReportHit(): HitKind is a value of 0 to 127, read by HitKind()",
			open, b.table(sbt.Record{Group: b.both, Data: script(reports...)}), boxWant(false, true, 0, tmax, reports...), down(0, 0)))
	}
	lacking := vulkan + "Ray Tracing Shader Group: hit groups may lack a closest hit or an any hit shader"
	one := []report{{5, 3, accepts}}
	unshaded := func(any bool) []Word {
		w := boxWant(false, any, 0, tmax, one...)
		w[boxEnded], w[boxSerial], w[boxKind], w[boxT] = U(0), U(0), U(0), U(0)
		return w
	}
	return append(out,
		b.row("lacking/closest-hit", lacking, open, b.table(sbt.Record{Group: b.noClosest, Data: script(one...)}), unshaded(true),
			down(0, 0)),
		b.row("lacking/both", lacking, open, b.table(sbt.Record{Group: b.neither, Data: script(one...)}), unshaded(false), down(0, 0)),
		b.row("lacking/any-hit/ignored-nowhere", lacking, open, b.table(sbt.Record{Group: b.noAny, Data: script(report{5, 3, ignores})}),
			boxWant(false, false, 0, tmax, report{5, 3, ignores}), down(0, 0)),
		b.row("null", vulkan+"a group handle of zeros invokes no shader: nothing reports a hit", open,
			b.table(sbt.Record{Group: sbt.NullGroup}), boxNothing(tmax), down(0, 0)),
	)
}

// flagRows: ray flags and instances as far as they concern boxes.
func (b *box) flagRows() []Row {
	scene := opacityScene(boxes(opaqueOnce, cube(0, 0, 3)), boxes(once, cube(0, 0, 3)))
	reports := []report{{5, 9, accepts}}
	table := b.table(sbt.Record{Group: b.both, Data: script(reports...)})
	out := opacityRows("boxes", scene, func(name, rule string, want []Word,
		r Ray) Row {
		return b.row(name, rule, scene, table, want, r)
	},
		func(opaque, culled bool) []Word {
			if culled {
				// Culling by opacity may come before or after the intersection shader.
				w := repeat(boxWords, func(int) Word { return Any() })
				copy(w, boxNothing(tmax)[:boxReports])
				return w
			}
			return boxWant(opaque, true, 0, tmax, reports...)
		})
	open, opaque := single(boxes(once, cube(0, 0, 5))), single(boxes(opaqueOnce, cube(0, 0, 5)))
	simple := boxWant(true, true, 0, tmax, reports...)
	skipped := boxWant(false, true, 0, tmax, reports...)
	skipped[boxEnded], skipped[boxSerial], skipped[boxKind], skipped[boxT] = U(0), U(0), U(0), U(0)
	rule := dxr + "Ray flags: "
	out = append(out,
		b.row("flags/skip-aabbs", vulkan+"Ray Primitive Culling", opaque, table, boxNothing(tmax), down(0, 0).with(inspect.RaySkipAABBs)),
		b.row("flags/skip-triangles", vulkan+"Ray Primitive Culling", opaque, table, simple, down(0, 0).with(inspect.RaySkipTriangles)),
		b.row("flags/cull-back", rule+"no effect on geometry other than triangles", opaque, table, simple,
			down(0, 0).with(inspect.RayCullBackFacing)),
		b.row("flags/cull-front", rule+"no effect on geometry other than triangles", opaque, table, simple,
			down(0, 0).with(inspect.RayCullFrontFacing)),
		b.row("flags/skip-closest-hit", rule+"SKIP_CLOSEST_HIT_SHADER", open, table, skipped, down(0, 0).with(inspect.RaySkipClosestHit)),
	)
	// The search ends with the first report that is accepted; whether the intersection shader still runs on is left open.
	for _, c := range []struct {
		name    string
		scene   *Scene
		reports []report
		seen    uint32
	}{
		{"opaque", opaque, []report{{5, 1, accepts}, {4.5, 2, accepts}}, 0},
		{"accept", open, []report{{5, 1, accepts}}, 1},
		{"ignore-accept", open, []report{{4.5, 1, ignores}, {5, 2, accepts}}, 2},
	} {
		row := b.row("flags/first-hit/"+c.name, rule+"ACCEPT_FIRST_HIT_AND_END_SEARCH", c.scene,
			b.table(sbt.Record{Group: b.both, Data: script(c.reports...)}), nil, down(0, 0).with(inspect.RayTerminateOnFirstHit))
		row.Check = func(got []uint32) error {
			if got[boxEnded] != 1 || got[boxSeen] != c.seen {
				return fmt.Errorf("ended %#x after %d any hit shaders, want 1 after %d", got[boxEnded], got[boxSeen], c.seen)
			}
			t := math.Float32frombits(got[boxT])
			if !slices.ContainsFunc(c.reports, func(r report) bool { return r.t == t && r.kind == got[boxKind] && r.decision == accepts }) {
				return fmt.Errorf("hit of kind %d at %v, which no report makes", got[boxKind], t)
			}
			return nil
		}
		out = append(out, row)
	}
	return out
}

// sceneRows: boxes among boxes and triangles.
func (b *box) sceneRows() []Row {
	three := single(boxes(opaqueOnce, cube(0, 0, 25), cube(0, 50, 5), cube(0, 0, 5)), boxes(opaqueOnce, cube(0, 0, 15)))
	nearFar := func(t float32) sbt.Record { return sbt.Record{Group: b.both, Data: script(report{t, 1, accepts})} }
	// Only what the closest hit shader saw is known: boxes may be visited in any order.
	closest := func(t float32, serial, primitive, geometry, instance uint32) []Word {
		return join([]Word{U(1), U(serial), Any(), Exactly(t), U(0), U(primitive), U(geometry), U(instance)},
			repeat(boxWords-8, func(int) Word { return Any() }))
	}
	stride := down(0, 0)
	stride.Stride = 1
	mixed := &Scene{
		Models: []Model{{boxes(opaqueOnce, cube(0, 0, 0))}, {mesh(opaqueOnce, front(0, 0, 0))}},
		Instances: []Instance{place(0).at(0, 0, 5).custom(10), place(1).at(0, 0, 8).custom(11).offset(1),
			place(1).at(8, 0, 2).custom(12).offset(1), place(0).at(8, 0, 5).custom(13)},
	}
	both := b.table(nearFar(5), sbt.Record{Group: b.triangles, Data: script()})
	inside := down(0, 0)
	inside.Origin[2] = 5
	flat := Box{-1, -1, 5, 1, 1, 5}
	dead := cube(0, 0, 5)
	dead[0] = float32(math.NaN())
	scaled := place(0).custom(3)
	scaled.Transform = [12]float32{-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0}
	one := boxWant(true, true, 0, tmax, report{5, 1, accepts})
	return []Row{
		b.row("scene/nearest-geometry", sbtAt+"Hit Shaders: the intersection shader too is the record's", three,
			b.table(nearFar(15), nearFar(5)), closest(5, 1, 0, 1, 0), stride),
		b.row("scene/mixed", vulkan+"Ray Closest Hit: the nearest of boxes and triangles", mixed, both,
			join(closest(5, 1, 0, 0, 10), closest(2, 5000, 0, 0, 12)), down(0, 0), down(8, 0)),
		b.row("scene/mixed/skip-aabbs", vulkan+"Ray Primitive Culling", mixed, both,
			join(closest(8, 5000, 0, 0, 11), closest(2, 5000, 0, 0, 12)), down(0, 0).with(inspect.RaySkipAABBs),
			down(8, 0).with(inspect.RaySkipAABBs)),
		b.row("scene/mixed/skip-triangles", vulkan+"Ray Primitive Culling", mixed, both,
			join(closest(5, 1, 0, 0, 10), closest(5, 1, 0, 0, 13)), down(0, 0).with(inspect.RaySkipTriangles),
			down(8, 0).with(inspect.RaySkipTriangles)),
		b.row("scene/origin-inside", dxr+"AABB volume: a ray that begins inside meets the box", single(boxes(opaqueOnce, cube(0, 0, 5))),
			b.table(nearFar(0.5)), boxWant(true, true, 0, tmax, report{0.5, 1, accepts}), inside),
		b.row("scene/flat", dxr+"AABB volume: boxes without thickness are allowed", single(boxes(opaqueOnce, flat)), b.table(nearFar(5)),
			one, down(0.5, 0.5)),
		b.row("scene/inactive", vulkan+"Inactive Primitives and Instances: a NaN as least x",
			single(boxes(opaqueOnce, dead, cube(0, 0, 5))), b.table(nearFar(5)),
			set(set(boxWant(true, true, 0, tmax, report{5, 1, accepts}), boxPrimitive, U(1)), boxSerial, U(257)), down(0, 0)),
		b.row("scene/instance-transform", vulkan+"Ray Intersection Candidate Determination: t is the world ray's",
			&Scene{Models: []Model{{boxes(opaqueOnce, cube(0, 0, 3))}}, Instances: []Instance{scaled}},
			b.table(nearFar(5)), set(one, boxInstance, U(3)), down(0, 0)),
		b.row("scene/missed", dxr+"TraceRay() control flow: a ray that does not meet the box need not run its shader, and nothing is "+
			"hit where the shader is not run", single(boxes(opaqueOnce, cube(0, 0, 5))),
			b.table(sbt.Record{Group: b.both, Data: script()}), boxNothing(tmax), down(30, 0)),
	}
}
