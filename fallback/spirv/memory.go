package spirv

// memoryAt returns where the memory operands of a load, store or copy begin, 0 of other instructions.
func (in *Inst) memoryAt() int {
	switch in.Op {
	case OpLoad:
		return 1
	case OpStore, OpCopyMemory:
		return 2
	}
	return 0
}

// HasAlignment tells whether a load or store states its alignment.
func (in *Inst) HasAlignment() bool {
	at := in.memoryAt()
	return at != 0 && len(in.Operands) > at && in.Operands[at]&uint32(MemoryAccessAligned) != 0
}

// AddAlignment has a load, store or copy state an alignment, unless it states one. Since SPIR-V 1.4 the source of a copy may have
// memory operands of its own: then both state it.
func (in *Inst) AddAlignment(alignment uint32) {
	at := in.memoryAt()
	if at == 0 {
		in.isNo("load, store or copy")
	}
	in.Operands = aligned(in.Operands, at, alignment)
	if in.Op != OpCopyMemory {
		return
	}
	if second := at + MemoryAccessWords(in.Operands[at:]); second < len(in.Operands) {
		in.Operands = aligned(in.Operands, second, alignment)
	}
}

// aligned adds the alignment to memory operands that start at index at, unless they state one.
func aligned(operands []uint32, at int, alignment uint32) []uint32 {
	const bit = uint32(MemoryAccessAligned)
	if len(operands) <= at {
		return append(operands, bit, alignment)
	}
	if operands[at]&bit != 0 {
		return operands
	}
	with := append([]uint32(nil), operands[:at]...)
	with = append(with, operands[at]|bit, alignment)
	return append(with, operands[at+1:]...)
}
