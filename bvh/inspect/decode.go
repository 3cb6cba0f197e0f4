package inspect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Contents are a structure's primitives in the order of the input, for tools that show them. Inactive primitives, be it
// since an update, are not among them, and split triangles once. Positions are after the geometry's transform.
type Contents struct {
	Triangles []Triangle
	Boxes     []ProceduralBox
	Instances []Instance
	Clusters  []cluster.Record // of a bottom level over clusters, in the order of the tree; they lie elsewhere
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
	if len(s.Data) < layout.HeaderSize {
		return c, fmt.Errorf("%w: %d bytes", ErrNotAStructure, len(s.Data))
	}
	if err := s.CheckLeaves(); err != nil {
		return c, fmt.Errorf("%w: %w", ErrNotAStructure, err)
	}
	kind := s.LeafKind()
	for i := range s.Active {
		switch kind {
		case layout.LeafInstances:
			if in := s.instance(i); in.BottomLevel != 0 {
				c.Instances = append(c.Instances, in)
			}
		case cluster.LeafKind:
			c.Clusters = append(c.Clusters, s.clusterRecord(i))
		case layout.LeafBoxes:
			if b := s.ProceduralBox(i); b.Box.Min[0] <= b.Box.Max[0] {
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

func (s *Structure) ProceduralBox(index uint32) ProceduralBox {
	at := s.Leaves + uint64(index)*layout.BoxSize
	var b ProceduralBox
	for k := range uint64(3) {
		b.Box.Min[k] = s.Float(at + layout.BoxMin + 4*k)
		b.Box.Max[k] = s.Float(at + layout.BoxMax + 4*k)
	}
	g := s.Word(at + layout.BoxGeometry)
	b.Primitive, b.Geometry, b.Opaque = s.Word(at+layout.BoxPrimitive), g&layout.TriangleGeometryMask, g&layout.TriangleOpaque != 0
	return b
}

// IsOverClusters tells whether this is a bottom level over clusters.
func (s *Structure) IsOverClusters() bool { return s.LeafKind() == cluster.LeafKind }

func (s *Structure) clusterRecord(index uint32) cluster.Record {
	return cluster.DecodeRecord(s.Data[s.Leaves+uint64(index)*cluster.RecordSize:][:cluster.RecordSize])
}

func (s *Structure) instance(index uint32) Instance {
	at := s.Leaves + uint64(index)*layout.InstanceSize
	var i Instance
	for k := range uint64(12) {
		i.ObjectToWorld[k] = math.Float32frombits(s.Word(at + layout.InstanceObjectToWorld + 4*k))
		i.WorldToObject[k] = math.Float32frombits(s.Word(at + layout.InstanceWorldToObject + 4*k))
	}
	i.BottomLevel = uint64(s.Word(at+layout.InstanceBLAS)) | uint64(s.Word(at+layout.InstanceBLAS+4))<<32
	custom, table := s.Word(at+layout.InstanceCustomIndexMask), s.Word(at+layout.InstanceTableOffsetFlags)
	i.CustomIndex, i.Mask = custom&0xffffff, uint8(custom>>24)
	i.TableOffset, i.Flags = table&0xffffff, uint8(table>>24)
	i.Index = s.Word(at + layout.InstanceIndex)
	return i
}
