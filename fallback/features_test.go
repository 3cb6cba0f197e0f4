package fallback_test

import (
	"encoding/binary"
	"math"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// features_test runs one pipeline over a null acceleration structure, where every ray misses, and checks what the
// shaders see of everything but geometry: push constants that stages lay out differently, record data, specialisation
// constants, buffer references, arrays of storage buffers, 16- and 64-bit values and bools across a call, launch ids.

const featuresRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 3) const uint factor = 1u;
layout(constant_id = 4) const bool flag = false;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result[2];
layout(buffer_reference, std430) buffer Cells { uint value; uint more[3]; };
layout(push_constant) uniform Push { vec4 unused; uvec2 cells; uint index; } push;
layout(shaderRecordEXT, std430) buffer Record { mat2 m; uint tail[2]; } record;
struct Payload { uvec3 id; float16_t half_; uint64_t wide; bool odd[2]; mat2 m; };
layout(location = 2) rayPayloadEXT Payload p;
uint table[4] = uint[4](10u, 20u, 30u, 40u);
void main() {
    Cells cells = Cells(push.cells);
    uint n = (gl_LaunchIDEXT.z * gl_LaunchSizeEXT.y + gl_LaunchIDEXT.y) * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    p.id = uvec3(1u);
    p.half_ = float16_t(1.5);
    p.wide = 0x123456789ABCDEFul + uint64_t(n);
    p.odd = bool[2]((n & 1u) != 0u, flag);
    p.m = record.m;
    uint64_t keep = p.wide * 3ul;
    float16_t h = float16_t(n & 7u);
    bool b = (n % 3u) == 0u;
    table[n & 3u] += n;
    traceRayEXT(scene, 0x101u, 0xFFu, 0u, 0u, 0x10000u + push.index, vec3(0.0), 0.0, vec3(1.0), 1.0, 2);
    uint v = p.id.x + p.id.y * 7u + p.id.z * 13u + uint(p.half_ * float16_t(4.0)) + (p.odd[0] ? 100u : 0u) +
        (p.odd[1] ? 1000u : 0u);
    v += uint(p.m[0][0] + p.m[1][1]) + uint(p.wide >> 32) + uint(p.wide) + uint(keep >> 32) + uint(keep) + uint(h) + (b ? 5u : 0u);
    v += cells.value * factor + cells.more[n % 3u] + record.tail[1] + table[n & 3u] + table[(n + 1u) & 3u];
    result[push.index].word[n] = v;
}
`

const featuresMiss = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(push_constant) uniform Push { layout(offset = 8) uint third; } push;
layout(shaderRecordEXT, std430) buffer Record { layout(offset = 4) uint value; } record;
struct Payload { uvec3 id; float16_t half_; uint64_t wide; bool odd[2]; mat2 m; };
layout(location = 0) rayPayloadInEXT Payload p;
void main() {
    p.id = gl_LaunchIDEXT + p.id * push.third + uvec3(record.value, gl_IncomingRayFlagsEXT, uint(gl_RayTmaxEXT));
    p.half_ += float16_t(0.25);
    p.wide ^= 0xFF00000000ul;
    p.odd[1] = !p.odd[1];
}
`

func TestFeatures(t *testing.T) {
	dev := vktest.Device(t)
	features := dev.Features()
	if !features.Int64 || !features.Float16 {
		t.Skip("device lacks 64-bit integers or 16-bit floats")
	}
	const width, height, depth = 11, 6, 3
	const index, third = 1, 9
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	layout, err := dev.NewDescriptorSetLayout("features", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 2, Stages: vk.StageCompute},
	})
	must(err)
	defer layout.Destroy()
	u32 := func(values ...uint32) []byte {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	p, err := fallback.NewPipeline(t.Context(), dev, fallback.PipelineOptions{
		SetLayouts: []vk.SetLayout{layout}, Pipeline: rt.Pipeline{
			Name: "features",
			Stages: []fallback.Stage{
				{Kind: fallback.Raygen, Code: glsltest.Compile(t, "rgen", featuresRaygen), Specialization: map[uint32][]byte{3: u32(17),
					4: u32(1)}},
				{Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", featuresMiss)},
			},
			Groups:            []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1)},
			PushConstantBytes: 64, MaxRecursionDepth: 1,
		}})
	must(err)
	defer p.Destroy()

	buffer := func(name string, size uint64) *vk.Buffer {
		b, err := dev.NewBuffer(vk.BufferOptions{Name: name, Size: size, Memory: vk.Upload, Alignment: 256})
		must(err)
		t.Cleanup(b.Destroy)
		clear(b.Mapped())
		return b
	}
	const stride = 64
	table, cells, null := buffer("table", 4*stride), buffer("cells", 64), buffer("null structure", 256)
	results := []*vk.Buffer{buffer("result 0", 4*width*height*depth), buffer("result 1", 4*width*height*depth)}
	matrix := []uint32{math.Float32bits(2), 0, 0, math.Float32bits(5)}
	record := func(at, group int, data []byte) {
		h, err := p.GroupHandle(group)
		must(err)
		copy(table.Mapped()[at*stride:], append(h[:], data...))
	}
	record(0, 0, append(u32(matrix...), u32(600, 700)...))
	record(2, 1, u32(0, 111)) // the first miss record is null
	record(3, 1, u32(0, 222))
	copy(cells.Mapped(), u32(1000, 1, 2, 3))

	set, err := dev.NewDescriptorSet(layout)
	must(err)
	defer set.Destroy()
	set.WriteBuffer(0, 0, vulkan.DescriptorTypeStorageBuffer, null, 0, 256)
	for i, r := range results {
		set.WriteBuffer(1, uint32(i), vulkan.DescriptorTypeStorageBuffer, r, 0, r.Size())
	}
	push := make([]byte, 64)
	copy(push[8:], u32(third))
	binary.LittleEndian.PutUint64(push[16:], cells.Address())
	copy(push[24:], u32(index))
	must(dev.Run(t.Context(), "features", func(cb *vk.CommandBuffer) error {
		return p.CmdTraceRays(cb, fallback.Trace{
			Raygen: vk.StridedRegion{Address: table.Address(), Stride: stride, Size: stride},
			Miss:   vk.StridedRegion{Address: table.Address() + stride, Stride: stride, Size: 3 * stride},
			Sets:   []vk.Set{set}, PushConstants: push, Width: width, Height: height, Depth: depth,
		})
	}))
	for n := range uint32(width * height * depth) {
		id := [3]uint32{n % width, n / width % height, n / width / height}
		got := binary.LittleEndian.Uint32(results[index].Mapped()[4*n:])
		if want := featuresWant(n, id, third); got != want {
			t.Fatalf("ray %d: got %d, want %d", n, got, want)
		}
		if other := binary.LittleEndian.Uint32(results[0].Mapped()[4*n:]); other != 0 {
			t.Fatalf("ray %d wrote to the other buffer", n)
		}
	}
	t.Logf("link %v, compile %v, %d words, stack %d bytes", p.Stats().LinkTime, p.Stats().CompileTime, p.Stats().CodeWords,
		p.StackBytes())
}

// featuresWant computes what the two shaders do.
func featuresWant(n uint32, id [3]uint32, third uint32) uint32 {
	wide := uint64(0x123456789ABCDEF) + uint64(n)
	keep := wide * 3
	wide ^= 0xFF00000000
	x := id[0] + third + 111 // miss index 1 of the table that begins with the null record
	y := id[1] + third + 0x101
	z := id[2] + third + 1
	v := x + y*7 + z*13 + 7 // 1.75 * 4
	if n&1 != 0 {
		v += 100
	}
	// odd[1] was set by the specialisation constant and is turned by the miss shader
	v += 7 // the matrix' diagonal
	v += uint32(wide>>32) + uint32(wide) + uint32(keep>>32) + uint32(keep) + n&7
	if n%3 == 0 {
		v += 5
	}
	table := []uint32{10, 20, 30, 40}
	table[n&3] += n
	return v + 1000*17 + []uint32{1, 2, 3}[n%3] + 700 + table[n&3] + table[(n+1)&3]
}
