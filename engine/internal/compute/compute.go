package compute

import (
	"context"
	"errors"
	"fmt"
	"sync"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/cache"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

const (
	// headerRange is what a descriptor of an acceleration structure covers.
	headerRange = 256
	// maxRecursionDepth and maxInvocations are those of package fallback.
	maxRecursionDepth = 31
	maxInvocations    = 1 << 30
)

// Driver runs ray tracing by compute shaders.
type Driver struct {
	device  *vk.Device
	builder *bvh.Builder
	// null is the header of no structure: its self address is 0, which every ray misses.
	null *vk.Buffer

	// pipelines are those alive, by the tag that faults carry.
	mu        sync.Mutex
	pipelines map[uint32]*fallback.Pipeline
	// cache is on disk, nil without.
	cache *fallback.Cache
	dump  string // fallback.PipelineOptions.Dump
}

// New creates the driver's kernels and buffers. With a directory, linked and compiled pipelines are kept there. With
// a directory for dumps, pipelines are written there.
func New(dev *vk.Device, cacheDir, dump string) (driver.Driver, error) {
	d := &Driver{device: dev, pipelines: map[uint32]*fallback.Pipeline{}, dump: dump}
	err := d.create()
	if err == nil && cacheDir != "" {
		d.cache, err = openCache(dev, cacheDir)
	}
	if err != nil {
		d.Destroy()
		return nil, err
	}
	return d, nil
}

// openCache opens a directory for linked code and for what the device's driver compiled.
func openCache(dev *vk.Device, dir string) (*fallback.Cache, error) {
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return nil, err
	}
	compiled, err := cache.OpenPipelines(dev, store)
	if err != nil {
		return nil, fmt.Errorf("cache %q: %w", dir, err)
	}
	return fallback.NewCache(store, compiled), nil
}

func (d *Driver) create() (err error) {
	if d.null, err = d.device.NewBuffer(vk.BufferOptions{Name: "null acceleration structure", Size: headerRange,
		Memory: vk.Upload}); err != nil {
		return err
	}
	clear(d.null.Mapped())
	d.builder, err = bvh.NewBuilder(d.device)
	return err
}

// Destroy releases what the driver holds.
func (d *Driver) Destroy() {
	if err := d.cache.Close(); err != nil {
		d.device.Logger().Warn("the pipeline cache was not saved", "error", err)
	}
	if d.builder != nil {
		d.builder.Destroy()
		d.builder = nil
	}
	d.null.Destroy()
	d.null = nil
}

// Limits returns those of the device.
func (d *Driver) Limits() driver.Limits { return Limits(d.device.Physical()) }

// Limits returns what the compute way can do; it depends little on the device.
func Limits(*vk.PhysicalDevice) driver.Limits {
	var formats driver.FormatSet
	for _, f := range bvh.VertexFormats() {
		formats = formats.With(f)
	}
	return driver.Limits{
		Table:                sbt.DefaultLimits(),
		MaxRecursionDepth:    maxRecursionDepth,
		MaxInvocations:       maxInvocations,
		MaxPushConstantBytes: fallback.MaxPushConstantBytes,
		MaxGeometries:        bvh.MaxGeometries,
		MaxPrimitives:        bvh.MaxPrimitives,
		MaxInstances:         bvh.MaxInstances,
		VertexFormats:        formats,
		IndexUint8:           true,
		ScratchAlignment:     bvh.ScratchAlignment,
		BuildStage:           vk.StageComputeShader,
		TraceStage:           vk.StageComputeShader,
		TraceRaysIndirect:    true,
		TraceRaysIndirect2:   true,
		BuildIndirect:        true,
		HostCommands:         true,
		SizeProperties:       true,
		HitObjectsNV:         true,
		HitObjectsEXT:        true,
		MaxRecordIndex:       fallback.MaxRecordIndex,
	}
}

// BuildSizes asks bvh. Engine has validated the geometries: what bvh refuses nevertheless, it cannot build.
func (d *Driver) BuildSizes(info vk.BuildInfo, maxPrimitives []uint32) (vk.BuildSizes, error) {
	sizes, err := d.builder.BuildSizes(info, maxPrimitives)
	if errors.Is(err, bvh.ErrInvalidBuild) {
		err = driver.Mark(err, driver.ErrUnsupported)
	}
	return sizes, err
}

// accelerationStructure is no object of its own: its address is that of its storage.
type accelerationStructure struct{ storage *vk.Buffer }

func (a accelerationStructure) Address() vk.DeviceAddress { return a.storage.Address() }
func (a accelerationStructure) Destroy()                  {}

// NewAccelerationStructure wraps the storage.
func (d *Driver) NewAccelerationStructure(_ vk.AccelerationStructureType, _ string, storage *vk.Buffer,
	_ uint64) (driver.AccelerationStructure, error) {
	return accelerationStructure{storage}, nil
}

// PrepareBuilds compiles bvh's kernels.
func (d *Driver) PrepareBuilds(ctx context.Context) error { return d.builder.Prepare(ctx) }

// CmdBuild records one set of dispatches over the whole batch.
func (d *Driver) CmdBuild(cb *vk.CommandBuffer, builds []driver.Build) error {
	list := make([]bvh.Build, len(builds))
	for i, b := range builds {
		list[i] = bvh.Build{Info: b.Info, Ranges: b.Ranges, Dst: b.Storage, Src: b.SrcStorage, Scratch: b.Scratch}
	}
	return refused(d.builder.CmdBuild(cb, list))
}

// DescriptorBinding makes acceleration structures storage buffers and ray tracing stages the compute stage.
func (d *Driver) DescriptorBinding(b vk.DescriptorBinding) vk.DescriptorBinding {
	if b.Type == vk.DescriptorTypeAccelerationStructure {
		b.Type = vulkan.DescriptorTypeStorageBuffer
	}
	if b.Stages&driver.RayTracingStages != 0 {
		b.Stages = b.Stages&^driver.RayTracingStages | vk.StageCompute
	}
	return b
}

// WriteAccelerationStructure binds the structure's header.
func (d *Driver) WriteAccelerationStructure(set *vk.DescriptorSet, binding, index uint32, as driver.AccelerationStructure) error {
	header := d.null
	if as != nil {
		own, ok := as.(accelerationStructure)
		if !ok {
			return fmt.Errorf("acceleration structure of another device: %w", driver.ErrInvalid)
		}
		header = own.storage
	}
	set.WriteBuffer(binding, index, vulkan.DescriptorTypeStorageBuffer, header, 0, headerRange)
	return nil
}

// Faults decodes the report of a command buffer.
func (d *Driver) Faults(report []byte) (int, []driver.Fault) {
	total, list := fallback.ReadFaults(report)
	if total == 0 {
		return 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]driver.Fault, len(list))
	for i, f := range list {
		out[i] = driver.Fault{Kind: f.Kind.String(), LaunchID: f.LaunchID, State: f.State, Value: f.Value}
		if p := d.pipelines[f.Pipeline]; p != nil {
			out[i].Shader = p.ShaderOf(f.State)
		}
	}
	return total, out
}
