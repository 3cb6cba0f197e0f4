package link

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/shaders"
)

func queryLibrary(t testing.TB) []uint32 {
	t.Helper()
	code, err := shaders.Load("fallback/query.comp")
	if err != nil {
		t.Fatal(err)
	}
	return code
}

const (
	queryHead  = "#version 460\n#extension GL_EXT_ray_query : require\n#extension GL_EXT_nonuniform_qualifier : require\n"
	queryScene = "layout(set = 1, binding = 0) uniform accelerationStructureEXT scene;\n"
	querySpace = "layout(local_size_x = 8, local_size_y = 4) in;\nlayout(set = 0, binding = 3) buffer R { uint r[]; };\n"
	queryStart = "rayQueryInitializeEXT(q, scene, 0u, 0xff, vec3(0), 0.0, vec3(0, 0, 1), 1e3);\n"
)

// queryGetters uses every getter that GLSL has; WHICH is the intersection.
const queryGetters = `
uint all(rayQueryEXT q) {
	uint n = 0u;
	if (rayQueryGetIntersectionTypeEXT(q, WHICH) == 1u) n++;
	n += uint(rayQueryGetIntersectionTEXT(q, WHICH)) + rayQueryGetIntersectionInstanceCustomIndexEXT(q, WHICH);
	n += rayQueryGetIntersectionInstanceIdEXT(q, WHICH) + rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, WHICH);
	n += rayQueryGetIntersectionGeometryIndexEXT(q, WHICH) + rayQueryGetIntersectionPrimitiveIndexEXT(q, WHICH);
	n += uint(rayQueryGetIntersectionBarycentricsEXT(q, WHICH).x);
	if (rayQueryGetIntersectionFrontFaceEXT(q, WHICH)) n++;
	n += uint(rayQueryGetIntersectionObjectRayDirectionEXT(q, WHICH).x + rayQueryGetIntersectionObjectRayOriginEXT(q, WHICH).y);
	n += uint(rayQueryGetIntersectionObjectToWorldEXT(q, WHICH)[3].x + rayQueryGetIntersectionWorldToObjectEXT(q, WHICH)[2].y);
	n += uint(rayQueryGetRayTMinEXT(q)) + rayQueryGetRayFlagsEXT(q);
	n += uint(rayQueryGetWorldRayDirectionEXT(q).x + rayQueryGetWorldRayOriginEXT(q).x);
	return n;
}
`

// queryShaders are shaders with ray queries outside of pipelines.
var queryShaders = []struct {
	name, stage, source string
	model               spirv.ExecutionModel
}{
	{"plain", "comp", queryHead + queryScene + querySpace + "void main() { rayQueryEXT q; " + queryStart +
		"while (rayQueryProceedEXT(q)) {} r[gl_GlobalInvocationID.x] = rayQueryGetIntersectionTypeEXT(q, true); }",
		spirv.ExecutionModelGLCompute},
	{"getters", "comp", queryHead + queryScene + querySpace + strings.ReplaceAll(queryGetters, "WHICH", "true") +
		strings.ReplaceAll(strings.ReplaceAll(queryGetters, "WHICH", "false"), "all", "candidate") +
		"void main() { rayQueryEXT q; " + queryStart + `while (rayQueryProceedEXT(q)) {
			if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT) {
				if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(q)) rayQueryTerminateEXT(q);
				else rayQueryGenerateIntersectionEXT(q, 1.0);
			} else rayQueryConfirmIntersectionEXT(q);
			r[1] += candidate(q);
		}
		r[0] = all(q); }`, spirv.ExecutionModelGLCompute},
	{"globals", "comp", queryHead + queryScene + querySpace + `rayQueryEXT q; rayQueryEXT other;
		void begin() { ` + queryStart + ` }
		bool next() { return rayQueryProceedEXT(q); }
		uint shadow() { rayQueryEXT s; rayQueryInitializeEXT(s, scene, 4u, 0xff, vec3(1), 0.0, vec3(0, 0, 1), 1e3);
			rayQueryProceedEXT(s); return rayQueryGetIntersectionTypeEXT(s, true); }
		void step(bool first) { if (first) rayQueryInitializeEXT(other, scene, 0u, 0xff, vec3(1), 0.0, vec3(0, 0, 1), 1e3);
			rayQueryProceedEXT(other); }
		void main() { begin(); while (next()) { r[1]++; } step(true); step(false);
			r[0] = rayQueryGetIntersectionTypeEXT(q, true) + shadow() + shadow(); }`, spirv.ExecutionModelGLCompute},
	{"arrays", "comp", queryHead + "layout(set = 1, binding = 0) uniform accelerationStructureEXT scenes[];\n" + querySpace + `
		uint hits(accelerationStructureEXT scene, rayQueryEXT q) { ` + queryStart +
		` rayQueryProceedEXT(q); return rayQueryGetIntersectionTypeEXT(q, true); }
		void main() { rayQueryEXT q[2]; uint i = gl_GlobalInvocationID.x & 1u;
			rayQueryInitializeEXT(q[i], scenes[nonuniformEXT(i)], 0u, 0xff, vec3(0), 0.0, vec3(0, 0, 1), 1e3);
			rayQueryInitializeEXT(q[1 - i], scenes[1], 0u, 0xff, vec3(0), 0.0, vec3(0, 0, 1), 1e3);
			while (rayQueryProceedEXT(q[0]) || rayQueryProceedEXT(q[i])) rayQueryConfirmIntersectionEXT(q[1]);
			rayQueryEXT one;
			r[0] = rayQueryGetIntersectionTypeEXT(q[1], true) + hits(scenes[i], one) + hits(scenes[0], one); }`,
		spirv.ExecutionModelGLCompute},
	{"address", "comp", queryHead + querySpace +
		"layout(push_constant) uniform P { uvec2 address; } p;\n#define scene accelerationStructureEXT(p.address)\n" +
		"void main() { rayQueryEXT q; " + queryStart + "rayQueryProceedEXT(q); r[0] = rayQueryGetIntersectionTypeEXT(q, true); }",
		spirv.ExecutionModelGLCompute},
	{"specialised", "comp", queryHead + queryScene +
		"layout(local_size_x_id = 4) in;\nlayout(constant_id = 1) const uint flags = 4u;\n" +
		"layout(set = 0, binding = 3) buffer R { uint r[]; };\n" +
		"void main() { rayQueryEXT q; rayQueryInitializeEXT(q, scene, flags, 0xff, vec3(0), 0.0, vec3(0, 0, 1), 1e3); " +
		"rayQueryProceedEXT(q);\n" +
		"r[gl_WorkGroupSize.x] = rayQueryGetIntersectionTypeEXT(q, true); }", spirv.ExecutionModelGLCompute},
	{"vertex", "vert", queryHead + queryScene + "layout(location = 0) in vec4 position;\nlayout(location = 1) out float unused;\n" +
		"void main() { rayQueryEXT q; " + queryStart +
		"rayQueryProceedEXT(q); gl_Position = position * rayQueryGetIntersectionTEXT(q, true); }", spirv.ExecutionModelVertex},
	{"fragment", "frag", queryHead + queryScene +
		"layout(location = 0) in vec3 at;\nlayout(location = 0) out vec4 color;\nlayout(depth_less) out float gl_FragDepth;\n" +
		"void main() { rayQueryEXT q; " + queryStart + "while (rayQueryProceedEXT(q)) if (at.x > 0.5) discard;\n" +
		"color = vec4(rayQueryGetIntersectionTEXT(q, true)) * dFdx(at.x); gl_FragDepth = at.z; }", spirv.ExecutionModelFragment},
	{"acceleration structure only", "comp", queryHead + queryScene + querySpace + "void main() { r[0] = 1u; }",
		spirv.ExecutionModelGLCompute},
}

func TestLowerQueries(t *testing.T) {
	library := queryLibrary(t)
	for _, c := range queryShaders {
		t.Run(c.name, func(t *testing.T) {
			in := glsltest.Compile(t, c.stage, c.source)
			sh := Shader{Code: in, Model: c.model, SkipHelpers: true}
			code, err := LowerQueries(t.Context(), library, sh)
			if err != nil {
				t.Fatal(err)
			}
			glsltest.Validate(t, code)
			m, err := spirv.Decode(code)
			if err != nil {
				t.Fatal(err)
			}
			if err := spirv.Verify(m); err != nil {
				t.Error(err)
			}
			for _, c := range m.Capabilities {
				if n := spirv.Capability(c.Operands[0]); n == spirv.CapabilityRayQueryKHR {
					t.Error("the module still needs ray queries")
				}
			}
			checkInterface(t, in, m)
			again, err := LowerQueries(t.Context(), library, sh)
			if err != nil || !slices.Equal(code, again) {
				t.Errorf("lowering twice gives different modules (%v)", err)
			}
			once, err := LowerQueries(t.Context(), library, Shader{Code: code, Model: c.model})
			if err != nil || !slices.Equal(code, once) {
				t.Errorf("lowering what is lowered changes it (%v)", err)
			}
			t.Logf("%d words become %d", len(in), len(code))
		})
	}
}

// queryAssembly is what other compilers than glslang make: a query in the function's storage, one passed to a function as
// an element of an array, indices as signed integers, a flag from a specialisation constant, and a demotion.
const queryAssembly = `
OpCapability Shader
OpCapability RayQueryKHR
OpCapability DemoteToHelperInvocation
OpExtension "SPV_KHR_ray_query"
OpExtension "SPV_EXT_demote_to_helper_invocation"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "PSMain" %out %scene
OpEntryPoint Fragment %other "Other" %out
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %other OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 4
OpDecorate %flag SpecId 3
%void = OpTypeVoid
%entry = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%two = OpConstant %uint 2
%flag = OpSpecConstant %int 4
%mask = OpConstant %int -1
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%origin = OpConstantComposite %v3 %f0 %f0 %f1
%as = OpTypeAccelerationStructureKHR
%asptr = OpTypePointer UniformConstant %as
%query = OpTypeRayQueryKHR
%list = OpTypeArray %query %two
%qptr = OpTypePointer Function %query
%listptr = OpTypePointer Function %list
%outptr = OpTypePointer Output %int
%helperf = OpTypeFunction %int %qptr
%scene = OpVariable %asptr UniformConstant
%out = OpVariable %outptr Output
%main = OpFunction %void None %entry
%b = OpLabel
%q = OpVariable %qptr Function
%l = OpVariable %listptr Function
%a = OpLoad %as %scene
%element = OpAccessChain %qptr %l %n1
OpRayQueryInitializeKHR %q %a %flag %mask %origin %f0 %origin %f1
OpRayQueryInitializeKHR %element %a %flag %mask %origin %f0 %origin %f1
%go = OpRayQueryProceedKHR %bool %q
OpSelectionMerge %end None
OpBranchConditional %go %then %end
%then = OpLabel
OpDemoteToHelperInvocationEXT
OpBranch %end
%end = OpLabel
%more = OpRayQueryProceedKHR %bool %element
%copy = OpCopyObject %qptr %q
%p = OpRayQueryGetIntersectionPrimitiveIndexKHR %int %copy %n1
%h = OpFunctionCall %int %helper %q
%sum = OpIAdd %int %p %h
OpStore %out %sum
OpReturn
OpFunctionEnd
%helper = OpFunction %int None %helperf
%hq = OpFunctionParameter %qptr
%hb = OpLabel
%hr = OpRayQueryGetIntersectionInstanceIdKHR %int %hq %n1
OpReturnValue %hr
OpFunctionEnd
%other = OpFunction %void None %entry
%ob = OpLabel
OpReturn
OpFunctionEnd
`

func TestLowerQueriesOfOtherCompilers(t *testing.T) {
	code := glsltest.Assemble(t, queryAssembly)
	for _, values := range []map[uint32][]byte{nil, {3: {1, 0, 0, 0}}} {
		for _, skip := range []bool{false, true} {
			out, err := LowerQueries(t.Context(), queryLibrary(t), Shader{
				Code: code, Entry: "PSMain", Model: spirv.ExecutionModelFragment, Specialization: values, SkipHelpers: skip,
			})
			if err != nil {
				t.Fatal(err)
			}
			glsltest.Validate(t, out)
			m, err := spirv.Decode(out)
			if err != nil {
				t.Fatal(err)
			}
			if err := spirv.Verify(m); err != nil {
				t.Error(err)
			}
			if len(m.EntryPoints) != 1 || len(m.ExecutionModes) != 1 {
				t.Errorf("%d entry points, %d execution modes", len(m.EntryPoints), len(m.ExecutionModes))
			}
		}
	}
}

// checkInterface compares what a pipeline sees of a shader: its entry point, execution modes, specialisation constants
// and the sets and bindings of its descriptors.
func checkInterface(t *testing.T, before []uint32, after *spirv.Module) {
	t.Helper()
	m, err := spirv.Decode(before)
	if err != nil {
		t.Fatal(err)
	}
	list := func(m *spirv.Module) []string {
		var out []string
		for _, e := range m.EntryPoints {
			name, _ := spirv.DecodeString(e.Operands[2:])
			out = append(out, fmt.Sprint("entry ", name, e.Operands[0]))
		}
		for _, e := range m.ExecutionModes {
			if e.Op == spirv.OpExecutionMode {
				out = append(out, fmt.Sprint("mode ", e.Operands[1:]))
			}
		}
		vars := map[spirv.ID]bool{}
		for _, g := range m.Globals {
			if g.Op == spirv.OpVariable || g.Op == spirv.OpSpecConstant {
				vars[g.Result] = true
			}
		}
		for _, d := range m.Annotations {
			if d.Op == spirv.OpDecorate && vars[d.ID(0)] {
				switch spirv.Decoration(d.Operands[1]) {
				case spirv.DecorationBinding, spirv.DecorationDescriptorSet, spirv.DecorationLocation, spirv.DecorationBuiltIn,
					spirv.DecorationSpecId:
					out = append(out, fmt.Sprint("decoration ", d.Operands[1:]))
				}
			}
		}
		slices.Sort(out)
		return out
	}
	if a, b := list(m), list(after); !slices.Equal(a, b) {
		// A descriptor of a structure that nothing reads may go.
		for _, x := range b {
			helper := fmt.Sprint("decoration ", []uint32{uint32(spirv.DecorationBuiltIn), uint32(spirv.BuiltInHelperInvocation)})
			if !slices.Contains(a, x) && x != helper {
				t.Errorf("%q is new", x)
			}
		}
		for _, x := range a {
			if !slices.Contains(b, x) && !strings.Contains(x, fmt.Sprint([]uint32{uint32(spirv.DecorationBinding), 0})) &&
				!strings.Contains(x, fmt.Sprint([]uint32{uint32(spirv.DecorationDescriptorSet), 1})) {
				t.Errorf("%q is gone", x)
			}
		}
	}
}

func TestLowerQueriesLeavesOthersAlone(t *testing.T) {
	in := glsltest.Compile(t, "comp", "#version 460\n"+querySpace+"void main() { r[0] = 1u; }")
	code, err := LowerQueries(t.Context(), queryLibrary(t), Shader{Code: in, Model: spirv.ExecutionModelGLCompute})
	if err != nil || !slices.Equal(in, code) {
		t.Errorf("a shader without queries changed (%v)", err)
	}
}

// queryWords returns how many words of variables a module's functions and globals of the given class declare queries in.
func queryVariables(m *spirv.Module, class spirv.StorageClass) int {
	x := spirv.NewIndex(m)
	n := 0
	count := func(in *spirv.Inst) {
		if in.Op == spirv.OpVariable && spirv.StorageClass(in.Operands[0]) == class &&
			x.Name(spirv.ID(x.Def(in.Type).Operands[1])) == "RqQuery" {
			n++
		}
	}
	for i := range m.Globals {
		count(&m.Globals[i])
	}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				count(&b.Insts[i])
			}
		}
	}
	return n
}

// TestQueriesAreLocal checks that compilers see queries as variables of functions, and that none is copied needlessly.
func TestQueriesAreLocal(t *testing.T) {
	for i, want := range map[int]int{0: 1, 2: 3} { // plain; globals: two in main, one in shadow
		c := queryShaders[i]
		code, err := LowerQueries(t.Context(), queryLibrary(t), Shader{Code: glsltest.Compile(t, c.stage, c.source), Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(code)
		if err != nil {
			t.Fatal(err)
		}
		if n := queryVariables(m, spirv.StorageClassPrivate); n != 0 {
			t.Errorf("%s: %d queries are globals", c.name, n)
		}
		if n := queryVariables(m, spirv.StorageClassFunction); n != want {
			t.Errorf("%s: %d queries are local, want %d", c.name, n, want)
		}
	}
}

func TestLowerQueriesRefuses(t *testing.T) {
	library := queryLibrary(t)
	plain := glsltest.Compile(t, "comp", queryShaders[0].source)
	for _, c := range []struct {
		name string
		sh   Shader
		want error
		text string
	}{
		{"entry", Shader{Code: plain, Entry: "other", Model: spirv.ExecutionModelGLCompute}, ErrInvalid, `"other"`},
		{"model", Shader{Code: plain, Model: spirv.ExecutionModelFragment}, ErrInvalid, "of model Fragment"},
		{"ray tracing", Shader{Code: plain, Model: spirv.ExecutionModelRayGenerationKHR}, ErrInvalid, "no compute or graphics shader"},
		{"code", Shader{Name: "mine", Code: plain[:50], Model: spirv.ExecutionModelGLCompute}, ErrInvalid, "mine"},
		{"constant", Shader{Code: glsltest.Compile(t, "comp", queryShaders[5].source), Model: spirv.ExecutionModelGLCompute,
			Specialization: map[uint32][]byte{1: {1}}}, spirv.ErrSpecialization, "1 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := LowerQueries(t.Context(), library, c.sh)
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

// TestQueriesInPipelines links shaders with queries, one of them alive across a trace call.
func TestQueriesInPipelines(t *testing.T) {
	head := "#version 460\n#extension GL_EXT_ray_tracing : require\n#extension GL_EXT_ray_query : require\n" + queryScene
	trace := "traceRayEXT(scene, 0u, 0xff, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1e3, 0);\n"
	raygen := head + "layout(set = 0, binding = 3) buffer R { uint r[]; };\nlayout(location = 0) rayPayloadEXT uint p;\nvoid main() { "
	for _, c := range []struct {
		name, raygen string
		frame        uint32 // at most
	}{
		{"alive", "rayQueryEXT q; " + queryStart + "rayQueryProceedEXT(q); " + trace + "r[0] = rayQueryProceedEXT(q) ? p : 1u; }", 128},
		// Initialised in each turn: nothing of it lives across the call.
		{"dead", "for (uint i = 0u; i < 4u; i++) { rayQueryEXT q; " + queryStart +
			"rayQueryProceedEXT(q); r[i] = rayQueryGetIntersectionTypeEXT(q, true); " + trace + "} }", 8},
	} {
		for _, form := range []Form{FormMegakernel, FormBlocks, FormAuto} {
			t.Run(fmt.Sprint(c.name, " ", form), func(t *testing.T) {
				o := verified
				o.Form, o.MaxDepth = form, 1
				r, err := Link(t.Context(), runtimeModule(t), []Stage{
					{Kind: Raygen, Code: glsltest.Compile(t, "rgen", raygen+c.raygen)},
					{Kind: ClosestHit, Code: glsltest.Compile(t, "rchit",
						head+"layout(location = 0) rayPayloadInEXT uint p;\nvoid main() { rayQueryEXT q; "+
							queryStart+"while (rayQueryProceedEXT(q)) rayQueryConfirmIntersectionEXT(q); "+
							"p = rayQueryGetIntersectionTypeEXT(q, true); }")},
					{Kind: AnyHit, Code: glsltest.Compile(t, "rahit", head+"void main() { rayQueryEXT q; "+queryStart+
						"rayQueryProceedEXT(q); if (rayQueryGetIntersectionTypeEXT(q, true) == 0u) ignoreIntersectionEXT; }")},
				}, o)
				if err != nil {
					t.Fatal(err)
				}
				glsltest.Validate(t, r.Code)
				if r.Frames[0] > c.frame {
					t.Errorf("frame of %d dwords, want at most %d", r.Frames[0], c.frame)
				}
			})
		}
	}
}

// FuzzLowerQueries hands over modules of strangers.
func FuzzLowerQueries(f *testing.F) {
	library := queryLibrary(f)
	for _, c := range queryShaders {
		var b []byte
		for _, w := range glsltest.Compile(f, c.stage, c.source) {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		f.Add(b, uint8(c.model))
	}
	f.Fuzz(func(t *testing.T, b []byte, model uint8) {
		code := make([]uint32, len(b)/4)
		for i := range code {
			code[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		start := time.Now()
		_, err := LowerQueries(t.Context(), library, Shader{Code: code, Model: spirv.ExecutionModel(model)})
		if err != nil && isInternal(err) {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}
