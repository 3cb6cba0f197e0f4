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
// # Contract
//
// The package knows Vulkan and nothing of the engine above it. It records into command buffers that somebody else owns
// and submits; it places barriers between its own dispatches, which also separate trace commands of one command buffer
// (they share memory for stacks; those of different command buffers do not), and none before the first or after the
// last. A secondary command buffer may be executed several times, in one primary or in several that are in flight: there
// the first trace command has a barrier before it, too, against the earlier execution, which uses the same stacks. Indirect
// trace commands always have one before them. NewPipeline may block for as long as the driver compiles, or until its
// context ends: then the driver goes on in the background, and vk.Device.Destroy waits for it. The first indirect trace command
// of a pipeline blocks likewise. Everything that depends on a command is validated here (sizes, alignments, tables), with
// errors that name the field; the contents of GPU memory are not, see Fault for what the GPU itself finds. A Pipeline may be
// used from several goroutines that record into different command buffers. It must outlive the execution of the commands
// recorded with it, and a Cache its pipelines' creation.
package fallback
