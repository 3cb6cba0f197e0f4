#version 460
#extension GL_EXT_ray_tracing : require

// A color from the barycentric coordinates, and from a specialization constant.

layout(constant_id = 0) const float brightness = 1.0;
layout(location = 0) rayPayloadInEXT vec3 color;
hitAttributeEXT vec2 bary;

void main() {
	color = brightness * vec3(1.0 - bary.x - bary.y, bary);
}
