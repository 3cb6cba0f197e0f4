package cluster

import (
	"fmt"

	"github.com/everray/everray/vk"
)

// Dialect says whose arguments a command reads.
type Dialect uint32

// Values of Dialect.
const (
	// Vulkan arguments are those of VK_NV_cluster_acceleration_structure.
	Vulkan Dialect = 0
	// DirectX arguments are those of DXR 2.0's draft (DirectX-Specs, Raytracing2.md, v0.28), where they differ: DXBuildTriangles,
	// DXBuildTemplate and DXInstantiate. Widths of indices are the command's, sizes have 64 bits, vertices may be Compressed1,
	// and those of instances are always needed and are converted to what the template says.
	DirectX Dialect = 1
)

// DXBuildTriangles are the arguments of a cluster. Of GeometryWords bits 24 to 29 are ignored.
type DXBuildTriangles struct {
	ID                  uint32 // any but NoID
	Flags               uint32 // kept; DXDisallowDataAccess changes nothing
	Triangles, Vertices uint16
	Geometry            GeometryWord // index is added to those of the table, flags hold for all triangles
	MicromapBase        uint32       // not read
	VertexStride        uint16
	IndexStride         uint16
	MicromapIndexStride uint16
	GeometryWordStride  uint16
	Truncate            uint16 // low bits that are cut off positions
	_                   uint16
	VertexData          uint64 // of Compressed1: a header and its stream
	Indices             uint64
	GeometryWords       uint64 // table of GeometryWord; 0: Geometry is that of all triangles
	GeometryIndices     uint64 // one for each triangle, into the table; 0: triangle n has word n
	MicromapArray       uint64 // 0, as micromaps are not there
	MicromapIndices     uint64 // 0
}

// DXDisallowDataAccess is a flag of a cluster: shaders do not ask for its vertices.
const DXDisallowDataAccess = 2

// DXBuildTemplate are the arguments of a template.
type DXBuildTemplate struct {
	DXBuildTriangles
	// Bounds is the address of a hint, six floats, or 0; where Input.InstanceFormat is Compressed1, it is Quanta.Word instead.
	Bounds uint64
}

// DXInstantiate are the arguments of an instance of a template.
type DXInstantiate struct {
	GeometryOffset int32
	IDOffset       uint32
	Template       uint64
	Vertices       uint64
	VertexStride   uint64
}

// DXFlags are the flags of a command's Input, of DXR 2.0's flags of an operation: fast trace (0x4), fast operation (0x8) and
// allow data access (0x100). Others are refused, micromaps (0x400) by name.
func DXFlags(flags uint32) (vk.BuildFlags, error) {
	const fastTrace, fastOperation, dataAccess, micromaps = 0x4, 0x8, 0x100, 0x400
	if flags&micromaps != 0 {
		return 0, fmt.Errorf("%w: opacity micromaps (operation flag %#x)", ErrUnsupported, micromaps)
	}
	if rest := flags &^ (fastTrace | fastOperation | dataAccess); rest != 0 {
		return 0, fmt.Errorf("%w: operation flags %#x are not known", vk.ErrInvalid, rest)
	}
	var out vk.BuildFlags
	for _, f := range []struct {
		dx uint32
		vk vk.BuildFlags
	}{{fastTrace, vk.PreferFastTrace}, {fastOperation, vk.PreferFastBuild}, {dataAccess, vk.AllowDataAccess}} {
		if flags&f.dx != 0 {
			out |= f.vk
		}
	}
	return out, nil
}
