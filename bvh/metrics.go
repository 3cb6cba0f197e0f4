package bvh

import "github.com/everray/everray/vk"

// Quality judges a structure's tree and its memory, for tools that compare builds.
type Quality struct {
	Metrics
	// LeafSizes counts the leaves by their primitives: LeafSizes[i] have i + 1.
	LeafSizes [refCountMask + 1]int
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
	q.Parts = s.parts(m)
	if s.Active == 0 {
		return q, nil
	}
	w := treeWalk{s: s, q: &q}
	w.visit(s.Root, 0)
	q.MeanDepth = w.depths / float64(q.LeafNodes)
	if w.around > 0 {
		q.Overlap = w.shared / w.around
	}
	if s.Type == vk.BottomLevel && s.leafKind() != leafBoxes {
		q.EPO = s.epo(samples)
	}
	return q, nil
}

func (s *Structure) parts(m Metrics) Parts {
	p := Parts{
		Header: headerSize,
		Nodes:  uint64(m.InnerNodes) * nodeSize,
		Leaves: s.leafBytes(),
	}
	kind := s.leafKind()
	switch {
	case isIndexed(kind):
		p.Leaves = 4 * uint64(s.Active) * indexedWords
	case isCompacted(kind):
		p.Leaves, p.Vertices = 4*uint64(s.Active), 36*uint64(s.Active)
	}
	for i := uint32(0); isListed(kind) && i < s.Active; i += chunkRecords {
		_, vertices, geometries := s.chunkLists(s.chunkAt(i))
		p.Leaves += 4 * (chunkWords + uint64(geometries))
		p.Vertices += 12 * uint64(vertices)
	}
	p.Wide = s.currentSize() - s.Bytes
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
	if ref&refLeaf != 0 {
		_, n := leafRange(ref)
		w.q.LeafSizes[n-1]++
		w.depths += float64(depth)
		return
	}
	boxes, refs, _ := w.s.children(ref)
	w.around += boxes[0].union(boxes[1]).area()
	w.shared += boxes[0].intersection(boxes[1]).area()
	for _, r := range refs {
		w.visit(r, depth+1)
	}
}

// leafRange returns a leaf's first record and their number.
func leafRange(ref uint32) (first, n uint32) {
	return ref & refIndexMask, ref>>refCountShift&refCountMask + 1
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
