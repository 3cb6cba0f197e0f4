package cluster

import (
	"unsafe"

	"github.com/everray/everray/vk"
)

// What the device reads for each operation, byte for byte as VK_NV_cluster_acceleration_structure has it. The zero value of a
// stride is tight packing. Bytes gives what to write to a buffer.

// GeometryFlags are those of a triangle (VkClusterAccelerationStructureGeometryFlagBitsNV).
type GeometryFlags uint32

// Values of GeometryFlags.
const (
	CullDisable        GeometryFlags = 1
	NoDuplicateAnyHit  GeometryFlags = 2
	Opaque             GeometryFlags = 4
	geometryFlagsShift               = 29
)

// AllowMicromaps is the build flag of bottom levels for clusters with opacity micromaps
// (VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_CLUSTER_OPACITY_MICROMAPS_BIT_NV). It is refused: there are none.
const AllowMicromaps vk.BuildFlags = 0x1000

// GeometryWord is what the device reads for a triangle's geometry: an index of 24 bits and flags.
type GeometryWord uint32

// NewGeometryWord puts index and flags together.
func NewGeometryWord(index uint32, flags GeometryFlags) GeometryWord {
	return GeometryWord(index&MostGeometry | uint32(flags)<<geometryFlagsShift)
}

// Index is the geometry index.
func (w GeometryWord) Index() uint32 { return uint32(w) & MostGeometry }

// Flags are the flags.
func (w GeometryWord) Flags() GeometryFlags { return GeometryFlags(w >> geometryFlagsShift) }

// Counts is the word of a cluster's triangles, vertices, bits cut off from positions, and bytes of an index.
type Counts uint32

// NewCounts puts them together: 9, 9, 6 and 4 bits.
func NewCounts(triangles, vertices, truncate, indexBytes uint32) Counts {
	return Counts(triangles&511 | vertices&511<<9 | truncate&63<<18 | indexBytes&15<<24)
}

// BuildTriangles is VkClusterAccelerationStructureBuildTriangleClusterInfoNV.
type BuildTriangles struct {
	ID                  uint32 // any but NoID
	Flags               uint32 // VkClusterAccelerationStructureClusterFlagsNV
	Counts              Counts
	Geometry            GeometryWord // index is added to those of GeometryWords, flags hold for all triangles
	IndexStride         uint16
	VertexStride        uint16
	GeometryWordStride  uint16
	MicromapIndexStride uint16
	Indices             uint64
	Vertices            uint64
	GeometryWords       uint64 // of GeometryWord, one for each triangle; 0: Geometry is that of all
	MicromapArray       uint64 // 0, as micromaps are not there
	MicromapIndices     uint64 // 0
}

// BuildTemplate is VkClusterAccelerationStructureBuildTriangleClusterTemplateInfoNV. Vertices may be 0, or positions by which the
// tree is made and that instances without vertices have.
type BuildTemplate struct {
	BuildTriangles
	Bounds uint64 // hint: six floats, or 0
}

// Instantiate is VkClusterAccelerationStructureInstantiateClusterInfoNV.
type Instantiate struct {
	IDOffset       uint32
	GeometryOffset int32 // 24 bits
	Template       uint64
	Vertices       uint64 // 0: those of the template
	VertexStride   uint64
}

// BuildBottomLevel is VkClusterAccelerationStructureBuildClustersBottomLevelInfoNV.
type BuildBottomLevel struct {
	Count    uint32
	Stride   uint32 // of addresses; 0: 8
	Clusters uint64 // address of addresses
}

// MoveObject is VkClusterAccelerationStructureMoveObjectsInfoNV.
type MoveObject struct{ Source uint64 }

// GetIndices is VkClusterAccelerationStructureGetTemplateIndicesInfoNV.
type GetIndices struct{ Template uint64 }

// Args is one of them.
type Args interface {
	BuildTriangles | BuildTemplate | Instantiate | BuildBottomLevel | MoveObject | GetIndices |
		DXBuildTriangles | DXBuildTemplate | DXInstantiate
}

// Bytes are the bytes of arguments, as the device reads them: in the host's order, which is the device's (specification, 3.1).
func Bytes[T Args](list ...T) []byte {
	if len(list) == 0 {
		return nil
	}
	size := int(unsafe.Sizeof(list[0]))
	out := make([]byte, 0, size*len(list))
	for i := range list {
		out = append(out, unsafe.Slice((*byte)(unsafe.Pointer(&list[i])), size)...)
	}
	return out
}
