#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_query : require
// The driver's own traversal of boxes: the other side of trace_boxes.comp.
#include "bvh/trace/box_list.glsl"
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.count) {
        return;
    }
    listBegin(i);
    Ray r = Rays(push.rays).ray[i];
    rayQueryEXT q;
    rayQueryInitializeEXT(q, scene, push.flags, push.cullMask, r.originTMin.xyz, r.originTMin.w, r.directionTMax.xyz,
        r.directionTMax.w);
    while (rayQueryProceedEXT(q)) {
        if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT) {
            listBox(rayQueryGetIntersectionInstanceIdEXT(q, false), rayQueryGetIntersectionInstanceCustomIndexEXT(q, false),
                    rayQueryGetIntersectionGeometryIndexEXT(q, false), rayQueryGetIntersectionCandidateAABBOpaqueEXT(q),
                    rayQueryGetIntersectionPrimitiveIndexEXT(q, false));
        }
    }
    listEnd();
}
