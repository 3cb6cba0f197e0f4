package vk

// #include "evk.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/rt"
)

// needNative refuses what only the driver's ray tracing can do.
func (d *Device) needNative(what string) error {
	if !d.native {
		return fmt.Errorf("%s: %w: the device was opened without DeviceOptions.Native", what, ErrMissingExtension)
	}
	return nil
}

// RayTracingPipelineOptions says what NewRayTracingPipeline makes.
type RayTracingPipelineOptions struct {
	Name              string
	Layout            *PipelineLayout
	Stages            []rt.Stage
	Groups            []rt.Group // what a kind of group does not have is not looked at
	MaxRecursionDepth uint32
	// DynamicStackSize makes CommandBuffer.SetStackSize necessary before every trace.
	DynamicStackSize bool
	// Flags are VkPipelineCreateFlagBits of ray tracing: the Pipeline... constants.
	Flags uint32
	// Libraries are pipelines made with PipelineLibrary in Flags; their groups come behind Groups.
	Libraries []*Pipeline
	// MaxPayloadBytes and MaxAttributeBytes are the interface between libraries; both are needed with either of them, and must
	// be the same in all that are linked together.
	MaxPayloadBytes, MaxAttributeBytes uint32
	// Cache, if not nil, is asked for the compiled code and receives it.
	Cache *PipelineCache
	// Statistics keeps what the driver tells about the compiled code, for Pipeline.Statistics.
	Statistics bool
}

// VkPipelineCreateFlagBits of ray tracing. The two that skip need the feature rayTraversalPrimitiveCulling.
const (
	pipelineCaptureStatistics  = 0x40
	PipelineLibrary            = 0x800
	PipelineSkipTriangles      = 0x1000
	PipelineSkipAABBs          = 0x2000
	PipelineNoNullAnyHit       = 0x4000
	PipelineNoNullClosestHit   = 0x8000
	PipelineNoNullMiss         = 0x10000
	PipelineNoNullIntersection = 0x20000
)

// stagePack holds the stages' variable parts one after the other, as C wants them.
type stagePack struct {
	stages    []C.evk_stage
	words     []uint32
	entries   []byte
	constants []C.evk_constant
	data      []byte
}

func (p *stagePack) add(s rt.Stage) {
	c := C.evk_stage{stage: C.uint32_t(s.Kind.Bit()), words: C.uint32_t(len(s.Code)), entry: C.uint32_t(len(p.entries)),
		first_constant: C.uint32_t(len(p.constants)),
		constant_count: C.uint32_t(len(s.Specialization)), data: C.uint32_t(len(p.data)), code: C.uint64_t(len(p.words))}
	start := len(p.data)
	for _, id := range slices.Sorted(maps.Keys(s.Specialization)) {
		v := s.Specialization[id]
		p.constants = append(p.constants, C.evk_constant{C.uint32_t(id), C.uint32_t(len(p.data) - start), C.uint32_t(len(v))})
		p.data = append(p.data, v...)
	}
	c.data_size = C.uint32_t(len(p.data) - start)
	p.words = append(p.words, s.Code...)
	p.entries = append(append(p.entries, entryName(s.Entry)...), 0)
	p.stages = append(p.stages, c)
}

// NewRayTracingPipelineContext is NewRayTracingPipeline as NewComputePipelineContext is NewComputePipeline.
func (d *Device) NewRayTracingPipelineContext(ctx context.Context, o RayTracingPipelineOptions) (*Pipeline, error) {
	p, err := inBackground(ctx, d, func() (*Pipeline, error) { return d.NewRayTracingPipeline(o) })
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("ray tracing pipeline %q: %w", o.Name, err)
	}
	return p, err
}

// NewRayTracingPipeline compiles a pipeline of the driver's own ray tracing.
func (d *Device) NewRayTracingPipeline(o RayTracingPipelineOptions) (*Pipeline, error) {
	fail := func(err error) error { return fmt.Errorf("ray tracing pipeline %q: %w", o.Name, err) }
	if err := d.needNative("native"); err != nil {
		return nil, fail(err)
	}
	if (len(o.Stages) == 0 || len(o.Groups) == 0) && len(o.Libraries) == 0 || o.Layout == nil {
		return nil, fail(fmt.Errorf("%w: it needs stages, groups and a layout", ErrInvalid))
	}
	if most := d.physical.RT.MaxRayRecursionDepth; o.MaxRecursionDepth > most {
		return nil, fail(fmt.Errorf("%w: recursion depth %d, the device has %d", ErrInvalid, o.MaxRecursionDepth, most))
	}
	var pack stagePack
	for i, s := range o.Stages {
		if len(s.Code) < 5 || s.Code[0] != 0x07230203 {
			return nil, fail(fmt.Errorf("stage %d (%s): %w: the code is not SPIR-V", i, s.Name, ErrInvalid))
		}
		if !s.Kind.Valid() {
			return nil, fail(fmt.Errorf("stage %d (%s): %w: %v is unknown", i, s.Name, ErrInvalid, s.Kind))
		}
		pack.add(s)
	}
	pack.data = append(pack.data, 0) // so that its address exists
	groups, err := d.packGroups(o)
	if err != nil {
		return nil, fail(err)
	}
	linked := C.evk_libraries{max_payload: C.uint32_t(o.MaxPayloadBytes), max_attribute: C.uint32_t(o.MaxAttributeBytes),
		count: C.uint32_t(len(o.Libraries))}
	if len(o.Libraries) > len(linked.list) {
		return nil, fail(fmt.Errorf("%w: %d libraries, at most %d", ErrInvalid, len(o.Libraries), len(linked.list)))
	}
	total := uint32(len(o.Groups))
	for i, y := range o.Libraries {
		linked.list[i] = raw(y.handle)
		total += y.groups
	}
	stats := o.Statistics && d.enabled.PipelineExecutableInfo
	if stats {
		o.Flags |= pipelineCaptureStatistics
	}
	var h C.evk_handle
	err = listen(func() error {
		h = C.evk_create_ray_tracing_pipeline(d.c, first(pack.stages), C.uint32_t(len(pack.stages)), (*C.uint32_t)(first(pack.words)),
			(*C.char)(unsafe.Pointer(first(pack.entries))),
			first(pack.constants), (*C.uint8_t)(&pack.data[0]), first(groups), C.uint32_t(len(o.Groups)), C.uint32_t(o.MaxRecursionDepth),
			raw(o.Layout.handle), cbool(o.DynamicStackSize), C.uint32_t(o.Flags), &linked, o.Cache.raw())
		return check("vkCreateRayTracingPipelinesKHR", h.result)
	})
	if err != nil {
		return nil, fail(err)
	}
	p := &Pipeline{d: d, handle: fromRaw[vulkan.Pipeline](h.handle), name: o.Name, groups: total, stats: stats}
	d.born(p, "pipeline", o.Name, objectPipeline, h.handle)
	return p, nil
}

// packGroups lays the groups out for C, and refuses what drivers crash on.
func (d *Device) packGroups(o RayTracingPipelineOptions) ([]C.uint32_t, error) {
	var out []C.uint32_t
	for i, g := range o.Groups {
		list := [4]int{g.General, g.ClosestHit, g.AnyHit, g.Intersection}
		switch g.Kind {
		case rt.General:
			list[1], list[2], list[3] = rt.Unused, rt.Unused, rt.Unused
		case rt.TrianglesHit:
			list[0], list[3] = rt.Unused, rt.Unused
		case rt.ProceduralHit:
			list[0] = rt.Unused
		default:
			return nil, fmt.Errorf("group %d: %w: type %d", i, ErrInvalid, g.Kind)
		}
		if g.Kind == rt.TrianglesHit && g.ClosestHit < 0 && g.AnyHit < 0 && d.physical.DriverID == DriverLavapipe {
			return nil, fmt.Errorf("group %d: %w: lavapipe crashes on a triangle hit group without shaders (give it a closest-hit shader "+
				"that does nothing)", i, ErrInvalid)
		}
		out = append(out, C.uint32_t(g.Kind))
		for _, s := range list {
			switch {
			case s >= len(o.Stages):
				return nil, fmt.Errorf("group %d: %w: stage %d of %d", i, ErrInvalid, s, len(o.Stages))
			case s < 0:
				out = append(out, C.VK_SHADER_UNUSED_KHR)
			default:
				out = append(out, C.uint32_t(s))
			}
		}
	}
	return out, nil
}

// GroupHandles returns the handles of count groups from first on, ShaderGroupHandleSize bytes each.
func (p *Pipeline) GroupHandles(first, count uint32) ([]byte, error) {
	if count == 0 || first > p.groups || count > p.groups-first {
		return nil, fmt.Errorf("pipeline %q: %w: groups [%d, %d) of %d", p.name, ErrInvalid, first, first+count, p.groups)
	}
	out := make([]byte, count*p.d.physical.RT.ShaderGroupHandleSize)
	err := check("vkGetRayTracingShaderGroupHandlesKHR",
		C.evk_group_handles(p.d.c, raw(p.handle), C.uint32_t(first), C.uint32_t(count), C.size_t(len(out)), unsafe.Pointer(&out[0])))
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	return out, nil
}

// GroupShader says which shader of a group StackSize asks about (VkShaderGroupShaderKHR).
type GroupShader uint32

// Values of GroupShader.
const (
	GroupGeneral      GroupShader = 0
	GroupClosestHit   GroupShader = 1
	GroupAnyHit       GroupShader = 2
	GroupIntersection GroupShader = 3
)

// StackSize is the stack that one shader of a group needs, in bytes. The group must have that shader.
func (p *Pipeline) StackSize(group uint32, s GroupShader) (uint64, error) {
	if group >= p.groups {
		return 0, fmt.Errorf("pipeline %q: %w: group %d of %d", p.name, ErrInvalid, group, p.groups)
	}
	return uint64(C.evk_group_stack(p.d.c, raw(p.handle), C.uint32_t(group), C.uint32_t(s))), nil
}

// BindRayTracingPipeline binds p.
func (cb *CommandBuffer) BindRayTracingPipeline(p *Pipeline) {
	C.evk_bind_pipeline(cb.d.c, raw(cb.handle), C.VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, raw(p.handle))
}

// SetStackSize sets the stack of a pipeline made with DynamicStackSize.
func (cb *CommandBuffer) SetStackSize(bytes uint32) {
	if err := cb.d.needNative("set stack size"); err != nil {
		cb.Fail(err)
		return
	}
	C.evk_stack_size(cb.d.c, raw(cb.handle), C.uint32_t(bytes))
}

func regions(list ...StridedRegion) [4]C.VkStridedDeviceAddressRegionKHR {
	var out [4]C.VkStridedDeviceAddressRegionKHR
	for i, r := range list {
		out[i] = C.VkStridedDeviceAddressRegionKHR{deviceAddress: C.VkDeviceAddress(r.Address), stride: C.VkDeviceSize(r.Stride),
			size: C.VkDeviceSize(r.Size)}
	}
	return out
}

// TraceRays launches the bound ray tracing pipeline.
func (cb *CommandBuffer) TraceRays(raygen, miss, hit, callable StridedRegion, w, h, depth uint32) {
	if err := cb.d.needNative("trace rays"); err != nil {
		cb.Fail(err)
		return
	}
	r := regions(raygen, miss, hit, callable)
	C.evk_trace_rays(cb.d.c, raw(cb.handle), &r[0], C.uint32_t(w), C.uint32_t(h), C.uint32_t(depth))
}

// TraceRaysIndirect reads width, height and depth from device memory; it needs Features.TraceRaysIndirect.
func (cb *CommandBuffer) TraceRaysIndirect(raygen, miss, hit, callable StridedRegion, counts DeviceAddress) {
	if !cb.d.enabled.TraceRaysIndirect {
		cb.Fail(fmt.Errorf("trace rays: %w: indirect counts", ErrMissingFeature))
		return
	}
	r := regions(raygen, miss, hit, callable)
	C.evk_trace_rays_indirect(cb.d.c, raw(cb.handle), &r[0], C.uint64_t(counts))
}

// TraceRaysIndirect2 reads the tables, too: a VkTraceRaysIndirectCommand2KHR in device memory. It needs
// Features.TraceRaysIndirect2.
func (cb *CommandBuffer) TraceRaysIndirect2(command DeviceAddress) {
	if !cb.d.enabled.TraceRaysIndirect2 || cb.d.c.CmdTraceRaysIndirect2KHR == nil {
		cb.Fail(fmt.Errorf("trace rays: %w: indirect tables", ErrMissingFeature))
		return
	}
	C.evk_trace_rays_indirect2(cb.d.c, raw(cb.handle), C.uint64_t(command))
}
