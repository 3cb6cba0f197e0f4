package vk

import (
	"errors"
	"strings"
	"testing"
)

func TestOldLavapipeIsRefused(t *testing.T) {
	for _, c := range []struct {
		info string
		ok   bool
	}{
		{"Mesa 22.3.6 (LLVM 15.0.6)", false},
		{"Mesa 24.1.9 (LLVM 17.0.6)", false},
		{"Mesa 24.2.0 (LLVM 17.0.6)", true},
		{"Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", true},
		{"Mesa 100.0.0-devel (git-1234)", true},
		{"", false},
		{"llvmpipe", false},
		{"Mesa 99999999999999999999.1", true}, // saturates
	} {
		err := lavapipeSupported(c.info)
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.info, err)
		}
		if err != nil && (!errors.Is(err, ErrLavapipeTooOld) || !strings.Contains(err.Error(), "mesa-vulkan-drivers")) {
			t.Errorf("%q: the error names no remedy: %v", c.info, err)
		}
	}
}

func TestSupportedNamesTheMissingFeature(t *testing.T) {
	p := &PhysicalDevice{Name: "test device", APIVersion: apiVersion13, QueueFamilies: []QueueFamily{{Flags: 3, Count: 1}},
		Features: Features{BufferDeviceAddress: true, ScalarBlockLayout: true, TimelineSemaphore: true, Synchronization2: true},
		Limits:   Limits{MaxComputeWorkGroupInvocations: 256}}
	if err := p.Supported(); err != nil {
		t.Errorf("all there: %v", err)
	}
	q := *p
	q.Features.BufferDeviceAddress = false
	if err := q.Supported(); !errors.Is(err, ErrMissingFeature) || !strings.Contains(err.Error(), "bufferDeviceAddress") {
		t.Errorf("no addresses: %v", err)
	}
	q = *p
	q.Limits.MaxComputeWorkGroupInvocations = 128
	if err := q.Supported(); err != nil {
		t.Errorf("small workgroups: %v", err)
	}
	q = *p
	q.APIVersion = 1<<22 | 1<<12
	if err := q.Supported(); !errors.Is(err, ErrMissingFeature) || !strings.Contains(err.Error(), "it has 1.1") {
		t.Errorf("vulkan 1.1: %v", err)
	}
	q = *p
	q.QueueFamilies = []QueueFamily{{Flags: 2, Count: 1}}
	if err := q.Supported(); !errors.Is(err, ErrMissingFeature) {
		t.Errorf("no graphics: %v", err)
	}
	q = *p
	q.DriverID, q.DriverInfo = DriverLavapipe, "Mesa 22.3.6"
	if err := q.Supported(); !errors.Is(err, ErrLavapipeTooOld) {
		t.Errorf("old lavapipe: %v", err)
	}
}

func TestMemoryTypes(t *testing.T) {
	const (
		local  = memoryDeviceLocal
		host   = memoryHostVisible | memoryCoherent
		cached = memoryCached
	)
	discrete := []MemoryType{{0, 1}, {local, 0}, {host, 1}, {host | cached, 1}, {local | host, 2}}
	lavapipe := []MemoryType{{local | host | cached, 0}}
	for _, c := range []struct {
		name    string
		types   []MemoryType
		allowed uint32
		kind    MemoryKind
		want    int
	}{
		{"discrete, device", discrete, ^uint32(0), DeviceLocal, 1},
		{"discrete, upload", discrete, ^uint32(0), Upload, 2},
		{"discrete, readback", discrete, ^uint32(0), Readback, 3},
		{"discrete, upload through the window only", discrete, 1 << 4, Upload, 4},
		{"discrete, near upload", discrete, ^uint32(0), UploadNear, 4},
		{"discrete, near upload without a window", discrete, 1<<2 | 1<<3, UploadNear, 2},
		{"discrete, device through the window only", discrete, 1 << 4, DeviceLocal, 4},
		{"discrete, none", discrete, 1, Upload, -1},
		{"one type, device", lavapipe, 1, DeviceLocal, 0},
		{"one type, upload", lavapipe, 1, Upload, 0},
		{"one type, near upload", lavapipe, 1, UploadNear, 0},
		{"one type, readback", lavapipe, 1, Readback, 0},
		{"lazily allocated is no memory", []MemoryType{{local | 1<<4, 0}}, 1, DeviceLocal, -1},
	} {
		if got := memoryTypeFor(c.types, c.allowed, c.kind); got != c.want {
			t.Errorf("%s: type %d, want %d", c.name, got, c.want)
		}
	}
}

func TestResultsUnwrapToSentinels(t *testing.T) {
	for r, want := range map[int32]error{-1: ErrOutOfHostMemory, -2: ErrOutOfDeviceMemory, -3: ErrInitialization, -4: ErrDeviceLost,
		-1000001004: ErrOutOfDate, 1000001003: ErrSuboptimal, -1000000000: ErrSurfaceLost, 2: ErrTimeout, 1: ErrTimeout,
		-8: ErrMissingFeature} {
		if err := check("vkSomething", r); !errors.Is(err, want) || !strings.Contains(err.Error(), "vkSomething") {
			t.Errorf("result %d: %v", r, err)
		}
	}
	if err := check("vkSomething", int32(0)); err != nil {
		t.Error(err)
	}
	if err := check("vkSomething", int32(-999)); err == nil || !strings.Contains(err.Error(), "-999") {
		t.Errorf("unknown result: %v", err)
	}
}
