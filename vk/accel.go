package vk

import (
	"encoding/binary"
	"math"

	vulkan "github.com/vulkan-go/vulkan"
)

// The KHR acceleration structure vocabulary, as plain Go values. Both ways of the engine read these, and
// the memory layouts (Instance, AABB, Transform) are the ones that Vulkan prescribes for device memory.

// DeviceAddress is a VkDeviceAddress.
type DeviceAddress = uint64

// AccelerationStructureHandle is a VkAccelerationStructureKHR; zero is VK_NULL_HANDLE.
type AccelerationStructureHandle uint64

// AccelerationStructureType is a VkAccelerationStructureTypeKHR.
type AccelerationStructureType uint32

// Values of AccelerationStructureType.
const (
	TopLevel    AccelerationStructureType = 0
	BottomLevel AccelerationStructureType = 1
	Generic     AccelerationStructureType = 2
)

// String names the type as people write it.
func (t AccelerationStructureType) String() string {
	switch t {
	case TopLevel:
		return "TLAS"
	case BottomLevel:
		return "BLAS"
	case Generic:
		return "generic acceleration structure"
	}
	return "unknown acceleration structure type"
}

// BuildFlags is a VkBuildAccelerationStructureFlagsKHR.
type BuildFlags uint32

// Values of BuildFlags.
const (
	AllowUpdate     BuildFlags = 1
	AllowCompaction BuildFlags = 2
	PreferFastTrace BuildFlags = 4
	PreferFastBuild BuildFlags = 8
	LowMemory       BuildFlags = 16
	// AllowDataAccess lets shaders fetch the vertices of what they hit; natively it needs Features.PositionFetch.
	AllowDataAccess BuildFlags = 1 << 11
)

// GeometryType is a VkGeometryTypeKHR.
type GeometryType uint32

// Values of GeometryType.
const (
	GeometryTriangles GeometryType = 0
	GeometryAABBs     GeometryType = 1
	GeometryInstances GeometryType = 2
)

// GeometryFlags is a VkGeometryFlagsKHR.
type GeometryFlags uint32

// Values of GeometryFlags.
const (
	GeometryOpaque            GeometryFlags = 1
	GeometryNoDuplicateAnyHit GeometryFlags = 2
)

// IndexType is a VkIndexType.
type IndexType uint32

// Values of IndexType.
const (
	IndexUint16 IndexType = 0
	IndexUint32 IndexType = 1
	IndexNone   IndexType = 1000165000 // VK_INDEX_TYPE_NONE_KHR
	IndexUint8  IndexType = 1000265000 // VK_INDEX_TYPE_UINT8_EXT
)

// Size is the number of bytes of one index, 0 for IndexNone and unknown types.
func (t IndexType) Size() uint64 {
	switch t {
	case IndexUint8:
		return 1
	case IndexUint16:
		return 2
	case IndexUint32:
		return 4
	}
	return 0
}

// Geometry is a VkAccelerationStructureGeometryKHR; Type says which of the three members is read.
type Geometry struct {
	Type      GeometryType
	Flags     GeometryFlags
	Triangles Triangles
	AABBs     AABBs
	Instances Instances
}

// Triangles is a VkAccelerationStructureGeometryTrianglesDataKHR.
type Triangles struct {
	VertexFormat  vulkan.Format
	VertexData    DeviceAddress
	VertexStride  uint64
	MaxVertex     uint32
	IndexType     IndexType
	IndexData     DeviceAddress
	TransformData DeviceAddress // 3x4 row-major float32, or 0
}

// AABBs is a VkAccelerationStructureGeometryAabbsDataKHR: 6 float32 (min xyz, max xyz) per primitive.
type AABBs struct {
	Data   DeviceAddress
	Stride uint64
}

// Instances is a VkAccelerationStructureGeometryInstancesDataKHR.
type Instances struct {
	ArrayOfPointers bool
	Data            DeviceAddress
}

// BuildRange is a VkAccelerationStructureBuildRangeInfoKHR.
type BuildRange struct {
	PrimitiveCount, PrimitiveOffset, FirstVertex, TransformOffset uint32
}

// BuildInfo is what of a VkAccelerationStructureBuildGeometryInfoKHR decides sizes; destination and scratch
// belong to the build itself.
type BuildInfo struct {
	Type       AccelerationStructureType
	Flags      BuildFlags
	Update     bool
	Geometries []Geometry
}

// BuildSizes is a VkAccelerationStructureBuildSizesInfoKHR.
type BuildSizes struct {
	AccelerationStructureSize, UpdateScratchSize, BuildScratchSize uint64
}

// StridedRegion is a VkStridedDeviceAddressRegionKHR.
type StridedRegion struct {
	Address DeviceAddress
	Stride  uint64
	Size    uint64
}

// InstanceFlags is a VkGeometryInstanceFlagsKHR.
type InstanceFlags uint8

// Values of InstanceFlags.
const (
	InstanceTriangleFacingCullDisable InstanceFlags = 1
	InstanceTriangleFlipFacing        InstanceFlags = 2
	InstanceForceOpaque               InstanceFlags = 4
	InstanceForceNoOpaque             InstanceFlags = 8
)

// AccelerationStructureInstanceSize is the size of one instance in device memory.
const AccelerationStructureInstanceSize = 64

// AccelerationStructureInstance is a VkAccelerationStructureInstanceKHR, byte for byte.
type AccelerationStructureInstance struct {
	Transform          [12]float32 // row-major 3x4
	CustomIndexAndMask uint32      // 24 bits custom index, 8 bits mask
	SBTOffsetAndFlags  uint32      // 24 bits record offset, 8 bits InstanceFlags
	Reference          uint64      // device address of the BLAS; 0 makes the instance inactive
}

// NewAccelerationStructureInstance packs an instance. Only the low 24 bits of customIndex and sbtOffset exist.
func NewAccelerationStructureInstance(transform [12]float32, customIndex uint32, mask uint8, sbtOffset uint32, flags InstanceFlags,
	blas DeviceAddress) AccelerationStructureInstance {
	const low24 = 1<<24 - 1
	return AccelerationStructureInstance{
		Transform:          transform,
		CustomIndexAndMask: customIndex&low24 | uint32(mask)<<24,
		SBTOffsetAndFlags:  sbtOffset&low24 | uint32(flags)<<24,
		Reference:          blas,
	}
}

// CustomIndex is the low 24 bits of the first packed word.
func (i AccelerationStructureInstance) CustomIndex() uint32 {
	return i.CustomIndexAndMask & (1<<24 - 1)
}

// Mask is the visibility mask.
func (i AccelerationStructureInstance) Mask() uint8 { return uint8(i.CustomIndexAndMask >> 24) }

// SBTOffset is the hit group record offset.
func (i AccelerationStructureInstance) SBTOffset() uint32 { return i.SBTOffsetAndFlags & (1<<24 - 1) }

// Flags are the instance's flags.
func (i AccelerationStructureInstance) Flags() InstanceFlags {
	return InstanceFlags(i.SBTOffsetAndFlags >> 24)
}

// AppendTo appends the 64 bytes that the device reads.
func (i AccelerationStructureInstance) AppendTo(b []byte) []byte {
	for _, f := range i.Transform {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	b = binary.LittleEndian.AppendUint32(b, i.CustomIndexAndMask)
	b = binary.LittleEndian.AppendUint32(b, i.SBTOffsetAndFlags)
	return binary.LittleEndian.AppendUint64(b, i.Reference)
}

// IdentityTransform returns the row-major 3x4 identity matrix.
func IdentityTransform() [12]float32 { return [12]float32{0: 1, 5: 1, 10: 1} }
