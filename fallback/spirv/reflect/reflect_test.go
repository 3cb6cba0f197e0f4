package reflect

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

const bound = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
layout(constant_id = 7) const uint N = 3u;
layout(constant_id = 9) const bool on = true;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Words { uvec4 head; uint word[]; } words;
layout(set = 0, binding = 2, std140) uniform Camera { mat4 view; layout(row_major) mat3 turn; vec3 eye; float f; } camera[2];
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D picture;
layout(set = 1, binding = 0) uniform sampler2D textures[];
layout(set = 1, binding = 1) uniform textureCube sky;
layout(set = 1, binding = 2) uniform sampler plain;
layout(set = 1, binding = 3) uniform samplerBuffer texels;
layout(set = 1, binding = 4, r32ui) uniform uimageBuffer counters;
layout(set = 2, binding = 5, scalar) buffer Sized { vec3 p[N]; } sized[N];
layout(set = 3, binding = 0) uniform Unused { uint never; } unused;
layout(push_constant) uniform Push { layout(offset = 16) vec3 a; float b; uint c[5]; } push;
layout(location = 0) rayPayloadEXT vec4 payload;
`

const uses = `void far(uint i) { payload += textureLod(textures[nonuniformEXT(i)], vec2(0), 0.0) + texelFetch(texels, 3); }
void near(uint i) { far(i); words.word[i] = on ? 1u : 2u; }
void main() {
	near(gl_LaunchIDEXT.x);
	payload += camera[1].view * vec4(camera[0].turn * camera[0].eye, push.b) + textureLod(samplerCube(sky, plain), vec3(1), 0.0);
	imageStore(picture, ivec2(0), payload);
	imageAtomicAdd(counters, 0, 1u);
	sized[0].p[0] = vec3(push.c[1]);
	traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0);
}`

func TestShader(t *testing.T) {
	code := glsltest.Compile(t, "rgen", bound+uses)
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := m.Shader(spirv.ExecutionModelRayGenerationKHR, "main", map[uint32][]byte{7: {5, 0, 0, 0}})
	if !ok {
		t.Fatal("there is an entry point main")
	}
	var got []string
	for _, b := range s.Bindings {
		got = append(got, fmt.Sprintf("%d.%d %v %q x%d %d bytes", b.Set, b.Binding, b.Kind, b.Name, b.Count, b.Size))
	}
	want := []string{
		`0.0 acceleration structure "scene" x1 0 bytes`,
		`0.1 storage buffer "words" x1 16 bytes`,
		`0.2 uniform buffer "camera" x2 128 bytes`,
		`0.3 storage image "picture" x1 0 bytes`,
		`1.0 combined image sampler "textures" x0 0 bytes`,
		`1.1 sampled image "sky" x1 0 bytes`,
		`1.2 sampler "plain" x1 0 bytes`,
		`1.3 uniform texel buffer "texels" x1 0 bytes`,
		`1.4 storage texel buffer "counters" x1 0 bytes`,
		`2.5 storage buffer "sized" x5 60 bytes`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.PushConstants != 52 {
		t.Errorf("%d bytes of push constants, want 52", s.PushConstants)
	}
	if sky := s.Bindings[5].Image; sky.Dim != spirv.DimCube || sky.Arrayed || sky.Multisampled {
		t.Errorf("sky is %+v", sky)
	}
	if !s.Instructions[spirv.OpTraceRayKHR] || s.Instructions[spirv.OpReportIntersectionKHR] {
		t.Errorf("instructions: %v", s.Instructions)
	}
	if c := m.Constants; len(c) != 2 || c[7] != (Constant{"N", 32}) || c[9] != (Constant{"on", 1}) {
		t.Errorf("constants: %v", c)
	}
	if !slices.Contains(m.Capabilities, spirv.CapabilityRayTracingKHR) {
		t.Errorf("capabilities: %v", m.Capabilities)
	}
	if names := m.EntryPoints(spirv.ExecutionModelRayGenerationKHR); !slices.Equal(names, []string{"main"}) {
		t.Errorf("entry points: %q", names)
	}
	if _, ok := m.Shader(spirv.ExecutionModelMissKHR, "main", nil); ok {
		t.Error("there is no miss shader")
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	// Without a value the constant is 3, and what nobody calls counts nothing.
	m, err = Parse(glsltest.Compile(t, "rgen",
		bound+"void idle() { words.word[0] = push.c[0]; } void main() { sized[0].p[0] = vec3(1); }"))
	if err != nil {
		t.Fatal(err)
	}
	if s, _ = m.Shader(spirv.ExecutionModelRayGenerationKHR, "main", nil); len(s.Bindings) != 1 || s.Bindings[0].Count != 3 ||
		s.Bindings[0].Size != 36 ||
		s.PushConstants != 0 {
		t.Errorf("got %+v", s)
	}
}

// nested returns a module with a storage buffer of types that nest n deep, each made by next of the one before. It is not
// valid: nobody verifies what is reflected.
func nested(n int, next func(m *spirv.Module, inner spirv.ID) spirv.Inst) *spirv.Module {
	m := &spirv.Module{Version: 0x10500, Bound: 1}
	inner := m.TypeInt(32, false)
	m.ConstantU32(3)
	for range n {
		in := next(m, inner)
		in.Result = m.NewID()
		m.Globals = append(m.Globals, in)
		inner = in.Result
	}
	inner = m.TypeStruct(inner)
	v := m.Variable(m.TypePointer(spirv.StorageClassStorageBuffer, inner), spirv.StorageClassStorageBuffer)
	m.Decorate(v, spirv.DecorationDescriptorSet, 0)
	m.Decorate(v, spirv.DecorationBinding, 0)
	main := m.NewID()
	m.Functions = []*spirv.Function{{
		Def: spirv.Inst{Op: spirv.OpFunction, Type: inner, Result: main, Operands: []uint32{0, uint32(inner)}},
		Blocks: []*spirv.Block{{Label: m.NewID(), Insts: []spirv.Inst{
			{Op: spirv.OpStore, Operands: []uint32{uint32(v), uint32(v)}}, {Op: spirv.OpReturn}}}}}}
	m.EntryPoints = []spirv.Inst{{Op: spirv.OpEntryPoint, Operands: append(append([]uint32{
		uint32(spirv.ExecutionModelRayGenerationKHR), uint32(main)}, spirv.EncodeString("main")...), uint32(v))}}
	return m
}

// TestNestedTypes reads what nests two million deep, with 2^2,000,000 members in all, or has 300,000 decorations, in a stack of
// usual size. What is not near linear does not come to an end here.
func TestNestedTypes(t *testing.T) {
	const deep = 2_000_000
	three := func(m *spirv.Module) uint32 { return uint32(m.ConstantU32(3)) }
	for _, c := range []struct {
		name string
		n    int
		next func(m *spirv.Module, inner spirv.ID) spirv.Inst
		want uint64
	}{
		{"structures", deep, func(_ *spirv.Module, inner spirv.ID) spirv.Inst {
			return spirv.Inst{Op: spirv.OpTypeStruct, Operands: []uint32{uint32(inner), uint32(inner)}}
		}, 4},
		{"structures with offsets", deep / 4, func(m *spirv.Module, inner spirv.ID) spirv.Inst {
			m.Annotations = append(m.Annotations, spirv.Inst{Op: spirv.OpMemberDecorate,
				Operands: []uint32{m.Bound, 0, uint32(spirv.DecorationOffset), 4}})
			return spirv.Inst{Op: spirv.OpTypeStruct, Operands: []uint32{uint32(inner), uint32(inner)}}
		}, deep + 4},
		{"runtime arrays of arrays", deep, func(_ *spirv.Module, inner spirv.ID) spirv.Inst {
			return spirv.Inst{Op: spirv.OpTypeRuntimeArray, Operands: []uint32{uint32(inner)}}
		}, 0},
		{"decorated lengths", 300_000, func(m *spirv.Module, inner spirv.ID) spirv.Inst {
			length := three(m)
			m.Annotations = append(m.Annotations, spirv.Inst{Op: spirv.OpDecorate,
				Operands: []uint32{length, uint32(spirv.DecorationRelaxedPrecision)}})
			return spirv.Inst{Op: spirv.OpTypeArray, Operands: []uint32{uint32(inner), length}}
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			debug.SetMaxStack(64 << 20)
			defer debug.SetMaxStack(1000 << 20)
			read, err := Parse(nested(c.n, c.next).Encode())
			if err != nil {
				t.Fatal(err)
			}
			s, ok := read.Shader(spirv.ExecutionModelRayGenerationKHR, "main", nil)
			if !ok || len(s.Bindings) != 1 || s.Bindings[0].Size != c.want {
				t.Errorf("got %v %+v, want %d bytes", ok, s.Bindings, c.want)
			}
		})
	}
}

// FuzzParse reads whatever comes.
func FuzzParse(f *testing.F) {
	if !testing.Short() {
		f.Add(words(glsltest.Compile(f, "rgen", bound+uses)))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		code := make([]uint32, len(data)/4)
		for i := range code {
			code[i] = uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24
		}
		m, err := Parse(code)
		if err != nil {
			return
		}
		for model := spirv.ExecutionModelRayGenerationKHR; model <= spirv.ExecutionModelCallableKHR; model++ {
			for _, name := range m.EntryPoints(model) {
				m.Shader(model, name, map[uint32][]byte{7: {1}})
			}
		}
	})
}

func words(code []uint32) (b []byte) {
	for _, w := range code {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}
