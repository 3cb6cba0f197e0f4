package fallback

import (
	"fmt"

	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

const (
	// maxLaunchSize is the most rays of one command, as maxRayDispatchInvocationCount.
	maxLaunchSize = 1 << 30
	// tableAlignment is what tables must be aligned to, as shaderGroupBaseAlignment.
	tableAlignment = 64
	// maxTableStride is the longest distance of records, as maxShaderGroupStride.
	maxTableStride = 4096

	lanesPerGroup = 32 // RT_LANES_PER_GROUP
	lanesPerWork  = 64 // local_size_x of runtime.comp

	// The lanes of one batch, which bounds the memory for stacks whatever the size of the launch. About a million keep a
	// large GPU busy; a CPU needs far fewer.
	batchLanesGPU = 1 << 20
	batchLanesCPU = 1 << 15
	// maxStackMemory bounds the stacks of a batch; the shaders address them with 32 bits.
	maxStackMemory = 1 << 30
	// maxStackBytes is the largest stack of one lane: the smallest batch is a workgroup.
	maxStackBytes = maxStackMemory / lanesPerWork
)

// Trace is one trace command, the operands of vkCmdTraceRaysKHR.
type Trace struct {
	Raygen, Miss, Hit, Callable vk.StridedRegion
	Width, Height, Depth        uint32
	// Sets are the descriptor sets from set 0 on.
	Sets []*vk.DescriptorSet
	// PushConstants are the application's, as the pipeline's shaders lay them out.
	PushConstants []byte
	// StackBytes is the stack of one lane in this command; 0 takes the pipeline's (Pipeline.StackBytes).
	StackBytes uint32
	// Faults, if not nil, receives what went wrong on the GPU, see ReadFaults; FaultBufferSize bytes, cleared before.
	Faults *vk.Buffer
}

// CmdTraceRays records a trace command. A launch with a size of zero in any direction does nothing.
func (p *Pipeline) CmdTraceRays(cb *vk.CommandBuffer, t Trace) error {
	if err := t.validate(p); err != nil {
		return err
	}
	if t.Width == 0 || t.Height == 0 || t.Depth == 0 {
		return nil
	}
	tiles := tile(t.Width, t.Height, t.Depth)
	groups := tiles.perSlice * t.Depth
	batch := min(groups, p.batchGroups(t.stackDwords(p)))
	batch += batch % 2 // a workgroup holds two
	params, reused, err := p.parameters(cb, &t, batch)
	if err != nil {
		return fmt.Errorf("trace rays with pipeline %q: %w", p.options.Name, err)
	}
	params.place(&t, tiles)

	cb.BeginLabel("trace rays by compute: " + p.options.Name)
	defer cb.EndLabel()
	cb.BindComputePipeline(p.compute)
	if len(t.Sets) > 0 {
		cb.BindDescriptorSets(vulkan.PipelineBindPointCompute, p.layout, 0, t.Sets...)
	}
	for first := uint32(0); first < groups; first += batch {
		if first > 0 || reused {
			cb.ComputeBarrier() // the stacks are used again
		}
		params.firstGroup = first
		cb.PushConstants(p.layout, vk.StageCompute, 0, params.encode())
		lanes := min(batch, groups-first) * lanesPerGroup
		cb.Dispatch((lanes+lanesPerWork-1)/lanesPerWork, 1, 1)
	}
	return nil
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
	for lanes > lanesPerWork && uint64(lanes)*uint64(stack)*4 > maxStackMemory {
		lanes /= 2
	}
	return lanes / lanesPerGroup
}

// tiling is how lane groups cover the launch.
type tiling struct{ widthLog2, perRow, perSlice uint32 }

// tile makes lane groups compact, so that neighbours in the image are neighbours in a subgroup: 8x4 pixels, or flatter
// where the launch is.
func tile(width, height, depth uint32) tiling {
	t := tiling{widthLog2: 3}
	switch {
	case height == 1:
		t.widthLog2 = 5
	case height < 4:
		t.widthLog2 = 4
	}
	w := uint32(1) << t.widthLog2
	h := lanesPerGroup / w
	t.perRow = (width + w - 1) / w
	t.perSlice = t.perRow * ((height + h - 1) / h)
	return t
}

// parameters returns what the shaders need beside the launch's size, with memory for the stacks of a batch; reused tells
// that earlier commands may use that memory.
func (p *Pipeline) parameters(cb *vk.CommandBuffer, t *Trace, batch uint32) (l *launchParams, reused bool, err error) {
	l = &launchParams{
		stackDwords: t.stackDwords(p), pipelineTag: p.tag, maxDepth: p.options.MaxRecursionDepth,
		raygenRecord: t.Raygen.Address, miss: region(t.Miss), hit: region(t.Hit), callable: region(t.Callable),
	}
	if t.Faults != nil {
		l.faults = t.Faults.Address()
	}
	lanes := uint64(batch) * lanesPerGroup
	if l.stackBase, reused, err = cb.TransientScratch(lanes*uint64(l.stackDwords)*4, 256); err != nil {
		return nil, false, fmt.Errorf("stack of %d bytes for each of %d lanes: %w", 4*l.stackDwords, lanes, err)
	}
	if l.pushConstants, err = uploadPushConstants(cb, t.PushConstants); err != nil {
		return nil, false, fmt.Errorf("push constants: %w", err)
	}
	return l, reused, nil
}

// place sets the launch's size and how lane groups cover it.
func (l *launchParams) place(t *Trace, tiles tiling) {
	l.launchSize = [3]uint32{t.Width, t.Height, t.Depth}
	l.tileWidthLog2, l.tilesPerRow, l.tilesPerSlice = tiles.widthLog2, tiles.perRow, tiles.perSlice
}

// uploadPushConstants puts the application's push constants where shaders find them: its stages may lay them out
// differently, and the runtime needs the real ones.
func uploadPushConstants(cb *vk.CommandBuffer, data []byte) (vk.DeviceAddress, error) {
	if len(data) == 0 {
		return 0, nil
	}
	// Whole vectors may be read where less was given.
	address, memory, err := cb.TransientUpload(MaxPushConstantBytes, 16)
	if err != nil {
		return 0, err
	}
	clear(memory[copy(memory, data):])
	return address, nil
}

func region(r vk.StridedRegion) tableRegion {
	return tableRegion{r.Address, uint32(r.Stride), uint32(r.Size)}
}
