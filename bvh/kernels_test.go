package bvh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// made counts the kernels that are compiled.
func (b *Builder) made() (n int) {
	for k := range b.kernels {
		if b.kernels[k].made.Load() != nil {
			n++
		}
	}
	return n
}

// TestKernelsWhenNeeded compiles kernels by the commands that need them, for several goroutines at once, and all others by
// Prepare. What is destroyed leaves nothing behind: the device looks.
func TestKernelsWhenNeeded(t *testing.T) {
	r := newRig(t)
	if n := r.builder.made(); n != 0 {
		t.Errorf("a new builder has compiled %d kernels", n)
	}
	builds := r.prepare(r.soupInput(make(soup, 9*3), vk.PreferFastBuild, 0))
	record := func(cb *vk.CommandBuffer) error { return r.builder.CmdBuild(cb, builds) }
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			cb, err := r.dev.NewCommandBuffer("kernels")
			if err != nil {
				errs[i] = err
				return
			}
			defer cb.Destroy()
			errs[i] = errors.Join(cb.Begin(), record(cb), cb.End())
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	few := r.builder.made()
	if err := r.dev.Run(t.Context(), "again", record); err != nil {
		t.Fatal(err)
	}
	if n := r.builder.made(); few == 0 || n != few || few > kernelCount/2 {
		t.Errorf("%d kernels for a linear tree, %d when it is built again, of %d", few, n, kernelCount)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.builder.Prepare(ctx); !errors.Is(err, context.Canceled) || r.builder.made() != few {
		t.Errorf("cancelled: %v, %d kernels", err, r.builder.made())
	}
	for range 2 {
		if err := r.builder.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for k, name := range kernelNames {
		if (r.builder.kernels[k].made.Load() != nil) != r.builder.uses(k) {
			t.Errorf("%s: used %v, which Prepare knows otherwise", name, r.builder.uses(k))
		}
	}
}

// noKernels is a device whose driver makes no kernels.
type noKernels struct{ *vk.Device }

func (noKernels) NewKernel(o vk.KernelOptions) (vk.Kernel, error) {
	return nil, fmt.Errorf("kernel %q: %w", o.Name, vk.ErrInvalid)
}

// TestKernelFails has commands without a kernel fail by its name, and work once it can be had.
func TestKernelFails(t *testing.T) {
	dev := vktest.Device(t)
	r := &rig{TB: t, dev: dev}
	var err error
	if r.builder, err = NewBuilder(dev); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.builder.Destroy)
	builds := r.prepare(r.soupInput(make(soup, 9*3), 0, 0))
	build := func(cb *vk.CommandBuffer) error { return r.builder.CmdBuild(cb, builds) }
	r.builder.dev = noKernels{dev}
	for name, f := range map[string]func() error{
		"CmdBuild": func() error { return dev.Run(t.Context(), "build", build) },
		"CmdCopy": func() error {
			return dev.Run(t.Context(), "copy", func(cb *vk.CommandBuffer) error {
				to := r.buffer("copy", builds[0].Dst.Size())
				return r.builder.CmdCopy(cb, []Copy{{Mode: vk.CopyClone, Src: Range{Buffer: builds[0].Dst, Size: builds[0].Dst.Size()},
					Dst: Range{Buffer: to, Size: to.Size()}}})
			})
		},
		"Prepare": func() error { return r.builder.Prepare(t.Context()) },
	} {
		if err := f(); !errors.Is(err, vk.ErrInvalid) || !strings.Contains(err.Error(), "bvh ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.builder.dev = dev
	if err := dev.Run(t.Context(), "build", build); err != nil {
		t.Error(err)
	}
}
