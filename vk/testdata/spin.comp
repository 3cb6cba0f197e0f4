// Loops until the host sets a flag.
#version 460
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Flag {
    uint set;
    uint turns;
};

layout(push_constant) uniform Arguments {
    Flag flag;
};

void main() {
    while (atomicOr(flag.set, 0u) == 0u) {
        atomicAdd(flag.turns, 1u);
    }
}
