// Package bvh builds and traverses acceleration structures with compute shaders.
//
// The bottom level is a binary BVH of 64-byte nodes that hold both children's boxes, over triangles in the
// tree's order; the top level is the same over instances. FAST_BUILD gives a linear BVH, everything else H-PLOC.
// shaders/bvh/layout.glsl is the one definition of the memory layout; layout.go mirrors it and a test compares.
//
// Contract:
//   - A structure is a buffer range aligned to 256 bytes. Its address is the address of the range; its first bytes
//     are the header, which holds that address.
//   - CmdBuild validates what the host can see (types, formats, counts, sizes, alignment) and returns an error that
//     names the build and the field. It only records; the caller owns the command buffer, places barriers before
//     (inputs written, earlier readers of the destination and the scratch done) and after, and keeps all buffers
//     alive until the device is done. Builds of one batch must not depend on each other, nor share scratch memory.
//   - Scratch memory is free again when the build is done.
//   - A Builder is safe for concurrent use by several goroutines with distinct command buffers. Nothing here blocks
//     but Read and Tracer.Trace, which submit and wait.
//   - Updates are full rebuilds into the destination.
//
// Structures are deterministic: the same input gives the same bytes, whatever the scheduling.
package bvh
