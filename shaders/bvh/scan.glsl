// Sizes of a scan of many numbers.
#ifndef ER_BVH_SCAN_GLSL
#define ER_BVH_SCAN_GLSL
const uint ER_SCAN_ITEMS = 16u; // per lane
const uint ER_SCAN_CHUNK = ER_SCAN_ITEMS * 256u;
#endif
