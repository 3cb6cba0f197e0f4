#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { vec3 radiance; vec3 weight; vec3 origin; vec3 direction; uint seed; bool done; };
layout(location = 0) rayPayloadInEXT Payload payload;
layout(constant_id = 0) const float strength = 1.5;
layout(constant_id = 1) const bool dark = false;
const vec3 top = vec3(0.5, 0.7, 1.0);
void main() {
	float t = 0.5 * gl_WorldRayDirectionEXT.y + 0.5;
	payload.radiance = dark ? vec3(0) : strength * mix(vec3(1), top, t);
	payload.done = true;
}
