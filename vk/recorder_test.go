package vk_test

import (
	"encoding/binary"
	"errors"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// doublePush are the push constants of testdata/double.comp.
func doublePush(src, dst vk.DeviceAddress, n uint32) []byte {
	push := binary.LittleEndian.AppendUint64(nil, src)
	push = binary.LittleEndian.AppendUint64(push, dst)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(push, n), 0)
}

// doubleKernel is testdata/double.comp as a kernel with one descriptor set, which it does not use.
func doubleKernel(t *testing.T, d *vk.Device) (vk.Kernel, vk.KernelLayout, *vk.DescriptorSet) {
	t.Helper()
	sets, err := d.NewDescriptorSetLayout("sets", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Stages: vk.StageCompute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sets.Destroy)
	layout, err := d.NewKernelLayout("double", []vk.SetLayout{sets}, 24)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(layout.Destroy)
	cache, err := d.NewKernelCache("kernels")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Destroy)
	k, err := d.NewKernel(vk.KernelOptions{Name: "double", Code: fixture(t, "double.comp"), Layout: layout, Cache: cache,
		Specialization: map[uint32]uint32{0: 3}, Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Destroy)
	if stats, err := vk.KernelStatistics(k); err != nil || d.Features().PipelineExecutableInfo && len(stats) == 0 {
		t.Errorf("statistics %v: %v", stats, err)
	}
	set, err := d.NewDescriptorSet(sets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Destroy)
	return k, layout, set
}

// TestRecorder runs a kernel through the interface: by workgroups that are known, and by such as the device reads.
func TestRecorder(t *testing.T) {
	d := vktest.Device(t)
	k, _, set := doubleKernel(t, d)
	const n = 128
	result := newBuffer(t, d, vk.BufferOptions{Name: "result", Size: 4 * n, Memory: vk.Readback})
	timer, err := d.NewTimer("spans", 2)
	if err != nil {
		t.Fatal(err)
	}
	if timer != nil {
		defer timer.Destroy()
	}
	var ran []string
	err = d.Run(t.Context(), "recorder", func(cb *vk.CommandBuffer) error {
		input, mapped, err := cb.TransientUpload(4*n, 16)
		if err != nil {
			return err
		}
		copy(mapped, words(n, func(i int) uint32 { return uint32(i) }))
		groups, err := cb.Transient(vk.DeviceLocal, 12, 16)
		if err != nil {
			return err
		}
		cb.FillBuffer(groups.Buffer, groups.Offset, 12, 1)
		cb.TransferBarrier()
		cb.WatchKernels(func(name string) { ran = append(ran, name) })
		var r vk.Recorder = cb
		record := func() error {
			r.BindKernel(k)
			r.BindSets([]vk.Set{set}, nil)
			r.RunKernel(doublePush(input, result.Address(), n), 2, 1, 1)
			r.Barrier(vk.WaitNone)
			r.Barrier(vk.WaitCompute)
			r.Barrier(vk.WaitIndirect)
			r.RunKernelAt(doublePush(result.Address(), result.Address(), n), groups.Address())
			r.Barrier(vk.WaitCommands)
			return nil
		}
		if timer == nil {
			return record()
		}
		end, err := timer.Begin(r, 1)
		if err != nil {
			return err
		}
		if err := record(); err != nil {
			return err
		}
		return end()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(n) {
		want := 3 * i
		if i < 64 { // the one workgroup that the device read
			want *= 3
		}
		if got := binary.LittleEndian.Uint32(result.Mapped()[4*i:]); got != want {
			t.Fatalf("word %d is %d, want %d", i, got, want)
		}
	}
	if len(ran) != 2 || ran[0] != "double" {
		t.Errorf("kernels %v ran", ran)
	}
	if timer != nil && (timer.Took(0) != 0 || timer.Took(1) <= 0) {
		t.Errorf("spans took %v and %v", timer.Took(0), timer.Took(1))
	}
}

// TestRecorderRefuses: what is another device's, or nobody's, fails the recording.
func TestRecorderRefuses(t *testing.T) {
	d := vktest.Device(t)
	k, _, _ := doubleKernel(t, d)
	stranger := &vktest.ForeignKernel{}
	for name, record := range map[string]func(cb *vk.CommandBuffer){
		"a kernel of another device": func(cb *vk.CommandBuffer) { cb.BindKernel(stranger) },
		"no kernel":                  func(cb *vk.CommandBuffer) { cb.RunKernel(nil, 1, 1, 1) },
		"no kernel, indirectly":      func(cb *vk.CommandBuffer) { cb.RunKernelAt(nil, 4) },
		"sets without a kernel":      func(cb *vk.CommandBuffer) { cb.BindSets([]vk.Set{named("set")}, nil) },
		"sets of another device": func(cb *vk.CommandBuffer) {
			cb.BindKernel(k)
			cb.BindSets([]vk.Set{named("set")}, nil)
		},
		"workgroups elsewhere": func(cb *vk.CommandBuffer) {
			cb.BindKernel(k)
			cb.RunKernelAt(doublePush(0, 0, 0), 4)
		},
		"a barrier that is none": func(cb *vk.CommandBuffer) { cb.Barrier(99) },
	} {
		err := d.Run(t.Context(), name, func(cb *vk.CommandBuffer) error {
			record(cb)
			return nil
		})
		if !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.NewKernelLayout("other", []vk.SetLayout{named("layout")}, 4); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a set layout of another device: %v", err)
	}
	code := fixture(t, "double.comp")
	if _, err := d.NewKernel(vk.KernelOptions{Code: code, Layout: stranger}); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a layout of another device: %v", err)
	}
	if _, err := d.NewKernel(vk.KernelOptions{Code: code, Push: 24, Cache: stranger}); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a cache of another device: %v", err)
	}
	// A recording binds its own kernel: what an earlier one bound is gone.
	cb := recorded(t, d, "first", false, func(cb *vk.CommandBuffer) { cb.BindKernel(k) })
	if err := errors.Join(cb.Reset(), cb.Begin()); err != nil {
		t.Fatal(err)
	}
	cb.RunKernel(doublePush(0, 0, 0), 1, 1, 1)
	if err := cb.End(); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a kernel of an earlier recording ran: %v", err)
	}
}

// named is a set or layout of nobody.
type named string

func (n named) Name() string { return string(n) }

// TestTimerRefuses: recordings that may run several times are not timed.
func TestTimerRefuses(t *testing.T) {
	d := vktest.Device(t)
	timer, err := d.NewTimer("spans", 1)
	if err != nil {
		t.Fatal(err)
	}
	if timer == nil {
		vktest.Missing(t, "the device has no timestamps")
	}
	defer timer.Destroy()
	recorded(t, d, "secondary", true, func(cb *vk.CommandBuffer) {
		if _, err := timer.Begin(cb, 0); timer.CanTime(cb) || !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("a secondary command buffer is timed: %v", err)
		}
	})
	recorded(t, d, "primary", false, func(cb *vk.CommandBuffer) {
		for _, span := range []int{-1, 1} {
			if _, err := timer.Begin(cb, span); !timer.CanTime(cb) || !errors.Is(err, vk.ErrInvalid) {
				t.Errorf("span %d of one: %v", span, err)
			}
		}
	})
	if r := vktest.NewForeignRecorder(t.Context()); timer.CanTime(r) {
		t.Error("a foreign recording is timed")
	}
}
