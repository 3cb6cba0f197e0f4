package fallback

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

const (
	// maxLaunchSize is the most rays of one command, as maxRayDispatchInvocationCount.
	maxLaunchSize = 1 << 30
	// tableAlignment is what tables must be aligned to, as shaderGroupBaseAlignment.
	tableAlignment = 64
	// maxTableStride is the longest distance of records, as maxShaderGroupStride.
	maxTableStride = 4096

	lanesPerGroup = 32 // RT_LANES_PER_GROUP
	lanesPerTile  = 64 // local_size_x of runtime.comp, of workgroups that take one tile

	// The lanes of one batch, which bounds the memory for stacks whatever the size of the launch. Two millions are a picture of
	// 1920x1080 in one go; a CPU needs far fewer.
	batchLanesGPU = 1 << 21
	batchLanesCPU = 1 << 15
	// maxStackMemory bounds the stacks of a batch; the shaders address them with 32 bits.
	maxStackMemory = 1 << 30
	// maxStackBytes is the largest stack of one lane: the smallest batch is a workgroup.
	maxStackBytes = maxStackMemory / lanesPerTile
)

// Trace is one trace command, the operands of vkCmdTraceRaysKHR.
type Trace struct {
	Raygen, Miss, Hit, Callable vk.StridedRegion
	Width, Height, Depth        uint32
	// Sets are the descriptor sets from set 0 on.
	Sets []vk.Set
	// DynamicOffsets has an offset for each dynamic descriptor of Sets, as vkCmdBindDescriptorSets has them.
	DynamicOffsets []uint32
	// PushConstants are the application's, as the pipeline's shaders lay them out.
	PushConstants []byte
	// StackBytes is the stack of one lane in this command; 0 takes the pipeline's (Pipeline.StackBytes).
	StackBytes uint32
	// Faults, if not 0, is the address of FaultBufferSize bytes that receive what went wrong on the GPU, see ReadFaults. The
	// first 16 bytes are zero before. A report of the command buffer (vk.CommandBuffer.Report) keeps launches apart.
	Faults vk.DeviceAddress
}

// CmdTraceRays records a trace command. A launch with a size of zero in any direction does nothing. In the wavefront form the first
// one may wait for a kernel, as long as the context of the Run that records it.
func (p *Pipeline) CmdTraceRays(cb Recorder, t Trace) error {
	if p.learner != nil && t.Width > 0 && t.Height > 0 && t.Depth > 0 {
		return p.cmdLearned(cb, &t)
	}
	return p.record(cb, &t)
}

// record records a launch as its plan has it.
func (p *Pipeline) record(cb Recorder, t *Trace) error {
	plan, err := p.PlanTraceRays(cb.Context(), cb, *t)
	if err != nil {
		return err
	}
	plan.Record(cb, t.Sets, t.DynamicOffsets)
	return nil
}

// PlanTraceRays returns what CmdTraceRays records, with memory for it.
func (p *Pipeline) PlanTraceRays(ctx context.Context, from Memory, t Trace) (*Plan, error) {
	if err := t.validate(p); err != nil {
		return nil, err
	}
	if t.Width == 0 || t.Height == 0 || t.Depth == 0 {
		return &Plan{}, nil
	}
	plan := p.planDirect
	if p.wave != nil {
		plan = p.planWave
	}
	out, err := plan(ctx, from, &t)
	if err != nil {
		return nil, fmt.Errorf("trace rays with pipeline %q: %w", p.options.Name, err)
	}
	return out, nil
}

// planDirect plans a launch by one kernel.
func (p *Pipeline) planDirect(_ context.Context, from Memory, t *Trace) (*Plan, error) {
	return p.planOne(from, t, p.stats.Form, p.tiles, kernelLaunch)
}

// planOne plans a launch by one kernel of a form, whose workgroups have so many tiles.
func (p *Pipeline) planOne(from Memory, t *Trace, form Form, tiles uint32, kernel int) (*Plan, error) {
	g := p.grid(t, form, tiles)
	params, reused, err := p.parameters(from, t, form, g.batch[0]*g.batch[1]*g.batch[2]*tiles*(lanesPerTile/lanesPerGroup))
	if err != nil {
		return nil, err
	}
	params.launchSize = [3]uint32{t.Width, t.Height, t.Depth}
	return p.planGrid(&g, params, reused, kernel), nil
}

// planGrid plans the batches of a launch by one kernel, whose stacks others may use before if they are reused.
func (p *Pipeline) planGrid(g *grid, params *launchParams, reused bool, kernel int) *Plan {
	params.tileWidthLog2 = g.tileWidthLog2
	plan := &Plan{Name: "trace rays by compute: " + p.options.Name}
	g.each(func(first, size [3]uint32) {
		s := p.step(kernel, vk.WaitNone)
		s.Groups = size
		if first != [3]uint32{} || reused {
			s.Wait = vk.WaitCompute // the stacks are used again
		}
		params.firstGroup, params.groupStride, params.groupCount = first[0], first[1], first[2]
		params.tilesPerRow = rowStep(size[1])
		s.Push = params.encode()
		plan.Steps = append(plan.Steps, s)
	})
	return plan
}

// grid is how workgroups cover a direct launch: each some tiles of 64 places side by side, whose neighbours in the image are
// neighbours in its subgroups. The workgroups in flight, which bound the memory for stacks, are a batch.
type grid struct {
	tileWidthLog2 uint32
	size, batch   [3]uint32 // workgroups
}

// maxGridSide is what every device can dispatch in each direction.
const maxGridSide = 65535

func (p *Pipeline) grid(t *Trace, form Form, tiles uint32) grid {
	workgroups := p.batchGroups(t.stackDwords(p)) / (lanesPerTile / lanesPerGroup) / tiles
	if form == FormMonolithic {
		workgroups = maxLaunchSize // no stacks
	}
	return newGrid(t.Width, t.Height, t.Depth, workgroups, tiles)
}

// newGrid covers a launch with tiles of 8x8, or flatter where the launch is, of which each workgroup takes some.
func newGrid(width, height, depth, workgroups, tiles uint32) grid {
	g := grid{tileWidthLog2: 3}
	switch {
	case height == 1:
		g.tileWidthLog2 = 6
	case height < 8:
		g.tileWidthLog2 = 4
	}
	w := uint32(1) << g.tileWidthLog2
	h := lanesPerTile / w
	g.size = [3]uint32{(width + w*tiles - 1) / (w * tiles), (height + h - 1) / h, depth}
	left := workgroups
	for i, n := range g.size {
		g.batch[i] = max(1, min(n, left, maxGridSide))
		left /= g.batch[i]
	}
	return g
}

// rowStep returns a number without a common divisor with n, about 0.62 n: its multiples modulo n are all rows, in an order
// in which every run of them is spread over the batch. CPUs take rows in this order, for lavapipe cuts a dispatch into one
// run of workgroups for each thread, and one half of a picture is seldom as much work as the other.
func rowStep(n uint32) uint32 {
	step := max(1, n*618/1000)
	for gcd(step, n) != 1 {
		step++
	}
	return step
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// each visits the batches.
func (g *grid) each(visit func(first, size [3]uint32)) {
	for z := uint32(0); z < g.size[2]; z += g.batch[2] {
		for y := uint32(0); y < g.size[1]; y += g.batch[1] {
			for x := uint32(0); x < g.size[0]; x += g.batch[0] {
				visit([3]uint32{x, y, z}, [3]uint32{
					min(g.batch[0], g.size[0]-x), min(g.batch[1], g.size[1]-y), min(g.batch[2], g.size[2]-z),
				})
			}
		}
	}
}

// stackDwords returns the stack slots of one lane.
func (t *Trace) stackDwords(p *Pipeline) uint32 {
	if t.StackBytes > 0 {
		return (t.StackBytes + 3) / 4
	}
	return p.stack
}

// batchGroups returns the lane groups of one batch, whose lanes have a stack of so many slots.
func (p *Pipeline) batchGroups(stack uint32) uint32 {
	lanes := uint32(batchLanesGPU)
	if p.dev.Physical().Type == vulkan.PhysicalDeviceTypeCpu {
		lanes = batchLanesCPU
	}
	for lanes > lanesPerTile && uint64(lanes)*uint64(stack)*4 > maxStackMemory {
		lanes /= 2
	}
	return lanes / lanesPerGroup
}

// known returns what the host knows of a launch beside its size and memory.
func (p *Pipeline) known(t *Trace) *launchParams {
	l := &launchParams{
		stackDwords: t.stackDwords(p), pipelineTag: p.tag, maxDepth: p.options.MaxRecursionDepth,
		raygenRecord: t.Raygen.Address, miss: region(t.Miss), hit: region(t.Hit), callable: region(t.Callable), faults: t.Faults,
	}
	return l
}

// parameters returns what the shaders need beside the launch's size, with memory for the stacks of a batch; reused tells
// that earlier commands may use that memory.
func (p *Pipeline) parameters(from Memory, t *Trace, form Form, batch uint32) (l *launchParams, reused bool, err error) {
	l = p.known(t)
	if size := p.stackMemory(t, form, batch); size > 0 {
		if l.stackBase, reused, err = from.TransientScratch(size, 256); err != nil {
			return nil, false, fmt.Errorf("stacks of %d bytes, %d for each lane: %w", size, 4*l.stackDwords, err)
		}
	}
	if l.pushConstants, err = uploadPushConstants(from, t.PushConstants); err != nil {
		return nil, false, fmt.Errorf("push constants: %w", err)
	}
	return l, reused, nil
}

// stackMemory returns the size of the stacks of so many lane groups, in bytes: zero in the monolithic form, whatever an
// application asks for.
func (p *Pipeline) stackMemory(t *Trace, form Form, groups uint32) uint64 {
	if form == FormMonolithic {
		return 0
	}
	return uint64(groups) * lanesPerGroup * uint64(t.stackDwords(p)) * 4
}

// uploadPushConstants puts the application's push constants where shaders find them: its stages may lay them out
// differently, and the runtime needs the real ones.
func uploadPushConstants(from Memory, data []byte) (vk.DeviceAddress, error) {
	if len(data) == 0 {
		return 0, nil
	}
	// Whole vectors may be read where less was given.
	address, memory, err := from.TransientUpload(MaxPushConstantBytes, 16)
	if err != nil {
		return 0, err
	}
	clear(memory[copy(memory, data):])
	return address, nil
}

func region(r vk.StridedRegion) tableRegion {
	return tableRegion{r.Address, uint32(r.Stride), uint32(r.Size)}
}
