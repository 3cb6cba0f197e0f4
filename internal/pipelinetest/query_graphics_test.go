package pipelinetest_test

import (
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

const queryGraphicsHead = `#version 460
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(push_constant) uniform Ray { uint flags, mask; float tMin, tMax; } ray;
`

// The vertex shader covers the image with a triangle, and finds what is below its first corner.
const queryVertex = queryGraphicsHead + `
layout(location = 0) flat out float below;
void main() {
	vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
	gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 1u | 512u, 0xFFu, vec3(corner * 0.1, 4.0), 0.0, vec3(0.0, 0.0, -1.0), 100.0);
	while (rayQueryProceedEXT(q)) {}
	below = rayQueryGetIntersectionTypeEXT(q, true) == 0u ? -1.0 : rayQueryGetIntersectionTEXT(q, true);
}
`

const queryFragment = queryGraphicsHead + `
layout(location = 0) flat in float below;
layout(location = 0) out vec4 color;
void main() {
	if (uint(gl_FragCoord.x) == 3u) discard;
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, ray.flags, ray.mask, vec3(gl_FragCoord.xy / 24.0 * 2.0 - 1.0, 4.0), ray.tMin,
	    vec3(0.01, 0.02, -1.0), ray.tMax);
	float n = 0.0;
	while (rayQueryProceedEXT(q)) {
		if (rayQueryGetIntersectionTypeEXT(q, false) != gl_RayQueryCandidateIntersectionTriangleEXT) continue;
		if ((rayQueryGetIntersectionPrimitiveIndexEXT(q, false) & 1) == 0) rayQueryConfirmIntersectionEXT(q);
	}
	if (rayQueryGetIntersectionTypeEXT(q, true) != 0u) {
		n = float(rayQueryGetIntersectionPrimitiveIndexEXT(q, true)) + 64.0 * float(rayQueryGetIntersectionInstanceIdEXT(q, true)) + 1.0;
	}
	color = vec4(n, n == 0.0 ? 0.0 : rayQueryGetIntersectionTEXT(q, true), below, dFdx(gl_FragCoord.x));
}
`

// TestQueriesInGraphics draws with queries in vertex and fragment shaders, natively and by compute.
func TestQueriesInGraphics(t *testing.T) {
	vertex, fragment := glsltest.Compile(t, "vert", queryVertex), glsltest.Compile(t, "frag", queryFragment)
	var images [][]uint32
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		r := newQueryRig(t, openQueries(t, way), 0)
		if !r.device.VK().Features().DynamicRendering {
			t.Skip("no dynamic rendering")
		}
		images = append(images, r.draw(t, vertex, fragment))
	}
	const layout = "uffu"
	compareQueries(t, layout, images[0], images[1])
	if n := queryValues(layout, images[1], 0); n < 10 {
		t.Errorf("the image shows %d primitives", n)
	}
}

// draw draws the scene into an image with four floats a pixel, and returns their bits.
func (r *queryRig) draw(t *testing.T, vertex, fragment []uint32) []uint32 {
	t.Helper()
	set, result := r.set(t, 4, r.scene.tlas)
	r.drawWith(t, vk.GraphicsPipelineOptions{Vertex: vertex, Fragment: fragment}, 3, set, result)
	return readWords(t, r.device, result)
}

// drawWith draws so many vertices with the stages of o, whose ray queries are lowered before, and copies the image to the
// buffer, if there is one.
func (r *queryRig) drawWith(t *testing.T, o vk.GraphicsPipelineOptions, vertices uint32, set *engine.DescriptorSet,
	result *vk.Buffer) {
	t.Helper()
	dev := r.device.VK()
	used := vulkan.ShaderStageFlags(0)
	for _, s := range []struct {
		stage vulkan.ShaderStageFlags
		code  *[]uint32
	}{{vk.StageVertex, &o.Vertex}, {vk.StageTessellationControl, &o.TessellationControl},
		{vk.StageTessellationEvaluation, &o.TessellationEvaluation},
		{vk.StageGeometry, &o.Geometry}, {vk.StageFragment, &o.Fragment}} {
		if len(*s.code) == 0 {
			continue
		}
		used |= s.stage
		code, err := r.device.LowerShader(t.Context(), engine.ShaderOptions{Stage: s.stage, Code: *s.code})
		check(t, err)
		*s.code = code
	}
	layout, err := dev.NewPipelineLayout("draw", []*vk.DescriptorSetLayout{r.layout.VK()}, []vk.PushRange{{Stages: used, Size: 16}})
	check(t, err)
	defer layout.Destroy()
	const format = vulkan.FormatR32g32b32a32Sfloat
	o.Name, o.Layout, o.Format = "draw", layout, format
	p, err := dev.NewGraphicsPipeline(o)
	check(t, err)
	defer p.Destroy()
	image, err := dev.NewImage(vk.ImageOptions{Name: "target", Width: queryGrid, Height: queryGrid, Format: format,
		Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageColorAttachmentBit | vulkan.ImageUsageTransferSrcBit)})
	check(t, err)
	defer image.Destroy()
	check(t, dev.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error {
		all := func(from, to vulkan.ImageLayout) {
			cb.ImageBarrier(image.Handle(), from, to, vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageAllCommands,
				vk.AccessMemoryRead|vk.AccessMemoryWrite)
		}
		r.device.CmdBarrier(cb)
		all(vulkan.ImageLayoutUndefined, vulkan.ImageLayoutGeneral)
		cb.BindDescriptorSets(vulkan.PipelineBindPointGraphics, layout, 0, set.VK())
		cb.PushConstants(layout, used, 0, wholeRay.bytes())
		cb.DrawToImage(p, image, [4]float32{}, vertices)
		all(vulkan.ImageLayoutGeneral, vulkan.ImageLayoutTransferSrcOptimal)
		if result != nil {
			cb.CopyImageToBuffer(image.Handle(), vulkan.ImageLayoutTransferSrcOptimal, result,
				vk.ImageRegion{Width: queryGrid, Height: queryGrid})
		}
		return nil
	}))
}
