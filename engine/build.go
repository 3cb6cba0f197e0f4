package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/everray/everray/vk"
)

// scratchBudget bounds the scratch buffer of BuildAccelerationStructures: builds beyond it wait for those before them. One
// build that needs more gets more. A GPU is full long before this much scratch is in use.
const scratchBudget = 256 << 20

// BuildInput is one build of BuildAccelerationStructures.
type BuildInput struct {
	// Name is for debuggers and errors.
	Name   string
	Info   vk.BuildInfo
	Ranges []vk.BuildRange
	// Dst is the structure to build into or, with Info.Update, to refit; nil allocates one.
	Dst *AccelerationStructure
	// Src is, with Info.Update, the structure to update from; nil is Dst itself. One of the two is needed.
	Src *AccelerationStructure
}

// BuildReport says what a call of BuildAccelerationStructures cost.
type BuildReport struct {
	// GPUTime is the time between timestamps around the builds, Wall that of the whole call.
	GPUTime, Wall time.Duration
	// Batches is the number of batches that the scratch budget led to.
	Batches int
	// Primitives counts the input primitives, Bytes the structures' storage, ScratchBytes the shared scratch.
	Primitives, Bytes, ScratchBytes uint64
}

// BuildAccelerationStructures sizes, allocates and builds structures that do not depend on each other, in batches that share
// one scratch buffer, waits for them, and returns them in the order of in. On an error what it allocated is released.
func (d *Device) BuildAccelerationStructures(ctx context.Context, in []BuildInput) ([]*AccelerationStructure, BuildReport, error) {
	start := time.Now()
	if err := d.enter(); err != nil {
		return nil, BuildReport{}, fmt.Errorf("build acceleration structures: %w", err)
	}
	defer d.leave()
	if len(in) == 0 {
		return nil, BuildReport{}, nil
	}
	p := buildPlan{device: d, in: in}
	defer p.release()
	if err := p.allocate(); err != nil {
		return nil, BuildReport{}, err
	}
	if err := p.run(ctx); err != nil {
		return nil, BuildReport{}, fmt.Errorf("build %d acceleration structures: %w", len(in), err)
	}
	p.report.Wall = time.Since(start)
	out := p.out
	p.owned = nil // the caller's now
	return out, p.report, nil
}

// buildPlan is the state of one call of BuildAccelerationStructures.
type buildPlan struct {
	device  *Device
	in      []BuildInput
	out     []*AccelerationStructure
	owned   []*AccelerationStructure // what is released on an error
	offsets []uint64                 // of each build's scratch
	batches [][]int                  // indices of builds
	scratch *vk.Buffer
	queries *vk.QueryPool
	report  BuildReport
}

func (p *buildPlan) release() {
	for _, a := range p.owned {
		a.Destroy()
	}
	if p.scratch != nil {
		p.scratch.Destroy()
	}
	if p.queries != nil {
		p.queries.Destroy()
	}
}

// allocate creates the structures and the scratch buffer and deals the builds out to batches.
func (p *buildPlan) allocate() error {
	sizes := make([]uint64, len(p.in))
	for i, in := range p.in {
		fail := func(err error) error { return fmt.Errorf("build %d (%q): %w", i, in.Name, err) }
		n := counts(in.Ranges)
		s, err := p.device.BuildSizes(in.Info, n)
		if err != nil {
			return fail(err)
		}
		sizes[i] = s.BuildScratchSize
		if in.Info.Update {
			sizes[i] = s.UpdateScratchSize
		}
		a := in.Dst
		if a == nil {
			if in.Info.Update && in.Src == nil {
				return fail(invalid("Info.Update without a Dst or a Src to update"))
			}
			size := s.AccelerationStructureSize
			if in.Info.Update && in.Src.alive() {
				size = min(size, in.Src.size) // as small as a compacted source
			}
			if a, err = p.device.NewAccelerationStructure(in.Info.Type, size, in.Name); err != nil {
				return fail(err)
			}
			p.owned = append(p.owned, a)
		}
		p.out = append(p.out, a)
		p.report.Bytes += a.size
		for _, c := range n {
			p.report.Primitives += uint64(c)
		}
	}
	alignment := p.device.Limits().ScratchAlignment
	p.batches, p.offsets, p.report.ScratchBytes = dealScratch(sizes, alignment, scratchBudget)
	p.report.Batches = len(p.batches)
	var err error
	p.scratch, err = p.device.device.NewBuffer(vk.BufferOptions{
		Name: "build scratch", Size: p.report.ScratchBytes, Memory: vk.DeviceLocal, Alignment: alignment,
	})
	if err != nil {
		return fmt.Errorf("build scratch: %w", err)
	}
	p.queries, err = p.device.device.NewQueryPool(2)
	return err
}

// dealScratch places builds that need so many bytes of scratch one after the other, and begins a new batch where they would
// exceed the budget. It returns the batches, each build's offset, and the size of the buffer, which is never 0.
func dealScratch(sizes []uint64, alignment, budget uint64) (batches [][]int, offsets []uint64, size uint64) {
	offsets = make([]uint64, len(sizes))
	at := uint64(0)
	for i, s := range sizes {
		// Every build gets an address of its own, even one that needs no scratch: a scratch address is never null.
		s = (max(s, 1) + alignment - 1) &^ (alignment - 1)
		if len(batches) == 0 || at+s > budget {
			batches = append(batches, nil)
			at = 0
		}
		last := len(batches) - 1
		batches[last] = append(batches[last], i)
		offsets[i] = at
		at += s
		size = max(size, at)
	}
	return batches, offsets, size
}

// run records all batches into one command buffer, with timestamps around them, and waits.
func (p *buildPlan) run(ctx context.Context) error {
	err := p.device.device.Run(ctx, "build acceleration structures", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(p.queries, 0, 2)
		cb.WriteTimestamp(p.queries, 0)
		for _, batch := range p.batches {
			p.device.CmdBarrier(cb) // scratch is used again; also makes the inputs' uploads visible
			builds := make([]Build, len(batch))
			for k, i := range batch {
				builds[k] = Build{Info: p.in[i].Info, Ranges: p.in[i].Ranges, Dst: p.out[i], Src: p.in[i].Src,
					Scratch: p.scratch.Address() + p.offsets[i]}
			}
			if err := p.device.CmdBuildAccelerationStructures(cb, builds); err != nil {
				return err
			}
		}
		p.device.CmdBarrier(cb)
		cb.WriteTimestamp(p.queries, 1)
		return nil
	})
	if err != nil {
		return err
	}
	times, err := p.queries.Results()
	if err != nil {
		return fmt.Errorf("read timestamps: %w", err)
	}
	if len(times) == 2 && times[1] > times[0] {
		p.report.GPUTime = time.Duration(times[1] - times[0])
	}
	return nil
}
