// Package layout says how acceleration structures, blobs and their scratch memory lie in memory, and what the flags of a build
// make of them: the part of bvh that the builder on the device (bvh), the one on the host (bvh/host) and what reads structures
// (bvh/inspect) have in common. shaders/bvh/common/layout.glsl is the one definition; tests of bvh hold the constants to it
// by name.
//
// It knows no device and no builder, checks what of a build or blob is known without memory, and keeps nothing.
package layout
