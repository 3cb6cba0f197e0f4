package bvh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestFailures makes every Vulkan call of builders fail.
func TestFailures(t *testing.T) {
	var x vktest.Injector
	r := openRig(t, vktest.Intercept(x.Intercept))
	build := r.prepare(r.soupInput(randomSoup(rand.New(rand.NewPCG(1, 2)), 300, 0.1), 0, 0))
	used, alive := r.dev.MemoryUse().Used, r.dev.Leaks()
	settled := func() error {
		if err := r.dev.Settle(t.Context()); err != nil {
			return err
		}
		if now := r.dev.Leaks(); !slices.Equal(now, alive) {
			return fmt.Errorf("alive: %q, before: %q", now, alive)
		}
		if now := r.dev.MemoryUse().Used; now != used {
			return fmt.Errorf("%d bytes in use, %d before", now, used)
		}
		return nil
	}
	with := func(b *Builder) error {
		if err := r.dev.Run(t.Context(), "build", func(cb *vk.CommandBuffer) error { return b.CmdBuild(cb, build) }); err != nil {
			return err
		}
		s, err := inspect.Read(t.Context(), r.dev, bufferOf(build[0].Dst), 0)
		if err != nil {
			return err
		}
		_, err = s.Validate()
		return err
	}
	kernel := func() error { // the first kernel of a builder; a build would compile ten
		b, err := NewBuilder(r.dev)
		if err != nil {
			return err
		}
		defer b.Destroy()
		_, err = b.kernel(t.Context(), kernelInit)
		return err
	}
	x.Each(t, "kernels", kernel, settled)
	if err := with(r.builder); err != nil { // compiles
		t.Fatal(err)
	}
	alive = r.dev.Leaks()
	x.Each(t, "build", func() error { return with(r.builder) }, settled)
}
