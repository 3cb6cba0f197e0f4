package engine

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// accelerationStructureAlignment is that of a structure's offset in its buffer
// (VUID-VkAccelerationStructureCreateInfoKHR-offset-03734).
const accelerationStructureAlignment = 256

// AccelerationStructure is a bottom or top level structure with its storage.
type AccelerationStructure struct {
	name    string
	device  *Device
	kind    vk.AccelerationStructureType
	storage *vk.Buffer
	impl    driver.AccelerationStructure
	size    uint64
	host    bool // storage is memory that the host sees, and was asked to be
	history history
}

// Address is what instances refer to, 0 of a structure that is destroyed.
func (a *AccelerationStructure) Address() vk.DeviceAddress {
	if !a.alive() {
		return 0
	}
	return a.impl.Address()
}

// Size returns the bytes of storage.
func (a *AccelerationStructure) Size() uint64 { return a.size }

// Name returns the name it was created with.
func (a *AccelerationStructure) Name() string { return a.name }

// Type returns whether it is a top or a bottom level structure.
func (a *AccelerationStructure) Type() vk.AccelerationStructureType { return a.kind }

// Destroy releases the structure and its storage.
func (a *AccelerationStructure) Destroy() {
	if a == nil {
		return
	}
	if a.impl != nil {
		a.impl.Destroy()
		a.impl = nil
	}
	if a.storage != nil {
		a.storage.Destroy()
		a.storage = nil
	}
}

// alive reports whether commands may use it.
func (a *AccelerationStructure) alive() bool { return a != nil && a.impl != nil }

// BuildSizes returns the memory that building info with at most maxPrimitives primitives per geometry needs.
func (d *Device) BuildSizes(info vk.BuildInfo, maxPrimitives []uint32) (vk.BuildSizes, error) {
	if err := d.enter(); err != nil {
		return vk.BuildSizes{}, fmt.Errorf("build sizes: %w", err)
	}
	defer d.leave()
	if err := checkInfo(info, d.Limits()); err != nil {
		return vk.BuildSizes{}, fmt.Errorf("build sizes: %w", err)
	}
	if err := checkCounts(info, maxPrimitives, d.Limits()); err != nil {
		return vk.BuildSizes{}, fmt.Errorf("build sizes: %w", err)
	}
	return d.driver.BuildSizes(info, maxPrimitives)
}

// NewAccelerationStructure creates an empty structure of a size that BuildSizes returned.
func (d *Device) NewAccelerationStructure(t vk.AccelerationStructureType, size uint64, name string) (*AccelerationStructure,
	error) {
	return d.newAccelerationStructure(t, size, name, vk.DeviceLocal)
}

func (d *Device) newAccelerationStructure(t vk.AccelerationStructureType, size uint64, name string,
	memory vk.MemoryKind) (*AccelerationStructure, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("acceleration structure %q: %w", name, err)
	}
	defer d.leave()
	if t != vk.TopLevel && t != vk.BottomLevel {
		return nil, fmt.Errorf("acceleration structure %q: %w", name, invalid("type %v, want top or bottom level", t))
	}
	if size == 0 {
		return nil, fmt.Errorf("acceleration structure %q: %w", name, invalid("size is 0; ask BuildSizes"))
	}
	storage, err := d.device.NewBuffer(vk.BufferOptions{
		Name: name, Size: size, Memory: memory, Alignment: accelerationStructureAlignment, AccelerationStructureStorage: true,
	})
	if err != nil {
		return nil, fmt.Errorf("acceleration structure %q: %w", name, err)
	}
	impl, err := d.driver.NewAccelerationStructure(t, name, storage, size)
	if err != nil {
		storage.Destroy()
		return nil, fmt.Errorf("acceleration structure %q: %w", name, err)
	}
	return &AccelerationStructure{name: name, device: d, kind: t, storage: storage, impl: impl, size: size,
		host: memory == vk.Readback}, nil
}

// Build is one build to record. With Info.Update the tree of Src stays, and its boxes are made again for the new contents of
// the inputs: vertices, transforms, boxes or instances. All else is as in the build that made Src.
type Build struct {
	Info   vk.BuildInfo
	Ranges []vk.BuildRange
	Dst    *AccelerationStructure
	// Src is, with Info.Update, the structure to update from, which stays as it is; nil is Dst itself, in place.
	Src *AccelerationStructure
	// Scratch is aligned to Limits.ScratchAlignment and is the build's alone until it has finished.
	Scratch vk.DeviceAddress
}

// PrepareBuilds compiles what builds, updates, copies and property queries by the device need, on all cores, which the first of
// each kind does otherwise when it is recorded. It is for programs that must not wait in the middle of a frame: what the driver
// has in no cache of its own may take tenths of a second, an update's kernels more (H200: 2.2 s for all with 16 cores, then 10 ms
// in
// every later run). Safe beside all other methods but Close. Nothing happens on the native way.
func (d *Device) PrepareBuilds(ctx context.Context) error {
	if err := d.enter(); err != nil {
		return fmt.Errorf("prepare builds: %w", err)
	}
	defer d.leave()
	return d.driver.PrepareBuilds(ctx)
}

// CmdBuildAccelerationStructures records a batch of builds that do not depend on each other; a top level build belongs to a
// later batch than the bottom level builds it refers to, with CmdBarrier between. No barriers are recorded around the batch.
func (d *Device) CmdBuildAccelerationStructures(cb *vk.CommandBuffer, builds []Build) error {
	if err := d.checkCommands(cb); err != nil {
		return fmt.Errorf("build acceleration structures: %w", err)
	}
	if len(builds) == 0 {
		return nil
	}
	list := make([]driver.Build, len(builds))
	var targets buildTargets
	for i, b := range builds {
		if err := d.checkBuild(b); err != nil {
			return fmt.Errorf("build %d of %d: %w", i, len(builds), err)
		}
		targets.add(b)
		list[i] = b.translate()
	}
	if err := targets.check(); err != nil {
		return err
	}
	if err := d.driver.CmdBuild(cb, list); err != nil {
		return fmt.Errorf("build acceleration structures: %w", err)
	}
	for _, b := range builds {
		b.Dst.history.note(b.Info, counts(b.Ranges))
	}
	return nil
}

// translate turns a checked build into the driver's.
func (b Build) translate() driver.Build {
	t := driver.Build{Info: b.Info, Ranges: b.Ranges, Dst: b.Dst.impl, Storage: b.Dst.storage, Scratch: b.Scratch}
	if b.Src != nil {
		t.Src, t.SrcStorage = b.Src.impl, b.Src.storage
	}
	return t
}

func (d *Device) checkBuild(b Build) error {
	limits := d.Limits()
	if err := checkInfo(b.Info, limits); err != nil {
		return err
	}
	if err := checkRanges(b.Info, b.Ranges, limits); err != nil {
		return err
	}
	return d.checkTarget(b, counts(b.Ranges))
}

// checkTarget checks the memory of a build with at most so many primitives.
func (d *Device) checkTarget(b Build, most []uint32) error {
	if err := d.checkStorage(b, most); err != nil {
		return err
	}
	if n := d.Limits().ScratchAlignment; b.Scratch == 0 || b.Scratch%n != 0 {
		return invalid("Scratch %#x is null or not a multiple of %d", b.Scratch, n)
	}
	return nil
}

// checkStorage checks the structures of a build.
func (d *Device) checkStorage(b Build, most []uint32) error {
	if err := b.Dst.check(d, "Dst"); err != nil {
		return err
	}
	if b.Src != nil {
		if err := b.Src.check(d, "Src"); err != nil {
			return err
		}
	}
	if b.Dst.kind != b.Info.Type {
		return invalid("Dst %q is a %v, Info.Type says %v", b.Dst.name, b.Dst.kind, b.Info.Type)
	}
	sizes, err := d.driver.BuildSizes(b.Info, most)
	if err != nil {
		return err
	}
	if b.Info.Update || b.Src != nil {
		return checkUpdate(b, sizes.AccelerationStructureSize)
	}
	if sizes.AccelerationStructureSize > b.Dst.size {
		return invalid("Dst %q has %d bytes, the build needs %d", b.Dst.name, b.Dst.size, sizes.AccelerationStructureSize)
	}
	return nil
}

// NewBuildInput uploads data that builds read: vertices, indices, transforms, boxes or instances. Shaders may read it too, as a
// storage buffer or through its address. Empty data gives a buffer of a few zero bytes, so that its address is valid.
func (d *Device) NewBuildInput(ctx context.Context, name string, data []byte) (*vk.Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("build input %q: %w", name, err)
	}
	defer d.leave()
	if len(data) == 0 {
		data = make([]byte, transformAlignment)
	}
	b, err := d.device.NewBuffer(vk.BufferOptions{
		Name: name, Size: uint64(len(data)), Memory: vk.DeviceLocal, Alignment: instanceAlignment, AccelerationStructureInput: true,
		Usage: vulkan.BufferUsageFlags(
			vulkan.BufferUsageStorageBufferBit | vulkan.BufferUsageTransferSrcBit | vulkan.BufferUsageTransferDstBit),
	})
	if err != nil {
		return nil, fmt.Errorf("build input %q: %w", name, err)
	}
	if err := d.device.UploadBuffer(ctx, b, 0, data); err != nil {
		b.Destroy()
		return nil, fmt.Errorf("build input %q: %w", name, err)
	}
	return b, nil
}

// NewInstances uploads instances for a top level build.
func (d *Device) NewInstances(ctx context.Context, name string, instances []vk.AccelerationStructureInstance) (*vk.Buffer, error) {
	data := make([]byte, 0, len(instances)*vk.AccelerationStructureInstanceSize)
	for _, i := range instances {
		data = i.AppendTo(data)
	}
	return d.NewBuildInput(ctx, name, data)
}

// TrianglesInfo returns the build of a bottom level structure over count triangles, opaque or not as flags of the geometry
// say, whose vertices follow each other at the given address, three float32 each.
func TrianglesInfo(address vk.DeviceAddress, count uint32, geometry vk.GeometryFlags, flags vk.BuildFlags) (
	vk.BuildInfo, []vk.BuildRange) {
	info := vk.BuildInfo{Type: vk.BottomLevel, Flags: flags, Geometries: []vk.Geometry{{Flags: geometry, Triangles: vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: address, VertexStride: 12, MaxVertex: max(3*count, 1) - 1,
		IndexType: vk.IndexNone,
	}}}}
	return info, []vk.BuildRange{{PrimitiveCount: count}}
}

// InstancesInfo returns the build of a top level structure over count instances at the given address.
func InstancesInfo(address vk.DeviceAddress, count uint32, flags vk.BuildFlags) (vk.BuildInfo, []vk.BuildRange) {
	info := vk.BuildInfo{Type: vk.TopLevel, Flags: flags, Geometries: []vk.Geometry{
		{Type: vk.GeometryInstances, Instances: vk.Instances{Data: address}},
	}}
	return info, []vk.BuildRange{{PrimitiveCount: count}}
}
