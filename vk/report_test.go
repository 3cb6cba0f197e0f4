package vk_test

import (
	"errors"
	"testing"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestReport writes to a report in the ways that shaders may, and reads it after each submission.
func TestReport(t *testing.T) {
	d := vktest.Device(t)
	newBuffer := func(secondary bool, record func(cb *vk.CommandBuffer)) *vk.CommandBuffer {
		t.Helper()
		create := d.NewCommandBuffer
		if secondary {
			create = d.NewSecondaryCommandBuffer
		}
		cb, err := create("report")
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
	fill := func(cb *vk.CommandBuffer, value uint32) {
		r, err := cb.Report(64)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := cb.Report(64); err != nil || again != r {
			t.Errorf("the second call returns %v, %v, want %v", again, err, r)
		}
		if _, err := cb.Report(128); !errors.Is(err, vk.ErrInvalid) {
			t.Errorf("a report of another size: %v, want ErrInvalid", err)
		}
		cb.FillBuffer(r.Buffer, r.Offset+16, 4, value)
		cb.MemoryBarrier(vk.StageTransfer, vk.AccessTransferWrite, vk.StageComputeShader, vk.AccessShaderRead) // as after a launch
	}
	secondary := newBuffer(true, func(cb *vk.CommandBuffer) { fill(cb, 7) })
	primary := newBuffer(false, func(cb *vk.CommandBuffer) {
		fill(cb, 9)
		cb.MemoryBarrier(vk.StageTransfer, vk.AccessTransferWrite, vk.StageTransfer, vk.AccessTransferWrite)
		cb.ExecuteCommands(secondary)
	})
	empty := newBuffer(false, func(*vk.CommandBuffer) {})
	if _, err := empty.Report(8); !errors.Is(err, vk.ErrInvalid) {
		t.Errorf("a report of 8 bytes: %v, want ErrInvalid", err)
	}
	if r, err := primary.Reports(t.Context()); err != nil || r != nil {
		t.Errorf("before it is submitted: %v, %v", r, err)
	}
	for range 2 {
		for _, cb := range []*vk.CommandBuffer{primary, empty} {
			if err := d.Submit(t.Context(), cb); err != nil {
				t.Fatal(err)
			}
		}
		list, err := primary.Reports(t.Context())
		if err != nil || len(list) != 2 || list[0][16] != 9 || list[1][16] != 7 {
			t.Errorf("got %v, %v, want two reports with 9 and 7", list, err)
		}
		if list, err := empty.Reports(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("without a report: %v, %v", list, err)
		}
	}
	if err := primary.Reset(); err != nil {
		t.Fatal(err)
	}
	if r, err := primary.Reports(t.Context()); err != nil || r != nil {
		t.Errorf("after a reset: %v, %v", r, err)
	}
}
