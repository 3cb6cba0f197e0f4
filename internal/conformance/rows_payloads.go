package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everray/everray/sbt"
)

// payloadKind is a payload type: its declaration, how raygen fills it from x, how a closest hit shader changes it by d, and
// what raygen reads from it. The miss shader changes it by 2 * d.
type payloadKind struct {
	name, types, payload string
	fill, change, read   string
	// want computes the words that read writes from x, after n changes by d.
	want func(x, d, n uint32) []Word
}

func payloadKinds() []payloadKind {
	f := func(v uint32) Word { return Exactly(float32(v)) }
	return []payloadKind{
		{"uint", "", "uint", "p = x;", "p += d;", "OUT(0) = p;", func(x, d, n uint32) []Word { return us(x + n*d) }},
		{"float", "", "float", "p = float(x);", "p += float(d);", "OUT(0) = BITS(p);",
			func(x, d, n uint32) []Word { return []Word{f(x + n*d)} }},
		{"vec3", "", "vec3", "p = vec3(x, x + 1u, x + 2u);", "p.y += float(d); p.zx = p.xz;",
			"OUT(0) = BITS(p.x); OUT(1) = BITS(p.y); OUT(2) = BITS(p.z);",
			func(x, d, n uint32) []Word {
				return []Word{f(x + 2*(n%2)), f(x + 1 + n*d), f(x + 2 - 2*(n%2))}
			}},
		{"bool", "struct P { bool a; bvec3 b; bool list[3]; };", "P",
			"p.a = x > 5u; p.b = bvec3(true, false, x > 0u); p.list = bool[3](false, true, false);",
			"p.a = !p.a; p.b = not(p.b); p.list[d % 3u] = !p.list[d % 3u];",
			"OUT(0) = uint(p.a); OUT(1) = uint(p.b.x) + 2u * uint(p.b.y) + 4u * uint(p.b.z); OUT(2) = uint(p.list[0]) + 2u * " +
				"uint(p.list[1]) + 4u * uint(p.list[2]);",
			func(x, d, n uint32) []Word {
				b, list := uint32(5), uint32(2)
				if n%2 == 1 {
					b, list = 2, list^1<<(d%3)
				}
				return us(boolean(x > 5)^n%2, b, list)
			}},
		{"matrix", "struct P { mat3x4 m; mat2 n[2]; };", "P",
			"p.m = mat3x4(float(x)); p.n[0] = mat2(1.0); p.n[1] = mat2(2.0, 3.0, 4.0, 5.0);",
			"p.m[2][3] += float(d); p.m[d % 3u] += vec4(1.0); p.n[1] = transpose(p.n[1]);",
			"OUT(0) = BITS(p.m[2][3]); OUT(1) = BITS(p.m[1][1]); OUT(2) = BITS(p.n[1][0][1]); OUT(3) = BITS(p.n[0][1][1]);",
			func(x, d, n uint32) []Word {
				return []Word{f(n*d + n*boolean(d%3 == 2)), f(x + n*boolean(d%3 == 1)), f(3 + n%2), f(1)}
			}},
		{"nested", "struct In { vec2 a; uint b[3]; }; struct Mid { In list[2]; uint tail; }; struct P { uint head; Mid mid; In last; };",
			"P",
			"p.head = x; for (uint i = 0u; i < 2u; i++) p.mid.list[i] = In(vec2(i), uint[3](i, i + 10u, i + 20u)); p.mid.tail = 7u; " +
				"p.last = p.mid.list[1];",
			"p.head++; p.mid.list[d % 2u].b[d % 3u] += d; In swap = p.last; p.last = p.mid.list[0]; p.mid.list[0] = swap; p.mid.tail *= 2u;",
			"OUT(0) = p.head; OUT(1) = p.mid.tail; for (uint k = 0u; k < 3u; k++) { OUT(2u + k) = p.mid.list[0].b[k]; OUT(5u + k) = " +
				"p.mid.list[1].b[k]; OUT(8u + k) = p.last.b[k]; }",
			wantNested},
		{"wide", "struct P { uint64_t a; int64_t b; double c; u64vec2 v; };", "P",
			"p.a = uint64_t(x) << 32; p.b = -int64_t(x); p.c = double(x) / 3.0LF; p.v = u64vec2(uint64_t(x) << 8, 5ul << 40);",
			"p.a += uint64_t(d); p.b -= int64_t(d); p.c += double(d) / 3.0LF; p.v.yx = p.v;",
			"OUT(0) = uint(p.a >> 32); OUT(1) = uint(p.a); OUT(2) = uint(-p.b); OUT(3) = uint(p.c * 3.0LF + 0.5LF); OUT(4) = uint(p.v.x " +
				">> 40); OUT(5) = uint(p.v.x >> 8);",
			func(x, d, n uint32) []Word {
				top, low := uint32(0), x
				if n%2 == 1 {
					top, low = 5, 0
				}
				return us(x, n*d, x+n*d, x+n*d, top, low)
			}},
		{"narrow", "struct P { uint16_t a; int8_t b; float16_t c; u8vec4 v; f16vec2 h; };", "P",
			"p.a = uint16_t(x); p.b = int8_t(-3); p.c = float16_t(0.5); p.v = u8vec4(1, 2, 3, 250); p.h = f16vec2(x, 2.0);",
			"p.a += uint16_t(d); p.b -= int8_t(d); p.c += float16_t(d); p.v += u8vec4(uint8_t(d)); p.h.yx = p.h;",
			"OUT(0) = uint(p.a); OUT(1) = uint(-int(p.b)); OUT(2) = BITS(float(p.c)); OUT(3) = uint(p.v.w); OUT(4) = uint(p.v.x); OUT(5) " +
				"= BITS(float(p.h.x));",
			func(x, d, n uint32) []Word {
				h := f(x)
				if n%2 == 1 {
					h = f(2)
				}
				return []Word{U(x + n*d), U(3 + n*d), Exactly(0.5 + float32(n*d)), U((250 + n*d) % 256), U(1 + n*d), h}
			}},
		{"large", "struct P { uint list[64]; };", "P", "for (uint k = 0u; k < 64u; k++) p.list[k] = x + k;",
			"for (uint k = 0u; k < 64u; k += 3u) p.list[k] += d;",
			"uint sum = 0u; for (uint k = 0u; k < 64u; k++) sum += p.list[k] * (k + 1u); OUT(0) = sum; OUT(1) = p.list[63]; OUT(2) = " +
				"p.list[62];",
			func(x, d, n uint32) []Word {
				var sum uint32
				at := func(k uint32) uint32 { return x + k + n*d*boolean(k%3 == 0) }
				for k := range uint32(64) {
					sum += at(k) * (k + 1)
				}
				return us(sum, at(63), at(62))
			}},
	}
}

func wantNested(x, d, n uint32) []Word {
	type in [3]uint32
	list := [2]in{{0, 10, 20}, {1, 11, 21}}
	last := list[1]
	tail := uint32(7)
	for range n {
		list[d%2][d%3] += d
		last, list[0] = list[0], last
		tail *= 2
	}
	return join(us(x+n, tail), us(list[0][:]...), us(list[1][:]...), us(last[:]...))
}

// payloadRows: payloads of every type, several in one pipeline, at locations of their own; changed by hit and miss shaders
// and several times in a row.
func payloadRows() []Row {
	var out []Row
	for kinds := range slices.Chunk(payloadKinds(), 3) { // drivers take long over large programs
		out = append(out, payloadProgram(kinds)...)
	}
	return out
}

func payloadProgram(kinds []payloadKind) []Row {
	const words = 12
	p := newProgram("payloads-"+kinds[0].name, words)
	p.Feature = WideTypes
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	// One table serves all rows: records of kind k are at k.
	var table sbt.Layout
	var out []Row
	for k, kind := range kinds {
		declare := func(qualifier string, location int) string {
			return fmt.Sprintf("%s\nlayout(location = %d) %s %s p;\n", kind.types, location, qualifier, kind.payload)
		}
		change := func(d string) string { return fmt.Sprintf("void main() { uint d = %s; %s }", d, kind.change) }
		raygen := declare("rayPayloadEXT", k) + strings.NewReplacer("FILL", kind.fill, "READ", kind.read, "AT", fmt.Sprint(k)).Replace(`
void main() {
    Ray r = RAY;
    uint x = r.a;
    FILL
    for (uint i = 0u; i < r.c; i++) TRACE(r, AT);
    READ
}`)
		table.Raygen = append(table.Raygen, sbt.Record{Group: p.raygen(raygen)})
		// A payload's location matters in the calling shader only.
		table.Miss = append(table.Miss, sbt.Record{Group: p.miss(declare("rayPayloadInEXT", 0) + change("RAY.b"))})
		table.Hit = append(table.Hit, sbt.Record{Group: p.hit(declare("rayPayloadInEXT", k)+change("RAY.b"), "")})
		for _, end := range []string{"hit", "miss", "twice"} {
			row := Row{Name: kind.name + "/" + end,
				Rule: glsl + "rayPayloadEXT: the location selects the caller's variable, whose type is the callee's", Program: p, Scene: scene,
				Raygen: k}
			for i := range uint32(4) {
				x, d, n := 3+2*i, 1+i, uint32(1)
				r := down(0, 0)
				r.Offset, r.Miss = uint32(k), uint32(k)
				if end == "miss" {
					r.Origin[0] = 50
				}
				if end == "twice" {
					n = 2
				}
				row.Rays = append(row.Rays, r.data(x, d, n))
				want := kind.want(x, d, n)
				row.Want = append(row.Want, join(want, repeat(words-len(want), func(int) Word { return Any() }))...)
			}
			out = append(out, row)
		}
	}
	for i := range out {
		out[i].Table = table
	}
	return out
}
