// Package link is the compiler of the compute way: it takes the SPIR-V of ray tracing shaders, unchanged, and
// returns one compute module that runs the whole pipeline as a state machine.
//
// # How it works
//
// Package normal makes the stages' modules normal, whatever compiler made them. A runtime module
// (shaders/fallback/runtime.comp) holds the scheduler, the traversal and the shader binding table. The stages are merged with
// it, types and constants unified. Each shader that traces rays is then cut at its trace calls into state functions: functions
// that return the number of the state that runs next. What lives across a cut is spilled to a per-lane stack in a buffer.
//
// The cut works on the control flow graph. Constructs (selections, loops) that hold no cut stay as they are,
// structured code; those that do are taken apart into fragments, pieces of code with one entry. A state function is
// the sequence of fragments that can be reached from a resume point without another cut, in reverse postorder, each
// guarded by a program counter, in a loop only where the fragments form one. So the size of a state function is linear
// in what it can reach, any control flow can be cut, and code without cuts keeps its shape.
//
// That is the megakernel; in the monolithic form nothing is cut, since traces are calls, and in the block machine a shader's
// fragments share one function (form.go: a form is a file and a row of its table). A library holds stages as state functions,
// for pipelines to copy (library.go).
//
// In the wavefront form the state functions are spread over several modules (form_wavefront.go): one with ray generation and
// traversal, some with hit, miss and callable shaders, and a tail with everything.
//
// In the sorted form the megakernel's scheduler goes through its phases by workgroups, which sort their lanes between traversal and
// shading (form_sorted.go).
//
// A link goes through phases, each of a type of its own (phases.go). A pass takes one and returns it or the next (passes.go), so it
// cannot read what is not there yet.
//
// What one compute module cannot leave to each shader is united. Float controls (SPV_KHR_float_controls) of any shader hold
// for all of the module, the engine's traversal included: a shader that states none for a width leaves them to the
// implementation, so it is content with any. Two shaders that contradict each other cannot be linked. Variable pointers
// become values (pointers.go), so that they live across cuts; no device needs the feature.
//
// Ray queries become calls of functions of the library (shaders/fallback/query.glsl), which is part of the runtime, and
// alone what LowerQueries merges with shaders outside of pipelines. A query is a structure in a variable of the function
// that uses it, so that a live one is spilled as any other variable; compilers that declare queries as the module's own
// (glslang) have them moved there, or passed as parameters (query_place.go).
//
// Hit objects (SPV_EXT_shader_invocation_reorder, and NV's, which package normal takes to EXT's instructions) become structures
// of the runtime, too (shaders/fallback/hitobject.glsl). Recording and asking are reads and writes of members; tracing and
// executing are cuts. What they pass goes through the last quads of the caller's frame. Where the two follow each other they are
// one trace call (fuse.go).
//
// # Terms
//
//   - cut: a point where a shader hands over to the scheduler (OpTraceRayKHR, OpExecuteCallableKHR, and those of hit objects)
//   - fragment: code with a single entry that runs up to a cut, a return or a jump to other fragments
//   - leaf: a scalar or vector inside a variable, the unit of liveness and spilling
//   - frame: a shader's part of the lane's stack; slot 0 keeps the state to return to
//
// # Contract
//
// Link validates what it is given and never panics on bad modules: the error names shader and instruction
// (ErrUnsupported, ErrInvalid). The modules passed in must be valid SPIR-V for Vulkan; what spirv-val would refuse may
// be refused here or give a module that spirv-val refuses. Link keeps no state, does no I/O, and is safe for concurrent
// use. Passes look at the context as they go: a link ends within 100 ms of it.
//
// Time and memory grow with the shaders and the linked module. What would grow without end is refused by name (ErrUnsupported,
// limits.go): modules of more than 16 MiB, functions of more than 65,536 blocks, types that nest more than a thousand deep,
// 16,384 blocks or 524,288 instructions of inlined code, 65,536 dwords of a frame, 16,383 states. A defect of the linker itself
// is ErrInternal, with the pass, shader, function and instruction, and the stack.
package link
