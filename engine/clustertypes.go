package engine

import (
	"errors"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// What commands for clusters take, under the names of this package: package cluster has the words.
type (
	// ClusterOp is what a command does, ClusterMode where its results go, ClusterType what it moves.
	ClusterOp   = cluster.Op
	ClusterMode = cluster.Mode
	ClusterType = cluster.Type
	// ClusterStrided is an array in the device's memory.
	ClusterStrided = cluster.Strided
	// ClusterResolve says which addresses of a command are to be read from memory themselves.
	ClusterResolve = cluster.Resolve
	// ClusterRecord is what a bottom level has of a cluster (Contents.Clusters).
	ClusterRecord = cluster.Record

	// ClusterBuildTriangles and those below are the arguments of operations, byte for byte as the device reads them.
	ClusterBuildTriangles   = cluster.BuildTriangles
	ClusterBuildTemplate    = cluster.BuildTemplate
	ClusterInstantiate      = cluster.Instantiate
	ClusterBuildBottomLevel = cluster.BuildBottomLevel
	ClusterMoveObject       = cluster.MoveObject
	ClusterGetIndices       = cluster.GetIndices

	// ClusterDialect says whose arguments a command reads, ClusterDXBuildTriangles and those below are DXR 2.0's.
	ClusterDialect          = cluster.Dialect
	ClusterDXBuildTriangles = cluster.DXBuildTriangles
	ClusterDXBuildTemplate  = cluster.DXBuildTemplate
	ClusterDXInstantiate    = cluster.DXInstantiate
	// ClusterQuanta say how positions are compressed.
	ClusterQuanta = cluster.Quanta

	// ClusterPiece is a part of a mesh that fits in a cluster.
	ClusterPiece = cluster.Piece
	// ClusterGeometry is a triangle's geometry index and flags, ClusterGeometryFlags the latter.
	ClusterGeometry      = cluster.GeometryWord
	ClusterGeometryFlags = cluster.GeometryFlags
	// ClusterCounts is the word of a cluster's counts.
	ClusterCounts = cluster.Counts
)

// Operations, modes, types and flags.
const (
	ClusterOpMove         = cluster.Move
	ClusterOpBottomLevels = cluster.BuildBottomLevels
	ClusterOpClusters     = cluster.BuildClusters
	ClusterOpTemplates    = cluster.BuildTemplates
	ClusterOpInstantiate  = cluster.InstantiateOp
	ClusterOpIndices      = cluster.TemplateIndices

	ClusterImplicit  = cluster.Implicit
	ClusterExplicit  = cluster.Explicit
	ClusterSizesOnly = cluster.SizesOnly

	ClusterTypeBottomLevel = cluster.BottomLevel
	ClusterTypeCluster     = cluster.Cluster
	ClusterTypeTemplate    = cluster.Template

	ClusterCullDisable       = cluster.CullDisable
	ClusterNoDuplicateAnyHit = cluster.NoDuplicateAnyHit
	ClusterOpaque            = cluster.Opaque

	ClusterVulkan  = cluster.Vulkan
	ClusterDirectX = cluster.DirectX

	// ClusterCompressed1 is DXR 2.0's vertex format, of CompressClusterPositions.
	ClusterCompressed1 = cluster.Compressed1

	// ClusterAllowMicromaps is a build flag that is refused.
	ClusterAllowMicromaps = cluster.AllowMicromaps

	// ClusterNone is the id of what is no cluster's: gl_ClusterIDNoneNV, CLUSTER_ID_INVALID.
	ClusterNone = cluster.NoID
)

// ClusterArgs are the bytes of arguments, for a buffer that Infos names.
func ClusterArgs[T cluster.Args](list ...T) []byte { return cluster.Bytes(list...) }

// NewClusterCounts puts a cluster's counts together: triangles, vertices, bits to cut off from positions, and bytes of an index.
func NewClusterCounts(triangles, vertices, truncate, indexBytes uint32) ClusterCounts {
	return cluster.NewCounts(triangles, vertices, truncate, indexBytes)
}

// NewClusterGeometry puts a geometry index and flags together.
func NewClusterGeometry(index uint32, flags ClusterGeometryFlags) ClusterGeometry {
	return cluster.NewGeometryWord(index, flags)
}

// DecodeClusterBytes interprets the bytes of a cluster or a template that were read back, as Device.DecodeCluster does.
func DecodeClusterBytes(data []byte) (*ClusterObject, error) { return cluster.Decode(data) }

// CutIntoClusters cuts an indexed mesh into pieces of up to so many triangles and vertices, which are near each other. positions
// has three numbers for each vertex.
func CutIntoClusters(positions []float32, indices []uint32, triangles, vertices int) []ClusterPiece {
	return cluster.Cut(positions, indices, triangles, vertices)
}

// ClusterDXFlags are the flags of a ClusterInput, of DXR 2.0's flags of an operation.
func ClusterDXFlags(flags uint32) (vk.BuildFlags, error) {
	out, err := cluster.DXFlags(flags)
	if errors.Is(err, cluster.ErrUnsupported) {
		err = driver.Mark(err, ErrUnsupported)
	}
	return out, err
}

// CompressClusterPositions makes the vertices of a cluster in the format ClusterCompressed1.
func CompressClusterPositions(positions [][3]float32, q ClusterQuanta) ([]byte, error) {
	return cluster.CompressPositions(positions, q)
}
