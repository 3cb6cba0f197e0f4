package conformance

import (
	"fmt"
	"math"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
)

// usesBody does the same as a trace call in all ways of the EXT extension.
const usesBody = dumpHead + `
#define ARGUMENTS(r) scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, r.direction, r.tmax
struct Pair { uint n; HO h[2]; };
HO traced(Ray r) { HO h; ho5316(h, ARGUMENTS(r), p); return h; }
HO chosen(Pair both, uint i) { return both.h[i]; }
void executed(HO h) { hoExecute(h); }
void main() {
    Ray r = RAY;
    uint x = gl_LaunchIDEXT.x;
    clearDump();
    TRACE(r, 0);
    PUT(0u)
    clearDump();
    { HO h; ho5311(h, ARGUMENTS(r), p, x, 3u); }
    PUT(1u)
    clearDump();
    HO h;
    ho5316(h, ARGUMENTS(r), p);
    hoReorderExecute(h);
    PUT(2u)
    HO many[3];
    clearDump();
    ho5316(many[nonuniformEXT(x % 3u)], ARGUMENTS(r), p);
    hoMiss(many[(x + 1u) % 3u], 0u, 0u, vec3(1), 0.0, vec3(2), 1.0);
    hoReorderBoth(many[x % 3u], x, 4u);
    hoExecute(many[nonuniformEXT(x % 3u)]);
    PUT(3u)
    clearDump();
    Pair both;
    both.h[1] = h;
    both.h[0] = traced(r);
    HO kept = both.h[0];
    hoEmpty(both.h[0]);
    both.h[0] = kept;
    executed(chosen(both, x & 1u));
    PUT(4u)
    clearDump();
    kept = h;
    uint index = hoRecordIndex(h);
    hoSetRecordIndex(kept, hoIsMiss(h) ? 0x30002u : 0x10000000u + (index < 4u ? 3u : 10u) - index);
    hoExecute(kept);
    p.w[53] = hoRecordIndex(kept);
    p.w[54] = hoRecordIndex(h);
    hoMiss(kept, 0xFFFF0810u, 0u, vec3(0), 0.0, vec3(1), 1.0); // one flag that there is, some that there are not
    p.w[55] = hoFlags(kept);
    PUT(5u)
}
`

const usesParts = 6

// usesRows: all ways of tracing, keeping and executing objects are a trace call.
func usesRows() []Row {
	p := hitObjectProgram("hit-objects-uses", shapes.HitObjectsEXT, usesParts)
	p.Fatal = []FatalForm{{SwiftShader, "monolithic", "a kernel whose frame is over 512 KiB (here 566,000 bytes) ends the process " +
		"in its compiler, by SIGSEGV or an abort, in place of an error (vk/testdata/frame.comp shows it in a few lines)"}}
	raygen := p.group(engine.GeneralGroup(p.withHitObjects(engine.Raygen, shapes.HitObjectsEXT, usesBody)))
	triangles, box, miss := p.answers()
	same := sameParts(usesParts, hitObjectStages, func(part, w int) bool {
		// Of those parts that execute an object that was traced before, the any hit shaders' count is not theirs.
		return w == 52 && part >= 4 || part == 5 && (w == 49 || w == 50 || w >= 53)
	})
	return []Row{{Name: "uses", Rule: reorderAt +
		"fused instructions are their parts; objects in arrays, structures, " +
		"parameters and results; a record index that is set is absolute, of 28 bits for a hit and 16 for a miss, " +
		"and is that object's alone",
		Program: p, Scene: hitObjectScene(), Table: hitObjectTable(raygen, triangles, box, miss), Rays: hitObjectRays(),
		Check: func(got []uint32) error {
			if err := same(got); err != nil {
				return err
			}
			for ray := range len(hitObjectStages) {
				plain, changed := got[ray*usesParts*dumpWords:], got[(ray*usesParts+5)*dumpWords:]
				want := uint32(2)
				if hitObjectStages[ray] == 2 {
					if want = 3 - plain[50]; plain[50] >= 4 {
						want = 10 - plain[50]
					}
				}
				if changed[50] != want || changed[53] != want || changed[54] != plain[50] {
					return fmt.Errorf("ray %d: record %d is run and %d told where %d was set, and %d of the other object, want %d",
						ray, changed[50], changed[53], want, changed[54], plain[50])
				}
				if changed[55] != 0x10 {
					return fmt.Errorf("ray %d: flags %#x of an object that was made with %#x, want those that there are", ray,
						changed[55], uint32(0xFFFF0810))
				}
			}
			return nil
		}}}
}

// queryBody makes objects of ray queries, and asks what only EXT has.
const queryBody = dumpHead + `
void main() {
    Ray r = RAY;
    clearDump();
    TRACE(r, 0);
    PUT(0u)
    rayQueryEXT q, other;
    HO h, none;
    clearDump();
    hoFromQuery(none, q, 0u);
    uint facts = hoIsEmpty(none) ? 1u : 0u; // of a query that was not begun
    rayQueryInitializeEXT(q, scene, r.flags, r.mask, r.origin, r.tmin, r.direction, r.tmax);
    hoFromQuery(none, q, 0u);
    facts |= hoIsEmpty(none) ? 2u : 0u; // of one that did not proceed
    float box = 1.0;
    while (rayQueryProceedEXT(q)) {
        if (rayQueryGetIntersectionPrimitiveIndexEXT(q, false) == 1) continue; // as the any hit shader has it
        bool triangle = rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionTriangleEXT;
        if (triangle) rayQueryConfirmIntersectionEXT(q);
        else rayQueryGenerateIntersectionEXT(q, rayQueryGetIntersectionObjectRayOriginEXT(q, false).z + 4.5);
    }
    uint type = rayQueryGetIntersectionTypeEXT(q, true);
    attr = vec4(0.5, 1.5, 2.5, 0.0);
    uint index = 0u;
    if (type != gl_RayQueryCommittedIntersectionNoneEXT) {
        index = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true) +
            uint(rayQueryGetIntersectionGeometryIndexEXT(q, true)) * (r.stride & 15u) + (r.offset & 15u);
        attr.w = intBitsToFloat(0) + float(rayQueryGetIntersectionPrimitiveIndexEXT(q, true));
    }
    hoFromQueryKind(h, q, index, 0x42u);
    if (hoIsEmpty(h)) { facts |= 4u; hoMiss(h, r.flags, 0x70000u + r.miss, r.origin, r.tmin, r.direction, r.tmax); }
    hoReorder(h);
    hoExecute(h);
    PUT(1u)
    clearDump();
    if (type != gl_RayQueryCommittedIntersectionNoneEXT) {
        hoFromQuery(none, q, 0xFFFFFFFFu); // no record
        hoExecute(none);
        facts |= hoIsHit(none) && hoRecordIndex(none) == 0u && hoRecordData(none) == uvec2(0u) && p.w[51] == 0u ? 8u : 0u;
        if (type == gl_RayQueryCommittedIntersectionGeneratedEXT) facts |= hoKind(none) == 0u ? 16u : 0u;
        hoSetRecordIndex(none, index);
        facts |= hoRecordIndex(none) == index ? 32u : 0u;
    }
    hoEmpty(none);
    hoSetRecordIndex(none, 2u);
    facts |= hoRecordIndex(none) == 0u && hoIsEmpty(none) ? 64u : 0u;
    vec3 corners[3] = hoVertices(h);
    for (uint k = 0u; k < 9u; k++) p.w[k] = BITS(corners[k / 3u][k % 3u]);
    p.w[9] = BITS(hoTime(h));
    p.w[10] = uint(hoCluster(h));
    p.w[11] = facts;
    PUT(2u)
}
`

const queryParts = 3

// queryHitRows: objects of ray queries.
func queryHitRows() []Row {
	p := hitObjectProgram("hit-objects-queries", shapes.HitObjectsEXT, queryParts)
	raygen := p.group(engine.GeneralGroup(p.withHitObjects(engine.Raygen, shapes.HitObjectsEXT, queryBody)))
	triangles, box, miss := p.answers()
	scene := hitObjectScene()
	scene.Positions = true
	same := sameParts(queryParts, hitObjectStages, func(part, w int) bool { return part == 2 || w == 52 })
	corners := map[int]Triangle{0: front(0, 0, 5), 1: back(4, 0, 5), 2: front(0, 4, 6), 4: front(0, 0, 5), 5: front(0, 4, 6),
		10: front(0, 0, 5), 12: front(0, 4, 6)}
	return []Row{{Name: "queries", Rule: reorderAt +
		"an object of a query is its committed hit, empty without one; a triangle keeps " +
		"its own kind and barycentrics; without a record execution runs nothing; vertex positions are those of object space",
		Program: p, Scene: scene, Table: hitObjectTable(raygen, triangles, box, miss), Rays: hitObjectRays(),
		Check: func(got []uint32) error {
			if err := same(got); err != nil {
				return err
			}
			for ray, stage := range hitObjectStages {
				w := got[(ray*queryParts+2)*dumpWords:]
				want := uint32(1 | 2 | 4 | 64)
				if stage == 2 {
					want = 1 | 2 | 8 | 32 | 64
					if _, triangle := corners[ray]; !triangle {
						want |= 16
					}
				}
				if w[11] != want || w[9] != 0 || w[10] != math.MaxUint32 {
					return fmt.Errorf("ray %d: facts %#x, want %#x; time %#x, cluster %d", ray, w[11], want, w[9], int32(w[10]))
				}
				for k := range 9 { // zeros of what is no triangle
					if f := math.Float32frombits(w[k]); f != corners[ray][k/3][k%3] {
						return fmt.Errorf("ray %d: coordinate %d is %v, want %v", ray, k, f, corners[ray][k/3][k%3])
					}
				}
			}
			return nil
		}}}
}

// recordBody records hits that were traced before, by NV's instructions.
const recordBody = dumpHead + `
#define HIT(i) scene, i, int(hoPrimitive(h)), int(hoGeometry(h)), hoKind(h)
#define RAYS hoWorldOrigin(h), hoTMin(h), hoWorldDirection(h), hoTMax(h)
void main() {
    Ray r = RAY;
    clearDump();
    TRACE(r, 0);
    PUT(0u)
    clearDump();
    HO h, recorded;
    hoTrace(h, scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, r.direction, r.tmax);
    uint any = p.w[52];
    if (hoIsHit(h)) {
        hoAttributes(h);
        hitObjectRecordHitNV(recorded, HIT(int(hoInstanceId(h))), r.a + r.offset, r.b + r.stride, RAYS, 0);
    } else {
        hoMiss(recorded, 0u, r.miss, r.origin, r.tmin, r.direction, r.tmax);
    }
    hoReorder(recorded);
    hoExecute(recorded);
    p.w[53] = 0u;
    PUT(1u)
    clearDump();
    hoEmpty(recorded);
    if (hoIsHit(h)) hitObjectRecordHitWithIndexNV(recorded, HIT(int(hoInstanceId(h))), hoRecordIndex(h), RAYS, 0);
    else hoMiss(recorded, 0u, r.c + r.miss, r.origin, r.tmin, r.direction, r.tmax);
    hoExecute(recorded);
    p.w[52] = any;
    PUT(2u)
    clearDump();
    hitObjectRecordHitNV(recorded, HIT(1000), 0u, 0u, RAYS, 0); // no such instance: nothing to tell
    hoExecute(recorded);
    hitObjectRecordHitWithIndexNV(recorded, scene, 0, 0, 0, 0xFEu, 12345u, vec3(0), 0.0, vec3(1), 1.0, 0);
    p.w[1] = hoIsHit(recorded) ? 1u : 0u;
    PUT(3u)
}
`

const recordParts = 4

// recordHitRows: hits that are recorded.
func recordHitRows() []Row {
	p := hitObjectProgram("hit-objects-recorded", shapes.HitObjectsNV, recordParts)
	raygen := p.group(engine.GeneralGroup(p.withHitObjects(engine.Raygen, shapes.HitObjectsNV, recordBody)))
	triangles, box, miss := p.answers()
	same := sameParts(recordParts, hitObjectStages, func(part, w int) bool {
		return part == 3 || w == 3 || w == 52 // recorded objects have no ray flags
	})
	recorded := Row{Name: "recorded", Rule: "SPV_NV_shader_invocation_reorder: a recorded hit is what a traced one would be; " +
		"its record's index comes from the instance's offset, or is given",
		Program: p, Scene: hitObjectScene(), Table: hitObjectTable(raygen, triangles, box, miss), Rays: hitObjectRays(),
		Check: same}
	wide := recorded
	wide.Name, wide.Rays = "recorded-wide", hitObjectRays()
	wide.Rule = "SPV_NV_shader_invocation_reorder: of table offset and stride the low 4 bits count, of a miss index the low 16"
	for i := range wide.Rays {
		wide.Rays[i].Data = [3]uint32{0x30, 0x50, 0xF0000}
	}
	wide.Rule += "; without such an instance there is nothing to tell"
	wide.Check = func(got []uint32) error {
		if err := same(got); err != nil {
			return err
		}
		for ray := range hitObjectStages {
			for w, g := range got[(ray*recordParts+3)*dumpWords:][:dumpWords] {
				if want := map[int]uint32{1: 1}[w]; g != want {
					return fmt.Errorf("ray %d: word %d is %#x after a hit of no instance, want %#x", ray, w, g, want)
				}
			}
		}
		return nil
	}
	wide.NativeDiffers = map[Driver]Difference{NVIDIA: {Reason: "recorded hit objects heed all bits of the table's offset and " +
		"stride, and of the miss index"}}
	return []Row{recorded, wide}
}

// mixedRows: a ray generation shader with NV's objects runs a closest hit shader with EXT's.
func mixedRows() []Row {
	p := hitObjectProgram("hit-objects-mixed", shapes.HitObjectsEXT, getterParts)
	p.Depth = 2
	own := p.withHitObjects(engine.ClosestHit, shapes.HitObjectsEXT,
		getterBody+"layout(location = 1) rayPayloadInEXT uint q;\nvoid main() { q += 1u; run(RAY); }")
	triangles, box, miss := p.answers()
	start := p.raygen(`#extension GL_NV_shader_invocation_reorder : require
layout(location = 1) rayPayloadEXT uint q;
void main() {
    q = 0u;
    hitObjectNV h;
    hitObjectTraceRayNV(h, scene, 1u, 0xFFu, 8u, 1u, 0u, vec3(0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 1);
    reorderThreadNV(h, gl_LaunchIDEXT.x, 4u);
    hitObjectExecuteShaderNV(h, 1);
    if (q != 1u) OUT(0) = 77u;
}
`)
	table := hitObjectTable(start, triangles, box, miss)
	table.Hit = append(table.Hit, sbt.Record{Group: p.group(engine.TrianglesGroup(own, engine.Unused)), Data: le(0)})
	return []Row{{Name: "mixed", Rule: reorderAt +
		"beside SPV_NV_shader_invocation_reorder in one pipeline; execution from a " +
		"closest hit shader that an execution runs",
		Program: p, Scene: hitObjectScene(), Table: table, Rays: hitObjectRays(), Check: checkGetters}}
}

// bothBody has an object of each extension, for the same ray.
const bothBody = "\n#extension GL_NV_shader_invocation_reorder : require\n" + dumpHead + `
void main() {
    Ray r = RAY;
    clearDump();
    TRACE(r, 0);
    PUT(0u)
    clearDump();
    HO e;
    hitObjectNV n;
    hoTrace(e, scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, r.direction, r.tmax);
    uint any = p.w[52];
    hitObjectTraceRayNV(n, scene, r.flags, r.mask, r.offset, r.stride, r.miss, r.origin, r.tmin, r.direction, r.tmax, 0);
    reorderThreadNV(n, 1u, 1u);
    hoReorder(e);
    bool same = p.w[52] == 2u * any && hitObjectIsHitNV(n) == hoIsHit(e) && hitObjectIsMissNV(n) == hoIsMiss(e) &&
        hitObjectGetRayTMaxNV(n) == hoTMax(e) && hitObjectGetShaderBindingTableRecordIndexNV(n) == hoRecordIndex(e);
    clearDump();
    hoExecute(e);
    p.w[52] = any;
    p.w[53] = same ? 0u : 1u;
    PUT(1u)
    clearDump();
    hitObjectExecuteShaderNV(n, 0);
    p.w[52] = any;
    PUT(2u)
}
`

const bothParts = 3

// bothRows: objects of both extensions in one module.
func bothRows() []Row {
	p := hitObjectProgram("hit-objects-both", shapes.HitObjectsEXT, bothParts)
	raygen := p.group(engine.GeneralGroup(p.withHitObjects(engine.Raygen, shapes.HitObjectsEXT, bothBody)))
	triangles, box, miss := p.answers()
	return []Row{{Name: "both", Rule: reorderAt +
		"beside SPV_NV_shader_invocation_reorder in one module: each extension's object of a ray tells and executes the same",
		Program: p, Scene: hitObjectScene(), Table: hitObjectTable(raygen, triangles, box, miss), Rays: hitObjectRays(),
		Check: sameParts(bothParts, hitObjectStages, func(int, int) bool { return false })}}
}
