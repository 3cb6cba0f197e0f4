// What a ray along z from each point of a grid hits first: t, or -1.
#version 460
#extension GL_EXT_ray_query : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const uint factor = 1u;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Image { vec4 pixel[]; } image;
layout(push_constant) uniform Push { uint flags, mask; } push;

void main() {
    uvec2 size = gl_NumWorkGroups.xy * gl_WorkGroupSize.xy;
    vec3 origin = vec3((vec2(gl_GlobalInvocationID.xy) + 0.5) / vec2(size) * 2.0 - 1.0, 5.0);
    rayQueryEXT q;
    rayQueryInitializeEXT(q, scene, push.flags, push.mask, origin, 0.0, vec3(0.0, 0.0, -1.0), 100.0);
    while (rayQueryProceedEXT(q)) rayQueryConfirmIntersectionEXT(q);
    vec4 color = vec4(-1.0, 0.0, 0.0, float(factor));
    if (rayQueryGetIntersectionTypeEXT(q, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        color.x = rayQueryGetIntersectionTEXT(q, true);
        color.y = float(rayQueryGetIntersectionGeometryIndexEXT(q, true));
        color.z = float(rayQueryGetIntersectionInstanceCustomIndexEXT(q, true));
    }
    image.pixel[gl_GlobalInvocationID.y * size.x + gl_GlobalInvocationID.x] = color;
}
