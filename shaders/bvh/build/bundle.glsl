// Bundles are what a tree is built over: up to ER_BUNDLE_MOST primitives that
// follow each other in the sorted order and become one leaf, so that few nodes
// are enough, or single primitives (bundle.comp).
#ifndef ER_BVH_BUNDLE_GLSL
#define ER_BVH_BUNDLE_GLSL
#include "bvh/common/build.glsl"

const uint ER_BUNDLE_MOST = 8u;  // ER_REF_COUNT_MASK + 1
const uint ER_BUNDLE_LIKED = 7u; // makes better trees, and more nodes
const uint ER_BUNDLE_FIXED = 5u; // where neither keeps within ER_BUNDLE_SLOTS
const uint ER_BUNDLE_SLOTS = 248u; // for every ER_BLOCK_SIZE primitives

uint erBundles(ErBuild b, ErState s) { return erBundled(b) ? s.bundles : s.activeCount; }

// The first primitives of bundles lie where the values were sorted, and the number
// of primitives behind them.
uint erBundleFirst(ErBuild b, uint bundle) { return erBundled(b) ? ErUintView(b.valuesB).v[bundle] : bundle; }

#endif
