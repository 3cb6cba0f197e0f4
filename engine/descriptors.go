package engine

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// DescriptorSetLayout is a set layout in the terms of the KHR extensions: bindings of type acceleration structure and ray
// tracing stages are written as such, and translated where the way needs it.
type DescriptorSetLayout struct {
	name     string
	device   *Device
	bindings map[uint32]vk.DescriptorBinding
	impl     *vk.DescriptorSetLayout
}

// NewDescriptorSetLayout creates a set layout. Stages may be 0, which means all ray tracing stages and the compute stage, and Count
// may be 0, which means 1.
func (d *Device) NewDescriptorSetLayout(name string, bindings []vk.DescriptorBinding) (*DescriptorSetLayout, error) {
	l := &DescriptorSetLayout{name: name, device: d, bindings: make(map[uint32]vk.DescriptorBinding, len(bindings))}
	translated := make([]vk.DescriptorBinding, len(bindings))
	for i, b := range bindings {
		if _, ok := l.bindings[b.Binding]; ok {
			return nil, fmt.Errorf("descriptor set layout %q: %w", name, invalid("binding %d is there twice", b.Binding))
		}
		b.Count = max(b.Count, 1)
		if b.Stages == 0 {
			b.Stages = driver.RayTracingStages | vk.StageCompute
		}
		l.bindings[b.Binding] = b
		translated[i] = d.driver.DescriptorBinding(b)
	}
	var err error
	if l.impl, err = d.device.NewDescriptorSetLayout(name, translated); err != nil {
		return nil, fmt.Errorf("descriptor set layout %q: %w", name, err)
	}
	return l, nil
}

// VK returns the Vulkan layout, for use in the program's own compute or graphics pipelines.
func (l *DescriptorSetLayout) VK() *vk.DescriptorSetLayout { return l.impl }

// Destroy releases the layout.
func (l *DescriptorSetLayout) Destroy() {
	if l != nil && l.impl != nil {
		l.impl.Destroy()
		l.impl = nil
	}
}

// DescriptorSet is a set of descriptors. Its Write methods must not be called while commands that use the set are pending.
// Their first error is kept: Err returns it, and so does every CmdTraceRays that uses the set.
type DescriptorSet struct {
	layout *DescriptorSetLayout
	impl   *vk.DescriptorSet
	err    error
}

// NewDescriptorSet allocates a set.
func (d *Device) NewDescriptorSet(l *DescriptorSetLayout) (*DescriptorSet, error) {
	if l == nil || l.impl == nil {
		return nil, fmt.Errorf("descriptor set: %w", invalid("the layout is nil or destroyed"))
	}
	impl, err := d.device.NewDescriptorSet(l.impl)
	if err != nil {
		return nil, fmt.Errorf("descriptor set of layout %q: %w", l.name, err)
	}
	return &DescriptorSet{layout: l, impl: impl}, nil
}

// WriteBuffer binds rng bytes of b from off on; rng 0 is all that follows.
func (s *DescriptorSet) WriteBuffer(binding, index uint32, b *vk.Buffer, off, rng uint64) {
	t, ok := s.check("WriteBuffer", binding, index, vulkan.DescriptorTypeStorageBuffer, vulkan.DescriptorTypeUniformBuffer)
	if !ok {
		return
	}
	if b == nil {
		s.fail("WriteBuffer", binding, "the buffer is nil")
		return
	}
	if rng == 0 && off < b.Size() {
		rng = b.Size() - off
	}
	if rng == 0 || off > b.Size() || rng > b.Size()-off {
		s.fail("WriteBuffer", binding, fmt.Sprintf("bytes %d+%d of buffer %q, which has %d", off, rng, b.Name(), b.Size()))
		return
	}
	s.impl.WriteBuffer(binding, index, t, b, off, rng)
}

// WriteImage binds an image view, a sampler, or both, as the binding's type wants; the other may be the null handle.
func (s *DescriptorSet) WriteImage(binding, index uint32, view vulkan.ImageView, sampler vulkan.Sampler, layout vulkan.ImageLayout) {
	t, ok := s.check("WriteImage", binding, index, vulkan.DescriptorTypeStorageImage, vulkan.DescriptorTypeSampledImage,
		vulkan.DescriptorTypeCombinedImageSampler, vulkan.DescriptorTypeSampler)
	if ok {
		s.impl.WriteImage(binding, index, t, view, sampler, layout)
	}
}

// WriteAccelerationStructure binds a top level structure; nil binds one that no ray hits.
func (s *DescriptorSet) WriteAccelerationStructure(binding, index uint32, as *AccelerationStructure) {
	if _, ok := s.check("WriteAccelerationStructure", binding, index, vk.DescriptorTypeAccelerationStructure); !ok {
		return
	}
	var impl driver.AccelerationStructure
	if as != nil {
		if !as.alive() || as.kind != vk.TopLevel {
			s.fail("WriteAccelerationStructure", binding, fmt.Sprintf("%q is destroyed or not a top level structure", as.name))
			return
		}
		impl = as.impl
	}
	if err := s.layout.device.driver.WriteAccelerationStructure(s.impl, binding, index, impl); err != nil && s.err == nil {
		s.err = fmt.Errorf("descriptor set of layout %q: binding %d: %w", s.layout.name, binding, err)
	}
}

// check returns the type of a binding, if it exists and is one of types.
func (s *DescriptorSet) check(method string, binding, index uint32, types ...vulkan.DescriptorType) (vulkan.DescriptorType, bool) {
	b, ok := s.layout.bindings[binding]
	if !ok {
		s.fail(method, binding, "the layout has no such binding")
		return 0, false
	}
	if index >= b.Count {
		s.fail(method, binding, fmt.Sprintf("index %d of %d descriptors", index, b.Count))
		return 0, false
	}
	for _, t := range types {
		if b.Type == t {
			return t, true
		}
	}
	s.fail(method, binding, fmt.Sprintf("the layout's descriptor type %d does not suit", b.Type))
	return 0, false
}

func (s *DescriptorSet) fail(method string, binding uint32, text string) {
	if s.err == nil {
		s.err = fmt.Errorf("descriptor set of layout %q: %s: %w", s.layout.name, method, invalid("binding %d: %s", binding, text))
	}
}

// VK returns the Vulkan set.
func (s *DescriptorSet) VK() *vk.DescriptorSet { return s.impl }

// Err returns the first error of the Write methods.
func (s *DescriptorSet) Err() error { return s.err }

// Destroy releases the set.
func (s *DescriptorSet) Destroy() {
	if s != nil && s.impl != nil {
		s.impl.Destroy()
		s.impl = nil
	}
}
