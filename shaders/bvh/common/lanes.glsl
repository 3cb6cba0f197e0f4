// Lanes of a workgroup of kernels that are made for 256, and work with half as many: devices need take no more than 128.
// bvh/kernels.go says so to the pipeline.
#ifndef ER_BVH_LANES_GLSL
#define ER_BVH_LANES_GLSL

layout(constant_id = 4) const uint ER_LANES = 256u;
layout(local_size_x = 256, local_size_x_id = 4) in;

#endif
