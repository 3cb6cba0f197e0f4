package fallback

import (
	"github.com/everray/everray/vk"
)

// Plan is what a launch records, in order: kernels, push constants, workgroups or where the device finds them, barriers. It holds
// nothing of Vulkan, and memory by address only. Record gives it to a Recorder today; a layer's code can play the steps itself.
type Plan struct {
	Name  string
	Steps []Step
}

// Step is a barrier, if Wait says so, and a kernel that runs.
type Step struct {
	Wait   vk.Wait
	Kernel vk.Kernel
	// Sets says that the kernel reads the application's descriptor sets.
	Sets bool
	// Push are the kernel's push constants, all of them.
	Push []byte
	// Groups are the workgroups, unless At is not 0: the device reads them there (VkDispatchIndirectCommand), in memory that the plan
	// has from Memory.TransientDevice.
	Groups [3]uint32
	At     vk.DeviceAddress
}

// Memory is where a launch takes memory from, for as long as the recording may run.
type Memory interface {
	// TransientUpload returns memory that the CPU fills before the recording is submitted, TransientDevice memory of the device
	// alone, whose contents are undefined. align is a power of two.
	TransientUpload(size, align uint64) (vk.DeviceAddress, []byte, error)
	TransientDevice(size, align uint64) (vk.DeviceAddress, error)
	// TransientScratch returns memory for stacks, which launches share: reused tells that others which are recorded before, or run
	// earlier, use it, too. Then the launch begins with a barrier, so that who has stacks of a queue family, and a queue of it,
	// gives the same to all command buffers.
	TransientScratch(size, align uint64) (address vk.DeviceAddress, reused bool, err error)
}

// Recorder is what launches are recorded with: a vk.CommandBuffer, or a foreign command buffer together with what gives memory
// beside it.
type Recorder interface {
	vk.Recorder
	Memory
}

// Record records a plan, with the descriptor sets of its launch.
func (plan *Plan) Record(r vk.Recorder, sets []vk.Set, offsets []uint32) {
	if len(plan.Steps) == 0 {
		return
	}
	r.BeginLabel(plan.Name)
	defer r.EndLabel()
	var bound vk.Kernel
	haveSets := len(sets) == 0
	for i := range plan.Steps {
		s := &plan.Steps[i]
		r.Barrier(s.Wait)
		if bound != s.Kernel {
			r.BindKernel(s.Kernel)
			bound = s.Kernel
		}
		if s.Sets && !haveSets {
			r.BindSets(sets, offsets)
			haveSets = true
		}
		if s.At != 0 {
			r.RunKernelAt(s.Push, s.At)
		} else {
			r.RunKernel(s.Push, s.Groups[0], s.Groups[1], s.Groups[2])
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
	kernelRivals // forms beside the wavefront form, by their numbers
	kernelShade  = kernelRivals + learnedForms
)

// step begins a step with a kernel by its number, which is made by now.
func (p *Pipeline) step(n int, w vk.Wait) Step {
	s := Step{Wait: w, Sets: true}
	switch {
	case n == kernelLaunch:
		if s.Kernel = p.compute; p.wave != nil {
			s.Kernel = p.wave.tail.made
		}
	case n == kernelSize:
		s.Kernel, s.Sets = p.indirect.prepare, false
	case n == kernelIndirect:
		s.Kernel = p.indirect.launch
	case n == kernelScan:
		s.Kernel, s.Sets = p.wave.scan, false
	case n == kernelScatter:
		s.Kernel, s.Sets = p.wave.scatter, false
	case n == kernelResume:
		s.Kernel = p.wave.resume
	case n < kernelShade:
		s.Kernel = p.learner.rivals[n-kernelRivals].made
	default:
		s.Kernel = p.wave.shade[n-kernelShade]
	}
	return s
}
