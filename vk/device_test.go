package vk_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

func TestBufferAddressesAndUse(t *testing.T) {
	d := vktest.Device(t)
	r := rand.New(rand.NewPCG(3, 4))
	type span struct{ lo, hi uint64 }
	live := map[*vk.Buffer]span{}
	for i := range 400 {
		if len(live) > 60 || len(live) > 0 && r.IntN(3) == 0 {
			for b := range live {
				b.Destroy()
				delete(live, b)
				break
			}
			continue
		}
		o := vk.BufferOptions{Name: fmt.Sprint("b", i), Size: 1 + r.Uint64N(1<<20), Memory: vk.MemoryKind(r.IntN(3)),
			Alignment: 1 << r.IntN(13)}
		b, err := d.NewBuffer(o)
		if err != nil {
			t.Fatal(err)
		}
		if b.Address()%max(o.Alignment, 256) != 0 {
			t.Fatalf("address %#x is not aligned to %d", b.Address(), o.Alignment)
		}
		s := span{b.Address(), b.Address() + o.Size}
		for _, x := range live {
			if s.lo < x.hi && x.lo < s.hi {
				t.Fatalf("[%#x, %#x) overlaps [%#x, %#x)", s.lo, s.hi, x.lo, x.hi)
			}
		}
		live[b] = s
		if o.Memory != vk.DeviceLocal && uint64(len(b.Mapped())) != o.Size {
			t.Fatalf("mapped %d of %d bytes", len(b.Mapped()), o.Size)
		}
	}
	if u := d.MemoryUse(); u.Used == 0 || u.Used > u.Allocated {
		t.Errorf("memory use %+v", u)
	}
	for b := range live {
		b.Destroy()
		b.Destroy() // idempotent
	}
	if u := d.MemoryUse(); u.Used != 0 || u.Allocated > 200<<20 {
		t.Errorf("memory use after all is freed: %+v", u)
	}
	(*vk.Buffer)(nil).Destroy()
}

func TestOutOfMemoryIsAnError(t *testing.T) {
	d := vktest.Device(t)
	_, err := d.NewBuffer(vk.BufferOptions{Name: "huge", Size: 1 << 60})
	if !errors.Is(err, vk.ErrOutOfDeviceMemory) || !strings.Contains(err.Error(), "huge") ||
		!strings.Contains(err.Error(), fmt.Sprint(uint64(1<<60))) {
		t.Errorf("error %v", err)
	}
	if most := d.Physical().Limits.MaxBufferSize; most < 1<<60 {
		if _, err := d.NewBuffer(vk.BufferOptions{Name: "long", Size: most + 1}); !errors.Is(err, vk.ErrOutOfDeviceMemory) {
			t.Errorf("one byte more than the largest buffer: %v", err)
		}
	}
	for _, o := range []vk.BufferOptions{{Name: "empty"}, {Name: "odd", Size: 1, Alignment: 3}} {
		if _, err := d.NewBuffer(o); !errors.Is(err, vk.ErrInvalid) || !strings.Contains(err.Error(), o.Name) {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
}

func TestTransfersCheckTheirRange(t *testing.T) {
	d := vktest.Device(t)
	b := newBuffer(t, d, vk.BufferOptions{Name: "small", Size: 16})
	if err := d.UploadBuffer(t.Context(), b, 8, make([]byte, 9)); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("upload: %v", err)
	}
	if err := d.ReadBuffer(t.Context(), b, ^uint64(0), make([]byte, 1)); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("read: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.UploadBuffer(ctx, b, 0, make([]byte, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLeaksAreNamed(t *testing.T) {
	d := vktest.Device(t)
	b := newBuffer(t, d, vk.BufferOptions{Name: "alive", Size: 16})
	if l := d.Leaks(); len(l) != 1 || l[0] != `buffer "alive"` {
		t.Errorf("leaks %q", l)
	}
	b.Destroy()
	if l := d.Leaks(); len(l) != 0 {
		t.Errorf("leaks %q", l)
	}
}

func TestTransientMemory(t *testing.T) {
	d := vktest.Device(t)
	const n = 3000
	k := newDoubler(t, d, vk.ComputePipelineOptions{})
	out := newBuffer(t, d, vk.BufferOptions{Name: "out", Size: 4 * n, Memory: vk.Readback})
	cb, err := d.NewCommandBuffer("transient")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cb.Destroy)
	var used vk.MemoryUse
	for round := range uint32(4) {
		if err := cb.Begin(); err != nil {
			t.Fatal(err)
		}
		for _, align := range []uint64{0, 16, 64, 4096} {
			r, err := cb.Transient(vk.Upload, 100, align)
			if err != nil {
				t.Fatal(err)
			}
			if align > 0 && r.Address()%align != 0 {
				t.Fatalf("address %#x is not aligned to %d", r.Address(), align)
			}
			if len(r.Mapped()) != 100 {
				t.Fatalf("%d bytes are mapped", len(r.Mapped()))
			}
		}
		in, mapped, err := cb.TransientUpload(4*n, 4)
		if err != nil {
			t.Fatal(err)
		}
		copy(mapped, words(n, func(i int) uint32 { return uint32(i) + round }))
		mid, err := cb.TransientDevice(300<<10, 256) // more than the first chunk
		if err != nil {
			t.Fatal(err)
		}
		k.record(cb, in, mid, n)
		cb.ComputeBarrier()
		k.record(cb, mid, out.Address(), n)
		if err := cb.End(); err != nil {
			t.Fatal(err)
		}
		if err := d.Submit(t.Context(), cb); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if v := binary.LittleEndian.Uint32(out.Mapped()[4*i:]); v != 4*(uint32(i)+round) {
				t.Fatalf("round %d, word %d: %d", round, i, v)
			}
		}
		if err := cb.Reset(); err != nil {
			t.Fatal(err)
		}
		if u := d.MemoryUse(); round > 0 && u != used {
			t.Errorf("round %d uses %+v, the one before %+v", round, u, used)
		} else {
			used = u
		}
	}
	if _, err := cb.TransientDevice(0, 1); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("no bytes: %v", err)
	}
}

func TestImageUploadSampleAndCopy(t *testing.T) {
	d := vktest.Device(t)
	img, err := d.NewImage(vk.ImageOptions{Name: "img", Width: 8, Height: 4, MipLevels: 2, Format: vulkan.FormatR8g8b8a8Unorm,
		Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit | vulkan.ImageUsageTransferSrcBit)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(img.Destroy)
	s, err := d.NewSampler(vk.SamplerOptions{Name: "s", MagFilter: vulkan.FilterLinear, MaxAnisotropy: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Destroy)
	levels := [][]byte{words(32, func(i int) uint32 { return uint32(i) * 0x01010101 }),
		words(8, func(i int) uint32 { return uint32(i) })}
	if err := d.UploadImage(t.Context(), img, levels[:1]); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("one level of two: %v", err)
	}
	if err := d.UploadImage(t.Context(), img, levels); err != nil {
		t.Fatal(err)
	}
	out := newBuffer(t, d, vk.BufferOptions{Name: "out", Size: 160, Memory: vk.Readback})
	const read, src = vulkan.ImageLayoutShaderReadOnlyOptimal, vulkan.ImageLayoutTransferSrcOptimal
	err = d.Run(t.Context(), "copy back", func(cb *vk.CommandBuffer) error {
		cb.ImageBarrier(img.Handle(), read, src, vk.StageAllCommands, vk.AccessMemoryWrite, vk.StageTransfer, vk.AccessTransferRead)
		cb.CopyImageToBuffer(img.Handle(), src, out, vk.ImageRegion{Width: 8, Height: 4})
		cb.CopyImageToBuffer(img.Handle(), src, out, vk.ImageRegion{BufferOffset: 128, Level: 1, Width: 4, Height: 2})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := append(append([]byte{}, levels[0]...), levels[1]...); !bytes.Equal(out.Mapped(), want) {
		t.Errorf("read % x, want % x", out.Mapped(), want)
	}
}

// TestConcurrentRecording makes buffers, records and submits from several goroutines.
func TestConcurrentRecording(t *testing.T) {
	d := vktest.Device(t)
	k := newDoubler(t, d, vk.ComputePipelineOptions{})
	var wg sync.WaitGroup
	for g := range uint32(6) {
		wg.Go(func() {
			for range 5 {
				b, err := d.NewBuffer(vk.BufferOptions{Name: "mine", Size: 4000, Memory: vk.Readback})
				if err != nil {
					t.Error(err)
					return
				}
				copy(b.Mapped(), words(1000, func(i int) uint32 { return g*1000 + uint32(i) }))
				if err := d.Run(t.Context(), "mine", func(cb *vk.CommandBuffer) error {
					k.record(cb, b.Address(), b.Address(), 1000)
					return nil
				}); err != nil {
					t.Error(err)
				}
				for i := range uint32(1000) {
					if v := binary.LittleEndian.Uint32(b.Mapped()[4*i:]); v != 2*(g*1000+i) {
						t.Errorf("word %d is %d", i, v)
						break
					}
				}
				b.Destroy()
			}
		})
	}
	wg.Wait()
}

// TestPipelinesSurviveTheCollector is vulkan-go's use after free (platform-facts 0.3), which this package must not have.
func TestPipelinesSurviveTheCollector(t *testing.T) {
	d := vktest.Device(t, vktest.NoValidation())
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	l, err := d.NewPipelineLayout("double", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 24}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Destroy)
	code := fixture(t, "double.comp")
	for end := time.Now().Add(700 * time.Millisecond); time.Now().Before(end); {
		p, err := d.NewComputePipeline(vk.ComputePipelineOptions{Name: "double", Code: code, Layout: l,
			Specialization: map[uint32]uint32{0: 5}})
		if err != nil {
			t.Fatal(err)
		}
		p.Destroy()
	}
	close(stop)
	wg.Wait()
}

func TestSubmitHonoursItsContext(t *testing.T) {
	d := vktest.Device(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	err := d.Run(ctx, "never", func(*vk.CommandBuffer) error { ran = true; return nil })
	if !errors.Is(err, context.Canceled) || ran {
		t.Errorf("error %v, ran %v", err, ran)
	}
	if err := (vk.Ticket{}).Wait(ctx); err != nil {
		t.Errorf("the zero ticket: %v", err)
	}
}

func TestErrorsOfRecordingComeFromEnd(t *testing.T) {
	d := vktest.Device(t)
	b := newBuffer(t, d, vk.BufferOptions{Name: "b", Size: 16})
	err := d.Run(t.Context(), "bad", func(cb *vk.CommandBuffer) error {
		cb.UpdateBuffer(b, 0, make([]byte, 3))
		return nil
	})
	if !errors.Is(err, vk.ErrInvalid) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("error %v", err)
	}
	want := errors.New("mine")
	if err := d.Run(t.Context(), "bad", func(*vk.CommandBuffer) error { return want }); !errors.Is(err, want) {
		t.Errorf("error %v", err)
	}
}

func TestBadCodeIsRefused(t *testing.T) {
	d := vktest.Device(t)
	l, err := d.NewPipelineLayout("none", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Destroy)
	for _, o := range []vk.ComputePipelineOptions{
		{Name: "no code", Layout: l}, {Name: "no layout", Code: fixture(t, "copy.comp")},
		{Name: "not spir-v", Layout: l, Code: []uint32{1, 2, 3, 4, 5}},
	} {
		if _, err := d.NewComputePipeline(o); !errors.Is(err, vk.ErrInvalid) || !strings.Contains(err.Error(), o.Name) {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	if _, err := d.NewPipelineLayout("much", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 1 << 20}}); !errors.Is(err,
		vk.ErrInvalid) {
		t.Errorf("push constants: %v", err)
	}
	o := vk.ComputePipelineOptions{Name: "size", Layout: l, Code: fixture(t, "copy.comp"), RequiredSubgroupSize: 1 << 20}
	if _, err := d.NewComputePipeline(o); !errors.Is(err, vk.ErrMissingFeature) {
		t.Errorf("subgroup size: %v", err)
	}
}

func TestInstancesComeAndGo(t *testing.T) {
	vktest.Device(t) // skips where there is no Vulkan
	for range 3 {
		i, err := vk.NewInstance(vk.InstanceOptions{AppName: "again"})
		if err != nil {
			t.Fatal(err)
		}
		all, err := i.PhysicalDevices()
		if err != nil || len(all) == 0 {
			t.Errorf("%d devices, %v", len(all), err)
		}
		i.Destroy()
		i.Destroy()
	}
	if _, err := vk.NewInstance(vk.InstanceOptions{Extensions: []string{"VK_EXT_nonsense"}}); !errors.Is(err, vk.ErrMissingExtension) {
		t.Errorf("nonsense extension: %v", err)
	}
}

func TestFeaturesAreEnabled(t *testing.T) {
	d := vktest.Device(t)
	f := d.Features()
	for name, ok := range map[string]bool{"bufferDeviceAddress": f.BufferDeviceAddress, "scalarBlockLayout": f.ScalarBlockLayout,
		"synchronization2": f.Synchronization2, "timelineSemaphore": f.TimelineSemaphore} {
		if !ok {
			t.Errorf("%s is not enabled", name)
		}
	}
	l := d.Physical().Limits
	if l.MaxPushConstantsSize < 128 || l.SubgroupSize == 0 || l.MaxComputeWorkGroupInvocations < 128 || l.TimestampPeriod <= 0 {
		t.Errorf("limits %+v", l)
	}
}
