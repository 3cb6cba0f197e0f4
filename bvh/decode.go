package bvh

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/everray/everray/vk"
)

// Contents are a structure's primitives in the order of the input, for tools that show them. Inactive primitives, be it
// since an update, are not among them, and split triangles once. Positions are after the geometry's transform.
type Contents struct {
	Triangles []Triangle
	Boxes     []ProceduralBox
	Instances []Instance
}

// ProceduralBox is the box of an AABB geometry's primitive.
type ProceduralBox struct {
	Box       Box
	Primitive uint32
	Geometry  uint32
	Opaque    bool
}

// Instance is one instance of a top level.
type Instance struct {
	ObjectToWorld [12]float32 // row major
	WorldToObject [12]float32
	BottomLevel   vk.DeviceAddress
	CustomIndex   uint32
	Mask          uint8
	TableOffset   uint32
	Flags         uint8
	Index         uint32 // position in the input
}

// Contents decodes the leaf records back to primitives.
func (s *Structure) Contents() (Contents, error) {
	var c Contents
	if len(s.data) < headerSize {
		return c, fmt.Errorf("%w: %d bytes", ErrNotAStructure, len(s.data))
	}
	if err := s.checkLeaves(); err != nil {
		return c, fmt.Errorf("%w: %w", ErrNotAStructure, err)
	}
	kind := s.leafKind()
	for i := range s.Active {
		switch kind {
		case leafInstances:
			if in := s.instance(i); in.BottomLevel != 0 {
				c.Instances = append(c.Instances, in)
			}
		case leafBoxes:
			if b := s.proceduralBox(i); b.Box.Min[0] <= b.Box.Max[0] {
				c.Boxes = append(c.Boxes, b)
			}
		default:
			if t := s.Triangle(i); !t.Inactive {
				c.Triangles = append(c.Triangles, t)
			}
		}
	}
	slices.SortFunc(c.Triangles, func(a, b Triangle) int {
		return cmp.Or(cmp.Compare(a.Geometry, b.Geometry), cmp.Compare(a.Primitive, b.Primitive))
	})
	c.Triangles = slices.Compact(c.Triangles) // of those that were split each part has the whole
	slices.SortFunc(c.Boxes, func(a, b ProceduralBox) int {
		return cmp.Or(cmp.Compare(a.Geometry, b.Geometry), cmp.Compare(a.Primitive, b.Primitive))
	})
	slices.SortFunc(c.Instances, func(a, b Instance) int { return cmp.Compare(a.Index, b.Index) })
	return c, nil
}

func (s *Structure) proceduralBox(index uint32) ProceduralBox {
	at := s.leaves + uint64(index)*boxSize
	var b ProceduralBox
	for k := range uint64(3) {
		b.Box.Min[k] = s.float(at + boxMin + 4*k)
		b.Box.Max[k] = s.float(at + boxMax + 4*k)
	}
	g := s.word(at + boxGeometry)
	b.Primitive, b.Geometry, b.Opaque = s.word(at+boxPrimitive), g&triangleGeometryMask, g&triangleOpaque != 0
	return b
}

func (s *Structure) instance(index uint32) Instance {
	at := s.leaves + uint64(index)*instanceSize
	var i Instance
	for k := range uint64(12) {
		i.ObjectToWorld[k] = math.Float32frombits(s.word(at + instanceObjectToWorld + 4*k))
		i.WorldToObject[k] = math.Float32frombits(s.word(at + instanceWorldToObject + 4*k))
	}
	i.BottomLevel = uint64(s.word(at+instanceBLAS)) | uint64(s.word(at+instanceBLAS+4))<<32
	custom, table := s.word(at+instanceCustomIndexMask), s.word(at+instanceTableOffsetFlags)
	i.CustomIndex, i.Mask = custom&0xffffff, uint8(custom>>24)
	i.TableOffset, i.Flags = table&0xffffff, uint8(table>>24)
	i.Index = s.word(at + instanceIndex)
	return i
}
