package conformance

import "github.com/everray/everray/sbt"

const anyPayload = `
struct Trail { uint v[4]; float t; vec2 at; uint primitive; };
`

const anyRaygen = anyPayload + `
layout(location = 0) rayPayloadEXT Trail p;
void main() {
    p.v = uint[4](0u, RAY.a, 0u, RAY.b); p.t = -1.0; p.at = vec2(0.0); p.primitive = 99u;
    TRACE(RAY, 0);
    for (uint k = 0u; k < 4u; k++) OUT(k) = p.v[k];
    OUT(4) = BITS(p.t); OUT(5) = BITS(p.at.x); OUT(6) = BITS(p.at.y); OUT(7) = p.primitive;
}
`

const anyClosest = anyPayload + `
layout(location = 0) rayPayloadInEXT Trail p;
hitAttributeEXT vec2 at;
void main() { p.t = gl_HitTEXT; p.at = at; p.primitive = gl_PrimitiveID; p.v[2] += 1000u; }
`

const anyMiss = anyPayload + `
layout(location = 0) rayPayloadInEXT Trail p;
void main() { p.v[2] += 2000u; }
`

// anyShaders are any hit shaders over the stack at z = 1, 2 and 3, and what comes of them: v, t and the primitive. Those that
// are called an unknown number of times, as the order of candidates is open, leave no trace of it.
var anyShaders = []struct {
	name, body string
	v          [4]Word
	t          float32
	primitive  uint32
}{
	{"payload-kept-in-ignore", `void main() { p.v[0] = p.v[0] * 2u + 1u; ignoreIntersectionEXT; p.v[1] = 77u; }`,
		[4]Word{U(7), U(5), U(2000), U(1)}, -1, 99},
	{"payload-kept-in-accept", `void main() { p.v[0] |= 1u; p.v[3] += 0u; }`, [4]Word{U(1), U(5), U(1000), U(1)}, 1, 0},
	{"payload-kept-in-terminate", `void main() { if (gl_PrimitiveID != 1) ignoreIntersectionEXT; p.v[0] = 8u; p.v[1] *= 3u;
		terminateRayEXT; p.v[1] = 77u; }`,
		[4]Word{U(8), U(15), U(1000), U(1)}, 2, 1},
	{"terminate-in-loop", `void main() {
    if (gl_PrimitiveID != 1) ignoreIntersectionEXT;
    for (uint i = 0u; i < 10u; i++) { p.v[0] += 1u; if (i == p.v[3] + 2u) terminateRayEXT; }
    p.v[1] = 77u;
}`, [4]Word{U(4), U(5), U(1000), U(1)}, 2, 1},
	{"ignore-in-loop", `void main() {
    for (uint i = 0u; i < 10u; i++) { p.v[0] += 1u; if (i == 3u) ignoreIntersectionEXT; }
    p.v[1] = 77u;
}`, [4]Word{U(12), U(5), U(2000), U(1)}, -1, 99},
	{"ignore-in-function", `
uint deeper(inout uint n) { n += 2u; if (gl_PrimitiveID >= 0) ignoreIntersectionEXT; n += 50u; return n; }
uint deep(inout uint n) { n += 1u; uint r = deeper(p.v[0]); p.v[1] = 77u; return r; }
void main() { uint n = 0u; n += deep(p.v[0]); p.v[1] = 78u + n; }`, [4]Word{Any(), U(5), U(2000), U(1)}, -1, 99},
	{"terminate-in-function", `
void stop(uint k) { if (k == 1u) terminateRayEXT; if (k != 1u) ignoreIntersectionEXT; p.v[1] = 77u; }
void main() { p.v[0] |= 1u; stop(uint(gl_PrimitiveID)); p.v[1] = 78u; }`, [4]Word{U(1), U(5), U(1000), U(1)}, 2, 1},
	{"by-primitive", `void main() { if (gl_PrimitiveID == 0) ignoreIntersectionEXT; else if (gl_PrimitiveID == 1) terminateRayEXT; }`,
		[4]Word{U(0), U(5), U(1000), U(1)}, 2, 1},
	{"by-payload", `void main() { if (uint(gl_PrimitiveID) <= p.v[3]) ignoreIntersectionEXT; }`, [4]Word{U(0), U(5), U(1000), U(1)}, 3,
		2},
	{"by-distance", `void main() { if (gl_HitTEXT < 1.5) ignoreIntersectionEXT; }`, [4]Word{U(0), U(5), U(1000), U(1)}, 2, 1},
	{"distance-is-tmax", `void main() { if (gl_HitTEXT == gl_RayTmaxEXT && gl_HitTEXT == float(gl_PrimitiveID + 1)) p.v[0] |= 1u;
		else p.v[0] |= 2u; ignoreIntersectionEXT; }`,
		[4]Word{U(1), U(5), U(2000), U(1)}, -1, 99},
	{"by-attributes", `hitAttributeEXT vec2 at;
void main() { if (at.x < 0.4 || gl_PrimitiveID == 0) ignoreIntersectionEXT; p.v[0] = BITS(at.x); }`,
		[4]Word{Exactly(0.5), U(5), U(1000), U(1)}, 3, 2},
	{"switch", `void main() {
    switch (gl_PrimitiveID) {
    case 0: p.v[0] |= 1u; // falls through
    case 1: p.v[0] |= 2u; ignoreIntersectionEXT;
    default: p.v[0] |= 4u; return;
    }
}`, [4]Word{U(7), U(5), U(1000), U(1)}, 3, 2},
	{"early-return", `void main() { if (gl_PrimitiveID > 0) return; p.v[0] = 3u; ignoreIntersectionEXT; }`,
		[4]Word{U(3), U(5), U(1000), U(1)}, 2, 1},
	{"local-array", `void main() {
    uint list[4] = uint[4](9u, 8u, 7u, 6u);
    for (uint i = 0u; i < 4u; i++) list[(i + p.v[1]) % 4u] += i;
    p.v[0] = list[uint(gl_PrimitiveID + 1) % 4u];
    if (gl_PrimitiveID != 2) ignoreIntersectionEXT; else terminateRayEXT;
}`, [4]Word{Any(), U(5), U(1000), U(1)}, 3, 2},
}

// anyHitRows: what any hit shaders decide and leave in the payload.
func anyHitRows() []Row {
	p := newProgram("any-hit", 8, "v0", "v1", "v2", "v3", "t", "u", "v", "primitive")
	raygen, miss := p.raygen(anyRaygen), p.miss(anyMiss)
	// The middle triangle is off the centre, so that attributes tell hits apart.
	middle := front(0, 0, 2)
	for k := range middle {
		middle[k][1] += 0.5
	}
	scene := single(mesh(once, front(0, 0, 1), middle, front(0, 0, 3)))
	weights := map[uint32][2]float32{0: {0.5, 0.25}, 1: {0.25, 0.375}, 2: {0.5, 0.25}, 99: {0, 0}}
	var out []Row
	for _, s := range anyShaders {
		group := p.hit(anyClosest, anyPayload+"layout(location = 0) rayPayloadInEXT Trail p;\n"+s.body)
		at := weights[s.primitive]
		want := join(s.v[:], []Word{F(float64(s.t)), F(float64(at[0])), F(float64(at[1])), U(s.primitive)})
		out = append(out, Row{
			Name: s.name, Rule: dxr + "Any hit shader: IgnoreHit(), AcceptHitAndEndSearch() or return; modifications of the payload are " +
				"retained in all three",
			Program: p, Scene: scene, Rays: []Ray{down(0, 0).data(5, 1)}, Want: want,
			Table: sbt.Layout{Raygen: []sbt.Record{{Group: raygen}}, Miss: []sbt.Record{{Group: miss}}, Hit: []sbt.Record{{Group: group}}},
		})
	}
	return out
}
