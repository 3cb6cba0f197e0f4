package spirv

// MemoryAccess is the mask of memory operands.
type MemoryAccess uint32

// Values of MemoryAccess.
const (
	MemoryAccessVolatile             MemoryAccess = 0x1
	MemoryAccessAligned              MemoryAccess = 0x2
	MemoryAccessNontemporal          MemoryAccess = 0x4
	MemoryAccessMakePointerAvailable MemoryAccess = 0x8
	MemoryAccessMakePointerVisible   MemoryAccess = 0x10
	MemoryAccessNonPrivatePointer    MemoryAccess = 0x20
)

// ImageOperands is the mask of image operands.
type ImageOperands uint32

// Values of ImageOperands.
const (
	ImageOperandsBias               ImageOperands = 0x1
	ImageOperandsLod                ImageOperands = 0x2
	ImageOperandsGrad               ImageOperands = 0x4
	ImageOperandsConstOffset        ImageOperands = 0x8
	ImageOperandsOffset             ImageOperands = 0x10
	ImageOperandsConstOffsets       ImageOperands = 0x20
	ImageOperandsSample             ImageOperands = 0x40
	ImageOperandsMinLod             ImageOperands = 0x80
	ImageOperandsMakeTexelAvailable ImageOperands = 0x100
	ImageOperandsMakeTexelVisible   ImageOperands = 0x200
	ImageOperandsNonPrivateTexel    ImageOperands = 0x400
	ImageOperandsVolatileTexel      ImageOperands = 0x800
	ImageOperandsSignExtend         ImageOperands = 0x1000
	ImageOperandsZeroExtend         ImageOperands = 0x2000
	ImageOperandsNontemporal        ImageOperands = 0x4000
	ImageOperandsOffsets            ImageOperands = 0x10000
)

// SelectionControl is the hint of OpSelectionMerge.
type SelectionControl uint32

// Values of SelectionControl.
const (
	SelectionControlFlatten     SelectionControl = 0x1
	SelectionControlDontFlatten SelectionControl = 0x2
)

// LoopControl is the hint of OpLoopMerge.
type LoopControl uint32

// Values of LoopControl.
const (
	LoopControlUnroll             LoopControl = 0x1
	LoopControlDontUnroll         LoopControl = 0x2
	LoopControlDependencyInfinite LoopControl = 0x4
	LoopControlDependencyLength   LoopControl = 0x8
	LoopControlMinIterations      LoopControl = 0x10
	LoopControlMaxIterations      LoopControl = 0x20
	LoopControlIterationMultiple  LoopControl = 0x40
	LoopControlPeelCount          LoopControl = 0x80
	LoopControlPartialCount       LoopControl = 0x100
)

// FunctionControl is the hint of OpFunction.
type FunctionControl uint32

// Values of FunctionControl.
const (
	FunctionControlInline     FunctionControl = 0x1
	FunctionControlDontInline FunctionControl = 0x2
	FunctionControlPure       FunctionControl = 0x4
	FunctionControlConst      FunctionControl = 0x8
)

// MemorySemantics is the mask of barriers and atomics.
type MemorySemantics uint32

// Values of MemorySemantics.
const (
	MemorySemanticsAcquire                MemorySemantics = 0x2
	MemorySemanticsRelease                MemorySemantics = 0x4
	MemorySemanticsAcquireRelease         MemorySemantics = 0x8
	MemorySemanticsSequentiallyConsistent MemorySemantics = 0x10
	MemorySemanticsUniformMemory          MemorySemantics = 0x40
	MemorySemanticsSubgroupMemory         MemorySemantics = 0x80
	MemorySemanticsWorkgroupMemory        MemorySemantics = 0x100
	MemorySemanticsCrossWorkgroupMemory   MemorySemantics = 0x200
	MemorySemanticsAtomicCounterMemory    MemorySemantics = 0x400
	MemorySemanticsImageMemory            MemorySemantics = 0x800
	MemorySemanticsOutputMemory           MemorySemantics = 0x1000
	MemorySemanticsMakeAvailable          MemorySemantics = 0x2000
	MemorySemanticsMakeVisible            MemorySemantics = 0x4000
	MemorySemanticsVolatile               MemorySemantics = 0x8000
)

// RayFlags is the mask of ray flags.
type RayFlags uint32

// Values of RayFlags.
const (
	RayFlagsOpaqueKHR                     RayFlags = 0x1
	RayFlagsNoOpaqueKHR                   RayFlags = 0x2
	RayFlagsTerminateOnFirstHitKHR        RayFlags = 0x4
	RayFlagsSkipClosestHitShaderKHR       RayFlags = 0x8
	RayFlagsCullBackFacingTrianglesKHR    RayFlags = 0x10
	RayFlagsCullFrontFacingTrianglesKHR   RayFlags = 0x20
	RayFlagsCullOpaqueKHR                 RayFlags = 0x40
	RayFlagsCullNoOpaqueKHR               RayFlags = 0x80
	RayFlagsSkipTrianglesKHR              RayFlags = 0x100
	RayFlagsSkipAABBsKHR                  RayFlags = 0x200
	RayFlagsForceOpacityMicromap2StateEXT RayFlags = 0x400
)
