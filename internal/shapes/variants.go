package shapes

import "strings"

// Callables returns the shapes with calls of callable shaders in place of traces: record 0 takes the payload struct, record 1
// the single number, and calls record 1 itself for some values (Called and OtherCalled).
func Callables() []Shape {
	return variant(plain, asCallables())
}

func asCallables() map[string]string {
	return map[string]string{
		"layout(location = 0) rayPayloadEXT Payload payload;": "layout(location = 0) " +
			"callableDataEXT Payload payload;",
		"layout(location = 1) rayPayloadEXT uint other;": "layout(location = 1) " +
			"callableDataEXT uint other;",
		"#define TRACE(k) traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0)": "#define TRACE(k) " +
			"payload.id.y += k, executeCallableEXT(0u, 0)",
		"#define OTHER(k) traceRayEXT(scene, 0u, 0xFFu, 1u, 2u, 1u, origin(k), 0.001, direction(k), 100.0, 1)": "#define OTHER(k) " +
			"other += k, executeCallableEXT(1u, 1)",
		"layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;": "",
		"result.word[4u * pixel + 1u] = floatBitsToUint(payload.t);": "result.word[4u * pixel + 1u] = " +
			"floatBitsToUint(payload.t + 1.0);",
	}
}

// Reports returns the shapes as intersection shaders, with reports of hits in place of traces. The result is stored by the
// shader itself: it does not depend on how often the shader runs. It leaves out gl_RayTmaxEXT, which lavapipe 25.0.7 does not
// update.
func Reports() []Shape {
	return variant(plain, asReports())
}

func asReports() map[string]string {
	return map[string]string{
		"layout(location = 0) rayPayloadEXT Payload payload;": "hitAttributeEXT vec2 " +
			"attributes;\nPayload payload;",
		"layout(location = 1) rayPayloadEXT uint other;":                                                       "uint other;",
		"#define TRACE(k) traceRayEXT(scene, 0u, 0xFFu, 0u, 2u, 0u, origin(k), 0.001, direction(k), 100.0, 0)": reportMacro,
		"#define OTHER(k) traceRayEXT(scene, 0u, 0xFFu, 1u, 2u, 1u, origin(k), 0.001, direction(k), 100.0, 1)": "#define OTHER(k) " +
			"report(other += 3u * (k), other)",
		"layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;":    "",
		"result.word[4u * pixel + 2u] = floatBitsToUint(payload.barycentrics.x);": "",
		"result.word[4u * pixel + 3u] = floatBitsToUint(payload.barycentrics.y);": "",
		"uint sum = 1u;": "uint sum = 1u;\nvoid noteReport(bool hit, uint k);",
		"void main() {": "void noteReport(bool hit, uint k) { payload.id += uvec2(k, hit ? 1u : 2u); payload.count += hit ? 1u : " +
			"16u; payload.hit = hit; payload.t += 0.5; }\nvoid main() {",
	}
}

// A report's distance falls with every hit that counts, mostly, so that some are accepted and some refused.
const reportMacro = `#define report(change, n) change, attributes = vec2(float((n) & 255u), 1.0), \
    noteReport(reportIntersectionEXT(4.0 - float(hash((n) + sum) & 1023u) / 512.0, (n) & 127u), n)
#define TRACE(k) report(payload.id.y += 1u, payload.id.x + (k))`

// Called and OtherCalled are the callable shaders for Callables.
const (
	Called = `#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { uvec2 id; float t; vec2 barycentrics; uint count; bool hit; };
layout(location = 0) callableDataInEXT Payload payload;
layout(location = 1) callableDataEXT uint other;
uint calls = 3u;
void main() {
    uint before = payload.id.x;
    if ((payload.id.y & 1u) == 0u) {
        other = before;
        executeCallableEXT(1u, 1);
        calls += other & 15u;
    }
    payload.id = uvec2(before * 7u + calls, gl_LaunchIDEXT.x + payload.id.y);
    payload.count += 1u;
    payload.hit = (payload.id.x & 2u) != 0u;
    payload.t += 1.0;
}
`
	OtherCalled = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 1) callableDataInEXT uint other;
layout(shaderRecordEXT, std430) buffer Record { uint n; } record;
void main() { other = other * 3u + 1u + gl_LaunchIDEXT.y + record.n; }
`
)

// plain tells whether a body's only traces are those of the macros.
func plain(body string) bool { return !strings.Contains(body, "traceRayEXT") }

// variant returns the shapes whose body suits, with parts of their source replaced.
func variant(suits func(body string) bool, replace map[string]string) []Shape {
	var list []Shape
	for i, s := range All() {
		if !suits(bodies[i].body) || bodies[i].depth > 1 {
			continue
		}
		s.Raygen = replaced(s.Raygen, replace)
		list = append(list, s)
	}
	return list
}

func replaced(source string, replace map[string]string) string {
	for from, to := range replace {
		source = strings.Replace(source, from, to, 1)
	}
	return source
}
