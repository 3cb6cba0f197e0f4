package pipelinetest_test

import (
	"fmt"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

const queryStageHead = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { uint word[]; } result;
layout(push_constant) uniform Ray { uint flags, mask; float tMin, tMax; } ray;
// What a query from above says that does not depend on the last bits of anything.
uint above(uint p) {
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 1u | 512u, 0xFFu, vec3(float(p) * 0.043 - 0.8, 0.11, 4.0), 0.0, vec3(0.0, 0.0, -1.0), 100.0);
	while (rayQueryProceedEXT(q)) {}
	if (rayQueryGetIntersectionTypeEXT(q, true) == 0u) return 0u;
	return 1u + rayQueryGetIntersectionPrimitiveIndexEXT(q, true) + 64u * rayQueryGetIntersectionInstanceIdEXT(q, true);
}
`

// queryRaygen has two queries alive across its trace calls, one of them global and used by a function.
const queryRaygen = queryStageHead + `
layout(location = 0) rayPayloadEXT uint p;
rayQueryEXT shared_;
bool next() { return rayQueryProceedEXT(shared_); }
void main() {
	vec3 o = vec3((vec2(gl_LaunchIDEXT.xy) + 0.5) / 24.0 * 2.0 - 1.0, 4.0);
	vec3 d = vec3(sin(float(gl_LaunchIDEXT.x)) * 0.2, cos(float(gl_LaunchIDEXT.y)) * 0.2, -1.5);
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 2u | 512u, 0xFFu, o, 0.0, d, 100.0);
	rayQueryInitializeEXT(shared_, scene, 2u | 256u, 0xFFu, o, 0.0, d, 100.0);
	uint sum = 0u, calls = 0u, boxes = 0u;
	p = 0u;
	while (rayQueryProceedEXT(q)) {
		sum += rayQueryGetIntersectionPrimitiveIndexEXT(q, false) + 1u + 100u * rayQueryGetIntersectionInstanceIdEXT(q, false);
		if (next()) boxes += rayQueryGetIntersectionPrimitiveIndexEXT(shared_, false) + 1u;
		if (calls++ < 3u) {
			p = 7u;
			traceRayEXT(scene, ray.flags, ray.mask, 0u, 1u, 0u, o, ray.tMin, d, ray.tMax, 0);
			sum += p * 13u;
		}
	}
	while (next()) boxes += rayQueryGetIntersectionPrimitiveIndexEXT(shared_, false) + 1u;
	uint at = 4u * (gl_LaunchIDEXT.y * 24u + gl_LaunchIDEXT.x);
	result.word[at] = sum; result.word[at + 1u] = calls; result.word[at + 2u] = boxes; result.word[at + 3u] = p;
}
`

const queryMiss = queryStageHead + "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p = 5u + above(gl_LaunchIDEXT.x); }"
const queryClosest = queryStageHead + "layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { p += " +
	"above(uint(gl_PrimitiveID)) + 3u * above(gl_LaunchIDEXT.x); }"
const queryAny = queryStageHead + "void main() { if ((gl_PrimitiveID & 1) != 0 && above(uint(gl_PrimitiveID)) != 0u) " +
	"ignoreIntersectionEXT; }"

// TestQueriesInPipelines compares a pipeline whose shaders use queries, natively and in every form by compute.
func TestQueriesInPipelines(t *testing.T) {
	code := func(stage, source string) []uint32 { return glsltest.Compile(t, stage, source) }
	stages := []engine.Stage{
		{Kind: engine.Raygen, Code: code("rgen", queryRaygen)}, {Kind: engine.Miss, Code: code("rmiss", queryMiss)},
		{Kind: engine.ClosestHit, Code: code("rchit", queryClosest)}, {Kind: engine.AnyHit, Code: code("rahit", queryAny)},
	}
	var want []uint32
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		d := openQueries(t, way)
		scene := newQueryScene(t, d, 0)
		forms := []engine.LinkForm{engine.FormAuto}
		if way == engine.BackendCompute {
			forms = append(forms, engine.FormMonolithic, engine.FormMegakernel, engine.FormBlocks, engine.FormWavefront, engine.FormSorted,
				engine.FormSuspended)
		}
		for _, form := range forms {
			t.Run(fmt.Sprint(way, " ", form), func(t *testing.T) {
				got := traceQueries(t, d, scene, stages, form)
				if want == nil {
					want = got
					for k := range 4 {
						if queryValues("uuuu", got, k) < 2 {
							t.Errorf("word %d is the same for all rays: the test tests nothing", k)
						}
					}
				}
				compareQueries(t, "uuuu", want, got)
			})
		}
	}
}

func traceQueries(t *testing.T, d *engine.Device, scene *queryScene, stages []engine.Stage, form engine.LinkForm) []uint32 {
	t.Helper()
	layout, err := d.NewDescriptorSetLayout("queries", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	check(t, err)
	defer layout.Destroy()
	p, err := d.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{
		Name: t.Name(), Stages: stages, Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1),
			engine.TrianglesGroup(2, 3)},
		SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 16, MaxRecursionDepth: 1, Form: form,
	})
	check(t, err)
	defer p.Destroy()
	hits := make([]sbt.Record, 9) // offsets 1 and 7, two geometries
	for i := range hits {
		hits[i].Group = 2
	}
	table, err := d.NewTable(t.Context(), p, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: hits})
	check(t, err)
	defer table.Destroy()
	result, err := d.VK().NewBuffer(vk.BufferOptions{Name: "result", Size: 16 * queryCount, Memory: vk.Readback})
	check(t, err)
	defer result.Destroy()
	set, err := d.NewDescriptorSet(layout)
	check(t, err)
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, scene.tlas)
	set.WriteBuffer(1, 0, result, 0, 0)
	check(t, d.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		return d.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: p, Table: table, Sets: []*engine.DescriptorSet{set}, Width: queryGrid, Height: queryGrid, Depth: 1,
			// Of the triangles, the instances with small offsets only.
			PushConstants: queryRay{512, 0x40, 0, 100}.bytes(),
		})
	}))
	return readWords(t, d, result)
}
