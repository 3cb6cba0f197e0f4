package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// pipeline is a ray tracing VkPipeline with its layout.
type pipeline struct {
	layout *vk.PipelineLayout
	impl   *vk.Pipeline
	groups int
	// stack is what each launch sets where it sets none itself, if the stack is dynamic.
	stack   uint32
	dynamic bool
	stats   driver.Stats
	// library is vk.PipelineLibrary for a library; needs are those of all shaders, libraries' included.
	library uint32
	needs   rt.StackNeeds
}

// NewPipeline compiles. The driver cannot be interrupted: the context is looked at before and after.
func (d *Driver) NewPipeline(ctx context.Context, o driver.PipelineOptions) (driver.Pipeline, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.device.Physical().DriverID == vk.DriverLavapipe {
		if err := fillEmptyGroups(&o); err != nil {
			return nil, err
		}
	}
	return d.newPipeline(ctx, o, 0)
}

// NewLibrary compiles a library.
func (d *Driver) NewLibrary(ctx context.Context, o driver.PipelineOptions) (driver.Library, error) {
	if d.device.Physical().DriverID == vk.DriverLavapipe {
		if err := fillEmptyGroups(&o); err != nil {
			return nil, err
		}
	}
	return d.newPipeline(ctx, o, vk.PipelineLibrary)
}

func (d *Driver) newPipeline(ctx context.Context, o driver.PipelineOptions, library uint32) (*pipeline, error) {
	p := &pipeline{groups: len(o.Groups), library: library}
	if err := p.create(ctx, d.device, o, d.pipelines.Cache()); err != nil {
		p.Destroy()
		return nil, refused(err)
	}
	if err := ctx.Err(); err != nil {
		p.Destroy()
		return nil, err
	}
	return p, nil
}

// fillEmptyGroups gives an empty closest hit shader to triangle groups without any shader.
func fillEmptyGroups(o *driver.PipelineOptions) error {
	dummy := -1
	o.Groups = slices.Clone(o.Groups)
	for i := range o.Groups {
		g := &o.Groups[i]
		if g.Kind != rt.TrianglesHit || g.ClosestHit >= 0 || g.AnyHit >= 0 {
			continue
		}
		if dummy < 0 {
			code, err := shaders.Load("native/empty.rchit")
			if err != nil {
				return err
			}
			dummy = len(o.Stages)
			o.Stages = append(slices.Clone(o.Stages), rt.Stage{Name: "empty", Kind: rt.ClosestHit, Code: code, Entry: "main"})
		}
		g.ClosestHit = dummy
	}
	return nil
}

// createFlags translates an application's promises.
func createFlags(f rt.Flags) uint32 {
	flags := uint32(0)
	for _, x := range []struct {
		set bool
		bit uint32
	}{
		{f.SkipTriangles, vk.PipelineSkipTriangles}, {f.SkipAABBs, vk.PipelineSkipAABBs},
		{f.NoNullAnyHit, vk.PipelineNoNullAnyHit}, {f.NoNullClosestHit, vk.PipelineNoNullClosestHit},
		{f.NoNullMiss, vk.PipelineNoNullMiss}, {f.NoNullIntersection, vk.PipelineNoNullIntersection},
	} {
		if x.set {
			flags |= x.bit
		}
	}
	return flags
}

func (p *pipeline) create(ctx context.Context, dev *vk.Device, o driver.PipelineOptions, cache *vk.PipelineCache) (err error) {
	var push []vk.PushRange
	if o.PushConstantBytes > 0 {
		push = []vk.PushRange{{Stages: driver.RayTracingStages, Size: o.PushConstantBytes}}
	}
	if p.layout, err = dev.NewPipelineLayout(o.Name, o.SetLayouts, push); err != nil {
		return fmt.Errorf("layout: %w", err)
	}
	p.dynamic = o.StackBytes > 0 || o.DynamicStack
	options := vk.RayTracingPipelineOptions{
		Name: o.Name, Layout: p.layout, Stages: o.Stages, Groups: o.Groups, MaxRecursionDepth: o.MaxRecursionDepth,
		DynamicStackSize: p.dynamic, Flags: createFlags(o.Flags), Cache: cache, Statistics: o.Statistics,
	}
	options.Flags |= p.library
	if p.library != 0 || len(o.Libraries) > 0 {
		options.MaxPayloadBytes, options.MaxAttributeBytes = o.MaxPayloadBytes, o.MaxAttributeBytes
	}
	for _, y := range o.Libraries {
		own, ok := y.(*pipeline)
		if !ok {
			return fmt.Errorf("library of another device: %w", driver.ErrInvalid)
		}
		options.Libraries = append(options.Libraries, own.impl)
		for kind, bytes := range own.needs {
			p.needs[kind] = max(p.needs[kind], bytes)
		}
		p.groups += own.groups
	}
	start := time.Now()
	if p.impl, err = dev.NewRayTracingPipelineContext(ctx, options); err != nil {
		return err
	}
	p.stats.CompileTime = time.Since(start)
	if p.stats.Driver, err = p.impl.Statistics(); err != nil {
		return err
	}
	if err = p.findNeeds(&o); err != nil {
		return err
	}
	if p.stack = o.StackBytes; p.stack == 0 {
		p.stack = p.needs.Size(o.MaxRecursionDepth)
	}
	p.stats.StackBytes = p.stack
	return err
}

// Handle asks the driver.
func (p *pipeline) Handle(group int) ([]byte, error) {
	if group < 0 || group >= p.groups {
		return nil, fmt.Errorf("group %d of %d: %w", group, p.groups, driver.ErrInvalid)
	}
	h, err := p.impl.GroupHandles(uint32(group), 1)
	if err == nil && len(h) != sbt.HandleSize {
		err = fmt.Errorf("group %d: handle of %d bytes", group, len(h))
	}
	return h, err
}

// GroupStack asks the driver.
func (p *pipeline) GroupStack(group int, shader vk.GroupShader) (uint32, error) {
	bytes, err := p.impl.StackSize(uint32(group), shader)
	return uint32(bytes), err
}

func (p *pipeline) Stats() driver.Stats { return p.stats }

func (p *pipeline) Destroy() {
	if p.impl != nil {
		p.impl.Destroy()
	}
	if p.layout != nil {
		p.layout.Destroy()
	}
}

// CmdTraceRays binds everything and records the command.
func (d *Driver) CmdTraceRays(cb *vk.CommandBuffer, t driver.Trace) error {
	return d.trace(cb, t, func() { cb.TraceRays(t.Raygen, t.Miss, t.Hit, t.Callable, t.Width, t.Height, t.Depth) })
}

// CmdTraceRaysIndirect does the same with one of the driver's indirect commands.
func (d *Driver) CmdTraceRaysIndirect(cb *vk.CommandBuffer, t driver.IndirectTrace) error {
	return d.trace(cb, t.Trace, func() {
		if t.Tables {
			cb.TraceRaysIndirect2(t.Command)
		} else {
			cb.TraceRaysIndirect(t.Raygen, t.Miss, t.Hit, t.Callable, t.Command)
		}
	})
}

// trace binds everything that a launch needs around the launch.
func (d *Driver) trace(cb *vk.CommandBuffer, t driver.Trace, launch func()) error {
	p, ok := t.Pipeline.(*pipeline)
	if !ok {
		return fmt.Errorf("pipeline of another device: %w", driver.ErrInvalid)
	}
	cb.BeginLabel("trace rays natively")
	defer cb.EndLabel()
	cb.BindRayTracingPipeline(p.impl)
	if len(t.Sets) > 0 {
		cb.BindDescriptorSetsAt(vk.BindPointRayTracing, p.layout, 0, t.Sets, t.DynamicOffsets)
	}
	if len(t.PushConstants) > 0 {
		cb.PushConstants(p.layout, driver.RayTracingStages, 0, t.PushConstants)
	}
	if p.dynamic {
		stack := t.StackBytes
		if stack == 0 {
			stack = p.stack
		}
		cb.SetStackSize(stack)
	}
	launch()
	return nil
}
