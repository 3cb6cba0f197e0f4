package inspect

import (
	"fmt"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Split triangles have a leaf record for each of their parts.

// PrimitiveID is a primitive of the input; of instances it is the position in the input.
type PrimitiveID struct{ Geometry, primitive uint32 }

func (s *Structure) PrimitiveAt(record uint32) PrimitiveID {
	switch s.LeafKind() {
	case layout.LeafInstances:
		return PrimitiveID{primitive: s.InstanceIndexAt(record)}
	case cluster.LeafKind: // no cluster may be there twice
		at := s.clusterRecord(record).Address
		return PrimitiveID{uint32(at >> 32), uint32(at)}
	case layout.LeafBoxes:
		b := s.ProceduralBox(record)
		return PrimitiveID{b.Geometry, b.Primitive}
	}
	t := s.Triangle(record)
	return PrimitiveID{t.Geometry, t.Primitive}
}

// nodeSlots is how many nodes the structure has room for.
func (s *Structure) nodeSlots() uint64 { return (s.Leaves - layout.HeaderSize) / layout.NodeSize }

// MostHeight is the most levels of inner nodes, see MostHeightBottom.
func (s *Structure) MostHeight() uint32 {
	if s.Type == vk.TopLevel {
		return layout.MostHeightTop
	}
	if s.IsOverClusters() {
		return cluster.MostHeight
	}
	return layout.MostHeightBottom
}

// mostActive is the most leaf records of a structure of so many primitives.
func (s *Structure) mostActive() uint32 {
	if s.Flags&layout.SplitFlags != layout.SplitFlag || s.LeafKind() == layout.LeafBoxes || s.LeafKind() == layout.LeafInstances ||
		s.IsOverClusters() {
		return s.Primitives
	}
	return s.Primitives + uint32(layout.SplitSlots(uint64(s.Primitives)))
}

// findParts finds primitives with several records, which must be triangles that may be split.
func (v *validator) findParts() error {
	first := make(map[PrimitiveID]uint32, v.s.Active)
	for i := range v.s.Active {
		id := v.s.PrimitiveAt(i)
		k, twice := first[id]
		if !twice {
			first[id] = i
			continue
		}
		if v.s.mostActive() == v.s.Primitives || v.s.Triangle(k) != v.s.Triangle(i) {
			return fmt.Errorf("%w: primitive %d of geometry %d is there twice", ErrInvalidStructure, id.primitive, id.Geometry)
		}
		if v.parts == nil {
			v.parts = map[PrimitiveID][]Box{}
		}
		v.parts[id] = nil
	}
	return nil
}

// addParts notes a leaf's box for all split triangles in it, and returns the box around what of the leaf's content must be in it:
// of these triangles nothing.
func (v *validator) addParts(ref uint32, leaf, content Box) Box {
	first, n := layout.LeafRange(ref, v.s.Active)
	found, rest := false, NoBox()
	for i := first; i < first+n; i++ {
		id := v.s.PrimitiveAt(i)
		if _, split := v.parts[id]; split {
			v.parts[id] = append(v.parts[id], leaf)
			found = true
		} else if b, ok := v.s.LeafBox(i); ok {
			rest = rest.Union(b)
		}
	}
	if found {
		return rest.Union(leaf)
	}
	return content
}

// partSamples are as many points along an edge of a split triangle that checkParts looks for.
const partSamples = 12

// checkParts looks for points of split triangles in their leaves' boxes.
func (v *validator) checkParts() error {
	for i := range v.s.Active {
		id := v.s.PrimitiveAt(i)
		boxes, split := v.parts[id]
		if !split {
			continue
		}
		delete(v.parts, id)
		t := v.s.Triangle(i)
		for a := range partSamples + 1 {
			for b := range partSamples + 1 - a {
				if p := t.at(float64(a)/partSamples, float64(b)/partSamples); !anyHolds(boxes, p) {
					return fmt.Errorf("%w: point %v of primitive %d of geometry %d is in none of its leaves' boxes %v", ErrInvalidStructure, p,
						id.primitive, id.Geometry, boxes)
				}
			}
		}
	}
	return nil
}

// at is the point of a triangle with weights of the second and third vertex.
func (t Triangle) at(u, v float64) (p [3]float64) {
	for k := range 3 {
		p[k] = float64(t.V[0][k])*(1-u-v) + float64(t.V[1][k])*u + float64(t.V[2][k])*v
	}
	return p
}

func anyHolds(boxes []Box, p [3]float64) bool {
	for _, b := range boxes {
		if b.holds(p) {
			return true
		}
	}
	return false
}
