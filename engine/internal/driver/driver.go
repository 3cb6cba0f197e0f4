// Package driver is the interface between engine and its two ways of ray tracing, engine/internal/native and
// engine/internal/compute.
//
// Contract: engine validates every argument before it calls a driver, owns the command buffers and the storage of acceleration
// structures, and closes a driver only after everything made by it is destroyed. Drivers are safe for concurrent use as long as
// each goroutine records into a command buffer of its own.
package driver

import (
	"context"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// RayTracingStages are all six shader stages of VK_KHR_ray_tracing_pipeline.
const RayTracingStages = vk.StageRaygen | vk.StageAnyHit | vk.StageClosestHit | vk.StageMiss |
	vk.StageIntersection | vk.StageCallable

// Driver is one way of ray tracing on one device.
type Driver interface {
	// Limits tells what the way can do; constant for a device.
	Limits() Limits
	// BuildSizes returns the memory a build of these geometries needs at most.
	BuildSizes(info vk.BuildInfo, maxPrimitives []uint32) (vk.BuildSizes, error)
	// NewAccelerationStructure places a structure at the start of storage.
	NewAccelerationStructure(t vk.AccelerationStructureType, name string, storage *vk.Buffer,
		size uint64) (AccelerationStructure, error)
	// PrepareBuilds compiles what builds, updates and copies would compile when they are first recorded.
	PrepareBuilds(ctx context.Context) error
	// CmdBuild records one batch of independent builds, without barriers around it.
	CmdBuild(cb *vk.CommandBuffer, builds []Build) error
	// CmdBuildIndirect is CmdBuild with ranges that the device reads. Limits say whether the way can.
	CmdBuildIndirect(cb *vk.CommandBuffer, builds []IndirectBuild) error
	// CmdCopy records independent copies, without barriers around them.
	CmdCopy(cb *vk.CommandBuffer, copies []Copy) error
	// CmdWriteProperties writes 8 bytes for each structure to dst. Limits say whether the way knows the property.
	CmdWriteProperties(cb *vk.CommandBuffer, list []Subject, p Property, dst *vk.Buffer, offset uint64) error
	// CheckSerialized says by ErrIncompatible why the way does not read a blob that begins so.
	CheckSerialized(header [SerializedVersionSize]byte) error
	// CheckBlob checks what the way knows of the inside of a blob, whose header is right.
	CheckBlob(t vk.AccelerationStructureType, blob []byte) error
	// DescriptorBinding translates a binding of the KHR model to what the way's shaders see.
	DescriptorBinding(b vk.DescriptorBinding) vk.DescriptorBinding
	// WriteAccelerationStructure binds as, or for nil a structure that no ray hits.
	WriteAccelerationStructure(set *vk.DescriptorSet, binding, index uint32, as AccelerationStructure) error
	// NewPipeline compiles and links.
	NewPipeline(ctx context.Context, o PipelineOptions) (Pipeline, error)
	// NewLibrary prepares shaders for pipelines. SetLayouts, PushConstantBytes, MaxRecursionDepth, Flags and the sizes of the
	// interface are those of the pipelines.
	NewLibrary(ctx context.Context, o PipelineOptions) (Library, error)
	// CmdTraceRays binds the pipeline and what it needs and records the launch, which is not empty.
	CmdTraceRays(cb *vk.CommandBuffer, t Trace) error
	// CmdTraceRaysIndirect is CmdTraceRays with a size that the device reads. Limits say whether the way can.
	CmdTraceRaysIndirect(cb *vk.CommandBuffer, t IndirectTrace) error
	// LowerShader returns the SPIR-V of a compute or graphics shader that runs its ray queries in this way.
	LowerShader(ctx context.Context, s Shader) ([]uint32, error)
	// Faults reads what launches have left in a report (vk.CommandBuffer.Reports) of the way: how many faults, and the first.
	Faults(report []byte) (total int, first []Fault)
	// Destroy releases what the driver itself holds.
	Destroy()
}

// AccelerationStructure is the driver's part of an acceleration structure.
type AccelerationStructure interface {
	Address() vk.DeviceAddress
	Destroy()
}

// Pipeline is the driver's part of a ray tracing pipeline.
type Pipeline interface {
	// Handle returns the sbt.HandleSize bytes of a group.
	Handle(group int) ([]byte, error)
	// GroupStack returns the stack in bytes of a shader that the group has.
	GroupStack(group int, shader vk.GroupShader) (uint32, error)
	Stats() Stats
	Destroy()
}

// Library is the driver's part of a pipeline library.
type Library interface{ Destroy() }

// Limits of a way on a device.
type Limits struct {
	// Table holds the alignment rules of shader binding tables.
	Table sbt.Limits
	// MaxRecursionDepth is the deepest recursion a pipeline may declare.
	MaxRecursionDepth uint32
	// MaxInvocations bounds width * height * depth of one launch.
	MaxInvocations uint64
	// MaxPushConstantBytes bounds PipelineOptions.PushConstantBytes.
	MaxPushConstantBytes uint32
	// MaxGeometries, MaxPrimitives (of one bottom level structure) and MaxInstances bound builds.
	MaxGeometries, MaxPrimitives, MaxInstances uint64
	// VertexFormats are the formats that structures are built from.
	VertexFormats FormatSet
	// IndexUint8 is whether structures are built from 8-bit indices.
	IndexUint8 bool
	// ScratchAlignment is that of build scratch addresses.
	ScratchAlignment uint64
	// BuildStage and TraceStage are the synchronization2 stages in which builds and launches run.
	BuildStage, TraceStage uint64
	// TraceRaysIndirect and TraceRaysIndirect2 tell whether the device can read sizes, and tables, of launches.
	TraceRaysIndirect, TraceRaysIndirect2 bool
	// BuildIndirect tells whether the device can read the ranges of builds.
	BuildIndirect bool
	// HostCommands tells whether structures can be built, updated, copied and asked by the host.
	HostCommands bool
	// HitObjectsNV and HitObjectsEXT tell whether shaders may use SPV_NV_ and SPV_EXT_shader_invocation_reorder.
	HitObjectsNV, HitObjectsEXT bool
	// Reorders is the reordering hint: whether a reorder in a ray generation shader may be followed by another order of lanes. By
	// compute it is up to the pipeline's form, see PipelineStats.Reorders; here it is that of Options.Form.
	Reorders bool
	// MaxRecordIndex bounds the index of a record that hit objects are given; 0 without HitObjectsEXT.
	MaxRecordIndex uint32
	// SizeProperties tells whether structures can be asked for PropertyCurrentSize and PropertyBottomLevelPointers.
	SizeProperties bool
}

// Build is one acceleration structure build. Src and SrcStorage are the structure to update from, nil for Dst itself.
type Build struct {
	Info       vk.BuildInfo
	Ranges     []vk.BuildRange
	Dst        AccelerationStructure
	Storage    *vk.Buffer
	Src        AccelerationStructure
	SrcStorage *vk.Buffer
	Scratch    vk.DeviceAddress
}

// Shader is one of a compute or graphics pipeline.
type Shader struct {
	Name  string
	Stage vulkan.ShaderStageFlags
	Code  []uint32
	Entry string
	// AllowClusters lets queries meet bottom levels over clusters.
	AllowClusters bool
}

// PipelineOptions describes a pipeline or a library.
type PipelineOptions struct {
	rt.Pipeline
	SetLayouts []*vk.DescriptorSetLayout
	// Libraries add their groups behind Groups.
	Libraries []Library
	// Statistics asks the driver what it tells of the code, where that is not asked for anyway.
	Statistics bool
}

// Stats say what a pipeline cost; what a way cannot tell is zero.
type Stats struct {
	// LinkTime is that of the engine's own linker (compute way), CompileTime the driver's.
	LinkTime, CompileTime time.Duration
	// StackBytes is the stack per ray.
	StackBytes uint32
	// CodeWords is the size of the linked SPIR-V module (compute way).
	CodeWords int
	// Driver is what the driver tells about the compiled code, such as registers; nil where it tells nothing. Natively it is asked
	// where Options.Dump is set.
	Driver []vk.Statistic
	// Form is the form of linking that was chosen (compute way).
	Form rt.Form
	// Suspends tells whether traversal is suspended at candidates, whose any hit and intersection shaders have kernels of their own
	// (compute way).
	Suspends bool
	// Reorders tells whether reorders in its ray generation shaders change the order of lanes (compute way): where the form has an
	// order to change. Natively it is Limits.Reorders that tells.
	Reorders bool
	// Choices are how launches run, by size, where FormAuto took the wavefront form and measures it against the monolithic and the
	// sorted one.
	Choices []Choice
	// Calls are the places where shaders are left for others and taken up again, with what lives across each (compute way). None
	// where the form calls shaders as functions, and values stay in registers.
	Calls []rt.CallSite
	// PathBytes is what a path takes in memory while it is under way: the stack, and the state between kernels (compute way). Nothing
	// in the monolithic form.
	PathBytes uint32
	// Kernels are those of a form of several, Rounds how many rounds of them a launch records at most, and Bounded whether these end
	// every path; otherwise one more kernel ends what is left (compute way).
	Kernels []KernelStats
	Rounds  uint32
	Bounded bool
}

// Choice tells how launches of a size run: what one took in the wavefront form, as one kernel (the monolithic form) and in the
// sorted form, 0 where that is not known yet.
type Choice struct {
	Places                   uint64 // of a launch, but for a factor of two: the least
	Form                     rt.Form
	Wavefront, Alone, Sorted time.Duration
}

// KernelStats tell of one kernel of several.
type KernelStats struct {
	Name      string
	CodeWords int
	Driver    []vk.Statistic
}

// Trace is one launch.
type Trace struct {
	Pipeline                    Pipeline
	Raygen, Miss, Hit, Callable vk.StridedRegion
	Sets                        []*vk.DescriptorSet
	DynamicOffsets              []uint32
	PushConstants               []byte
	Width, Height, Depth        uint32
	StackBytes                  uint32 // 0 = the pipeline's
}

// IndirectTrace is one launch whose size is in memory, and with Tables its regions, too.
type IndirectTrace struct {
	Trace
	Command vk.DeviceAddress
	Tables  bool
}

// Fault is what ended one ray.
type Fault struct {
	// Kind says in words what went wrong.
	Kind     string
	LaunchID [3]uint32
	// Shader is the name of the shader that ran, or that traced the ray.
	Shader string
	// State is the linked state function that ran, Value depends on the kind.
	State, Value uint32
}
