package inspect

import (
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Quality judges a structure's tree and its memory, for tools that compare builds.
type Quality struct {
	Metrics
	// LeafSizes counts the leaves by their primitives: LeafSizes[i] have i + 1.
	LeafSizes [layout.RefCountMask + 1]int
	// MeanDepth is the mean over the leaves of the inner nodes above each; Height is the most.
	MeanDepth float64
	// Overlap is the surface of what the two boxes of a node share, over that of the box around both, summed over all inner
	// nodes: how likely a random line through a node meets both children at once. It is 0 to 1.
	Overlap float64
	// EPO judges bottom levels of triangles.
	EPO EPO
	// Parts say where the bytes are.
	Parts Parts
}

// Parts are the bytes of a structure. Their sum is Structure.Bytes and Wide.
type Parts struct {
	Header, Nodes uint64
	// Leaves are the leaf records, with what a build keeps beside them for its compaction.
	Leaves uint64
	// Vertices are those of triangles in compacted copies. Other triangles have theirs in the leaf records.
	Vertices uint64
	// Wide are the wide nodes, which lie behind the structure, with those that the tree does not have.
	Wide uint64
	// Unused is room for nodes that a tree with several primitives in a leaf does not have, and padding.
	Unused uint64
}

// Quality validates the structure and measures it. EPO is estimated from that many samples; with 0 it is left out.
func (s *Structure) Quality(samples int) (Quality, error) {
	m, err := s.Validate()
	q := Quality{Metrics: m}
	if err != nil {
		return q, err
	}
	q.Parts = s.Parts(m)
	if s.Active == 0 {
		return q, nil
	}
	w := treeWalk{s: s, q: &q}
	w.visit(s.Root, 0)
	q.MeanDepth = w.depths / float64(q.LeafNodes)
	if w.around > 0 {
		q.Overlap = w.shared / w.around
	}
	if s.Type == vk.BottomLevel && s.LeafKind() != layout.LeafBoxes {
		q.EPO = s.epo(samples)
	}
	return q, nil
}

func (s *Structure) Parts(m Metrics) Parts {
	p := Parts{
		Header: layout.HeaderSize,
		Nodes:  uint64(m.InnerNodes) * layout.NodeSize,
		Leaves: s.leafBytes(),
	}
	kind := s.LeafKind()
	switch {
	case layout.IsIndexed(kind):
		p.Leaves = 4 * uint64(s.Active) * layout.IndexedWords
	case layout.IsCompacted(kind):
		p.Leaves, p.Vertices = 4*uint64(s.Active), 36*uint64(s.Active)
	}
	for i := uint32(0); layout.IsListed(kind) && i < s.Active; i += layout.ChunkRecords {
		_, vertices, geometries := s.ChunkLists(s.ChunkAt(i))
		p.Leaves += 4 * (layout.ChunkWords + uint64(geometries))
		p.Vertices += 12 * uint64(vertices)
	}
	p.Wide = s.CurrentSize() - s.Bytes
	p.Unused = s.Bytes - p.Header - p.Nodes - p.Leaves - p.Vertices
	return p
}

// treeWalk sums over a tree that Validate has found sound.
type treeWalk struct {
	s              *Structure
	q              *Quality
	depths         float64 // of all leaves
	shared, around float64 // areas
}

func (w *treeWalk) visit(ref uint32, depth int) {
	if ref&layout.RefLeaf != 0 {
		_, n := layout.LeafRange(ref, w.s.Active)
		w.q.LeafSizes[n-1]++
		w.depths += float64(depth)
		return
	}
	boxes, refs, _ := w.s.Children(ref)
	w.around += boxes[0].Union(boxes[1]).Area()
	w.shared += boxes[0].intersection(boxes[1]).Area()
	for _, r := range refs {
		w.visit(r, depth+1)
	}
}

// intersection is empty in the sense of area where the boxes are apart.
func (b Box) intersection(o Box) Box {
	for k := range 3 {
		b.Min[k] = max(b.Min[k], o.Min[k])
		b.Max[k] = min(b.Max[k], o.Max[k])
	}
	for k := range 3 {
		if b.Min[k] > b.Max[k] {
			return Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
		}
	}
	return b
}
