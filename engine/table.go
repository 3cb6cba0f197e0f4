package engine

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// Table is a shader binding table in device memory.
type Table struct {
	device   *Device
	pipeline *Pipeline
	plan     *sbt.Plan
	buffer   *vk.Buffer
}

// NewTable lays out records over the pipeline's groups and uploads them. A record's Group is an index of PipelineOptions.Groups,
// or sbt.NullGroup for a record that does nothing. The table does not keep the layout.
func (d *Device) NewTable(ctx context.Context, p *Pipeline, layout sbt.Layout) (*Table, error) {
	fail := func(err error) (*Table, error) { return nil, fmt.Errorf("table of pipeline %q: %w", p.Name(), err) }
	if err := d.enter(); err != nil {
		return fail(err)
	}
	defer d.leave()
	if err := p.check(d, "the pipeline"); err != nil {
		return fail(err)
	}
	for section, records := range map[sbt.Section][]sbt.Record{
		sbt.Raygen: layout.Raygen, sbt.Miss: layout.Miss, sbt.Hit: layout.Hit, sbt.Callable: layout.Callable,
	} {
		for i, r := range records {
			if r.Group == sbt.NullGroup {
				continue // sbt refuses it in the raygen section
			}
			if err := p.checkSection(section, r.Group); err != nil {
				return fail(fmt.Errorf("%v record %d: %w", section, i, err))
			}
		}
	}
	plan, err := sbt.NewPlan(layout, d.Limits().Table)
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrInvalid, err))
	}
	data, err := plan.Encode(layout, p.Handle)
	if err != nil {
		return fail(err)
	}
	buffer, err := d.device.NewBuffer(vk.BufferOptions{
		Name: p.name + " table", Size: plan.Size(), Memory: vk.DeviceLocal, Alignment: plan.Alignment(), ShaderBindingTable: true,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageStorageBufferBit | vulkan.BufferUsageTransferSrcBit |
			vulkan.BufferUsageTransferDstBit),
	})
	if err != nil {
		return fail(err)
	}
	if err := d.device.UploadBuffer(ctx, buffer, 0, data); err != nil {
		buffer.Destroy()
		return fail(err)
	}
	return &Table{device: d, pipeline: p, plan: plan, buffer: buffer}, nil
}

// name is that of the pipeline.
func (t *Table) name() string {
	if t == nil {
		return ""
	}
	return t.pipeline.Name()
}

// Plan returns where the records lie.
func (t *Table) Plan() *sbt.Plan { return t.plan }

// Buffer returns the table's buffer. Record data may be rewritten by commands at Plan's offsets plus sbt.HandleSize.
func (t *Table) Buffer() *vk.Buffer { return t.buffer }

// WriteData replaces data of one record, from the data's byte off on, and waits for it. No launch that reads it may be pending.
func (t *Table) WriteData(ctx context.Context, s sbt.Section, record int, off uint64, data []byte) error {
	if t == nil || t.buffer == nil {
		return fmt.Errorf("table of pipeline %q: %w", t.name(), invalid("it is destroyed"))
	}
	if err := t.device.enter(); err != nil {
		return fmt.Errorf("table of pipeline %q: %w", t.name(), err)
	}
	defer t.device.leave()
	at, err := t.plan.DataRange(s, record, off, uint64(len(data)))
	if err != nil {
		return fmt.Errorf("table of pipeline %q: %w: %w", t.name(), ErrInvalid, err)
	}
	if len(data) == 0 {
		return nil
	}
	return t.device.device.UploadBuffer(ctx, t.buffer, at, data)
}

// Destroy releases the table's buffer.
func (t *Table) Destroy() {
	if t != nil && t.buffer != nil {
		t.buffer.Destroy()
		t.buffer = nil
	}
}
