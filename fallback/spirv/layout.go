package spirv

import "fmt"

// section is a part of the logical layout, in order.
type section uint8

const (
	sectionCapabilities section = iota
	sectionExtensions
	sectionImports
	sectionMemoryModel
	sectionEntryPoints
	sectionExecutionModes
	sectionStrings
	sectionNames
	sectionProcessed
	sectionAnnotations
	sectionGlobals
	sectionFunctions
	sectionBody // only within functions
)

// sectionOf returns the section an opcode belongs to. Lines, OpUndef,
// OpVariable and OpExtInst count as globals, though functions have them too.
func sectionOf(op Op) section {
	switch op {
	case OpCapability:
		return sectionCapabilities
	case OpExtension:
		return sectionExtensions
	case OpExtInstImport:
		return sectionImports
	case OpMemoryModel:
		return sectionMemoryModel
	case OpEntryPoint:
		return sectionEntryPoints
	case OpExecutionMode, OpExecutionModeId:
		return sectionExecutionModes
	case OpString, OpSource, OpSourceExtension, OpSourceContinued:
		return sectionStrings
	case OpName, OpMemberName:
		return sectionNames
	case OpModuleProcessed:
		return sectionProcessed
	case OpDecorate, OpMemberDecorate, OpDecorationGroup, OpGroupDecorate, OpGroupMemberDecorate,
		OpDecorateId, OpDecorateString, OpMemberDecorateString:
		return sectionAnnotations
	case OpTypeForwardPointer, OpVariable, OpUndef, OpLine, OpNoLine, OpExtInst, OpExtInstWithForwardRefsKHR:
		return sectionGlobals
	case OpFunction:
		return sectionFunctions
	}
	if op.IsType() || op.IsConstant() || op == OpConstantSampler {
		return sectionGlobals
	}
	return sectionBody
}

// list returns the list of a section ahead of the functions; the memory model
// has none.
func (m *Module) list(s section) *[]Inst {
	switch s {
	case sectionCapabilities:
		return &m.Capabilities
	case sectionExtensions:
		return &m.Extensions
	case sectionImports:
		return &m.ExtInstImports
	case sectionEntryPoints:
		return &m.EntryPoints
	case sectionExecutionModes:
		return &m.ExecutionModes
	case sectionStrings:
		return &m.DebugStrings
	case sectionNames:
		return &m.Names
	case sectionProcessed:
		return &m.Processed
	case sectionAnnotations:
		return &m.Annotations
	case sectionGlobals:
		return &m.Globals
	}
	return nil
}

// mayFloat tells whether an instruction may stand anywhere from the globals
// on, outside of blocks too: lines and non-semantic instructions.
func mayFloat(op Op) bool {
	return op.IsLine() || op == OpExtInst || op == OpExtInstWithForwardRefsKHR
}

// place puts an instruction where the logical layout wants it.
func (d *decoder) place(in Inst) error {
	switch {
	case d.b != nil:
		return d.placeInBlock(in)
	case d.f != nil:
		return d.placeInFunction(in)
	}
	s := sectionOf(in.Op)
	if d.section == sectionFunctions && mayFloat(in.Op) {
		d.pending = append(d.pending, in)
		return nil
	}
	if s < d.section || s == sectionBody || s == sectionMemoryModel && d.m.MemoryModel.Op != OpNop {
		return fmt.Errorf("%w: %v", ErrLayout, in.Op)
	}
	d.section = s
	switch s {
	case sectionMemoryModel:
		d.m.MemoryModel = in
	case sectionFunctions:
		d.f = &Function{Def: in, Before: d.take()}
		d.m.Functions = append(d.m.Functions, d.f)
	default:
		list := d.m.list(s)
		if *list == nil {
			*list = make([]Inst, 0, 8+d.ahead(func(op Op) bool { return sectionOf(op) == s })) // passes add some
		}
		*list = append(*list, in)
	}
	return nil
}

// take returns the pending instructions and forgets them.
func (d *decoder) take() []Inst {
	p := d.pending
	d.pending = nil
	return p
}

// placeInFunction places an instruction between the blocks of a function.
func (d *decoder) placeInFunction(in Inst) error {
	f := d.f
	switch {
	case in.Op == OpFunctionParameter && len(f.Blocks) == 0:
		if lines := d.take(); lines != nil {
			for len(f.ParamLines) < len(f.Params) {
				f.ParamLines = append(f.ParamLines, nil)
			}
			f.ParamLines = append(f.ParamLines, lines)
		}
		f.Params = append(f.Params, in)
	case in.Op == OpLabel:
		d.b = &Block{Label: in.Result, Before: d.take()}
		f.Blocks = append(f.Blocks, d.b)
	case in.Op == OpFunctionEnd:
		f.End = d.take()
		d.f = nil
	case mayFloat(in.Op):
		d.pending = append(d.pending, in)
	default:
		return fmt.Errorf("%w: %v between blocks of function %%%d", ErrLayout, in.Op, f.Def.Result)
	}
	return nil
}

// placeInBlock places an instruction of a block.
func (d *decoder) placeInBlock(in Inst) error {
	switch s := sectionOf(in.Op); {
	case in.Op == OpLabel, in.Op == OpFunctionEnd, in.Op == OpFunctionParameter,
		s != sectionBody && !mayFloat(in.Op) && in.Op != OpVariable && in.Op != OpUndef:
		return fmt.Errorf("%w: %v in block %%%d, which has no terminator yet", ErrLayout, in.Op, d.b.Label)
	}
	if d.b.Insts == nil {
		d.b.Insts = make([]Inst, 0, 1+d.ahead(func(op Op) bool { return op != OpLabel && !op.IsTerminator() }))
	}
	d.b.Insts = append(d.b.Insts, in)
	if in.Op.IsTerminator() {
		d.b = nil
	}
	return nil
}
