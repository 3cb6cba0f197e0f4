// Package sbt lays out shader binding tables: the records of a ray tracing pipeline's shader groups in memory, each the group's
// 32-byte handle followed by the application's data, in four sections (raygen, miss, hit, callable).
//
// The rules are those of VK_KHR_ray_tracing_pipeline (Vulkan specification, "Shader Binding Table"; DXR calls them shader
// tables), in terms of three alignments: a section begins at the base alignment, its stride is a multiple of the handle
// alignment and at most the maximal stride, and every raygen record begins at the base alignment because a launch's raygen
// region is exactly one record.
//
// Contract: the package is pure Go. It validates everything that can be known on the host and returns errors that wrap
// [ErrInvalid] and name section and record. It allocates and owns no device memory, never blocks, and its functions may be
// called concurrently.
package sbt
