// Reads the command of an indirect trace and completes the parameters of the launch: what fallback.CmdTraceRays computes on
// the host, in the same way, and the number of workgroups to dispatch. One invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 1) in;

// Dwords of RtLaunch (launch.glsl); a Go test compares them.
const uint LAUNCH_SIZE = 0u;
const uint LAUNCH_RAYGEN_RECORD = 8u;
const uint LAUNCH_MISS_BASE = 12u; // hit and callable tables follow
const uint LAUNCH_TILE_WIDTH_LOG2 = 26u;
const uint LAUNCH_TILES_PER_ROW = 27u;
const uint LAUNCH_TILES_PER_SLICE = 28u;
const uint LAUNCH_FIRST_GROUP = 29u;
const uint LAUNCH_GROUP_STRIDE = 30u;
const uint LAUNCH_GROUP_COUNT = 31u;
const uint LAUNCH_WORDS = 32u;

// Dwords of VkTraceRaysIndirectCommand2KHR: a raygen record (address, size), three tables (address, size, stride), the size.
const uint COMMAND2_TABLES = 4u;
const uint COMMAND2_SIZE = 22u;

const uint LANES_PER_GROUP = 32u; // RT_LANES_PER_GROUP
const uint GROUPS_PER_WORKGROUP = 2u;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint word[LAUNCH_WORDS];
};

layout(push_constant, scalar) uniform Arguments {
    uvec2 command;   // VkTraceRaysIndirectCommandKHR, or ...2KHR
    uvec2 known;     // RtLaunch with all that the host knows
    uvec2 launch;    // RtLaunch for the shaders, written here
    uvec2 dispatch;  // VkDispatchIndirectCommand, written here
    uint tables;     // whether the command holds the tables
    uint batchGroups; // most lane groups in flight, even
    uint maxRays;    // of one launch
} arguments;

// Takes what the host would have refused down to what the shaders can count.
uvec3 clampSize(uvec3 size) {
    size.x = min(size.x, arguments.maxRays);
    if (size.x == 0u) return uvec3(0u);
    size.y = min(size.y, arguments.maxRays / size.x);
    if (size.y == 0u) return uvec3(0u);
    size.z = min(size.z, arguments.maxRays / (size.x * size.y));
    return size;
}

void main() {
    Words command = Words(arguments.command), known = Words(arguments.known), launch = Words(arguments.launch);
    for (uint i = 0u; i < LAUNCH_WORDS; i++) launch.word[i] = known.word[i];
    uint at = 0u;
    if (arguments.tables != 0u) {
        at = COMMAND2_SIZE;
        for (uint i = 0u; i < 2u; i++) launch.word[LAUNCH_RAYGEN_RECORD + i] = command.word[i];
        for (uint t = 0u; t < 3u; t++) {
            uint from = COMMAND2_TABLES + 6u * t, to = LAUNCH_MISS_BASE + 4u * t;
            launch.word[to] = command.word[from];
            launch.word[to + 1u] = command.word[from + 1u];
            launch.word[to + 2u] = command.word[from + 4u]; // stride
            // A table of 4 GiB and more: all of it that 32 bits reach.
            launch.word[to + 3u] = command.word[from + 3u] != 0u ? 0xFFFFFFFFu : command.word[from + 2u];
        }
    }
    uvec3 size = clampSize(uvec3(command.word[at], command.word[at + 1u], command.word[at + 2u]));
    uint log2 = size.y == 1u ? 5u : size.y < 4u ? 4u : 3u;
    uint width = 1u << log2, height = LANES_PER_GROUP >> log2;
    uint perRow = (size.x + width - 1u) / width;
    uint perSlice = perRow * ((size.y + height - 1u) / height);
    uint groups = perSlice * size.z;
    uint workgroups = (min(groups, arguments.batchGroups) + GROUPS_PER_WORKGROUP - 1u) / GROUPS_PER_WORKGROUP;
    for (uint i = 0u; i < 3u; i++) launch.word[LAUNCH_SIZE + i] = size[i];
    launch.word[LAUNCH_TILE_WIDTH_LOG2] = log2;
    launch.word[LAUNCH_TILES_PER_ROW] = perRow;
    launch.word[LAUNCH_TILES_PER_SLICE] = perSlice;
    launch.word[LAUNCH_FIRST_GROUP] = 0u;
    launch.word[LAUNCH_GROUP_STRIDE] = workgroups * GROUPS_PER_WORKGROUP;
    launch.word[LAUNCH_GROUP_COUNT] = groups;
    Words dispatch = Words(arguments.dispatch);
    dispatch.word[0] = workgroups;
    dispatch.word[1] = 1u;
    dispatch.word[2] = 1u;
}
