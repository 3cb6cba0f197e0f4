// Package spirv reads, changes, checks and writes SPIR-V modules in pure Go.
// The linker of fallback/link is built on it.
//
// Decode gives a Module: one list of instructions a section, and functions made
// of blocks. Operands stay the words of the binary, and Encode writes them back
// word for word, so that a module that nobody changes does not change.
// Inst.EachID finds the ids among the words by a grammar that has one line an
// opcode; renumbering and merging modules needs no more than that. Index finds
// definitions and decorations, CFG has dominators and constructs, Module's
// Type... and Constant... methods declare what a pass needs, sharing what must
// be unique. FoldSpecConstants applies specialisation. Verify checks what a
// pass left, Disassemble shows it.
//
// Known are the opcodes that shaders of graphics, compute and ray tracing use,
// up to SPIR-V 1.6, with the KHR, EXT and NV extensions that concern these
// stages; Decode rejects a module with any other, naming its number. Kernels
// (OpenCL) are out of scope.
//
// Decode checks header, grammar, sections and that ids are below the bound: a
// decoded module can be walked without fear. It needs memory in proportion to
// its input, and does not panic on any. It does not check that ids are defined
// or types fit; Verify does. Functions here trust that operands fit the
// grammar, as they do after Decode and Verify; who makes instructions by hand
// runs Verify in tests.
//
// Views name the operands: in.TraceRay().Payload() is operand 10 of OpTraceRayKHR.
// They are generated from gen/views.txt, a table of the registry's names, and the
// grammar; a view of another instruction panics.
//
// Nothing here blocks or touches files. A Module has no locks: reading one
// concurrently is safe, changing it is not. Pointers and slices that Index and
// CFG hand out are part of the module, and good until it changes.
package spirv
