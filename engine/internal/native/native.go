package native

import (
	"context"
	"fmt"
	"sync"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/cache"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// Driver forwards to the device's ray tracing extensions.
type Driver struct {
	device *vk.Device
	limits driver.Limits

	// empty stands in for null structures; it is built when one is first bound.
	mu    sync.Mutex
	empty *emptyStructure

	// pipelines is the driver's cache on disk, nil without.
	pipelines *cache.Pipelines
}

// New checks that the device was opened with its ray tracing extensions. With a directory, what the driver compiles is kept
// there.
func New(dev *vk.Device, cacheDir string) (driver.Driver, error) {
	if dev.Physical().RT == nil || !dev.Native() {
		return nil, fmt.Errorf("native ray tracing: %w: the device was opened without it", vk.ErrMissingExtension)
	}
	if n := dev.Physical().RT.ShaderGroupHandleSize; n != sbt.HandleSize {
		return nil, fmt.Errorf("native ray tracing: %w: shader group handles have %d bytes, not %d", vk.ErrMissingFeature, n,
			sbt.HandleSize)
	}
	d := &Driver{device: dev, limits: Limits(dev.Physical())}
	if cacheDir != "" {
		store, err := cache.Open(cacheDir, cache.Options{})
		if err != nil {
			return nil, err
		}
		if d.pipelines, err = cache.OpenPipelines(dev, store); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Destroy releases what the driver holds.
func (d *Driver) Destroy() {
	d.empty.destroy()
	d.empty = nil
	if err := d.pipelines.Close(); err != nil {
		d.device.Logger().Warn("the pipeline cache was not saved", "error", err)
	}
}

// Limits returns those of the device.
func (d *Driver) Limits() driver.Limits { return d.limits }

// Limits returns what the device's extensions can do; zero without them.
func Limits(p *vk.PhysicalDevice) driver.Limits {
	rt := p.RT
	if rt == nil {
		return driver.Limits{}
	}
	var formats driver.FormatSet
	for f := vulkan.Format(1); f <= vulkan.FormatAstc12x12SrgbBlock; f++ { // those of Vulkan 1.0
		if p.AccelerationStructureVertexFormat(f) {
			formats = formats.With(f)
		}
	}
	return driver.Limits{
		Table: sbt.Limits{
			HandleAlignment: uint64(rt.ShaderGroupHandleAlignment),
			BaseAlignment:   uint64(rt.ShaderGroupBaseAlignment),
			MaxStride:       uint64(rt.MaxShaderGroupStride),
		},
		MaxRecursionDepth:    rt.MaxRayRecursionDepth,
		MaxInvocations:       uint64(rt.MaxRayDispatchInvocationCount),
		MaxPushConstantBytes: p.Limits.MaxPushConstantsSize,
		MaxGeometries:        rt.MaxGeometryCount,
		MaxPrimitives:        rt.MaxPrimitiveCount,
		MaxInstances:         rt.MaxInstanceCount,
		VertexFormats:        formats,
		IndexUint8:           false, // Vulkan refuses them, whatever the device enables (VUID 03798)
		ScratchAlignment:     max(1, uint64(rt.MinScratchOffsetAlignment)),
		BuildStage:           vk.StageAccelerationStructureBuild,
		TraceStage:           vk.StageRayTracingShader,
		TraceRaysIndirect:    p.Features.TraceRaysIndirect,
		TraceRaysIndirect2:   p.Features.TraceRaysIndirect2,
		BuildIndirect:        p.Features.IndirectBuild,
		SizeProperties:       p.Features.Maintenance1,
		HitObjectsNV:         p.Features.InvocationReorderNV,
		HitObjectsEXT:        p.Features.InvocationReorderEXT,
		Reorders:             rt.Reorders,
		MaxRecordIndex:       rt.MaxRecordIndex,
	}
}

// PrepareBuilds has nothing to do: the driver's commands are ready.
func (d *Driver) PrepareBuilds(context.Context) error { return nil }

// BuildSizes asks the driver.
func (d *Driver) BuildSizes(info vk.BuildInfo, maxPrimitives []uint32) (vk.BuildSizes, error) {
	return d.device.NativeBuildSizes(info, maxPrimitives)
}

// structure is a VkAccelerationStructureKHR.
type structure struct {
	impl *vk.NativeAccelerationStructure
}

func (s structure) Address() vk.DeviceAddress { return s.impl.Address() }
func (s structure) Destroy()                  { s.impl.Destroy() }

// NewAccelerationStructure creates the Vulkan object at the start of storage.
func (d *Driver) NewAccelerationStructure(t vk.AccelerationStructureType, name string, storage *vk.Buffer,
	size uint64) (driver.AccelerationStructure, error) {
	impl, err := d.device.NewNativeAccelerationStructure(t, storage, 0, size, name)
	if err != nil {
		return nil, err
	}
	return structure{impl}, nil
}

// CmdBuild records one command for the whole batch.
func (d *Driver) CmdBuild(cb *vk.CommandBuffer, builds []driver.Build) error {
	list := make([]vk.AccelerationStructureBuild, len(builds))
	for i, b := range builds {
		dst, err := own("build", i, b.Dst)
		if err != nil {
			return err
		}
		src, err := own("build", i, b.Src) // nil is Dst itself
		if err != nil {
			return err
		}
		list[i] = vk.AccelerationStructureBuild{Info: b.Info, Ranges: b.Ranges, Src: src, Dst: dst, Scratch: b.Scratch}
	}
	return cb.BuildAccelerationStructures(list)
}

// DescriptorBinding needs no translation.
func (d *Driver) DescriptorBinding(b vk.DescriptorBinding) vk.DescriptorBinding { return b }

// WriteAccelerationStructure binds the structure, or an empty one.
func (d *Driver) WriteAccelerationStructure(set *vk.DescriptorSet, binding, index uint32, as driver.AccelerationStructure) error {
	if as == nil {
		empty, err := d.emptyStructure()
		if err != nil {
			return fmt.Errorf("empty acceleration structure: %w", err)
		}
		set.WriteAccelerationStructure(binding, index, empty.Handle())
		return nil
	}
	own, ok := as.(structure)
	if !ok {
		return fmt.Errorf("acceleration structure of another device: %w", driver.ErrInvalid)
	}
	set.WriteAccelerationStructure(binding, index, own.impl.Handle())
	return nil
}

// Faults has nothing to report.
func (d *Driver) Faults([]byte) (int, []driver.Fault) { return 0, nil }
