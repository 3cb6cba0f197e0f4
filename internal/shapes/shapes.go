// Package shapes holds ray generation shaders whose trace calls stand in every shape of control flow, named as in the
// Vulkan CTS (vktRayTracingComplexControlFlowTests), with the other shaders of their pipeline. The linker's tests link
// them, the differential tests run them natively and by compute.
package shapes

import (
	"cmp"
	"strings"
)

// Shape is one ray generation shader.
type Shape struct {
	Name string
	// Depth is the recursion depth that the pipeline needs.
	Depth uint32
	// Raygen is the shader's source, AnyHit that of the any hit shader to run it with.
	Raygen, AnyHit string
}

// All returns every shape.
func All() []Shape {
	list := make([]Shape, 0, len(bodies))
	for _, b := range bodies {
		source := strings.Replace(prelude, "FUNCTIONS", b.functions, 1)
		list = append(list, Shape{Name: b.name, Depth: max(b.depth, 1), Raygen: strings.Replace(source, "BODY", b.body, 1),
			AnyHit: cmp.Or(b.anyHit, AnyHit)})
	}
	return list
}

// prelude declares what all shapes share. `live` and `list` live across the calls in scalars, a matrix, a struct and an
// array; TRACE(k) traces a ray that depends on the pixel and on k.
const prelude = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
struct State { uint a; mat2 m; bool flag; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
layout(push_constant) uniform Push { uint seed; float spread; } push;
layout(location = 0) rayPayloadEXT Payload payload;
layout(location = 1) rayPayloadEXT uint other;
uint hash(uint v) { v = v * 747796405u + 2891336453u; uint w = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u; return (w >> 22u) ^ w; }
uint sum = 1u;
vec3 origin(uint k) { return vec3((vec2(gl_LaunchIDEXT.xy) + 0.5) / vec2(gl_LaunchSizeEXT.xy) * 2.0 - 1.0,
    -2.0 - float(k & 7u) * 0.125); }
vec3 direction(uint k) { uint h = hash(k + push.seed); return vec3(float(h & 255u) / 255.0 - 0.5,
    float((h >> 8) & 255u) / 255.0 - 0.5, 0.0) * push.spread + vec3(0.0, 0.0, 1.0); }
#define TRACE(k) traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0)
#define OTHER(k) traceRayEXT(scene, 0u, 0xFFu, 1u, 2u, 1u, origin(k), 0.001, direction(k), 100.0, 1)
void note(uint v) { sum = sum * 31u + v; }
void notePayload() { note(payload.id.x); note(payload.id.y); note(payload.count); note(payload.hit ? 7u : 3u); }
FUNCTIONS
void main() {
    uint pixel = gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    uint live = hash(pixel);
    State state = State(live, mat2(float(live & 15u), 1.0, 2.0, 3.0), (live & 1u) != 0u);
    uint list[3] = uint[3](live, live + 1u, live + 2u);
    payload.count = 0u;
    payload.t = 0.0;
    payload.barycentrics = vec2(0.0);
    payload.id = uvec2(9u);
    payload.hit = false;
    other = 5u;
    BODY
    notePayload();
    note(other);
    note(live);
    note(state.a + uint(state.m[0][0]) + (state.flag ? 1u : 0u));
    note(list[pixel % 3u]);
    result.word[4u * pixel + 0u] = sum;
    result.word[4u * pixel + 1u] = floatBitsToUint(payload.t);
    result.word[4u * pixel + 2u] = floatBitsToUint(payload.barycentrics.x);
    result.word[4u * pixel + 3u] = floatBitsToUint(payload.barycentrics.y);
}
`

// ClosestHit and the others are the rest of the pipeline: hit group 0 and miss 0 take the payload, hit group 1 and miss
// 1 the single number.
const (
	ClosestHit = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(location = 0) rayPayloadInEXT Payload payload;
hitAttributeEXT vec2 attributes;
void main() {
    payload.id = uvec2(gl_PrimitiveID, gl_InstanceCustomIndexEXT);
    payload.t = gl_HitTEXT;
    payload.barycentrics = attributes;
    payload.count += 1u;
    payload.hit = true;
}
`
	Miss = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(location = 0) rayPayloadInEXT Payload payload;
void main() {
    payload.id = uvec2(0xFFFFu, gl_IncomingRayFlagsEXT);
    payload.count += 16u;
    payload.hit = false;
}
`
	OtherHit = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 1) rayPayloadInEXT uint other;
struct Attributes { vec2 weights; };
hitAttributeEXT Attributes attributes; // as HLSL declares them
void main() {
    other = other * 3u + uint(gl_PrimitiveID) + 1u + uint(attributes.weights.x * 4.0) + 5u * uint(attributes.weights.y * 4.0); }
`
	OtherMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 1) rayPayloadInEXT uint other;
void main() { other = other * 5u + 2u; }
`
	// Recursive is a closest hit shader that traces on behind the hit, with the payload it was given and its own.
	Recursive = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadInEXT Payload payload;
layout(location = 1) rayPayloadEXT uint own;
hitAttributeEXT vec2 attributes;
void main() {
    float t = gl_HitTEXT;
    uint id = uint(gl_PrimitiveID);
    uint geometry = uint(gl_GeometryIndexEXT); // before the calls: lavapipe 25.0.7 gives the nested ray's afterwards
    vec3 behind = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * (t + 0.01);
    payload.count += 1u;
    own = payload.count;
    if (payload.count < 3u) {
        traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, behind, 0.0, gl_WorldRayDirectionEXT, 100.0, 0);
        traceRayEXT(scene, 0u, 0xFFu, 1u, 2u, 1u, behind, 0.0, gl_WorldRayDirectionEXT, 100.0, 1);
    }
    payload.id.x = payload.id.x * 7u + id;
    payload.id.y += own + uint(gl_InstanceCustomIndexEXT) + geometry;
    payload.t += t;
    payload.barycentrics = attributes;
    payload.hit = true;
}
`
	// AnyHit ignores some triangles, from a function called under conditions. It leaves no trace in the payload: which
	// candidates come before the nearest hit depends on the tree.
	AnyHit = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(location = 0) rayPayloadInEXT Payload payload;
hitAttributeEXT vec2 attributes;
void decide(uint id) {
    if (id % 3u == 0u) ignoreIntersectionEXT;
    if (id % 7u == 0u) return;
    for (uint i = 0u; i < id % 5u; i++) if (i == 3u && attributes.x < 0.5) ignoreIntersectionEXT;
}
void main() { if (attributes.x + attributes.y < 2.0) decide(uint(gl_PrimitiveID)); }
`
	// Counting is an any hit shader that changes the payload and ignores everything, so that its order does not matter.
	Counting = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(location = 0) rayPayloadInEXT Payload payload;
void main() {
    payload.count += 1000u + uint(gl_PrimitiveID) + uint(gl_GeometryIndexEXT) +
        (gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ? 7u : 0u);
    if (gl_InstanceCustomIndexEXT == 77) payload.id.y ^= uint(gl_PrimitiveID);
    ignoreIntersectionEXT;
}
`
)

var bodies = []struct {
	name, functions, body string
	depth                 uint32
	anyHit                string
}{
	{name: "straight", body: `TRACE(0u); notePayload(); OTHER(1u);`},
	{name: "if", body: `
    if ((pixel & 1u) == 0u) { TRACE(1u); live += payload.count; } else { note(3u); }
    if (live % 3u == 0u) { OTHER(2u); if (other > 20u) TRACE(3u); else OTHER(4u); }`},
	{name: "loop", body: `for (uint i = 0u; i < 1u + pixel % 4u; i++) { list[i % 3u] += i; TRACE(i); notePayload(); live += i; }`},
	{name: "loop-continue-break", body: `
    for (uint i = 0u; i < 8u; i++) {
        if (((pixel + i) & 3u) == 0u) continue;
        TRACE(i);
        if (!payload.hit && i > 4u) break;
        state.a += payload.id.x;
    }`},
	{name: "loop-trace-in-continue", body: `uint i = 0u; for (;; TRACE(i)) { if (++i > 3u + (pixel & 1u)) break; notePayload(); }`},
	{name: "do-while", body: `uint i = 0u; do { OTHER(i); i++; live ^= other; } while (i < 2u + pixel % 3u && (other & 1u) == 0u);`},
	{name: "switch", body: `
    switch (pixel % 5u) {
    case 0u: TRACE(1u); break;
    case 1u: note(11u); // falls through
    case 2u: OTHER(2u); live++; break;
    case 3u: note(13u); break;
    default: TRACE(3u); TRACE(4u);
    }`},
	{name: "loop-double-call", body: `for (uint i = 0u; i < 3u; i++) { TRACE(i); notePayload(); OTHER(i + 9u); note(other);
		state.m[1][0] += 1.0; }`},
	{name: "loop-double-call-sparse", body: `
    for (uint i = 0u; i < 4u; i++) {
        if (((pixel >> i) & 1u) == 0u) { TRACE(i); notePayload(); }
        list[i % 3u] ^= live;
        if (((pixel >> i) & 3u) == 2u) { OTHER(i); note(other); }
    }`},
	{name: "nested-loop", body: `
    for (uint i = 0u; i < 2u; i++) {
        uint inner = i + live % 2u;
        for (uint j = 0u; j <= inner; j++) { TRACE(i * 4u + j); note(inner + j); }
        state.flag = !state.flag;
    }`},
	{name: "nested-loop-before", body: `for (uint i = 0u; i < 2u; i++) { TRACE(i); for (uint j = 0u; j < 3u; j++) {
		if (j == pixel % 4u) break; note(j + payload.count); } }`},
	{name: "nested-loop-after", body: `for (uint i = 0u; i < 2u; i++) { for (uint j = 0u; j < 3u; j++) {
		if ((j + pixel) % 4u == 1u) continue; note(j); } OTHER(i); }`},
	{name: "call-before-loop", body: `TRACE(0u); for (uint i = 0u; i < 4u; i++) note(i + payload.id.x);`},
	{name: "call-after-loop", body: `for (uint i = 0u; i < 4u; i++) note(i); TRACE(0u);`},
	{name: "function", functions: `uint shoot(uint k) { uint before = hash(k); TRACE(k); return payload.id.x + before; }`,
		body: `live += shoot(1u); for (uint i = 0u; i < 2u; i++) live ^= shoot(i + live % 5u);`},
	{name: "function-early-return", functions: `
uint shoot(uint k, inout uint n) {
    if (k % 3u == 0u) return 77u;
    for (uint i = 0u; i < 3u; i++) { TRACE(k + i); n++; if (payload.hit) { if (i == 1u) continue; return payload.id.x + i; } }
    return 5u;
}`,
		body: `for (uint i = 0u; i < 3u; i++) note(shoot(pixel + i, list[1]));`},
	{name: "nested-function", functions: `
uint inner(uint k) { OTHER(k); return other; }
uint outer(uint k) { uint a = hash(k); if ((k & 1u) == 1u) a += inner(k); else { TRACE(k); a += payload.count; }
    return a + inner(k + 1u); }`,
		body: `live = outer(pixel) + outer(pixel + 1u);`},
	{name: "short-circuit", functions: `bool shoot(uint k) { TRACE(k); return payload.hit; }`,
		body: `if (shoot(1u) && (shoot(2u) || !shoot(3u))) note(1u); live += shoot(4u) ? 3u : (shoot(5u) ? 2u : 1u);`},
	// Culling opaque triangles leaves those that the counting shader is asked about.
	{name: "any-hit-payload", anyHit: Counting, body: `
    for (uint i = 0u; i < 3u; i++) {
        traceRayEXT(scene, gl_RayFlagsCullOpaqueEXT, 0xFFu, 0u, 2u, 0u, origin(i), 0.001, direction(i), 100.0, 0); notePayload();
            }`},
	{name: "recursion", body: `TRACE(0u); notePayload(); payload.count = pixel & 1u; TRACE(1u);`, depth: 4},
}
