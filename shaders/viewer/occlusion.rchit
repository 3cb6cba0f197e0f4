#version 460
// Never runs: occlusion rays skip closest hit shaders. It exists because lavapipe 25 crashes on a triangle hit
// group that has no shader at all.
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uint occluded;

void main()
{
    occluded = 1u;
}
