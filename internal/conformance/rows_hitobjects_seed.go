package conformance

import (
	"fmt"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/shapes"
)

// The examples of HLSL proposal 0027, each beside the same path with plain trace calls. Sums are integers.
const (
	seedAt = "HLSL proposal 0027: "
	// seedPath is what shaders share: the payload, and how a hit changes it.
	seedPath = `
struct Dump { uint sum, next, extra, count, surface; };
uint mixed(uint a, uint b) { a = (a ^ b) * 747796405u + 2891336453u; return (a >> 15u) ^ a; }
uint shade(uint sum, uint prim, uint custom, uint id, uint extra) {
    return mixed(mixed(sum, prim * 7u + custom), id + extra * 131u);
}
vec3 place(uint k) {
    const vec2 at[8] = vec2[](vec2(0), vec2(4, 0), vec2(0, 4), vec2(-20, 0), vec2(40, 0), vec2(80, 0), vec2(84, 0), vec2(32, 0));
    return vec3(at[k & 7u], 0.0);
}
`
	seedHit = seedPath + `
layout(location = 0) rayPayloadInEXT Dump p;
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
void main() {
    p.sum = shade(p.sum, gl_PrimitiveID, gl_InstanceCustomIndexEXT, record.id, p.extra);
    p.next = (p.sum >> 3u) % 5u != 0u ? 1u : 0u;
    p.surface = (p.sum >> 9u) & 3u;
    p.count++;
}
`
	seedMiss = seedPath + `
layout(location = 0) rayPayloadInEXT Dump p;
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
void main() { p.sum = mixed(p.sum, record.id); p.next = 0u; p.count += 0x100u; }
`
	// The any hit shader of triangles is for a payload of its own, as that of a trace may be another than that of an execution.
	seedAny = "layout(location = 0) rayPayloadInEXT uint seen;\nvoid main() { seen += 1u; }\n"
	seedBox = "void main() { reportIntersectionEXT(4.5, 0x42u); }\n"
)

// seedBodies are the examples: the plain way, and the way with hit objects. S(k) is the ray's k-th place, T a trace call, H one
// that makes h.
var seedBodies = []struct{ name, plain, objects string }{
	{"example 1: trace, reorder, invoke", `T(1u);`, `H(h, 1u); hoReorder(h); hoExecute(h);`},
	{"example 2: hint from the shader table", `
        for (uint bounce = 0u;; bounce++) { T(p.sum); if (!(p.next != 0u && bounce < 4u)) break; }`, `
        for (uint bounce = 0u;; bounce++) {
            H(h, p.sum);
            uint albedo = idOf(hoRecordData(h));
            hoReorderBoth(h, albedo % 3u == 0u || bounce >= 4u ? 1u : 0u, 1u);
            hoExecute(h);
            if (!(p.next != 0u && bounce < 4u)) break;
        }`},
	{"example 3: an empty object takes part", `
        for (uint bounce = 0u; bounce < 4u && p.sum % 7u != 0u; bounce++) T(p.sum);
        p.sum = mixed(p.sum, p.count);`, `
        for (uint bounce = 0u;; bounce++) {
            HO h;
            hoEmpty(h);
            if (bounce < 4u && p.sum % 7u != 0u) { H2(h, p.sum) }
            hoReorder(h);
            if (hoIsEmpty(h)) break;
            hoExecute(h);
        }
        p.sum = mixed(p.sum, p.count);`},
	{"large state: a list of media", `
        uint list[16]; uint n = 0u;
        for (uint i = 0u; i < 6u; i++) { p.extra = n == 0u ? 1u : list[n - 1u]; T(p.sum); list[n++ & 15u] = p.sum; }
        for (uint i = 0u; i < n; i++) p.sum = mixed(p.sum, list[i]);`, `
        uint list[16]; uint n = 0u;
        for (uint i = 0u; i < 6u; i++) {
            H(h, p.sum);
            hoReorder(h);
            p.extra = n == 0u ? 1u : list[n - 1u];
            hoExecute(h);
            list[n++ & 15u] = p.sum;
        }
        for (uint i = 0u; i < n; i++) p.sum = mixed(p.sum, list[i]);`},
	{"common computations with hit coherence", `p.extra = cache(known(3u)); T(3u);`, `
        H(h, 3u); hoReorder(h); p.extra = cache(hoIsMiss(h) ? 0u : hoCustomIndex(h)); hoExecute(h);`},
	{"primary and secondary rays", `
        p.extra = known(6u) == 0u ? 1u : 0u; T(1u);
        p.extra = 5u; T(p.sum);`, `
        H(h, 1u);
        H(shadow, 6u);
        p.extra = hoIsHit(shadow) ? 0u : 1u;
        hoExecute(h);
        H2(h, p.sum)
        hoReorder(h);
        p.extra = 5u;
        hoExecute(h);`},
	{"unified shading in ray generation", `T(2u); if (p.count == 0x100u) p.sum = 9u; p.count = 0u; p.next = 0u; p.surface = 0u;`, `
        H(h, 2u);
        hoReorder(h);
        p.sum = hoIsMiss(h) ? 9u : shade(p.sum, hoPrimitive(h), hoCustomIndex(h), idOf(hoRecordData(h)), p.extra);`},
	{"the loop ends on a miss", `
        for (uint i = 0u; i < 8u; i++) {
            Dump before = p;
            T(p.sum + i);
            if (p.count > before.count + 1u) { p = before; break; }
        }`, `
        for (uint i = 0u; i < 8u; i++) { H(h, p.sum + i); hoReorder(h); if (hoIsMiss(h)) break; hoExecute(h); }`},
	{"two steps, one reorder", `
        T(1u);
        if (p.count == 1u) { OFFSET(p.surface) } else { T(1u); }`, `
        H(h, 1u);
        hoReorder(h);
        hoExecute(h);
        if (hoIsHit(h)) hoSetRecordIndex(h, 8u + p.surface);
        hoExecute(h);`},
	{"less live state", `p.extra = 0xAB00u; T(4u);`, `
        H(h, 4u); uint packed = p.extra = 0xABu; p.extra = 0u; hoReorder(h); p.extra = packed << 8u; hoExecute(h);`},
	{"back to back", `T(5u); T(p.sum);`, `{ HO h; B(h, 5u); } { HO h; B(h, p.sum); }`},
	{"divergent reorders", `T(1u); T(2u);`, `
        H(h, 1u);
        if (gl_LaunchIDEXT.x % 3u == 0u) hoReorderHint(gl_LaunchIDEXT.x, 32u);
        hoExecute(h);
        if (gl_LaunchIDEXT.x % 2u == 0u) { H2(h, 2u) hoReorder(h); hoReorder(h); hoExecute(h); } else { T(2u); }`},
	{"memory written before a reorder", `p.sum = 17u; T(3u); p.sum = mixed(p.sum, 18u);`, `
        H(h, 3u);
        OUT(WORDS - 1u) = 17u;
        OUT(WORDS - 2u) = 1u;
        hoReorderBoth(h, ~gl_LaunchIDEXT.x, 5u);
        p.sum = OUT(WORDS - 1u);
        atomicAdd(OUT(WORDS - 2u), p.sum);
        hoExecute(h);
        hoReorderHint(p.sum, 8u);
        p.sum = mixed(p.sum, OUT(WORDS - 2u));`},
	{"a miss that is made", `
        traceRayEXT(scene, 0u, 0u, 0u, 1u, 1u, place(0u), 0.0, vec3(0, 0, 1), 9.0, 0);`, `
        HO h; hoMiss(h, 0u, 1u, place(0u), 0.0, vec3(0, 0, 1), 9.0); hoReorder(h); hoExecute(h);`},
	{"values: a change of one is none of another", `T(1u); OFFSETS(1u, 3u)`, `
        H(h, 1u);
        HO other = h;
        if (hoIsHit(other)) hoSetRecordIndex(other, 3u); else hoSetRecordIndex(other, 0u);
        hoExecute(h);
        hoExecute(other);`},
	{"the distance alone", `p.sum = known(1u) == 0u ? 0u : 1u;`, `H(h, 1u); p.sum = hoTMax(h) < 99.0 ? 1u : 0u;`},
}

// seedRaygen is a ray generation shader with some of the examples.
func seedRaygen(first, n int) string {
	body := `
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer RecordData { uint id; };
layout(location = 1) rayPayloadEXT uint seen;
uint idOf(uvec2 data) { return data == uvec2(0u) ? 0u : RecordData(data).id; }
uint cache(uint k) { return mixed(k, 77u) & 0xFFu; }
#define S(k) place((k) + gl_LaunchIDEXT.x)
#define AT(k, offset) traceRayEXT(scene, 1u, 0xFFu, offset, 1u, 0u, S(k), 0.0, vec3(0, 0, 1), 99.0, 0)
#define T(k) AT(k, 0u)
X(5316) void trace(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride, uint miss, vec3 o, float t0,
    vec3 d, float t1, R uint p);
#define H2(h, k) trace(h, scene, 0u, 0xFFu, 0u, 1u, 0u, S(k), 0.0, vec3(0, 0, 1), 99.0, seen);
#define H(h, k) HO h; H2(h, k)
#define B(h, k) ho5311(h, scene, 1u, 0xFFu, 0u, 1u, 0u, S(k), 0.0, vec3(0, 0, 1), 99.0, p)
// The custom index of what is at a place; 0 of nothing, by a query.
uint known(uint k) {
    rayQueryEXT q;
    rayQueryInitializeEXT(q, scene, 0u, 0xFFu, S(k), 0.0, vec3(0, 0, 1), 99.0);
    while (rayQueryProceedEXT(q)) {
        if (rayQueryGetIntersectionTypeEXT(q, false) == 1u) rayQueryGenerateIntersectionEXT(q, 4.5);
        else rayQueryConfirmIntersectionEXT(q);
    }
    return rayQueryGetIntersectionTypeEXT(q, true) == 0u ? 0u : uint(rayQueryGetIntersectionInstanceCustomIndexEXT(q, true));
}
// The hit at place k once more, by another record.
#define OFFSET(s) { HO o; H2(o, 1u) p.sum = shade(p.sum, hoPrimitive(o), hoCustomIndex(o), 108u + s, p.extra); AFTER }
#define OFFSETS(k, s) { HO o; H2(o, k) \
    if (hoIsHit(o)) { p.sum = shade(p.sum, hoPrimitive(o), hoCustomIndex(o), 100u + s, p.extra); AFTER } else { T(k); } }
#define AFTER p.next = (p.sum >> 3u) % 5u != 0u ? 1u : 0u; p.surface = (p.sum >> 9u) & 3u; p.count++;
#define BEGIN p = Dump(gl_LaunchIDEXT.x, 0u, 0u, 0u, 0u); seen = 0u;
#define END(k) OUT(2u * k) = mixed(p.sum, p.next); OUT(2u * k + 1u) = p.count + p.surface * 0x10000u;
void main() {
`
	for i, e := range seedBodies[first : first+n] {
		body += fmt.Sprintf("    { BEGIN %s END(%du) }\n    { BEGIN %s END(%du) }\n", e.plain, 2*i, e.objects, 2*i+1)
	}
	return body + "}\n"
}

// seedRows run the examples, some to a pipeline.
func seedRows() []Row {
	const each = 4
	rule := seedAt + "each example is the same path as one of trace calls without reordering"
	var rows []Row
	for first := 0; first < len(seedBodies); first += each {
		n := min(each, len(seedBodies)-first)
		p := newProgram(fmt.Sprintf("hit-objects-seed-%d", first/each), 4*n+2)
		p.Feature = HitObjectsEXT
		if first > 0 {
			p.Depth = 2 // not needed, but spares the monolithic form, which is long in compiling so many calls
		}
		source := seedRaygen(first, n)
		raygen := p.group(engine.GeneralGroup(p.withPayload(engine.Raygen, shapes.HitObjectsEXT, seedPath, source)))
		table := hitObjectTable(raygen, p.hit(seedHit, seedAny), p.box(seedBox, seedHit, seedAny), p.miss(seedMiss))
		table.Hit = append(table.Hit, table.Hit[:4]...)
		for i := range table.Hit {
			table.Hit[i].Data = le(hitRecordBase + uint32(i))
		}
		rows = append(rows, Row{Name: "examples", Rule: rule, Program: p, Scene: hitObjectScene(), Table: table,
			Rays:  repeat(24, func(int) Ray { return Ray{} }),
			Check: func(got []uint32) error { return checkSeed(got, p.Words, first, n) }})
	}
	return rows
}

// checkSeed compares what both ways of each example leave, of which not all rays are to have the same.
func checkSeed(got []uint32, words, first, n int) error {
	for i, e := range seedBodies[first : first+n] {
		seen := map[uint32]bool{}
		for ray := range len(got) / words {
			seen[got[ray*words+4*i]] = true
		}
		if len(seen) < 2 {
			return fmt.Errorf("%s: all rays have the same", e.name)
		}
	}
	for ray := range len(got) / words {
		for i, e := range seedBodies[first : first+n] {
			w := got[ray*words+4*i:]
			if w[0] != w[2] || w[1] != w[3] || w[0] == poisoned {
				return fmt.Errorf("ray %d, %s: got %#x, want %#x as without hit objects", ray, e.name, w[2:4], w[:2])
			}
		}
	}
	return nil
}

// poisoned is what the test fills results with.
const poisoned = 0xCDCDCDCD
