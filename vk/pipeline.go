package vk

// #include "evk.h"
import "C"

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// PushRange is a VkPushConstantRange.
type PushRange struct {
	Stages       vulkan.ShaderStageFlags
	Offset, Size uint32
}

// PipelineLayout is a VkPipelineLayout.
type PipelineLayout struct {
	d      *Device
	handle vulkan.PipelineLayout
	name   string
}

// NewPipelineLayout makes a layout.
func (d *Device) NewPipelineLayout(name string, sets []*DescriptorSetLayout, push []PushRange) (*PipelineLayout, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("pipeline layout %q: %w", name, err)
	}
	list := make([]C.uint64_t, len(sets))
	for i, s := range sets {
		list[i] = raw(s.handle)
	}
	ranges := make([]C.VkPushConstantRange, len(push))
	for i, r := range push {
		if r.Offset+r.Size > d.physical.Limits.MaxPushConstantsSize {
			return nil, fmt.Errorf("pipeline layout %q: %w: push constants up to byte %d, the device has %d", name, ErrInvalid,
				r.Offset+r.Size, d.physical.Limits.MaxPushConstantsSize)
		}
		ranges[i] = C.VkPushConstantRange{C.VkShaderStageFlags(r.Stages), C.uint32_t(r.Offset), C.uint32_t(r.Size)}
	}
	h := C.evk_create_pipeline_layout(d.c, first(list), C.uint32_t(len(list)), first(ranges), C.uint32_t(len(ranges)))
	if err := check("vkCreatePipelineLayout", h.result); err != nil {
		return nil, fmt.Errorf("pipeline layout %q: %w", name, err)
	}
	l := &PipelineLayout{d: d, handle: fromRaw[vulkan.PipelineLayout](h.handle), name: name}
	d.born(l, "pipeline layout", name, objectLayout, h.handle)
	return l, nil
}

// Handle is the VkPipelineLayout.
func (l *PipelineLayout) Handle() vulkan.PipelineLayout { return l.handle }

// Destroy frees the layout; pipelines made with it live on.
func (l *PipelineLayout) Destroy() {
	if l != nil && l.d.dies(l) {
		l.d.destroyLater(C.VK_OBJECT_TYPE_PIPELINE_LAYOUT, raw(l.handle))
	}
}

// Pipeline is a compute or ray tracing VkPipeline.
type Pipeline struct {
	d      *Device
	handle vulkan.Pipeline
	name   string
	groups uint32 // of a ray tracing pipeline
	stats  bool
}

// ComputePipelineOptions says what NewComputePipeline makes.
type ComputePipelineOptions struct {
	Name           string
	Code           []uint32 // SPIR-V
	Entry          string   // "" = main
	Layout         *PipelineLayout
	Specialization map[uint32]uint32
	// Constants holds the bytes of specialization constants of any size, besides those of Specialization.
	Constants map[uint32][]byte
	// RequiredSubgroupSize, 0 for any; needs Features.SubgroupSizeControl.
	RequiredSubgroupSize uint32
	// Statistics keeps what the driver tells about the compiled code, for Pipeline.Statistics.
	Statistics bool
	// Cache, if not nil, is asked for the compiled code and receives it.
	Cache *PipelineCache
}

// NewComputePipelineContext is NewComputePipeline, but returns when the context ends. The driver cannot be stopped: it goes on in
// the background, what it may use is not freed before it is done, and Device.Destroy waits for it.
func (d *Device) NewComputePipelineContext(ctx context.Context, o ComputePipelineOptions) (*Pipeline, error) {
	p, err := inBackground(ctx, d, func() (*Pipeline, error) { return d.NewComputePipeline(o) })
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("compute pipeline %q: %w", o.Name, err)
	}
	return p, err
}

// NewComputePipeline compiles a compute shader.
func (d *Device) NewComputePipeline(o ComputePipelineOptions) (*Pipeline, error) {
	fail := func(err error) error { return fmt.Errorf("compute pipeline %q: %w", o.Name, err) }
	if err := d.usable(); err != nil {
		return nil, fail(err)
	}
	if len(o.Code) < 5 || o.Code[0] != 0x07230203 {
		return nil, fail(fmt.Errorf("%w: the code is not SPIR-V", ErrInvalid))
	}
	if o.Layout == nil {
		return nil, fail(fmt.Errorf("%w: no layout", ErrInvalid))
	}
	if err := readWorkgroup(&o).fits(&d.physical.Limits); err != nil {
		return nil, fail(err)
	}
	if n := o.RequiredSubgroupSize; n != 0 {
		l := d.physical.Limits
		if !d.enabled.SubgroupSizeControl || n < l.MinSubgroupSize || n > l.MaxSubgroupSize ||
			l.RequiredSubgroupSizeStages&uint32(StageCompute) == 0 {
			return nil, fail(fmt.Errorf("%w: subgroup size %d (the device has %d to %d)", ErrMissingFeature, n, l.MinSubgroupSize,
				l.MaxSubgroupSize))
		}
	}
	entry, free := cstring(entryName(o.Entry))
	defer free()
	var constants []C.evk_constant
	var data []byte
	for _, id := range slices.Sorted(maps.Keys(o.Specialization)) {
		constants = append(constants, C.evk_constant{C.uint32_t(id), C.uint32_t(len(data)), 4})
		data = binary.LittleEndian.AppendUint32(data, o.Specialization[id])
	}
	for _, id := range slices.Sorted(maps.Keys(o.Constants)) {
		constants = append(constants, C.evk_constant{C.uint32_t(id), C.uint32_t(len(data)), C.uint32_t(len(o.Constants[id]))})
		data = append(data, o.Constants[id]...)
	}
	stats := o.Statistics && d.enabled.PipelineExecutableInfo
	var h C.evk_handle
	err := listen(func() error {
		h = C.evk_create_compute_pipeline(d.c, (*C.uint32_t)(&o.Code[0]), C.size_t(len(o.Code)), entry, raw(o.Layout.handle),
			first(constants), C.uint32_t(len(constants)), unsafe.Pointer(first(data)), C.size_t(len(data)),
			C.uint32_t(o.RequiredSubgroupSize), cbool(stats), o.Cache.raw())
		return check("vkCreateComputePipelines", h.result)
	})
	if err != nil {
		return nil, fail(err)
	}
	p := &Pipeline{d: d, handle: fromRaw[vulkan.Pipeline](h.handle), name: o.Name, stats: stats}
	d.born(p, "pipeline", o.Name, objectPipeline, h.handle)
	return p, nil
}

func entryName(s string) string {
	if s == "" {
		return "main"
	}
	return s
}

// Handle is the VkPipeline.
func (p *Pipeline) Handle() vulkan.Pipeline { return p.handle }

// Name as given.
func (p *Pipeline) Name() string { return p.name }

// Destroy frees the pipeline.
func (p *Pipeline) Destroy() {
	if p != nil && p.d.dies(p) {
		p.d.destroyLater(C.VK_OBJECT_TYPE_PIPELINE, raw(p.handle))
	}
}

// Statistic is one number or word of the driver's about a compiled shader.
type Statistic struct {
	Executable, Name, Description, Value string
}

// Statistics of a pipeline made with the option of that name; nil where the driver tells nothing.
func (p *Pipeline) Statistics() ([]Statistic, error) {
	list, err := p.statistics()
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	return list, nil
}

func (p *Pipeline) statistics() ([]Statistic, error) {
	if !p.stats {
		return nil, nil
	}
	var n C.uint32_t
	if err := check("vkGetPipelineExecutablePropertiesKHR", C.evk_executable_count(p.d.c, raw(p.handle), &n, nil)); err != nil ||
		n == 0 {
		return nil, err
	}
	list := make([]C.VkPipelineExecutablePropertiesKHR, n)
	if err := check("vkGetPipelineExecutablePropertiesKHR", C.evk_executable_count(p.d.c, raw(p.handle), &n, &list[0])); err != nil {
		return nil, err
	}
	var out []Statistic
	for i := range list[:n] {
		var m C.uint32_t
		if err := check("vkGetPipelineExecutableStatisticsKHR", C.evk_executable_statistics(p.d.c, raw(p.handle), C.uint32_t(i), &m,
			nil)); err != nil {
			return nil, err
		}
		if m == 0 {
			continue
		}
		stats := make([]C.VkPipelineExecutableStatisticKHR, m)
		if err := check("vkGetPipelineExecutableStatisticsKHR", C.evk_executable_statistics(p.d.c, raw(p.handle), C.uint32_t(i), &m,
			&stats[0])); err != nil {
			return nil, err
		}
		for k := range stats[:m] {
			s := &stats[k]
			out = append(out, Statistic{
				Executable: fixedString(&list[i].name[0], len(list[i].name)), Name: fixedString(&s.name[0], len(s.name)),
				Description: fixedString(&s.description[0], len(s.description)), Value: statisticValue(s),
			})
		}
	}
	return out, nil
}

func statisticValue(s *C.VkPipelineExecutableStatisticKHR) string {
	v := binary.LittleEndian.Uint64(s.value[:])
	switch s.format {
	case C.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
		return fmt.Sprint(uint32(v) != 0)
	case C.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
		return fmt.Sprint(int64(v))
	case C.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
		return fmt.Sprint(*(*float64)(unsafe.Pointer(&v)))
	}
	return fmt.Sprint(v)
}
