package bvh

import (
	"context"
	"fmt"
	"math"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// ErrInvalidClusters is what every refused command for clusters wraps.
var ErrInvalidClusters error = fmt.Errorf("%w: command for clusters", vk.ErrInvalid)

// ClusterBuildSizes says how much memory a command's results and its scratch memory take at most: bytes for all results in mode
// cluster.Implicit, for the largest in mode cluster.Explicit.
func (b *Builder) ClusterBuildSizes(in cluster.Input) (vk.BuildSizes, error) {
	if err := checkClusterInput(in); err != nil {
		return vk.BuildSizes{}, err
	}
	scratch, err := clusterScratchOf(in)
	return vk.BuildSizes{AccelerationStructureSize: in.ResultBytes(), BuildScratchSize: scratch.size}, err
}

// clusterScratch places the parts of a command's scratch memory, as offsets from its address.
type clusterScratch struct {
	places, sums, moves            uint64
	boxes, ranges, trees, builds   uint64
	boxBytes, treeBytes, workBytes uint64 // of one bottom level
	dialect                        dialectScratch
	size                           uint64
}

const (
	placeSize  = 16  // ErPlace
	placeBlock = 128 // ER_PLACE_BLOCK: operations of a workgroup
	placeUnit  = 32  // ER_PLACE_UNIT
	gatherPart = 64  // clusters of a workgroup of gather.comp and finish.comp

	linearMost  = 1 << 15 // clusters of a bottom level that is built by linear.glsl, whose paths are short enough
	linearPart  = 128     // ER_LINEAR_PART
	linearBlock = 1024    // ER_LINEAR_BLOCK
	linearSpan  = 256     // ER_LINEAR_SPAN
)

func clusterScratchOf(in cluster.Input) (clusterScratch, error) {
	var s clusterScratch
	part := func(at *uint64, bytes uint64) {
		*at = s.size
		s.size = layout.AlignUp(s.size+bytes, Alignment)
	}
	n := uint64(in.MaxCount)
	part(&s.places, n*placeSize)
	part(&s.sums, (n+placeBlock-1)/placeBlock*4)
	if movesTwice(in) {
		part(&s.moves, in.MaxMovedBytes+n*in.Alignment())
	}
	s.dialect.place(in, part)
	switch {
	case linearly(in):
		room := layout.AlignUp(max(uint64(in.MaxClusters), 1), linearBlock)
		// Boxes and those of parts, keys, codes and numbers, and spans of all levels, which are less than two for each.
		s.treeBytes = layout.AlignUp(room*32+room/linearPart*32+3*room*4+2*room*32, Alignment)
		part(&s.trees, n*s.treeBytes)
	case in.Op == cluster.BuildBottomLevels && in.Mode != cluster.SizesOnly:
		s.boxBytes = 24 * uint64(in.MaxClusters)
		sizes, err := layout.BuildSizes(clusterTreeInfo(in, Alignment), []uint32{in.MaxClusters}, false)
		if err != nil {
			return s, err
		}
		s.treeBytes, s.workBytes = sizes.AccelerationStructureSize, layout.AlignUp(sizes.BuildScratchSize, Alignment)
		part(&s.boxes, n*s.boxBytes)
		part(&s.ranges, n*16)
		part(&s.trees, n*s.treeBytes)
		part(&s.builds, n*s.workBytes)
	}
	s.size = max(s.size, Alignment)
	return s, nil
}

// linearly is whether a command builds bottom levels in few dispatches (linear.glsl).
func linearly(in cluster.Input) bool {
	return in.Op == cluster.BuildBottomLevels && in.Mode != cluster.SizesOnly && in.Flags&vk.PreferFastBuild != 0 &&
		in.MaxClusters <= linearMost
}

// movesTwice is whether a command moves by way of scratch memory.
func movesTwice(in cluster.Input) bool {
	return in.Op == cluster.Move && in.Mode != cluster.SizesOnly && !in.NoMoveOverlap
}

// clusterTreeInfo is the build of a tree over the boxes of clusters, which are at an address.
func clusterTreeInfo(in cluster.Input, boxes vk.DeviceAddress) vk.BuildInfo {
	return vk.BuildInfo{
		Type: vk.BottomLevel, Flags: in.Flags & (vk.PreferFastBuild | vk.PreferFastTrace),
		Geometries: []vk.Geometry{{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: boxes, Stride: 24}}},
	}
}

// A command's operations: as many as threads are counted for, and fewer bottom levels, each of which the host describes a build of.
const (
	mostOperations   = 1 << 24
	mostBottomLevels = 1 << 20
)

// checkClusterInput judges what does not depend on addresses.
func checkClusterInput(in cluster.Input) error {
	switch {
	case in.Op > cluster.TemplateIndices:
		return fmt.Errorf("%w: %v", ErrInvalidClusters, in.Op)
	case in.Mode > cluster.SizesOnly:
		return fmt.Errorf("%w: mode %d, there are implicit (0), explicit (1) and sizes only (2)", ErrInvalidClusters, in.Mode)
	case in.MaxCount == 0 || in.MaxCount > mostOperations:
		return fmt.Errorf("%w: MaxCount is %d, want 1 to %d; use several commands", ErrInvalidClusters, in.MaxCount, mostOperations)
	case in.Flags&vk.AllowUpdate != 0:
		return fmt.Errorf("%w: Flags has AllowUpdate; clusters and bottom levels over them are built again instead", ErrInvalidClusters)
	case in.Flags&vk.PreferFastBuild != 0 && in.Flags&vk.PreferFastTrace != 0:
		return fmt.Errorf("%w: Flags has both PreferFastBuild and PreferFastTrace", ErrInvalidClusters)
	case in.Flags&cluster.AllowMicromaps != 0:
		return fmt.Errorf("command for clusters: %w: opacity micromaps (build flag %#x)", cluster.ErrUnsupported, cluster.AllowMicromaps)
	}
	if err := checkDialect(in); err != nil {
		return err
	}
	switch in.Op {
	case cluster.Move:
		return checkClusterMove(in)
	case cluster.BuildBottomLevels:
		if in.MaxClusters > cluster.MostClusters || in.MaxClusters > in.MaxTotalClusters {
			return fmt.Errorf("%w: MaxClusters is %d, of MaxTotalClusters %d; a bottom level has %d at most", ErrInvalidClusters,
				in.MaxClusters, in.MaxTotalClusters, cluster.MostClusters)
		}
		if in.MaxCount > mostBottomLevels {
			return fmt.Errorf("%w: %d bottom levels, at most %d; use several commands", ErrInvalidClusters, in.MaxCount,
				mostBottomLevels)
		}
		if need := uint64(in.MaxCount) * uint64(in.MaxClusters); need > math.MaxUint32 {
			return fmt.Errorf("%w: %d bottom levels of up to %d clusters; MaxCount times MaxClusters is at most 2^32-1",
				ErrInvalidClusters, in.MaxCount, in.MaxClusters)
		}
		return nil
	}
	return checkClusterTriangles(in)
}

func checkClusterMove(in cluster.Input) error {
	if in.Type > cluster.Template {
		return fmt.Errorf("%w: type %d; bottom levels (0), clusters (1) and templates (2) are moved", ErrInvalidClusters, in.Type)
	}
	if in.MaxMovedBytes > math.MaxUint32*placeUnit {
		return fmt.Errorf("%w: MaxMovedBytes is %d, use several commands", ErrInvalidClusters, in.MaxMovedBytes)
	}
	return nil
}

func checkClusterTriangles(in cluster.Input) error {
	if in.MaxTriangles > cluster.Most || in.MaxVertices > cluster.Most {
		return fmt.Errorf("%w: up to %d triangles and %d vertices; a cluster has %d of each at most", ErrInvalidClusters,
			in.MaxTriangles, in.MaxVertices, cluster.Most)
	}
	if in.MaxGeometryIndex > cluster.MostGeometry {
		return fmt.Errorf("%w: MaxGeometryIndex is %d, at most %d", ErrInvalidClusters, in.MaxGeometryIndex, cluster.MostGeometry)
	}
	if in.MinTruncateBits > 32 {
		return fmt.Errorf("%w: MinTruncateBits is %d, a position has 32", ErrInvalidClusters, in.MinTruncateBits)
	}
	if _, ok := formatOf(in.VertexFormat, in.Dialect); !ok && in.Op != cluster.TemplateIndices {
		return fmt.Errorf("%w: vertex format %d (see VertexFormats)", ErrInvalidClusters, in.VertexFormat)
	}
	return nil
}

// checkClusterCommand judges a command's addresses.
func checkClusterCommand(c cluster.Command) error {
	if err := checkClusterInput(c.Input); err != nil {
		return err
	}
	in := c.Input
	need := func(name string, s cluster.Strided, bytes, align uint64, needed bool) error {
		switch {
		case s.Address == 0 && needed:
			return fmt.Errorf("%w: %s is null", ErrInvalidClusters, name)
		case s.Address%align != 0 && c.Resolve == 0, s.Address%4 != 0:
			return fmt.Errorf("%w: %s %#x is not a multiple of %d", ErrInvalidClusters, name, s.Address, align)
		case s.Stride != 0 && (s.Stride < bytes || s.Stride%4 != 0 || s.Stride > math.MaxInt32):
			return fmt.Errorf("%w: stride %d of %s; it is 0 or a multiple of 4 of at least %d", ErrInvalidClusters, s.Stride, name, bytes)
		}
		if last := strideOr(s, bytes)*uint64(in.MaxCount-1) + bytes; s.Address != 0 && s.Size != 0 && s.Size < last {
			return fmt.Errorf("%w: %s has %d bytes, %d operations take %d", ErrInvalidClusters, name, s.Size, in.MaxCount, last)
		}
		return nil
	}
	implicit := in.Mode == cluster.Implicit
	align := in.Alignment()
	if c.Resolve&cluster.ResolveImplicit != 0 {
		align = 8
	}
	if implicit && (c.Implicit == 0 || c.Implicit%align != 0) {
		return fmt.Errorf("%w: Implicit %#x is null or not a multiple of %d", ErrInvalidClusters, c.Implicit, align)
	}
	if c.Scratch == 0 || (c.Resolve&cluster.ResolveScratch == 0 && c.Scratch%Alignment != 0) || c.Scratch%8 != 0 {
		return fmt.Errorf("%w: Scratch %#x is null or not a multiple of %d", ErrInvalidClusters, c.Scratch, Alignment)
	}
	if c.Count%4 != 0 {
		return fmt.Errorf("%w: Count %#x is not a multiple of 4", ErrInvalidClusters, c.Count)
	}
	if err := need("Infos", c.Infos, in.ArgBytes(), 8, true); err != nil {
		return err
	}
	if err := need("Addresses", c.Addresses, 8, 8, in.Mode == cluster.Explicit); err != nil {
		return err
	}
	return need("Sizes", c.Sizes, in.SizeBytes(), in.SizeBytes(), in.Mode == cluster.SizesOnly)
}

func strideOr(s cluster.Strided, tight uint64) uint64 {
	if s.Stride == 0 {
		return tight
	}
	return s.Stride
}

// PrepareClusters compiles the kernels of CmdBuildClusters, as Prepare does those of the others.
func (b *Builder) PrepareClusters(ctx context.Context) error {
	return b.prepare(ctx, func(k int) bool { return k >= kernelClusterSizes })
}

// clusterConstants are the specialisation constants of kernels of clusters: triangles at most, and lanes.
func (b *Builder) clusterConstants(k int) map[uint32]uint32 {
	switch k {
	case kernelClusterBuild64, kernelClusterDirect64, kernelClusterInstantiate64:
		return map[uint32]uint32{0: 64, 1: 64, 2: clusterKinds(k)}
	case kernelClusterBuild128, kernelClusterDirect128, kernelClusterInstantiate128:
		return map[uint32]uint32{0: 128, 1: 128, 2: clusterKinds(k)}
	case kernelClusterBuild256, kernelClusterDirect256, kernelClusterInstantiate256:
		return map[uint32]uint32{0: 256, 1: b.lanes, 2: clusterKinds(k)}
	case kernelClusterLinearSort:
		return map[uint32]uint32{1: b.lanes}
	}
	return nil
}

// clusterKinds is KINDS of tree.glsl: which clusters a kernel makes.
func clusterKinds(kernel int) uint32 {
	switch kernel {
	case kernelClusterBuild64, kernelClusterBuild128, kernelClusterBuild256:
		return 1
	case kernelClusterDirect64, kernelClusterDirect128, kernelClusterDirect256:
		return 2
	}
	return 3
}
