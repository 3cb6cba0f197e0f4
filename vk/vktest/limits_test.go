package vktest

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// TestAllocationLimit: a device that allows few allocations says so when they are used up, and goes on once some are free.
func TestAllocationLimit(t *testing.T) {
	const most = 3
	instance, err := vk.NewInstance(vk.InstanceOptions{AppName: t.Name(), Restrict: func(p *vk.PhysicalDevice) {
		p.Limits.MaxMemoryAllocationCount = most
	}})
	if err != nil {
		unavailable(t, err)
	}
	defer instance.Destroy()
	dev, err := vk.NewDevice(choose(t, instance), vk.DeviceOptions{Name: t.Name()})
	if err != nil {
		unavailable(t, err)
	}
	defer func() {
		if err := dev.Destroy(); err != nil {
			t.Error(err)
		}
	}()
	// Each is an allocation of its own, and none stays spare.
	o := vk.BufferOptions{Name: "large", Size: 48 << 20, Memory: vk.Upload}
	var buffers []*vk.Buffer
	defer func() {
		for _, b := range buffers {
			b.Destroy()
		}
	}()
	for range most {
		b, err := dev.NewBuffer(o)
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, b)
	}
	_, err = dev.NewBuffer(o)
	if !errors.Is(err, vk.ErrOutOfDeviceMemory) || !strings.Contains(err.Error(), "3 allocations are the device's limit") ||
		!strings.Contains(err.Error(), `"large"`) {
		t.Errorf("one too many: %v", err)
	}
	buffers[0].Destroy()
	b, err := dev.NewBuffer(o)
	if err != nil {
		t.Fatalf("after one was freed: %v", err)
	}
	buffers = append(buffers, b)
}
