// The parameters of one trace command. The Go mirror is fallback.launchParams; fallback's layout test compares both, offset
// by offset.
#ifndef EVERRAY_FALLBACK_LAUNCH_GLSL
#define EVERRAY_FALLBACK_LAUNCH_GLSL

const uint RT_HANDLE_BYTES = 32u;       // shaderGroupHandleSize: the record's data follows it
const uint RT_LANES_PER_GROUP = 32u;    // lanes whose stacks are interleaved by 16 bytes
const uint RT_QUAD_STRIDE = 16u * RT_LANES_PER_GROUP; // bytes from a lane's quad to its next

// What a shader group handle holds, as dwords. All zero = the null handle.
const uint RT_HANDLE_SHADER = 0u;       // state of the general or closest hit shader, 0 = none
const uint RT_HANDLE_ANY_HIT = 1u;      // any hit shader, 0 = none
const uint RT_HANDLE_INTERSECTION = 2u; // intersection shader, 0 = none
const uint RT_HANDLE_PIPELINE = 3u;     // pipeline tag, tells foreign handles

// They are push constants, which cost no memory access, and stay within the 128 bytes that every device has. The
// application's own push constants are in memory. For indirect launches, whose parameters a kernel writes, the linker moves
// this block to memory, too, and leaves its address in the push constants.
layout(push_constant, scalar) uniform RtLaunch {
    uvec3 launchSize;
    uint stackDwords;    // dwords of stack per lane
    uvec2 stackBase;     // lane-interleaved stack memory of one batch of lanes
    uvec2 faults;        // fault buffer, zero = none
    uvec2 raygenRecord;
    uvec2 pushConstants; // address of the application's, read by the linked shaders
    uvec2 missBase;
    uint missStride;
    uint missSize;       // bytes
    uvec2 hitBase;
    uint hitStride;
    uint hitSize;        // bytes
    uvec2 callableBase;
    uint callableStride;
    uint callableSize;   // bytes
    uint pipelineTag;
    uint maxDepth;       // deepest recursion declared for the pipeline
    // Direct launches: a workgroup covers a tile of the launch of this width, and these are the column, row and slice of
    // tiles of the batch's first workgroup. Indirect launches, whose grid has one dimension: a lane group covers a tile,
    // and these are the first lane group, the lane groups in flight, and in all.
    uint tileWidthLog2;
    uint tilesPerRow;    // indirect; of direct launches on CPUs, what a workgroup's row is multiplied with, modulo the batch's rows
    uint tilesPerSlice;  // indirect only
    uint firstGroup;
    uint groupStride;
    uint groupCount;
} rtLaunch;

// The handle that a record begins with, but for its spare words.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer RtHandle {
    uvec4 words;
};

// Four dword slots of a lane's stack: consecutive quads are one lane group apart.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer RtStackQuad {
    uvec4 words;
    uvec4 others[RT_LANES_PER_GROUP - 1u];
};

// Fault records: a counter, then records of eight dwords.
const uint RT_FAULT_CAPACITY = 64u;
const uint RT_FAULT_STACK_OVERFLOW = 1u;
const uint RT_FAULT_RECURSION = 2u;
const uint RT_FAULT_TRAVERSAL = 3u;
const uint RT_FAULT_RECORD_RANGE = 4u;
const uint RT_FAULT_HANDLE = 5u;
const uint RT_FAULT_STRUCTURE = 6u;

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer RtFaults {
    uint count;
    uint padding[3];
    uvec4 records[2 * RT_FAULT_CAPACITY]; // kind, launch id (3), state, value, pipeline tag, spare
};

#endif
