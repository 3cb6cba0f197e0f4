package cluster

import "github.com/everray/everray/vk"

func alignUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// Nodes is how many nodes there is room for in a cluster: in one built with PreferFastTrace one less than triangles.
func Nodes(triangles uint32, fast bool) uint32 {
	if fast {
		return slots(triangles, true) - 1
	}
	return max((triangles+leafTriangles-1)/leafTriangles, 1) - 1
}

// slots is how many triangles there is room for.
func slots(triangles uint32, fast bool) uint32 {
	if fast {
		return max(triangles, 2)
	}
	return triangles
}

// ClusterBytes is the size of a cluster; words is whether it has GeometryWords, fast whether it was built with PreferFastTrace.
func ClusterBytes(triangles, vertices uint32, words, fast bool) uint64 {
	behind := rest(triangles, vertices, words)
	if fast {
		behind = uint64(slots(triangles, true)) * directSize
	}
	return alignUp(headerSize+uint64(Nodes(triangles, fast))*nodeSize+behind, clusterAlignment)
}

// TemplateBytes is the size of a template; one without positions has no vertices.
func TemplateBytes(triangles, vertices uint32, words, fast bool) uint64 {
	shape := uint64(0)
	if fast {
		shape = 4 * uint64(Nodes(triangles, true))
	}
	return alignUp(headerSize+shape+rest(slots(triangles, fast), vertices, words), templateAlignment)
}

func rest(triangles, vertices uint32, words bool) uint64 {
	each := uint64(4)
	if words {
		each = 8
	}
	return uint64(triangles)*each + uint64(vertices)*12
}

// BottomLevelBytes is the size of a bottom level over clusters.
func BottomLevelBytes(clusters uint32) uint64 {
	return alignUp(bvhHeaderSize+uint64(max(clusters, 1)-1)*nodeSize+uint64(clusters)*RecordSize, bottomAlignment)
}

// ResultBytes is what the size query says of results: bytes for all in mode Implicit, for the largest in mode Explicit, and none in
// mode SizesOnly.
func (in Input) ResultBytes() uint64 {
	if in.Mode == SizesOnly {
		return 0
	}
	one, all := in.resultBytes()
	if in.Mode == Explicit {
		return one
	}
	return all
}

// resultBytes is the size of the largest result, and an upper bound of that of all.
func (in Input) resultBytes() (one, all uint64) {
	n := uint64(in.MaxCount)
	switch in.Op {
	case Move:
		return in.MaxMovedBytes, alignUp(in.MaxMovedBytes, in.Alignment())
	case BuildBottomLevels:
		one = BottomLevelBytes(in.MaxClusters)
		return one, min(n*one, n*(bvhHeaderSize+bottomAlignment)+uint64(in.MaxTotalClusters)*(nodeSize+RecordSize))
	case BuildTemplates:
		if in.Flags&vk.PreferFastTrace != 0 { // of less than two triangles there are some more
			one = TemplateBytes(in.MaxTriangles, in.MaxVertices, true, true)
			return one, min(n*one, n*(headerSize+templateAlignment+2*12)+in.totals(12))
		}
		one = TemplateBytes(in.MaxTriangles, in.MaxVertices, true, false)
		return one, min(n*one, n*(headerSize+templateAlignment)+in.totals(8))
	case TemplateIndices:
		one = alignUp(3*4*uint64(in.MaxTriangles), templateAlignment)
		return one, n * one
	}
	one = ClusterBytes(in.MaxTriangles, in.MaxVertices, true, false)
	all = n*(headerSize+clusterAlignment) + in.totals(8+nodeSize/leafTriangles)
	if in.Flags&vk.PreferFastTrace != 0 { // instances are of templates of either kind
		one = max(one, ClusterBytes(in.MaxTriangles, in.MaxVertices, true, true))
		all = max(all, n*(headerSize+clusterAlignment+2*(nodeSize+directSize))+in.totals(nodeSize+directSize))
	}
	return one, min(n*one, all)
}

// totals bounds what follows from triangles, of so many bytes each, and vertices.
func (in Input) totals(each uint64) uint64 {
	return uint64(in.MaxTotalTriangles)*each + uint64(in.MaxTotalVertices)*12
}
