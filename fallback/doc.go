// Package fallback runs ray tracing pipelines by compute shaders: on devices without ray tracing, and on those whose
// own is slower. It takes the SPIR-V of ray tracing shaders unchanged, links it with the engine's traversal into one
// compute module (package link), and records trace commands that behave like vkCmdTraceRaysKHR.
//
// What the GPU sees is what the Vulkan extensions define: shader binding tables hold 32-byte handles followed by the
// application's data, acceleration structures are referred to by device address (package bvh builds them), and
// descriptors are the application's own, but for acceleration structures: their descriptors are storage buffers over
// the first 256 bytes of the structure.
//
// Ray queries are functions of the engine's, too: in pipelines the linker calls them, and LowerShader puts them into compute
// and graphics shaders, which stay the application's to make pipelines of.
//
// # What it asks for
//
// The package owns no command buffer and no memory of a launch, and knows no vk.Device: who calls it gives what it needs, by three
// interfaces. A Device makes kernels and says what it is (Target: what linked code depends on; a LinkCache needs no more). A
// vk.Recorder takes the commands: kernels, push constants, workgroups or the address where the device finds them, barriers. Memory
// is asked for uploads, for counters and indirect arguments on the device, and for stacks, which may be those of a queue family;
// Trace.Faults is the caller's. Package vk has all three for the engine. A Vulkan layer brings its own: kernels that the
// application's driver compiles, and a list that its C code plays into the application's command buffer. What it gets is a Plan,
// from PlanTraceRays and PlanTraceRaysIndirect, or the same through Plan.Record. Where Device.NewTimer makes no timer, FormAuto
// does not learn.
//
// # Contract
//
// The package knows nothing of the engine above it. It records into command buffers that somebody else owns
// and submits, and binds what it runs: afterwards the compute pipeline, compute's descriptor sets from set 0 on and 128 bytes of
// push constants are others. It places barriers between its own dispatches, which also separate trace commands of one command
// buffer (they share memory for stacks; those of different vk.CommandBuffers do not), and none before the first or after the
// last. A secondary command buffer may be executed several times, in one primary or in several that are in flight: there
// the first trace command has a barrier before it, too, against the earlier execution, which uses the same stacks. Indirect
// trace commands always have one before them. NewPipeline may block for as long as the driver compiles, or until its
// context ends: then the driver goes on in the background, and vk.Device.Destroy waits for it. The first indirect trace command
// of a pipeline blocks likewise. Everything that depends on a command is validated here (sizes, alignments, tables), with
// errors that name the field; the contents of GPU memory are not, see Fault for what the GPU itself finds. A Pipeline may be
// used from several goroutines that record into different command buffers. It must outlive the execution of the commands
// recorded with it, and a Cache its pipelines' creation.
package fallback
