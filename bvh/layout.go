package bvh

// Mirror of shaders/bvh/common/layout.glsl and wide_layout.glsl; TestLayoutMatchesGLSL compares by name.
const (
	asMagic   = 0x53415245
	asVersion = 5

	headerSize          = 256
	headerSelf          = 0
	headerMagic         = 8
	headerVersion       = 12
	headerCompat        = 16
	headerType          = 32
	headerFlags         = 36
	headerGeometryCount = 40
	headerPrimitives    = 44
	headerActive        = 48
	headerRoot          = 52
	headerHeight        = 56
	headerLeafBlock     = 60
	headerBoundsMin     = 64
	headerNodeCount     = 76
	headerBoundsMax     = 80
	headerLeafKind      = 92
	headerTotalSize     = 96
	headerWide          = 104

	leafTriangles   = 0
	leafBoxes       = 1
	leafInstances   = 2
	leafIndexed     = 3
	leafIndexedWide = 4
	leafShort       = 5
	leafShortMany   = 6
	leafShortWide   = 7

	nodeSize    = 64
	nodeXY0     = 0
	nodeXY1     = 16
	nodeZ       = 32
	nodeChild0  = 48
	nodeChild1  = 52
	nodeLeaves0 = 56
	nodeLeaves1 = 60

	refLeaf       = 0x80000000
	refCountShift = 26
	refCountMask  = 31
	refIndexMask  = 0x03ffffff
	refNone       = 0xffffffff
	builtLeaf     = 8

	wideSize     = 128
	wideChildren = 4
	wideAxis     = 32
	wideRefs     = 96
	refEmpty     = 0xfffffffd

	triangleSize         = 48
	triangleV0           = 0
	triangleV1           = 12
	triangleV2           = 24
	trianglePrimitive    = 36
	triangleGeometry     = 40
	triangleOpaque       = 0x80000000
	triangleInactive     = 0x40000000
	triangleGeometryMask = 0x00ffffff

	triangleCorners = 44
	sourcedFlags    = 3

	chunkRecords         = 64
	chunkWords           = 2
	chunkVertices        = 192
	chunkVertexMask      = 0xffff
	chunkGeometryShift   = 16
	indexedWords         = 2
	indexedGeometries    = 64
	indexedGeometryShift = 24

	shortWords      = 10
	shortWord       = 9
	shortGeometries = 16
	shortMany       = 1024
	shortShift      = 26
	shortManyShift  = 20
	shortWideShift  = 24

	boxSize      = 32
	boxMin       = 0
	boxPrimitive = 12
	boxMax       = 16
	boxGeometry  = 28

	instanceSize             = 128
	instanceObjectToWorld    = 0
	instanceWorldToObject    = 48
	instanceBLAS             = 96
	instanceCustomIndexMask  = 104
	instanceTableOffsetFlags = 108
	instanceIndex            = 112
	instanceRoot             = 116
	instanceHeight           = 120
	instanceLeafBlock        = 124
	instanceBoxes            = 0x80000000
	instanceIndexed          = 0x40000000
	instanceWide             = 0x20000000
	instanceShort            = 0x10000000
	instanceMany             = 0x08000000
	instanceHeightMask       = 0x07ffffff

	// build.glsl
	blockSize        = 1024
	buildRecordSize  = 128
	geometryRecord   = 64
	stateSize        = 128
	modeLBVH         = 0
	modePLOC         = 1
	formatFloat32    = 0
	formatFloat16    = 1
	formatSnorm16    = 2
	formatSnorm8     = 3
	formatFloat64    = 4
	scanChunk        = 4096
	treeGroupsPerBlk = 16
	climbGroups      = 4 // workgroups of climb.comp for a block
	sortBlocks       = 2 // builds of more are sorted in several dispatches
)

// Limits of a structure.
const (
	// Alignment is the alignment of a structure's offset in its buffer and of its address.
	Alignment = 256
	// ScratchAlignment is the alignment of scratch addresses.
	ScratchAlignment = 64
	// MaxPrimitives is the most primitives of one structure, inactive ones counted: nodes and records stay within 4 GiB each,
	// beyond which drivers' offsets wrapped (NVIDIA 580, 268 million triangles).
	MaxPrimitives = 1 << 26
	// MaxInstances is the most instances of one top level, inactive ones counted.
	MaxInstances = 1<<24 - 1
	// MaxGeometries is the most geometries of one bottom level.
	MaxGeometries = triangleGeometryMask
	// StackEntries is the traversal stack of both levels together. A deeper structure is reported as a fault.
	StackEntries = 66
	// wideStackEntries is that where structures may have wide nodes, which push up to three entries for every level.
	wideStackEntries = 2 + (wideChildren-1)*(mostHeightBottom+mostHeightTop)
)

// compatWords identify structures that this version of the package can read.
var compatWords = [4]uint32{0x45564552, 0x52415942, 0x56480000 | asVersion, 0x00010001}
