// What a scene's materials and light need. The path tracer's shaders are specialised by it, so that a scene pays and
// waits for nothing that it does not show: lavapipe's compiler takes seconds for all of it.
// The Go side is cmd/viewer/internal/render/features.go.
#ifndef VIEWER_FEATURES_GLSL
#define VIEWER_FEATURES_GLSL

layout(constant_id = 0) const uint FEATURES = 0xffffffffu;

const uint FEATURE_TRANSMISSION = 1u;
const uint FEATURE_COAT = 2u;
const uint FEATURE_SHEEN = 4u;
const uint FEATURE_SPECULAR = 8u;
const uint FEATURE_IRIDESCENCE = 16u;
const uint FEATURE_ANISOTROPY = 32u;
const uint FEATURE_DIFFUSE_TRANSMISSION = 64u;
const uint FEATURE_DISPERSION = 128u;
const uint FEATURE_ENVIRONMENT = 256u; // a map, found by light sampling, in place of the gradient
const uint FEATURE_UNLIT = 512u;
const uint FEATURE_GUIDES = 1024u;     // albedo and normal of what is seen, for the denoiser
const uint FEATURES_OF_LAYERS = 255u;  // those that read MaterialLayers

bool has(uint feature)
{
    return (FEATURES & feature) != 0u;
}

#endif
