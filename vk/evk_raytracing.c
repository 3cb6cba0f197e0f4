#include "evk.h"

#include <stdlib.h>

// geometry fills the member of the union that the type selects.
static VkAccelerationStructureGeometryKHR geometry(const evk_geometry *g) {
	VkAccelerationStructureGeometryKHR out = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR, .geometryType = g->type,
		.flags = g->flags};
	switch (g->type) {
	case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
		out.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
			.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR, .vertexFormat = g->format,
			.vertexData.deviceAddress = g->data, .vertexStride = g->stride, .maxVertex = g->max_vertex, .indexType = g->index_type,
			.indexData.deviceAddress = g->index_data, .transformData.deviceAddress = g->transform_data};
		break;
	case VK_GEOMETRY_TYPE_AABBS_KHR:
		out.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
			.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR, .data.deviceAddress = g->data, .stride = g->stride};
		break;
	default:
		out.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
			.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR, .arrayOfPointers = g->array_of_pointers,
			.data.deviceAddress = g->data};
	}
	return out;
}

static VkAccelerationStructureBuildGeometryInfoKHR build_info(const evk_build *b, const VkAccelerationStructureGeometryKHR *g) {
	return (VkAccelerationStructureBuildGeometryInfoKHR){.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
		.type = b->type, .flags = b->flags,
		.mode = b->update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
		.srcAccelerationStructure = (VkAccelerationStructureKHR)b->source,
			.dstAccelerationStructure = (VkAccelerationStructureKHR)b->destination,
		.geometryCount = b->geometry_count, .pGeometries = g, .scratchData.deviceAddress = b->scratch};
}

void evk_build_sizes(evk_device *d, const evk_build *b, const evk_geometry *g, const uint32_t *counts, uint64_t *out3) {
	VkAccelerationStructureGeometryKHR *list = calloc(b->geometry_count + 1, sizeof *list);
	VkAccelerationStructureBuildSizesInfoKHR s = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
	if (list) {
		for (uint32_t i = 0; i < b->geometry_count; i++) list[i] = geometry(&g[i]);
		VkAccelerationStructureBuildGeometryInfoKHR info = build_info(b, list);
		d->GetAccelerationStructureBuildSizesKHR(d->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, counts, &s);
	}
	free(list);
	out3[0] = s.accelerationStructureSize;
	out3[1] = s.updateScratchSize;
	out3[2] = s.buildScratchSize;
}

int32_t evk_cmd_build(evk_device *d, uint64_t cb, const evk_build *b, uint32_t count, const evk_geometry *g,
	const VkAccelerationStructureBuildRangeInfoKHR *ranges, uint32_t geometry_count) {
	VkAccelerationStructureGeometryKHR *list = calloc(geometry_count + 1, sizeof *list);
	VkAccelerationStructureBuildGeometryInfoKHR *info = calloc(count + 1, sizeof *info);
	const VkAccelerationStructureBuildRangeInfoKHR **range = calloc(count + 1, sizeof *range);
	VkResult r = list && info && range ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
	if (r == VK_SUCCESS) {
		for (uint32_t i = 0; i < geometry_count; i++) list[i] = geometry(&g[i]);
		for (uint32_t i = 0, first = 0; i < count; first += b[i].geometry_count, i++) {
			info[i] = build_info(&b[i], list + first);
			range[i] = ranges + first;
		}
		d->CmdBuildAccelerationStructuresKHR((VkCommandBuffer)cb, count, info, range);
	}
	free(list);
	free(info);
	free(range);
	return r;
}

int32_t evk_cmd_build_indirect(evk_device *d, uint64_t cb, const evk_build *b, uint32_t count, const evk_geometry *g,
	const uint32_t *most, uint32_t geometry_count, const uint64_t *addresses, const uint32_t *strides) {
	VkAccelerationStructureGeometryKHR *list = calloc(geometry_count + 1, sizeof *list);
	VkAccelerationStructureBuildGeometryInfoKHR *info = calloc(count + 1, sizeof *info);
	const uint32_t **counts = calloc(count + 1, sizeof *counts);
	VkResult r = list && info && counts ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
	if (r == VK_SUCCESS) {
		for (uint32_t i = 0; i < geometry_count; i++) list[i] = geometry(&g[i]);
		for (uint32_t i = 0, first = 0; i < count; first += b[i].geometry_count, i++) {
			info[i] = build_info(&b[i], list + first);
			counts[i] = most + first;
		}
		d->CmdBuildAccelerationStructuresIndirectKHR((VkCommandBuffer)cb, count, info, addresses, strides, counts);
	}
	free(list);
	free(info);
	free(counts);
	return r;
}

evk_handle evk_create_accel(evk_device *d, uint32_t type, uint64_t buffer, uint64_t offset, uint64_t size) {
	VkAccelerationStructureCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
		.buffer = (VkBuffer)buffer,
		.offset = offset, .size = size, .type = type};
	VkAccelerationStructureKHR a = VK_NULL_HANDLE;
	VkResult r = EVK_TRY(d, CreateAccelerationStructureKHR, d->device, &info, NULL, &a);
	return (evk_handle){r, (uint64_t)a};
}

void evk_destroy_accel(evk_device *d, uint64_t accel) { d->DestroyAccelerationStructureKHR(d->device,
	(VkAccelerationStructureKHR)accel, NULL); }

uint64_t evk_accel_address(evk_device *d, uint64_t accel) {
	VkAccelerationStructureDeviceAddressInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
		.accelerationStructure = (VkAccelerationStructureKHR)accel};
	return d->GetAccelerationStructureDeviceAddressKHR(d->device, &info);
}

void evk_copy_accel(evk_device *d, uint64_t cb, uint64_t src, uint64_t dst, uint32_t mode) {
	VkCopyAccelerationStructureInfoKHR info = {.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
		.src = (VkAccelerationStructureKHR)src, .dst = (VkAccelerationStructureKHR)dst, .mode = mode};
	d->CmdCopyAccelerationStructureKHR((VkCommandBuffer)cb, &info);
}

void evk_accel_to_memory(evk_device *d, uint64_t cb, uint64_t src, uint64_t dst_address) {
	VkCopyAccelerationStructureToMemoryInfoKHR info = {.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
		.src = (VkAccelerationStructureKHR)src, .dst.deviceAddress = dst_address,
			.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR};
	d->CmdCopyAccelerationStructureToMemoryKHR((VkCommandBuffer)cb, &info);
}

void evk_memory_to_accel(evk_device *d, uint64_t cb, uint64_t src_address, uint64_t dst) {
	VkCopyMemoryToAccelerationStructureInfoKHR info = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
		.src.deviceAddress = src_address, .dst = (VkAccelerationStructureKHR)dst,
			.mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR};
	d->CmdCopyMemoryToAccelerationStructureKHR((VkCommandBuffer)cb, &info);
}

int evk_accel_compatible(evk_device *d, const uint8_t *header32) {
	VkAccelerationStructureVersionInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
		.pVersionData = header32};
	VkAccelerationStructureCompatibilityKHR c = VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR;
	d->GetDeviceAccelerationStructureCompatibilityKHR(d->device, &info, &c);
	return c == VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR;
}

void evk_accel_properties(evk_device *d, uint64_t cb, const uint64_t *accels, uint32_t count, uint32_t type, uint64_t pool,
	uint32_t first) {
	d->CmdWriteAccelerationStructuresPropertiesKHR((VkCommandBuffer)cb, count, (const VkAccelerationStructureKHR *)accels, type,
		(VkQueryPool)pool, first);
}

void evk_stack_size(evk_device *d, uint64_t cb, uint32_t size) {
	d->CmdSetRayTracingPipelineStackSizeKHR((VkCommandBuffer)cb, size);
}

void evk_trace_rays(evk_device *d, uint64_t cb, const VkStridedDeviceAddressRegionKHR *r, uint32_t w, uint32_t h, uint32_t depth) {
	d->CmdTraceRaysKHR((VkCommandBuffer)cb, &r[0], &r[1], &r[2], &r[3], w, h, depth);
}

void evk_trace_rays_indirect(evk_device *d, uint64_t cb, const VkStridedDeviceAddressRegionKHR *r, uint64_t address) {
	d->CmdTraceRaysIndirectKHR((VkCommandBuffer)cb, &r[0], &r[1], &r[2], &r[3], address);
}

void evk_trace_rays_indirect2(evk_device *d, uint64_t cb,
	uint64_t address) { d->CmdTraceRaysIndirect2KHR((VkCommandBuffer)cb, address); }
