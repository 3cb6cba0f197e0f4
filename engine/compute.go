package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/fallback/spirv/printf"
	"github.com/everray/everray/vk"
)

// ComputePipelineOptions describes a compute pipeline, whose shader may use ray queries (GL_EXT_ray_query).
type ComputePipelineOptions struct {
	Name string
	// Code is the SPIR-V of the shader.
	Code []uint32
	// Entry is the entry point; empty is "main".
	Entry string
	// Specialization holds the little endian bytes of specialization constants by their id.
	Specialization map[uint32][]byte
	SetLayouts     []*DescriptorSetLayout
	// PushConstantBytes is the size of the push constants, a multiple of 4 of at most what the device has, on both ways.
	PushConstantBytes uint32
	// AllowClusters lets queries meet bottom levels over clusters. A shader that declares the capability for them
	// (SPV_NV_cluster_acceleration_structure) asks for it by that.
	AllowClusters bool
	// Printer, if not nil, takes what the shader prints with debugPrintfEXT. It must outlive the pipeline.
	Printer *Printer
}

// ComputePipeline is a compiled compute shader.
type ComputePipeline struct {
	name   string
	device *Device
	impl   *vk.Pipeline
	layout *vk.PipelineLayout
	sets   []*DescriptorSetLayout
	push   uint32
	uses   []use
	stats  PipelineStats
}

// NewComputePipeline compiles a compute shader, with ray queries or without. The bindings of its layouts have to be visible to
// vk.StageCompute. The layouts must outlive it.
func (d *Device) NewComputePipeline(ctx context.Context, o ComputePipelineOptions) (*ComputePipeline, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("compute pipeline %q: %w", o.Name, err)
	}
	defer d.leave()
	p, err := d.newComputePipeline(ctx, o)
	if err != nil {
		p.Destroy()
		return nil, fmt.Errorf("compute pipeline %q: %w", o.Name, err)
	}
	return p, nil
}

func (d *Device) newComputePipeline(ctx context.Context, o ComputePipelineOptions) (*ComputePipeline, error) {
	p := &ComputePipeline{name: o.Name, device: d, sets: slices.Clone(o.SetLayouts), push: o.PushConstantBytes}
	if err := o.validate(d, d.device.Physical().Limits); err != nil {
		return p, err
	}
	var err error
	if p.uses, err = o.checkShader(d); err != nil {
		return p, err
	}
	code, err := o.Printer.lower(o.Code, printf.Options{Shader: cmp.Or(o.Name, "compute"), Model: spirv.ExecutionModelGLCompute,
		Entry: o.Entry})
	if err != nil {
		return p, err
	}
	start := time.Now()
	code, dumped, err := d.lowered(ctx, driver.Shader{Name: o.Name, Stage: vk.StageCompute, Code: code, Entry: o.Entry,
		AllowClusters: o.AllowClusters})
	if err != nil {
		return p, err
	}
	if d.info.Backend == BackendCompute {
		p.stats.LinkTime, p.stats.CodeWords = time.Since(start), len(code)
	}
	layouts := make([]*vk.DescriptorSetLayout, len(o.SetLayouts))
	for i, l := range o.SetLayouts {
		layouts[i] = l.impl
	}
	var push []vk.PushRange
	if o.PushConstantBytes > 0 {
		push = []vk.PushRange{{Stages: vk.StageCompute, Size: o.PushConstantBytes}}
	}
	if p.layout, err = d.device.NewPipelineLayout(o.Name, layouts, push); err != nil {
		return p, err
	}
	start = time.Now()
	p.impl, err = d.device.NewComputePipelineContext(ctx, vk.ComputePipelineOptions{
		Name: o.Name, Code: code, Entry: o.Entry, Layout: p.layout, Constants: o.Specialization, Statistics: true,
	})
	if err != nil {
		return p, err
	}
	p.stats.CompileTime = time.Since(start)
	if p.stats.Driver, err = p.impl.Statistics(); err != nil {
		return p, err
	}
	return p, dumpStatistics(dumped, p.stats)
}

func (o *ComputePipelineOptions) validate(d *Device, limits vk.Limits) error {
	s := Stage{Code: o.Code, Specialization: o.Specialization}
	if err := validateStage(&s); err != nil {
		return err
	}
	if o.PushConstantBytes > limits.MaxPushConstantsSize || o.PushConstantBytes%4 != 0 {
		return invalid("PushConstantBytes is %d, want a multiple of 4 of at most %d", o.PushConstantBytes, limits.MaxPushConstantsSize)
	}
	if len(o.SetLayouts) > int(limits.MaxBoundDescriptorSets) {
		return invalid("SetLayouts has %d elements, the device binds %d", len(o.SetLayouts), limits.MaxBoundDescriptorSets)
	}
	for i, l := range o.SetLayouts {
		if err := l.check(d, fmt.Sprintf("SetLayouts[%d]", i)); err != nil {
			return err
		}
	}
	if err := d.checkClusters(o.AllowClusters, "AllowClusters"); err != nil {
		return err
	}
	return o.Printer.check(d)
}

// checkShader holds the shader against its pipeline, and returns the descriptors that it uses.
func (o *ComputePipelineOptions) checkShader(d *Device) ([]use, error) {
	return d.checkProgram(program{name: o.Name, entry: o.Entry, model: spirv.ExecutionModelGLCompute, bit: vk.StageCompute,
		code: o.Code, constants: o.Specialization, layouts: o.SetLayouts, push: o.PushConstantBytes}, modules{})
}

// Name returns ComputePipelineOptions.Name.
func (p *ComputePipeline) Name() string { return p.name }

// Stats returns what making the pipeline cost.
func (p *ComputePipeline) Stats() PipelineStats { return p.stats }

// Destroy releases the pipeline.
func (p *ComputePipeline) Destroy() {
	if p == nil {
		return
	}
	p.impl.Destroy()
	p.layout.Destroy()
	p.impl, p.layout = nil, nil
}

// DispatchOptions describes a dispatch.
type DispatchOptions struct {
	Pipeline *ComputePipeline
	// Sets are bound from set 0 on, one for each of the pipeline's SetLayouts.
	Sets []*DescriptorSet
	// DynamicOffsets has an offset for each dynamic buffer of Sets: by set, by binding, by array element.
	DynamicOffsets []uint32
	// PushConstants has ComputePipelineOptions.PushConstantBytes bytes and is copied.
	PushConstants []byte
	// X, Y and Z are numbers of workgroups. With any of them 0 nothing runs.
	X, Y, Z uint32
}

// CmdDispatch records a dispatch, with the binding of its pipeline, descriptor sets and push constants, but no barriers:
// after builds, CmdBarrier makes acceleration structures visible to it. Afterwards the command buffer's bindings are
// undefined.
func (d *Device) CmdDispatch(cb *vk.CommandBuffer, o DispatchOptions) error {
	if err := d.checkDispatch(cb, o); err != nil {
		return fmt.Errorf("dispatch: %w", err)
	}
	if o.X == 0 || o.Y == 0 || o.Z == 0 {
		return nil
	}
	p := o.Pipeline
	cb.BeginLabel("dispatch: " + p.name)
	defer cb.EndLabel()
	cb.BindComputePipeline(p.impl)
	cb.BindDescriptorSetsAt(vulkan.PipelineBindPointCompute, p.layout, 0, implsOf(o.Sets), o.DynamicOffsets)
	cb.PushConstants(p.layout, vk.StageCompute, 0, o.PushConstants)
	cb.Dispatch(o.X, o.Y, o.Z)
	return nil
}

func (d *Device) checkDispatch(cb *vk.CommandBuffer, o DispatchOptions) error {
	if err := d.checkCommands(cb); err != nil {
		return err
	}
	p := o.Pipeline
	if p == nil || p.impl == nil {
		return invalid("DispatchOptions.Pipeline is nil or destroyed")
	}
	if p.device != d {
		return invalid("DispatchOptions.Pipeline %q belongs to another device", p.name)
	}
	if err := checkSets("DispatchOptions", p.name, p.sets, o.Sets); err != nil {
		return err
	}
	if err := d.checkOffsets("DispatchOptions", o.Sets, o.DynamicOffsets); err != nil {
		return err
	}
	if len(o.PushConstants) != int(p.push) {
		return invalid("DispatchOptions.PushConstants has %d bytes, pipeline %q declares %d", len(o.PushConstants), p.name, p.push)
	}
	most := d.device.Physical().Limits.MaxComputeWorkGroupCount
	for i, n := range []uint32{o.X, o.Y, o.Z} {
		if n > most[i] {
			return invalid("DispatchOptions.%c is %d workgroups, the limit is %d", "XYZ"[i], n, most[i])
		}
	}
	return checkUses("DispatchOptions", o.Sets, p.uses)
}
