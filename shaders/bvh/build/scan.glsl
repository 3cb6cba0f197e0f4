// Sums over the lanes of a workgroup, and sizes of a scan of many numbers.
#ifndef ER_BVH_SCAN_GLSL
#define ER_BVH_SCAN_GLSL

const uint ER_SCAN_LANES = 256u;
const uint ER_SCAN_ITEMS = 16u; // per lane
const uint ER_SCAN_CHUNK = ER_SCAN_ITEMS * ER_SCAN_LANES;
const uint ER_SCAN_WORDS = ER_SCAN_LANES + 16u; // sums of lanes and of groups of 16

// An includer with ER_SCAN_WORDS words of shared memory to spare gives its name, and leaves it alone during erScanLanes.
#ifndef ER_SCAN_MEMORY
#define ER_SCAN_MEMORY scanSum
shared uint scanSum[ER_SCAN_WORDS];
#endif

// erScanLanes is the exclusive sum over the workgroup's 256 lanes.
uint erScanLanes(uint lane, uint x, out uint total) {
    ER_SCAN_MEMORY[lane] = x;
    barrier();
    if (lane < 16u) {
        uint s = 0u;
        for (uint k = 0u; k < 16u; k++) {
            s += ER_SCAN_MEMORY[lane * 16u + k];
        }
        ER_SCAN_MEMORY[ER_SCAN_LANES + lane] = s;
    }
    barrier();
    uint group = lane >> 4;
    uint before = 0u;
    total = 0u;
    for (uint k = 0u; k < 16u; k++) {
        uint g = ER_SCAN_MEMORY[ER_SCAN_LANES + k];
        total += g;
        before += k < group ? g : 0u;
        before += (group << 4) + k < lane ? ER_SCAN_MEMORY[(group << 4) + k] : 0u;
    }
    return before;
}

#endif
