// What trace_boxes.comp and native_boxes.comp share: rays in, and out for every
// ray the boxes that an intersection shader would be asked about.
#ifndef ER_BVH_BOX_LIST_GLSL
#define ER_BVH_BOX_LIST_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(push_constant, std430) uniform Push {
    uvec2 tlas; // not used with the driver's structures
    uvec2 rays;
    uvec2 lists;
    uvec2 faults;
    uint count;
    uint flags;
    uint cullMask;
    uint most; // boxes in a list
} push;

struct Ray {
    vec4 originTMin;
    vec4 directionTMax;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Rays { Ray ray[]; };
// Per ray: number of boxes, then of each: instance, custom index, geometry and
// whether it is opaque in the top bit, primitive.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Lists { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Faults { uint v[]; };

uint listRay;   // whose list
uint listCount;

void listBegin(uint ray) {
    listRay = ray;
    listCount = 0u;
}

void listBox(uint instance, uint custom, uint geometry, bool opaque, uint primitive) {
    if (listCount < push.most) {
        uint at = listRay * (1u + 4u * push.most) + 1u + 4u * listCount;
        Lists l = Lists(push.lists);
        l.v[at] = instance;
        l.v[at + 1u] = custom;
        l.v[at + 2u] = geometry | (opaque ? 0x80000000u : 0u);
        l.v[at + 3u] = primitive;
    }
    listCount++;
}

void listEnd() {
    Lists(push.lists).v[listRay * (1u + 4u * push.most)] = listCount;
}

#endif
