#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_cull_mask : require
layout(location = 0) rayPayloadInEXT vec3 payload;
void main() {
	payload = vec3(gl_PrimitiveID) * float(gl_CullMaskEXT) + gl_ObjectToWorldEXT * vec4(1);
}
