package inspect

import "github.com/everray/everray/bvh/internal/layout"

// Level returns the boxes of a tree that Validate has found sound, as many steps below its root as level says: those of inner
// nodes there, and of leaves that lie above. Level 0 is the root's. It goes less deep where there would be more than most boxes.
func (s *Structure) Level(level, most int) []Box {
	type node struct {
		box Box
		ref uint32
	}
	if s.Active == 0 {
		return nil
	}
	nodes := []node{{s.Bounds, s.Root}}
	for range level {
		var below []node
		for _, n := range nodes {
			if n.ref&layout.RefLeaf != 0 {
				below = append(below, n)
				continue
			}
			boxes, refs, _ := s.Children(n.ref)
			below = append(below, node{boxes[0], refs[0]}, node{boxes[1], refs[1]})
		}
		if len(below) > most || len(below) == len(nodes) {
			break
		}
		nodes = below
	}
	out := make([]Box, len(nodes))
	for i, n := range nodes {
		out[i] = n.box
	}
	return out
}
