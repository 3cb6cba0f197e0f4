package engine

import (
	"errors"
	"fmt"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/fallback/spirv/reflect"
	"github.com/everray/everray/vk"
)

// suits are the descriptor types that a resource of a shader may be bound by, as in the specification's table "Shader Resource
// and Descriptor Type Correspondence".
var suits = map[reflect.Kind][]vulkan.DescriptorType{
	reflect.Sampler:               {vulkan.DescriptorTypeSampler, vulkan.DescriptorTypeCombinedImageSampler},
	reflect.SampledImage:          {vulkan.DescriptorTypeSampledImage, vulkan.DescriptorTypeCombinedImageSampler},
	reflect.StorageImage:          {vulkan.DescriptorTypeStorageImage},
	reflect.CombinedImageSampler:  {vulkan.DescriptorTypeCombinedImageSampler},
	reflect.UniformTexelBuffer:    {vulkan.DescriptorTypeUniformTexelBuffer},
	reflect.StorageTexelBuffer:    {vulkan.DescriptorTypeStorageTexelBuffer},
	reflect.UniformBuffer:         {vulkan.DescriptorTypeUniformBuffer, vulkan.DescriptorTypeUniformBufferDynamic},
	reflect.StorageBuffer:         {vulkan.DescriptorTypeStorageBuffer, vulkan.DescriptorTypeStorageBufferDynamic},
	reflect.InputAttachment:       {vulkan.DescriptorTypeInputAttachment},
	reflect.AccelerationStructure: {vk.DescriptorTypeAccelerationStructure},
}

// use is a descriptor that a shader of a pipeline uses.
type use struct {
	reflect.Binding
	stage string
}

func (u use) String() string {
	return fmt.Sprintf("%v %q (set %d, binding %d of shader %q)", u.Kind, u.Name, u.Set, u.Binding.Binding, u.stage)
}

// program is a shader and what a pipeline gives it.
type program struct {
	name, entry string
	model       spirv.ExecutionModel
	bit         vulkan.ShaderStageFlags
	code        []uint32
	constants   map[uint32][]byte
	layouts     []*DescriptorSetLayout
	push        uint32
}

// modules holds what was read of the modules of one pipeline: shaders of one module often share its memory.
type modules map[*uint32]*reflect.Module

// module reads a module. It is nil where that has instructions that nobody here knows: then there is nothing to judge, and the
// linker or the driver has the last word.
func (y modules) module(code []uint32, backend Backend) (*reflect.Module, error) {
	if m, ok := y[&code[0]]; ok {
		return m, nil
	}
	m, err := reflect.Parse(code)
	if errors.Is(err, spirv.ErrUnknownInstruction) {
		return nil, nil
	}
	if err == nil && backend == BackendNative {
		err = m.Verify() // the linker does it by compute
	}
	if err != nil {
		return nil, driver.Mark(fmt.Errorf("code: %w", err), ErrInvalid)
	}
	y[&code[0]] = m
	return m, nil
}

// checkProgram holds a shader against its pipeline, and returns the descriptors that it uses.
func (d *Device) checkProgram(p program, read modules) ([]use, error) {
	m, err := read.module(p.code, d.Backend())
	if err != nil || m == nil {
		return nil, err
	}
	if err := checkCapabilities(m.Capabilities, d.Backend(), d.device.Features()); err != nil {
		return nil, err
	}
	if p.entry == "" {
		p.entry = "main"
	}
	s, ok := m.Shader(p.model, p.entry, p.constants)
	if !ok {
		return nil, invalid("Entry is %q, the module's entry points of this kind are %q", p.entry, m.EntryPoints(p.model))
	}
	for id, value := range p.constants {
		c, known := m.Constants[id]
		if want := max(c.Bits, 32*flag32(c.Bits == 1)) / 8; known && len(value) != int(want) {
			return nil, invalid("Specialization[%d] has %d bytes, the constant %q takes %d", id, len(value), c.Name, want)
		}
	}
	if s.PushConstants > uint64(p.push) {
		return nil, invalid("PushConstantBytes is %d, the shader's push constants have %d", p.push, s.PushConstants)
	}
	uses := make([]use, 0, len(s.Bindings))
	for _, b := range s.Bindings {
		u := use{b, p.name}
		if err := u.checkLayout(p.layouts, p.bit, d.Backend()); err != nil {
			return nil, err
		}
		uses = append(uses, u)
	}
	return uses, nil
}

// flag32 is 1 for true.
func flag32(b bool) uint32 { return uint32(flag(b)) }

// checkLayout holds a descriptor that a shader uses against the layouts of its pipeline.
func (u use) checkLayout(layouts []*DescriptorSetLayout, stage vulkan.ShaderStageFlags, way Backend) error {
	if int64(u.Set) >= int64(len(layouts)) {
		return invalid("it uses %v, SetLayouts has %d elements", u, len(layouts))
	}
	l := layouts[u.Set]
	b, ok := l.bindings[u.Binding.Binding]
	switch {
	case !ok:
		return invalid("it uses %v, which layout %q does not have", u, l.name)
	case !slices.Contains(suits[u.Kind], b.Type) && !u.readsStructure(b.Type, way):
		return invalid("it uses %v, which is of type %s in layout %q", u, descriptorTypeName(b.Type), l.name)
	case b.Count < u.Count:
		return invalid("it uses %v as an array of %d, layout %q has %d", u, u.Count, l.name, b.Count)
	case b.Stages&stage == 0:
		return invalid("it uses %v, whose Stages in layout %q leave its stage out", u, l.name)
	}
	return nil
}

// readsStructure tells of a shader that reads an acceleration structure as what its descriptor is by compute: a storage buffer
// over the structure (package fallback).
func (u use) readsStructure(t vulkan.DescriptorType, way Backend) bool {
	return way == BackendCompute && t == vk.DescriptorTypeAccelerationStructure &&
		slices.Contains(suits[u.Kind], vulkan.DescriptorTypeStorageBuffer)
}

// check holds a descriptor that a pipeline uses against what was written to a set.
func (s *DescriptorSet) checkUse(u use) error {
	b := s.layout.bindings[u.Binding.Binding]
	if b.Flags&(vk.BindingPartiallyBound|vk.BindingUpdateAfterBind) != 0 {
		return nil // the shader, or a later write, decides what is used
	}
	n := b.Count
	if variable, ok := s.counts[u.Binding.Binding]; ok {
		n = variable
	}
	if u.Count != 0 {
		n = min(n, u.Count)
	}
	written := s.written[u.Binding.Binding]
	for i := range n {
		err := invalid("it was not written")
		if i < uint32(len(written)) {
			err = written[i].check(u)
		}
		if err != nil {
			return fmt.Errorf("descriptor %d of %v: %w", i, u, err)
		}
	}
	return nil
}

// check judges one descriptor that a shader uses.
func (x *descriptor) check(u use) error {
	switch {
	case x.null || x.foreign:
		return nil
	case x.structure != nil:
		if !x.structure.alive() || x.structure.impl != x.impl {
			return invalid("acceleration structure %q was destroyed or compacted since it was written", x.structure.name)
		}
		return nil
	case x.buffer != nil:
		if !x.buffer.Alive() {
			return invalid("buffer %q was destroyed since it was written", x.buffer.Name())
		}
		if x.texels != nil {
			if !x.texels.Alive() {
				return invalid("buffer view %q was destroyed since it was written", x.texels.Name())
			}
			return nil
		}
		if x.size < u.Size {
			return invalid("%d bytes of buffer %q were written, the shader's block has %d", x.size, x.buffer.Name(), u.Size)
		}
		return nil
	case x.image != nil || x.sampler != nil:
		if x.image != nil && !x.image.Alive() {
			return invalid("image %q was destroyed since it was written", x.image.Name())
		}
		if x.sampler != nil && !x.sampler.Alive() {
			return invalid("sampler %q was destroyed since it was written", x.sampler.Name())
		}
		return nil
	}
	return invalid("it was not written")
}

// checkUses holds the sets of a command against what its pipeline's shaders use.
func checkUses(options string, sets []*DescriptorSet, uses []use) error {
	for _, u := range uses {
		if err := sets[u.Set].checkUse(u); err != nil {
			return fmt.Errorf("%s.Sets[%d]: %w", options, u.Set, err)
		}
	}
	return nil
}
