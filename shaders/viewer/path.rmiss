#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_tracing : require
#include "viewer/payload.glsl"
#include "viewer/guides.glsl"
#include "viewer/lights.glsl"

layout(location = 0) rayPayloadInEXT PathPayload path;

void main()
{
    if (has(FEATURE_ENVIRONMENT))
    {
        vec4 sky = environmentAt(gl_WorldRayDirectionEXT);
        path.radiance = sky.rgb * chanceWeight(path.bsdfPdf, sky.w * environmentShare());
    }
    else
        path.radiance = gradientRadiance(gl_WorldRayDirectionEXT);
    if ((path.state & STATE_SCATTERED) == 0u)
        addGuides(path.radiance, vec3(0.0));
    path.weight = vec3(0.0);
    path.lightRadiance = vec3(0.0);
}
