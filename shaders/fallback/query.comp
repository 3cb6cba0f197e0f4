// The library of ray queries for shaders that are not part of a ray tracing pipeline: fallback/link takes the functions of
// query.glsl out of this module and puts them into the application's.
#version 460
// Variant: simd
// Variant: long
// Variant: clusters
// Uncalled functions: kept
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "fallback/query.glsl"

layout(local_size_x = 1) in;

// Nobody to tell: a query that cannot go on ends.
void erTraversalFault(uint kind, uint value) {}

// What the traversal of pipelines asks for and queries do not.
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_ACCEPT; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return true; }

void main() {}
