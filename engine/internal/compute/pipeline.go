package compute

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/vk"
)

// pipeline is a linked compute pipeline.
type pipeline struct {
	driver *Driver
	impl   *fallback.Pipeline
}

// library is a set of shaders that the linker has prepared, and the driver compiled as far as pipelines share that.
type library struct{ impl *fallback.Library }

func (y library) Destroy() { y.impl.Destroy() }

// NewLibrary runs most of the linker over the shaders.
func (d *Driver) NewLibrary(ctx context.Context, o driver.PipelineOptions) (driver.Library, error) {
	impl, err := fallback.NewLibrary(ctx, fallback.LibraryOptions{
		Pipeline: o.Pipeline, Target: d.target(), Keep: d.dump != "", Device: d.device,
		SetLayouts: setLayouts(o.SetLayouts), Cache: d.cache,
	})
	if err != nil {
		return nil, refused(err)
	}
	return library{impl}, nil
}

// setLayouts are set layouts as fallback has them.
func setLayouts(list []*vk.DescriptorSetLayout) []vk.SetLayout {
	out := make([]vk.SetLayout, len(list))
	for i, l := range list {
		out[i] = l
	}
	return out
}

// NewPipeline links the shaders.
func (d *Driver) NewPipeline(ctx context.Context, o driver.PipelineOptions) (driver.Pipeline, error) {
	fo := fallback.PipelineOptions{Pipeline: o.Pipeline, SetLayouts: setLayouts(o.SetLayouts), Cache: d.cache, Dump: d.dump}
	for _, y := range o.Libraries {
		own, ok := y.(library)
		if !ok {
			return nil, fmt.Errorf("library of another device: %w", driver.ErrInvalid)
		}
		fo.Libraries = append(fo.Libraries, own.impl)
	}
	p, err := fallback.NewPipeline(ctx, d.device, fo)
	if err != nil {
		return nil, refused(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pipelines[p.Tag()] = p
	return &pipeline{d, p}, nil
}

func (p *pipeline) Handle(group int) ([]byte, error) {
	h, err := p.impl.GroupHandle(group)
	if err != nil {
		return nil, refused(err)
	}
	return h[:], nil
}

// GroupStack asks the linked pipeline.
func (p *pipeline) GroupStack(group int, shader vk.GroupShader) (uint32, error) {
	n, err := p.impl.ShaderGroupStackSize(group, shader)
	return n, refused(err)
}

func (p *pipeline) Stats() driver.Stats {
	s := p.impl.Stats()
	var choices []driver.Choice
	for _, c := range s.Choices {
		choices = append(choices, driver.Choice{
			Places: c.Places, Form: c.Form, Wavefront: c.Wavefront, Alone: c.Alone, Sorted: c.Sorted})
	}
	stats := driver.Stats{LinkTime: s.LinkTime, CompileTime: s.CompileTime, StackBytes: p.impl.StackBytes(), CodeWords: s.CodeWords,
		Driver: s.Driver, Form: s.Form, Reorders: s.Reorders, Suspends: s.Suspends, Calls: s.Calls,
		PathBytes: p.impl.StackBytes() + s.LaneBytes,
		Rounds:    s.Rounds, Bounded: s.Bounded, Choices: choices}
	if s.Form == fallback.FormMonolithic {
		stats.PathBytes = 0 // there is no stack, whatever its size would be
	}
	for _, k := range s.Kernels {
		stats.Kernels = append(stats.Kernels, driver.KernelStats(k))
	}
	return stats
}

// Destroy also forgets the pipeline's name for faults, unless another of the same code has taken the place.
func (p *pipeline) Destroy() {
	p.driver.mu.Lock()
	if tag := p.impl.Tag(); p.driver.pipelines[tag] == p.impl {
		delete(p.driver.pipelines, tag)
	}
	p.driver.mu.Unlock()
	p.impl.Destroy()
}

// CmdTraceRays records the launch's dispatches.
func (d *Driver) CmdTraceRays(cb *vk.CommandBuffer, t driver.Trace) error {
	p, ok := t.Pipeline.(*pipeline)
	if !ok {
		return fmt.Errorf("pipeline of another device: %w", driver.ErrInvalid)
	}
	trace, err := d.translate(cb, t)
	if err != nil {
		return err
	}
	return refused(p.impl.CmdTraceRays(cb, trace))
}

// CmdTraceRaysIndirect records a kernel that reads the size, and a dispatch of as many workgroups as it finds.
func (d *Driver) CmdTraceRaysIndirect(cb *vk.CommandBuffer, t driver.IndirectTrace) error {
	p, ok := t.Pipeline.(*pipeline)
	if !ok {
		return fmt.Errorf("pipeline of another device: %w", driver.ErrInvalid)
	}
	trace, err := d.translate(cb, t.Trace)
	if err != nil {
		return err
	}
	return refused(p.impl.CmdTraceRaysIndirect(cb, fallback.IndirectTrace{Trace: trace, Command: t.Command, Tables: t.Tables}))
}

// translate has the launch report its faults to the command buffer's own report, so that whoever waits for the buffer gets them
// and nobody else.
func (d *Driver) translate(cb *vk.CommandBuffer, t driver.Trace) (fallback.Trace, error) {
	faults, err := cb.Report(fallback.FaultBufferSize)
	if err != nil {
		return fallback.Trace{}, fmt.Errorf("memory for faults: %w", err)
	}
	sets := make([]vk.Set, len(t.Sets))
	for i, s := range t.Sets {
		sets[i] = s
	}
	return fallback.Trace{
		Raygen: t.Raygen, Miss: t.Miss, Hit: t.Hit, Callable: t.Callable,
		Width: t.Width, Height: t.Height, Depth: t.Depth, StackBytes: t.StackBytes,
		Sets: sets, DynamicOffsets: t.DynamicOffsets, PushConstants: t.PushConstants, Faults: faults.Address(),
	}, nil
}
