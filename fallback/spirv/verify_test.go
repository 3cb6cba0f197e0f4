package spirv

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// base is a module that brokenModules change: a loop with an if inside, a
// call, phis and memory.
const base = `
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %buffer
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %buffer DescriptorSet 0
               OpDecorate %buffer Binding 0
       %void = OpTypeVoid
     %mainfn = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
     %uintfn = OpTypeFunction %uint %uint
      %uvec2 = OpTypeVector %uint 2
      %block = OpTypeStruct %uint
        %ptr = OpTypePointer StorageBuffer %block
       %puint = OpTypePointer StorageBuffer %uint
      %local = OpTypePointer Function %uint
     %buffer = OpVariable %ptr StorageBuffer
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %f1 = OpConstant %float 1
       %pair = OpConstantComposite %uvec2 %u0 %u1
       %main = OpFunction %void None %mainfn
      %entry = OpLabel
        %var = OpVariable %local Function %u0
          %p = OpAccessChain %puint %buffer %u0
          %n = OpLoad %uint %p
               OpBranch %head
       %head = OpLabel
          %i = OpPhi %uint %u0 %entry %next %cont
               OpLoopMerge %after %cont None
               OpBranch %test
       %test = OpLabel
          %c = OpULessThan %bool %i %n
               OpBranchConditional %c %body %after
       %body = OpLabel
          %d = OpIEqual %bool %i %u1
               OpSelectionMerge %join None
               OpBranchConditional %d %then %join
       %then = OpLabel
          %r = OpFunctionCall %uint %helper %i
               OpStore %var %r
               OpBranch %join
       %join = OpLabel
               OpBranch %cont
       %cont = OpLabel
       %next = OpIAdd %uint %i %u1
               OpBranch %head
      %after = OpLabel
          %v = OpLoad %uint %var
          %e = OpCompositeExtract %uint %pair 1
          %s = OpSelect %uint %c %v %e
               OpStore %p %s
               OpReturn
               OpFunctionEnd
     %helper = OpFunction %uint None %uintfn
          %a = OpFunctionParameter %uint
     %hentry = OpLabel
               OpSelectionMerge %hend None
               OpSwitch %a %hend 1 %one 2 %two
        %one = OpLabel
               OpBranch %two
        %two = OpLabel
               OpBranch %hend
       %hend = OpLabel
          %h = OpPhi %uint %a %hentry %u1 %two
               OpReturnValue %h
               OpFunctionEnd
`

// brokenModules change the text of base. Each must be rejected, with an error
// that says what is wrong.
var brokenModules = []struct{ name, from, to, want string }{
	{"operand not defined", "%n = OpLoad %uint %p", "%n = OpLoad %uint %nowhere", "is not defined"},
	{"defined twice", "%v = OpLoad %uint %var", "%i = OpLoad %uint %var", "defined twice"},
	{"type is no type", "%v = OpLoad %uint %var", "%v = OpLoad %u1 %var", "is no type"},
	{"global later", "%block = OpTypeStruct %uint", "%block = OpTypeStruct %uint %late\n%late = OpTypeInt 16 0", "defined later"},
	{"type twice", "%float = OpTypeFloat 32", "%float = OpTypeFloat 32\n%again = OpTypeFloat 32", "the same type"},
	{"capability missing", "%float = OpTypeFloat 32", "%float = OpTypeFloat 32\n%double = OpTypeFloat 64", "capability Float64"},
	{"composite parts", "%uvec2 %u0 %u1", "%uvec2 %u0", "1 components for 2"},
	{"composite part type", "%uvec2 %u0 %u1", "%uvec2 %u0 %f1", "another type"},
	{"variable class", "%buffer = OpVariable %ptr StorageBuffer", "%buffer = OpVariable %ptr Uniform", "storage class"},
	{"local class", "%var = OpVariable %local Function %u0", "%var = OpVariable %puint StorageBuffer", "does not fit the place"},
	{"late variable", "OpBranch %test", "%w = OpVariable %local Function\nOpBranch %test", ""},
	{"use ahead of definition", "%v = OpLoad %uint %var", "%v = OpIAdd %uint %e %u1", "not defined on all ways"},
	{"use not dominated", "OpStore %p %s", "OpStore %p %r", "not defined on all ways"},
	{"use from another function", "OpReturnValue %h", "OpReturnValue %n", "not defined on all ways"},
	{"phi lacks predecessor", "%u0 %entry %next %cont", "%u0 %entry", "1 of 2 predecessors"},
	{"phi of no predecessor", "%u0 %entry %next %cont", "%u0 %entry %next %join", "no predecessor"},
	{"phi twice", "%u0 %entry %next %cont", "%u0 %entry %u1 %entry %next %cont", "comes twice"},
	{"phi type", "%u0 %entry %next %cont", "%f1 %entry %next %cont", "another type"},
	{"phi not dominated", "%u0 %entry %next %cont", "%u0 %entry %r %cont", "not defined on all ways"},
	{"phi late", "%d = OpIEqual %bool %i %u1", "%d = OpIEqual %bool %i %u1\n%q = OpPhi %uint %u0 %test", "not at the beginning"},
	{"branch to entry", "OpBranch %cont", "OpBranch %entry", "entry block"},
	{"branch to other function", "OpBranch %cont", "OpBranch %hend", "no block of the function"},
	{"no switch merge", "OpSelectionMerge %hend None", "", "no OpSelectionMerge"},
	{"merge ahead", "OpSelectionMerge %join None", "OpSelectionMerge %join None\n%q = OpIAdd %uint %i %u1", "right before"},
	{"merge not dominated", "OpSelectionMerge %join None", "OpSelectionMerge %head None", "dominated"},
	{"merge shared", "OpSelectionMerge %join None", "OpSelectionMerge %after None", "already"},
	{"no loop merge", "OpLoopMerge %after %cont None", "", "back edge"},
	{"continue not dominated", "OpLoopMerge %after %cont None", "OpLoopMerge %after %entry None", ""},
	{"second back edge", "OpBranch %cont\n", "OpBranch %head\n", ""},
	{"condition", "OpBranchConditional %c", "OpBranchConditional %i", "condition is not bool"},
	{"store type", "OpStore %var %r", "OpStore %var %d", "points to"},
	{"load type", "%v = OpLoad %uint %var", "%v = OpLoad %float %var", "points to"},
	{"access chain", "%p = OpAccessChain %puint %buffer %u0", "%p = OpAccessChain %puint %buffer %u1", "leads nowhere"},
	{"access chain depth", "%p = OpAccessChain %puint %buffer %u0", "%p = OpAccessChain %puint %buffer", "lead to type"},
	{"access chain class", "%p = OpAccessChain %puint %buffer %u0", "%p = OpAccessChain %local %buffer %u0", "storage classes differ"},
	{"arithmetic", "%next = OpIAdd %uint %i %u1", "%next = OpIAdd %uint %i %f1", "another shape"},
	{"float arithmetic", "%e = OpCompositeExtract", "%fa = OpFAdd %float %f1 %u1\n%e = OpCompositeExtract", "result's type"},
	{"comparison", "%d = OpIEqual %bool %i %u1", "%d = OpIEqual %bool %i %f1", "another shape"},
	{"comparison result", "%d = OpIEqual %bool %i %u1", "%d = OpIEqual %uint %i %u1", "not bool"},
	{"conversion", "%e = OpCompositeExtract", "%fa = OpConvertUToF %float %f1\n%e = OpCompositeExtract", "conversion"},
	{"extract", "%uint %pair 1", "%uint %pair 2", "type of the part"},
	{"select", "%s = OpSelect %uint %c %v %e", "%s = OpSelect %uint %v %v %e", "condition is not bool"},
	{"select type", "%s = OpSelect %uint %c %v %e", "%s = OpSelect %uint %c %v %f1", "result's type"},
	{"argument type", "%uint %helper %i", "%uint %helper %f1", "argument 0"},
	{"argument count", "%uint %helper %i", "%uint %helper", "0 arguments"},
	{"call of no function", "%uint %helper %i", "%uint %p %i", "no function"},
	{"return without value", "OpReturnValue %h", "OpReturn", "returns a value"},
	{"return type", "OpReturnValue %h", "OpReturnValue %f1", "function's type"},
	{"function type", "%main = OpFunction %void None %mainfn", "%main = OpFunction %uint None %mainfn", "does not fit the result"},
	{"parameter type", "OpTypeFunction %uint %uint", "OpTypeFunction %uint %float", "parameter 0"},
	{"parameters", "%a = OpFunctionParameter %uint", "%a = OpFunctionParameter %uint\n%a2 = OpFunctionParameter %uint",
		"2 parameters"},
	{"recursion", "%one = OpLabel", "%one = OpLabel\n%rec = OpFunctionCall %uint %helper %u0", "recursion"},
	{"interface incomplete", `"main" %buffer`, `"main"`, "not in the interface"},
	{"interface", `"main" %buffer`, `"main" %buffer %u0`, "no global variable"},
	{"interface twice", `"main" %buffer`, `"main" %buffer %buffer`, "twice"},
	{"entry point", `GLCompute %main "main"`, `GLCompute %helper "main"`, "void()"},
	{"execution mode", "OpExecutionMode %main", "OpExecutionMode %helper", "no entry point"},
	{"second entry point", "OpExecutionMode", "OpEntryPoint GLCompute %main \"main\" %buffer\nOpExecutionMode", "second entry point"},
	{"member decoration", "OpMemberDecorate %block 0", "OpMemberDecorate %block 1", "no such structure member"},
	{"branch out of construct", "OpStore %var %r\n               OpBranch %join", "OpBranch %test", ""},
	{"branch into continue of nothing", "OpBranch %two\n", "OpBranch %hentry\n", ""},
	{"operand is a type", "%next = OpIAdd %uint %i %u1", "%next = OpIAdd %uint %i %float", "no value"},
	{"shuffle", "%e = OpCompositeExtract", "%sh = OpVectorShuffle %uvec2 %pair %pair 0 4\n%e = OpCompositeExtract", "no component 4"},
	{"memory model", "OpMemoryModel Logical GLSL450", "", "no memory model"},
}

func TestVerify(t *testing.T) {
	corpus(t)
	m, err := Decode(assemble(t, 0x10500, base))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, "vulkan1.2", m.Encode())
	if err := Verify(m); err != nil {
		t.Fatalf("the base is not broken: %v", err)
	}
	for _, c := range brokenModules {
		if strings.Count(base, c.from) == 0 {
			t.Errorf("%s: the base does not have %q", c.name, c.from)
			continue
		}
		m, err := Decode(assemble(t, 0x10500, strings.Replace(base, c.from, c.to, 1)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		err = Verify(m)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", c.name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestVerifyMade has modules that no text can say.
func TestVerifyMade(t *testing.T) {
	corpus(t)
	words := assemble(t, 0x10500, base)
	for name, change := range map[string]func(m *Module){
		"bound":           func(m *Module) { m.Bound = 5 },
		"section":         func(m *Module) { m.Names = append(m.Names, m.Globals[0]) },
		"result missing":  func(m *Module) { m.Globals[0].Result = 0 },
		"type missing":    func(m *Module) { m.Functions[0].Def.Type = 0 },
		"type too much":   func(m *Module) { m.Globals[0].Type = 1 },
		"unknown":         func(m *Module) { m.Globals[0].Op = 60000 },
		"operands":        func(m *Module) { m.Globals[1].Operands = nil },
		"too many":        func(m *Module) { m.EntryPoints[0].Operands = make([]uint32, 70000) },
		"no terminator":   func(m *Module) { b := m.Functions[0].Blocks[0]; b.Insts = b.Insts[:1] },
		"empty block":     func(m *Module) { m.Functions[0].Blocks[1].Insts = nil },
		"two terminators": func(m *Module) { b := m.Functions[0].Blocks[0]; b.Insts = append(b.Insts, b.Insts[len(b.Insts)-1]) },
		"label in block": func(m *Module) {
			b := m.Functions[0].Blocks[0]
			b.Insts = append([]Inst{{Op: OpLabel, Result: m.NewID()}}, b.Insts...)
		},
		"type in block": func(m *Module) {
			b := m.Functions[0].Blocks[0]
			b.Insts = append([]Inst{{Op: OpTypeStruct, Result: m.NewID()}}, b.Insts...)
		},
		"constant of bool": func(m *Module) { setType(m, OpConstant, OpTypeBool) },
		"order":            func(m *Module) { b := m.Functions[0].Blocks; b[2], b[3] = b[3], b[2] },
		"switch literal":   func(m *Module) { m.Functions[1].Blocks[0].Terminator().LiteralWords = 2 },
		"before":           func(m *Module) { m.Functions[0].Blocks[1].Before = []Inst{{Op: OpReturn}} },
		"end":              func(m *Module) { m.Functions[0].End = []Inst{{Op: OpReturn}} },
		"no OpFunction":    func(m *Module) { m.Functions[0].Def.Op = OpFunctionEnd },
	} {
		m, err := Decode(words)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		if err := Verify(m); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// TestVerifyKeeps: real modules are valid, and not changed.
func TestVerifyKeeps(t *testing.T) {
	for _, s := range corpus(t) {
		m, err := Decode(s.words)
		if err != nil {
			t.Fatal(err)
		}
		before := m.Encode()
		if err := Verify(m); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if !slices.Equal(m.Encode(), before) {
			t.Errorf("%s: Verify changed the module", s.name)
		}
	}
}

// setType gives the first global with this opcode another type.
func setType(m *Module, op, typ Op) {
	find := func(op Op) *Inst {
		return &m.Globals[slices.IndexFunc(m.Globals, func(in Inst) bool { return in.Op == op })]
	}
	find(op).Type = find(typ).Result
}
