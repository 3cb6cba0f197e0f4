#include "evk.h"

// Draws into one color image without render pass objects: a full graphics API is none of this package's business.

static VkResult graphics_module(evk_device *d, const uint32_t *code, size_t words, VkShaderModule *out) {
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * words, .pCode = code};
	return EVK_TRY(d, CreateShaderModule, d->device, &info, NULL, out);
}

evk_handle evk_create_graphics_pipeline(evk_device *d, const evk_graphics_stage *list, uint32_t count, uint32_t patch,
	uint64_t layout, uint32_t format) {
	VkPipelineShaderStageCreateInfo stages[5] = {{0}};
	if (count > 5) return (evk_handle){VK_ERROR_INITIALIZATION_FAILED, 0};
	VkFormat color = (VkFormat)format;
	VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1,
		.pColorAttachmentFormats = &color};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = patch ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkPipelineTessellationStateCreateInfo tessellation = {.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
		.patchControlPoints = patch};
	VkPipelineViewportStateCreateInfo viewport = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1,
		.scissorCount = 1};
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineColorBlendAttachmentState all = {.colorWriteMask = 15};
	VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &all};
	VkDynamicState states[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
	VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 2,
		.pDynamicStates = states};
	VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &rendering,
		.stageCount = count,
		.pStages = stages, .pVertexInputState = &input, .pInputAssemblyState = &assembly,
		.pTessellationState = patch ? &tessellation : NULL, .pViewportState = &viewport,
		.pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blend, .pDynamicState = &dynamic,
		.layout = (VkPipelineLayout)layout};
	VkPipeline p = VK_NULL_HANDLE;
	VkResult r = VK_SUCCESS;
	for (uint32_t i = 0; i < count && r == VK_SUCCESS; i++) {
		stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = (VkShaderStageFlagBits)list[i].stage, .pName = "main"};
		r = graphics_module(d, list[i].code, list[i].words, &stages[i].module);
	}
	if (r == VK_SUCCESS) r = EVK_TRY(d, CreateGraphicsPipelines, d->device, VK_NULL_HANDLE, 1, &info, NULL, &p);
	for (uint32_t i = 0; i < count; i++)
		if (stages[i].module) d->DestroyShaderModule(d->device, stages[i].module, NULL);
	return (evk_handle){r, (uint64_t)p};
}

void evk_draw_to_image(evk_device *d, uint64_t cb, uint64_t view, uint32_t width, uint32_t height, const float *clear,
	uint32_t vertices) {
	VkCommandBuffer c = (VkCommandBuffer)cb;
	VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = (VkImageView)view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue = {.color = {.float32 = {clear[0], clear[1], clear[2], clear[3]}}}};
	VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {width, height}}, .layerCount = 1,
		.colorAttachmentCount = 1, .pColorAttachments = &color};
	VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
	d->CmdBeginRendering(c, &info);
	d->CmdSetViewport(c, 0, 1, &viewport);
	d->CmdSetScissor(c, 0, 1, &info.renderArea);
	d->CmdDraw(c, vertices, 1, 0, 0);
	d->CmdEndRendering(c);
}
