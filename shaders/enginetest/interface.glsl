// What the shaders of engine's end-to-end test share.
#ifndef EVERRAY_ENGINETEST_INTERFACE_GLSL
#define EVERRAY_ENGINETEST_INTERFACE_GLSL

const uint RAY_PRIMARY = 0u; // hit record and miss record of primary rays
const uint RAY_SHADOW = 1u;
const uint RAY_KINDS = 2u;   // hit records per geometry

layout(push_constant) uniform Push {
    vec4 tint;      // of what primary rays see
    uint rayFlags;  // of primary rays
    uint cullMask;
} push;

#endif
