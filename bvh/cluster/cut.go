package cluster

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// Piece is a part of a mesh that fits in a cluster.
type Piece struct {
	Triangles []uint32 // of the mesh
	Vertices  []uint32 // of the mesh; what Indices refer to
	Indices   []uint8  // three for each triangle
}

// Cut cuts an indexed mesh into pieces of up to so many triangles and vertices, which are near each other: triangles are sorted
// along the longest axis of their middles and divided in the middle, again and again. positions has three numbers for each vertex;
// vertices that are not finite may end up anywhere.
func Cut(positions []float32, indices []uint32, triangles, vertices int) []Piece {
	n := len(indices) / 3
	c := &cutter{indices: indices, triangles: triangles, vertices: vertices, middles: make([][3]float32, n),
		limit: make(chan struct{}, runtime.GOMAXPROCS(0))}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
		for k := range 3 {
			for v := range 3 {
				c.middles[i][k] += positions[3*indices[3*i+v]+uint32(k)] / 3
			}
		}
	}
	return c.cut(all)
}

type cutter struct {
	indices             []uint32
	middles             [][3]float32 // of triangles
	triangles, vertices int
	limit               chan struct{} // goroutines beside the first
}

func (c *cutter) cut(list []uint32) []Piece {
	if len(list) == 0 {
		return nil
	}
	if len(list) <= c.triangles {
		if p := c.piece(list); len(p.Vertices) <= c.vertices {
			return []Piece{p}
		}
	}
	lo, hi := c.middles[list[0]], c.middles[list[0]]
	for _, t := range list {
		for k := range 3 {
			lo[k], hi[k] = min(lo[k], c.middles[t][k]), max(hi[k], c.middles[t][k])
		}
	}
	axis := 0
	for k := range 3 {
		if hi[k]-lo[k] > hi[axis]-lo[axis] {
			axis = k
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(c.middles[a][axis], c.middles[b][axis]), cmp.Compare(a, b))
	})
	pieces := (len(list) + c.triangles - 1) / c.triangles
	half := len(list) / 2
	if pieces > 1 {
		half = (pieces + 1) / 2 * c.triangles // full ones
	}
	var left, right []Piece
	select {
	case c.limit <- struct{}{}:
		var wg sync.WaitGroup
		wg.Go(func() { left = c.cut(list[:half]); <-c.limit })
		right = c.cut(list[half:])
		wg.Wait()
	default:
		left, right = c.cut(list[:half]), c.cut(list[half:])
	}
	return append(left, right...)
}

// piece numbers the vertices of triangles.
func (c *cutter) piece(list []uint32) Piece {
	p := Piece{Triangles: slices.Clone(list)}
	numbers := make(map[uint32]uint8, len(list))
	for _, t := range list {
		for _, v := range c.indices[3*t : 3*t+3] {
			n, known := numbers[v]
			if !known {
				n = uint8(len(p.Vertices)) // of more than 256 the piece is cut again
				numbers[v] = n
				p.Vertices = append(p.Vertices, v)
			}
			p.Indices = append(p.Indices, n)
		}
	}
	return p
}
