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
	statements int
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

// build makes the shaders, groups and records. Types' record ranges are known before the first shader is written.
func (p *plan) build() {
	type part struct {
		stage      string
		rayType    int
		procedural bool
	}
	var parts []part
	add := func(stage string, rayType int, procedural bool) int {
		parts = append(parts, part{stage: stage, rayType: rayType, procedural: procedural})
		return len(parts) - 1
	}
	general := func(stage string, rayType int) Record {
		p.out.Groups = append(p.out.Groups, Group{General: add(stage, rayType, false), ClosestHit: NoShader, AnyHit: NoShader, Intersection: NoShader})
		return p.record(len(p.out.Groups) - 1)
	}
	p.out.Raygen = []Record{general("rgen", 0)}
	for i := range p.rays {
		p.rays[i].firstMiss, p.rays[i].misses = len(p.out.Miss), 1+p.r.IntN(2)
		for range p.rays[i].misses {
			p.out.Miss = append(p.out.Miss, general("rmiss", i))
		}
	}
	for i := range p.calls {
		p.calls[i].first, p.calls[i].count = len(p.out.Callable), 1+p.r.IntN(2)
		for range p.calls[i].count {
			p.out.Callable = append(p.out.Callable, general("rcall", i))
		}
	}
	candidates := make([][2][]int, len(p.rays))
	for i, ray := range p.rays {
		for procedural := range 2 {
			if procedural == 1 && !p.out.Procedural {
				continue
			}
			closest := add("rchit", i, procedural == 1)
			any, intersection := NoShader, NoShader
			if p.has(AnyHits) {
				any = add("rahit", i, procedural == 1)
			}
			if procedural == 1 {
				intersection = add("rint", i, true)
			}
			group := func(g Group) {
				p.out.Groups = append(p.out.Groups, g)
				candidates[i][procedural] = append(candidates[i][procedural], len(p.out.Groups)-1)
			}
			group(Group{NoShader, closest, any, intersection})
			if any != NoShader {
				group(Group{NoShader, NoShader, any, intersection})
			}
			if !ray.allAnyHit {
				if any != NoShader && procedural == 1 {
					// Natively, lavapipe 25.0.7 runs one group's any hit shader for all groups with its intersection shader.
					intersection = add("rint", i, true)
				}
				group(Group{NoShader, closest, NoShader, intersection})
			}
		}
	}
	for index := range 2 * len(Instances(p.out.Procedural)) * len(p.rays) {
		rayType, instance := index%len(p.rays), index/len(p.rays)/2
		groups := candidates[rayType][instance/2]
		group := groups[0]
		if p.r.IntN(2) == 0 {
			group = groups[p.r.IntN(len(groups))]
		}
		p.out.Hit = append(p.out.Hit, p.record(group))
	}
	for i, part := range parts {
		s := newShader(p, part.stage, part.rayType, part.procedural, i)
		p.out.Shaders = append(p.out.Shaders, Shader{Stage: part.stage, Source: s.generate(), Specialization: s.specialization})
	}
}

// record draws a record's data: 8 words, then 4 floats.
func (p *plan) record(group int) Record {
	return Record{Group: group, Data: appendFloats(p.words(8), p.quarters(4)...)}
}
