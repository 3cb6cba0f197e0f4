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
// may be 0, which means 1. Binding numbers go up to 65,535.
func (d *Device) NewDescriptorSetLayout(name string, bindings []vk.DescriptorBinding) (*DescriptorSetLayout, error) {
	fail := func(err error) (*DescriptorSetLayout, error) {
		return nil, fmt.Errorf("descriptor set layout %q: %w", name, err)
	}
	if err := d.enter(); err != nil {
		return fail(err)
	}
	defer d.leave()
	l := &DescriptorSetLayout{name: name, device: d, bindings: make(map[uint32]vk.DescriptorBinding, len(bindings))}
	filled, translated := make([]vk.DescriptorBinding, len(bindings)), make([]vk.DescriptorBinding, len(bindings))
	for i, b := range bindings {
		if _, ok := l.bindings[b.Binding]; ok {
			return fail(invalid("binding %d is there twice", b.Binding))
		}
		if err := d.checkBinding(b); err != nil {
			return fail(err)
		}
		b.Count = max(b.Count, 1)
		if b.Stages == 0 {
			b.Stages = driver.RayTracingStages | vk.StageCompute
		}
		l.bindings[b.Binding] = b
		filled[i], translated[i] = b, d.driver.DescriptorBinding(b)
	}
	if err := d.checkDescriptorCounts(filled); err != nil {
		return fail(err)
	}
	if err := checkVariable(filled); err != nil {
		return fail(err)
	}
	var err error
	if l.impl, err = d.device.NewDescriptorSetLayout(name, translated); err != nil {
		return fail(err)
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
// Their first error is kept: Err returns it, and so does every command that uses the set.
//
// What is written must live when a command that uses it is recorded. Such a command also refuses sets whose descriptors, of
// those that the pipeline's shaders use, were not written, or hold a buffer smaller than the shader's block; bindings that are
// partially bound or updated after they were bound are not looked at.
type DescriptorSet struct {
	layout  *DescriptorSetLayout
	impl    *vk.DescriptorSet
	err     error
	written map[uint32][]descriptor // by binding, up to the last index that was written
	counts  map[uint32]uint32       // of bindings with another count than the layout's
}

// descriptor is what was written: one or two of the four, or with null the structure that no ray hits.
type descriptor struct {
	buffer    *vk.Buffer
	size      uint64 // of buffer, from its offset on
	offset    uint64
	texels    *vk.BufferView // of buffer
	image     *vk.Image
	sampler   *vk.Sampler
	structure *AccelerationStructure
	impl      driver.AccelerationStructure // that of structure then
	foreign   bool                         // a handle of the application's, of which nothing is known
	null      bool
}

// NewDescriptorSet allocates a set. A binding of variable count has the layout's.
func (d *Device) NewDescriptorSet(l *DescriptorSetLayout) (*DescriptorSet, error) {
	return d.newDescriptorSet(l, nil)
}

func (d *Device) newDescriptorSet(l *DescriptorSetLayout, variable *uint32) (*DescriptorSet, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("descriptor set: %w", err)
	}
	defer d.leave()
	if err := l.check(d, "the layout"); err != nil {
		return nil, fmt.Errorf("descriptor set: %w", err)
	}
	s := &DescriptorSet{layout: l, written: map[uint32][]descriptor{}, counts: map[uint32]uint32{}}
	most := uint32(0)
	for _, b := range l.bindings {
		if b.Flags&vk.BindingVariableCount != 0 {
			most = b.Count
			if variable != nil {
				s.counts[b.Binding] = *variable
			}
		}
	}
	if variable != nil && (most == 0 || *variable > most) {
		return nil, fmt.Errorf("descriptor set of layout %q: %w", l.name,
			invalid("a variable count of %d, the layout has %d at most (vk.BindingVariableCount)", *variable, most))
	}
	if variable == nil {
		variable = &most
	}
	var err error
	if s.impl, err = d.device.NewVariableDescriptorSet(l.impl, *variable); err != nil {
		return nil, fmt.Errorf("descriptor set of layout %q: %w", l.name, err)
	}
	return s, nil
}

// WriteBuffer binds rng bytes of b from off on; rng 0 is all that follows. Dynamic buffers move by the offsets of each command,
// which
// must leave rng bytes. The buffer was made with the usage that the binding's
// type needs, and off is a multiple of the device's alignment for it (vk.Limits: MinStorageBufferOffsetAlignment,
// MinUniformBufferOffsetAlignment).
func (s *DescriptorSet) WriteBuffer(binding, index uint32, b *vk.Buffer, off, rng uint64) {
	t, ok := s.check("WriteBuffer", binding, index, vulkan.DescriptorTypeStorageBuffer, vulkan.DescriptorTypeUniformBuffer,
		vulkan.DescriptorTypeStorageBufferDynamic, vulkan.DescriptorTypeUniformBufferDynamic)
	if !ok {
		return
	}
	rng, err := s.layout.device.checkBufferRange(t, b, off, rng)
	if err != nil {
		s.fail("WriteBuffer", binding, err)
		return
	}
	s.impl.WriteBuffer(binding, index, t, b, off, rng)
	s.wrote(binding, index, descriptor{buffer: b, offset: off, size: rng})
}

// checkBufferRange judges what WriteBuffer was given, and fills in the size.
func (d *Device) checkBufferRange(t vulkan.DescriptorType, b *vk.Buffer, off, rng uint64) (uint64, error) {
	if err := d.checkBuffer("the buffer", b, descriptorTypes[t].buffer); err != nil {
		return 0, err
	}
	if rng == 0 && off < b.Size() {
		rng = b.Size() - off
	}
	if rng == 0 || off > b.Size() || rng > b.Size()-off {
		return 0, invalid("bytes %d+%d of buffer %q, which has %d", off, rng, b.Name(), b.Size())
	}
	limits := d.device.Physical().Limits
	alignment, most := limits.MinStorageBufferOffsetAlignment, limits.MaxStorageBufferRange
	if descriptorTypes[t].buffer == usageUniform {
		alignment, most = limits.MinUniformBufferOffsetAlignment, limits.MaxUniformBufferRange
	}
	if alignment > 0 && off%alignment != 0 {
		return 0, invalid("offset %d into buffer %q is not a multiple of %d", off, b.Name(), alignment)
	}
	if rng > uint64(most) {
		return 0, invalid("%d bytes of buffer %q, a descriptor of type %s has %d at most", rng, b.Name(), descriptorTypeName(t),
			most)
	}
	return rng, nil
}

// WriteImage binds an image, a sampler, or both, as the binding's type wants; what it does not want is not looked at and may be
// nil. The image was made with the usage that the type needs, and is in layout when shaders use it: storage images in GENERAL.
func (s *DescriptorSet) WriteImage(binding, index uint32, image *vk.Image, sampler *vk.Sampler, layout vulkan.ImageLayout) {
	t, ok := s.check("WriteImage", binding, index, imageTypes...)
	if !ok {
		return
	}
	d := descriptor{image: image, sampler: sampler}
	if descriptorTypes[t].image == 0 {
		d.image, layout = nil, vulkan.ImageLayoutUndefined
	}
	if t != vulkan.DescriptorTypeSampler && t != vulkan.DescriptorTypeCombinedImageSampler {
		d.sampler = nil
	}
	if err := s.layout.device.checkImage(t, d, layout); err != nil {
		s.fail("WriteImage", binding, err)
		return
	}
	view, handle := vulkan.NullImageView, vulkan.NullSampler
	if d.image != nil {
		view = d.image.View()
	}
	if d.sampler != nil {
		handle = d.sampler.Handle()
	}
	s.impl.WriteImage(binding, index, t, view, handle, layout)
	s.wrote(binding, index, d)
}

// imageTypes are the types that images and samplers are written to.
var imageTypes = []vulkan.DescriptorType{vulkan.DescriptorTypeStorageImage, vulkan.DescriptorTypeSampledImage,
	vulkan.DescriptorTypeCombinedImageSampler, vulkan.DescriptorTypeSampler}

// checkImage judges what WriteImage was given, less what the type does not want.
func (d *Device) checkImage(t vulkan.DescriptorType, x descriptor, layout vulkan.ImageLayout) error {
	need := descriptorTypes[t]
	wantsSampler := t == vulkan.DescriptorTypeSampler || t == vulkan.DescriptorTypeCombinedImageSampler
	switch {
	case need.image != 0 && x.image == nil:
		return invalid("the image is nil, type %s needs one", need.name)
	case wantsSampler && x.sampler == nil:
		return invalid("the sampler is nil, type %s needs one", need.name)
	}
	if x.sampler != nil {
		if err := d.device.Owns(x.sampler); err != nil {
			return fmt.Errorf("the sampler: %w", err)
		}
	}
	if x.image == nil {
		return nil
	}
	if err := d.device.Owns(x.image); err != nil {
		return fmt.Errorf("the image: %w", err)
	}
	if uint32(x.image.Options().Usage)&need.image == 0 {
		return invalid("image %q was made without the usage that type %s needs (vk.ImageOptions.Usage)", x.image.Name(), need.name)
	}
	if need.image == imageStorage && layout != vulkan.ImageLayoutGeneral {
		return invalid("layout %d of image %q: storage images are used in GENERAL", layout, x.image.Name())
	}
	if layout == vulkan.ImageLayoutUndefined || layout == vulkan.ImageLayoutPreinitialized {
		return invalid("layout %d of image %q is none that shaders read", layout, x.image.Name())
	}
	return nil
}

// WriteImageView is WriteImage with views and samplers that the program made itself by vulkan-go. What they are made for, and
// whether they live, nobody can tell here: only null handles are refused.
func (s *DescriptorSet) WriteImageView(binding, index uint32, view vulkan.ImageView, sampler vulkan.Sampler,
	layout vulkan.ImageLayout) {
	t, ok := s.check("WriteImageView", binding, index, imageTypes...)
	if !ok {
		return
	}
	wantsSampler := t == vulkan.DescriptorTypeSampler || t == vulkan.DescriptorTypeCombinedImageSampler
	if descriptorTypes[t].image != 0 && view == vulkan.NullImageView || wantsSampler && sampler == vulkan.NullSampler {
		s.fail("WriteImageView", binding, invalid("type %s needs a handle that is null", descriptorTypeName(t)))
		return
	}
	s.impl.WriteImage(binding, index, t, view, sampler, layout)
	s.wrote(binding, index, descriptor{foreign: true})
}

// WriteAccelerationStructure binds a top level structure; nil binds one that no ray hits.
func (s *DescriptorSet) WriteAccelerationStructure(binding, index uint32, as *AccelerationStructure) {
	if _, ok := s.check("WriteAccelerationStructure", binding, index, vk.DescriptorTypeAccelerationStructure); !ok {
		return
	}
	var impl driver.AccelerationStructure
	if as != nil {
		err := as.check(s.layout.device, "the structure")
		if err == nil && as.kind != vk.TopLevel {
			err = invalid("%q is not a top level structure", as.name)
		}
		if err != nil {
			s.fail("WriteAccelerationStructure", binding, err)
			return
		}
		impl = as.impl
	}
	if err := s.layout.device.driver.WriteAccelerationStructure(s.impl, binding, index, impl); err != nil {
		s.fail("WriteAccelerationStructure", binding, err)
		return
	}
	s.wrote(binding, index, descriptor{structure: as, impl: impl, null: as == nil})
}

// check returns the type of a binding, if the set lives and the binding exists and is one of types.
func (s *DescriptorSet) check(method string, binding, index uint32, types ...vulkan.DescriptorType) (vulkan.DescriptorType, bool) {
	fail := func(err error) (vulkan.DescriptorType, bool) {
		s.fail(method, binding, err)
		return 0, false
	}
	if s == nil {
		return 0, false
	}
	if err := s.layout.device.usable(); err != nil {
		return fail(err)
	}
	if s.impl == nil {
		return fail(invalid("the set is destroyed"))
	}
	b, ok := s.layout.bindings[binding]
	if !ok {
		return fail(invalid("the layout has no such binding"))
	}
	count := b.Count
	if n, ok := s.counts[binding]; ok {
		count = n
	}
	if index >= count {
		return fail(invalid("index %d of %d descriptors", index, count))
	}
	for _, t := range types {
		if b.Type == t {
			return t, true
		}
	}
	return fail(invalid("it has type %s in the layout, which %s does not write", descriptorTypeName(b.Type), method))
}

// fail keeps the first error.
func (s *DescriptorSet) fail(method string, binding uint32, err error) {
	if s.err == nil {
		s.err = fmt.Errorf("descriptor set of layout %q: %s: binding %d: %w", s.layout.name, method, binding, err)
	}
}

// wrote remembers a write.
func (s *DescriptorSet) wrote(binding, index uint32, d descriptor) {
	list := s.written[binding]
	for uint32(len(list)) <= index {
		list = append(list, descriptor{})
	}
	list[index] = d
	s.written[binding] = list
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
