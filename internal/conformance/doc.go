// Package conformance is a table of the rules of ray tracing pipelines, one row per rule: a scene, a pipeline, a table,
// rays, and what the specification says the shaders see. It runs nothing itself; fallback's TestConformance runs every row
// natively and by compute.
//
// Expected values are computed here from the specification's words and never from an implementation. Rays meet their
// triangles and boxes at exact places, far from edges, and nearly all numbers are binary fractions, so that most values are
// expected to the bit. A row whose answer the specification leaves open within bounds has a Check instead; one that it leaves
// open altogether is compared natively against compute only.
//
// Rows of a topic share a [Program], because a pipeline takes up to a second to compile on a CPU driver: what tells rows
// apart are scenes, tables and rays.
package conformance
