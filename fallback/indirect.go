package fallback

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// IndirectTrace is a trace command whose size the GPU reads: the operands of vkCmdTraceRaysIndirectKHR, and with Tables
// those of vkCmdTraceRaysIndirect2KHR.
type IndirectTrace struct {
	// Trace holds everything else. Its Width, Height and Depth are not read, its regions not with Tables.
	Trace
	// Command is the device address, a multiple of 4, of a VkTraceRaysIndirectCommandKHR: width, height and depth.
	Command vk.DeviceAddress
	// Tables says that Command is that of a VkTraceRaysIndirectCommand2KHR, which holds the tables' regions, too.
	Tables bool
}

// The commands' sizes in bytes.
const (
	// IndirectCommandSize is that of VkTraceRaysIndirectCommandKHR.
	IndirectCommandSize = 12
	// IndirectCommand2Size is that of VkTraceRaysIndirectCommand2KHR without its padding.
	IndirectCommand2Size = 100
)

// indirectVariant is what indirect launches run: a kernel that completes the launch's parameters, and the pipeline's module
// linked to read them from memory.
type indirectVariant struct {
	made    atomic.Bool   // with all that it needs; nothing below changes then, but by destroy
	turn    chan struct{} // has one element while somebody makes it: others wait no longer than their contexts
	prepare vk.Kernel
	launch  vk.Kernel
}

// indirectArguments is the size of the kernel's push constants.
const indirectArguments = 44

// PrepareIndirect links and compiles what indirect launches need. It blocks as NewPipeline does; a second call does nothing.
// CmdTraceRaysIndirect calls it where PipelineOptions.Indirect did not.
func (p *Pipeline) PrepareIndirect(ctx context.Context) error {
	v := &p.indirect
	if v.made.Load() {
		return nil
	}
	select {
	case v.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("pipeline %q: indirect launches: waiting for who compiles them: %w", p.options.Name, ctx.Err())
	}
	defer func() { <-v.turn }()
	if v.made.Load() {
		return nil // by who had the turn before
	}
	if err := p.makeIndirect(ctx, v); err != nil {
		v.destroy()
		return fmt.Errorf("pipeline %q: indirect launches: %w", p.options.Name, err)
	}
	v.made.Store(true)
	return nil
}

func (p *Pipeline) makeIndirect(ctx context.Context, v *indirectVariant) error {
	code, err := shaders.Load("fallback/indirect.comp")
	if err != nil {
		return err
	}
	name := p.options.Name + ", indirect"
	o := vk.KernelOptions{Name: name + ", size", Code: code, Push: indirectArguments, Cache: p.options.Cache.driver()}
	if v.prepare, err = p.dev.NewKernelContext(ctx, o); err != nil {
		return err
	}
	if p.wave != nil {
		return p.wave.tail.wait(ctx) // its kernels read their parameters from memory anyway
	}
	start := time.Now()
	linked, cached, err := p.options.link(ctx, true)
	if err != nil {
		return err
	}
	compiled, linked, err := p.compile(ctx, name, linked, cached, true)
	if err != nil {
		return err
	}
	v.launch = compiled
	// The handles in tables are those of the direct module.
	for i, entry := range linked.Entries {
		if entry != p.entries[i] {
			return fmt.Errorf("internal error: stage %d is number %d, for direct launches %d: %w", i, entry, p.entries[i], ErrInvalid)
		}
	}
	p.dev.Logger().Debug("pipeline linked for indirect launches", "pipeline", p.options.Name, "took", time.Since(start))
	return nil
}

func (v *indirectVariant) destroy() {
	destroy(v.launch, v.prepare)
	v.launch, v.prepare = nil, nil
}

// CmdTraceRaysIndirect records a trace command whose size the GPU reads when it runs; a size of zero in any direction does
// nothing, one beyond the limit of a launch is cut to it. The first command of a pipeline compiles a second module, which
// blocks as long as the context of the Run that records it, unless PipelineOptions.Indirect or PrepareIndirect did so before.
//
// The command is read in the compute stage; a barrier that makes it visible to the draw indirect stage, as Vulkan has it,
// does as well. Stacks are those of a whole batch (64 lanes to a million), as the size is not known.
func (p *Pipeline) CmdTraceRaysIndirect(cb Recorder, t IndirectTrace) error {
	plan, err := p.PlanTraceRaysIndirect(cb.Context(), cb, t)
	if err != nil {
		return err
	}
	plan.Record(cb, t.Sets, t.DynamicOffsets)
	return nil
}

// PlanTraceRaysIndirect returns what CmdTraceRaysIndirect records, with memory for it.
func (p *Pipeline) PlanTraceRaysIndirect(ctx context.Context, from Memory, t IndirectTrace) (*Plan, error) {
	if err := t.validate(p); err != nil {
		return nil, err
	}
	if err := p.PrepareIndirect(ctx); err != nil {
		return nil, err
	}
	plan := p.planIndirect
	if p.wave != nil {
		plan = p.planWaveIndirect
	}
	out, err := plan(from, &t)
	if err != nil {
		return nil, fmt.Errorf("trace rays indirectly with pipeline %q: %w", p.options.Name, err)
	}
	return out, nil
}

// planIndirect plans an indirect launch by one kernel.
func (p *Pipeline) planIndirect(from Memory, t *IndirectTrace) (*Plan, error) {
	batch := p.batchGroups(t.stackDwords(p))
	params, _, err := p.parameters(from, &t.Trace, p.stats.Form, batch)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Name: "trace rays indirectly by compute: " + p.options.Name}
	block, err := p.planSize(plan, from, t, params, batch)
	if err != nil {
		return nil, err
	}
	// All of the layout's range is set: the validation layer asks for what a module might read.
	push := make([]byte, launchBytes)
	binary.LittleEndian.PutUint64(push, block)
	s := p.step(kernelIndirect, vk.WaitIndirect)
	s.Push, s.At = push, block+launchBytes
	plan.Steps = append(plan.Steps, s)
	return plan, nil
}

// planSize appends the kernel that completes the parameters of a launch, and returns where it puts them, the arguments of a
// dispatch behind them.
func (p *Pipeline) planSize(plan *Plan, from Memory, t *IndirectTrace, params *launchParams, batch uint32) (
	block vk.DeviceAddress, err error) {
	known, memory, err := from.TransientUpload(launchBytes, 16)
	if err != nil {
		return 0, fmt.Errorf("parameters: %w", err)
	}
	copy(memory, params.encode())
	if block, err = from.TransientDevice(launchBytes+16, 16); err != nil {
		return 0, fmt.Errorf("parameters: %w", err)
	}
	// It waits for what the application made visible to indirect commands, and for everything that used the stacks before,
	// or this block: an earlier execution of a secondary command buffer.
	s := p.step(kernelSize, vk.WaitCommands)
	s.Push, s.Groups = t.arguments(known, block, batch), [3]uint32{1, 1, 1}
	plan.Steps = append(plan.Steps, s)
	return block, nil
}

// sizeArguments are the push constants of indirect.comp.
//
//glsl:fallback/indirect.comp Arguments
type sizeArguments struct {
	command, known, launch, dispatch uint64
	tables, batchGroups, maxRays     uint32
}

var _ [indirectArguments]byte = [unsafe.Offsetof(sizeArguments{}.maxRays) + 4]byte{}

// arguments encodes the kernel's push constants.
func (t *IndirectTrace) arguments(known, block vk.DeviceAddress, batch uint32) []byte {
	a := sizeArguments{command: t.Command, known: known, launch: block, dispatch: block + launchBytes,
		batchGroups: batch, maxRays: maxLaunchSize}
	if t.Tables {
		a.tables = 1
	}
	return slices.Clone(vk.Bytes(&a)[:indirectArguments])
}

// validate checks what the host can see of an indirect trace command.
func (t *IndirectTrace) validate(p *Pipeline) error {
	direct := t.Trace
	direct.Width, direct.Height, direct.Depth = 0, 0, 0
	if t.Tables {
		// The GPU reads the tables: only a record that stands for them is checked.
		any := vk.StridedRegion{Address: tableAlignment, Stride: HandleSize, Size: HandleSize}
		direct.Raygen, direct.Miss, direct.Hit, direct.Callable = any, any, any, any
	}
	if err := direct.validate(p); err != nil {
		return err
	}
	if t.Command == 0 || t.Command%4 != 0 {
		return fmt.Errorf("trace rays indirectly with pipeline %q: Command is %#x, not the address of a command (a multiple of 4): %w",
			p.options.Name, t.Command, ErrInvalid)
	}
	return nil
}
