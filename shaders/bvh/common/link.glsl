// Links from a node or leaf to its parent while a tree is being built.
#ifndef ER_BVH_LINK_GLSL
#define ER_BVH_LINK_GLSL
const uint LINK_SECOND = 0x80000000u;    // is child 1
const uint LINK_COLLAPSED = 0x40000000u; // the node becomes a leaf of several triangles
const uint LINK_NODE = 0x3fffffffu;
const uint LINK_ROOT = 0x3fffffffu;      // no parent
const uint LINK_COST_COLLAPSED = 0x80000000u; // sign of the SAH cost
#endif
