package engine

import (
	"context"
	"errors"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/compute"
	"github.com/everray/everray/engine/internal/native"
	"github.com/everray/everray/vk"
)

// DeviceInfo describes a device and the way that auto chooses on it.
type DeviceInfo struct {
	// Index is what Options.Device accepts.
	Index int
	// Name, Driver and DriverInfo are what Vulkan reports.
	Name, Driver, DriverInfo string
	Type                     vulkan.PhysicalDeviceType
	// APIVersion is for example "1.3.250".
	APIVersion string
	// Err says why the device cannot be used at all; nil for a usable one.
	Err error
	// Backend is the way auto chooses (for an open device: the way in use), Reason a sentence that says why.
	Backend Backend
	Reason  string
	// NativeMissing names the extensions and features that native ray tracing lacks on the device; empty where it is available.
	NativeMissing []string
	// DeviceMemory is the size of the largest device local heap in bytes.
	DeviceMemory uint64
	// SubgroupSize is the default number of lanes that run together.
	SubgroupSize uint32
	// Features are the Vulkan names of the features that the device has.
	Features []string
	// Limits are those of Backend.
	Limits Limits
}

// TypeName returns "discrete", "integrated", "virtual", "cpu" or "other".
func (i DeviceInfo) TypeName() string { return typeName(i.Type) }

// List describes all devices without opening any, in the order of Options.Device's index. Of the options only Backend, the
// instance's and Logger count.
func List(ctx context.Context, o Options) (infos []DeviceInfo, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	instance, err := newInstance(o)
	if err != nil {
		return nil, err
	}
	defer instance.Destroy()
	all, err := instance.PhysicalDevices()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	for i, p := range all {
		info := describe(p, i)
		var chosen error
		info.Backend, info.Reason, chosen = choose(traitsOf(p, o), o.Backend)
		info.Err = errors.Join(p.Supported(), chosen)
		if info.Backend == BackendNative {
			info.Limits = native.Limits(p)
		} else {
			info.Limits = compute.Limits(p)
			info.Limits.Reorders = o.Form.InRounds()
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// describe fills in what does not depend on the way.
func describe(p *vk.PhysicalDevice, index int) DeviceInfo {
	info := DeviceInfo{
		Index: index, Name: p.Name, Driver: p.DriverName, DriverInfo: p.DriverInfo, Type: p.Type,
		APIVersion:    fmt.Sprintf("%d.%d.%d", p.APIVersion>>22, p.APIVersion>>12&0x3FF, p.APIVersion&0xFFF),
		NativeMissing: nativeMissing(p), SubgroupSize: p.Limits.SubgroupSize, Features: p.Features.Names(),
	}
	for _, h := range p.Heaps {
		if h.DeviceLocal {
			info.DeviceMemory = max(info.DeviceMemory, h.Size)
		}
	}
	return info
}
