package pipelinetest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// corners_test runs what shaders may hold beside ray tracing (types, descriptors, declarations, control flow) around
// calls, natively and by compute in every form, plain and optimised, and wants the same words of both. Indices of
// descriptors that differ between lanes are nonuniformEXT there: without it drivers may do anything, and the H200's
// crashed once in this test.

// corner is one pipeline: bodies of the shaders' main functions, and declarations that all of them share. In all of them
// `p` is the payload or callable data, `record` the shader record; note(v) adds to the result of the ray generation
// shader. Empty bodies take plain ones.
type corner struct {
	name string
	// types declares what all shaders share: the type Data of payload and callable data, and the record if one is used.
	types  string
	common string // functions and globals of all shaders
	// rayFunctions and the others are declarations of one shader alone.
	rayFunctions, hitFunctions, anyFunctions string
	// raygen and the others are bodies of main.
	raygen, hit, miss, anyHit, callable string
	depth                               uint32
	specialization                      map[uint32][]byte
	target                              []string // arguments of glslangValidator
	record                              []byte
	// alone: lavapipe's own way does not have it in these stages; the forms are compared with each other.
	alone bool
}

const cornerHead = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_ray_query : require
#extension GL_EXT_debug_printf : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
layout(set = 0, binding = 2, std430) buffer Scratch { uint word[]; } scratch[3];
layout(set = 0, binding = 3) uniform sampler2D textures[3];
layout(set = 0, binding = 4, r32ui) uniform uimage2D images[2];
layout(set = 0, binding = 5) uniform texture2D plain[2];
layout(set = 0, binding = 6) uniform sampler samplers[2];
layout(set = 0, binding = 7, std140) uniform Block { uvec4 v[4]; } blocks[2];
layout(push_constant) uniform Push { uvec2 scratchAddress; uint seed; } push;
`

const cornerTail = `
#define PIXEL (gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x)
uint hash(uint v) { v = v * 747796405u + 2891336453u; uint w = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u; return (w >> 22u) ^ w; }
`

const cornerRaygen = `
vec3 origin(uint k) { return vec3((vec2(gl_LaunchIDEXT.xy) + 0.5) / vec2(gl_LaunchSizeEXT.xy) * 2.0 - 1.0,
    -2.0 - float(k & 7u) * 0.125); }
vec3 direction(uint k) { uint h = hash(k + push.seed); return vec3(float(h & 255u) / 255.0 - 0.5,
    float((h >> 8) & 255u) / 255.0 - 0.5, 0.0) * 0.3 + vec3(0.0, 0.0, 1.0); }
#define TRACE(k) traceRayEXT(scenes[0], 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0)
uint sum = 1u;
void note(uint v) { sum = sum * 31u + v; }
`

func (c *corner) stage(t *testing.T, kind engine.StageKind, extension, declarations, body string, optimise bool) engine.Stage {
	types := c.types
	if types == "" {
		types = "#define Data uint\nlayout(shaderRecordEXT, std430) buffer Record { uint value; } record;\n"
	}
	source := cornerHead + types + cornerTail + declarations + c.common
	switch kind {
	case engine.Raygen:
		source += c.rayFunctions
	case engine.ClosestHit:
		source += c.hitFunctions
	case engine.AnyHit:
		source += c.anyFunctions
	}
	source += "\nvoid main() {\n" + body + "\n}\n"
	args := c.target
	if args == nil {
		args = []string{"--target-env", "vulkan1.2"}
	}
	code := glsltest.CompileAs(t, extension, source, args...)
	if optimise {
		code = glsltest.Optimize(t, code, "-O")
	}
	return engine.Stage{Kind: kind, Code: code, Specialization: c.specialization}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (c *corner) stages(t *testing.T, optimise bool) []engine.Stage {
	const payload, incoming = "layout(location = 0) rayPayloadEXT Data p;\nlayout(location = 1) callableDataEXT Data c;\n",
		"layout(location = 0) rayPayloadInEXT Data p;\n"
	const callable = "layout(location = 1) callableDataInEXT Data p;\n"
	return []engine.Stage{
		c.stage(t, engine.Raygen, "rgen", payload+cornerRaygen, c.raygen+"\nresult.word[PIXEL] = sum;", optimise),
		c.stage(t, engine.Miss, "rmiss", incoming, orElse(c.miss, "p = p * 3u + 1u;"), optimise),
		c.stage(t, engine.ClosestHit, "rchit", incoming+"hitAttributeEXT vec2 bary;\n",
			orElse(c.hit, "p = p * 5u + uint(gl_PrimitiveID);"), optimise),
		c.stage(t, engine.AnyHit, "rahit", incoming+"hitAttributeEXT vec2 bary;\n",
			orElse(c.anyHit, "if ((gl_PrimitiveID & 1) == 0) ignoreIntersectionEXT;"), optimise),
		c.stage(t, engine.Callable, "rcall", callable, orElse(c.callable, "p = p * 7u + 2u;"), optimise),
	}
}

// runCorner runs a pipeline and returns the ray generation shader's results, the scratch buffers and the images.
func (b *bench) runCorner(t *testing.T, c *corner, stages []engine.Stage, form engine.LinkForm) []uint32 {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dev := b.dev
	const all = vk.StageRaygen | vk.StageClosestHit | vk.StageMiss | vk.StageAnyHit | vk.StageCallable
	layout, err := dev.NewDescriptorSetLayout("corner", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 2, Stages: all},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: all},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 3, Stages: all},
		{Binding: 3, Type: vulkan.DescriptorTypeCombinedImageSampler, Count: 3, Stages: all},
		{Binding: 4, Type: vulkan.DescriptorTypeStorageImage, Count: 2, Stages: all},
		{Binding: 5, Type: vulkan.DescriptorTypeSampledImage, Count: 2, Stages: all},
		{Binding: 6, Type: vulkan.DescriptorTypeSampler, Count: 2, Stages: all},
		{Binding: 7, Type: vulkan.DescriptorTypeUniformBuffer, Count: 2, Stages: all},
	})
	fatal(err)
	defer layout.Destroy()
	pipeline, err := dev.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{
		Name: t.Name(), Stages: stages, SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 16,
		Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, 3),
			engine.GeneralGroup(4)},
		MaxRecursionDepth: max(c.depth, 1), Form: form,
	})
	if errors.Is(err, engine.ErrUnsupported) && form == engine.FormMonolithic {
		return nil
	}
	fatal(err)
	defer pipeline.Destroy()
	record := c.record
	if record == nil {
		record = []byte{7, 1, 0, 0}
	}
	hit := sbt.Record{Group: 2, Data: record}
	table, err := dev.NewTable(t.Context(), pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0, Data: record}},
		Miss: []sbt.Record{{Group: 1, Data: record}}, Hit: []sbt.Record{hit, hit, hit, hit},
		Callable: []sbt.Record{{Group: 3, Data: record}, {Group: 3, Data: record}}})
	fatal(err)
	defer table.Destroy()
	const words, scratchWords = testWidth * testHeight, 512
	buffer := func(size uint64, usage vulkan.BufferUsageFlagBits, first uint32) *vk.Buffer {
		o := vk.BufferOptions{Name: "corner", Size: size, Memory: vk.DeviceLocal, Alignment: 256}
		if usage != 0 {
			o.Usage = vulkan.BufferUsageFlags(usage | vulkan.BufferUsageTransferDstBit)
		}
		x, err := dev.VK().NewBuffer(o)
		fatal(err)
		t.Cleanup(x.Destroy)
		data := make([]byte, size)
		for i := range size / 4 {
			binary.LittleEndian.PutUint32(data[4*i:], first*uint32(i+1))
		}
		fatal(dev.VK().UploadBuffer(t.Context(), x, 0, data))
		return x
	}
	result := buffer(4*words, 0, 0)
	scratch := []*vk.Buffer{buffer(4*scratchWords, 0, 3), buffer(4*scratchWords, 0, 5), buffer(4*16*scratchWords, 0, 11)}
	set, err := dev.NewDescriptorSet(layout)
	fatal(err)
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, b.tlas)
	set.WriteAccelerationStructure(0, 1, b.tlas)
	set.WriteBuffer(1, 0, result, 0, 0)
	for i, s := range scratch {
		set.WriteBuffer(2, uint32(i), s, 0, 0)
	}
	sampler, err := dev.VK().NewSampler(vk.SamplerOptions{Name: "corner"})
	fatal(err)
	defer sampler.Destroy()
	for i := range uint32(3) {
		texture, err := dev.VK().NewImage(vk.ImageOptions{Name: "texture", Width: 4, Height: 4, MipLevels: 2,
			Format: vulkan.FormatR8g8b8a8Unorm,
			Usage:  vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit)})
		fatal(err)
		defer texture.Destroy()
		texels := make([]byte, 64)
		for k := range texels {
			texels[k] = byte(uint32(k)*17 + i*50)
		}
		fatal(dev.VK().UploadImage(t.Context(), texture, [][]byte{texels, texels[:16]}))
		set.WriteImage(3, i, texture, sampler, vulkan.ImageLayoutShaderReadOnlyOptimal)
		if i < 2 {
			set.WriteImage(5, i, texture, nil, vulkan.ImageLayoutShaderReadOnlyOptimal)
			set.WriteImage(6, i, nil, sampler, 0)
			set.WriteBuffer(7, i, buffer(64, vulkan.BufferUsageUniformBufferBit, 100+i), 0, 0)
		}
	}
	var images []*vk.Image
	for i := range uint32(2) {
		image, err := dev.VK().NewImage(vk.ImageOptions{Name: "image", Width: 16, Height: 16, Format: vulkan.FormatR32Uint,
			Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageStorageBit | vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit |
				vulkan.ImageUsageTransferSrcBit)})
		fatal(err)
		defer image.Destroy()
		fatal(dev.VK().UploadImage(t.Context(), image, [][]byte{make([]byte, 1024)}))
		images = append(images, image)
		set.WriteImage(4, i, image, nil, vulkan.ImageLayoutGeneral)
	}
	fatal(set.Err())
	push := binary.LittleEndian.AppendUint64(nil, scratch[2].Address())
	push = binary.LittleEndian.AppendUint64(push, 42)
	fatal(dev.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error {
		for _, i := range images {
			cb.ImageBarrier(i.Handle(), vulkan.ImageLayoutShaderReadOnlyOptimal, vulkan.ImageLayoutGeneral, vk.StageAllCommands,
				vk.AccessMemoryRead,
				vk.StageAllCommands, vk.AccessMemoryRead|vk.AccessMemoryWrite)
		}
		return dev.CmdTraceRays(cb, engine.TraceOptions{Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set},
			PushConstants: push,
			Width:         testWidth, Height: testHeight, Depth: 1})
	}))
	var out []uint32
	for _, x := range append([]*vk.Buffer{result}, scratch...) {
		raw := make([]byte, x.Size())
		fatal(dev.VK().ReadBuffer(context.Background(), x, 0, raw))
		for i := range len(raw) / 4 {
			out = append(out, binary.LittleEndian.Uint32(raw[4*i:]))
		}
	}
	for _, i := range images {
		back, err := dev.VK().NewBuffer(vk.BufferOptions{Name: "back", Size: 1024, Memory: vk.Readback})
		fatal(err)
		defer back.Destroy()
		fatal(dev.Run(t.Context(), "read back", func(cb *vk.CommandBuffer) error {
			cb.ImageBarrier(i.Handle(), vulkan.ImageLayoutGeneral, vulkan.ImageLayoutTransferSrcOptimal, vk.StageAllCommands,
				vk.AccessMemoryWrite, vk.StageTransfer, vk.AccessTransferRead)
			cb.CopyImageToBuffer(i.Handle(), vulkan.ImageLayoutTransferSrcOptimal, back, vk.ImageRegion{Width: 16, Height: 16})
			return nil
		}))
		raw := make([]byte, 1024)
		fatal(dev.VK().ReadBuffer(context.Background(), back, 0, raw))
		for k := range len(raw) / 4 {
			out = append(out, binary.LittleEndian.Uint32(raw[4*k:]))
		}
	}
	return out
}

func TestCorners(t *testing.T) {
	native, compute := openBenches(t)
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	for i, c := range append(corners(), moreCorners()...) {
		if !sweep && i%3 != 1 { // compiling takes seconds a case
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			// Without a sweep a case runs in one form, every other one optimised.
			for n, optimise := range []bool{false, true} {
				if !sweep && i/3%2 != n {
					continue
				}
				stages := c.stages(t, optimise)
				var want []uint32
				if c.alone {
					want = compute.runCorner(t, &c, stages, engine.FormMonolithic)
				} else {
					want = native.runCorner(t, &c, stages, engine.FormAuto)
				}
				if !slices.ContainsFunc(want[:testWidth*testHeight], func(w uint32) bool { return w != want[0] }) {
					t.Error("all pixels are the same: the shaders do nothing")
				}
				for k, form := range candidateForms {
					if !sweep && (i/3+k)%len(candidateForms) != 0 {
						continue
					}
					got := compute.runCorner(t, &c, stages, form)
					for at := range got {
						if got[at] != want[at] {
							t.Errorf("%v, optimised %v: word %d is %#x, natively %#x", form, optimise, at, got[at], want[at])
							break
						}
					}
				}
			}
		})
	}
}

// cornerStruct declares Data as a structure, and no record.
func cornerStruct(members string) string {
	return "struct Data { " + strings.TrimSpace(members) + " };\n"
}
