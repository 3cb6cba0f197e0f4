package vk

// Pipeline stages (VkPipelineStageFlagBits2) for barriers and semaphores.
const (
	StageNone                       uint64 = 0
	StageTopOfPipe                  uint64 = 0x1
	StageDrawIndirect               uint64 = 0x2 // also the indirect arguments of dispatches and traces
	StageComputeShader              uint64 = 0x800
	StageTransfer                   uint64 = 0x1000
	StageBottomOfPipe               uint64 = 0x2000
	StageHost                       uint64 = 0x4000
	StageAllCommands                uint64 = 0x10000
	StageRayTracingShader           uint64 = 0x200000
	StageAccelerationStructureBuild uint64 = 0x2000000
	StageAccelerationStructureCopy  uint64 = 0x10000000
	StageCopy                       uint64 = 0x100000000
	StageBlit                       uint64 = 0x400000000
	StageClear                      uint64 = 0x800000000
)

// Accesses (VkAccessFlagBits2) for barriers.
const (
	AccessNone                       uint64 = 0
	AccessIndirectCommandRead        uint64 = 0x1
	AccessUniformRead                uint64 = 0x8
	AccessShaderRead                 uint64 = 0x20
	AccessShaderWrite                uint64 = 0x40
	AccessTransferRead               uint64 = 0x800
	AccessTransferWrite              uint64 = 0x1000
	AccessHostRead                   uint64 = 0x2000
	AccessHostWrite                  uint64 = 0x4000
	AccessMemoryRead                 uint64 = 0x8000
	AccessMemoryWrite                uint64 = 0x10000
	AccessAccelerationStructureRead  uint64 = 0x200000
	AccessAccelerationStructureWrite uint64 = 0x400000
	AccessShaderSampledRead          uint64 = 0x100000000
	AccessShaderStorageRead          uint64 = 0x200000000
	AccessShaderStorageWrite         uint64 = 0x400000000
	AccessShaderBindingTableRead     uint64 = 0x10000000000
)
