package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everray/everray/sbt"
)

// attributeKind is a type of hit attributes, how an intersection shader fills them from x, and what hit shaders read.
type attributeKind struct {
	name, types, attributes string
	fill, read              string
	want                    func(x uint32) []Word
}

func attributeKinds() []attributeKind {
	return []attributeKind{
		{"float-4-bytes", "", "float", "a = float(x) + 0.5;", "W(0) = BITS(a);",
			func(x uint32) []Word { return []Word{Exactly(float32(x) + 0.5)} }},
		{"uint-4-bytes", "", "uint", "a = x * 3u;", "W(0) = a;", func(x uint32) []Word { return us(3 * x) }},
		{"vec3-12-bytes", "", "vec3", "a = vec3(x, x + 1u, x + 2u);", "W(0) = BITS(a.x); W(1) = BITS(a.z);",
			func(x uint32) []Word { return []Word{Exactly(float32(x)), Exactly(float32(x + 2))} }},
		{"struct-16-bytes", "struct A { uint id; vec2 at; int more; };", "A", "a = A(x, vec2(0.25, 0.75), -int(x));",
			"W(0) = a.id; W(1) = BITS(a.at.y); W(2) = uint(-a.more);",
			func(x uint32) []Word { return []Word{U(x), Exactly(0.75), U(x)} }},
		{"wide-24-bytes", "struct A { uint64_t w; double d; uint tail; };", "A",
			"a.w = uint64_t(x) << 33; a.d = double(x) / 3.0LF; a.tail = x + 1u;",
			"W(0) = uint(a.w >> 33); W(1) = uint(a.d * 3.0LF + 0.5LF); W(2) = a.tail;", func(x uint32) []Word { return us(x, x, x+1) }},
		{"array-32-bytes", "", "float", "for (uint k = 0u; k < 8u; k++) a[k] = float(x + k);",
			"float sum = 0.0; for (uint k = 0u; k < 8u; k++) sum += a[k] * float(k + 1u); W(0) = BITS(sum); W(1) = BITS(a[7]);",
			func(x uint32) []Word {
				var sum float32
				for k := range uint32(8) {
					sum += float32(x+k) * float32(k+1)
				}
				return []Word{Exactly(sum), Exactly(float32(x + 7))}
			}},
		{"nested-32-bytes", "struct In { vec3 n; uint id; }; struct A { In in_; uvec2 list[2]; };", "A",
			"a.in_ = In(vec3(1.0, 2.0, 3.0), x); a.list[0] = uvec2(x, 5u); a.list[x & 1u].y = 77u; a.list[1].x = 9u; if ((x & 1u) == 0u) " +
				"a.list[1].y = 1u;",
			"W(0) = a.in_.id; W(1) = a.list[0].y; W(2) = a.list[1].y + a.list[1].x; W(3) = BITS(a.in_.n.z);",
			func(x uint32) []Word {
				if x&1 == 0 {
					return []Word{U(x), U(77), U(10), Exactly(3)}
				}
				return []Word{U(x), U(5), U(86), Exactly(3)}
			}},
		{"matrix-16-bytes", "struct A { mat2 m; };", "A", "a.m = mat2(x, 1.0, 2.0, 3.0);",
			"W(0) = BITS(a.m[0][0]); W(1) = BITS((a.m * vec2(1.0, 2.0)).y);",
			func(x uint32) []Word { return []Word{Exactly(float32(x)), Exactly(7)} }},
	}
}

// attributeRows: attributes of all types, seen by any hit and closest hit shaders. Three reports: the first is accepted, the
// second, nearer, is ignored by the any hit shader, the third, nearer still, is the hit.
func attributeRows() []Row {
	var out []Row
	for kinds := range slices.Chunk(attributeKinds(), 3) { // drivers take long over large programs
		out = append(out, attributeProgram(kinds)...)
	}
	return out
}

func attributeProgram(kinds []attributeKind) []Row {
	const words = 8
	p := newProgram("attributes-"+kinds[0].name, words, "closest 0", "closest 1", "closest 2", "closest 3", "any 0", "any 1", "any 2",
		"any 3")
	p.Feature = WideTypes
	scene := single(boxes(once, cube(0, 0, 5)))
	table := sbt.Layout{Raygen: []sbt.Record{{Group: p.raygen(`
layout(location = 0) rayPayloadEXT uint p;
void main() { for (uint k = 0u; k < WORDS; k++) OUT(k) = 0u; p = 0u; TRACE(RAY, 0); }
`)}}}
	var out []Row
	for k, kind := range kinds {
		declare := kind.types + "\nhitAttributeEXT " + kind.attributes + " a;\n"
		if strings.HasPrefix(kind.name, "array") {
			declare = "hitAttributeEXT float a[8];\n"
		}
		payload := "layout(location = 0) rayPayloadInEXT uint p;\n"
		intersection := declare + "void put(uint x) { " + kind.fill + " }\n" + `
void main() {
    put(RAY.a);
    reportIntersectionEXT(5.5, 1u);
    put(RAY.a + 10u);
    reportIntersectionEXT(5.0, 2u);
    put(RAY.a + 21u);
    reportIntersectionEXT(4.5, 3u);
}
`
		any := payload + declare + "void main() { if (gl_HitKindEXT == 2u) {\n#define W(k) OUT(4u + k)\n" + kind.read +
			"\nignoreIntersectionEXT; } }\n"
		closest := payload + declare + "void main() {\n#define W(k) OUT(k)\n" + kind.read + "\n}\n"
		table.Hit = append(table.Hit, sbt.Record{Group: p.box(intersection, closest, any)})
		for _, x := range []uint32{4, 7} {
			pad := func(w []Word) []Word { return join(w, us(make([]uint32, 4-len(w))...)) }
			r := down(0, 0).data(x)
			r.Offset = uint32(k)
			out = append(out, Row{Name: fmt.Sprintf("%s/%d", kind.name, x),
				Rule: glsl + "hitAttributeEXT: written by intersection shaders, read by any hit and closest hit shaders of the hit; up " +
					"to maxRayHitAttributeSize = 32 bytes",
				Program: p, Scene: scene, Rays: []Ray{r}, Want: join(pad(kind.want(x+21)), pad(kind.want(x+10)))})
		}
	}
	for i := range out {
		out[i].Table = table
	}
	return out
}

// intersectionShaders have reports in every place of control flow. Each reports at `t` with kind `kind`, and says in word 3
// what it knows at its end.
var intersectionShaders = []struct {
	name, body string
	t          float32
	kind, end  uint32
}{
	{"loop", `void main() {
    uint list[4] = uint[4](1u, 2u, 3u, 4u);
    uint n = 0u;
    for (uint k = 0u; k < 4u; k++) if (reportIntersectionEXT(5.5 - 0.25 * float(k), k)) n += list[k]; else n += 100u;
    OUT(3) = n;
}`, 4.75, 3, 10},
	{"loop-break", `void main() { uint k = 0u; for (;; k++) { if (k > 5u) break; if (reportIntersectionEXT(9.5 - float(k), k)) break;
		} OUT(3) = k; }`, 7.5, 2, 2},
	{"while-accepted", `void main() { float t = 5.5; uint k = 0u; while (k < 6u && reportIntersectionEXT(t, k)) { k++;
		t -= k < 3u ? 0.25 : -0.25; } OUT(3) = k; }`, 5, 2, 3},
	{"function", `
bool tryAt(float t, uint kind) { if (t < 1.0) return false; bool ok = reportIntersectionEXT(t, kind); return ok; }
void main() { uint n = 0u; if (tryAt(0.5, 1u)) n += 1u; if (tryAt(5.0, 2u)) n += 2u; if (tryAt(5.25, 3u)) n += 4u; OUT(3) = n; }`,
		5, 2, 2},
	{"nested-function-early-return", `
uint inner(uint k, inout uint n) { for (uint i = 0u; i < 4u; i++) { n++;
    if (reportIntersectionEXT(5.5 - float(i + k) * 0.125, 10u + i)) { if (i == 2u) return 50u + n; } } return n; }
void main() { uint n = 0u; uint r = inner(1u, n); OUT(3) = r * 100u + n; }`, 5.125, 12, 5303},
	{"short-circuit", `void main() {
		bool b = reportIntersectionEXT(9.0, 1u) || reportIntersectionEXT(5.0, 2u) && reportIntersectionEXT(4.5, 3u);
		    OUT(3) = b ? 1u : 0u; }`, 4.5, 3, 1},
	{"switch", `void main() {
    uint n = 0u;
    for (uint k = 0u; k < 3u; k++) switch (k) {
    case 0u: if (reportIntersectionEXT(5.5, 5u)) n |= 1u; // falls through
    case 1u: if (reportIntersectionEXT(5.25, 6u)) n |= 2u; break;
    default: n |= 8u;
    }
    OUT(3) = n;
}`, 5.25, 6, 11},
	{"constant-interval", `void main() { uint n = gl_RayTminEXT == 1.0 ? 1u : 0u; reportIntersectionEXT(5.0, 1u);
		n += gl_RayTminEXT == 1.0 ? 2u : 0u; OUT(3) = n; }`, 5, 1, 3},
}

// intersectionRows: reports in loops, functions and conditions. An equally distant report is left to the implementation, so
// that no shader makes one twice.
func intersectionRows() []Row {
	p := newProgram("intersections", 4, "ended", "t", "kind", "end")
	const payload = "struct P { uint ended, kind; float t; };\n"
	in := payload + "layout(location = 0) rayPayloadInEXT P p;\n"
	table := sbt.Layout{
		Raygen: []sbt.Record{{Group: p.raygen(payload + "layout(location = 0) rayPayloadEXT P p;\n" +
			"void main() { p = P(0u, 0u, 0.0); OUT(3) = 0u; TRACE(RAY, 0); OUT(0) = p.ended; OUT(1) = BITS(p.t); OUT(2) = p.kind; }")}},
		Miss: []sbt.Record{{Group: p.miss(in + "void main() { p.ended += 16u; }")}},
	}
	scene := single(boxes(opaqueOnce, cube(0, 0, 5)))
	var out []Row
	for k, s := range intersectionShaders {
		closest := in + "void main() { p.ended++; p.t = gl_HitTEXT; p.kind = gl_HitKindEXT; }"
		table.Hit = append(table.Hit, sbt.Record{Group: p.box("hitAttributeEXT uint unused;\n"+s.body, closest, "")})
		r := down(0, 0)
		r.Offset, r.TMin, r.TMax = uint32(k), 1, 8
		out = append(out, Row{Name: s.name, Rule: glsl +
			"reportIntersectionEXT returns whether the hit was accepted; the shader goes on behind it",
			Program: p, Scene: scene, Rays: []Ray{r}, Want: []Word{U(1), Exactly(s.t), U(s.kind), U(s.end)}})
	}
	for i := range out {
		out[i].Table = table
	}
	return out
}

// intersectionBuiltinRows is builtinRows for intersection shaders, which report nothing, so that the miss shader, a null
// one, ends the ray.
func intersectionBuiltinRows() []Row {
	p := newProgram("built-ins-boxes", builtinWords)
	table := sbt.Layout{
		Raygen: []sbt.Record{{Group: p.raygen(builtinRaygen)}}, Miss: []sbt.Record{{Group: sbt.NullGroup}},
		Hit: []sbt.Record{{Group: p.box(builtinIntersection, "", "")}},
	}
	far := cube(100, 100, 0)
	var out []Row
	for _, t := range transforms {
		r, want := builtinWant(t.m, 5, 0x20, 0x1F3)
		want[inTMax] = Exactly(100)
		want[inPayload] = U(1)
		for _, k := range []int{inHitT, inKind, inAttributes, inAttributes + 1} {
			want[k] = U(0)
		}
		out = append(out, Row{Name: t.name, Rule: vulkan +
			"Built-In Variables and their stages: RayTmaxKHR in an intersection shader is the end of the current interval",
			Program: p, Scene: builtinScene(t.m, boxes(once, far, far, cube(0, 0, 0)), boxes(once, far)), Table: table, Rays: []Ray{r},
			Want: want})
	}
	return out
}
