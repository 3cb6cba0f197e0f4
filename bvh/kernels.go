package bvh

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// kernel is one of a Builder's, compiled when it is first needed.
type kernel struct {
	made      atomic.Pointer[vk.Kernel]
	mu        sync.Mutex
	compiling *compilation // nil when nobody compiles it
}

// compilation is a kernel on its way. Nobody can stop it, so it has a goroutine of its own, which Builder.Destroy waits for.
type compilation struct {
	done chan struct{}
	k    vk.Kernel
	err  error
}

// kernel compiles a kernel, unless it is there, and waits for it as long as the context lasts. One that failed is tried again
// the next time.
func (b *Builder) kernel(ctx context.Context, k int) (vk.Kernel, error) {
	e := &b.kernels[k]
	if made := e.made.Load(); made != nil {
		return *made, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("bvh kernel %s: %w", kernelNames[k], err)
	}
	c := e.start(func() (vk.Kernel, error) { return b.compile(k) })
	select {
	case <-c.done:
		return c.k, c.err
	case <-ctx.Done():
		return nil, fmt.Errorf("bvh kernel %s: %w", kernelNames[k], ctx.Err())
	}
}

// start has the kernel compiled, unless somebody does.
func (e *kernel) start(compile func() (vk.Kernel, error)) *compilation {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.compiling != nil {
		return e.compiling
	}
	c := &compilation{done: make(chan struct{})}
	if made := e.made.Load(); made != nil {
		c.k = *made
		close(c.done)
		return c
	}
	e.compiling = c
	go func() {
		defer close(c.done)
		c.k, c.err = compile()
		e.mu.Lock()
		defer e.mu.Unlock()
		if c.err == nil {
			e.made.Store(&c.k)
		}
		e.compiling = nil
	}()
	return c
}

// destroy waits for who compiles the kernel, and frees it.
func (e *kernel) destroy() {
	e.mu.Lock()
	c := e.compiling
	e.mu.Unlock()
	if c != nil {
		<-c.done
	}
	if made := e.made.Swap(nil); made != nil {
		(*made).Destroy()
	}
}

func (b *Builder) compile(k int) (vk.Kernel, error) {
	name := kernelNames[k]
	code, err := shaders.Load("bvh/" + name + ".comp")
	if err != nil {
		return nil, fmt.Errorf("bvh kernel: %w", err)
	}
	made, err := b.dev.NewKernel(vk.KernelOptions{Name: "bvh " + name, Code: code, Push: pushSize, Specialization: b.constants(k)})
	if err != nil {
		return nil, fmt.Errorf("bvh kernel: %w", err)
	}
	return made, nil
}

// constants are the specialisation constants of a kernel.
func (b *Builder) constants(k int) map[uint32]uint32 {
	switch k {
	case kernelHeader, kernelClusterLinearNodes:
		return map[uint32]uint32{0: layout.CompatWords[0], 1: layout.CompatWords[1], 2: layout.CompatWords[2], 3: layout.CompatWords[3]}
	case kernelRefitPlain:
		return map[uint32]uint32{2: formPlain}
	case kernelRefitInstances:
		return map[uint32]uint32{2: formInstances, 3: leavesLanes}
	case kernelRefitNodes:
		return map[uint32]uint32{1: b.refitNodes, 2: 2 * b.refitNodes}
	case kernelRefitShort:
		n := min(refitNodesShort, b.refitNodes)
		return map[uint32]uint32{1: n, 2: 2 * n}
	case kernelRefitSmall:
		return map[uint32]uint32{0: b.refitSmall}
	}
	if k < kernelClusterSizes && b.lanes != mostLanes {
		return map[uint32]uint32{4: b.lanes} // ER_LANES; other kernels have no such constant
	}
	return b.clusterConstants(k)
}

const (
	// mostLanes is the workgroup of kernels that include lanes.glsl, where the device takes as many; leastLanes is what they have
	// elsewhere, as every device does.
	mostLanes, leastLanes = 256, 128
)

// lanesOn is the lanes of those kernels on a device.
func lanesOn(l vk.Limits) uint32 {
	if l.MaxComputeWorkGroupInvocations < mostLanes || l.MaxComputeWorkGroupSize[0] < mostLanes {
		return leastLanes
	}
	return mostLanes
}

// blockGroups is the workgroups for a block of primitives, of kernels that have a lane for each.
func (b *Builder) blockGroups() uint32 { return layout.BlockSize / b.lanes }

// uses tells whether the device's limits, and its kind, leave a use for a kernel.
func (b *Builder) uses(k int) bool {
	if k >= kernelClusterSizes {
		return false // few programs have clusters: PrepareClusters
	}
	switch k {
	case kernelRefitSmall:
		return b.refitSmall > 0
	case kernelCrown:
		return b.crowns
	case kernelPLOC:
		return !b.teams
	case kernelPLOCTeam:
		return b.teams
	case kernelWiden:
		return b.wide
	}
	return true
}

// Prepare compiles all kernels that the device has a use for and that no command needed yet, on all cores, and waits. A
// program that must not wait in the middle of a frame calls it in advance; others need not. Commands may be recorded meanwhile.
// When the context ends, Prepare returns while kernels that were begun are compiled to their end.
func (b *Builder) Prepare(ctx context.Context) error { return b.prepare(ctx, b.uses) }

// prepare compiles the kernels that are wanted.
func (b *Builder) prepare(ctx context.Context, wanted func(k int) bool) error {
	var next atomic.Int32
	var wg sync.WaitGroup
	errs := make([]error, kernelCount)
	for range min(runtime.GOMAXPROCS(0), kernelCount) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < kernelCount; k = int(next.Add(1)) - 1 {
				if errs[k] = ctx.Err(); errs[k] == nil && wanted(k) {
					_, errs[k] = b.kernel(ctx, k)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}
