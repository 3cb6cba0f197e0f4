#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
// Closest hit: shader record, buffer references, bindless textures, nested trace.
struct Payload { vec3 radiance; vec3 weight; vec3 origin; vec3 direction; uint seed; bool done; };
layout(location = 0) rayPayloadInEXT Payload payload;
layout(location = 1) rayPayloadEXT bool shadowed;
hitAttributeEXT vec2 barycentrics;
struct Vertex { vec3 position; vec3 normal; vec2 uv; };
layout(buffer_reference, scalar) readonly buffer Vertices { Vertex at[]; };
layout(buffer_reference, scalar) readonly buffer Indices { uvec3 at[]; };
layout(shaderRecordEXT, scalar) buffer Record { Vertices vertices; Indices indices; uint texture; vec3 tint; } record;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 1, binding = 0) uniform sampler2D textures[];
void main() {
	uvec3 tri = record.indices.at[gl_PrimitiveID];
	Vertex a = record.vertices.at[tri.x], b = record.vertices.at[tri.y], c = record.vertices.at[tri.z];
	vec3 w = vec3(1.0 - barycentrics.x - barycentrics.y, barycentrics);
	vec3 n = normalize(mat3(transpose(gl_WorldToObjectEXT)) * vec3(0) + (a.normal * w.x + b.normal * w.y + c.normal * w.z) * mat3(gl_WorldToObject3x4EXT));
	vec2 uv = a.uv * w.x + b.uv * w.y + c.uv * w.z;
	vec3 p = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
	if (gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT) n = -n;
	vec4 color = textureLod(textures[nonuniformEXT(record.texture)], uv, 0.0);
	shadowed = true;
	if (dot(n, vec3(0, 1, 0)) > 0.0)
		traceRayEXT(scene, gl_IncomingRayFlagsEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xff, 0, 1, 1, p, gl_RayTminEXT, vec3(0, 1, 0), 100.0, 1);
	payload.radiance = shadowed ? vec3(0) : color.rgb * record.tint;
	payload.origin = p;
	payload.direction = reflect(gl_ObjectRayDirectionEXT, n);
	payload.weight = color.rgb * float(gl_InstanceCustomIndexEXT + gl_InstanceID + gl_GeometryIndexEXT);
	payload.done = false;
}
