package pipelinetest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// strangers_test runs shaders as other compilers and optimisers make them, natively and by compute. The modules in
// link/testdata are explained there.

// stranger is a pipeline with the hit table, set layout and push constants that all of them share.
type stranger struct {
	stages []engine.Stage
	groups []engine.Group
	hit    [2]int // groups that records 2i and 2i+1 of the hit table name
	depth  uint32
}

// trace runs a pipeline and returns four words a pixel and, behind them, the counter.
func (b *bench) trace(t *testing.T, s stranger, form engine.LinkForm) []uint32 {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const all = vk.StageRaygen | vk.StageClosestHit | vk.StageMiss | vk.StageAnyHit
	layout, err := b.dev.NewDescriptorSetLayout("stranger", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: all},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: all},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: all},
		{Binding: 3, Type: vulkan.DescriptorTypeUniformBuffer, Count: 1, Stages: all},
	})
	fatal(err)
	defer layout.Destroy()
	pipeline, err := b.dev.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{
		Name: t.Name(), Stages: s.stages, Groups: s.groups, SetLayouts: []*engine.DescriptorSetLayout{layout},
		PushConstantBytes: 24, MaxRecursionDepth: s.depth, Form: form,
	})
	if errors.Is(err, engine.ErrUnsupported) && form == engine.FormMonolithic {
		return nil
	}
	fatal(err)
	defer pipeline.Destroy()
	data := binary.LittleEndian.AppendUint32(make([]byte, 8, 32), math.Float32bits(6)) // a vector and a number
	data = binary.LittleEndian.AppendUint32(append(data, make([]byte, 4)...), 1000)
	records := []sbt.Record{{Group: s.hit[0], Data: data}, {Group: s.hit[1], Data: data}}
	table, err := b.dev.NewTable(t.Context(), pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}, {Group: 2}}, Hit: slices.Concat(records, records),
	})
	fatal(err)
	defer table.Destroy()
	const counterAt = (16*testWidth*testHeight + 255) / 256 * 256
	const size = counterAt + 256
	result, err := b.dev.VK().NewBuffer(vk.BufferOptions{Name: "result", Size: size, Memory: vk.Readback})
	fatal(err)
	defer result.Destroy()
	fatal(b.dev.VK().UploadBuffer(t.Context(), result, 0, make([]byte, size)))
	camera, err := b.dev.VK().NewBuffer(vk.BufferOptions{
		Name: "camera", Size: 80, Memory: vk.Upload,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageUniformBufferBit | vulkan.BufferUsageTransferDstBit),
	})
	fatal(err)
	defer camera.Destroy()
	fatal(b.dev.VK().UploadBuffer(t.Context(), camera, 0, floats(
		0.9, 0.1, 0, 0.05, -0.1, 0.9, 0.02, 0, 0, 0.1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0)))
	set, err := b.dev.NewDescriptorSet(layout)
	fatal(err)
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, b.tlas)
	set.WriteBuffer(1, 0, result, 0, 16*testWidth*testHeight)
	set.WriteBuffer(2, 0, result, counterAt, 256)
	set.WriteBuffer(3, 0, camera, 0, 80)
	fatal(set.Err())
	push := append(binary.LittleEndian.AppendUint32(nil, 42), floats(0.7)...)
	push = binary.LittleEndian.AppendUint64(push, b.tlas.Address())
	push = binary.LittleEndian.AppendUint64(push, result.Address())
	fatal(b.dev.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error {
		return b.dev.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set}, PushConstants: push,
			Width: testWidth, Height: testHeight, Depth: 1,
		})
	}))
	raw := make([]byte, size)
	fatal(b.dev.VK().ReadBuffer(context.Background(), result, 0, raw))
	words := make([]uint32, 4*testWidth*testHeight+1)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	words[len(words)-1] = binary.LittleEndian.Uint32(raw[counterAt:])
	return words
}

// compareStranger compares what two runs gave: the hash of identities and the counter must be equal, t and barycentrics
// about so.
func compareStranger(t *testing.T, s shapes.Shape, what string, native, compute []uint32) {
	t.Helper()
	if compute == nil {
		return // a form that does not run this pipeline
	}
	last := len(native) - 1
	compareShape(t, s, what, native[:last], compute[:last])
	if native[last] != compute[last] {
		t.Errorf("%s: counter is %d, natively %d", what, compute[last], native[last])
	}
}

// module assembles a file of the linker's test data; replace changes its text before, in pairs.
func module(t *testing.T, version, name string, replace ...string) []uint32 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "fallback", "link", "testdata", name+".spvasm"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return glsltest.AssembleFile(t, version, file)
}

// shapeGroups are the groups of the pipelines that take the shaders of package shapes but for ray generation.
func shapeStranger(t *testing.T, raygen engine.Stage, hit, anyHit string, compile func(stage, source string) []uint32) stranger {
	raygen.Kind = engine.Raygen
	return stranger{
		stages: []engine.Stage{
			raygen,
			{Kind: engine.Miss, Code: compile("rmiss", shapes.Miss)}, {Kind: engine.Miss, Code: compile("rmiss", shapes.OtherMiss)},
			{Kind: engine.ClosestHit, Code: compile("rchit", hit)}, {Kind: engine.ClosestHit, Code: compile("rchit", shapes.OtherHit)},
			{Kind: engine.AnyHit, Code: compile("rahit", anyHit)},
		},
		groups: []engine.Group{
			engine.GeneralGroup(0), engine.GeneralGroup(1), engine.GeneralGroup(2),
			engine.TrianglesGroup(3, 5), engine.TrianglesGroup(4, engine.Unused),
		},
		hit: [2]int{3, 4}, depth: 1,
	}
}

func TestStrangers(t *testing.T) {
	native, compute := openBenches(t)
	plain := func(stage, source string) []uint32 { return native.glsl.Compile(t, stage, source) }
	hits := shapes.Shape{Raygen: "{ TRACE("} // whose result must hold hits

	t.Run("HLSL library", func(t *testing.T) {
		pipeline := func(code []uint32) stranger {
			return stranger{
				stages: []engine.Stage{
					{Kind: engine.Raygen, Code: code, Entry: "rayGen"}, {Kind: engine.Miss, Code: code, Entry: "main"},
					{Kind: engine.Miss, Code: code, Entry: "missShadow"}, {Kind: engine.ClosestHit, Code: code, Entry: "main"},
					{Kind: engine.AnyHit, Code: code, Entry: "main"},
				},
				groups: []engine.Group{
					engine.GeneralGroup(0), engine.GeneralGroup(1), engine.GeneralGroup(2), engine.TrianglesGroup(3, 4),
				},
				hit: [2]int{3, 3}, depth: 2,
			}
		}
		// Devices of the engine do not enable the extensions that HLSL compilers leave notes for tools by, and lavapipe warns
		// of locations.
		bare := module(t, "spv1.4", "hlsl_library", `OpExtension "SPV_GOOGLE_hlsl_functionality1"`, "",
			`OpExtension "SPV_GOOGLE_user_type"`, "",
			"%1 = OpExtInstImport", ";", "%dbg = OpExtInst", ";", "OpDecorateString", ";", "OpMemberDecorateString", ";", "OpDecorateId",
			";",
			"OpDecorate %payloadStage Location", ";", "OpDecorate %payloadIn Location", ";", "OpDecorate %shadowStage Location", ";",
			"OpDecorate %shadowIn Location", ";")
		want := native.trace(t, pipeline(bare), engine.FormAuto)
		code := module(t, "spv1.4", "hlsl_library")
		for _, form := range linkForms {
			compareStranger(t, hits, fmt.Sprint(form), want, compute.trace(t, pipeline(code), form))
		}
		optimised := glsltest.Optimize(t, code, "--legalize-hlsl", "-O")
		compareStranger(t, hits, "optimised", want, compute.trace(t, pipeline(optimised), engine.FormAuto))
	})
	t.Run("rust", func(t *testing.T) {
		// The native way runs the module in the memory model of GLSL: engine devices do not enable that of Vulkan.
		glsl := []string{"OpCapability VulkanMemoryModelDeviceScope\n", "", "OpCapability VulkanMemoryModel\n", "", "Logical Vulkan",
			"Logical GLSL450", "MakePointerAvailable|NonPrivatePointer %device", "None",
			"Aligned|MakePointerVisible|NonPrivatePointer 4 %device", "Aligned 4", "OpConstant %uint 24648", "OpConstant %uint 72",
			"%queueFamily %uint_72", "%device %uint_72", "OpMemoryBarrier %shaderCall", "OpMemoryBarrier %device"}
		raygen := engine.Stage{Entry: "shaders::ray_gen", Code: module(t, "spv1.5", "rust_raygen", glsl...)}
		want := native.trace(t, shapeStranger(t, raygen, shapes.ClosestHit, shapes.AnyHit, plain), engine.FormAuto)
		raygen.Code = module(t, "spv1.5", "rust_raygen")
		for _, form := range linkForms {
			got := compute.trace(t, shapeStranger(t, raygen, shapes.ClosestHit, shapes.AnyHit, plain), form)
			compareStranger(t, hits, fmt.Sprint(form), want, got)
		}
	})
	t.Run("slang", func(t *testing.T) {
		s := shapeStranger(t, engine.Stage{Code: module(t, "spv1.5", "slang_raygen")}, shapes.ClosestHit, shapes.AnyHit, plain)
		want := native.trace(t, s, engine.FormAuto)
		for _, form := range candidateForms {
			compareStranger(t, hits, fmt.Sprint(form), want, compute.trace(t, s, form))
		}
	})
}

// TestStrangersShapes runs shapes as optimisers and NVIDIA's extension give them by compute, and as they are natively.
func TestStrangersShapes(t *testing.T) {
	native, compute := openBenches(t)
	sweep := os.Getenv("EVERRAY_SWEEP") != ""
	for i, s := range shapes.All() {
		if !sweep && i%9 != 2 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			hit := shapes.ClosestHit
			if s.Depth > 1 {
				hit = shapes.Recursive
			}
			pipeline := func(compile func(stage, source string) []uint32) stranger {
				p := shapeStranger(t, engine.Stage{Code: compile("rgen", s.Raygen)}, hit, s.AnyHit, compile)
				p.depth = s.Depth
				return p
			}
			for k, x := range shapeTreatments {
				if !sweep && (i+k)%4 != 0 || x.nvidia && (s.Depth > 1 || strings.Contains(s.AnyHit, "gl_GeometryIndexEXT")) {
					continue
				}
				got := compute.trace(t, pipeline(func(stage, source string) []uint32 { return x.compile(t, stage, source) }), engine.FormAuto)
				x.native()
				want := native.trace(t, pipeline(func(stage, source string) []uint32 { return x.compile(t, stage, source) }), engine.FormAuto)
				compareStranger(t, s, x.name, want, got)
			}
		})
	}
}

// shapeTreatment is one way to compile and optimise a shader; the linker's tests have more of them.
type shapeTreatment struct {
	name   string
	target string
	nvidia bool // as GLSL of GL_NV_ray_tracing
	passes []string
}

var shapeTreatments = []shapeTreatment{
	{name: "O", target: "vulkan1.2", passes: []string{"-O"}},
	{name: "NV", target: "vulkan1.0", nvidia: true},
	// Not -Os: in spirv-opt 2023.1 it drops members of payloads that a stage does not use, so that stages no longer agree.
	{name: "sizes", target: "spirv1.4", passes: []string{"--eliminate-dead-code-aggressive", "--local-redundancy-elimination", "--ccp",
		"--simplify-instructions", "--cfg-cleanup"}},
	{name: "inlined", target: "vulkan1.2", passes: []string{"--merge-return", "--inline-entry-points-exhaustive", "--ssa-rewrite",
		"--if-conversion"}},
	{name: "memory model", target: "spirv1.5",
		passes: []string{"--upgrade-memory-model", "--scalar-replacement=0", "--private-to-local"}},
	{name: "NV optimised", target: "spirv1.3", nvidia: true, passes: []string{"-O"}},
	{name: "unrolled", target: "vulkan1.2", passes: []string{"--ssa-rewrite", "--loop-peeling", "--loop-unroll", "--merge-blocks",
		"--convert-local-access-chains", "--eliminate-dead-branches"}},
}

// native makes the treatment what the native way of the engine's devices takes, with the same arithmetic.
func (x *shapeTreatment) native() {
	if x.nvidia {
		x.nvidia, x.target = false, "vulkan1.2"
	}
	x.passes = slices.DeleteFunc(slices.Clone(x.passes), func(p string) bool { return p == "--upgrade-memory-model" })
}

func (x shapeTreatment) compile(t *testing.T, stage, source string) []uint32 {
	if x.nvidia {
		source = glsltest.NVIDIA(source)
	}
	code := glsltest.CompileAs(t, stage, source, "--target-env", x.target)
	if len(x.passes) > 0 {
		code = glsltest.Optimize(t, code, x.passes...)
	}
	return code
}
