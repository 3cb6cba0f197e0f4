package layout

// Mirror of shaders/bvh/common/layout.glsl and wide_layout.glsl; TestLayoutMatchesGLSL compares by name.
const (
	Magic   = 0x53415245
	Version = 5

	HeaderSize          = 256
	HeaderSelf          = 0
	HeaderMagic         = 8
	HeaderVersion       = 12
	HeaderCompat        = 16
	HeaderType          = 32
	HeaderFlags         = 36
	HeaderGeometryCount = 40
	HeaderPrimitives    = 44
	HeaderActive        = 48
	HeaderRoot          = 52
	HeaderHeight        = 56
	HeaderLeafBlock     = 60
	HeaderBoundsMin     = 64
	HeaderNodeCount     = 76
	HeaderBoundsMax     = 80
	HeaderLeafKind      = 92
	HeaderTotalSize     = 96
	HeaderWide          = 104

	LeafTriangles   = 0
	LeafBoxes       = 1
	LeafInstances   = 2
	LeafIndexed     = 3
	LeafIndexedWide = 4
	LeafShort       = 5
	LeafShortMany   = 6
	LeafShortWide   = 7

	NodeSize    = 64
	NodeXY0     = 0
	NodeXY1     = 16
	NodeZ       = 32
	NodeChild0  = 48
	NodeChild1  = 52
	NodeLeaves0 = 56
	NodeLeaves1 = 60

	RefLeaf       = 0x80000000
	RefCountShift = 26
	RefCountMask  = 31
	RefIndexMask  = 0x03ffffff
	RefLargeShift = 29
	RefRecords    = 0x04000000
	LargeLeaf     = 4
	RefNone       = 0xffffffff
	BuiltLeaf     = 8

	WideSize     = 128
	WideChildren = 4
	WideAxis     = 32
	WideRefs     = 96
	RefEmpty     = 0xfffffffd

	TriangleSize         = 48
	TriangleV0           = 0
	TriangleV1           = 12
	TriangleV2           = 24
	TrianglePrimitive    = 36
	TriangleGeometry     = 40
	TriangleOpaque       = 0x80000000
	TriangleInactive     = 0x40000000
	TriangleGeometryMask = 0x00ffffff

	TriangleCorners = 44
	SourcedFlags    = 3

	ChunkRecords         = 64
	ChunkWords           = 2
	ChunkVertices        = 192
	ChunkVertexMask      = 0xffff
	ChunkGeometryShift   = 16
	IndexedWords         = 2
	IndexedGeometries    = 64
	IndexedGeometryShift = 24

	ShortWords      = 10
	ShortWord       = 9
	ShortGeometries = 16
	ShortMany       = 1024
	ShortShift      = 26
	ShortManyShift  = 20
	ShortWideShift  = 24

	BoxSize      = 32
	BoxMin       = 0
	BoxPrimitive = 12
	BoxMax       = 16
	BoxGeometry  = 28

	InstanceSize             = 128
	InstanceObjectToWorld    = 0
	InstanceWorldToObject    = 48
	InstanceBLAS             = 96
	InstanceCustomIndexMask  = 104
	InstanceTableOffsetFlags = 108
	InstanceIndex            = 112
	InstanceRoot             = 116
	InstanceHeight           = 120
	InstanceLeafBlock        = 124
	InstanceBoxes            = 0x80000000
	InstanceIndexed          = 0x40000000
	InstanceWide             = 0x20000000
	InstanceShort            = 0x10000000
	InstanceMany             = 0x08000000
	InstanceLarge            = 0x02000000
	InstanceHeightMask       = 0x05ffffff

	// build.glsl
	BlockSize          = 1024
	BuildRecordSize    = 128
	GeometryRecord     = 64
	StateSize          = 128
	ModeLBVH           = 0
	ModePLOC           = 1
	FormatFloat32      = 0
	FormatFloat16      = 1
	FormatSnorm16      = 2
	FormatSnorm8       = 3
	FormatFloat64      = 4
	ScanChunk          = 4096
	TreeGroupsPerBlock = 16
	SortBlocks         = 2 // builds of more are sorted in several dispatches
)

// Limits of a structure.
const (
	// Alignment is the alignment of a structure's offset in its buffer and of its address.
	Alignment = 256
	// ScratchAlignment is the alignment of scratch addresses.
	ScratchAlignment = 64
	// MaxPrimitives is the most primitives of one structure, inactive ones counted.
	MaxPrimitives = 1<<29 - 1
	// MaxInstances is the most instances of one top level, inactive ones counted.
	MaxInstances = 1<<24 - 1
	// MaxGeometries is the most geometries of one bottom level.
	MaxGeometries = TriangleGeometryMask
	// StackEntries is the traversal stack of both levels together. A deeper structure is reported as a fault.
	StackEntries = 66
	// WideStackEntries is that where structures may have wide nodes, which push up to three entries for every level.
	WideStackEntries = 2 + (WideChildren-1)*(MostHeightBottom+MostHeightTop)
)

// CompatWords identify structures that this version of the package can read.
var CompatWords = [4]uint32{0x45564552, 0x52415942, 0x56480000 | Version, 0x00010001}
