package pipefuzz

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// plan is what the shaders of a pipeline have in common.
type plan struct {
	o          Options
	r          *rand.Rand
	out        *Pipeline
	structs    []*typ // nested ones, in order of declaration
	rays       []rayType
	calls      []callType
	attributes *typ // of boxes
	// attributesLast says that closest hit shaders may read attributes in pipelines with boxes. Natively, lavapipe 25.0.7
	// gives them what the last intersection shader wrote, though its report was ignored or too far; see intersection.
	attributesLast bool
	statements     int
	parts          []part // by index of shader
}

// rayType is a payload type with the shaders that take it.
type rayType struct {
	payload *typ
	// allAnyHit says that every hit group of the type has an any hit shader.
	allAnyHit bool
	// misses is the range of its miss records.
	firstMiss, misses int
}

// callType is a type of callable data with its range of callable records.
type callType struct {
	data         *typ
	first, count int
}

func (p *plan) has(f Feature) bool { return p.o.Features&f == f }

// choose draws the types.
func (p *plan) choose() {
	p.out.Depth = 1
	if p.has(Recursion) {
		p.out.Depth = 2 + uint32(p.r.IntN(3))
	}
	p.out.Procedural = p.has(Procedural)
	p.out.PushConstants = appendFloats(p.words(4), p.quarters(4)...)
	if p.has(Structs) {
		for i := range 1 + p.r.IntN(2) {
			t := &typ{name: fmt.Sprintf("Nest%d", i), kind: kindStruct}
			for k := range 2 + p.r.IntN(2) {
				t.members = append(t.members, member{name: fmt.Sprintf("m%d", k), t: p.typ(p.r, 1)})
			}
			p.structs = append(p.structs, t)
		}
	}
	types := 1
	if p.has(SeveralPayloads) {
		types += p.r.IntN(2)
	}
	for i := range types {
		t := &typ{name: fmt.Sprintf("Payload%d", i), kind: kindStruct, members: p.travel()}
		if p.has(AnyHits) {
			t.members = append(t.members, member{"answers", tUint, answer}, member{"sum", tUint, answer}, member{"scratch", tUint, hidden})
		}
		p.rays = append(p.rays, rayType{payload: t, allAnyHit: p.has(AnyHits) && p.r.IntN(3) > 0})
	}
	if p.has(Callables) {
		for i := range 1 + p.r.IntN(4)/3 {
			p.calls = append(p.calls, callType{data: &typ{name: fmt.Sprintf("Call%d", i), kind: kindStruct, members: p.travel()}})
		}
	}
	p.attributes = []*typ{vectorOf(tUint, 2), vectorOf(tFloat, 4), tInt, matrixOf(2, 2), arrayOf(tUint, 8)}[p.r.IntN(5)]
	p.attributesLast = p.r.IntN(2) == 0
	p.out.RayTypes = types
}

// travel draws the members of a structure that travels between shaders: depth and fuel, and some more anywhere.
func (p *plan) travel() []member {
	list := []member{{"depth", tUint, readOnly}, {"fuel", tUint, readOnly}, {"acc", tUint, open}}
	for i := range 1 + p.r.IntN(3) {
		list = append(list, member{name: fmt.Sprintf("f%d", i), t: p.typ(p.r, 2)})
	}
	p.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// typ draws a type; depth is how many composites may stand in each other.
func (p *plan) typ(r *rand.Rand, depth int) *typ {
	scalars := []*typ{tUint, tInt, tFloat, tBool}
	if p.has(Wide) {
		scalars = append(scalars, tWide)
	}
	switch pick := r.IntN(12); {
	case pick < 4 || depth == 0:
		return scalars[r.IntN(len(scalars))]
	case pick < 7:
		return vectorOf([]*typ{tUint, tInt, tFloat}[r.IntN(3)], 2+r.IntN(3))
	case pick < 8 && p.has(Matrices):
		return matrixOf(2+r.IntN(2), 2+r.IntN(2))
	case pick < 10 && p.has(Arrays):
		elem := p.typ(r, depth-1)
		for elem.kind == kindArray {
			elem = elem.elem
		}
		return arrayOf(elem, 2+r.IntN(2))
	case len(p.structs) > 0:
		return p.structs[r.IntN(len(p.structs))]
	}
	return tUint
}

func (p *plan) words(n int) []byte {
	var b []byte
	for range n {
		b = binary.LittleEndian.AppendUint32(b, p.r.Uint32())
	}
	return b
}

// quarters draws floats that shaders may read.
func (p *plan) quarters(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(p.r.IntN(1024)) / 4
	}
	return list
}

// part is a shader to be written.
type part struct {
	stage      string
	number     int // of its ray or call type
	procedural bool
}

// build makes the groups and records, then the shaders: which need the ranges of all types' records.
func (p *plan) build() {
	p.out.Raygen = []Record{p.general("rgen", 0)}
	for i := range p.rays {
		p.rays[i].firstMiss, p.rays[i].misses = len(p.out.Miss), 1+p.r.IntN(3)/2
		for range p.rays[i].misses {
			p.out.Miss = append(p.out.Miss, p.general("rmiss", i))
		}
	}
	for i := range p.calls {
		p.calls[i].first, p.calls[i].count = len(p.out.Callable), 1+p.r.IntN(3)/2
		for range p.calls[i].count {
			p.out.Callable = append(p.out.Callable, p.general("rcall", i))
		}
	}
	triangles, boxes := make([][]int, len(p.rays)), make([][]int, len(p.rays))
	for i := range p.rays {
		triangles[i] = p.hitGroups(i, false)
		if p.out.Procedural {
			boxes[i] = p.hitGroups(i, true)
		}
	}
	for _, instance := range Instances(p.out.Procedural) {
		for index := range 2 * len(p.rays) { // two geometries
			groups := triangles[index%len(p.rays)]
			if instance.Boxes {
				groups = boxes[index%len(p.rays)]
			}
			group := groups[0]
			if p.r.IntN(2) == 0 {
				group = groups[p.r.IntN(len(groups))]
			}
			p.out.Hit = append(p.out.Hit, p.record(group))
		}
	}
	for i, part := range p.parts {
		s := newShader(p, part.stage, part.number, part.procedural, i)
		p.out.Shaders = append(p.out.Shaders, Shader{Stage: part.stage, Source: s.generate(), Specialization: s.specialization})
		p.out.HitObjects = p.out.HitObjects || s.objects
	}
}

func (p *plan) add(stage string, number int, procedural bool) int {
	p.parts = append(p.parts, part{stage, number, procedural})
	return len(p.parts) - 1
}

func (p *plan) group(g Group) int {
	p.out.Groups = append(p.out.Groups, g)
	return len(p.out.Groups) - 1
}

// general adds a shader with a group and a record of its own.
func (p *plan) general(stage string, number int) Record {
	return p.record(p.group(Group{General: p.add(stage, number, false), ClosestHit: NoShader, AnyHit: NoShader,
		Intersection: NoShader}))
}

// hitGroups adds the hit groups of a ray type: with all shaders, without closest hit, without any hit.
func (p *plan) hitGroups(number int, procedural bool) []int {
	g := Group{General: NoShader, ClosestHit: p.add("rchit", number, procedural), AnyHit: NoShader, Intersection: NoShader}
	if p.has(AnyHits) {
		g.AnyHit = p.add("rahit", number, procedural)
	}
	if procedural {
		g.Intersection = p.add("rint", number, true)
	}
	list := []int{p.group(g)}
	if g.AnyHit == NoShader {
		return list
	}
	// Every group has its own intersection shader: natively, on lavapipe 25.0.7, boxes of a group without any hit shader
	// were missed (seed 3 of an earlier generator) while it shared one with a group that has one.
	own := func() int {
		if procedural {
			return p.add("rint", number, true)
		}
		return NoShader
	}
	list = append(list, p.group(Group{NoShader, NoShader, g.AnyHit, own()}))
	if !p.rays[number].allAnyHit {
		list = append(list, p.group(Group{NoShader, g.ClosestHit, NoShader, own()}))
	}
	return list
}

// record draws a record's data: 8 words, then 4 floats.
func (p *plan) record(group int) Record {
	return Record{Group: group, Data: appendFloats(p.words(8), p.quarters(4)...)}
}
