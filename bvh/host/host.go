package host

import (
	"cmp"
	"fmt"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// BuildInput is one build or update by the host, as vkBuildAccelerationStructuresKHR has it. All its memory stays as
// it is, and Dst untouched by others, until the operation is done.
type BuildInput struct {
	// Info and Ranges are those of a build by the device; the addresses in Info's geometries are not read.
	Info   vk.BuildInfo
	Ranges []vk.BuildRange
	// Data is the input's memory, of every geometry of Info.
	Data []Geometry
	// BottomLevel returns the bytes of the structure at an address that an instance refers to, or the header alone (its
	// first 256), which makes the boxes of turned instances larger. A top level needs it, unless it has no instances. It is
	// called by all joiners at once.
	BottomLevel func(vk.DeviceAddress) []byte
	// WideNodes is that of the device whose rays the structure is for (the function WideNodes). Updates go by their source.
	WideNodes bool
	// Dst takes the structure: memory that the device sees at Address, or that is copied there. It holds at least
	// BuildSizes' AccelerationStructureSize, of an update as much as the source takes, and nothing beyond that is
	// written. Only updates in place read it.
	Dst     []byte
	Address vk.DeviceAddress
	// Src is, with Info.Update, the structure to update from, which the host or the device made and nobody writes any
	// more; it stays as it is. Nil is Dst itself, in place.
	Src []byte
}

// Geometry is the memory of one geometry. Offsets of the build's range count from the beginning of each slice.
type Geometry struct {
	Vertices  []byte // of triangles
	Indices   []byte // unless the index type is none
	Transform []byte // 3 rows of 4 float32, or nil: none
	AABBs     []byte
	Instances []byte // as vk.AccelerationStructureInstance lies in memory
	// Pointers are the instances with ArrayOfPointers. The range's offset counts 8 bytes for each.
	Pointers []*vk.AccelerationStructureInstance
}

// Build checks the builds and returns an operation that does them when it is joined. The builds must not depend on
// each other. The structures are what the device would have built from the same input, with other trees: it traces,
// copies, queries and updates them alike. Which trees does not depend on how many join.
//
// FAST_BUILD splits Morton codes; all others are binned SAH trees (Wald 2007), whose nodes then move to better places
// (Meister and Bittner 2018, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization"), more often with
// FAST_TRACE. Triangles are not split. Updates do what those of the device do, and may follow them. Trees are no higher than the
// device's, so that traversal's stack holds two of them. Builds take some 130
// bytes of memory for each primitive, until they are done.
func Build(builds []BuildInput) (*Operation, error) {
	o := newOperation()
	sizes := make([]uint64, len(builds))
	for i, in := range builds {
		var err error
		if sizes[i], err = checkHostBuild(in); err != nil {
			return nil, fmt.Errorf("host build %d: %w", i, err)
		}
	}
	if err := checkHostDestinations(builds); err != nil {
		return nil, err
	}
	for i := range builds {
		if builds[i].Info.Update {
			o.add(newHostUpdate(o, i, &builds[i]))
		} else {
			o.add(newHostBuild(o, i, &builds[i], sizes[i]))
		}
	}
	return o, nil
}

// checkHostBuild checks one build as checkBuild does those of the device, and that the input's memory is there. Indices
// and references are looked at only when the operation reads them. It returns the structure's size.
func checkHostBuild(in BuildInput) (size uint64, err error) {
	counts := make([]uint32, len(in.Ranges))
	for i, r := range in.Ranges {
		counts[i] = r.PrimitiveCount
	}
	sizes, err := layout.BuildSizes(in.Info, counts, in.WideNodes)
	switch {
	case err != nil:
		return 0, err
	case !in.Info.Update && in.Src != nil:
		return 0, fmt.Errorf("%w: Src is for updates, Info.Update is false", layout.ErrInvalidBuild)
	case len(in.Data) != len(in.Info.Geometries):
		return 0, fmt.Errorf("%w: memory of %d geometries for %d geometries", layout.ErrInvalidBuild, len(in.Data),
			len(in.Info.Geometries))
	case in.Address == 0 || in.Address%layout.Alignment != 0:
		return 0, fmt.Errorf("%w: destination address %#x is null or not a multiple of %d", layout.ErrInvalidBuild, in.Address,
			layout.Alignment)
	case !in.Info.Update && uint64(len(in.Dst)) < sizes.AccelerationStructureSize:
		return 0, fmt.Errorf("%w: destination has %d bytes, the structure takes %d (ask BuildSizes)", layout.ErrInvalidBuild,
			len(in.Dst), sizes.AccelerationStructureSize)
	}
	if in.Info.Update {
		if err := checkHostUpdate(in); err != nil {
			return 0, err
		}
	}
	for i, g := range in.Info.Geometries {
		if in.Ranges[i].PrimitiveCount == 0 {
			continue
		}
		if err := checkHostGeometry(g, in.Ranges[i], in.Data[i]); err != nil {
			return 0, fmt.Errorf("geometry %d: %w", i, err)
		}
		if g.Type == vk.GeometryInstances && in.BottomLevel == nil {
			return 0, fmt.Errorf("%w: BottomLevel is nil; instances take their boxes from the headers it returns", layout.ErrInvalidBuild)
		}
	}
	return sizes.AccelerationStructureSize, nil
}

// checkHostGeometry checks a geometry that has primitives.
func checkHostGeometry(g vk.Geometry, r vk.BuildRange, d Geometry) error {
	n := uint64(r.PrimitiveCount)
	switch g.Type {
	case vk.GeometryInstances:
		if g.Instances.ArrayOfPointers {
			if r.PrimitiveOffset%8 != 0 {
				return fmt.Errorf("%w: primitive offset %d is not a multiple of 8, the size of a pointer", layout.ErrInvalidBuild,
					r.PrimitiveOffset)
			}
			return needs("pointers", uint64(len(d.Pointers)), uint64(r.PrimitiveOffset/8)+n)
		}
		return needs("bytes of instances", uint64(len(d.Instances)), uint64(r.PrimitiveOffset)+n*vk.AccelerationStructureInstanceSize)
	case vk.GeometryAABBs:
		if r.PrimitiveOffset%layout.AABBAlignment != 0 {
			return fmt.Errorf("%w: primitive offset %d is not a multiple of %d", layout.ErrInvalidBuild, r.PrimitiveOffset,
				layout.AABBAlignment)
		}
		return needs("bytes of AABBs", uint64(len(d.AABBs)), uint64(r.PrimitiveOffset)+(n-1)*g.AABBs.Stride+boxInputSize)
	}
	t := g.Triangles
	component := layout.ComponentSize(t.VertexFormat)
	switch {
	case t.VertexStride%component != 0 || t.VertexStride > 1<<32-1:
		return fmt.Errorf("%w: vertex stride %d is not a multiple of %d below 2^32", layout.ErrInvalidBuild, t.VertexStride, component)
	case t.IndexType == vk.IndexNone && uint64(r.PrimitiveOffset)%component != 0:
		return fmt.Errorf("%w: primitive offset %d is not a multiple of %d, the size of a component", layout.ErrInvalidBuild,
			r.PrimitiveOffset, component)
	case t.IndexType != vk.IndexNone && uint64(r.PrimitiveOffset)%t.IndexType.Size() != 0:
		return fmt.Errorf("%w: primitive offset %d is not a multiple of %d, the size of an index", layout.ErrInvalidBuild,
			r.PrimitiveOffset, t.IndexType.Size())
	}
	if d.Transform != nil {
		if err := needs("bytes of transforms", uint64(len(d.Transform)), uint64(r.TransformOffset)+transformSize); err != nil {
			return err
		}
	}
	if t.IndexType != vk.IndexNone {
		return needs("bytes of indices", uint64(len(d.Indices)), uint64(r.PrimitiveOffset)+3*n*t.IndexType.Size())
	}
	last := uint64(r.FirstVertex) + 3*n - 1
	return needs("bytes of vertices", uint64(len(d.Vertices)),
		uint64(r.PrimitiveOffset)+last*t.VertexStride+vertexSize(t.VertexFormat))
}

// Sizes of inputs.
const (
	boxInputSize  = 24
	transformSize = 48
)

// vertexSize is the bytes read of a vertex: a fourth component never is.
func vertexSize(f vulkan.Format) uint64 {
	return layout.ComponentSize(f) * min(uint64(layout.FormatWords[f]>>4), 3)
}

func needs(what string, have, want uint64) error {
	if have < want {
		return fmt.Errorf("%w: %d %s, the range takes %d", layout.ErrInvalidBuild, have, what, want)
	}
	return nil
}

// checkHostDestinations checks that no two builds write the same memory, and no update reads what another build writes.
func checkHostDestinations(builds []BuildInput) error {
	order := make([]int, len(builds))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(builds[a].Address, builds[b].Address) })
	for i := 1; i < len(order); i++ {
		before, after := builds[order[i-1]], builds[order[i]]
		if after.Address-before.Address < uint64(len(before.Dst)) {
			return fmt.Errorf("%w: host builds %d and %d write the same addresses", layout.ErrInvalidBuild, order[i-1], order[i])
		}
	}
	written := make(map[*byte]int, len(builds))
	for i, in := range builds {
		if len(in.Dst) > 0 {
			written[&in.Dst[0]] = i
		}
	}
	for i, in := range builds {
		if len(in.Src) == 0 {
			continue
		}
		if k, ok := written[&in.Src[0]]; ok && k != i {
			return fmt.Errorf("%w: Src of host build %d is the Dst of %d; builds of one operation are independent",
				layout.ErrInvalidBuild, i, k)
		}
	}
	return nil
}
