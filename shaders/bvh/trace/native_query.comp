#version 460
// The driver's own traversal through ray queries, with trace.comp's interface:
// the other side of TestAgainstNative.
#extension GL_EXT_ray_query : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(push_constant, std430) uniform Push {
    uvec2 tlas; // not used
    uvec2 rays;
    uvec2 hits;
    uvec2 faults;
    uint count;
    uint flags;
    uint cullMask;
    uint candidates; // odd primitives that are not opaque are ignored
} push;

struct Ray {
    vec4 originTMin;
    vec4 directionTMax;
};
struct Hit {
    float t;
    float u, v;
    uint primitive;
    uint geometry;
    uint instance;
    uint customIndex;
    uint recordOffsetKind;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Rays { Ray ray[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Hits { Hit hit[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= push.count) {
        return;
    }
    Ray r = Rays(push.rays).ray[i];
    rayQueryEXT q;
    rayQueryInitializeEXT(q, scene, push.flags, push.cullMask, r.originTMin.xyz, r.originTMin.w, r.directionTMax.xyz,
        r.directionTMax.w);
    while (rayQueryProceedEXT(q)) {
        if ((rayQueryGetIntersectionPrimitiveIndexEXT(q, false) & 1) == 0) {
            rayQueryConfirmIntersectionEXT(q);
        }
    }
    Hit h = Hit(r.directionTMax.w, 0.0, 0.0, 0u, 0u, ~0u, 0u, 0u);
    if (rayQueryGetIntersectionTypeEXT(q, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        h.t = rayQueryGetIntersectionTEXT(q, true);
        vec2 b = rayQueryGetIntersectionBarycentricsEXT(q, true);
        h.u = b.x;
        h.v = b.y;
        h.primitive = rayQueryGetIntersectionPrimitiveIndexEXT(q, true);
        h.geometry = rayQueryGetIntersectionGeometryIndexEXT(q, true);
        h.instance = rayQueryGetIntersectionInstanceIdEXT(q, true);
        h.customIndex = rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
        h.recordOffsetKind = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true) |
                             (rayQueryGetIntersectionFrontFaceEXT(q, true) ? 0xFEu : 0xFFu) << 24;
    }
    Hits(push.hits).hit[i] = h;
}
