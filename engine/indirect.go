package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// Sizes of the commands that indirect launches read, in bytes.
const (
	// IndirectCommandSize is that of VkTraceRaysIndirectCommandKHR: width, height and depth, 32 bits each.
	IndirectCommandSize = fallback.IndirectCommandSize
	// IndirectCommand2Size is that of VkTraceRaysIndirectCommand2KHR: table regions, then the size. See Table.IndirectCommand.
	IndirectCommand2Size = fallback.IndirectCommand2Size
)

// IndirectTraceOptions describes a launch whose size the device reads from memory.
type IndirectTraceOptions struct {
	// TraceOptions hold everything else. Width, Height and Depth are not read; CmdTraceRaysIndirect2 does not read Table and
	// Raygen either.
	TraceOptions
	// Buffer and Offset, a multiple of 4, are where the command lies. The buffer is one for indirect commands, which all are
	// that were made without a Usage. What writes the command has to be made visible to the stage draw indirect first, as
	// Vulkan has it; CmdBarrier does that.
	Buffer *vk.Buffer
	Offset uint64
}

// CmdTraceRaysIndirect is CmdTraceRays with the size in a VkTraceRaysIndirectCommandKHR, which the device reads when the command
// runs. A size that is zero in any direction does nothing; one of more rays than Limits.MaxInvocations is undefined natively, and
// cut to the limit on the compute way. The native way needs Limits.TraceRaysIndirect.
func (d *Device) CmdTraceRaysIndirect(cb *vk.CommandBuffer, o IndirectTraceOptions) error {
	regions, err := d.checkIndirect(cb, o, d.Limits().TraceRaysIndirect, IndirectCommandSize)
	if err == nil {
		regions, err = o.checkTable()
	}
	if err != nil {
		return fmt.Errorf("trace rays indirectly: %w", err)
	}
	return d.driver.CmdTraceRaysIndirect(cb, driver.IndirectTrace{Trace: o.translate(regions), Command: o.Buffer.Address() + o.Offset})
}

// CmdTraceRaysIndirect2 is CmdTraceRaysIndirect with the tables' regions in memory, too: a VkTraceRaysIndirectCommand2KHR, such
// as Table.IndirectCommand returns. The native way needs Limits.TraceRaysIndirect2.
func (d *Device) CmdTraceRaysIndirect2(cb *vk.CommandBuffer, o IndirectTraceOptions) error {
	none, err := d.checkIndirect(cb, o, d.Limits().TraceRaysIndirect2, IndirectCommand2Size)
	if err != nil {
		return fmt.Errorf("trace rays indirectly: %w", err)
	}
	return d.driver.CmdTraceRaysIndirect(cb,
		driver.IndirectTrace{Trace: o.translate(none), Command: o.Buffer.Address() + o.Offset, Tables: true})
}

// checkIndirect validates what both commands have in common; the regions are empty.
func (d *Device) checkIndirect(cb *vk.CommandBuffer, o IndirectTraceOptions, can bool, size uint64) (none sbt.Regions, err error) {
	if err := d.checkCommands(cb); err != nil {
		return none, err
	}
	if !can {
		return none, lacking("the device cannot natively, see Limits (the compute way can)")
	}
	if err := o.checkPipeline(d); err != nil {
		return none, err
	}
	if err := d.checkBuffer("IndirectTraceOptions.Buffer", o.Buffer, usageIndirect); err != nil {
		return none, err
	}
	if o.Offset%4 != 0 || size > o.Buffer.Size() || o.Offset > o.Buffer.Size()-size {
		return none, invalid("IndirectTraceOptions.Offset is %d, want a multiple of 4 with %d bytes in the buffer's %d", o.Offset, size,
			o.Buffer.Size())
	}
	return none, nil
}

// IndirectCommand returns the VkTraceRaysIndirectCommand2KHR of a launch with this table: what CmdTraceRaysIndirect2 reads. raygen
// chooses among the raygen records.
func (t *Table) IndirectCommand(raygen int, width, height, depth uint32) ([IndirectCommand2Size]byte, error) {
	var out [IndirectCommand2Size]byte
	if t == nil || t.buffer == nil {
		return out, fmt.Errorf("table of pipeline %q: %w", t.name(), invalid("it is destroyed"))
	}
	r, err := t.plan.Regions(t.buffer.Address(), raygen)
	if err != nil {
		return out, fmt.Errorf("table of pipeline %q: %w: %w", t.name(), ErrInvalid, err)
	}
	e := binary.LittleEndian
	b := e.AppendUint64(out[:0], r.Raygen.Address)
	b = e.AppendUint64(b, r.Raygen.Size)
	for _, s := range []vk.StridedRegion{vk.StridedRegion(r.Miss), vk.StridedRegion(r.Hit), vk.StridedRegion(r.Callable)} {
		b = e.AppendUint64(b, s.Address)
		b = e.AppendUint64(b, s.Size)
		b = e.AppendUint64(b, s.Stride)
	}
	for _, n := range []uint32{width, height, depth} {
		b = e.AppendUint32(b, n)
	}
	return out, nil
}

// ShaderGroupStackSize returns the stack in bytes of one shader of a group, as vkGetRayTracingShaderGroupStackSizeKHR: what
// PipelineOptions.StackBytes and TraceOptions.StackBytes are computed from. The group must have that shader.
func (p *Pipeline) ShaderGroupStackSize(group int, shader vk.GroupShader) (uint32, error) {
	fail := func(err error) (uint32, error) { return 0, fmt.Errorf("pipeline %q: %w", p.Name(), err) }
	if p == nil || p.impl == nil {
		return fail(invalid("it is destroyed"))
	}
	if group < 0 || group >= len(p.groups) {
		return fail(invalid("group %d of %d", group, len(p.groups)))
	}
	g := p.groups[group]
	of := map[vk.GroupShader]int{vk.GroupGeneral: Unused, vk.GroupClosestHit: Unused, vk.GroupAnyHit: Unused,
		vk.GroupIntersection: Unused}
	if g.Kind == General {
		of[vk.GroupGeneral] = g.General
	} else {
		of[vk.GroupClosestHit], of[vk.GroupAnyHit] = g.ClosestHit, g.AnyHit
		if g.Kind == ProceduralHit {
			of[vk.GroupIntersection] = g.Intersection
		}
	}
	if stage, ok := of[shader]; !ok || stage == Unused {
		return fail(invalid("group %d has no such shader (vk.GroupShader %d)", group, shader))
	}
	return p.impl.GroupStack(group, shader)
}
