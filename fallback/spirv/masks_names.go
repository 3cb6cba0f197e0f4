package spirv

// String returns the name as SPIR-V tools write it.
func (v MemoryAccess) String() string { return maskName(uint32(v), memoryAccessNames) }

// memoryAccessNames lists the bits in ascending order.
var memoryAccessNames = []maskBit{
	{uint32(MemoryAccessVolatile), "Volatile"},
	{uint32(MemoryAccessAligned), "Aligned"},
	{uint32(MemoryAccessNontemporal), "Nontemporal"},
	{uint32(MemoryAccessMakePointerAvailable), "MakePointerAvailable"},
	{uint32(MemoryAccessMakePointerVisible), "MakePointerVisible"},
	{uint32(MemoryAccessNonPrivatePointer), "NonPrivatePointer"},
}

// String returns the name as SPIR-V tools write it.
func (v ImageOperands) String() string { return maskName(uint32(v), imageOperandsNames) }

// imageOperandsNames lists the bits in ascending order.
var imageOperandsNames = []maskBit{
	{uint32(ImageOperandsBias), "Bias"},
	{uint32(ImageOperandsLod), "Lod"},
	{uint32(ImageOperandsGrad), "Grad"},
	{uint32(ImageOperandsConstOffset), "ConstOffset"},
	{uint32(ImageOperandsOffset), "Offset"},
	{uint32(ImageOperandsConstOffsets), "ConstOffsets"},
	{uint32(ImageOperandsSample), "Sample"},
	{uint32(ImageOperandsMinLod), "MinLod"},
	{uint32(ImageOperandsMakeTexelAvailable), "MakeTexelAvailable"},
	{uint32(ImageOperandsMakeTexelVisible), "MakeTexelVisible"},
	{uint32(ImageOperandsNonPrivateTexel), "NonPrivateTexel"},
	{uint32(ImageOperandsVolatileTexel), "VolatileTexel"},
	{uint32(ImageOperandsSignExtend), "SignExtend"},
	{uint32(ImageOperandsZeroExtend), "ZeroExtend"},
	{uint32(ImageOperandsNontemporal), "Nontemporal"},
	{uint32(ImageOperandsOffsets), "Offsets"},
}

// String returns the name as SPIR-V tools write it.
func (v SelectionControl) String() string { return maskName(uint32(v), selectionControlNames) }

// selectionControlNames lists the bits in ascending order.
var selectionControlNames = []maskBit{
	{uint32(SelectionControlFlatten), "Flatten"},
	{uint32(SelectionControlDontFlatten), "DontFlatten"},
}

// String returns the name as SPIR-V tools write it.
func (v LoopControl) String() string { return maskName(uint32(v), loopControlNames) }

// loopControlNames lists the bits in ascending order.
var loopControlNames = []maskBit{
	{uint32(LoopControlUnroll), "Unroll"},
	{uint32(LoopControlDontUnroll), "DontUnroll"},
	{uint32(LoopControlDependencyInfinite), "DependencyInfinite"},
	{uint32(LoopControlDependencyLength), "DependencyLength"},
	{uint32(LoopControlMinIterations), "MinIterations"},
	{uint32(LoopControlMaxIterations), "MaxIterations"},
	{uint32(LoopControlIterationMultiple), "IterationMultiple"},
	{uint32(LoopControlPeelCount), "PeelCount"},
	{uint32(LoopControlPartialCount), "PartialCount"},
}

// String returns the name as SPIR-V tools write it.
func (v FunctionControl) String() string { return maskName(uint32(v), functionControlNames) }

// functionControlNames lists the bits in ascending order.
var functionControlNames = []maskBit{
	{uint32(FunctionControlInline), "Inline"},
	{uint32(FunctionControlDontInline), "DontInline"},
	{uint32(FunctionControlPure), "Pure"},
	{uint32(FunctionControlConst), "Const"},
}

// String returns the name as SPIR-V tools write it.
func (v MemorySemantics) String() string { return maskName(uint32(v), memorySemanticsNames) }

// memorySemanticsNames lists the bits in ascending order.
var memorySemanticsNames = []maskBit{
	{uint32(MemorySemanticsAcquire), "Acquire"},
	{uint32(MemorySemanticsRelease), "Release"},
	{uint32(MemorySemanticsAcquireRelease), "AcquireRelease"},
	{uint32(MemorySemanticsSequentiallyConsistent), "SequentiallyConsistent"},
	{uint32(MemorySemanticsUniformMemory), "UniformMemory"},
	{uint32(MemorySemanticsSubgroupMemory), "SubgroupMemory"},
	{uint32(MemorySemanticsWorkgroupMemory), "WorkgroupMemory"},
	{uint32(MemorySemanticsCrossWorkgroupMemory), "CrossWorkgroupMemory"},
	{uint32(MemorySemanticsAtomicCounterMemory), "AtomicCounterMemory"},
	{uint32(MemorySemanticsImageMemory), "ImageMemory"},
	{uint32(MemorySemanticsOutputMemory), "OutputMemory"},
	{uint32(MemorySemanticsMakeAvailable), "MakeAvailable"},
	{uint32(MemorySemanticsMakeVisible), "MakeVisible"},
	{uint32(MemorySemanticsVolatile), "Volatile"},
}

// String returns the name as SPIR-V tools write it.
func (v RayFlags) String() string { return maskName(uint32(v), rayFlagsNames) }

// rayFlagsNames lists the bits in ascending order.
var rayFlagsNames = []maskBit{
	{uint32(RayFlagsOpaqueKHR), "OpaqueKHR"},
	{uint32(RayFlagsNoOpaqueKHR), "NoOpaqueKHR"},
	{uint32(RayFlagsTerminateOnFirstHitKHR), "TerminateOnFirstHitKHR"},
	{uint32(RayFlagsSkipClosestHitShaderKHR), "SkipClosestHitShaderKHR"},
	{uint32(RayFlagsCullBackFacingTrianglesKHR), "CullBackFacingTrianglesKHR"},
	{uint32(RayFlagsCullFrontFacingTrianglesKHR), "CullFrontFacingTrianglesKHR"},
	{uint32(RayFlagsCullOpaqueKHR), "CullOpaqueKHR"},
	{uint32(RayFlagsCullNoOpaqueKHR), "CullNoOpaqueKHR"},
	{uint32(RayFlagsSkipTrianglesKHR), "SkipTrianglesKHR"},
	{uint32(RayFlagsSkipAABBsKHR), "SkipAABBsKHR"},
	{uint32(RayFlagsForceOpacityMicromap2StateEXT), "ForceOpacityMicromap2StateEXT"},
}
