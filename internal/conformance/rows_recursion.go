package conformance

import (
	"fmt"
	"strings"

	"github.com/everray/everray/sbt"
)

// The recursion program. The payload says how deep to go and gathers what the levels did; Ray.Data is the depth and which
// shaders to go through.
const recursionPayload = `
struct Walk { uint left, depth, sum; vec4 list[2]; };
`

const recursionRaygen = recursionPayload + `
layout(location = 0) rayPayloadEXT Walk p;
layout(location = 3) rayPayloadEXT uint other;
void main() {
    Ray r = RAY;
    p = Walk(r.a, 0u, 1u, vec4[2](vec4(0.0), vec4(0.0)));
    other = 17u;
    uint live = r.a * 3u + 1u;
    TRACE(r, 0);
    OUT(0) = p.depth; OUT(1) = p.sum; OUT(2) = p.left; OUT(3) = live; OUT(4) = other; OUT(5) = BITS(p.list[1].z);
        OUT(6) = BITS(p.list[0].x);
}
`

// Going down counts levels, coming back folds in what each level kept across its call. TRACEON traces on with the payload
// given: the incoming one, which is passed on, or a copy in a variable of its own.
const recursionDown = `
    uint level = ++p.depth;
    float kept = float(level) * 2.0;
    uint list[3] = uint[3](level, level * 10u, level * 100u);
    p.list[level & 1u].z += 1.0;
    if (p.left > 1u) { p.left--; TRACEON }
    p.sum = p.sum * 3u + level + uint(kept) + list[level % 3u];
    p.list[0].x += kept;
`

// recursionWant follows the shaders' text.
func recursionWant(depth uint32) []Word {
	var z1 float32
	for level := uint32(1); level <= depth; level++ {
		if level&1 == 1 {
			z1++
		}
	}
	sum, x := uint32(1), float32(0)
	for level := depth; level >= 1; level-- {
		factors := [3]uint32{1, 10, 100}
		sum = sum*3 + level + 2*level + level*factors[level%3]
		x += 2 * float32(level)
	}
	return []Word{U(depth), U(sum), U(1), U(3*depth + 1), U(17), Exactly(z1), Exactly(x)}
}

// recursionRows: rays from closest hit and miss shaders down to depth 31, with the incoming payload passed on or with one
// of the shader's own.
func recursionRows() []Row {
	scene := single(mesh(opaqueOnce, front(0, 0, 2)))
	// At the end of an odd level the ray turns away, so that hit and miss shaders alternate.
	const alternate = "if ((p.depth & 1u) == 1u) r.origin.x += 50.0;"
	var out []Row
	for _, w := range []struct {
		name      string
		own       bool
		alternate string
		away      bool
	}{
		{"closest-hit-incoming", false, "", false},
		{"closest-hit-own", true, "", false},
		{"miss-incoming", false, "", true},
		{"alternating-incoming", false, alternate, false},
		{"alternating-own", true, alternate, false},
	} {
		p := newProgram("recursion-"+w.name, 7, "depth", "sum", "left", "live", "other payload", "list", "kept")
		p.Depth = 31
		table := sbt.Layout{
			Raygen: []sbt.Record{{Group: p.raygen(recursionRaygen)}},
			Hit:    []sbt.Record{{Group: p.hit(recursionShader(w.own, w.alternate), "")}},
			Miss:   []sbt.Record{{Group: p.miss(recursionShader(false, w.alternate))}},
		}
		ray := func(depth uint32) Ray {
			r := down(0, 0).data(depth)
			r.Origin[0] = 50 * float32(boolean(w.away))
			return r
		}
		for _, depth := range []uint32{1, 2, 3, 8, 31} {
			out = append(out, Row{Name: fmt.Sprint(depth),
				Rule:    calls + "shader calls nest to the pipeline's recursion depth; " + glsl + "an incoming payload may be passed on",
				Program: p, Scene: scene, Table: table, Rays: []Ray{ray(depth)}, Want: recursionWant(depth)})
		}
		mixed := Row{Name: "mixed", Rule: calls + "invocations are independent", Program: p, Scene: scene, Table: table}
		for i := range uint32(40) {
			depth := 1 + i*7%31
			mixed.Rays = append(mixed.Rays, ray(depth))
			mixed.Want = append(mixed.Want, recursionWant(depth)...)
		}
		out = append(out, mixed)
		if w.alternate != "" {
			out = append(out, commandRows(mixed)...)
		}
	}
	return append(out, branchRows(scene)...)
}

// recursionShader is a closest hit or miss shader; change may change the ray r that it traces on with.
func recursionShader(own bool, change string) string {
	s := recursionPayload + "layout(location = 0) rayPayloadInEXT Walk p;\n"
	on := "Ray r = RAY; " + change + " TRACE(r, 0);"
	if own {
		s += "layout(location = 1) rayPayloadEXT Walk q;\n"
		on = "Ray r = RAY; " + change + " q = p; TRACE(r, 1); p = q;"
	}
	return s + "void main() {" + strings.Replace(recursionDown, "TRACEON", on, 1) + "}"
}

// branchRows: shaders that trace several rays each, in a tree, with loops around the calls.
func branchRows(scene *Scene) []Row {
	p := newProgram("branching", 3, "calls", "sum", "misses")
	p.Depth = 5
	const payload = "struct Node { uint left, calls, sum, misses; };\n"
	const hit = payload + `
layout(location = 0) rayPayloadInEXT Node p;
layout(location = 2) rayPayloadEXT Node q;
void main() {
    p.calls++;
    uint mine = p.sum;
    if (p.left > 0u) {
        for (uint k = 0u; k < 3u; k++) {
            Ray r = RAY;
            if (k == 1u) r.origin.x += 50.0;
            q = Node(p.left - 1u, p.calls, mine * 2u + k, p.misses);
            TRACE(r, 2);
            p.calls = q.calls; p.misses = q.misses;
            mine += q.sum;
        }
    }
    p.sum = mine + uint(gl_HitTEXT);
}
`
	table := sbt.Layout{
		Raygen: []sbt.Record{{Group: p.raygen(payload + `
layout(location = 0) rayPayloadEXT Node p;
void main() { p = Node(RAY.a, 0u, 1u, 0u); TRACE(RAY, 0); OUT(0) = p.calls; OUT(1) = p.sum; OUT(2) = p.misses; }
`)}},
		Hit: []sbt.Record{{Group: p.hit(hit, "")}},
		Miss: []sbt.Record{{Group: p.miss(payload +
			"layout(location = 0) rayPayloadInEXT Node p;\nvoid main() { p.misses++; p.sum += 5u; }")}},
	}
	type node struct{ calls, sum, misses uint32 }
	var walk func(left uint32, n node) node
	walk = func(left uint32, n node) node {
		n.calls++
		mine := n.sum
		if left > 0 {
			for k := range uint32(3) {
				q := node{n.calls, mine*2 + k, n.misses}
				if k == 1 {
					q.misses++
					q.sum += 5
				} else {
					q = walk(left-1, q)
				}
				n.calls, n.misses = q.calls, q.misses
				mine += q.sum
			}
		}
		n.sum = mine + 2
		return n
	}
	row := Row{Name: "tree", Rule: calls + "a shader may call any number of times; locals and its own payload live across", Program: p,
		Scene: scene, Table: table}
	for depth := range uint32(5) {
		row.Rays = append(row.Rays, down(0, 0).data(depth))
		n := walk(depth, node{sum: 1})
		row.Want = append(row.Want, us(n.calls, n.sum, n.misses)...)
	}
	return []Row{row}
}
