// Bundles are what a tree is built over: up to ER_BUNDLE_MOST primitives that
// follow each other in the sorted order and become one leaf, so that few nodes
// are enough, or single primitives (bundle.comp).
#ifndef ER_BVH_BUNDLE_GLSL
#define ER_BVH_BUNDLE_GLSL
#include "bvh/common/build.glsl"

const uint ER_BUNDLE_MOST = 8u;  // ER_BUILT_LEAF
const uint ER_BUNDLE_LIKED = 7u; // makes better trees, and more nodes
const uint ER_BUNDLE_FIXED = 5u; // where neither keeps within ER_BUNDLE_SLOTS
const uint ER_BUNDLE_SLOTS = 248u; // for every ER_BLOCK_SIZE primitives
// The same of large structures (layout.glsl), whose leaves have ER_LARGE_LEAF records at most.
const uint ER_BUNDLE_LARGE_SLOTS = 304u;

// The bundles of blocks are counted at the beginning of b.parents, and behind all blocks those of so many blocks together, so that
// a block need not add up all before it. bounds.comp makes the latter zero.
const uint ER_BUNDLE_BLOCKS = 1024u;
uint erBundleSum(ErBuild b, uint block) { return b.blockCount + block / ER_BUNDLE_BLOCKS; }

uint erBundles(ErBuild b, ErState s) { return erBundled(b) ? s.bundles : s.activeCount; }

// The first primitives of bundles lie where the values were sorted, and the number
// of primitives behind them.
uint erBundleFirst(ErBuild b, uint bundle) { return erBundled(b) ? ErUintView(b.valuesB).v[bundle] : bundle; }

#endif
