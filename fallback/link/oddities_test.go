package link

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// oddity is a valid shader in a form that glslang does not make: what follows the head below, and what stands in its
// sections. Words of body that are new ids are the case's own.
type oddity struct {
	name                             string
	capabilities, modes, annotations string
	types, body, functions           string
	entries                          string // in place of the ray generation shader
	also                             []Stage
}

// oddHead declares what the cases use. A payload, a scene, a result; %trace traces.
const oddHead = `
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v3int = OpTypeVector %int 3
%v3float = OpTypeVector %float 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u5 = OpConstant %uint 5
%u264 = OpConstant %uint 264
%u255 = OpConstant %uint 255
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%zero = OpConstantNull %v3float
%Words = OpTypeRuntimeArray %uint
%Buf = OpTypeStruct %Words
%sBuf = OpTypePointer StorageBuffer %Buf
%sUint = OpTypePointer StorageBuffer %uint
%as = OpTypeAccelerationStructureKHR
%uAs = OpTypePointer UniformConstant %as
%scene = OpVariable %uAs UniformConstant
%buf = OpVariable %sBuf StorageBuffer
%rUint = OpTypePointer RayPayloadKHR %uint
%p = OpVariable %rUint RayPayloadKHR
%fUint = OpTypePointer Function %uint
`

func (o oddity) code(t *testing.T) []uint32 {
	t.Helper()
	text := "OpCapability RayTracingKHR\n" + o.capabilities + "OpExtension \"SPV_KHR_ray_tracing\"\n"
	// Extensions come behind all capabilities.
	var capabilities, extensions []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "OpExtension") {
			extensions = append(extensions, line)
		} else {
			capabilities = append(capabilities, line)
		}
	}
	text = strings.Join(capabilities, "\n") + "\n" + strings.Join(extensions, "\n") + "\nOpMemoryModel Logical GLSL450\n"
	entries := o.entries
	if entries == "" {
		entries = "OpEntryPoint RayGenerationKHR %main \"main\""
	}
	interfaces := "" // all variables of the module
	for _, line := range strings.Split(oddHead+o.types, "\n") {
		if name, declaration, _ := strings.Cut(line, " = "); strings.HasPrefix(declaration, "OpVariable") {
			interfaces += " " + name
		}
	}
	text += strings.ReplaceAll(entries, "\n", interfaces+"\n") + interfaces + "\n" + o.modes + `
OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 1
OpDecorate %Buf Block
OpMemberDecorate %Buf 0 Offset 0
OpDecorate %Words ArrayStride 4
` + o.annotations + oddHead + o.types + `
%main = OpFunction %void None %fn
%main_entry = OpLabel
` + strings.NewReplacer(
		"TRACE", "%sc = OpLoad %as %scene\nOpTraceRayKHR %sc %u0 %u255 %u0 %u0 %u0 %zero %f0 %zero %f1 %p",
		"AGAIN", "%sc2 = OpLoad %as %scene\nOpTraceRayKHR %sc2 %u0 %u255 %u0 %u0 %u0 %zero %f0 %zero %f1 %p",
	).Replace(o.body) + "\nOpReturn\nOpFunctionEnd\n" + o.functions
	return glsltest.Assemble(t, text)
}

func oddities() []oddity {
	return []oddity{
		{name: "launch id of signed integers",
			annotations: "OpDecorate %id BuiltIn LaunchIdKHR\nOpDecorate %size BuiltIn LaunchSizeKHR\n",
			types: "%iV = OpTypePointer Input %v3int\n%iI = OpTypePointer Input %int\n%id = OpVariable %iV Input\n%size = " +
				"OpVariable %iV Input\n",
			body: "%a = OpAccessChain %iI %id %u0\n%b = OpLoad %int %a\n%c = OpLoad %v3int %size\nTRACE\n%d = OpCompositeExtract %int %c " +
				"1\n%e = OpIAdd %int %b %d\n%f = OpBitcast %uint %e\n%at = OpAccessChain %sUint %buf %u0 %f\nOpStore %at %f"},
		{name: "subgroup barrier", capabilities: "OpCapability GroupNonUniform\n",
			body: "OpControlBarrier %u3 %u3 %u264\nTRACE\nOpControlBarrier %u3 %u3 %u0"},
		{name: "texel pointer across a trace", annotations: "OpDecorate %img DescriptorSet 0\nOpDecorate %img Binding 2\n",
			types: "%image = OpTypeImage %uint 2D 0 0 0 2 R32ui\n%uImage = OpTypePointer UniformConstant %image\n%img = OpVariable " +
				"%uImage UniformConstant\n%tUint = OpTypePointer Image %uint\n%at0 = OpConstantNull %v2uint\n",
			body: "%x = OpLoad %uint %p\n%xy = OpCompositeConstruct %v2uint %x %x\n%t = OpImageTexelPointer %tUint %img %xy %u0\n%a = " +
				"OpAtomicIAdd %uint %t %u1 %u0 %u5\nTRACE\n" +
				"%b = OpAtomicIAdd %uint %t %u1 %u0 %a\nAGAIN\n%c = OpAtomicIAdd %uint %t %u1 %u0 %b"},
		{name: "switches of other widths", capabilities: "OpCapability Int64\nOpCapability Int16\nOpCapability Int8\n",
			types: "%u64 = OpTypeInt 64 0\n%s16 = OpTypeInt 16 1\n%u8 = OpTypeInt 8 0\n",
			body: `%x = OpLoad %uint %p
%w = OpUConvert %u64 %x
%s = OpSConvert %s16 %x
%b = OpUConvert %u8 %x
OpSelectionMerge %m1 None
OpSwitch %w %d1 4294967297 %c1 2 %c2
%c1 = OpLabel
TRACE
OpBranch %c2
%c2 = OpLabel
OpStore %p %u5
OpBranch %m1
%d1 = OpLabel
OpBranch %m1
%m1 = OpLabel
OpSelectionMerge %m2 None
OpSwitch %s %m2 -1 %c3 7 %c3
%c3 = OpLabel
AGAIN
OpBranch %m2
%m2 = OpLabel
OpSelectionMerge %m3 None
OpSwitch %b %m3 255 %c4
%c4 = OpLabel
OpStore %p %u1
OpBranch %m3
%m3 = OpLabel`},
		{name: "copies of payloads by memory",
			types: "%Pay = OpTypeStruct %uint %v3float\n%rPay = OpTypePointer RayPayloadKHR %Pay\n%fPay = OpTypePointer Function " +
				"%Pay\n%q = OpVariable %rPay RayPayloadKHR\n%rV = OpTypePointer RayPayloadKHR %v3float\n" +
				"%fV = OpTypePointer Function %v3float\n",
			body: "%l = OpVariable %fPay Function\n%k = OpVariable %fV Function\nOpCopyMemory %q %l\n%sc0 = OpLoad %as " +
				"%scene\nOpTraceRayKHR %sc0 %u0 %u255 %u0 %u0 %u0 %zero %f0 %zero %f1 %q\nOpCopyMemory %l %q\n%a = OpAccessChain %rV %q " +
				"%u1\nOpCopyMemory %k %a\n%c = OpCopyObject %rV %a\nTRACE\nOpCopyMemory %c %k\n%d = OpLoad %Pay %q\n%e = OpCompositeExtract " +
				"%uint %d 0\nOpStore %p %e"},
		{name: "copies of records by memory", annotations: "OpDecorate %Rec Block\nOpMemberDecorate %Rec 0 Offset 0\nOpMemberDecorate " +
			"%Rec 1 Offset 16\n",
			types: "%Rec = OpTypeStruct %uint %v3float\n%qRec = OpTypePointer ShaderRecordBufferKHR %Rec\n%fRec = OpTypePointer Function " +
				"%Rec\n%rec = OpVariable %qRec ShaderRecordBufferKHR\n",
			body: "%l = OpVariable %fRec Function\nOpCopyMemory %l %rec None Volatile\nTRACE\n%k = OpLoad %Rec %l\nOpCopyMemory %l %rec " +
				"Volatile\nAGAIN\n%x = OpCompositeExtract %uint %k 0\n%at = OpAccessChain %sUint %buf %u0 %x\n%y = OpAccessChain %fUint %l " +
				"%u0\n%z = OpLoad %uint %y\nOpStore %at %z"},
		{name: "structures as values", capabilities: "OpCapability Int64\n",
			types: "%u64 = OpTypeInt 64 0\n%a64 = OpConstant %u64 4096\n%fnAs = OpTypeFunction %uint %as %uint\n",
			body: "%x = OpLoad %uint %p\n%odd = OpIEqual %bool %x %u1\n%s0 = OpLoad %as %scene\nOpSelectionMerge %m " +
				"None\nOpBranchConditional %odd %y %m\n%y = OpLabel\n%s1 = OpConvertUToAccelerationStructureKHR %as %a64\nOpBranch %m\n%m = " +
				"OpLabel\n%s = OpPhi %as %s0 %main_entry %s1 %y\n%r = OpFunctionCall %uint %shoot %s %x\n%r2 = OpFunctionCall %uint %shoot " +
				"%s0 %r\n%at = OpAccessChain %sUint %buf %u0 %r2\nOpStore %at %r\n",
			functions: "%shoot = OpFunction %uint DontInline %fnAs\n%sp = OpFunctionParameter %as\n%xp = OpFunctionParameter %uint\n%se " +
				"= OpLabel\nOpTraceRayKHR %sp %u0 %u255 %u0 %u0 %u0 %zero %f0 %zero %f1 %p\n%sv = OpLoad %uint %p\n%sr = OpIAdd %uint %sv " +
				"%xp\nOpReturnValue %sr\nOpFunctionEnd\n"},
		{name: "loop controls and expectations", capabilities: "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n",
			body: `OpBranch %h
%h = OpLabel
%i = OpPhi %uint %u0 %main_entry %in %ct
OpLoopMerge %mg %ct DependencyLength|MinIterations|PeelCount 4 1 2
OpBranch %t
%t = OpLabel
%ex = OpExpectKHR %uint %i %u1
%lt = OpULessThan %bool %ex %u5
OpBranchConditional %lt %bd %mg 10 1
%bd = OpLabel
OpAssumeTrueKHR %lt
TRACE
OpBranch %ct
%ct = OpLabel
%in = OpIAdd %uint %i %u1
OpBranch %h
%mg = OpLabel
OpBranch %h2
%h2 = OpLabel
%i2 = OpPhi %uint %u0 %mg %in2 %ct2
OpLoopMerge %mg2 %ct2 Unroll|PartialCount 3
OpBranch %bd2
%bd2 = OpLabel
%lt2 = OpULessThan %bool %i2 %u5
OpBranchConditional %lt2 %ct2 %mg2
%ct2 = OpLabel
%in2 = OpIAdd %uint %i2 %u1
OpBranch %h2
%mg2 = OpLabel`},
		{name: "modes that say how lanes go together", capabilities: "OpExtension \"SPV_KHR_subgroup_uniform_control_flow\"\n",
			modes: "OpExecutionMode %main SubgroupUniformControlFlowKHR\n", body: "TRACE"},
		{name: "one function for two entry points",
			entries: "OpEntryPoint RayGenerationKHR %main \"main\"\nOpEntryPoint MissKHR %main \"main\"\nOpEntryPoint ClosestHitKHR " +
				"%main \"other\"", body: "TRACE\n%x = OpLoad %uint %p\nOpStore %p %u5"},
		{name: "streaming multiprocessors", capabilities: "OpCapability ShaderSMBuiltinsNV\nOpExtension \"SPV_NV_shader_sm_builtins\"\n",
			annotations: "OpDecorate %sm BuiltIn SMIDNV\nOpDecorate %wp BuiltIn WarpIDNV\nOpDecorate %sm Volatile\nOpDecorate %wp " +
				"Volatile\nOpDecorate %sms BuiltIn SMCountNV\nOpDecorate %wps BuiltIn WarpsPerSMNV\n",
			types: "%iU = OpTypePointer Input %uint\n%sm = OpVariable %iU Input\n%wp = OpVariable %iU Input\n%sms = OpVariable %iU " +
				"Input\n%wps = OpVariable %iU Input\n",
			body: "%a = OpLoad %uint %sm\nTRACE\n%b = OpLoad %uint %wp\n%c = OpIAdd %uint %a %b\n%d = OpLoad %uint %sms\n%e = OpIAdd " +
				"%uint %c %d\n%f = OpLoad %uint %wps\n%g = OpIAdd %uint %e %f\n%at = OpAccessChain %sUint %buf %u0 %g\nOpStore %at %u1"},
		{name: "subgroup built-ins of either sign", capabilities: "OpCapability GroupNonUniform\n",
			annotations: "OpDecorate %lane BuiltIn SubgroupLocalInvocationId\nOpDecorate %laneS BuiltIn SubgroupLocalInvocationId\n",
			types: "%iU = OpTypePointer Input %uint\n%iI = OpTypePointer Input %int\n%lane = OpVariable %iU Input\n%laneS = " +
				"OpVariable %iI Input\n",
			entries: "OpEntryPoint RayGenerationKHR %main \"main\"\nOpEntryPoint RayGenerationKHR %second \"second\"",
			body:    "%a = OpLoad %uint %lane\n%at = OpAccessChain %sUint %buf %u0 %a\nOpStore %at %a",
			functions: "%second = OpFunction %void None %fn\n%s_e = OpLabel\n%s_a = OpLoad %int %laneS\n%s_b = OpBitcast %uint " +
				"%s_a\n%s_at = OpAccessChain %sUint %buf %u0 %s_b\nOpStore %s_at %s_b\nOpReturn\nOpFunctionEnd\n",
			also: []Stage{{Kind: Raygen, Entry: "second"}}},
		{name: "undefined and empty", types: "%undef = OpUndef %v3float\n%Empty = OpTypeStruct\n%fE = OpTypePointer Function " +
			"%Empty\n%Nest = OpTypeStruct %Empty %uint %Empty\n%fN = OpTypePointer Function %Nest\n%nullN = OpConstantNull " +
			"%Nest\n%emptyC = OpConstantComposite %Empty\n",
			body: "%ev = OpVariable %fE Function\n%nv = OpVariable %fN Function %nullN\nOpNop\n%un = OpUndef %uint\n%e0 = OpLoad %Empty " +
				"%ev\n%n0 = OpCompositeConstruct %Nest %e0 %un %emptyC\nOpStore %nv %n0\nTRACE\n%n1 = OpLoad %Nest %nv\n%x = " +
				"OpCompositeExtract %uint %n1 1\n%s = OpIAdd %uint %x %un\nOpStore %ev %e0\n%sy = OpCompositeExtract %float %undef " +
				"1\nAGAIN\n%at = OpAccessChain %sUint %buf %u0 %s\nOpStore %at %un\nOpNop"},
	}
}

// TestLinkOddities links them in every form, one by one and in a library.
func TestLinkOddities(t *testing.T) {
	for _, o := range oddities() {
		t.Run(o.name, func(t *testing.T) {
			code := o.code(t)
			stages := []Stage{{Kind: Raygen, Code: code}}
			for _, s := range o.also {
				s.Code = code
				stages = append(stages, s)
			}
			linkStrangers(t, stages, 1)
			library, err := NewLibrary(t.Context(), runtimeModule(t), stages, verified)
			if err != nil {
				t.Fatal(err)
			}
			options := verified
			options.Libraries, options.MaxDepth = []*Library{library}, 1
			r, err := Link(t.Context(), runtimeModule(t), stages, options)
			if err != nil {
				t.Fatal(err)
			}
			glsltest.Validate(t, r.Code)
			checkInputs(t, r.Code)
		})
	}
}

// TestLinkExtensions links shaders of extensions whose part in a shader is a hint, or nothing here.
func TestLinkExtensions(t *testing.T) {
	const head = "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(set = 0, binding = 0) uniform " +
		"accelerationStructureEXT scene;\n" +
		"layout(location = 0) rayPayloadEXT uint p;\n"
	for name, source := range map[string]string{
		"reordering": strings.Replace(head, "\n", "\n#extension GL_NV_shader_invocation_reorder : require\n", 1) +
			"void main() { reorderThreadNV(3u, 2u); traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0); }",
		"opacity micromaps": strings.Replace(head, "\n", "\n#extension GL_EXT_opacity_micromap : require\n", 1) +
			"void main() { traceRayEXT(scene, gl_RayFlagsForceOpacityMicromap2StateEXT, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0); }",
	} {
		t.Run(name, func(t *testing.T) {
			linkStrangers(t, []Stage{{Kind: Raygen, Code: glsltest.Compile(t, "rgen", source)}}, 1)
		})
	}
}

// TestLinkAddresses links shaders whose buffer references flow through phis and out of functions around traces.
func TestLinkAddresses(t *testing.T) {
	code := glsltest.Compile(t, "rgen", `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint value; };
layout(push_constant) uniform Push { uvec2 list; } push;
layout(location = 0) rayPayloadEXT uint p;
void trace() { traceRayEXT(scene, 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0, 0); }
Node after(Node n) { trace(); if (p == 3u) return n; trace(); return n.next; }
void main() {
    Node n = Node(push.list), best = n;
    for (uint k = 0u; k < 5u; k++) {
        n = n.next;
        trace();
        if (n.value > best.value) best = after(n);
    }
    best.value = p;
}
`)
	linkStrangers(t, []Stage{{Kind: Raygen, Code: code}, {Kind: Raygen, Code: glsltest.Optimize(t, code, "-O")},
		{Kind: Raygen, Code: glsltest.Optimize(t, code, "--ssa-rewrite")}}, 1)
}

// TestLinkDebugInfo links shaders with debug information of NonSemantic.Shader.DebugInfo.100, which goes.
func TestLinkDebugInfo(t *testing.T) {
	s := shapes.All()[0]
	var stages []Stage
	for _, x := range []struct {
		model         Model
		stage, source string
	}{{Raygen, "rgen", s.Raygen}, {Miss, "rmiss", shapes.Miss}, {ClosestHit, "rchit", shapes.ClosestHit},
		{AnyHit, "rahit", s.AnyHit}} {
		code := glsltest.CompileAs(t, x.stage, x.source, "--target-env", "vulkan1.2", "-gVS")
		stages = append(stages, Stage{Kind: x.model, Code: code})
	}
	r := linkStrangers(t, stages, 1)
	m, err := spirv.Decode(r.Code)
	if err != nil {
		t.Fatal(err)
	}
	if text := spirv.Disassemble(m); strings.Contains(text, "NonSemantic") || strings.Contains(text, "OpString") {
		t.Error("the linked module still has debug information")
	}
}

// TestLinkRefused names what is refused and why.
func TestLinkRefused(t *testing.T) {
	for _, c := range []struct {
		oddity
		want error
		text string
	}{
		{oddity{name: "barrier of a workgroup", body: "OpControlBarrier %u2 %u2 %u264"}, ErrInvalid, "scope that is not Subgroup"},
		{oddity{name: "vector of a billion", types: "%huge = OpTypeVector %uint 1795162115\n%fHuge = OpTypePointer Function %huge\n",
			body: "%h = OpVariable %fHuge Function\n%h0 = OpLoad %huge %h\nTRACE\nOpStore %h %h0"}, ErrInvalid,
			"components of a wrong type or number"},
		{oddity{name: "integers of an odd width", types: "%none = OpTypeInt 24 0\n%fNone = OpTypePointer Function %none\n",
			body: "%v = OpVariable %fNone Function\n%v0 = OpLoad %none %v\nTRACE\nOpStore %v %v0"}, ErrInvalid, "numbers of 24 bits"},
		{oddity{name: "payload of another kind",
			types: "%cUint = OpTypePointer CallableDataKHR %uint\n%c = OpVariable %cUint CallableDataKHR\n",
			body:  "%s = OpLoad %as %scene\nOpTraceRayKHR %s %u0 %u255 %u0 %u0 %u0 %zero %f0 %zero %f1 %c"}, ErrInvalid,
			"not a pointer to a payload"},
		{oddity{name: "hit objects that move",
			capabilities: "OpCapability ShaderInvocationReorderNV\nOpExtension \"SPV_NV_shader_invocation_reorder\"\n",
			types:        "%hit = OpTypeHitObjectNV\n%fHit = OpTypePointer Function %hit\n",
			body:         "%v = OpVariable %fHit Function\nOpHitObjectRecordMissMotionNV %v %u0 %zero %f0 %zero %f1 %f0\n"},
			ErrUnsupported, "motion blur (OpHitObjectRecordMissMotionNV)"},
		{oddity{name: "pointers compared that nobody may compare", capabilities: "OpCapability VariablePointers\n",
			body: "%v = OpVariable %fUint Function\n%e = OpPtrEqual %bool %v %v\n%at = OpAccessChain %sUint %buf %u0 %u0\nOpStore %at %u1"},
			ErrInvalid, "not into storage buffers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Link(t.Context(), runtimeModule(t), []Stage{{Name: "mine", Kind: Raygen, Code: c.code(t)}}, Options{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "mine") {
				t.Errorf("got %v, want one that says %q", err, c.text)
			}
		})
	}
}

// checkInputs checks that no two variables of a module have the same built-in and type.
func checkInputs(t *testing.T, code []uint32) {
	t.Helper()
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	x := spirv.NewIndex(m)
	seen := map[[2]uint32]bool{}
	for i := range m.Globals {
		in := &m.Globals[i]
		if in.Op != spirv.OpVariable || spirv.StorageClass(in.Operands[0]) != spirv.StorageClassInput {
			continue
		}
		if b, ok := x.Decoration(in.Result, spirv.DecorationBuiltIn); ok {
			key := [2]uint32{b[0], uint32(in.Type)}
			if seen[key] {
				t.Errorf("two variables are built-in %d", b[0])
			}
			seen[key] = true
		}
	}
}
