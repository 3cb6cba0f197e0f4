package conformance

import (
	"fmt"
	"strings"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
)

// Position fetch is younger than glslang 12 and spirv-as of 2023.1, so its shaders are assembled, with the numbers of
// SPV_KHR_ray_tracing_position_fetch in place of names.
const (
	positionCapability = 5336 // RayTracingPositionFetchKHR
	positionBuiltin    = 5335 // HitTriangleVertexPositionsKHR
	positionWords      = 11
)

// positionShader writes the nine coordinates to the result, of the third vertex by an index that is not constant, and adds 4
// to the payload.
func positionShader(model string, ignore bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
               OpCapability RayTracingKHR
               OpCapability !%d
               OpExtension "SPV_KHR_ray_tracing"
               OpExtension "SPV_KHR_ray_tracing_position_fetch"
               OpMemoryModel Logical GLSL450
               OpEntryPoint %s %%main "main" %%launch %%positions %%primitive %%result %%p
               OpDecorate %%launch BuiltIn LaunchIdKHR
               OpDecorate %%positions BuiltIn !%d
               OpDecorate %%primitive BuiltIn PrimitiveId
               OpDecorate %%words ArrayStride 4
               OpMemberDecorate %%Result 0 Offset 0
               OpDecorate %%Result Block
               OpDecorate %%result DescriptorSet 0
               OpDecorate %%result Binding 1
       %%void = OpTypeVoid
   %%function = OpTypeFunction %%void
       %%uint = OpTypeInt 32 0
      %%float = OpTypeFloat 32
      %%uint3 = OpTypeVector %%uint 3
     %%float3 = OpTypeVector %%float 3
     %%in_uint3 = OpTypePointer Input %%uint3
     %%in_uint = OpTypePointer Input %%uint
     %%in_float = OpTypePointer Input %%float
     %%in_float3 = OpTypePointer Input %%float3
     %%words = OpTypeRuntimeArray %%uint
     %%Result = OpTypeStruct %%words
     %%out_result = OpTypePointer StorageBuffer %%Result
     %%out_uint = OpTypePointer StorageBuffer %%uint
     %%payload = OpTypePointer IncomingRayPayloadKHR %%uint
     %%words_each = OpConstant %%uint %d
`, positionCapability, model, positionBuiltin, positionWords)
	for k := range 12 {
		fmt.Fprintf(&b, "%%c%d = OpConstant %%uint %d\n", k, k)
	}
	b.WriteString(`
     %array = OpTypeArray %float3 %c3
     %in_array = OpTypePointer Input %array
     %launch = OpVariable %in_uint3 Input
     %positions = OpVariable %in_array Input
     %primitive = OpVariable %in_uint Input
     %result = OpVariable %out_result StorageBuffer
     %p = OpVariable %payload IncomingRayPayloadKHR
     %main = OpFunction %void None %function
     %entry = OpLabel
     %x_at = OpAccessChain %in_uint %launch %c0
     %x = OpLoad %uint %x_at
     %base = OpIMul %uint %x %words_each
     %id = OpLoad %uint %primitive
     %zero = OpIMul %uint %id %c0
     %last = OpIAdd %uint %zero %c2
     %whole = OpLoad %array %positions
     %middle = OpCompositeExtract %float3 %whole 1
     %third_at = OpAccessChain %in_float3 %positions %last
     %third = OpLoad %float3 %third_at
`)
	for c := range 3 {
		fmt.Fprintf(&b, "%%a%d = OpAccessChain %%in_float %%positions %%c0 %%c%d\n%%v%d = OpLoad %%float %%a%d\n", c, c, c, c)
		fmt.Fprintf(&b, "%%v%d = OpCompositeExtract %%float %%middle %d\n%%v%d = OpCompositeExtract %%float %%third %d\n", 3+c, c, 6+c, c)
	}
	for k := range 9 {
		fmt.Fprintf(&b, "%%i%d = OpIAdd %%uint %%base %%c%d\n%%o%d = OpAccessChain %%out_uint %%result %%c0 %%i%d\n%%b%d = OpBitcast "+
			"%%uint %%v%d\nOpStore %%o%d %%b%d\n",
			k, k+1, k, k, k, k, k, k)
	}
	b.WriteString("%old = OpLoad %uint %p\n%new = OpIAdd %uint %old %c4\nOpStore %p %new\n")
	if ignore {
		b.WriteString("OpIgnoreIntersectionKHR\n")
	} else {
		b.WriteString("OpReturn\n")
	}
	b.WriteString("OpFunctionEnd\n")
	return b.String()
}

// assembled adds a stage of SPIR-V text.
func (p *Program) assembled(kind engine.StageKind, source string) int {
	p.Stages = append(p.Stages, Stage{Kind: kind, Source: source, Assembly: true})
	return len(p.Stages) - 1
}

// positionRows: the vertices of the triangle hit, in object space, after the geometry's transform.
func positionRows() []Row {
	p := newProgram("positions", positionWords, "payload", "x0", "y0", "z0", "x1", "y1", "z1", "x2", "y2", "z2",
		"payload of the caller")
	p.Feature = PositionFetch
	trace := p.raygen("layout(location = 0) rayPayloadEXT uint p;\nvoid main() { p = 1u; TRACE(RAY, 0); OUT(0) = p; OUT(10) = p; }")
	closest := p.group(engine.TrianglesGroup(p.assembled(engine.ClosestHit, positionShader("ClosestHitKHR", false)), engine.Unused))
	any := p.group(engine.TrianglesGroup(engine.Unused, p.assembled(engine.AnyHit, positionShader("AnyHitKHR", true))))
	far := front(100, 100, 0)
	moved := [12]float32{1, 0, 0, 0.5, 0, 2, 0, 0.25, 0, 0, 1, 1}
	geometry := mesh(once, front(0, 0, 0))
	geometry.Transform = &moved
	odd := Triangle{{-1.25, -1, 0.5}, {0.75, 1.5, -0.25}, {1, -1.125, 0.125}}
	want := func(t Triangle) []Word {
		w := us(5)
		for _, v := range t {
			w = append(w, F(float64(v[0])), F(float64(v[1])), F(float64(v[2])))
		}
		return append(w, U(5))
	}
	var out []Row
	for _, s := range []struct {
		name  string
		group int
	}{{"closest-hit", closest}, {"any-hit", any}} {
		table := sbt.Layout{Raygen: []sbt.Record{{Group: trace}}, Miss: []sbt.Record{{Group: sbt.NullGroup}},
			Hit: []sbt.Record{{Group: s.group}}}
		for _, c := range []struct {
			name     string
			scene    *Scene
			ray      Ray
			triangle Triangle
		}{
			{"plain", &Scene{Models: []Model{{mesh(once, far, odd)}}, Instances: []Instance{place(0).at(0, 0, 4)}}, down(0, 0), odd},
			{"second-geometry", &Scene{Models: []Model{{mesh(once, far, far, front(200, 200, 0)), mesh(once, far, far, odd)}},
				Instances: []Instance{place(0).at(3, 0, 4)}}, down(3, 0), odd},
			{"geometry-transform", &Scene{Models: []Model{{geometry}}, Instances: []Instance{place(0).at(0, 0, 2)}}, down(0.5, 0.25),
				Triangle{{-0.5, -1.75, 1}, {0.5, 2.25, 1}, {1.5, -1.75, 1}}},
		} {
			c.scene.Positions = true
			out = append(out, Row{Name: c.name + "/" + s.name,
				Rule:    "SPV_KHR_ray_tracing_position_fetch: HitTriangleVertexPositionsKHR, the vertices in object space",
				Program: p, Scene: c.scene, Table: table, Rays: []Ray{c.ray}, Want: want(c.triangle)})
			if len(c.scene.Models[0]) > 1 {
				out[len(out)-1].NativeDiffers = map[Driver]Difference{Lavapipe25: {Reason: "position fetch takes the primitive of that " +
					"index in geometry 0, whatever geometry was hit"}}
			}
		}
		mirrored := &Scene{Models: []Model{{mesh(once, odd)}}, Instances: []Instance{place(0)}, Positions: true}
		mirrored.Instances[0].Transform = [12]float32{-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 4}
		out = append(out, Row{Name: "instance-transform/" + s.name,
			Rule:    "SPV_KHR_ray_tracing_position_fetch: object space, whatever the instance's transform",
			Program: p, Scene: mirrored, Table: table, Rays: []Ray{down(0, 0)}, Want: want(odd)})
	}
	return out
}
