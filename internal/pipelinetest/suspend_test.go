package pipelinetest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// The scene of TestSuspendedTraversal: a stack of triangles of many geometries and one of boxes, none opaque, so that rays along it
// have some two hundred candidates.
const (
	stackGeometries = 17 // of triangles, six each; more any hit shaders than go into a kernel
	stackTriangles  = 6
	boxGeometries   = 2 // of boxes, six each
	stackBoxes      = 6
)

const suspendPayload = `#version 460
#extension GL_EXT_ray_tracing : require
struct Seen { uint order; uint count; uint hit; uint salt; };
uint mixed(uint a, uint b) { a = (a ^ b) * 0x9E3779B1u; return a ^ a >> 15; }
`

// suspendRaygen traces two rays one after the other; what it adds up lives across both.
const suspendRaygen = suspendPayload + `
#ifdef OBJECTS
#extension GL_NV_shader_invocation_reorder : require
#endif
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uvec4 pixel[]; } result;
layout(location = 0) rayPayloadEXT Seen seen;
void main() {
    uint pixel = gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    uvec4 sum = uvec4(0u);
    for (uint i = 0u; i < 2u; i++) {
        seen = Seen(0u, 0u, 0u, pixel + 1000u * i);
        vec3 origin = vec3(vec2(gl_LaunchIDEXT.xy) * 0.02, -1.0), direction = vec3(0.001 * float(i), 0.002, 1.0);
#ifdef OBJECTS
        hitObjectNV hit;
        hitObjectTraceRayNV(hit, scene, 0u, 0xFFu, 0u, 1u, 0u, origin, 0.0, direction, 1e3, 0);
        reorderThreadNV(hit, pixel & 3u, 2u);
        if (hitObjectIsHitNV(hit)) sum.w = sum.w * 7u + hitObjectGetInstanceCustomIndexNV(hit) + hitObjectGetHitKindNV(hit);
        hitObjectExecuteShaderNV(hit, 0);
#else
        traceRayEXT(scene, 0u, 0xFFu, 0u, 1u, 0u, origin, 0.0, direction, 1e3, 0);
#endif
        sum = sum * 5u + uvec4(seen.order, 0u, seen.hit, 0u);
        sum.y += seen.count;
    }
    result.pixel[pixel] = sum;
}
`

const suspendMiss = suspendPayload + `
layout(location = 0) rayPayloadInEXT Seen seen;
void main() { seen.hit += 99u; }
`

// suspendHit reads attributes, and traces another ray once, which the first accepted hit ends.
const suspendHit = suspendPayload + `
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadInEXT Seen seen;
layout(location = 1) rayPayloadEXT Seen more;
layout(shaderRecordEXT, std430) buffer Record { uint word; } record;
hitAttributeEXT vec2 attributes;
void main() {
    uint hit = mixed(floatBitsToUint(gl_HitTEXT), gl_HitKindEXT + 256u * uint(gl_PrimitiveID));
    hit = mixed(hit, floatBitsToUint(attributes.x) + record.word + uint(gl_InstanceCustomIndexEXT));
    if (seen.salt < 100000u) {
        more = Seen(0u, 0u, 0u, seen.salt + 100000u);
        traceRayEXT(scene, gl_RayFlagsTerminateOnFirstHitEXT, 0xFFu, 0u, 1u, 0u, gl_WorldRayOriginEXT, gl_HitTEXT,
            gl_WorldRayDirectionEXT, 1e3, 1);
        seen.count += more.count;
        hit = mixed(hit, more.order + more.hit);
    }
    seen.hit = hit;
}
`

// suspendAnyHit remembers the order of all that it is asked about, and accepts one in sixteen.
const suspendAnyHit = suspendPayload + `
layout(constant_id = 0) const uint SHADER = 0u;
layout(location = LOCATION) rayPayloadInEXT Seen seen;
layout(shaderRecordEXT, std430) buffer Record { uint word; } record;
hitAttributeEXT vec2 attributes;
void main() {
    uint self = mixed(SHADER + 32u * gl_HitKindEXT + record.word, uint(gl_PrimitiveID) + 64u * uint(gl_GeometryIndexEXT));
    seen.order = mixed(seen.order, self + floatBitsToUint(gl_HitTEXT) + floatBitsToUint(attributes.y) + gl_LaunchIDEXT.x);
    seen.count++;
    uint h = mixed(self, seen.salt);
    if (h % 16u != 0u) ignoreIntersectionEXT;
    if (h % 64u == 0u) terminateRayEXT;
}
`

// suspendIntersection reports three hits in its box, the last one nearer than the others.
const suspendIntersection = `#version 460
#extension GL_EXT_ray_tracing : require
hitAttributeEXT vec2 attributes;
void main() {
    float near = 2.0 + float(gl_PrimitiveID) + 7.0 * float(gl_GeometryIndexEXT);
    attributes = vec2(near, 0.5);
    if (reportIntersectionEXT(near, 1u)) attributes.y = 0.25;
    attributes.x += 1.0;
    reportIntersectionEXT(near + 0.5, 2u);
    attributes.x += gl_RayTmaxEXT < 1e3 ? 1.0 : 0.0;
    reportIntersectionEXT(near - 0.25, 3u);
}
`

// openStack builds the scene, and returns what destroys it.
func (b *bench) openStack(t *testing.T) (scene *engine.AccelerationStructure, destroy func()) {
	t.Helper()
	var cleanup []func()
	input := func(name string, floats []float32) *vk.Buffer {
		var raw []byte
		for _, v := range floats {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		data, err := b.dev.NewBuildInput(t.Context(), name, raw)
		if err != nil {
			t.Fatal(err)
		}
		cleanup = append(cleanup, data.Destroy)
		return data
	}
	build := func(name string, kind vk.AccelerationStructureType, geometries []vk.Geometry,
		ranges []vk.BuildRange) *engine.AccelerationStructure {
		t.Helper()
		list, _, err := b.dev.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{
			Name: name, Info: vk.BuildInfo{Type: kind, Geometries: geometries}, Ranges: ranges}})
		if err != nil {
			t.Fatal(err)
		}
		cleanup = append(cleanup, list[0].Destroy)
		return list[0]
	}
	var corners, bounds []float32
	for i := range stackGeometries * stackTriangles {
		z := float32(i*37%103) / 8
		corners = append(corners, -9, -9, z, 9, -9, z, 0, 20, z)
	}
	for i := range boxGeometries * stackBoxes {
		z := float32(2+i%stackBoxes) + 7*float32(i/stackBoxes)
		bounds = append(bounds, -5, -5, z-1, 5, 5, z+1)
	}
	vertices, boxes := input("vertices", corners), input("boxes", bounds)
	var triangles, procedural []vk.Geometry
	var triangleRanges, boxRanges []vk.BuildRange
	for g := range stackGeometries {
		triangles = append(triangles, vk.Geometry{Type: vk.GeometryTriangles, Flags: vk.GeometryNoDuplicateAnyHit,
			Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12,
				MaxVertex: 3*stackGeometries*stackTriangles - 1, IndexType: vk.IndexNone}})
		triangleRanges = append(triangleRanges,
			vk.BuildRange{PrimitiveCount: stackTriangles, PrimitiveOffset: uint32(36 * stackTriangles * g)})
	}
	for g := range boxGeometries {
		procedural = append(procedural, vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: boxes.Address(), Stride: 24}})
		boxRanges = append(boxRanges, vk.BuildRange{PrimitiveCount: stackBoxes, PrimitiveOffset: uint32(24 * stackBoxes * g)})
	}
	a, p := build("stack", vk.BottomLevel, triangles, triangleRanges), build("boxes", vk.BottomLevel, procedural, boxRanges)
	moved := [12]float32{-0.7, 0, 0, 0.1, 0, 0.8, 0.1, -0.1, 0, 0, 1.5, 0.3}
	instances, err := b.dev.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 5, 0xFF, 0, 0, a.Address()),
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 9, 0xFF, stackGeometries, 0, p.Address()),
		vk.NewAccelerationStructureInstance(moved, 77, 0xFF, 0, 0, a.Address()),
	})
	if err != nil {
		t.Fatal(err)
	}
	cleanup = append(cleanup, instances.Destroy)
	top := vk.Geometry{Type: vk.GeometryInstances, Instances: vk.Instances{Data: instances.Address()}}
	scene = build("scene", vk.TopLevel, []vk.Geometry{top}, []vk.BuildRange{{PrimitiveCount: 3}})
	return scene, func() {
		for _, f := range slices.Backward(cleanup) {
			f()
		}
	}
}

// suspendOptions are those of the pipeline: a group for each geometry, each with an any hit shader of its own.
func (b *bench) suspendOptions(t *testing.T, objects bool, form engine.LinkForm) (engine.PipelineOptions, sbt.Layout) {
	t.Helper()
	raygen := suspendRaygen
	if objects {
		raygen = "#version 460\n#define OBJECTS\n" + raygen[len("#version 460\n"):]
	}
	stage := func(kind engine.StageKind, extension, source string) engine.Stage {
		return engine.Stage{Kind: kind, Code: b.glsl.Compile(t, extension, source)}
	}
	any := b.glsl.Compile(t, "rahit", "#version 460\n#define LOCATION 0\n"+suspendAnyHit[len("#version 460\n"):])
	o := engine.PipelineOptions{Name: fmt.Sprintf("suspended, %v", form), MaxRecursionDepth: 2, Form: form,
		Stages: []engine.Stage{stage(engine.Raygen, "rgen", raygen), stage(engine.Miss, "rmiss", suspendMiss),
			stage(engine.ClosestHit, "rchit", suspendHit), stage(engine.Intersection, "rint", suspendIntersection)},
		Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1)}}
	l := sbt.Layout{Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}}
	for g := range stackGeometries + boxGeometries {
		at := len(o.Stages)
		o.Stages = append(o.Stages, engine.Stage{Kind: engine.AnyHit, Code: any, Specialization: map[uint32][]byte{
			0: binary.LittleEndian.AppendUint32(nil, uint32(g))}})
		group := engine.TrianglesGroup(2, at)
		if g >= stackGeometries {
			group = engine.ProceduralGroup(3, 2, at)
		} else if g == 1 {
			group = engine.TrianglesGroup(2, engine.Unused) // what nobody is asked about, is a hit
		}
		l.Hit = append(l.Hit, sbt.Record{Group: len(o.Groups), Data: binary.LittleEndian.AppendUint32(nil, uint32(1000+g))})
		o.Groups = append(o.Groups, group)
	}
	return o, l
}

// TestSuspendedTraversal: where traversal is suspended at candidates, rays with more of them than rounds are recorded meet all that
// they meet where it is not, in the same order, and hand on the same attributes; in hit objects, too.
func TestSuspendedTraversal(t *testing.T) {
	b := openBench(t, engine.BackendCompute)
	t.Cleanup(b.close)
	scene, destroy := b.openStack(t)
	defer destroy()
	layout, err := b.dev.NewDescriptorSetLayout("stack", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: vk.StageRaygen | vk.StageClosestHit},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer layout.Destroy()
	run := func(objects bool, form engine.LinkForm) ([]uint32, engine.PipelineStats) {
		t.Helper()
		o, l := b.suspendOptions(t, objects, form)
		o.SetLayouts, o.PushConstantBytes = []*engine.DescriptorSetLayout{layout}, 8
		p, err := b.dev.NewRayTracingPipeline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Destroy()
		table, err := b.dev.NewTable(t.Context(), p, l)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Destroy()
		return b.launch(t, layout, p, table, scene, 0), p.Stats()
	}
	for _, objects := range []bool{false, true} {
		if !objects && testing.Short() {
			continue // closest hit shaders trace without objects in any case
		}
		want, plain := run(objects, engine.FormMegakernel)
		got, stats := run(objects, engine.FormSuspended)
		if !stats.Suspends || plain.Suspends || stats.Form != engine.FormSuspended || stats.Bounded {
			t.Errorf("suspends %v, %v, form %v, bounded %v", stats.Suspends, plain.Suspends, stats.Form, stats.Bounded)
		}
		most := uint32(0)
		for i := 0; i < len(want); i += 4 {
			most = max(most, want[i+1])
			if !slices.Equal(got[i:i+4], want[i:i+4]) {
				t.Fatalf("objects %v, pixel %d: %x, not suspended %x", objects, i/4, got[i:i+4], want[i:i+4])
			}
		}
		if most < 2*stats.Rounds {
			t.Errorf("%d candidates at most, %d rounds: nothing is left to the tail", most, stats.Rounds)
		}
	}
}
