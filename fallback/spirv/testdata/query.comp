#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, rgba16f) uniform image2D target;
layout(push_constant) uniform Push { uvec2 address; } push;
void main() {
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, gl_RayFlagsNoneEXT, 0xff, vec3(gl_GlobalInvocationID), 0.0, vec3(0, 0, 1), 1e3);
	while (rayQueryProceedEXT(q)) {
		if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionTriangleEXT) {
			if (rayQueryGetIntersectionBarycentricsEXT(q, false).x > 0.5) rayQueryConfirmIntersectionEXT(q);
		} else if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(q)) {
			rayQueryGenerateIntersectionEXT(q, 1.0);
		} else {
			rayQueryTerminateEXT(q);
		}
	}
	vec4 color = vec4(rayQueryGetIntersectionTEXT(q, true));
	color.xyz += rayQueryGetIntersectionObjectToWorldEXT(q, true)[3];
	color.w += float(rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true) + rayQueryGetIntersectionGeometryIndexEXT(q, true) + rayQueryGetIntersectionPrimitiveIndexEXT(q, true) + rayQueryGetIntersectionInstanceCustomIndexEXT(q, true) + rayQueryGetIntersectionInstanceIdEXT(q, true) + rayQueryGetRayFlagsEXT(q));
	if (rayQueryGetIntersectionFrontFaceEXT(q, true)) color += rayQueryGetRayTMinEXT(q);
	rayQueryEXT r;
	rayQueryInitializeEXT(r, accelerationStructureEXT(push.address), gl_RayFlagsOpaqueEXT, 0xff, rayQueryGetWorldRayOriginEXT(q), 0.0, rayQueryGetIntersectionObjectRayDirectionEXT(q, true), 10.0);
	rayQueryProceedEXT(r);
	imageStore(target, ivec2(gl_GlobalInvocationID.xy), color);
}
