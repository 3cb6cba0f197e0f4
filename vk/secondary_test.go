package vk_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// recorded makes an ended command buffer.
func recorded(t *testing.T, d *vk.Device, name string, secondary bool, record func(cb *vk.CommandBuffer)) *vk.CommandBuffer {
	t.Helper()
	newBuffer := d.NewCommandBuffer
	if secondary {
		newBuffer = d.NewSecondaryCommandBuffer
	}
	cb, err := newBuffer(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cb.Destroy)
	if err := cb.Begin(); err != nil {
		t.Fatal(err)
	}
	record(cb)
	if err := cb.End(); err != nil {
		t.Fatal(err)
	}
	return cb
}

// TestSecondary doubles numbers in a secondary command buffer that two primaries, in flight together, execute five times.
func TestSecondary(t *testing.T) {
	d := vktest.Device(t)
	const n = 1000
	kernel := newDoubler(t, d, vk.ComputePipelineOptions{})
	data := newBuffer(t, d, vk.BufferOptions{Name: "data", Size: 4 * n, Memory: vk.Readback})
	for i := range n {
		binary.LittleEndian.PutUint32(data.Mapped()[4*i:], uint32(i))
	}
	double := recorded(t, d, "double", true, func(cb *vk.CommandBuffer) {
		cb.ComputeBarrier()
		kernel.record(cb, data.Address(), data.Address(), n)
	})
	if !double.Secondary() || double.Executes() {
		t.Errorf("secondary %v, executes %v", double.Secondary(), double.Executes())
	}
	twice := recorded(t, d, "twice", false, func(cb *vk.CommandBuffer) { cb.ExecuteCommands(double, double) })
	thrice := recorded(t, d, "thrice", false, func(cb *vk.CommandBuffer) {
		cb.ExecuteCommands()
		for range 3 {
			cb.ExecuteCommands(double)
		}
	})
	if twice.Secondary() || !twice.Executes() {
		t.Errorf("primary: secondary %v, executes %v", twice.Secondary(), twice.Executes())
	}
	if _, err := d.SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{twice}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Submit(t.Context(), thrice); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := binary.LittleEndian.Uint32(data.Mapped()[4*i:]); got != uint32(i)<<5 {
			t.Fatalf("number %d: %d, want %d", i, got, i<<5)
		}
	}
	// Reset waits for the primaries, and the recording can be another.
	if err := double.Reset(); err != nil {
		t.Fatal(err)
	}
}

// TestSecondaryTransient shows that a secondary keeps its transient memory through all executions, and that scratch memory
// counts as used before already for its first user.
func TestSecondaryTransient(t *testing.T) {
	d := vktest.Device(t)
	const n = 64
	kernel := newDoubler(t, d, vk.ComputePipelineOptions{})
	result := newBuffer(t, d, vk.BufferOptions{Name: "result", Size: 4 * n, Memory: vk.Readback})
	secondary := recorded(t, d, "secondary", true, func(cb *vk.CommandBuffer) {
		input, mapped, err := cb.TransientUpload(4*n, 16)
		if err != nil {
			t.Fatal(err)
		}
		copy(mapped, words(n, func(i int) uint32 { return uint32(i) }))
		cb.ComputeBarrier()
		kernel.record(cb, input, result.Address(), n)
		if _, reused, err := cb.TransientScratch(256, 16); err != nil || !reused {
			t.Errorf("scratch of a secondary: reused %v, %v", reused, err)
		}
	})
	for round := range 3 {
		clear(result.Mapped())
		err := d.Run(t.Context(), "primary", func(cb *vk.CommandBuffer) error {
			if _, reused, err := cb.TransientScratch(256, 16); err != nil || reused {
				t.Errorf("first scratch of a primary: reused %v, %v", reused, err)
			}
			if _, reused, err := cb.TransientScratch(128, 16); err != nil || !reused {
				t.Errorf("second scratch of a primary: reused %v, %v", reused, err)
			}
			cb.ExecuteCommands(secondary)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := binary.LittleEndian.Uint32(result.Mapped()[4*i:]); got != uint32(2*i) {
				t.Fatalf("round %d, number %d: %d, want %d", round, i, got, 2*i)
			}
		}
	}
}

func TestSecondaryRefuses(t *testing.T) {
	d := vktest.Device(t)
	empty := recorded(t, d, "empty", true, func(*vk.CommandBuffer) {})
	primary := recorded(t, d, "primary", false, func(*vk.CommandBuffer) {})
	if err := d.Submit(t.Context(), empty); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("submit of a secondary: %v", err)
	}
	open, err := d.NewSecondaryCommandBuffer("open")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(open.Destroy)
	for name, test := range map[string]struct {
		secondary bool
		execute   *vk.CommandBuffer
	}{
		"not ended": {false, open}, "a primary": {false, primary}, "nil": {false, nil}, "nested": {true, empty},
	} {
		var cb *vk.CommandBuffer
		if cb, err = d.NewCommandBuffer(name); test.secondary {
			cb.Destroy()
			cb, err = d.NewSecondaryCommandBuffer(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := cb.Begin(); err != nil {
			t.Fatal(err)
		}
		cb.ExecuteCommands(test.execute)
		if err := cb.End(); !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		cb.Destroy()
	}
}
