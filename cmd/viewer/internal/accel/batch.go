package accel

import (
	"context"
	"fmt"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Batch is a set of builds in one command that can be done any number of times, to be measured.
type Batch struct {
	// Primitives counts the inputs of all builds, Bytes the storage of their structures, ScratchBytes their scratch.
	Primitives, Bytes, ScratchBytes uint64

	dev     *engine.Device
	name    string
	builds  []engine.Build
	owned   []*engine.AccelerationStructure
	scratch *vk.Buffer
	timer   *measure.Timer
}

// NewBatch allocates what the builds need: scratch for all at once, and structures for those without a Dst. Nothing is built.
// The inputs outlive the Batch.
func NewBatch(dev *engine.Device, name string, inputs []engine.BuildInput) (b *Batch, err error) {
	b = &Batch{dev: dev, name: name}
	defer func() {
		if err != nil {
			b.Destroy()
			b, err = nil, fmt.Errorf("%s: %w", name, err)
		}
	}()
	alignment := dev.Limits().ScratchAlignment
	for i := range inputs {
		if err := b.add(&inputs[i], alignment); err != nil {
			return b, err
		}
	}
	if b.scratch, err = dev.VK().NewBuffer(vk.BufferOptions{
		Name: "scratch of " + name, Size: b.ScratchBytes, Memory: vk.DeviceLocal, Alignment: alignment,
	}); err != nil {
		return b, fmt.Errorf("%d bytes of scratch: %w", b.ScratchBytes, err)
	}
	for i := range b.builds {
		b.builds[i].Scratch += b.scratch.Address()
	}
	b.timer, err = measure.NewTimer(dev)
	return b, err
}

// add sizes one build; its scratch address is an offset until there is a buffer.
func (b *Batch) add(in *engine.BuildInput, alignment uint64) error {
	counts := make([]uint32, len(in.Ranges))
	for k, r := range in.Ranges {
		counts[k] = r.PrimitiveCount
		b.Primitives += uint64(r.PrimitiveCount)
	}
	sizes, err := b.dev.BuildSizes(in.Info, counts)
	if err != nil {
		return err
	}
	dst := in.Dst
	if dst == nil {
		if dst, err = b.dev.NewAccelerationStructure(in.Info.Type, sizes.AccelerationStructureSize, in.Name); err != nil {
			return err
		}
		b.owned = append(b.owned, dst)
	}
	b.Bytes += dst.Size()
	b.builds = append(b.builds, engine.Build{Info: in.Info, Ranges: in.Ranges, Dst: dst, Scratch: b.ScratchBytes})
	need := max(sizes.BuildScratchSize, sizes.UpdateScratchSize, 1) // an address of its own for each, even if it is not used
	b.ScratchBytes += (need + alignment - 1) &^ (alignment - 1)
	return nil
}

// Structure is what a build builds, by its place in the inputs.
func (b *Batch) Structure(i int) *engine.AccelerationStructure { return b.builds[i].Dst }

// Build does all builds n times in one submission and returns the GPU's time of each.
func (b *Batch) Build(ctx context.Context, n int) ([]time.Duration, error) {
	return b.repeat(ctx, "build", n, func(cb *vk.CommandBuffer) error { return b.dev.CmdBuildAccelerationStructures(cb, b.builds) })
}

// Passes does all builds once, and returns the time of each kernel: none where the driver builds.
func (b *Batch) Passes(ctx context.Context) ([]measure.Pass, error) {
	return b.timer.Passes(ctx, "passes of "+b.name, func(cb *vk.CommandBuffer) error {
		return b.dev.CmdBuildAccelerationStructures(cb, b.builds)
	})
}

// Refit is Build for updates in place. The builds have AllowUpdate and were done before.
func (b *Batch) Refit(ctx context.Context, n int) ([]time.Duration, error) {
	updates := make([]engine.Build, len(b.builds))
	for i, u := range b.builds {
		u.Info.Update = true
		updates[i] = u
	}
	return b.repeat(ctx, "refit", n, func(cb *vk.CommandBuffer) error { return b.dev.CmdBuildAccelerationStructures(cb, updates) })
}

func (b *Batch) repeat(ctx context.Context, what string, n int, record func(cb *vk.CommandBuffer) error) ([]time.Duration, error) {
	return b.timer.Repeat(ctx, what+" "+b.name, n, record)
}

// Compaction copies all structures of a Batch to compacted ones.
type Compaction struct {
	// Bytes is the storage of the compacted structures.
	Bytes uint64

	batch  *Batch
	copies []engine.Copy
}

// NewCompaction asks for the sizes of compacted copies, and allocates them. The builds have AllowCompaction and were done before.
func (b *Batch) NewCompaction(ctx context.Context) (c *Compaction, err error) {
	c = &Compaction{batch: b}
	defer func() {
		if err != nil {
			c.Destroy()
			c, err = nil, fmt.Errorf("compact %s: %w", b.name, err)
		}
	}()
	list := make([]*engine.AccelerationStructure, len(b.builds))
	for i := range b.builds {
		list[i] = b.builds[i].Dst
	}
	sizes, err := b.dev.Properties(ctx, list, engine.PropertyCompactedSize)
	if err != nil {
		return c, err
	}
	for i, src := range list {
		dst, err := b.dev.NewAccelerationStructure(src.Type(), sizes[i], "compacted")
		if err != nil {
			return c, err
		}
		c.Bytes += dst.Size()
		c.copies = append(c.copies, engine.Copy{Mode: engine.CopyCompact, Src: src, Dst: dst})
	}
	return c, nil
}

// Copy does all copies n times in one submission and returns the GPU's time of each.
func (c *Compaction) Copy(ctx context.Context, n int) ([]time.Duration, error) {
	return c.batch.repeat(ctx, "compact", n, func(cb *vk.CommandBuffer) error {
		return c.batch.dev.CmdCopyAccelerationStructures(cb, c.copies)
	})
}

// Destroy releases the compacted structures. It may be called twice and on nil.
func (c *Compaction) Destroy() {
	if c == nil {
		return
	}
	for _, k := range c.copies {
		k.Dst.Destroy()
	}
	c.copies = nil
}

// Destroy releases scratch and the structures that NewBatch made. It may be called twice and on nil.
func (b *Batch) Destroy() {
	if b == nil {
		return
	}
	for _, a := range b.owned {
		a.Destroy()
	}
	b.scratch.Destroy()
	b.timer.Destroy()
	b.owned, b.builds = nil, nil
}
