// Package cluster has what the host knows of clustered geometry (VK_NV_cluster_acceleration_structure): the arguments that the
// device reads, to the byte; the commands' parameters; sizes; and clusters as they lie in memory, to decode and to validate.
// Package bvh records the commands.
//
// A cluster has up to 256 triangles and vertices, a tree of its own and an id. A template is a cluster without nodes, and maybe
// without positions: instantiating it with vertices gives a cluster. A bottom level over clusters is a tree over their boxes; it
// refers to clusters by their addresses, and any number of bottom levels to the same cluster. Moving or overwriting a cluster
// invalidates the bottom levels that refer to it.
//
// Contract:
//   - Commands read counts, addresses and arguments on the device. What the host can judge is judged when a command is recorded.
//     An operation whose arguments the device finds wrong (more triangles than Input says, a misaligned address, a source that is
//     no cluster) has no result: its size is 0, and its address, if implicit, is null. Null addresses, empty clusters and what is
//     no cluster are left out of bottom levels. Addresses that are nobody's memory are the application's affair.
//   - Sizes: those of results are at most those that SizesOnly gives, which are at most those of the size query. The two first are
//     equal, because sizes follow from counts.
//   - Implicit results are packed, in the order of the operations, each aligned as Alignment says. The same input gives the same
//     bytes.
//   - Moves of one command may overlap each other's sources unless Input.NoMoveOverlap is set, for which they go through scratch
//     memory.
//   - Bounding boxes of templates (hints) are not read: positions are kept as floats.
//   - There are no opacity micromaps. AllowMicromaps is refused, and so are arguments with addresses of micromaps or of their
//     indices: what would be built shows what they hide. Cluster flags that only allow or forbid something of micromaps or of data
//     access are kept and change nothing.
//   - Check says on the host why arguments have no result.
//
// DXR 2.0's draft has the same operations with other arguments: see Dialect. What is not written in the draft's tables is taken as
// Vulkan has it: arguments of bottom levels, moves and indices are the same; the stream of Compressed1 begins with the low bits of
// its bytes; a table of geometry words has Input.MaxGeometries. What a template says of its instances' format holds for
// instances of that dialect; Vulkan's take positions as they are. Empty clusters, empty bottom levels and null addresses are legal
// in both.
//
// Nothing here blocks or has state; all is safe for concurrent use.
package cluster
