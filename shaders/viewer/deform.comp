#version 460
// Positions of a mesh that is animated: turned around an axis, the more the farther along it.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in; // deformLanes in demo.go

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Positions { vec3 v[]; };

layout(push_constant, scalar) uniform Push
{
    uvec2 rest;
    uvec2 moved;
    vec3 centre;
    float angle; // at the end of the axis, which is y
    float size;  // half of the mesh's, along it
    uint count;
} push;

void main()
{
    uint n = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (n >= push.count)
        return;
    vec3 p = Positions(push.rest).v[n] - push.centre;
    float a = push.angle * p.y / push.size;
    float s = sin(a), c = cos(a);
    Positions(push.moved).v[n] = push.centre + vec3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
}
