package cluster

// Mirror of shaders/bvh/common/cluster_layout.glsl; TestLayoutMatchesGLSL compares by name.
const (
	// LeafKind is what the header of a bottom level over clusters says of its leaves.
	LeafKind = 8
	// HeightFlag is beside the height there.
	HeightFlag = 0x04000000
	// MostHeight is the most inner nodes on a path of a bottom level over clusters, Height what a cluster adds to it at most.
	MostHeight = 29
	Height     = 12
	// Most is the most triangles, and the most vertices, of a cluster.
	Most = 256
	// MostClusters is the most clusters of one bottom level.
	MostClusters = 1 << 23
	// MostGeometry is the largest geometry index.
	MostGeometry = 1<<24 - 1
	// NoID is the id of what is no cluster's.
	NoID = 0xffffffff
	// RecordSize is the size of a record of a bottom level.
	RecordSize = 16
	// RefDirect is beside the place of a cluster's root in a reference to it, see Place.
	RefDirect = 0x40000000
	// Reach is how far from a bottom level's nodes such places may be, in units of 64 bytes, so that all of a cluster has one.
	Reach = refDirectBack - 1024

	leafTriangles     = 4
	mostDepth         = 10
	clusterAlignment  = 128
	templateAlignment = 32
	bottomAlignment   = 256

	clusterMagic  = 0x4c435245
	templateMagic = 0x54435245

	headerSize      = 64
	headerMagic     = 0
	headerID        = 4
	headerCounts    = 8
	headerFlags     = 12
	headerBoundsMin = 16
	headerGeometry  = 28
	headerBoundsMax = 32
	headerBytes     = 44
	headerRoot      = 48
	headerForm      = 52
	headerFormat    = 56
	headerQuanta    = 60

	vertexShift   = 9
	truncateShift = 18
	indexShift    = 24
	hasVertices   = 0x08000000
	hasWords      = 0x10000000
	isFast        = 0x20000000

	formTrianglesShift = 7
	formTrianglesMask  = 511
	formFlagsShift     = 16
	formWords          = 0x00080000
	formCluster        = 0x00100000
	formFast           = 0x00200000
	formMask           = 0x003fff80

	// FormatCompressed1 is the format word of Compressed1.
	FormatCompressed1 = 15

	shapeLeaf = 0x8000
	shapeTwo  = 0x4000

	recordRoot    = 0
	recordForm    = 4
	recordAddress = 8
	recordShift   = 8
	hitByRecord   = 0x80000000

	refDirectShift  = 30
	refDirectMask   = 0x3fffffff
	refDirectBack   = 0x10000000
	directSize      = 64
	refRecordsOf    = 0xa0000000
	refRecordsMask  = 0xf0000000
	refRecordsShift = 23

	// Those of bvh's layout.
	bvhHeaderSize = 256
	nodeSize      = 64
	refLeaf       = 0x80000000
	refCountShift = 26
	refCountMask  = 31
	refIndexMask  = 0x03ffffff
	refNone       = 0xffffffff
)
