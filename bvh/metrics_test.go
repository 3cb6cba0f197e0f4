package bvh

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// handTree is a tree made by hand: an inner node, or a leaf of triangles.
type handTree struct {
	kids   [2]*handTree // nil in leaves
	leaves []inspect.Triangle
}

func handLeaf(t ...inspect.Triangle) *handTree { return &handTree{leaves: t} }
func handNode(left, right *handTree) *handTree { return &handTree{kids: [2]*handTree{left, right}} }

// flat is a right triangle in a plane of constant z, with its right angle at (x, y) and legs of a length.
func flat(x, y, z, leg float32) inspect.Triangle {
	return inspect.Triangle{V: [3][3]float32{{x, y, z}, {x + leg, y, z}, {x, y + leg, z}}}
}

func boxOf(t inspect.Triangle) inspect.Box {
	b := inspect.Box{Min: t.V[0], Max: t.V[0]}
	return b.Union(inspect.Box{Min: t.V[1], Max: t.V[1]}).Union(inspect.Box{Min: t.V[2], Max: t.V[2]})
}

// handWriter encodes trees as the layout says.
type handWriter struct {
	nodes, leaves []byte
	count         uint32 // records
}

func (w *handWriter) write(h *handTree) (ref uint32, box inspect.Box, below uint32, height int) {
	if h.kids[0] == nil {
		ref = layout.RefLeaf | uint32(len(h.leaves)-1)<<layout.RefCountShift | w.count
		box = boxOf(h.leaves[0])
		for _, t := range h.leaves {
			box = box.Union(boxOf(t))
			record := make([]byte, layout.TriangleSize)
			for k := range 9 {
				binary.LittleEndian.PutUint32(record[4*k:], math.Float32bits(t.V[k/3][k%3]))
			}
			binary.LittleEndian.PutUint32(record[layout.TrianglePrimitive:], w.count)
			w.leaves = append(w.leaves, record...)
			w.count++
		}
		return ref, box, uint32(len(h.leaves)), 0
	}
	at := len(w.nodes)
	w.nodes = append(w.nodes, make([]byte, layout.NodeSize)...)
	for c, kid := range h.kids {
		r, b, n, d := w.write(kid)
		words := []float32{b.Min[0], b.Max[0], b.Min[1], b.Max[1]}
		for k, v := range words {
			binary.LittleEndian.PutUint32(w.nodes[at+layout.NodeXY1*c+4*k:], math.Float32bits(v))
		}
		binary.LittleEndian.PutUint32(w.nodes[at+layout.NodeZ+8*c:], math.Float32bits(b.Min[2]))
		binary.LittleEndian.PutUint32(w.nodes[at+layout.NodeZ+8*c+4:], math.Float32bits(b.Max[2]))
		binary.LittleEndian.PutUint32(w.nodes[at+layout.NodeChild0+4*c:], r)
		binary.LittleEndian.PutUint32(w.nodes[at+layout.NodeLeaves0+4*c:], n)
		if box = box.Union(b); c == 0 {
			box = b
		}
		below, height = below+n, max(height, d+1)
	}
	return uint32(at / layout.NodeSize), box, below, height
}

// handMade encodes and decodes a tree; nil is an empty structure.
func handMade(t *testing.T, h *handTree) *inspect.Structure {
	t.Helper()
	var w handWriter
	root, box, height := uint32(layout.RefNone), inspect.Box{}, 0
	if h != nil {
		root, box, _, height = w.write(h)
	}
	data := make([]byte, layout.HeaderSize)
	data = append(append(data, w.nodes...), w.leaves...)
	data = append(data, make([]byte, int(layout.AlignUp(uint64(len(data)), Alignment))-len(data))...)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(data[at:], v) }
	for at, v := range map[int]uint32{
		layout.HeaderMagic: layout.Magic, layout.HeaderVersion: layout.Version, layout.HeaderType: uint32(vk.BottomLevel),
		layout.HeaderPrimitives: w.count,
		layout.HeaderActive:     w.count, layout.HeaderRoot: root, layout.HeaderHeight: uint32(height),
		layout.HeaderLeafBlock: uint32(layout.HeaderSize+len(w.nodes)) / 64, layout.HeaderTotalSize: uint32(len(data)),
	} {
		put(at, v)
	}
	for i, v := range layout.CompatWords {
		put(layout.HeaderCompat+4*i, v)
	}
	for k := range 3 {
		put(layout.HeaderBoundsMin+4*k, math.Float32bits(box.Min[k]))
		put(layout.HeaderBoundsMax+4*k, math.Float32bits(box.Max[k]))
	}
	s, err := inspect.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestQualityOfHandMadeTrees(t *testing.T) {
	// Two boxes of 1 x 1 x 0, 3 apart: half areas 1 of 4. A triangle of legs 4 around both.
	pair := handNode(handLeaf(flat(0, 0, 0, 1)), handLeaf(flat(3, 0, 0, 1)))
	// The right leaf's box is the left one's right half: all of the right triangle, area 1/8, is in the left leaf's box; of
	// the left one, area 1/2, the corner with x > 1/2 and y < 1/2, area 1/8, is in the right leaf's.
	half := handNode(handLeaf(flat(0, 0, 0, 1)), handLeaf(flat(0.5, 0, 0, 0.5)))
	for _, c := range []struct {
		name                     string
		tree                     *handTree
		sah, depth, overlap, epo float64
		inner, leaves, height    int
		sizes                    [layout.RefCountMask + 1]int
	}{
		{name: "empty"},
		{name: "one leaf", tree: handLeaf(flat(0, 0, 0, 1), flat(0, 0, 0, 1)), sah: 2, leaves: 1,
			sizes: [layout.RefCountMask + 1]int{1: 1}},
		{name: "apart", tree: pair, sah: 1 + 2*1.0/4, depth: 1, inner: 1, leaves: 2, height: 1,
			sizes: [layout.RefCountMask + 1]int{0: 2}},
		{name: "half inside", tree: half, sah: 1 + 1 + 0.25, depth: 1, overlap: 0.25, epo: (1.0/8 + 1.0/8) / (5.0 / 8),
			inner: 1, leaves: 2, height: 1, sizes: [layout.RefCountMask + 1]int{0: 2}},
		// Around the pair lies a leaf of two triangles of legs 4: both small triangles (area 1 of 17) are in its box, which
		// costs 2. Of the large ones the pair's box (cost 1) holds x + y < 4 and y < 1, area 3.5, and the pair's leaves (1
		// each) 1 and, on the right, 1/2.
		{name: "deeper", tree: handNode(pair, handLeaf(flat(0, 0, 0, 4), flat(0, 0, 0, 4))),
			sah: 1 + 4.0/16 + 2*1.0/16 + 2, depth: 5.0 / 3, overlap: 4.0 / 20, epo: (1*2 + 2*(3.5+1+0.5)) / 17,
			inner: 2, leaves: 3, height: 2, sizes: [layout.RefCountMask + 1]int{0: 2, 1: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := handMade(t, c.tree)
			q, err := s.Quality(1 << 16)
			if err != nil {
				t.Fatal(err)
			}
			if q.InnerNodes != c.inner || q.LeafNodes != c.leaves || q.Height != c.height || q.LeafSizes != c.sizes {
				t.Errorf("%d inner nodes, %d leaves of sizes %v, height %d; want %d, %d, %v, %d",
					q.InnerNodes, q.LeafNodes, q.LeafSizes, q.Height, c.inner, c.leaves, c.sizes, c.height)
			}
			for _, v := range []struct {
				name      string
				got, want float64
			}{{"SAH", q.SAH, c.sah}, {"mean depth", q.MeanDepth, c.depth}, {"overlap", q.Overlap, c.overlap}} {
				if math.Abs(v.got-v.want) > 1e-12 {
					t.Errorf("%s %g, want %g", v.name, v.got, v.want)
				}
			}
			if math.Abs(q.EPO.Value-c.epo) > 4*q.EPO.Error+1e-12 || q.EPO.Error > 0.01 {
				t.Errorf("EPO %g ± %g, want %g", q.EPO.Value, q.EPO.Error, c.epo)
			}
			if p := q.Parts; p.Header+p.Nodes+p.Leaves+p.Vertices+p.Wide+p.Unused != s.CurrentSize() || p.Nodes != uint64(64*c.inner) ||
				p.Unused >= 256 {
				t.Errorf("parts %+v of %d bytes", p, s.Bytes)
			}
		})
	}
}

// TestQualityRefusesBrokenTrees: what Validate refuses is not measured.
func TestQualityRefusesBrokenTrees(t *testing.T) {
	s := handMade(t, handNode(handLeaf(flat(0, 0, 0, 1)), handLeaf(flat(3, 0, 0, 1))))
	binary.LittleEndian.PutUint32(s.Data[layout.HeaderSize+layout.NodeChild1:], s.Word(layout.HeaderSize+layout.NodeChild0))
	if _, err := s.Quality(16); !errors.Is(err, inspect.ErrInvalidStructure) {
		t.Errorf("a leaf that is there twice: %v", err)
	}
}

// TestEPO holds the estimate against clipping every triangle by every box, on a tree that is bad on purpose.
func TestEPO(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var split func(list []inspect.Triangle) *handTree
	split = func(list []inspect.Triangle) *handTree {
		if len(list) <= 3 {
			return handLeaf(list...)
		}
		k := rng.IntN(3)
		slices.SortFunc(list, func(a, b inspect.Triangle) int { return int(1e6 * (a.V[0][k] - b.V[0][k])) })
		mid := 1 + rng.IntN(len(list)-1)
		return handNode(split(list[:mid]), split(list[mid:]))
	}
	s := handMade(t, split(randomSoup(rng, 300, 0.2).triangles(0, true)))
	want := exactEPO(s)
	for _, samples := range []int{1 << 10, 1 << 16} {
		q, err := s.Quality(samples)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("EPO %.4f ± %.4f of %d samples, %.4f exactly; SAH %.2f, overlap %.3f", q.EPO.Value, q.EPO.Error, q.EPO.Samples, want,
			q.SAH, q.Overlap)
		if math.Abs(q.EPO.Value-want) > 4*q.EPO.Error || q.EPO.Samples != samples || !(q.EPO.Error < want) {
			t.Errorf("EPO %.4f ± %.4f of %d samples, want %.4f", q.EPO.Value, q.EPO.Error, samples, want)
		}
		again, err := s.Quality(samples)
		if err != nil || again != q {
			t.Errorf("measured again: %+v, %v", again, err)
		}
	}
	if q, err := s.Quality(0); err != nil || q.EPO != (inspect.EPO{}) {
		t.Errorf("without samples: %+v, %v", q.EPO, err)
	}
}

// exactEPO is the definition, by clipping.
func exactEPO(s *inspect.Structure) float64 {
	_, total := s.Areas()
	sum := 0.0
	var visit func(ref uint32, box inspect.Box) map[uint32]bool // the records below
	visit = func(ref uint32, box inspect.Box) map[uint32]bool {
		below := map[uint32]bool{}
		cost := inspect.NodeCost
		if ref&layout.RefLeaf != 0 {
			first, n := layout.LeafRange(ref, 0)
			for i := first; i < first+n; i++ {
				below[i] = true
			}
			cost = inspect.PrimitiveCost * float64(n)
		} else {
			boxes, refs, _ := s.Children(ref)
			for c := range 2 {
				for i := range visit(refs[c], boxes[c]) {
					below[i] = true
				}
			}
		}
		for i := range s.Active {
			if !below[i] {
				sum += cost * clippedArea(s.Triangle(i), box)
			}
		}
		return below
	}
	visit(s.Root, s.Bounds)
	return sum / total
}

// clippedArea is that of the part of a triangle in a box (Sutherland and Hodgman 1974).
func clippedArea(t inspect.Triangle, box inspect.Box) float64 {
	var poly [][3]float64
	for _, v := range t.V {
		poly = append(poly, [3]float64{float64(v[0]), float64(v[1]), float64(v[2])})
	}
	for k := range 3 {
		poly = clip(poly, k, 1, float64(box.Min[k]))
		poly = clip(poly, k, -1, -float64(box.Max[k]))
	}
	var n [3]float64
	for i := 1; i+1 < len(poly); i++ {
		for k := range 3 {
			u, v := (k+1)%3, (k+2)%3
			n[k] += (poly[i][u]-poly[0][u])*(poly[i+1][v]-poly[0][v]) - (poly[i][v]-poly[0][v])*(poly[i+1][u]-poly[0][u])
		}
	}
	return math.Sqrt(n[0]*n[0]+n[1]*n[1]+n[2]*n[2]) / 2
}

// clip keeps what has sign * coordinate k of at least limit.
func clip(poly [][3]float64, k int, sign, limit float64) (out [][3]float64) {
	for i, p := range poly {
		q := poly[(i+1)%len(poly)]
		dp, dq := sign*p[k]-limit, sign*q[k]-limit
		if dp >= 0 {
			out = append(out, p)
		}
		if dp*dq < 0 {
			f := dp / (dp - dq)
			var x [3]float64
			for c := range 3 {
				x[c] = p[c] + f*(q[c]-p[c])
			}
			out = append(out, x)
		}
	}
	return out
}
