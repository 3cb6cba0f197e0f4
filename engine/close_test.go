package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// TestCloseWhileRunning closes a device that several goroutines use: what runs ends well, what comes later is refused.
func TestCloseWhileRunning(t *testing.T) {
	d := open(t, engine.BackendCompute)
	var runs atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				err := d.Run(t.Context(), "run", func(cb *vk.CommandBuffer) error {
					d.CmdBarrier(cb)
					return nil
				})
				if err != nil {
					if !errors.Is(err, engine.ErrClosed) {
						t.Errorf("got %v, want ErrClosed", err)
					}
					return
				}
				runs.Add(1)
			}
		})
	}
	for runs.Load() < 20 {
		runtime.Gosched()
	}
	check(t, d.Close())
	group.Wait()
}

// endless is a launch that does not end before release is called, or before it has made a number of turns. Only devices that see
// what the host writes while they run can be released; Vulkan promises it of none, CPUs do.
type endless struct {
	flag     *vk.Buffer
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.Pipeline
	table    *engine.Table
	release  func()
}

func newEndless(t *testing.T, d *engine.Device, turns uint32) *endless {
	t.Helper()
	if turns == math.MaxUint32 && d.VK().Physical().Type != vulkan.PhysicalDeviceTypeCpu {
		t.Skip("needs a device that is a CPU")
	}
	e := &endless{}
	var err error
	e.flag, err = d.VK().NewBuffer(vk.BufferOptions{Name: "flag", Size: 256, Memory: vk.Upload})
	check(t, err)
	clear(e.flag.Mapped())
	binary.LittleEndian.PutUint32(e.flag.Mapped()[4:], turns)
	word := (*uint32)(unsafe.Pointer(&e.flag.Mapped()[0])) // lives as long as the device may read it
	e.release = sync.OnceFunc(func() { atomic.StoreUint32(word, 1) })
	if turns == math.MaxUint32 {
		t.Cleanup(e.release) // should the test fail before
	}
	e.layout, err = d.NewDescriptorSetLayout("flag", []vk.DescriptorBinding{{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer}})
	check(t, err)
	code, err := shaders.Load("enginetest/endless.rgen")
	check(t, err)
	e.pipeline, err = d.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{
		Name: "endless", SetLayouts: []*engine.DescriptorSetLayout{e.layout}, Groups: []engine.Group{engine.GeneralGroup(0)},
		Stages: []engine.Stage{{Name: "endless", Kind: engine.Raygen, Code: code}},
	})
	check(t, err)
	e.table, err = d.NewTable(t.Context(), e.pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
	check(t, err)
	e.set, err = d.NewDescriptorSet(e.layout)
	check(t, err)
	e.set.WriteBuffer(0, 0, e.flag, 0, 0)
	return e
}

func (e *endless) destroy() {
	e.set.Destroy()
	e.table.Destroy()
	e.pipeline.Destroy()
	e.layout.Destroy()
	e.flag.Destroy()
}

func (e *endless) run(ctx context.Context, d *engine.Device) error {
	return d.Run(ctx, "endless", func(cb *vk.CommandBuffer) error {
		return d.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: e.pipeline, Table: e.table, Sets: []*engine.DescriptorSet{e.set}, Width: 1, Height: 1, Depth: 1,
		})
	})
}

// TestEndlessShader runs a shader that does not end: Run and Close return, nothing is freed that the device uses, and everything
// when the shader ends after all.
func TestEndlessShader(t *testing.T) {
	d := open(t, engine.BackendCompute)
	device := d.VK()
	before := device.MemoryUse().Used
	e := newEndless(t, d, math.MaxUint32)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	isBusy := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, engine.ErrBusy) {
			t.Errorf("%s returns %v, want the context's error and ErrBusy", what, err)
		}
	}
	isBusy("Run", e.run(ctx, d))
	used := device.MemoryUse().Used
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	isBusy("the next Run", e.run(short, d))
	e.destroy()
	if now := device.MemoryUse().Used; now != used {
		t.Errorf("%d bytes were freed while the device used them", used-now)
	}
	if err := d.Close(); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("Close returns %v, want ErrBusy", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("all that took %v", took)
	}
	e.release()
	check(t, device.Settle(t.Context()))
	if now := device.MemoryUse().Used; now != before {
		t.Errorf("%d bytes in use, %d before", now, before)
	}
	check(t, d.Close())
}

// TestEndlessShaderThenMore goes on with the device when the shader has ended.
func TestEndlessShaderThenMore(t *testing.T) {
	d := open(t, engine.BackendCompute)
	e := newEndless(t, d, math.MaxUint32)
	defer e.destroy()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := e.run(ctx, d); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	e.release()
	check(t, e.run(t.Context(), d))
}

// TestCompilationOutlastsContext gives up a build and a pipeline whose kernels compile, and closes at once: Close waits for the
// compiler, and no goroutine stays behind.
func TestCompilationOutlastsContext(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	backends(t, func(t *testing.T, d *engine.Device) {
		layout, err := d.NewDescriptorSetLayout("scene and image", []vk.DescriptorBinding{
			{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
		})
		check(t, err)
		options := pipelineOptions(t, layout)
		for _, wait := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			if err := d.PrepareBuilds(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("builds: %v", err)
			}
			p, err := d.NewRayTracingPipeline(ctx, options)
			cancel()
			if err == nil {
				p.Destroy()
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("pipeline: %v", err)
			}
		}
		layout.Destroy()
		check(t, d.Close())
	})
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}
