package engine

import (
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// TraceOptions describes a launch.
type TraceOptions struct {
	Pipeline *Pipeline
	// Table is one that was made for Pipeline.
	Table *Table
	// Raygen chooses among the table's raygen records.
	Raygen int
	// Sets are bound from set 0 on, one for each of the pipeline's SetLayouts.
	Sets []*DescriptorSet
	// DynamicOffsets has an offset for each dynamic buffer of Sets: by set, by binding, by array element.
	DynamicOffsets []uint32
	// PushConstants has PipelineOptions.PushConstantBytes bytes and is copied.
	PushConstants []byte
	// StackBytes is the stack per ray in this launch, of a pipeline with DynamicStack; 0 is the pipeline's.
	StackBytes uint32
	// Width, Height and Depth are the launch size. A launch with any of them 0 does nothing; Depth is not defaulted to 1.
	Width, Height, Depth uint32
}

// CmdTraceRays records a launch, with the binding of its pipeline, descriptor sets and push constants, but no barriers.
// Afterwards the command buffer's bindings are undefined.
func (d *Device) CmdTraceRays(cb *vk.CommandBuffer, o TraceOptions) error {
	regions, err := d.checkTrace(cb, o)
	if err != nil {
		return fmt.Errorf("trace rays: %w", err)
	}
	if o.Width == 0 || o.Height == 0 || o.Depth == 0 {
		return nil
	}
	return d.driver.CmdTraceRays(cb, o.translate(regions))
}

// translate turns checked options into the driver's.
func (o *TraceOptions) translate(regions sbt.Regions) driver.Trace {
	return driver.Trace{
		Pipeline: o.Pipeline.impl, Sets: implsOf(o.Sets), DynamicOffsets: o.DynamicOffsets, PushConstants: o.PushConstants,
		Raygen: vk.StridedRegion(regions.Raygen), Miss: vk.StridedRegion(regions.Miss),
		Hit: vk.StridedRegion(regions.Hit), Callable: vk.StridedRegion(regions.Callable),
		Width: o.Width, Height: o.Height, Depth: o.Depth, StackBytes: o.StackBytes,
	}
}

// checkTrace validates a launch and returns its table regions.
func (d *Device) checkTrace(cb *vk.CommandBuffer, o TraceOptions) (sbt.Regions, error) {
	var none sbt.Regions
	if err := d.checkCommands(cb); err != nil {
		return none, err
	}
	if err := o.checkPipeline(d); err != nil {
		return none, err
	}
	// Dividing instead of multiplying: three 32-bit sizes may exceed 64 bits.
	most := d.Limits().MaxInvocations
	if rows := uint64(o.Width) * uint64(o.Height); rows > most || rows > 0 && uint64(o.Depth) > most/rows {
		return none, invalid("TraceOptions: %d x %d x %d rays, the limit is %d", o.Width, o.Height, o.Depth, most)
	}
	return o.checkTable()
}

// checkTable validates the table of a launch and returns its regions.
func (o *TraceOptions) checkTable() (sbt.Regions, error) {
	var none sbt.Regions
	p := o.Pipeline
	if o.Table == nil || o.Table.buffer == nil {
		return none, invalid("TraceOptions.Table is nil or destroyed")
	}
	if o.Table.pipeline != p {
		return none, invalid("TraceOptions.Table was made for pipeline %q, not for %q", o.Table.name(), p.name)
	}
	regions, err := o.Table.plan.Regions(o.Table.buffer.Address(), o.Raygen)
	if err != nil {
		return none, fmt.Errorf("%w: TraceOptions.Raygen: %w", ErrInvalid, err)
	}
	return regions, nil
}

// checkPipeline validates what a launch binds, beside its table.
func (o *TraceOptions) checkPipeline(d *Device) error {
	p := o.Pipeline
	if err := p.check(d, "TraceOptions.Pipeline"); err != nil {
		return err
	}
	if err := checkSets("TraceOptions", p.name, p.sets, o.Sets); err != nil {
		return err
	}
	if err := d.checkOffsets("TraceOptions", o.Sets, o.DynamicOffsets); err != nil {
		return err
	}
	if len(o.PushConstants) != int(p.push) {
		return invalid("TraceOptions.PushConstants has %d bytes, pipeline %q declares %d", len(o.PushConstants), p.name, p.push)
	}
	if o.StackBytes > 0 && !p.dynamicStack {
		return invalid("TraceOptions.StackBytes is %d, but the stack of pipeline %q is fixed (set PipelineOptions.DynamicStack)",
			o.StackBytes, p.name)
	}
	return checkUses("TraceOptions", o.Sets, p.uses)
}

// checkSets compares the sets of a command with the layouts of its pipeline; options names the structure they are in.
func checkSets(options, pipeline string, layouts []*DescriptorSetLayout, sets []*DescriptorSet) error {
	if len(sets) != len(layouts) {
		return invalid("%s.Sets has %d elements, pipeline %q has %d set layouts", options, len(sets), pipeline, len(layouts))
	}
	for i, s := range sets {
		if s == nil || s.impl == nil {
			return invalid("%s.Sets[%d] is nil or destroyed", options, i)
		}
		if s.layout != layouts[i] {
			return invalid("%s.Sets[%d] has layout %q, pipeline %q wants %q", options, i, s.layout.name, pipeline, layouts[i].name)
		}
		if s.err != nil {
			return fmt.Errorf("%s.Sets[%d]: %w", options, i, s.err)
		}
	}
	return nil
}

// Stages returns the synchronization2 stage masks in which builds and launches run: the KHR stages natively, the compute
// stage otherwise.
func (d *Device) Stages() (build, trace uint64) {
	return d.info.Limits.BuildStage, d.info.Limits.TraceStage
}

// CmdBarrier makes all writes of earlier commands (copies, dispatches, builds, launches) visible to all later ones. A nil command
// buffer has none.
func (d *Device) CmdBarrier(cb *vk.CommandBuffer) {
	if cb == nil {
		return
	}
	cb.MemoryBarrier(vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageAllCommands, vk.AccessMemoryRead|vk.AccessMemoryWrite)
}
