// Package native is the driver that forwards to VK_KHR_acceleration_structure and VK_KHR_ray_tracing_pipeline.
//
// Contract: that of package driver. What the GPU finds wrong is undefined behaviour here, as in Vulkan: Faults reports nothing.
//
// Known differences of implementations, each with what this package does about it:
//
//   - Lavapipe (Mesa 25.0.7) crashes when a ray reaches a triangle hit group without any shader. Such groups get an empty closest
//     hit shader there.
//   - vkGetDeviceAccelerationStructureCompatibilityKHR of lavapipe (Mesa 25.0.7) compares the driver UUID of a blob and not its
//     compatibility UUID. Blobs of the compute way are refused before the driver is asked.
//   - In top levels that NVIDIA 580.159.04 (H200) has deserialised, rays meet the bottom levels that were serialised and not
//     those of the blob's new handles; without them, memory that is anybody's. Nothing can be done here: programs build such
//     top levels anew.
//   - A null acceleration structure in a descriptor needs the feature nullDescriptor, which few devices of interest lack but
//     nothing else of the engine needs. An empty top level structure stands in for it everywhere.
package native
