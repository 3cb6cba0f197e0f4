package engine_test

import (
	"encoding/binary"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// push returns the rig's push constants.
func push(rayFlags, cullMask uint32) []byte {
	b := binary.LittleEndian.AppendUint32(floats(1, 1, 1, 1), rayFlags)
	return binary.LittleEndian.AppendUint32(b, cullMask)
}

// options are those of one launch over the whole image.
func (r *rig) options(rayFlags, cullMask uint32) engine.TraceOptions {
	return engine.TraceOptions{
		Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: push(rayFlags, cullMask),
		Width: r.size, Height: r.size, Depth: 1,
	}
}

// record makes an ended command buffer.
func record(t *testing.T, d *engine.Device, secondary bool, name string, f func(cb *vk.CommandBuffer) error) *vk.CommandBuffer {
	t.Helper()
	create := d.VK().NewCommandBuffer
	if secondary {
		create = d.VK().NewSecondaryCommandBuffer
	}
	cb, err := create(name)
	check(t, err)
	t.Cleanup(cb.Destroy)
	check(t, cb.Begin())
	check(t, f(cb))
	check(t, cb.End())
	return cb
}

// TestTraceInSecondary traces two different launches in one secondary command buffer, and executes it several times in one
// primary and in several primaries that are in flight together.
func TestTraceInSecondary(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		scene := newScene(t, d)
		full, culled := newRig(t, d, imageSize), newRig(t, d, imageSize)
		wantFull, wantCulled := full.trace(t, scene.tlas, 0, 0xFF), culled.trace(t, scene.tlas, rayCullBack, 0xFE)
		if slices.Equal(wantFull, wantCulled) {
			t.Fatal("the two launches do not differ")
		}
		both := record(t, d, true, "two launches", func(cb *vk.CommandBuffer) error {
			d.CmdBarrier(cb) // after an earlier execution, which writes to the same images
			if err := d.CmdTraceRays(cb, full.options(0, 0xFF)); err != nil {
				return err
			}
			return d.CmdTraceRays(cb, culled.options(rayCullBack, 0xFE))
		})
		clearImages := func(cb *vk.CommandBuffer) {
			d.CmdBarrier(cb)
			for _, r := range []*rig{full, culled} {
				cb.FillBuffer(r.image, 0, r.image.Size(), 0)
			}
		}
		compare := func(what string) {
			t.Helper()
			if got := readPixels(t, d, full.image); !slices.Equal(got, wantFull) {
				t.Errorf("%s: the first launch's image differs", what)
			}
			if got := readPixels(t, d, culled.image); !slices.Equal(got, wantCulled) {
				t.Errorf("%s: the second launch's image differs", what)
			}
		}
		check(t, d.Run(t.Context(), "three times in one", func(cb *vk.CommandBuffer) error {
			clearImages(cb)
			cb.ExecuteCommands(both, both)
			cb.ExecuteCommands(both)
			d.CmdBarrier(cb)
			return nil
		}))
		compare("one primary")

		execute := func(cb *vk.CommandBuffer) error {
			clearImages(cb)
			cb.ExecuteCommands(both)
			d.CmdBarrier(cb)
			return nil
		}
		primaries := []*vk.CommandBuffer{record(t, d, false, "first", execute), record(t, d, false, "second", execute)}
		for range 2 {
			for _, p := range primaries {
				_, err := d.VK().SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{p}})
				check(t, err)
			}
			check(t, d.VK().WaitIdle())
			compare("two primaries in flight")
			for _, p := range primaries {
				check(t, d.Faults(t.Context(), p))
			}
		}
	})
}

// TestTracesInFlight submits launches of one pipeline, with nothing between them, from several command buffers.
func TestTracesInFlight(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		scene := newScene(t, d)
		masks := []uint32{0xFF, 0x01, 0xFE, 0x00}
		var rigs []*rig
		var want [][][4]float32
		for _, m := range masks {
			r := newRig(t, d, imageSize)
			rigs, want = append(rigs, r), append(want, r.trace(t, scene.tlas, 0, m))
			check(t, d.Run(t.Context(), "clear", func(cb *vk.CommandBuffer) error {
				cb.FillBuffer(r.image, 0, r.image.Size(), 0)
				return nil
			}))
		}
		for i, r := range rigs {
			cb := record(t, d, false, "launch", func(cb *vk.CommandBuffer) error { return d.CmdTraceRays(cb, r.options(0, masks[i])) })
			_, err := d.VK().SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{cb}})
			check(t, err)
		}
		check(t, d.Run(t.Context(), "wait for all", func(cb *vk.CommandBuffer) error {
			d.CmdBarrier(cb)
			return nil
		}))
		for i, r := range rigs {
			if got := readPixels(t, d, r.image); !slices.Equal(got, want[i]) {
				t.Errorf("mask %#x: the image differs", masks[i])
			}
		}
	})
}

// TestFaultsOfSecondary: Run reports what goes wrong in a secondary command buffer that was recorded before it.
func TestFaultsOfSecondary(t *testing.T) {
	d := open(t, engine.BackendCompute)
	scene := newScene(t, d)
	r := dynamicRig(t, d, imageSize)
	r.set.WriteAccelerationStructure(0, 0, scene.tlas)
	small := record(t, d, true, "small stack", func(cb *vk.CommandBuffer) error {
		o := r.options(0, 0xFF)
		o.StackBytes = 4
		return d.CmdTraceRays(cb, o)
	})
	for i := range 2 {
		err := d.Run(t.Context(), "execute", func(cb *vk.CommandBuffer) error {
			d.CmdBarrier(cb)
			cb.ExecuteCommands(small)
			return nil
		})
		if !isFault(err) {
			t.Errorf("run %d: %v, want a fault", i, err)
		}
	}
}

// dynamicRig is a rig whose launches may set their stack.
func dynamicRig(t *testing.T, d *engine.Device, size uint32) *rig {
	t.Helper()
	r := newRig(t, d, size)
	layout, err := d.NewDescriptorSetLayout("scene and image", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	check(t, err)
	t.Cleanup(layout.Destroy)
	o := pipelineOptions(t, layout)
	// The monolithic form needs no stack: the test is about those that do.
	o.DynamicStack, o.Indirect, o.Form = true, true, engine.FormMegakernel
	r.pipeline, err = d.NewRayTracingPipeline(t.Context(), o)
	check(t, err)
	t.Cleanup(r.pipeline.Destroy)
	r.table, err = d.NewTable(t.Context(), r.pipeline, tableLayout())
	check(t, err)
	t.Cleanup(r.table.Destroy)
	r.set, err = d.NewDescriptorSet(layout)
	check(t, err)
	t.Cleanup(r.set.Destroy)
	r.set.WriteBuffer(1, 0, r.image, 0, 0)
	return r
}
