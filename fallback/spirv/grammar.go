package spirv

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// opInfo is one line of the grammar: the opcode's name without "Op", whether
// it has a result type and a result id, and the kinds of its other operands,
// one letter each, where ? after a letter means optional and * any number.
//
//	i  id                              n  number (or a mask without ids)
//	s  string                          O  opcode and operands of OpSpecConstantOp
//	M  memory operands: mask, then its parameters; always optional
//	I  image operands, likewise
//	V  value of the result type        W  OpSwitch targets: literal, label
//	D  decoration, numbers             Z  decoration, ids
//	U  decoration, strings             G  id and member number, any number of
//	X  execution mode, numbers         x  execution mode, ids
//	L  loop control, numbers
//	C  Capability                      A  AddressingModel
//	Y  MemoryModel                     E  ExecutionModel
//	S  StorageClass                    d  Dim
//	f  ImageFormat                     q  AccessQualifier
//	F  FunctionControl                 K  SelectionControl
//	g  GroupOperation                  l  SourceLanguage
//	p  packed vector format
type opInfo struct {
	name   string
	result resultKind
	kinds  string
}

// resultKind says which of result type and result id an opcode has.
type resultKind uint8

const (
	none resultKind = iota // neither
	r                      // result id only
	tr                     // result type and result id
)

// grammarTable is the grammar by opcode: every pass over a module asks it at each instruction, which would take maps too long.
var grammarTable = sync.OnceValue(func() []*opInfo {
	var table []*opInfo
	for _, g := range [...]map[Op]opInfo{grammarCore, grammarArith, grammarImage, grammarRaytracing} {
		for op, i := range g {
			if int(op) >= len(table) {
				table = append(table, make([]*opInfo, int(op)+1-len(table))...)
			}
			table[op] = &i
		}
	}
	return table
})

// info looks an opcode up in the grammar.
func (op Op) info() (opInfo, bool) {
	if table := grammarTable(); int(op) < len(table) && table[op] != nil {
		return *table[op], true
	}
	return opInfo{}, false
}

// Op is an opcode.
type Op uint16

// String returns the name, such as "OpLoad".
func (op Op) String() string {
	if i, ok := op.info(); ok {
		return "Op" + i.name
	}
	return "Op(" + strconv.Itoa(int(op)) + ")"
}

// HasType tells whether instructions of this opcode have a result type.
func (op Op) HasType() bool {
	i, ok := op.info()
	return ok && i.result == tr
}

// HasResult tells whether instructions of this opcode have a result id.
func (op Op) HasResult() bool {
	i, ok := op.info()
	return ok && i.result != none
}

// IsTerminator tells whether the opcode ends a block.
func (op Op) IsTerminator() bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue, OpKill, OpUnreachable,
		OpTerminateInvocation, OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// IsMerge tells whether the opcode declares structured control flow.
func (op Op) IsMerge() bool { return op == OpSelectionMerge || op == OpLoopMerge }

// IsType tells whether the opcode declares a type.
func (op Op) IsType() bool {
	switch op {
	case OpTypeVoid, OpTypeBool, OpTypeInt, OpTypeFloat, OpTypeVector, OpTypeMatrix, OpTypeImage, OpTypeSampler,
		OpTypeSampledImage, OpTypeArray, OpTypeRuntimeArray, OpTypeStruct, OpTypeOpaque, OpTypePointer,
		OpTypeFunction, OpTypeAccelerationStructureKHR, OpTypeRayQueryKHR, OpTypeHitObjectNV,
		OpTypeHitObjectEXT, OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV:
		return true
	}
	return false
}

// IsConstant tells whether the opcode declares a constant, a specialisation
// constant or OpUndef at global scope.
func (op Op) IsConstant() bool {
	return op >= OpConstantTrue && op <= OpConstantNull || op.IsSpecConstant() || op == OpUndef
}

// IsSpecConstant tells whether the opcode declares a specialisation constant.
func (op Op) IsSpecConstant() bool { return op >= OpSpecConstantTrue && op <= OpSpecConstantOp }

// IsLine tells whether the opcode is OpLine or OpNoLine.
func (op Op) IsLine() bool { return op == OpLine || op == OpNoLine }

// enumName returns the name of an enumerant, or its number.
func enumName[T ~uint32](names map[T]string, v T) string {
	if s, ok := names[v]; ok {
		return s
	}
	return strconv.FormatUint(uint64(v), 10)
}

// maskBit is one bit of a mask and its name.
type maskBit struct {
	bit  uint32
	name string
}

// maskName joins the names of the bits that are set.
func maskName(v uint32, bits []maskBit) string {
	if v == 0 {
		return "None"
	}
	var parts []string
	for _, b := range bits {
		if v&b.bit != 0 {
			parts, v = append(parts, b.name), v&^b.bit
		}
	}
	if v != 0 {
		parts = append(parts, fmt.Sprintf("0x%x", v))
	}
	return strings.Join(parts, "|")
}
