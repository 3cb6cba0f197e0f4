package fallback

import (
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Plan is what a launch records, in order. It holds no Vulkan object but buffers: whoever records it looks kernels up by their
// numbers. Package vk's command buffers play it today (Pipeline.play); a layer's code can.
type Plan struct {
	Name  string
	Steps []Step
}

// Step is a barrier, if Wait says so, and a dispatch.
type Step struct {
	Wait   Wait
	Kernel int
	// Push are the kernel's push constants, all of them.
	Push []byte
	// Groups are the workgroups, unless At has a buffer, which holds them (VkDispatchIndirectCommand).
	Groups [3]uint32
	At     vk.Range
}

// Wait is what a step waits for.
type Wait int

// The barriers of a plan.
const (
	// WaitNone: nothing.
	WaitNone Wait = iota
	// WaitCompute: what kernels before it read and wrote.
	WaitCompute
	// WaitIndirect: the same, for arguments of indirect dispatches as well.
	WaitIndirect
	// WaitCommands: kernels before it, and what the application made visible to indirect commands.
	WaitCommands
)

// Memory is where a plan takes memory from, for as long as the recording lives. *vk.CommandBuffer is one.
type Memory interface {
	Transient(kind vk.MemoryKind, size, align uint64) (vk.Range, error)
	TransientUpload(size, align uint64) (vk.DeviceAddress, []byte, error)
	TransientScratch(size, align uint64) (address vk.DeviceAddress, reused bool, err error)
}

// kernel is a compute pipeline with its layout.
type kernel struct {
	pipeline *vk.Pipeline
	layout   *vk.PipelineLayout
	sets     bool // it reads the application's descriptor sets
}

// play records a plan of a trace command.
func (p *Pipeline) play(cb *vk.CommandBuffer, plan *Plan, t *Trace) {
	cb.BeginLabel(plan.Name)
	defer cb.EndLabel()
	bound, haveSets := -1, len(t.Sets) == 0
	for i := range plan.Steps {
		s := &plan.Steps[i]
		switch s.Wait {
		case WaitCompute:
			cb.ComputeBarrier()
		case WaitIndirect:
			cb.IndirectBarrier()
		case WaitCommands:
			const shader = vk.AccessShaderRead | vk.AccessShaderWrite
			cb.MemoryBarrier(vk.StageDrawIndirect|vk.StageComputeShader, shader|vk.AccessIndirectCommandRead, vk.StageComputeShader, shader)
		}
		k := p.kernel(s.Kernel)
		if bound != s.Kernel {
			cb.BindComputePipeline(k.pipeline)
			bound = s.Kernel
		}
		if k.sets && !haveSets {
			cb.BindDescriptorSetsAt(vulkan.PipelineBindPointCompute, k.layout, 0, t.Sets, t.DynamicOffsets)
			haveSets = true
		}
		cb.PushConstants(k.layout, vk.StageCompute, 0, s.Push)
		if s.At.Buffer != nil {
			cb.DispatchIndirect(s.At.Buffer, s.At.Offset)
		} else {
			cb.Dispatch(s.Groups[0], s.Groups[1], s.Groups[2])
		}
	}
}

// The numbers of kernels. Those of the wavefront form that shade follow kernelShade.
const (
	kernelLaunch   = iota // the module, for direct launches; the wavefront form's tail
	kernelSize            // indirect launches: completes the parameters
	kernelIndirect        // the module, for indirect launches
	kernelScan
	kernelScatter
	kernelResume
	kernelAlone // the monolithic form beside the wavefront form
	kernelShade
)

// kernel returns a kernel by its number.
func (p *Pipeline) kernel(n int) kernel {
	switch n {
	case kernelLaunch:
		if p.wave != nil {
			return kernel{p.wave.tail.made, p.layout, true}
		}
		return kernel{p.compute, p.layout, true}
	case kernelSize:
		return kernel{p.indirect.prepare, p.indirect.layout, false}
	case kernelIndirect:
		return kernel{p.indirect.launch, p.layout, true}
	case kernelScan:
		return kernel{p.wave.scan, p.wave.sortLayout, false}
	case kernelScatter:
		return kernel{p.wave.scatter, p.wave.sortLayout, false}
	case kernelResume:
		return kernel{p.wave.resume, p.layout, true}
	}
	if n == kernelAlone {
		return kernel{p.learner.alone.made, p.layout, true}
	}
	return kernel{p.wave.shade[n-kernelShade], p.layout, true}
}
