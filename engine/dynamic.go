package engine

import (
	"maps"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// implsOf are the sets as vk has them.
func implsOf(sets []*DescriptorSet) []*vk.DescriptorSet {
	list := make([]*vk.DescriptorSet, len(sets))
	for i, s := range sets {
		list[i] = s.impl
	}
	return list
}

// isDynamic tells the types that have an offset in each command.
func isDynamic(t vulkan.DescriptorType) bool {
	return t == vulkan.DescriptorTypeUniformBufferDynamic || t == vulkan.DescriptorTypeStorageBufferDynamic
}

// checkOffsets holds the dynamic offsets of a command against its sets.
func (d *Device) checkOffsets(options string, sets []*DescriptorSet, offsets []uint32) error {
	limits := d.device.Physical().Limits
	next := 0
	for i, s := range sets {
		for _, binding := range slices.Sorted(maps.Keys(s.layout.bindings)) {
			b := s.layout.bindings[binding]
			if !isDynamic(b.Type) {
				continue
			}
			alignment := limits.MinStorageBufferOffsetAlignment
			if b.Type == vulkan.DescriptorTypeUniformBufferDynamic {
				alignment = limits.MinUniformBufferOffsetAlignment
			}
			for k := range b.Count {
				if next >= len(offsets) {
					next++
					continue
				}
				offset := uint64(offsets[next])
				next++
				if alignment > 0 && offset%alignment != 0 {
					return invalid("%s.DynamicOffsets[%d] is %d, not a multiple of %d", options, next-1, offset, alignment)
				}
				if written := s.written[binding]; k < uint32(len(written)) && written[k].buffer != nil {
					if x := written[k]; x.offset+offset > x.buffer.Size() || x.size > x.buffer.Size()-x.offset-offset {
						return invalid("%s.DynamicOffsets[%d] is %d: bytes %d+%d of buffer %q, which has %d (Sets[%d], binding %d)", options,
							next-1, offset, x.offset+offset, x.size, x.buffer.Name(), x.buffer.Size(), i, binding)
					}
				}
			}
		}
	}
	if next != len(offsets) {
		return invalid("%s.DynamicOffsets has %d elements, Sets have %d dynamic buffers", options, len(offsets), next)
	}
	return nil
}

// WriteTexelBuffer binds a buffer as texels. The buffer of the view was made with the usage that the binding's type needs.
func (s *DescriptorSet) WriteTexelBuffer(binding, index uint32, v *vk.BufferView) {
	t, ok := s.check("WriteTexelBuffer", binding, index, vulkan.DescriptorTypeUniformTexelBuffer,
		vulkan.DescriptorTypeStorageTexelBuffer)
	if !ok {
		return
	}
	err := s.layout.device.checkTexels(t, v)
	if err != nil {
		s.fail("WriteTexelBuffer", binding, err)
		return
	}
	s.impl.WriteTexelBuffer(binding, index, t, v)
	s.wrote(binding, index, descriptor{texels: v, buffer: v.Options().Buffer, size: v.Options().Size})
}

// checkTexels judges what WriteTexelBuffer was given.
func (d *Device) checkTexels(t vulkan.DescriptorType, v *vk.BufferView) error {
	if v == nil {
		return invalid("the buffer view is nil")
	}
	if err := d.device.Owns(v); err != nil {
		return err
	}
	return d.checkBuffer("the view's buffer", v.Options().Buffer, descriptorTypes[t].buffer)
}

// NewVariableDescriptorSet allocates a set of a layout whose last binding has a variable count (vk.BindingVariableCount), of so
// many
// descriptors in place of the layout's, which is the most.
func (d *Device) NewVariableDescriptorSet(l *DescriptorSetLayout, count uint32) (*DescriptorSet, error) {
	return d.newDescriptorSet(l, &count)
}

// checkVariable wants a variable count at the largest binding only.
func checkVariable(bindings []vk.DescriptorBinding) error {
	for _, b := range bindings {
		if b.Flags&vk.BindingVariableCount == 0 {
			continue
		}
		for _, other := range bindings {
			if other.Binding > b.Binding {
				return invalid("binding %d has a variable count, and binding %d follows it", b.Binding, other.Binding)
			}
		}
	}
	return nil
}
