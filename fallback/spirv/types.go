package spirv

// ID is a SPIR-V result id; zero means none.
type ID uint32

// Inst is one instruction. Operands hold every word after the result type and
// the result id, exactly as in the binary.
type Inst struct {
	Op       Op
	Type     ID // result type, 0 if the opcode has none
	Result   ID // result id, 0 if the opcode has none
	Operands []uint32

	// LiteralWords is the number of words of one OpSwitch literal: 2 for a
	// 64-bit selector. Zero means one. Decode sets it; whoever makes a 64-bit
	// OpSwitch by hand must set it too.
	LiteralWords uint8
}

// Block is a basic block. The last of Insts is its terminator, a merge
// instruction stands right before it.
type Block struct {
	Label ID
	Insts []Inst

	// Before holds line and non-semantic instructions that stand between the
	// previous block's terminator and this block's OpLabel.
	Before []Inst
}

// Function is one function. Blocks is nil for a declaration without a body.
type Function struct {
	Def    Inst // OpFunction
	Params []Inst
	Blocks []*Block

	// Before holds line and non-semantic instructions between the previous
	// function and OpFunction (those ahead of the first function stay in
	// Module.Globals), ParamLines[i] those ahead of parameter i (nil when there
	// are none at all), End those ahead of OpFunctionEnd.
	Before     []Inst
	ParamLines [][]Inst
	End        []Inst
}

// Module is a decoded module: one list a section of the logical layout, each in
// its original order.
type Module struct {
	Version   uint32 // 0x00010500 is 1.5
	Generator uint32
	Bound     uint32 // all ids are less
	Schema    uint32

	Capabilities   []Inst
	Extensions     []Inst
	ExtInstImports []Inst
	MemoryModel    Inst // zero Inst (OpNop) when absent
	EntryPoints    []Inst
	ExecutionModes []Inst // OpExecutionMode, OpExecutionModeId
	DebugStrings   []Inst // OpString, OpSource, OpSourceExtension, OpSourceContinued
	Names          []Inst // OpName, OpMemberName
	Processed      []Inst // OpModuleProcessed
	Annotations    []Inst // decorations
	Globals        []Inst // types, constants, variables, OpUndef, OpLine, in order
	Functions      []*Function
	Trailing       []Inst // non-semantic instructions after the last function

	cache typeCache
}

// Terminator returns the block's last instruction, nil for an empty block.
func (b *Block) Terminator() *Inst {
	if len(b.Insts) == 0 {
		return nil
	}
	return &b.Insts[len(b.Insts)-1]
}

// Merge returns the block's merge instruction, nil if it has none.
func (b *Block) Merge() *Inst {
	if n := len(b.Insts); n >= 2 && b.Insts[n-2].Op.IsMerge() {
		return &b.Insts[n-2]
	}
	return nil
}

// ID returns operand i as an id.
func (in *Inst) ID(i int) ID { return ID(in.Operands[i]) }

// Clone returns a copy that shares no memory.
func (in Inst) Clone() Inst {
	if in.Operands != nil {
		in.Operands = append(make([]uint32, 0, len(in.Operands)), in.Operands...)
	}
	return in
}

// NewID reserves a fresh id.
func (m *Module) NewID() ID {
	if m.Bound == 0 {
		m.Bound = 1
	}
	id := ID(m.Bound)
	m.Bound++
	return id
}
