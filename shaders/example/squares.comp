// Multiplies numbers by themselves and a specialization constant, and prints what comes out.
#version 460
#extension GL_EXT_debug_printf : require

layout(constant_id = 0) const uint factor = 1;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    numbers[i] *= factor * numbers[i];
    debugPrintfEXT("%u: %u", i, numbers[i]);
}
