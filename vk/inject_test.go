package vk_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// settled compares what a device has with what it had.
func settled(t *testing.T, d *vk.Device) func() error {
	used, alive := d.MemoryUse().Used, d.Leaks()
	return func() error {
		if err := d.Settle(t.Context()); err != nil {
			return err
		}
		if now := d.Leaks(); !slices.Equal(now, alive) {
			return fmt.Errorf("alive: %q, before: %q", now, alive)
		}
		if now := d.MemoryUse().Used; now != used {
			return fmt.Errorf("%d bytes in use, %d before", now, used)
		}
		return nil
	}
}

// TestFailures makes every call of package vk fail.
func TestFailures(t *testing.T) {
	var x vktest.Injector
	d := vktest.Device(t, vktest.Native(), vktest.Intercept(x.Intercept))
	for _, s := range (failing{t, d}).steps() {
		x.Each(t, s.name, s.step, settled(t, d))
	}
}

// steps are what TestFailures makes fail, call by call.
func (f failing) steps() []failingStep {
	return []failingStep{
		{"buffers", f.buffers}, {"images", f.images}, {"descriptors", f.descriptors}, {"pipelines", f.pipelines},
		{"recording", f.recording}, {"secondary", f.secondary}, {"queries", f.queries}, {"structures", f.structures},
		{"texels", f.texels}, {"graphics", f.graphics}, {"polled", f.polled},
	}
}

type failingStep struct {
	name string
	step func() error
}

// TestFailuresOfDevices makes the calls fail that open and close a device.
func TestFailuresOfDevices(t *testing.T) {
	var x vktest.Injector
	x.Each(t, "devices", func() error { return openAndClose(x.Intercept) }, func() error { return nil })
}

// openAndClose makes an instance and a device.
func openAndClose(intercept func(call string) vulkan.Result) error {
	i, err := vk.NewInstance(vk.InstanceOptions{AppName: "failures", Intercept: intercept})
	if err != nil {
		return fmt.Errorf("instance %q: %w", "failures", err)
	}
	defer i.Destroy()
	all, err := i.PhysicalDevices()
	if err != nil {
		return fmt.Errorf("instance %q: %w", "failures", err)
	}
	d, err := vk.NewDevice(all[0], vk.DeviceOptions{Name: "failures"})
	if err != nil {
		return err
	}
	return d.Destroy()
}

type failing struct {
	t *testing.T
	d *vk.Device
}

func (f failing) buffers() error {
	want := bytes.Repeat([]byte{1, 2, 3}, 100000)
	for _, o := range []vk.BufferOptions{
		{Name: "near", Size: 300000}, {Name: "large", Size: 40 << 20}, {Name: "aligned", Size: 33 << 20, Alignment: 1 << 16},
		{Name: "upload", Size: 300000, Memory: vk.Upload}, {Name: "back", Size: 20 << 20, Memory: vk.Readback},
	} {
		b, err := f.d.NewBuffer(o)
		if err != nil {
			return err
		}
		defer b.Destroy()
		got := make([]byte, len(want))
		if err := errors.Join(f.d.UploadBuffer(f.t.Context(), b, 0, want), f.d.ReadBuffer(f.t.Context(), b, 0, got)); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("buffer %q lost its bytes", o.Name)
		}
	}
	return nil
}

func (f failing) images() error {
	i, err := f.d.NewImage(vk.ImageOptions{Name: "image", Width: 16, Height: 16, MipLevels: 1, Format: vulkan.FormatR8g8b8a8Unorm,
		Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit)})
	if err != nil {
		return err
	}
	defer i.Destroy()
	s, err := f.d.NewSampler(vk.SamplerOptions{Name: "sampler"})
	if err != nil {
		return err
	}
	defer s.Destroy()
	return f.d.UploadImage(f.t.Context(), i, [][]byte{make([]byte, 16*16*4)})
}

func (f failing) descriptors() error {
	l, err := f.d.NewDescriptorSetLayout("layout", []vk.DescriptorBinding{{Type: vulkan.DescriptorTypeStorageBuffer,
		Stages: vk.StageCompute}})
	if err != nil {
		return err
	}
	defer l.Destroy()
	s, err := f.d.NewDescriptorSet(l)
	if err != nil {
		return err
	}
	defer s.Destroy()
	return nil
}

func (f failing) pipelines() error {
	c, err := f.d.NewPipelineCache("cache", nil)
	if err != nil {
		return err
	}
	defer c.Destroy()
	other, err := f.d.NewPipelineCache("other cache", nil)
	if err != nil {
		return err
	}
	defer other.Destroy()
	l, err := f.d.NewPipelineLayout("double", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 24}})
	if err != nil {
		return err
	}
	defer l.Destroy()
	p, err := f.d.NewComputePipelineContext(f.t.Context(), vk.ComputePipelineOptions{
		Name: "double", Code: fixture(f.t, "double.comp"), Layout: l, Cache: c, Statistics: true,
	})
	if err != nil {
		return err
	}
	defer p.Destroy()
	if _, err := p.Statistics(); err != nil {
		return err
	}
	if _, err := c.Data(); err != nil {
		return err
	}
	return c.Merge(other)
}

func (f failing) recording() error {
	cb, err := f.d.NewCommandBuffer("recording")
	if err != nil {
		return err
	}
	defer cb.Destroy()
	for range 2 {
		if err := cb.Begin(); err != nil {
			return err
		}
		r, err := cb.Report(64)
		if err != nil {
			return err
		}
		if _, err := cb.Transient(vk.DeviceLocal, 1<<20, 0); err != nil {
			return err
		}
		cb.FillBuffer(r.Buffer, r.Offset+16, 4, 5)
		if err := cb.End(); err != nil {
			return err
		}
		if err := f.d.Submit(f.t.Context(), cb); err != nil {
			return err
		}
		if list, err := cb.Reports(f.t.Context()); err != nil {
			return err
		} else if len(list) != 1 || list[0][16] != 5 {
			return fmt.Errorf("got %v", list)
		}
		if err := cb.Reset(); err != nil {
			return err
		}
	}
	s, err := f.d.NewSemaphore("semaphore")
	if err != nil {
		return err
	}
	defer s.Destroy()
	return f.d.WaitIdle()
}

func (f failing) secondary() error {
	s, err := f.d.NewSecondaryCommandBuffer("secondary")
	if err != nil {
		return err
	}
	defer s.Destroy()
	if err := s.Begin(); err != nil {
		return err
	}
	if _, err := s.Report(64); err != nil {
		return err
	}
	if err := s.End(); err != nil {
		return err
	}
	return f.d.Run(f.t.Context(), "primary", func(cb *vk.CommandBuffer) error {
		cb.ExecuteCommands(s)
		return nil
	})
}

func (f failing) queries() error {
	q, err := f.d.NewQueryPool(2)
	if err != nil {
		return err
	}
	defer q.Destroy()
	if err := f.d.Run(f.t.Context(), "timestamps", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(q, 0, 2)
		cb.WriteTimestamp(q, 0)
		cb.WriteTimestamp(q, 1)
		return nil
	}); err != nil {
		return err
	}
	_, err = q.Results()
	return err
}

func (f failing) structures() error {
	b, err := f.d.NewBuffer(vk.BufferOptions{Name: "storage", Size: 4096, AccelerationStructureStorage: true})
	if err != nil {
		return err
	}
	defer b.Destroy()
	a, err := f.d.NewNativeAccelerationStructure(vk.BottomLevel, b, 0, 4096, "structure")
	if err != nil {
		return err
	}
	a.Destroy()
	return nil
}
