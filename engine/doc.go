// Package engine is Everray's public API: one ray tracing programming model, that of VK_KHR_acceleration_structure and
// VK_KHR_ray_tracing_pipeline, run in one of two ways that [Open] chooses between:
//
//   - native forwards to the driver's own extensions;
//   - compute builds the acceleration structures and runs the pipeline with compute shaders (packages bvh and fallback),
//     on any Vulkan device with buffer device addresses.
//
// Shaders, acceleration structure inputs, instances, descriptor sets and shader binding table records are the same on both
// ways; nothing in a program depends on the way but the stage masks of its own barriers, for which [Device.CmdBarrier] and
// [Device.Stages] exist.
//
// # The order of things
//
// A program opens a [Device], uploads vertices and indices with [Device.NewBuildInput], builds bottom and top level structures
// with [Device.BuildAccelerationStructures], describes its resources with [Device.NewDescriptorSetLayout] and
// [Device.NewDescriptorSet], links a [Pipeline], lays its groups out in a [Table] and records [Device.CmdTraceRays].
//
// What is done with structures between their build and the launch has a command each, which only records, and mostly a method
// that sizes, allocates and waits:
//
//   - many builds at once, or with ranges that the device reads: [Device.CmdBuildAccelerationStructures],
//     [Device.CmdBuildAccelerationStructuresIndirect];
//   - updates, by Info.Update of a build;
//   - builds, updates, copies and queries by the host, deferred, by several goroutines: [Device.HostBuild],
//     [Device.HostCopy], [Device.HostProperty], in structures of [Device.NewHostAccelerationStructure];
//   - clones and compacted copies: [Device.CmdCopyAccelerationStructures], [Device.Clone], [Device.Compact]. A mesh that stays
//     is built with AllowCompaction and compacted before top levels refer to it, since its address changes;
//   - blobs for files and other processes: [Device.Serialize], [Device.Deserialize], [ReadSerializedHeader],
//     [SetSerializedHandles], [Device.CheckSerialized]. Bottom levels are deserialised first; the handles of a top level's blob
//     are then set to their addresses. Blobs of one way are foreign to the other, and refused with [ErrIncompatible];
//   - sizes, and the number of bottom levels: [Device.CmdWriteProperties], [Device.Properties];
//   - a look inside, by compute: [Device.Decode].
//
// Launches may be recorded into secondary command buffers (vk.Device.NewSecondaryCommandBuffer), which primaries execute any
// number of times and at the same time. Launches of one command buffer may share memory for stacks on the compute way, which
// then keeps them one after the other by barriers of its own, executions of one secondary included; launches of different
// command buffers have stacks of their own and may overlap. What launches read and write of the application's is the
// application's to order, as everywhere.
//
// Ray queries (GL_EXT_ray_query) work in all ray tracing shaders, in compute shaders by [Device.NewComputePipeline] and
// [Device.CmdDispatch], and in the graphics pipelines of the program, for which [Device.LowerShader] gives the SPIR-V; on the
// compute way they need nothing of the driver. Of queries in ray tracing shaders a traversal that does not fit its stack is a
// fault, as for rays; elsewhere there is nobody to tell, and the query leaves out what it cannot reach.
//
// # Beside Vulkan
//
// [Device.VK] is the Vulkan device: package vk makes its buffers, images, samplers and command buffers, and every object of vk and
// of this package gives its handle. The handles are those of github.com/vulkan-go/vulkan, which a program may use beside: call
// vulkan.SetGetInstanceProcAddr with what Device.VK().Instance().GetInstanceProcAddr() returns, vulkan.Init once, and
// vulkan.InitInstance with the instance's handle. Then call its functions with Device.VK().Handle(), the handles of buffers and
// images, and command buffers that record; the example of [Device.VK] does. With the build tag headless, vulkan-go heeds none of
// these calls and opens libvulkan.so itself, which only the loader's development package installs. What vulkan-go makes, vulkan-go
// destroys, before [Device.Close]. Its views and samplers are bound by [DescriptorSet.WriteImageView]. Submission goes through vk,
// whose queue has one lock. Features that such code or its shaders need are named in Options.Features.
//
// # Contract
//
// Who validates: engine. Every argument that can be judged on the host is judged before Vulkan sees it, and refused with an
// error that wraps [ErrInvalid] and names the field. Shaders are read and held against set layouts, push constants, specialisation
// and features; sets, when a command uses them, against what the pipeline's shaders use. What is valid and beyond the device or the
// way is refused by [ErrUnsupported], use after Close by [ErrClosed]. Not judged are addresses, which may be those of foreign
// buffers, and modules with instructions that package spirv does not know. What only the GPU can
// see (a stack overflow, a table index out of range) is reported as a [FaultError] by [Device.Run] and [Device.Faults] on
// the compute way; on the native way it is undefined, as in
// Vulkan.
//
// Who owns: whoever calls New or Build owns the result and destroys it, before the [Device] is closed and after the commands that
// use it have finished. A Pipeline, Table or DescriptorSet does not own what it was made from. Destroy may be called twice and on
// nil.
//
// Work cannot be stopped: what Run says of contexts holds for everything that takes one. Close refuses new work with [ErrClosed],
// waits for methods that run, and returns [ErrBusy] where the device works on what nobody waits for.
//
// Who may block: whatever takes a context, such as Open, NewRayTracingPipeline, NewTable, NewBuildInput,
// BuildAccelerationStructures, Compact, Serialize, Run and Faults. Cmd methods only record; on the compute way the first of a kind
// also compiles its kernels, unless [Device.PrepareBuilds] did (of indirect launches, PipelineOptions.Indirect).
//
// Concurrency: methods of Device may be called at the same time from several goroutines, as long as each records into a command
// buffer of its own. A DescriptorSet, Table or command buffer is used by one goroutine at a time.
package engine
