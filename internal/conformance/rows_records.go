package conformance

import (
	"math"
	"strings"

	"github.com/everray/everray/sbt"
)

// recordLayout is a block of record data, the statements that write it to the result, its bytes, and what they should say.
type recordLayout struct {
	name, block, dump string
	data              []byte
	want              []Word
	// addressed lays the device address of the rays' buffer over the first 8 bytes.
	addressed bool
}

func bits(values ...float32) []uint32 {
	return repeat(len(values), func(i int) uint32 { return math.Float32bits(values[i]) })
}

func recordLayouts() []recordLayout {
	nested := []uint32{7, 0, 0, 0}                         // head, and 12 bytes up to the struct's alignment of 16
	nested = append(nested, bits(1, 2, 3, 4)...)           // a, b in the gap that a vec3 leaves
	nested = append(nested, 10, 11, 12, 13)                // c
	nested = append(nested, bits(0.5, 1.5, 2.5, 0)...)     // first column of the matrix
	nested = append(nested, bits(3.5, 4.5, 5.5, 0)...)     // second
	scalar := []uint32{0xABCD1234, math.Float32bits(0.75)} // a 16-bit and an 8-bit number, and a gap
	scalar = append(scalar, bits(1, 2, 3)...)
	scalar = append(scalar, 0, 0x89ABCDEF, 0x01234567) // the gap before 64 bits, and 64 bits
	d := math.Float64bits(1.0 / 3)
	scalar = append(scalar, uint32(d), uint32(d>>32), 0x00020001, 0x0003)
	return []recordLayout{
		{name: "std430", block: `
struct Inner { vec3 a; float b; uvec2 c[2]; };
layout(shaderRecordEXT, std430) buffer Record { uint head; Inner inner; mat2x3 m; } record;`,
			dump: `OUT(1) = record.head; OUT(2) = BITS(record.inner.a.z); OUT(3) = BITS(record.inner.b); OUT(4) = record.inner.c[1].x;
    Inner i = record.inner; OUT(5) = i.c[0].y; OUT(6) = BITS(record.m[1][2]); mat2x3 m = record.m; OUT(7) = BITS(m[0].y + m[1].x);`,
			data: le(nested...), want: []Word{U(7), Exactly(3), Exactly(4), U(12), U(11), Exactly(5.5), Exactly(5)}},
		{name: "scalar", block: `
layout(shaderRecordEXT, scalar) buffer Record { uint16_t h; uint8_t c; float f; vec3 v; uint64_t w; double d; uint16_t list[3]; }
    record;`,
			dump: `OUT(1) = uint(record.h); OUT(2) = uint(record.c); OUT(3) = BITS(record.f); OUT(4) = BITS(record.v.z);
				OUT(5) = uint(record.w >> 32);
    OUT(6) = uint(record.w); OUT(7) = uint(record.d * 3000.0 + 0.5); OUT(8) = uint(record.list[2]);`,
			data: le(scalar...), want: []Word{U(0x1234), U(0xCD), Exactly(0.75), Exactly(3), U(0x01234567), U(0x89ABCDEF), U(1000), U(3)}},
		{name: "indexed", block: `
layout(shaderRecordEXT, std430) buffer Record { uvec4 head; uint list[8]; } record;`,
			dump: `for (uint k = 0u; k < 8u; k++) OUT(1u + k) = record.list[(k + RAY.a) % 8u]; OUT(9) = record.head[RAY.b];`,
			data: le(100, 101, 102, 103, 1, 2, 3, 4, 5, 6, 7, 8), want: us(4, 5, 6, 7, 8, 1, 2, 3, 102)},
		{name: "row-major", block: `
layout(shaderRecordEXT, std430, row_major) buffer Record { mat3x2 m; layout(column_major) mat2 n; } record;`,
			// Two rows of three, each padded to 16 bytes.
			dump: `OUT(1) = BITS(record.m[2][0]); OUT(2) = BITS(record.m[0][1]); vec2 c = record.m[1]; OUT(3) = BITS(c.x);
				OUT(4) = BITS(c.y); OUT(5) = BITS(record.n[1][0]);`,
			data: le(bits(1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 10)...),
			want: []Word{Exactly(3), Exactly(4), Exactly(2), Exactly(5), Exactly(9)}},
		{name: "buffer-reference", addressed: true, block: `
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Cells { Ray ray[]; };
layout(shaderRecordEXT, std430) buffer Record { Cells cells; uint tail; } record;`,
			dump: `Cells cells = record.cells; OUT(1) = cells.ray[INDEX].a; OUT(2) = cells.ray[0].b; OUT(3) = BITS(cells.ray[INDEX].tmax);
				OUT(4) = record.tail;`,
			data: le(0, 0, 33), want: []Word{U(3), U(2), Exactly(tmax), U(33)}},
	}
}

const recordTrace = `
layout(location = 0) rayPayloadEXT uint p;
void main() { p = 1u; TRACE(RAY, 0); OUT(0) = p; }
`

// recordRows: record data of every layout in every stage. Intersection and callable shaders have programs of their own, so
// that a way without them still runs the others.
func recordRows() []Row {
	records := newProgram("records", recordWords, "payload")
	intersection, callable := newProgram("records-intersection", recordWords), newProgram("records-callable", recordWords)
	for _, p := range []*Program{records, intersection, callable} {
		p.Feature = WideTypes
		p.raygen(recordTrace)
	}
	callable.raygen("layout(location = 0) callableDataEXT uint d;\nvoid main() { d = 1u; executeCallableEXT(1u, 0); OUT(0) = d; }")
	triangle, cubes := single(mesh(once, front(0, 0, 2))), single(boxes(once, cube(0, 0, 5)))
	var out []Row
	for _, stage := range []struct {
		name    string
		program *Program
		scene   *Scene
		body    string
	}{
		{"raygen", records, nil, "void main() { OUT(0) = 5u; DUMP }"},
		{"miss", records, nil, "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 4u; DUMP }"},
		{"closest-hit", records, triangle, "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 4u; DUMP }"},
		{"any-hit", records, triangle, "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 4u; DUMP " +
			"ignoreIntersectionEXT; }"},
		{"intersection", intersection, cubes, "hitAttributeEXT uint a;\nvoid main() { a = 3u; reportIntersectionEXT(5.0, 1u); DUMP }"},
		{"callable", callable, nil, "layout(location = 0) callableDataInEXT uint d;\nvoid main() { d += 4u; DUMP }"},
	} {
		for _, l := range recordLayouts() {
			body := l.block + "\n" + strings.Replace(stage.body, "DUMP", l.dump, 1)
			table, raygen := recordTable(stage.program, stage.name, body, l.data)
			ray := down(0, 0).data(3, 2)
			ray.Offset, ray.Miss = 1, 1
			want := join(us(5), l.want)
			want = join(want, repeat(recordWords-len(want), func(int) Word { return Any() }))
			out = append(out, Row{
				Name: l.name + "/" + stage.name, Rule: vulkan +
					"Shader Binding Table: the remainder of a record is the ShaderRecordBufferKHR block, in any block layout",
				Program: stage.program, Scene: stage.scene, Table: table, Raygen: raygen, Rays: []Ray{ray}, Want: want, Addressed: l.addressed,
			})
		}
	}
	return out
}

const recordWords = 10

// recordTable puts a shader of the stage, with its data, where record index 1 finds it, and returns the raygen record to run.
func recordTable(p *Program, stage, body string, data []byte) (table sbt.Layout, raygen int) {
	record := func(group int) []sbt.Record { return []sbt.Record{{Group: sbt.NullGroup}, {Group: group, Data: data}} }
	table.Raygen = []sbt.Record{{Group: 0}}
	table.Miss = record(sbt.NullGroup)
	switch stage {
	case "raygen":
		table.Raygen = append(table.Raygen, sbt.Record{Group: p.raygen(body), Data: data})
		return table, 1
	case "miss":
		table.Miss = record(p.miss(body))
	case "closest-hit":
		table.Hit = record(p.hit(body, ""))
	case "any-hit":
		table.Hit = record(p.hit("", body))
	case "intersection":
		closest := "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 4u; }"
		table.Hit = record(p.box(body, closest, ""))
	case "callable":
		table.Raygen[0].Group = 1
		table.Callable = record(p.callable(body))
	}
	return table, 0
}
