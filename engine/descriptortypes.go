package engine

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// descriptorType is what engine knows of a VkDescriptorType.
type descriptorType struct {
	name string // as in the specification, less its prefix
	// buffer and image are the usage that what is written needs, 0 where no such thing is written.
	buffer vulkanUsage
	image  uint32
	// counts are the limits that it counts against.
	counts func(*vk.DescriptorCounts) []*uint32
	// after is the feature of bindings that are updated after they were bound.
	after struct {
		name string
		has  func(vk.Features) bool
	}
}

// Image usage bits.
const (
	imageSampled = 0x4
	imageStorage = 0x8
)

// feature is a feature's name and its value.
func feature(name string, has func(vk.Features) bool) (f struct {
	name string
	has  func(vk.Features) bool
}) {
	f.name, f.has = name, has
	return f
}

var (
	afterSampled = feature("descriptorBindingSampledImageUpdateAfterBind",
		func(f vk.Features) bool { return f.SampledImageUpdateAfterBind })
	afterImage = feature("descriptorBindingStorageImageUpdateAfterBind",
		func(f vk.Features) bool { return f.StorageImageUpdateAfterBind })
	afterStorage = feature("descriptorBindingStorageBufferUpdateAfterBind",
		func(f vk.Features) bool { return f.StorageBufferUpdateAfterBind })
	afterNever  = feature("an update of this type after it was bound", func(vk.Features) bool { return false })
	afterNative = feature("descriptorBindingAccelerationStructureUpdateAfterBind",
		func(f vk.Features) bool { return f.AccelerationStructureUpdateAfterBind })
)

// descriptorTypes are the types that DescriptorSet has a Write method for.
var descriptorTypes = map[vulkan.DescriptorType]descriptorType{
	vulkan.DescriptorTypeSampler: {name: "SAMPLER", after: afterSampled,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.Samplers} }},
	vulkan.DescriptorTypeCombinedImageSampler: {name: "COMBINED_IMAGE_SAMPLER", image: imageSampled, after: afterSampled,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.Samplers, &c.SampledImages} }},
	vulkan.DescriptorTypeSampledImage: {name: "SAMPLED_IMAGE", image: imageSampled, after: afterSampled,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.SampledImages} }},
	vulkan.DescriptorTypeStorageImage: {name: "STORAGE_IMAGE", image: imageStorage, after: afterImage,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.StorageImages} }},
	vulkan.DescriptorTypeUniformBuffer: {name: "UNIFORM_BUFFER", buffer: usageUniform, after: afterNever,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.UniformBuffers} }},
	vulkan.DescriptorTypeStorageBuffer: {name: "STORAGE_BUFFER", buffer: usageStorage, after: afterStorage,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.StorageBuffers} }},
	vulkan.DescriptorTypeUniformBufferDynamic: {name: "UNIFORM_BUFFER_DYNAMIC", buffer: usageUniform, after: afterNever,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.UniformBuffers, &c.DynamicUniformBuffers} }},
	vulkan.DescriptorTypeStorageBufferDynamic: {name: "STORAGE_BUFFER_DYNAMIC", buffer: usageStorage, after: afterNever,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.StorageBuffers, &c.DynamicStorageBuffers} }},
	vulkan.DescriptorTypeUniformTexelBuffer: {name: "UNIFORM_TEXEL_BUFFER", buffer: usageUniformTexel, after: afterNever,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.SampledImages} }},
	vulkan.DescriptorTypeStorageTexelBuffer: {name: "STORAGE_TEXEL_BUFFER", buffer: usageStorageTexel, after: afterNever,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.StorageImages} }},
	vk.DescriptorTypeAccelerationStructure: {name: "ACCELERATION_STRUCTURE_KHR", after: afterNative,
		counts: func(c *vk.DescriptorCounts) []*uint32 { return []*uint32{&c.AccelerationStructures} }},
}

// otherDescriptorTypes are those of Vulkan that nothing here writes.
var otherDescriptorTypes = map[vulkan.DescriptorType]string{
	vulkan.DescriptorTypeInputAttachment: "INPUT_ATTACHMENT", vulkan.DescriptorTypeInlineUniformBlock: "INLINE_UNIFORM_BLOCK",
	1000351000: "MUTABLE_EXT", 1000165000: "ACCELERATION_STRUCTURE_NV",
}

// descriptorTypeName is the type's name in the specification, or its number.
func descriptorTypeName(t vulkan.DescriptorType) string {
	if known, ok := descriptorTypes[t]; ok {
		return known.name
	}
	if name, ok := otherDescriptorTypes[t]; ok {
		return name
	}
	return fmt.Sprintf("descriptor type %d", t)
}

const (
	// maxBinding bounds binding numbers: drivers keep a table up to the largest one.
	maxBinding = 1<<16 - 1
	// knownStages are all stages of graphics, compute and ray tracing; allStages is VK_SHADER_STAGE_ALL.
	knownStages vulkan.ShaderStageFlags = 0x3FFF
	allStages   vulkan.ShaderStageFlags = 0x7FFFFFFF
	knownFlags                          = vk.BindingUpdateAfterBind | vk.BindingUpdateUnusedWhilePending |
		vk.BindingPartiallyBound | vk.BindingVariableCount
)

// checkBinding judges one binding of a layout.
func (d *Device) checkBinding(b vk.DescriptorBinding) error {
	t, ok := descriptorTypes[b.Type]
	switch {
	case !ok && otherDescriptorTypes[b.Type] != "":
		return lacking("binding %d: no Write method for type %s", b.Binding, descriptorTypeName(b.Type))
	case !ok:
		return invalid("binding %d: descriptor type %d is unknown", b.Binding, b.Type)
	case b.Binding > maxBinding:
		return invalid("binding %d is more than %d", b.Binding, maxBinding)
	case b.Stages&^knownStages != 0 && b.Stages != allStages:
		return invalid("binding %d: Stages holds unknown bits %#x", b.Binding, uint32(b.Stages&^knownStages))
	case b.Flags&^knownFlags != 0:
		return invalid("binding %d: Flags holds unknown bits %#x", b.Binding, b.Flags&^knownFlags)
	case b.Flags&vk.BindingVariableCount != 0 && isDynamic(b.Type):
		return invalid("binding %d: a variable count of dynamic buffers", b.Binding)
	}
	f := d.device.Features()
	if b.Flags&vk.BindingVariableCount != 0 && !f.VariableDescriptorCount {
		return lacking("binding %d: descriptorBindingVariableDescriptorCount", b.Binding)
	}
	if b.Flags&vk.BindingUpdateAfterBind != 0 {
		after := t.after
		if b.Type == vk.DescriptorTypeAccelerationStructure && d.Backend() == BackendCompute {
			after = afterStorage
		}
		if !after.has(f) {
			return lacking("binding %d: %s", b.Binding, after.name)
		}
	}
	if b.Flags&vk.BindingPartiallyBound != 0 && !f.PartiallyBound {
		return lacking("binding %d: descriptorBindingPartiallyBound", b.Binding)
	}
	return nil
}

// checkCounts holds a layout's descriptors against the limits of one pipeline layout.
func (d *Device) checkDescriptorCounts(bindings []vk.DescriptorBinding) error {
	limits := d.device.Physical().Limits
	most, have := limits.MaxSet, vk.DescriptorCounts{}
	for _, b := range bindings {
		if b.Flags&vk.BindingUpdateAfterBind != 0 {
			most = limits.MaxSetUpdateAfterBind
		}
	}
	for _, b := range bindings {
		counts := descriptorTypes[b.Type].counts
		if b.Type == vk.DescriptorTypeAccelerationStructure && d.Backend() == BackendCompute {
			counts = descriptorTypes[vulkan.DescriptorTypeStorageBuffer].counts
		}
		limit := counts(&most)
		for i, n := range counts(&have) {
			if b.Count > *limit[i]-*n {
				return invalid("binding %d has %d descriptors of type %s; a pipeline may have %d in all", b.Binding, b.Count,
					descriptorTypeName(b.Type), *limit[i])
			}
			*n += b.Count
		}
	}
	return nil
}
