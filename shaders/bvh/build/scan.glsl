// Sums over the lanes of a workgroup, and sizes of a scan of many numbers.
#ifndef ER_BVH_SCAN_GLSL
#define ER_BVH_SCAN_GLSL
#include "bvh/common/lanes.glsl"

const uint ER_SCAN_CHUNK = 4096u;
const uint ER_SCAN_ITEMS = ER_SCAN_CHUNK / ER_LANES; // per lane
const uint ER_SCAN_GROUP = 16u; // lanes
const uint ER_SCAN_GROUPS = ER_LANES / ER_SCAN_GROUP;
const uint ER_SCAN_WORDS = 256u + 16u; // sums of lanes and of groups, at most

// An includer with ER_SCAN_WORDS words of shared memory to spare gives its name, and leaves it alone during erScanLanes.
#ifndef ER_SCAN_MEMORY
#define ER_SCAN_MEMORY scanSum
shared uint scanSum[ER_SCAN_WORDS];
#endif

// erScanLanes is the exclusive sum over the workgroup's lanes.
uint erScanLanes(uint lane, uint x, out uint total) {
    ER_SCAN_MEMORY[lane] = x;
    barrier();
    if (lane < ER_SCAN_GROUPS) {
        uint s = 0u;
        for (uint k = 0u; k < ER_SCAN_GROUP; k++) {
            s += ER_SCAN_MEMORY[lane * ER_SCAN_GROUP + k];
        }
        ER_SCAN_MEMORY[ER_LANES + lane] = s;
    }
    barrier();
    uint group = lane >> 4;
    uint before = 0u;
    total = 0u;
    for (uint k = 0u; k < 16u; k++) { // of both
        uint g = k < ER_SCAN_GROUPS ? ER_SCAN_MEMORY[ER_LANES + k] : 0u;
        total += g;
        before += k < group ? g : 0u;
        before += (group << 4) + k < lane ? ER_SCAN_MEMORY[(group << 4) + k] : 0u;
    }
    return before;
}

#endif
