package bvh

import "github.com/everray/everray/vk"

// What the host writes for kernels. The GLSL has the one definition of each, in which fields have the same names with a small
// letter: internal/house holds names, places and sizes of all structures with a //glsl: directive against the compiled kernels.

// erBuild describes a build (build.glsl).
//
//glsl:bvh/build/bounds.comp ErBuild
type erBuild struct {
	Dst, Geometries, State, Boxes, KeysA, KeysB, ValuesA, ValuesB, Parents, Arrivals vk.DeviceAddress
	Type, Flags, GeometryCount, PrimitiveCount, FirstBlock, BlockCount, Room, Inputs uint32
	CollapseLimit, Mode                                                              uint32
	Source                                                                           vk.DeviceAddress
}

// erUpdate is the erBuild of an update, which keeps other things in its scratch memory. The functions named in updateFields know
// their places.
type erUpdate struct {
	Dst, Geometries, State, Boxes, PartBounds, PartReach, Lists, Arrivals, Counts, _ vk.DeviceAddress
	Type, Flags, GeometryCount, PrimitiveCount, _, _, Room, _, _, _                  uint32
	Source                                                                           vk.DeviceAddress
}

// erGeometry describes a geometry (build.glsl).
//
//glsl:bvh/build/bounds.comp ErGeometry
type erGeometry struct {
	Vertices, Indices, Transform                                           vk.DeviceAddress
	Stride, IndexBytes, Flags, FirstPrimitive, PrimitiveCount, FirstVertex uint32
	Format, Kind, BoxLevels, Pad0                                          uint32
}

// erPush is what all kernels have as push constants (build.glsl).
//
//glsl:bvh/build/bounds.comp ErPush
type erPush struct {
	Builds, Tasks, Exchange, Sums vk.DeviceAddress
	TaskCount, Pass               uint32
}

// erUpdatePush is what follows there for an update that is alone (refit/push.glsl).
type erUpdatePush struct {
	Dst, Source, Scratch, Vertices, Indices, Transform               vk.DeviceAddress
	Stride, Forms, Flags, Primitives, FirstVertex, Type, Count, Room uint32
}

// erLonePush is both.
//
//glsl:bvh/refit/leaves.comp ErPush
//lint:ignore U1000 the kernels have it, and the twins test holds it
type erLonePush struct {
	erPush
	erUpdatePush
}

// erCopy describes a copy or a query (copy.glsl).
//
//glsl:bvh/copy/plan.comp ErCopy
type erCopy struct {
	Src, Dst, Plan, Parents, Marks, Status                                     vk.DeviceAddress
	Mode, SrcUnits, DstUnits, NodeLimit, MarkWords, FirstNumber, Pieces, Flags uint32
	Driver, Compat                                                             [16]byte
	StructureCompat                                                            [4]uint32
}

// erWiden is a task of widen.comp.
//
//glsl:bvh/build/widen.comp ErWiden
type erWiden struct {
	Structure   vk.DeviceAddress
	Room, Block uint32
}

// erTracePush is the push constants of trace.comp.
//
//glsl:bvh/trace/trace.comp Push
type erTracePush struct {
	Tlas, Rays, Hits, Faults           vk.DeviceAddress
	Count, Flags, CullMask, Candidates uint32
}

// erIndirect says where the ranges of a record are (indirect.comp).
//
//glsl:bvh/build/indirect.comp ErIndirect
type erIndirect struct {
	Ranges                vk.DeviceAddress
	Stride, FirstGeometry uint32
}

// erRay is a ray of trace.comp.
//
//glsl:bvh/trace/trace.comp Ray
type erRay struct{ OriginTMin, DirectionTMax [4]float32 }

// erHit is a hit of trace.comp, and erClusterHit one of the variant that knows clusters.
//
//glsl:bvh/trace/trace.comp Hit
type erHit struct {
	T, U, V                                                      float32
	Primitive, Geometry, Instance, CustomIndex, RecordOffsetKind uint32
}

//glsl:bvh/trace/trace.clusters.comp Hit
type erClusterHit struct {
	erHit
	Cluster uint32
}

// erClusterCommand describes a command for clusters (cluster/command.glsl).
//
//glsl:bvh/cluster/build.comp ErClusterCommand
type erClusterCommand struct {
	Implicits, Scratch, Addresses, Sizes, Infos, Counter, Places, Sums           vk.DeviceAddress
	AddressStride, SizeStride, InfoStride, Resolve, Op, Mode, Most, Type         uint32
	Format, FormatBytes, MostTriangles, MostVertices, MostGeometry, MostClusters uint32
	Flags, Pieces                                                                uint32
	Boxes, Ranges, Trees                                                         vk.DeviceAddress
	TreeBlocks, Room, Reach                                                      uint32
	_                                                                            uint32
}

// erClusterDialect is what translate.comp needs besides.
//
//glsl:bvh/cluster/translate.comp ErClusterDialect
type erClusterDialect struct {
	Infos, Words, Vertices                                               vk.DeviceAddress
	InfoStride, Resolve, Format, FormatBytes, IndexBytes, WordIndexBytes uint32
	MostWords, InstanceFormat                                            uint32
}

// record is one of these.
type record interface {
	erBuild | erUpdate | erGeometry | erPush | erUpdatePush | erCopy | erWiden | erTracePush | erClusterCommand |
		erClusterDialect | erIndirect | erRay
}

// bytesOf are a record's bytes.
func bytesOf[T record](r *T) []byte { return vk.Bytes(r) }

// appendRecord appends a record's bytes.
func appendRecord[T record](b []byte, r T) []byte { return append(b, bytesOf(&r)...) }
