#version 460
// flags: --target-env vulkan1.3
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
#pragma use_vulkan_memory_model
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 1) in;
layout(constant_id = 2) const uint size = 64;
layout(set = 0, binding = 0, std430) buffer Data { uint total; float sum; uint64_t clock; uint values[]; };
shared uint scratch[size * 2u];
void main() {
	uint i = gl_LocalInvocationIndex, v = values[i];
	scratch[i] = subgroupInclusiveAdd(v) + subgroupClusteredMax(v, 4u) + subgroupExclusiveXor(v);
	memoryBarrierShared();
	barrier();
	if (subgroupElect()) atomicAdd(total, subgroupBallotBitCount(subgroupBallot(v > 3u)), gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
	v += subgroupShuffle(v, i ^ 1u) + subgroupShuffleUp(v, 1u) + subgroupQuadSwapHorizontal(v) + subgroupQuadBroadcast(v, 2u) + subgroupBroadcastFirst(v);
	if (subgroupAny(v == 0u) || subgroupAllEqual(v)) atomicAdd(sum, float(v));
	atomicMax(clock, clockRealtimeEXT() + clockARB());
	atomicExchange(scratch[i], v);
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
	values[i] = atomicLoad(total, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) + scratch[i] + uint(values.length());
}
