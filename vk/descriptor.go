package vk

// #include "evk.h"
import "C"

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// Values that the binding's headers lack.
const (
	DescriptorTypeAccelerationStructure vulkan.DescriptorType = 1000150000

	StageRaygen       vulkan.ShaderStageFlags = 0x100
	StageAnyHit       vulkan.ShaderStageFlags = 0x200
	StageClosestHit   vulkan.ShaderStageFlags = 0x400
	StageMiss         vulkan.ShaderStageFlags = 0x800
	StageIntersection vulkan.ShaderStageFlags = 0x1000
	StageCallable     vulkan.ShaderStageFlags = 0x2000
	StageCompute      vulkan.ShaderStageFlags = 0x20

	BindPointRayTracing vulkan.PipelineBindPoint = 1000165000
)

// Flags of a DescriptorBinding (VkDescriptorBindingFlagBits).
const (
	BindingUpdateAfterBind          uint32 = 1
	BindingUpdateUnusedWhilePending uint32 = 2
	BindingPartiallyBound           uint32 = 4
	BindingVariableCount            uint32 = 8
)

// DescriptorBinding is a VkDescriptorSetLayoutBinding.
type DescriptorBinding struct {
	Binding uint32
	Type    vulkan.DescriptorType
	Count   uint32 // 0 = 1
	Stages  vulkan.ShaderStageFlags
	Flags   uint32 // Binding...
}

// DescriptorSetLayout is a VkDescriptorSetLayout.
type DescriptorSetLayout struct {
	life
	d        *Device
	handle   vulkan.DescriptorSetLayout
	name     string
	bindings []DescriptorBinding
	update   bool // some binding is BindingUpdateAfterBind
}

// NewDescriptorSetLayout makes a layout.
func (d *Device) NewDescriptorSetLayout(name string, bindings []DescriptorBinding) (*DescriptorSetLayout, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("set layout %q: %w", name, err)
	}
	l := &DescriptorSetLayout{d: d, name: name}
	list := make([]C.evk_binding, 0, len(bindings))
	for _, b := range bindings {
		b.Count = max(b.Count, 1)
		if b.Type == DescriptorTypeAccelerationStructure && !d.native {
			return nil, fmt.Errorf("set layout %q: binding %d: %w: acceleration structures need DeviceOptions.Native", name, b.Binding,
				ErrMissingExtension)
		}
		l.bindings = append(l.bindings, b)
		l.update = l.update || b.Flags&BindingUpdateAfterBind != 0
		list = append(list, C.evk_binding{C.uint32_t(b.Binding), C.uint32_t(b.Type), C.uint32_t(b.Count), C.uint32_t(b.Stages),
			C.uint32_t(b.Flags)})
	}
	var flags C.uint32_t
	if l.update {
		flags = C.VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT
	}
	h := C.evk_create_set_layout(d.c, first(list), C.uint32_t(len(list)), flags)
	if err := check("vkCreateDescriptorSetLayout", h.result); err != nil {
		return nil, fmt.Errorf("set layout %q: %w", name, err)
	}
	l.handle = fromRaw[vulkan.DescriptorSetLayout](h.handle)
	d.born(l, "descriptor set layout", name, objectSetLayout, h.handle)
	return l, nil
}

// Handle is the VkDescriptorSetLayout.
func (l *DescriptorSetLayout) Handle() vulkan.DescriptorSetLayout { return l.handle }

// Bindings as given, counts filled in. Read-only.
func (l *DescriptorSetLayout) Bindings() []DescriptorBinding { return l.bindings }

// Name as given.
func (l *DescriptorSetLayout) Name() string { return l.name }

// Destroy frees the layout; sets made with it live on.
func (l *DescriptorSetLayout) Destroy() {
	if l != nil && l.d.dies(l) {
		l.d.destroyLater(C.VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, raw(l.handle))
	}
}

// DescriptorSet is a VkDescriptorSet in a pool of its own.
type DescriptorSet struct {
	life
	d      *Device
	pool   vulkan.DescriptorPool
	handle vulkan.DescriptorSet
	layout *DescriptorSetLayout
}

// NewDescriptorSet makes a set whose descriptors are undefined. A binding of variable count has the layout's.
func (d *Device) NewDescriptorSet(l *DescriptorSetLayout) (*DescriptorSet, error) {
	n := uint32(0)
	for _, b := range l.bindings {
		if b.Flags&BindingVariableCount != 0 {
			n = b.Count
		}
	}
	return d.NewVariableDescriptorSet(l, n)
}

// NewVariableDescriptorSet makes a set whose binding of variable count has so many descriptors.
func (d *Device) NewVariableDescriptorSet(l *DescriptorSetLayout, variable uint32) (*DescriptorSet, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("descriptor set of %q: %w", l.name, err)
	}
	counts, isVariable := map[vulkan.DescriptorType]uint32{}, C.int(0)
	for _, b := range l.bindings {
		if b.Flags&BindingVariableCount != 0 {
			b.Count, isVariable = variable, 1
		}
		counts[b.Type] += b.Count
	}
	sizes := make([]C.evk_pool_size, 0, len(counts)+1)
	for t, n := range counts {
		if n == 0 {
			continue
		}
		sizes = append(sizes, C.evk_pool_size{C.uint32_t(t), C.uint32_t(n)})
	}
	if len(sizes) == 0 {
		sizes = append(sizes, C.evk_pool_size{C.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1})
	}
	var flags C.uint32_t
	if l.update {
		flags = C.VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT
	}
	p := C.evk_create_descriptor_pool(d.c, first(sizes), C.uint32_t(len(sizes)), flags)
	if err := check("vkCreateDescriptorPool", p.result); err != nil {
		return nil, fmt.Errorf("descriptor set of %q: %w", l.name, err)
	}
	s := &DescriptorSet{d: d, pool: fromRaw[vulkan.DescriptorPool](p.handle), layout: l}
	h := C.evk_allocate_set(d.c, p.handle, raw(l.handle), isVariable, C.uint32_t(variable))
	if err := check("vkAllocateDescriptorSets", h.result); err != nil {
		d.destroy(C.VK_OBJECT_TYPE_DESCRIPTOR_POOL, raw(s.pool))
		return nil, fmt.Errorf("descriptor set of %q: %w", l.name, err)
	}
	s.handle = fromRaw[vulkan.DescriptorSet](h.handle)
	d.born(s, "descriptor set", l.name, objectSet, h.handle)
	d.name(objectPool, p.handle, l.name)
	return s, nil
}

// Handle is the VkDescriptorSet.
func (s *DescriptorSet) Handle() vulkan.DescriptorSet { return s.handle }

// Layout the set was made with.
func (s *DescriptorSet) Layout() *DescriptorSetLayout { return s.layout }

// WriteBuffer sets a buffer descriptor; rng 0 means the rest of the buffer.
func (s *DescriptorSet) WriteBuffer(binding, index uint32, t vulkan.DescriptorType, b *Buffer, off, rng uint64) {
	if rng == 0 {
		rng = b.size - min(off, b.size)
	}
	C.evk_write_buffer(s.d.c, raw(s.handle), C.uint32_t(binding), C.uint32_t(index), C.uint32_t(t), raw(b.handle), C.uint64_t(off),
		C.uint64_t(rng))
}

// WriteImage sets an image, sampler or combined descriptor; what the type does not need may be null.
func (s *DescriptorSet) WriteImage(binding, index uint32, t vulkan.DescriptorType, view vulkan.ImageView, sampler vulkan.Sampler,
	layout vulkan.ImageLayout) {
	C.evk_write_image(s.d.c, raw(s.handle), C.uint32_t(binding), C.uint32_t(index), C.uint32_t(t), raw(view), raw(sampler),
		C.uint32_t(layout))
}

// WriteTexelBuffer sets a texel buffer descriptor.
func (s *DescriptorSet) WriteTexelBuffer(binding, index uint32, t vulkan.DescriptorType, v *BufferView) {
	C.evk_write_texel(s.d.c, raw(s.handle), C.uint32_t(binding), C.uint32_t(index), C.uint32_t(t), raw(v.handle))
}

// WriteAccelerationStructure sets a native acceleration structure.
func (s *DescriptorSet) WriteAccelerationStructure(binding, index uint32, a AccelerationStructureHandle) {
	C.evk_write_accel(s.d.c, raw(s.handle), C.uint32_t(binding), C.uint32_t(index), C.uint64_t(a))
}

// Destroy frees the set and its pool.
func (s *DescriptorSet) Destroy() {
	if s != nil && s.d.dies(s) {
		s.d.destroyLater(C.VK_OBJECT_TYPE_DESCRIPTOR_POOL, raw(s.pool))
	}
}
