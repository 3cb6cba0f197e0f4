// Package normal makes modules of strangers normal: it takes a stage as an application gives it, SPIR-V of any compiler and
// age, and returns a module in the one form that the linker's passes know. It knows nothing of the linker.
//
// A normal module is verified, and
//
//   - holds one entry point's functions, all of which that calls, and only globals that these use,
//   - has no specialisation constants, no lines, no debug information, no decoration groups, no hints for tools,
//   - traces rays by the instructions of SPV_KHR_ray_tracing, with payloads that are variables,
//   - has the memory model of GLSL, storage buffers of the storage class StorageBuffer, and no variable pointers,
//   - has no unreachable code but merge blocks and continue targets that structure asks for,
//   - has no barriers between invocations, and no instruction that the compute way cannot run.
//
// # Contract
//
// A stage that cannot be made normal is refused with ErrUnsupported or ErrInvalid, in words that name the shader. Code is
// read, never changed. The package keeps no state; a Sources is for one goroutine.
package normal
