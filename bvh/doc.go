// Package bvh builds and traverses acceleration structures with compute shaders.
//
// The bottom level is a binary BVH of 64-byte nodes that hold both children's boxes, over triangles or the boxes of
// procedural primitives in the tree's order; the top level is the same over instances. FAST_BUILD gives a linear BVH,
// everything else H-PLOC. With FAST_TRACE the upper nodes of a large tree are made again from the top down; then nodes of
// bottom levels move to better places, which takes time and more scratch memory; before, triangles with boxes much larger
// than they are get up to 31 leaf records more, each in the box of a part, for a sixteenth more memory: not with
// AllowUpdate, nor with few triangles. With FAST_BUILD or LOW_MEMORY triangles are bundled: four or five that follow each
// other in the order of their Morton codes are one leaf from the beginning, so that a structure takes less than 64 bytes a
// triangle.
// With AllowUpdate nodes are brought into postorder at last, so that an update finds each subtree in one piece.
// Where rays run on a CPU (WideNodes) FAST_TRACE without LOW_MEMORY adds wide nodes behind the structure, of up to four children,
// 128 bytes for each of the others: rays are 14 to 33% faster. They follow from the others, which all else goes by.
// Subtrees that are too deep for the traversal stack are balanced: a bottom and a top level fit together, whatever the
// input.
// shaders/bvh/common/layout.glsl is the one definition of the memory layout; internal/layout mirrors it and a test compares.
//
// Contract:
//   - Commands go to a Recorder: a vk.CommandBuffer, or what stands in for a foreign one, with the Memory that commands need beside
//     the scratch memory that the caller names. Kernels are made by the Builder's Device. Commands bind compute pipelines and set
//     push constants, and have no descriptor sets. Who has commands of a list alone, such as a Vulkan layer's engine, needs nothing
//     else of Vulkan; only a Tracer submits.
//   - A structure is a buffer range aligned to 256 bytes. Its address is the address of the range; its first bytes
//     are the header, which holds that address.
//   - CmdBuild validates what the host can see (types, formats, counts, sizes, alignment) and returns an error that
//     names the build and the field. It only records; the caller owns the command buffer, places barriers before
//     (inputs written, earlier readers of the destination and the scratch done) and after, and keeps all buffers
//     alive until the device is done. Builds of one batch must not depend on each other, nor share scratch memory.
//   - Scratch memory is free again when the build is done.
//   - A Builder is safe for concurrent use by several goroutines with distinct command buffers. Nothing here blocks
//     but Tracer.Trace, which submits and waits, and what compiles: the first
//     command that needs a kernel, and others that need it meanwhile, wait for the driver's compiler, tens of milliseconds a
//     kernel, unless Builder.Prepare did; inside of vk.Device.Run only as long as its context lasts, while the compiler goes on
//     (Builder.Destroy waits for it). Should the driver fail, a part of the commands is recorded: the command buffer is
//     not to be submitted.
//   - Updates keep the tree of their source and make its boxes again, so that any number of them drifts from nothing;
//     quality falls as primitives move apart. AllowUpdate, counts, types, formats and flags are those of the build that
//     made the source. The host cannot know it: a source of another type, count or kind of primitive, one without
//     AllowUpdate, or one larger than the destination, is left alone by the device, and nothing is written. What
//     becomes inactive is hit no more, and may come back; what was inactive in the first build never comes.
//   - CmdBuildIndirect reads ranges on the device, when it runs; barriers before it are those of a build's input.
//     Whatever is there, structures stay within the memory of their most primitives.
//   - CmdCopy (clone, compact, serialise, deserialise) and CmdWriteProperties only record, like CmdBuild, and take any
//     structures of this package, copies included. A structure may lie in a range larger than itself; name the
//     range's size, for scratch memory and dispatches follow it. The device says by CopyStatus what the host could not see.
//   - A compaction of triangles makes leaves of up to four of subtrees, and stores a vertex once for the triangles around
//     it (ER_LEAF_INDEXED), so that rays do a little more and memory is less by two thirds. Hits stay the same, bit for bit,
//     but those that the first hit ends. With AllowUpdate vertices are shared that have the same index in the same
//     geometry, which a build remembers if it has AllowCompaction, too; triangles without indices, or without
//     AllowCompaction, share none then. Those that share little become records of 40 bytes (ER_LEAF_SHORT), and where a
//     triangle would still take more than 45 bytes, leaves become larger, of up to 32 triangles, and rays slower. Without
//     splits, and up to 1024 geometries among each other of together 2^20 triangles, that is enough for some thousand
//     triangles or more. To get there, triangles of LOW_MEMORY may change their order: of hits at the same distance another
//     counts then. A copy that would not be smaller for it keeps plain triangles.
//   - Of hits of one instance at the same distance, the one of the lower leaf record counts. Of a triangle that was
//     split, those count that a ray comes to: always the same, but a compacted copy may report the other of two triangles.
//   - A triangle that was split may be a ray's candidate more than once, unless its geometry has NoDuplicateAnyHit:
//     such are never split. It is one hit, and one of inspect.Structure.Contents.
//   - Blobs (inspect.SerializedHeader) are refused by the device or inspect.ValidateSerialized if they are truncated, corrupt or
//     foreign, or if their tree is deeper than traversal's stack allows; neither reads outside of them, nor recurses over what
//
// is there. What is trusted are handles, and that an instance's bottom level has
//
//	  the layout that it had when the top level was serialised, unless Copy.BottomLevelsReady has it looked up.
//	- Wide nodes are there as long as a structure has the memory that BuildSizes says: builds and updates make them, clones if
//	  there is room for them (CurrentSize); compacted and deserialised copies have none. Structures that have them are for the
//	  Builders of devices that ask for them, and for the host.
//	- Package host does by goroutines what the device does here; package inspect reads, validates and measures structures and
//	  blobs, and has the reference tracer. None imports another but host inspect; what they share is in internal/layout.
//
// What cannot be hit is left out of the tree, and still counts for primitive and instance indices: triangles with a vertex
// that is not finite or beyond 1e37, boxes that are inverted or not a number, instances without a structure, of an empty
// one, or with a transform that is not a number. Boxes and instances that reach to infinity are cut off at 1e37.
//
// All coordinates in between are hit, in the world and in the space of every instance: up to 1e37, and down to where 2^-24 of
// them is
// still a normal number, some 1e-30. The longest part of a ray's direction is to be from 1e-37 to 1e37, too; distances that no
// float holds are misses. Trees and hits of a scene do not change if a power of two scales it.
//
// Structures are deterministic: the same input gives the same bytes, whatever the scheduling.
package bvh
