package bvh

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Build is one build of a batch.
type Build struct {
	Info      vk.BuildInfo
	Ranges    []vk.BuildRange
	Dst       vk.Memory
	DstOffset uint64
	// Src is, with Info.Update, the structure to update from, which stays as it is; nil is Dst itself, in place.
	Src       vk.Memory
	SrcOffset uint64
	Scratch   vk.DeviceAddress
}

// batch is what the kernels read of a set of builds: records and tasks, as the bytes of build.glsl's structs.
// A task is one workgroup's worth of work, so every kernel runs over all builds in one dispatch.
type batch struct {
	leafLimit    uint32 // most primitives of a leaf
	builds       int    // records of builds; those of updates follow
	geometries   int
	records      []byte // ErBuild
	geometry     []byte // ErGeometry
	blocks       []byte // uvec2: build, block; of all builds
	split        []byte // the same of the inputs of builds whose triangles are split
	sortSmall    []byte // the same for builds of up to SortBlocks, once for each
	sortLarge    []byte // uvec2: build, tile; of builds of more
	scanned      []byte // uvec2: build, digits; of builds of more than sortDirect tiles
	bundled      []byte // of those whose leaves are bundles
	lbvh, ploc   []byte // of bundles of all builds, by kind of tree
	crowned      []byte // the same, once for each build whose upper nodes are made again
	improved     []byte // those of builds whose trees are improved
	moves        uint32 // passes over these
	updates      []byte // uvec2: record, block; of updates that are not small
	form         uint32 // a bit for every updateForm of these
	updatedNodes uint32 // about how many nodes these have
	alone        []byte // push constants of the update, if it is the only one and they can describe it
	indirect     []byte // ErIndirect of all records, or none
	widened      []byte // ErWiden, of builds and updates of structures that may have wide nodes

	ordered, orderedSmall []byte // of builds whose nodes are brought into postorder; small ones once

	smallRecords, firstGeometries []int  // of small updates
	smallUpdates                  []byte // what refit/small.comp reads of them

	histograms uint32 // entries over all tiles
	passes     uint32 // over their keys
	deep       bool   // some tree may have to be made less deep
	sourced    bool   // triangles of some build know which corners have the same source
	seeds      uint32 // capacity of the queue of climb.comp
}

const (
	// clusterLimit is ER_CLUSTER_LIMIT of tree.glsl.
	clusterLimit = 16
)

// Of shaders/bvh/build/sort.glsl.
const (
	sortTileBlocks = layout.SortBlocks // ER_TILE_BLOCKS: a tile is the most that a workgroup sorts
	sortDirect     = 128               // ER_SORT_DIRECT
	tileCounts     = 3 * 256           // entries of a tile in the histograms
	scanDigits     = 8                 // ER_SCAN_DIGITS of sort_scan.comp: those of a workgroup
)

// axisBits is erAxisBits of shaders/bvh/common/build.glsl. Each eight bits of a code are a pass of the sort, and one bit more
// tells what is inactive.
func axisBits(n uint32) uint32 {
	switch {
	case n <= layout.SortBlocks*layout.BlockSize:
		return 10
	case n <= 1<<18:
		return 13
	}
	return 15
}

// newBatch checks the builds and lays them out.
func newBatch(builds []Build, leafLimit uint32, wide bool) (*batch, error) {
	b := &batch{leafLimit: leafLimit}
	for i, bd := range builds {
		if _, err := checkBuild(bd, wide); err != nil {
			return nil, fmt.Errorf("build %d: %w", i, err)
		}
	}
	if err := checkDestinations(builds); err != nil {
		return nil, err
	}
	for _, bd := range builds {
		if !bd.Info.Update {
			b.add(uint32(b.builds), bd)
			b.builds++
		}
	}
	if wide {
		b.addWidened(builds)
	}
	return b, nil
}

func (b *batch) add(index uint32, bd Build) {
	firstGeometry := b.geometries
	var n uint32
	for i, g := range bd.Info.Geometries {
		r := bd.Ranges[i]
		b.addGeometry(g, r, n, bd.Info.Flags)
		n += r.PrimitiveCount
	}
	mode := uint32(layout.ModePLOC)
	if bd.Info.Flags&vk.PreferFastBuild != 0 {
		mode = layout.ModeLBVH
	}
	refs := uint32(layout.References(bd.Info, uint64(n)))
	blocks := (refs + layout.BlockSize - 1) / layout.BlockSize
	bundles := uint32(layout.MostBundles(bd.Info, uint64(refs)))
	collapse, flag := min(b.leafLimit, layout.LeafLimits[layout.LeafKindOf(bd.Info)]), uint32(0)
	if layout.Bundled(bd.Info) {
		collapse, flag = 1, 1
	}
	split := uint32(0)
	if layout.Splits(bd.Info) {
		split = 1
	}
	height := uint32(layout.MostHeightBottom)
	if bd.Info.Type == vk.TopLevel {
		height = layout.MostHeightTop
	}
	b.deep = b.deep || bundles > height
	b.sourced = b.sourced || layout.IsSourced(bd.Info)
	scratch := layout.ScratchOf(bd.Info, uint64(n))
	rec := erBuild{
		Dst: bd.Dst.Address() + bd.DstOffset, Geometries: uint64(firstGeometry), State: bd.Scratch,
		Boxes: bd.Scratch + scratch.Boxes, KeysA: bd.Scratch + scratch.KeysA, KeysB: bd.Scratch + scratch.KeysB,
		ValuesA: bd.Scratch + scratch.ValuesA, ValuesB: bd.Scratch + scratch.ValuesB,
		Parents: bd.Scratch + scratch.Parents, Arrivals: bd.Scratch + scratch.Arrivals,
		Type: uint32(bd.Info.Type), Flags: uint32(bd.Info.Flags), GeometryCount: uint32(len(bd.Info.Geometries)), PrimitiveCount: refs,
		FirstBlock: b.histograms / tileCounts, BlockCount: blocks, Inputs: n,
		CollapseLimit: collapse, Mode: mode | flag<<8 | split<<16 | height<<24,
	}
	if layout.Improved(bd.Info) {
		rec.Source = bd.Scratch + scratch.Moves
	}
	b.records = appendRecord(b.records, rec)
	if layout.Improved(bd.Info) {
		b.addImproved(index, n, blocks)
	}
	if crowned(bd.Info) {
		b.addCrown(index, n)
	}
	if layout.Ordered(bd.Info) || layout.Improved(bd.Info) && n > orderLarge {
		b.addOrdered(index, n, blocks)
	}
	if refs > n {
		b.addSplits(index, n)
	}
	b.addTasks(index, blocks, (bundles+layout.BlockSize-1)/layout.BlockSize, mode, flag != 0)
	if mode == layout.ModePLOC && n > 0 {
		b.seeds += bundles/(clusterLimit+1) + 1 // every seed has more than clusterLimit leaves of its own, or is the root
	}
	if blocks > layout.SortBlocks {
		b.addSort(index, blocks)
		b.passes = max(b.passes, 3*axisBits(refs)/8+1)
	}
}

// limitHeight makes all builds' trees less deep than others.
func (b *batch) limitHeight(height uint32) {
	b.deep = true
	for r := 0; r < len(b.records); r += layout.BuildRecordSize {
		at := b.records[r+int(unsafe.Offsetof(erBuild{}.Mode)):]
		binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)&0xffffff|height<<24)
	}
}

// addSort adds the tasks of the sort of a build that takes several dispatches.
func (b *batch) addSort(index, blocks uint32) {
	tiles := (blocks + sortTileBlocks - 1) / sortTileBlocks
	for k := range tiles {
		b.sortLarge = appendWords(b.sortLarge, index, k)
	}
	b.histograms += (tiles + 1) * tileCounts
	for k := uint32(0); k < 256/scanDigits && tiles > sortDirect; k++ {
		b.scanned = appendWords(b.scanned, index, k)
	}
}

func (b *batch) addTasks(index, blocks, bundleBlocks, mode uint32, bundled bool) {
	for k := uint32(0); k < blocks; k++ {
		b.blocks = appendWords(b.blocks, index, k)
		if bundled {
			b.bundled = appendWords(b.bundled, index, k)
		}
		if k == 0 && blocks <= layout.SortBlocks {
			b.sortSmall = appendWords(b.sortSmall, index, k)
		}
	}
	for k := uint32(0); k < bundleBlocks; k++ {
		if mode == layout.ModeLBVH {
			b.lbvh = appendWords(b.lbvh, index, k)
		} else {
			b.ploc = appendWords(b.ploc, index, k)
		}
	}
}

// addGeometry describes a geometry whose primitives have numbers from first on.
func (b *batch) addGeometry(g vk.Geometry, r vk.BuildRange, first uint32, flags vk.BuildFlags) {
	rec := erGeometry{Flags: uint32(g.Flags), FirstPrimitive: first, PrimitiveCount: r.PrimitiveCount}
	switch g.Type {
	case vk.GeometryInstances:
		rec.Vertices, rec.Stride = g.Instances.Data+uint64(r.PrimitiveOffset), vk.AccelerationStructureInstanceSize
		if g.Instances.ArrayOfPointers {
			rec.Stride = 8
		}
		rec.Kind, rec.BoxLevels = layout.LeafInstances, layout.BoxLevels(flags)
	case vk.GeometryAABBs:
		rec.Vertices, rec.Stride, rec.Kind = g.AABBs.Data+uint64(r.PrimitiveOffset), uint32(g.AABBs.Stride), layout.LeafBoxes
	default:
		t := g.Triangles
		rec.Vertices, rec.Indices, rec.Transform = t.VertexData, t.IndexData, t.TransformData
		if t.IndexType == vk.IndexNone {
			rec.Vertices += uint64(r.PrimitiveOffset)
		} else {
			rec.Indices += uint64(r.PrimitiveOffset)
		}
		if rec.Transform != 0 {
			rec.Transform += uint64(r.TransformOffset)
		}
		rec.Stride, rec.IndexBytes, rec.FirstVertex = uint32(t.VertexStride), uint32(t.IndexType.Size()), r.FirstVertex
		rec.Format, rec.Kind = layout.FormatWords[t.VertexFormat], layout.LeafTriangles
	}
	b.geometry = appendRecord(b.geometry, rec)
	b.geometries++
}

// resolve replaces the numbers of first geometries, which records have until then, by addresses.
func (b *batch) resolve(geometryBase vk.DeviceAddress) {
	for r := 0; r < len(b.records); r += layout.BuildRecordSize {
		at := b.records[r+int(unsafe.Offsetof(erBuild{}.Geometries)):]
		first := binary.LittleEndian.Uint64(at)
		binary.LittleEndian.PutUint64(at, geometryBase+first*layout.GeometryRecord)
	}
}

func appendWords(b []byte, v ...uint32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}
