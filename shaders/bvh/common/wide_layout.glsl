// Wide nodes, of structures for CPUs: what widen.comp makes of an inner node and of up to two more below it, under the same
// index: boxes and references of up to ER_WIDE_CHILDREN nodes that cover what is below. They lie behind the structure, as many
// as it has node slots, and are no part of its contents: copies leave them out or make them again.
//
// This file belongs to layout.glsl, apart from it so that what GPUs run does not depend on it; bvh/layout_test.go compares.
#ifndef ER_BVH_WIDE_LAYOUT_GLSL
#define ER_BVH_WIDE_LAYOUT_GLSL

const uint ER_HEADER_WIDE = 104u; // of the header: wide nodes begin at this offset / 64; 0: there are none

const uint ER_WIDE_SIZE = 128u;
const uint ER_WIDE_CHILDREN = 4u;
const uint ER_WIDE_AXIS = 32u; // bytes of an axis: the least coordinates of all children, then the greatest
const uint ER_WIDE_REFS = 96u; // child references; 16 bytes of zeros follow
const uint ER_REF_EMPTY = 0xfffffffdu; // of a child that is none: like ER_REF_RESTORE no leaf's

#endif
