package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
)

const reorderAt = "SPV_EXT_shader_invocation_reorder: "

// The dump is what a closest hit or miss shader sees, or what a hit object tells, word by word.
const dumpWords = 56

// hitDump is the payload, and the functions that fill it. A miss has the world's ray for the object's, and the identity for
// matrices, as HLSL has it; SPIR-V is silent on getters that do not fit the object.
const hitDump = `
struct Dump { uint w[56]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer RecordData { uint id; };
#define DUMP_RAY(D, S, O, DIR, T0, T1, F) \
    D.w[0] = S; D.w[1] = BITS(T0); D.w[2] = BITS(T1); D.w[3] = F; \
    for (uint k = 0u; k < 3u; k++) { D.w[4u + k] = BITS(O[k]); D.w[7u + k] = BITS(DIR[k]); }
#define DUMP_OBJECT(D, P, I, C, G, K, O, DIR, TO, FROM) \
    D.w[10] = P; D.w[11] = I; D.w[12] = C; D.w[13] = G; D.w[14] = K; \
    for (uint k = 0u; k < 3u; k++) { D.w[15u + k] = BITS(O[k]); D.w[18u + k] = BITS(DIR[k]); } \
    for (uint c = 0u; c < 4u; c++) for (uint k = 0u; k < 3u; k++) { \
        D.w[21u + 3u * c + k] = BITS(TO[c][k]); D.w[33u + 3u * c + k] = BITS(FROM[c][k]); }
`

// dumpHitObject asks a hit object for everything.
const dumpHitObject = `
#ifdef HO_VALUES
#define FLAGS_OF(h, other) hoFlags(h)
#else
#define FLAGS_OF(h, other) (hoIsEmpty(h) ? 0u : other)
#endif
uint idOf(uvec2 data) { return data == uvec2(0u) ? 0u : RecordData(data).id; }
#define DUMP(h, D, flags) { \
    vec3 o = hoWorldOrigin(h), d = hoWorldDirection(h), oo = hoObjectOrigin(h), od = hoObjectDirection(h); \
    mat4x3 to = hoObjectToWorld(h), from = hoWorldToObject(h); \
    uint is = (hoIsHit(h) ? 2u : 0u) + (hoIsMiss(h) ? 4u : 0u) + (hoIsEmpty(h) ? 8u : 0u); \
    DUMP_RAY(D, is, o, d, hoTMin(h), hoTMax(h), FLAGS_OF(h, flags)) \
    DUMP_OBJECT(D, hoPrimitive(h), hoInstanceId(h), hoCustomIndex(h), hoGeometry(h), hoKind(h), oo, od, to, from) \
    hoAttributes(h); \
    for (uint k = 0u; k < 4u; k++) D.w[45u + k] = BITS(attr[k]); \
    D.w[49] = idOf(hoRecordData(h)); D.w[50] = hoRecordIndex(h); }
`

// What answers: a miss record's number is its index and 900, a hit record's its index and 100.
const (
	hitRecordBase = 100
	dumpMiss      = hitDump + `
layout(location = 0) rayPayloadInEXT Dump p;
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
void main() {
    mat4x3 one = mat4x3(1.0);
    DUMP_RAY(p, 4u, gl_WorldRayOriginEXT, gl_WorldRayDirectionEXT, gl_RayTminEXT, gl_RayTmaxEXT, gl_IncomingRayFlagsEXT)
    DUMP_OBJECT(p, 0u, 0u, 0u, 0u, 0u, gl_WorldRayOriginEXT, gl_WorldRayDirectionEXT, one, one)
    p.w[49] = record.id; p.w[50] = record.id - 900u; p.w[51] += 3u;
}
`
	dumpClosest = hitDump + `
layout(location = 0) rayPayloadInEXT Dump p;
layout(shaderRecordEXT, std430) buffer Record { uint id; } record;
hitAttributeEXT ATTRIBUTES at;
void main() {
    DUMP_RAY(p, 2u, gl_WorldRayOriginEXT, gl_WorldRayDirectionEXT, gl_RayTminEXT, gl_HitTEXT, gl_IncomingRayFlagsEXT)
    DUMP_OBJECT(p, gl_PrimitiveID, gl_InstanceID, gl_InstanceCustomIndexEXT, gl_GeometryIndexEXT, gl_HitKindEXT,
        gl_ObjectRayOriginEXT, gl_ObjectRayDirectionEXT, gl_ObjectToWorldEXT, gl_WorldToObjectEXT)
    for (uint k = 0u; k < 4u; k++) p.w[45u + k] = k < COMPONENTS ? BITS(at[k]) : 0u;
    p.w[49] = record.id; p.w[50] = record.id - 100u; p.w[51] += 5u;
}
`
	dumpBox = `
hitAttributeEXT vec4 at;
void main() { at = vec4(0.5, 1.5, 2.5, gl_PrimitiveID); reportIntersectionEXT(gl_ObjectRayOriginEXT.z + 4.5, 0x42u); }
`
	dumpAny = hitDump + `
layout(location = 0) rayPayloadInEXT Dump p;
void main() { p.w[52] += 1u; if (gl_PrimitiveID == 1) ignoreIntersectionEXT; }
`
)

// hitObjectProgram is a pipeline whose raygen, closest hit or miss shader has hit objects, all answered by the same shaders: hit
// records 0 to 7, miss records 0 to 2.
func hitObjectProgram(name string, d shapes.Dialect, parts int) *Program {
	p := newProgram(name, parts*dumpWords, "stage", "tmin", "t", "flags")
	if p.Feature = HitObjectsEXT; d == shapes.HitObjectsNV {
		p.Feature = HitObjectsNV
	}
	return p
}

// withHitObjects adds a shader with hit objects: its declarations are p, the payload of what answers, and attr, a vec4.
func (p *Program) withHitObjects(kind engine.StageKind, d shapes.Dialect, source string) int {
	return p.withPayload(kind, d, hitDump, dumpHitObject+source)
}

// withPayload is the same with another payload: a structure Dump that the shader's types declare.
func (p *Program) withPayload(kind engine.StageKind, d shapes.Dialect, types, source string) int {
	prelude, _ := strings.CutPrefix(p.prelude(kind), "#version 460\n")
	dump := "#define payload p\n" + types
	begin := shapes.HitObjects(d, "Dump", "vec4")
	// The payload's type comes before the functions that take it.
	own := prelude + dump + "layout(location = 0) rayPayloadEXT Dump p;\n"
	if d == shapes.HitObjectsNV {
		begin += own
	} else {
		begin = strings.Replace(begin, "spirv_storage_class", own+"spirv_storage_class", 1)
	}
	p.Stages = append(p.Stages, Stage{Kind: kind, Source: begin + source})
	return len(p.Stages) - 1
}

// answers adds the groups that answer rays: hits of triangles, boxes, misses.
func (p *Program) answers() (triangles, box, miss int) {
	corners := strings.NewReplacer("ATTRIBUTES", "vec2", "COMPONENTS", "2u").Replace(dumpClosest)
	whole := strings.NewReplacer("ATTRIBUTES", "vec4", "COMPONENTS", "4u").Replace(dumpClosest)
	return p.hit(corners, dumpAny), p.box(dumpBox, whole, dumpAny), p.miss(dumpMiss)
}

// hitObjectScene has triangles in two geometries, of which the second's are not opaque, twice, and boxes.
func hitObjectScene() *Scene {
	triangles := Model{mesh(opaqueOnce, front(0, 0, 5), back(4, 0, 5)), mesh(once, front(0, 4, 6), front(4, 4, 6))}
	turned := place(0).custom(1234).offset(2)
	turned.Transform = [12]float32{0, -2, 0, 40, 2, 0, 0, 0, 0, 0, 1, 1}
	return &Scene{
		Models:    []Model{triangles, {boxes(once, cube(0, 0, 5), cube(0, 4, 5)), boxes(opaqueOnce, cube(4, 0, 5))}},
		Instances: []Instance{place(0).custom(7), turned, place(1).at(80, 0, 0).custom(99).offset(4).masked(0x0F)},
	}
}

// hitObjectRays meet each kind of thing, or nothing. The data of a ray is left to programs.
func hitObjectRays() []Ray {
	at := func(x, y float32) Ray {
		r := down(x, y)
		r.Stride, r.TMin, r.Direction[2] = 1, 0.125, 2
		return r
	}
	offset, masked, ends := at(0, 0), at(80, 0), at(0, 4)
	offset.Offset, offset.Miss = 1, 2
	masked.Mask, masked.Miss = 0xF0, 1
	ends.Flags = 4 | 1
	return []Ray{at(0, 0), at(4, 0), at(0, 4), at(4, 4), at(40, 0), at(32, 0), at(80, 0), at(80, 4), at(84, 0), at(-20, 0),
		offset, masked, ends, at(40, 8).with(16)}
}

// hitObjectTable holds the answers.
func hitObjectTable(raygen, triangles, box, miss int) sbt.Layout {
	hits := []int{triangles, triangles, triangles, triangles, box, box, box, triangles}
	return sbt.Layout{
		Raygen: []sbt.Record{{Group: raygen}},
		Miss:   repeat(3, func(i int) sbt.Record { return sbt.Record{Group: miss, Data: le(missRecord + uint32(i))} }),
		Hit: repeat(len(hits), func(i int) sbt.Record {
			return sbt.Record{Group: hits[i], Data: le(hitRecordBase + uint32(i))}
		}),
	}
}

// sameParts wants a result of parts, of which the first is what trace calls alone give: all are to equal it, but for the words that
// skip names, which it says why.
func sameParts(parts int, stages []uint32, skip func(part, word int) bool) func([]uint32) error {
	return func(got []uint32) error {
		for ray := range len(got) / (parts * dumpWords) {
			all := got[ray*parts*dumpWords:]
			if all[0] != stages[ray] {
				return fmt.Errorf("ray %d: stage %d, want %d", ray, all[0], stages[ray])
			}
			for part := 1; part < parts; part++ {
				for w := range dumpWords {
					if g, want := all[part*dumpWords+w], all[w]; g != want && !skip(part, w) {
						return fmt.Errorf("ray %d part %d word %d: got %#x, want %#x as without hit objects", ray, part, w, g, want)
					}
				}
			}
		}
		return nil
	}
}

// hitObjectStages are the shaders that answer hitObjectRays: 2 of hits, 4 of misses.
var hitObjectStages = []uint32{2, 2, 2, 4, 2, 2, 2, 4, 2, 4, 2, 4, 2, 4}

// The parts of the getters' programs.
const (
	partPlain   = iota // traceRayEXT
	partGetters        // of the object
	partExecute        // what execution sees
	partAgain          // the same after a reorder, a second time
	partEmpty          // an object that nobody has recorded, executed, too
	getterParts
)

// dumpHead begins the bodies: a payload is emptied before each part, and written behind it.
const dumpHead = `
void clearDump() { for (uint k = 0u; k < 56u; k++) p.w[k] = 0u; }
#define PUT(part) for (uint k = 0u; k < 56u; k++) OUT(56u * part + k) = p.w[k];
`

// getterBody runs on ray r, with base the first word of the result.
const getterBody = dumpHead + `
void run(Ray r) {
    clearDump();
    TRACE(r, 0);
    PUT(0u)
    clearDump();
    HO h;
    hoTrace(h, scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, r.direction, r.tmax);
    Dump seen = p;
    DUMP(h, seen, r.flags)
    for (uint k = 0u; k < 56u; k++) OUT(56u + k) = seen.w[k];
    hoExecute(h);
    PUT(2u)
#ifdef RAYGEN
    hoReorderBoth(h, gl_LaunchIDEXT.x & 3u, 2u);
#endif
    p.w[51] = 0u;
    hoExecute(h);
    PUT(3u)
    HO none;
    clearDump();
    hoExecute(none);
    Dump nothing = p;
    DUMP(none, nothing, 0u)
    for (uint k = 0u; k < 56u; k++) OUT(4u * 56u + k) = nothing.w[k];
}
`

// getterRows: what a hit object tells is what the built-ins of its shader say, in each kind of shader that may have one.
func getterRows(d shapes.Dialect) []Row {
	var rows []Row
	for _, in := range []struct {
		name string
		kind engine.StageKind
		main string
	}{
		{"raygen", engine.Raygen, "void main() { run(RAY); }"},
		{"closest-hit", engine.ClosestHit, "layout(location = 1) rayPayloadInEXT uint q;\nvoid main() { q += 1u; run(RAY); }"},
		{"miss", engine.Miss, "layout(location = 1) rayPayloadInEXT uint q;\nvoid main() { q += 1u; run(RAY); }"},
	} {
		p := hitObjectProgram("hit-objects-"+strings.ToLower(string(d))+"-"+in.name, d, getterParts)
		define := ""
		if in.kind == engine.Raygen {
			define = "#define RAYGEN\n"
		}
		own := p.withHitObjects(in.kind, d, define+getterBody+in.main)
		triangles, box, miss := p.answers()
		var table sbt.Layout
		switch in.kind {
		case engine.Raygen:
			table = hitObjectTable(p.group(engine.GeneralGroup(own)), triangles, box, miss)
		case engine.ClosestHit:
			p.Depth = 2
			start := p.raygen(startRaygen("8u, 1u, 0u, vec3(0.0), 0.0, vec3(0.0, 0.0, 1.0)"))
			table = hitObjectTable(start, triangles, box, miss)
			table.Hit = append(table.Hit, sbt.Record{Group: p.group(engine.TrianglesGroup(own, engine.Unused)), Data: le(0)})
		case engine.Miss:
			p.Depth = 2
			start := p.raygen(startRaygen("0u, 0u, 3u, vec3(-30.0), 0.0, vec3(0.0, 0.0, 1.0)"))
			table = hitObjectTable(start, triangles, box, miss)
			table.Miss = append(table.Miss, sbt.Record{Group: p.group(engine.GeneralGroup(own)), Data: le(0)})
		}
		row := Row{Name: "getters", Rule: reorderAt + "an object's getters return what the built-ins of its shader would; " +
			"trace and execute are a trace call taken apart; execution of an empty object runs nothing",
			Program: p, Scene: hitObjectScene(), Table: table, Rays: hitObjectRays(),
			Check: func(got []uint32) error { return checkDefinedGetters(got, d) }}
		rows = append(rows, row)
		row.Name, row.Check = "flags", checkExecutedFlags
		row.Rule = reorderAt + "a shader that execution runs sees the flags of the ray that was traced"
		if d == shapes.HitObjectsNV {
			row.NativeDiffers = map[Driver]Difference{NVIDIA: {Reason: "shaders that `hitObjectExecuteShaderNV` runs see ray flags of 0"}}
		}
		rows = append(rows, row)
		row.Name, row.Check = "getters-of-nothing", checkGetters
		row.Rule = seedAt + "what an object does not have is zero, its matrices are the identity, its object's ray is the world's"
		if d == shapes.HitObjectsNV {
			row.NativeDiffers = map[Driver]Difference{NVIDIA: {Reason: "getters of what a hit object does not have, such as a miss's " +
				"attributes or a triangle's third, return anything; SPIR-V leaves it open"}}
		}
		rows = append(rows, row)
	}
	return rows
}

// checkDefinedGetters compares what SPIR-V defines: not what is asked of an object that does not have it. NV's extension says
// nothing of the flags that executed shaders see, and its objects tell none.
func checkDefinedGetters(got []uint32, d shapes.Dialect) error {
	words := slices.Clone(got)
	for ray := range len(words) / (getterParts * dumpWords) {
		all := words[ray*getterParts*dumpWords:]
		open := func(part, from, to int, want []uint32) { copy(all[part*dumpWords+from:part*dumpWords+to], want) }
		switch {
		case all[0] == 4: // a miss
			open(partGetters, 10, 49, all[10:])
		case all[14] >= frontFace:
			open(partGetters, 47, 49, all[47:])
		}
		if d == shapes.HitObjectsNV {
			open(partExecute, flagsWord, flagsWord+1, all[flagsWord:])
			open(partAgain, flagsWord, flagsWord+1, all[flagsWord:])
		}
		open(partEmpty, 0, dumpWords, emptyDump()) // an object that nobody has recorded is undefined
	}
	return checkGetters(words)
}

// flagsWord is the word of a dump that holds the ray's flags.
const flagsWord = 3

// checkExecutedFlags compares the flags that shaders see which trace calls and executions run.
func checkExecutedFlags(got []uint32) error {
	for ray := range len(got) / (getterParts * dumpWords) {
		all := got[ray*getterParts*dumpWords:]
		for _, part := range []int{partExecute, partAgain} {
			if stage := all[part*dumpWords]; stage != hitObjectStages[ray] {
				return fmt.Errorf("ray %d, part %d: stage %d, want %d", ray, part, stage, hitObjectStages[ray])
			}
			if g, want := all[part*dumpWords+flagsWord], all[flagsWord]; g != want {
				return fmt.Errorf("ray %d, part %d: flags %#x, want %#x as of a trace call", ray, part, g, want)
			}
		}
	}
	return nil
}

// emptyDump is what an empty object tells.
func emptyDump() []uint32 {
	words := make([]uint32, dumpWords)
	words[0] = 8
	for _, w := range []int{21, 25, 29, 33, 37, 41} { // the diagonals of identities
		words[w] = 0x3F800000
	}
	return words
}

// startRaygen is a ray generation shader that goes on in another shader, by a trace call of these operands.
func startRaygen(operands string) string {
	return "layout(location = 1) rayPayloadEXT uint q;\nvoid main() {\n    q = 0u;\n" +
		"    traceRayEXT(scene, 1u, 0xFFu, " + operands + ", 100.0, 1);\n    if (q != 1u) OUT(0) = 77u;\n}\n"
}

// checkGetters compares the parts, and wants of an empty object zeros and identities.
func checkGetters(got []uint32) error {
	err := sameParts(getterParts, hitObjectStages, func(part, w int) bool {
		// Shaders count themselves in word 51; the second trace's any hit shaders count themselves, too.
		return part == partEmpty || w == 51 && part == partGetters || w >= 53
	})(got)
	if err != nil {
		return err
	}
	want := emptyDump()
	for ray := range len(got) / (getterParts * dumpWords) {
		empty := got[(ray*getterParts+partEmpty)*dumpWords:][:dumpWords]
		for w, g := range empty {
			if g != want[w] {
				return fmt.Errorf("ray %d, empty object, word %d: got %#x, want %#x", ray, w, g, want[w])
			}
		}
	}
	if slices.Equal(got[:dumpWords], got[getterParts*dumpWords:][:dumpWords]) {
		return fmt.Errorf("the first two rays see the same")
	}
	return nil
}

// hitObjectRows are all rows with hit objects.
func hitObjectRows() []Row {
	var rows []Row
	for _, d := range shapes.HitObjectDialects {
		rows = append(rows, getterRows(d)...)
	}
	for _, more := range [][]Row{usesRows(), queryHitRows(), recordHitRows(), mixedRows(), bothRows(), seedRows()} {
		rows = append(rows, more...)
	}
	return rows
}
