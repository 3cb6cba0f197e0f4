package vk_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// spinner is a kernel that runs until the host lets it go.
type spinner struct {
	d        *vk.Device
	layout   *vk.PipelineLayout
	pipeline *vk.Pipeline
	flag     *vk.Buffer
	word     *uint32 // outlives the buffer's Destroy, as its memory does while the kernel runs
	once     sync.Once
}

func newSpinner(t *testing.T, d *vk.Device) *spinner {
	t.Helper()
	s := &spinner{d: d}
	var err error
	if s.layout, err = d.NewPipelineLayout("spin", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 8}}); err != nil {
		t.Fatal(err)
	}
	if s.pipeline, err = d.NewComputePipeline(vk.ComputePipelineOptions{Name: "spin", Code: fixture(t, "spin.comp"),
		Layout: s.layout}); err != nil {
		t.Fatal(err)
	}
	if s.flag, err = d.NewBuffer(vk.BufferOptions{Name: "flag", Size: 256, Memory: vk.Upload}); err != nil {
		t.Fatal(err)
	}
	clear(s.flag.Mapped())
	s.word = (*uint32)(unsafe.Pointer(&s.flag.Mapped()[0]))
	t.Cleanup(s.end) // a test that fails must not leave the device spinning
	return s
}

func (s *spinner) record(cb *vk.CommandBuffer) error {
	if _, err := cb.Transient(vk.DeviceLocal, 1<<20, 0); err != nil { // something that must not be freed
		return err
	}
	cb.BindComputePipeline(s.pipeline)
	address := s.flag.Address()
	cb.PushConstants(s.layout, vk.StageCompute, 0, unsafe.Slice((*byte)(unsafe.Pointer(&address)), 8))
	cb.Dispatch(1, 1, 1)
	return nil
}

func (s *spinner) end() { s.once.Do(func() { atomic.StoreUint32(s.word, 1) }) }

func (s *spinner) destroy() {
	s.flag.Destroy()
	s.pipeline.Destroy()
	s.layout.Destroy()
}

// TestEndlessWork gives up on a kernel that does not end: whatever waits ends with its context, nothing is freed that the GPU
// uses, and everything is when the kernel is let go.
func TestEndlessWork(t *testing.T) {
	d := vktest.Device(t)
	before := d.MemoryUse().Used
	s := newSpinner(t, d)
	other, err := d.NewBuffer(vk.BufferOptions{Name: "other", Size: 64})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	err = d.Run(short(), "endless", s.record)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, vk.ErrBusy) {
		t.Fatalf("Run returns %v, want the context's error and ErrBusy", err)
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"Run": func(ctx context.Context) error {
			return d.Run(ctx, "next", func(*vk.CommandBuffer) error { return nil })
		},
		"Settle": d.Settle,
		"Read":   func(ctx context.Context) error { return d.ReadBuffer(ctx, other, 0, make([]byte, 4)) },
		"Upload": func(ctx context.Context) error { return d.UploadBuffer(ctx, s.flag, 8, make([]byte, 4)) },
	} {
		if err := f(short()); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, vk.ErrBusy) {
			t.Errorf("%s returns %v, want the context's error and ErrBusy", name, err)
		}
	}
	used := d.MemoryUse().Used
	s.destroy()
	other.Destroy()
	if now := d.MemoryUse().Used; now != used {
		t.Errorf("%d bytes were freed while the GPU used them", used-now)
	}
	if err := d.Destroy(); !errors.Is(err, vk.ErrBusy) {
		t.Errorf("Destroy returns %v, want ErrBusy", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("all that took %v", took)
	}
	s.end()
	if err := d.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := d.MemoryUse().Used; now != before {
		t.Errorf("%d bytes in use, %d before", now, before)
	}
	if err := d.Destroy(); err != nil {
		t.Errorf("Destroy returns %v when the GPU is done", err)
	}
}

// TestEndlessSubmission is TestEndlessWork for command buffers that a program submits itself.
func TestEndlessSubmission(t *testing.T) {
	d := vktest.Device(t)
	s := newSpinner(t, d)
	defer s.destroy()
	record := func(f func(cb *vk.CommandBuffer) error) *vk.CommandBuffer {
		cb, err := d.NewCommandBuffer("submitted")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(cb.Begin(), f(cb), cb.End()); err != nil {
			t.Fatal(err)
		}
		return cb
	}
	endless := record(s.record)
	behind := record(func(*vk.CommandBuffer) error { return nil })
	ticket, err := d.SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{endless}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{behind}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := ticket.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Wait returns %v", err)
	}
	if err := endless.Reset(); !errors.Is(err, vk.ErrBusy) {
		t.Errorf("Reset returns %v, want ErrBusy", err)
	}
	endless.Destroy()
	behind.Destroy()
	s.end()
	if err := ticket.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestCancelledWork cancels a Run that soon ends by itself: nothing stays behind.
func TestCancelledWork(t *testing.T) {
	d := vktest.Device(t)
	s := newSpinner(t, d)
	defer s.destroy()
	before := d.MemoryUse().Used
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	time.AfterFunc(60*time.Millisecond, s.end)
	err := d.Run(ctx, "a while", s.record)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, vk.ErrBusy) {
		t.Errorf("Run returns %v, want the context's error alone", err)
	}
	if now := d.MemoryUse().Used; now != before {
		t.Errorf("%d bytes in use, %d before", now, before)
	}
}

// TestCompileInBackground ends the context of a compilation, destroys what it uses, and closes the device.
func TestCompileInBackground(t *testing.T) {
	d := vktest.Device(t)
	l, err := d.NewPipelineLayout("double", nil, []vk.PushRange{{Stages: vk.StageCompute, Size: 24}})
	if err != nil {
		t.Fatal(err)
	}
	o := vk.ComputePipelineOptions{Name: "double", Code: fixture(t, "double.comp"), Layout: l}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := d.NewComputePipelineContext(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	p.Destroy()
	given := 0
	for range 50 { // each ends at another moment of the compilation
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(given)*20*time.Microsecond)
		p, err := d.NewComputePipelineContext(ctx, o)
		cancel()
		if err == nil {
			p.Destroy()
			continue
		}
		given++
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `"double"`) {
			t.Errorf("got %v, want the context's error with the pipeline's name", err)
		}
	}
	if given == 0 {
		t.Error("no compilation was given up")
	}
	cancel()
	if _, err := d.NewComputePipelineContext(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	l.Destroy()
}
