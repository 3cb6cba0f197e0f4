package conformance

import (
	"fmt"
	"strings"

	"github.com/everray/everray/sbt"
)

const callTypes = `
struct Bag { vec3 v; uint list[3]; bool flag; };
struct Job { uint n, value; };
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
`

// Callables of the programs, by their place in the table. Those from callChain on call others.
const (
	callAdd = iota // uint: adds the record's number
	callBag        // Bag: changes every member
	callMatrix
	callNull
	callLaunch // uvec3: launch id and size
	callChain  // uint: calls add twice, with the incoming data and with its own
	callBagOf  // Job: calls bag
	callFibonacci
	callEven // Job: even and odd call each other
	callOdd
	callFirst // uint: the first of four, each of which calls the next with other data
	callSecond
	callThird
	callFourth
)

var callBodies = map[int]string{
	callAdd: `layout(location = 0) callableDataInEXT uint d;
void main() { d = d * 2u + record.id; }`,
	callBag: `layout(location = 5) callableDataInEXT Bag d;
void main() { d.v = d.v.zyx + 1.0; for (uint k = 0u; k < 3u; k++) d.list[k] += k * record.id; d.flag = !d.flag; }`,
	callMatrix: `layout(location = 0) callableDataInEXT mat3x2 d;
void main() { d[2] = d[0] + d[1]; d[1].x = -float(record.id); }`,
	callLaunch: `layout(location = 0) callableDataInEXT uvec3 d;
void main() { d = gl_LaunchIDEXT * 10u + gl_LaunchSizeEXT; }`,
	callChain: `layout(location = 0) callableDataInEXT uint d;
layout(location = 1) callableDataEXT uint own;
void main() {
    uint kept = d;
    executeCallableEXT(0u, 0);
    own = 100u;
    executeCallableEXT(0u, 1);
    d = d * 1000u + own + kept;
}`,
	callBagOf: `layout(location = 0) callableDataInEXT Job d;
layout(location = 1) callableDataEXT Bag bag;
void main() {
    bag = Bag(vec3(d.n, 0.0, 0.0), uint[3](1u, 2u, 3u), false);
    for (uint k = 0u; k < d.n; k++) { executeCallableEXT(1u, 1); d.value += bag.list[2]; }
    d.value += uint(bag.v.x) * 1000u + uint(bag.flag) * 100000u;
}`,
	callFibonacci: `layout(location = 0) callableDataInEXT Job d;
layout(location = 1) callableDataEXT Job sub;
void main() {
    if (d.n < 2u) { d.value = d.n; return; }
    uint n = d.n;
    sub.n = n - 1u;
    executeCallableEXT(7u, 1);
    uint first = sub.value;
    sub.n = n - 2u;
    executeCallableEXT(7u, 1);
    d.value = first + sub.value;
}`,
	callEven: `layout(location = 0) callableDataInEXT Job d;
void main() { d.value = d.value * 2u; if (d.n == 0u) return; d.n--; executeCallableEXT(9u, 0); d.value += 1u; }`,
	callOdd: `layout(location = 0) callableDataInEXT Job d;
void main() { d.value = d.value * 3u; if (d.n == 0u) return; d.n--; executeCallableEXT(8u, 0); d.value += 2u; }`,
	callFirst: `layout(location = 0) callableDataInEXT uint d;
layout(location = 3) callableDataEXT Job next;
void main() { next = Job(d, 7u); executeCallableEXT(11u, 3); d += next.value; }`,
	callSecond: `layout(location = 0) callableDataInEXT Job d;
layout(location = 3) callableDataEXT Bag next;
void main() { uint kept = d.n; next = Bag(vec3(d.n), uint[3](d.value, 0u, 0u), true); executeCallableEXT(12u, 3);
    d.value = next.list[1] + kept + uint(next.v.y); }`,
	callThird: `layout(location = 0) callableDataInEXT Bag d;
layout(location = 1) callableDataEXT uint next;
void main() { next = d.list[0]; executeCallableEXT(13u, 1); d.list[1] = next + (d.flag ? 1u : 0u); d.v.y += 0.5; d.v.y *= 2.0; }`,
	callFourth: `layout(location = 0) callableDataInEXT uint d;
void main() { d = d * record.id + 1u; }`,
}

// callIDs are the numbers in the callables' records.
func callID(index int) uint32 { return uint32(3 + index) }

// callsOf adds the callables that the bodies of cases lead to, and returns all records; the others are null.
func callsOf(p *Program, cases []callCase) []sbt.Record {
	needed := map[int]bool{callAdd: true} // cases may take its index from data
	var need func(body string)
	need = func(body string) {
		for i, callee := range callBodies {
			if !needed[i] && strings.Contains(body, fmt.Sprintf("executeCallableEXT(%du", i)) {
				needed[i] = true
				need(callee)
			}
		}
	}
	for _, c := range cases {
		need(c.body)
	}
	return repeat(callFourth+1, func(i int) sbt.Record {
		if !needed[i] || callBodies[i] == "" {
			return sbt.Record{Group: sbt.NullGroup}
		}
		return sbt.Record{Group: p.callable(callTypes + callBodies[i]), Data: le(callID(i))}
	})
}

// callCase is what a raygen, closest hit or miss shader does with callables, and the words it writes from word 0 on.
type callCase struct {
	name, declare, body string
	want                []Word
}

func fibonacci(n uint32) uint32 {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func evenOdd(n, value uint32) uint32 {
	for k := range n + 1 {
		value *= 2 + k%2
	}
	for k := range n {
		value += 1 + k%2
	}
	return value
}

// shallowCalls nest two deep at most, which Vulkan's default stack allows.
func shallowCalls() []callCase {
	const number = "layout(location = 0) callableDataEXT uint d;\n"
	add := func(v uint32) uint32 { return 2*v + callID(callAdd) }
	bag := callID(callBag)
	return []callCase{
		{"once", number, "d = 5u; executeCallableEXT(0u, 0); OUT(0) = d;", us(add(5))},
		{"twice", number, "d = 5u; executeCallableEXT(0u, 0); uint kept = d; executeCallableEXT(0u, 0); OUT(0) = d; OUT(1) = kept;",
			us(add(add(5)), add(5))},
		{"loop", number, "d = 0u; uint sum = 0u; for (uint k = 0u; k < 4u; k++) { executeCallableEXT(0u, 0); sum = sum * 7u + d + k; " +
			"} OUT(0) = d; OUT(1) = sum;", func() []Word {
			var d, sum uint32
			for k := range uint32(4) {
				d = add(d)
				sum = sum*7 + d + k
			}
			return us(d, sum)
		}()},
		{"branch", number, "d = 1u; if (RAY.a > 1u) executeCallableEXT(0u, 0); else d = 9u; if (RAY.a < 1u) { executeCallableEXT(0u, " +
			"0); d = 0u; } OUT(0) = d;", us(add(1))},
		{"struct", "layout(location = 2) callableDataEXT Bag d;\n",
			"d = Bag(vec3(1.0, 2.0, 3.0), uint[3](4u, 5u, 6u), false); executeCallableEXT(1u, 2); OUT(0) = BITS(d.v.x); OUT(1) = " +
				"BITS(d.v.z); OUT(2) = d.list[2]; OUT(3) = d.list[0]; OUT(4) = uint(d.flag);",
			[]Word{Exactly(4), Exactly(2), U(6 + 2*bag), U(4), U(1)}},
		{"matrix", "layout(location = 1) callableDataEXT mat3x2 d;\n",
			"d = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); executeCallableEXT(2u, 1); OUT(0) = BITS(d[2][1]); OUT(1) = BITS(d[1][0]); OUT(2) " +
				"= BITS(d[0][1]);",
			[]Word{Exactly(6), Exactly(-float32(callID(callMatrix))), Exactly(2)}},
		{"null", number, "d = 5u; executeCallableEXT(3u, 0); OUT(0) = d;", us(5)},
		{"launch", "layout(location = 0) callableDataEXT uvec3 d;\n",
			"executeCallableEXT(4u, 0); OUT(0) = d.x; OUT(1) = d.y; OUT(2) = d.z;", us(1, 1, 1)},
		{"index-from-data", number, "d = 5u; executeCallableEXT(RAY.b, 0); OUT(0) = d;", us(add(5))},
		{"several-locations", number + "layout(location = 1) callableDataEXT Bag e;\n",
			"d = 5u; e = Bag(vec3(0.0), uint[3](1u, 1u, 1u), true); executeCallableEXT(1u, 1); executeCallableEXT(0u, 0); OUT(0) = d; " +
				"OUT(1) = e.list[1]; OUT(2) = uint(e.flag);", us(add(5), 1+bag, 0)},
		{"nested", number, "d = 5u; executeCallableEXT(5u, 0); OUT(0) = d;", us(add(5)*1000 + add(100) + 5)},
		{"nested-struct", "layout(location = 0) callableDataEXT Job d;\n",
			"d = Job(3u, 1u); executeCallableEXT(6u, 0); OUT(0) = d.value; OUT(1) = d.n;",
			// Three times: list[2] grows by 2 * bag; v swaps its ends and grows by one; flag turns over.
			us(1+(3+2*bag)+(3+4*bag)+(3+6*bag)+3*1000+100000, 3)},
	}
}

// deepCalls need a stack that the application sets.
func deepCalls() []callCase {
	const number, job = "layout(location = 0) callableDataEXT uint d;\n", "layout(location = 0) callableDataEXT Job d;\n"
	fourth := callID(callFourth)
	return []callCase{
		{"four-deep", number, "d = 5u; executeCallableEXT(10u, 0); OUT(0) = d;", us(5 + (7*fourth + 1 + 1) + 5 + 11)},
		{"recursive", job, "uint live = RAY.a + 40u; d = Job(RAY.c, 0u); executeCallableEXT(7u, 0); OUT(0) = d.value; OUT(1) = live;",
			us(fibonacci(9), 42)},
		{"mutual", job, "d = Job(6u, 1u); executeCallableEXT(8u, 0); OUT(0) = d.value; OUT(1) = d.n;", us(evenOdd(6, 1), 0)},
		{"mutual-odd-first", job, "d = Job(0u, 4u); executeCallableEXT(9u, 0); OUT(0) = d.value;", us(12)},
	}
}

// callableRows: every case from a raygen shader, some from closest hit and miss shaders, in programs of a few cases, since
// drivers take long over large ones.
func callableRows() []Row {
	shallow, deep := shallowCalls(), deepCalls()
	var out []Row
	for _, p := range []struct {
		name, stage string
		deep        bool
		cases       []callCase
	}{
		{"data", "raygen", false, shallow[:5]},
		{"table", "raygen", false, shallow[5:10]},
		{"nested", "raygen", false, shallow[10:]},
		{"closest-hit", "closest-hit", false, shallow[8:]},
		{"miss", "miss", false, shallow[10:]},
		{"deep-raygen", "raygen", true, deep},
		{"deep-closest-hit", "closest-hit", true, deep[:2]},
	} {
		program := newProgram("callables-"+p.name, 8)
		if p.deep {
			program.StackBytes = 16 << 10
		}
		out = append(out, callRows(program, p.stage, p.cases)...)
	}
	return out
}

func callRows(p *Program, stage string, cases []callCase) []Row {
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	calls := callsOf(p, cases)
	trace := p.raygen(callTypes + `
layout(location = 0) rayPayloadEXT uint p;
void main() { uint live = RAY.a * 5u; p = 3u; TRACE(RAY, 0); OUT(6) = p; OUT(7) = live; }
`)
	var out []Row
	for _, c := range cases {
		body := callTypes + c.declare
		in := "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += 1u; " + c.body + " p += 10u; }"
		table := sbt.Layout{Raygen: []sbt.Record{{Group: trace}}, Callable: calls}
		r := down(0, 0).data(2, 0, 9)
		tail := us(14, 10)
		switch stage {
		case "raygen":
			table.Raygen = []sbt.Record{{Group: p.raygen(body + "void main() { " + c.body + " }")}}
			tail = []Word{Any(), Any()}
		case "closest-hit":
			table.Hit = []sbt.Record{{Group: p.hit(body+in, "")}}
		case "miss":
			table.Miss = []sbt.Record{{Group: p.miss(body + in)}}
			r.Origin[0] = 50
		}
		want := join(c.want, repeat(6-len(c.want), func(int) Word { return Any() }), tail)
		out = append(out, Row{Name: c.name, Rule: sbtAt + "Callable Shaders; " + glsl +
			"executeCallableEXT: data goes in and comes back; calls nest",
			Program: p, Scene: scene, Table: table, Rays: []Ray{r}, Want: want})
		if p.StackBytes > 0 {
			out[len(out)-1].NativeDiffers = map[Driver]Difference{NVIDIA: {Fatal: true,
				Reason: "callable shaders that call each other four deep, with a stack of 16 KiB set for it, do not come back"}}
		}
		if c.name == "index-from-data" {
			first := out[len(out)-1]
			first.Name, first.Command = c.name+"/strides-zero", StridesZero
			first.Rays = []Ray{r.data(2, 5, 9)} // the index
			out = append(out, first)
		}
	}
	return out
}
