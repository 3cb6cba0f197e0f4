package shapes

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns a ray generation shader whose trace calls stand in control flow that a seed chooses: loops that always leave,
// traces in conditions and continue blocks, early returns of functions, conditions that are constant, code behind jumps. It is
// valid and ends, and is for linking more than for running: most of its paths are never taken.
func Random(seed uint64) Shape {
	r := &random{rand: rand.New(rand.NewPCG(seed, 1))}
	functions := "uint shoot(uint k) { TRACE(k); return payload.id.x + k; }\nbool asks(uint k) { OTHER(k); return (other & 1u) == " +
		"0u; }\n"
	for i := range r.rand.IntN(3) {
		r.out, r.functions = nil, i
		r.block(place{returns: "return k;"}, 2+r.rand.IntN(3))
		functions += fmt.Sprintf("uint wander%d(uint k, inout uint n) {\n    uint pixel = k, live = n;\n%s    n = live;\n    return "+
			"live;\n}\n", i, strings.Join(r.out, ""))
		r.functions = i + 1
	}
	r.out = nil
	r.block(place{returns: "return;"}, 3+r.rand.IntN(4))
	source := strings.Replace(prelude, "FUNCTIONS", functions, 1)
	return Shape{Name: fmt.Sprintf("random-%d", seed), Depth: 1, Raygen: strings.Replace(source, "BODY", strings.Join(r.out, ""), 1),
		AnyHit: AnyHit}
}

// RandomReport is Random as an intersection shader, which may end at each of its reports.
func RandomReport(seed uint64) string { return replaced(Random(seed).Raygen, asReports()) }

// RandomCall is Random with calls of callable shaders.
func RandomCall(seed uint64) string { return replaced(Random(seed).Raygen, asCallables()) }

// RandomAnyHit is Random as an any hit shader that ends wherever the others trace: behind such a place nothing runs.
func RandomAnyHit(seed uint64) string {
	return replaced(Random(seed).Raygen, map[string]string{
		"layout(location = 0) rayPayloadEXT Payload payload;": "layout(location = 0) " +
			"rayPayloadInEXT Payload payload;",
		"layout(location = 1) rayPayloadEXT uint other;": "uint other;",
		"#define TRACE(k) traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0)": "#define TRACE(k) " +
			"ignoreIntersectionEXT",
		"#define OTHER(k) traceRayEXT(scene, 0u, 0xFFu, 1u, 2u, 1u, origin(k), 0.001, direction(k), 100.0, 1)": "#define OTHER(k) if " +
			"((k) > 3u) terminateRayEXT",
	})
}

// random writes statements.
type random struct {
	rand      *rand.Rand
	out       []string
	names     int // of counters
	functions int // wander functions that may be called
}

// place is where a statement stands.
type place struct {
	nested       int
	loop, choice bool   // within a loop, a switch
	returns      string // the statement that returns
}

func (p place) inside() place {
	p.nested++
	return p
}

func (r *random) line(p place, format string, args ...any) {
	r.out = append(r.out, strings.Repeat("    ", p.nested+1)+fmt.Sprintf(format, args...)+"\n")
}

func (r *random) block(p place, n int) {
	for range n {
		r.statement(p)
	}
}

// number is an operand that statements differ by.
func (r *random) number() int { return 1 + r.rand.IntN(9) }

func (r *random) condition() string {
	switch r.rand.IntN(8) {
	case 0:
		return "true"
	case 1:
		return "false"
	case 2:
		return "payload.hit"
	case 3:
		return fmt.Sprintf("asks(%du)", r.number())
	case 4:
		return fmt.Sprintf("live > %du && asks(%du)", r.number(), r.number())
	case 5:
		return fmt.Sprintf("shoot(%du) > %du || (live & 1u) == 0u", r.number(), r.number())
	}
	return fmt.Sprintf("pixel %% %du == live %% %du", 1+r.number(), 1+r.number())
}

func (r *random) statement(p place) {
	kind := r.rand.IntN(16)
	if p.nested > 3 && kind >= 5 {
		kind = r.rand.IntN(5)
	}
	switch kind {
	case 0:
		r.line(p, "TRACE(%du);", r.number())
	case 1:
		r.line(p, "OTHER(live + %du); live ^= other;", r.number())
	case 2:
		r.line(p, "note(live); live += %du;", r.number())
	case 3:
		r.line(p, "list[live %% 3u] += payload.id.y; state.flag = !state.flag;")
		if strings.HasSuffix(p.returns, "k;") { // a function has none of these
			r.out[len(r.out)-1] = strings.Repeat("    ", p.nested+1) + "live = live * 3u + pixel; notePayload();\n"
		}
	case 4, 5:
		r.leave(p)
	case 6, 7, 8:
		r.line(p, "if (%s) {", r.condition())
		r.block(p.inside(), 1+r.rand.IntN(3))
		if r.rand.IntN(2) == 0 {
			r.line(p, "} else {")
			r.block(p.inside(), 1+r.rand.IntN(2))
		}
		r.line(p, "}")
	case 9, 10, 11, 12:
		r.loop(p)
	case 13, 14:
		r.choose(p)
	default:
		if r.functions > 0 {
			r.line(p, "note(wander%d(live, live));", r.rand.IntN(r.functions))
		} else {
			r.line(p, "live += shoot(%du);", r.number())
		}
	}
}

// leave writes a jump, most often under a condition.
func (r *random) leave(p place) {
	jumps := []string{p.returns}
	if p.loop {
		jumps = append(jumps, "continue;", "break;")
	}
	if p.choice {
		jumps = append(jumps, "break;")
	}
	jump := jumps[r.rand.IntN(len(jumps))]
	if r.rand.IntN(3) > 0 {
		jump = fmt.Sprintf("if (%s) %s", r.condition(), jump)
	}
	r.line(p, "%s", jump)
}

func (r *random) loop(p place) {
	r.names++
	i, bound := fmt.Sprintf("i%d", r.names), fmt.Sprintf("%du + live %% 2u", r.rand.IntN(4))
	in := p.inside()
	in.loop, in.choice = true, false
	end := "}"
	switch r.rand.IntN(4) {
	case 0:
		r.line(p, "for (uint %s = 0u; %s < %s; %s++) {", i, i, bound, i)
	case 1: // a trace in the continue block
		r.line(p, "uint %s = 0u; for (; %s < %s; %s++, live += shoot(%s)) {", i, i, bound, i, i)
	case 2:
		r.line(p, "uint %s = 0u; do { if (++%s > 9u) break;", i, i)
		end = fmt.Sprintf("} while (%s);", r.condition())
	default:
		r.line(p, "uint %s = 0u; while (%s) { if (++%s > %s) break;", i, r.condition(), i, bound)
	}
	r.block(in, 1+r.rand.IntN(3))
	if r.rand.IntN(4) == 0 { // a loop that always leaves
		r.line(in, "%s", []string{"break;", p.returns, "live += " + i + "; break;"}[r.rand.IntN(3)])
	}
	r.line(p, "%s", end)
}

func (r *random) choose(p place) {
	in := p.inside()
	in.choice = true
	r.line(p, "switch ((live + %du) %% 4u) {", r.number())
	for k := range 2 + r.rand.IntN(2) {
		r.line(p, "case %du:", k)
		r.block(in, 1+r.rand.IntN(2))
		if r.rand.IntN(3) > 0 { // else it falls through
			r.line(in, "break;")
		}
	}
	if r.rand.IntN(2) == 0 {
		r.line(p, "default:")
		r.block(in, 1)
	}
	r.line(p, "}")
}
