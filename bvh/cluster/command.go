package cluster

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Op is what a command does (VkClusterAccelerationStructureOpTypeNV).
type Op uint32

// Values of Op.
const (
	Move              Op = 0
	BuildBottomLevels Op = 1
	BuildClusters     Op = 2
	BuildTemplates    Op = 3
	InstantiateOp     Op = 4
	TemplateIndices   Op = 5
)

var opNames = [...]string{"move", "build bottom levels", "build clusters", "build templates", "instantiate", "template indices"}

// String names the operation.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("operation %d", uint32(o))
}

// Mode is where results go (VkClusterAccelerationStructureOpModeNV).
type Mode uint32

// Values of Mode.
const (
	// Implicit results are packed from Command.Implicit on.
	Implicit Mode = 0
	// Explicit results go to the addresses that Command.Addresses holds.
	Explicit Mode = 1
	// SizesOnly computes sizes and has no results.
	SizesOnly Mode = 2
)

// Type is what is moved (VkClusterAccelerationStructureTypeNV).
type Type uint32

// Values of Type.
const (
	BottomLevel Type = 0
	Cluster     Type = 1
	Template    Type = 2
)

// Input is what the host says of a command's operations (VkClusterAccelerationStructureInputInfoNV and what it points to): limits
// that no operation exceeds.
type Input struct {
	MaxCount uint32 // operations, at most 2^24, and of BuildBottomLevels 2^20
	Flags    vk.BuildFlags
	Op       Op
	Mode     Mode

	// For BuildClusters, BuildTemplates and InstantiateOp, and all but the format for TemplateIndices.
	VertexFormat              vulkan.Format
	MaxGeometryIndex          uint32
	MaxGeometries             uint32 // different ones of a cluster
	MaxTriangles, MaxVertices uint32 // of a cluster
	MaxTotalTriangles         uint32
	MaxTotalVertices          uint32
	MinTruncateBits           uint32

	// For BuildBottomLevels.
	MaxTotalClusters, MaxClusters uint32 // of all, of one

	// For Move.
	Type          Type
	NoMoveOverlap bool
	MaxMovedBytes uint64

	// Dialect says whose arguments are read. What follows is of DirectX alone.
	Dialect Dialect
	// For BuildClusters and BuildTemplates: bytes of an index of a vertex (1, 2, 4), and of one of a geometry word; 0, if no
	// operation has those.
	IndexBytes, GeometryIndexBytes uint32
	// InstanceFormat, for BuildTemplates, is what vertices of instances are converted to; 0: nothing.
	InstanceFormat vulkan.Format
}

// Resolve says which addresses of a command are not the ones meant, but where those are in memory
// (VkClusterAccelerationStructureAddressResolutionFlagBitsNV).
type Resolve uint32

// Values of Resolve.
const (
	ResolveImplicit  Resolve = 1
	ResolveScratch   Resolve = 2
	ResolveAddresses Resolve = 4
	ResolveSizes     Resolve = 8
	ResolveInfos     Resolve = 16
	ResolveCount     Resolve = 32
)

// Strided is VkStridedDeviceAddressRegionKHR. Stride 0 is tight packing. Size may be 0 where the host does not know it.
type Strided struct {
	Address vk.DeviceAddress
	Stride  uint64
	Size    uint64
}

// Command is VkClusterAccelerationStructureCommandsInfoNV.
type Command struct {
	Input     Input
	Implicit  vk.DeviceAddress // for the mode of that name
	Scratch   vk.DeviceAddress
	Addresses Strided          // read in mode Explicit, written in mode Implicit if there is one
	Sizes     Strided          // written if there is one; 32 bits each, of DirectX 64
	Infos     Strided          // arguments, one for each operation
	Count     vk.DeviceAddress // of the number of operations; 0: Input.MaxCount
	Resolve   Resolve
}

// argBytes is the size of an operation's arguments.
var argBytes = [...]uint64{
	Move: 8, BuildBottomLevels: 16, BuildClusters: 64, BuildTemplates: 72, InstantiateOp: 32, TemplateIndices: 8,
}

// ArgBytes is the size of an operation's arguments, as Vulkan has them.
func (o Op) ArgBytes() uint64 { return argBytes[o] }

// ArgBytes is the size of an operation's arguments.
func (in Input) ArgBytes() uint64 {
	switch {
	case in.Dialect != DirectX:
	case in.Op == BuildClusters:
		return 80
	case in.Op == BuildTemplates:
		return 88
	}
	return in.Op.ArgBytes()
}

// SizeBytes is the size of what Command.Sizes has of an operation.
func (in Input) SizeBytes() uint64 {
	if in.Dialect == DirectX {
		return 8
	}
	return 4
}

// Alignment is what addresses of results are multiples of.
func (in Input) Alignment() uint64 {
	switch {
	case in.Op == BuildBottomLevels, in.Op == Move && in.Type == BottomLevel:
		return bottomAlignment
	case in.Op == BuildClusters, in.Op == InstantiateOp, in.Op == Move && in.Type == Cluster:
		return clusterAlignment
	}
	return templateAlignment
}
