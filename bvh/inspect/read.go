package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// ErrNotAStructure is returned for memory that does not hold a structure of this version.
var ErrNotAStructure = errors.New("not an acceleration structure of this version")

// Structure is a structure's memory, read back.
type Structure struct {
	Type       vk.AccelerationStructureType
	Flags      vk.BuildFlags
	Address    vk.DeviceAddress // of the header, when it was built
	Geometries uint32
	Primitives uint32 // inputs
	Active     uint32 // leaves' contents
	Root       uint32 // child reference
	Height     uint32
	Bounds     Box
	Bytes      uint64 // in use, without wide nodes

	Leaves uint64 // offset of the leaf records in Data
	Data   []byte // all Bytes of it, header first

	records map[uint64]uint32 // of a bottom level over clusters, by address; made when it is needed
}

// Box is an axis-aligned box.
type Box struct{ Min, Max [3]float32 }

func (b Box) Union(o Box) Box {
	for k := range 3 {
		b.Min[k] = min(b.Min[k], o.Min[k])
		b.Max[k] = max(b.Max[k], o.Max[k])
	}
	return b
}

func (b Box) Contains(o Box) bool {
	for k := range 3 {
		if !(b.Min[k] <= o.Min[k] && o.Max[k] <= b.Max[k]) {
			return false
		}
	}
	return true
}

func (b Box) Area() float64 {
	if b.Min[0] > b.Max[0] {
		return 0 // of nothing
	}
	x, y, z := float64(b.Max[0])-float64(b.Min[0]), float64(b.Max[1])-float64(b.Min[1]), float64(b.Max[2])-float64(b.Min[2])
	return x*y + y*z + z*x
}

// Read reads a structure back from the device and decodes it. It submits and waits.
func Read(ctx context.Context, dev *vk.Device, buf *vk.Buffer, offset uint64) (*Structure, error) {
	head := make([]byte, layout.HeaderSize)
	if err := dev.ReadBuffer(ctx, buf, offset, head); err != nil {
		return nil, fmt.Errorf("read acceleration structure: %w", err)
	}
	s, err := DecodeHeader(head)
	if err != nil {
		return nil, err
	}
	if s.Bytes < layout.HeaderSize || s.Bytes > buf.Size()-offset {
		return nil, fmt.Errorf("%w: it claims %d bytes in a buffer of %d", ErrNotAStructure, s.Bytes, buf.Size())
	}
	s.Data = make([]byte, s.Bytes)
	if err := dev.ReadBuffer(ctx, buf, offset, s.Data); err != nil {
		return nil, fmt.Errorf("read acceleration structure: %w", err)
	}
	return s, nil
}

// Decode interprets a structure's bytes, header first.
func Decode(data []byte) (*Structure, error) {
	if len(data) < layout.HeaderSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrNotAStructure, len(data))
	}
	s, err := DecodeHeader(data)
	if err != nil {
		return nil, err
	}
	if s.Bytes < layout.HeaderSize || s.Bytes > uint64(len(data)) {
		return nil, fmt.Errorf("%w: it claims %d bytes of %d", ErrNotAStructure, s.Bytes, len(data))
	}
	s.Data = data[:s.Bytes]
	return s, nil
}

// Open decodes a structure and checks that its parts lie in it.
func Open(data []byte) (*Structure, error) {
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if end := layout.HeaderSize + uint64(s.Word(layout.HeaderNodeCount))*layout.NodeSize; end != s.Leaves ||
		s.Bytes%layout.UnitSize != 0 {
		return nil, fmt.Errorf("%w: %d nodes before offset %d of %d bytes", ErrNotAStructure, s.Word(layout.HeaderNodeCount),
			s.Leaves, s.Bytes)
	}
	if err := s.CheckLeaves(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAStructure, err)
	}
	return s, nil
}

func DecodeHeader(h []byte) (*Structure, error) {
	u := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	if u(layout.HeaderMagic) != layout.Magic || u(layout.HeaderVersion) != layout.Version {
		return nil, fmt.Errorf("%w: magic %#x, version %d", ErrNotAStructure, u(layout.HeaderMagic), u(layout.HeaderVersion))
	}
	for i, w := range layout.CompatWords {
		if u(layout.HeaderCompat+4*i) != w {
			return nil, fmt.Errorf("%w: compatibility word %d is %#x", ErrNotAStructure, i, u(layout.HeaderCompat+4*i))
		}
	}
	s := &Structure{
		Address:    binary.LittleEndian.Uint64(h[layout.HeaderSelf:]),
		Type:       vk.AccelerationStructureType(u(layout.HeaderType)),
		Flags:      vk.BuildFlags(u(layout.HeaderFlags)),
		Geometries: u(layout.HeaderGeometryCount),
		Primitives: u(layout.HeaderPrimitives),
		Active:     u(layout.HeaderActive),
		Root:       u(layout.HeaderRoot),
		Height:     u(layout.HeaderHeight),
		Bytes:      binary.LittleEndian.Uint64(h[layout.HeaderTotalSize:]),
		Leaves:     uint64(u(layout.HeaderLeafBlock)) * 64,
	}
	if s.Type == vk.BottomLevel && u(layout.HeaderLeafKind) == cluster.LeafKind {
		s.Height = s.Height&^cluster.HeightFlag - min(cluster.Height, s.Height&^cluster.HeightFlag)
	}
	for k := range 3 {
		s.Bounds.Min[k] = math.Float32frombits(u(layout.HeaderBoundsMin + 4*k))
		s.Bounds.Max[k] = math.Float32frombits(u(layout.HeaderBoundsMax + 4*k))
	}
	return s, nil
}

// LeafKind is what the leaf records are: triangles, boxes or instances.
func (s *Structure) LeafKind() uint32 {
	if s.Type == vk.TopLevel {
		return layout.LeafInstances
	}
	return s.Word(layout.HeaderLeafKind)
}

func (s *Structure) Word(at uint64) uint32   { return binary.LittleEndian.Uint32(s.Data[at:]) }
func (s *Structure) Float(at uint64) float32 { return math.Float32frombits(s.Word(at)) }

// Children returns an inner node's boxes, references and the primitives below each.
func (s *Structure) Children(node uint32) (box [2]Box, ref, leaves [2]uint32) {
	at, over := uint64(layout.HeaderSize)+uint64(node)*layout.NodeSize, s.IsOverClusters()
	for c := range uint64(2) {
		xy := at + layout.NodeXY0 + c*(layout.NodeXY1-layout.NodeXY0)
		z := at + layout.NodeZ + 8*c
		box[c].Min = [3]float32{s.Float(xy), s.Float(xy + 8), s.Float(z)}
		box[c].Max = [3]float32{s.Float(xy + 4), s.Float(xy + 12), s.Float(z + 4)}
		ref[c] = s.Word(at + layout.NodeChild0 + 4*c)
		if over {
			ref[c] = s.recordsOf(ref[c]) // a leaf, as in other structures
		}
		leaves[c] = s.Word(at + layout.NodeLeaves0 + 4*c)
	}
	return box, ref, leaves
}

// Triangle is a bottom level's leaf record.
type Triangle struct {
	V         [3][3]float32
	Primitive uint32
	Geometry  uint32
	Opaque    bool
	Inactive  bool // by an update: its vertices are zero, and nothing hits it
}

// Triangle returns the leaf record at an index below Active.
func (s *Structure) Triangle(index uint32) Triangle {
	if s.IsOverClusters() {
		return Triangle{Inactive: true} // the record is a cluster's
	}
	if layout.IsCompacted(s.LeafKind()) {
		return s.compactedTriangle(index)
	}
	at := s.Leaves + uint64(index)*layout.TriangleSize
	var t Triangle
	for v := range uint64(3) {
		for k := range uint64(3) {
			t.V[v][k] = s.Float(at + layout.TriangleV0 + 12*v + 4*k)
		}
	}
	g := s.Word(at + layout.TriangleGeometry)
	t.Primitive = s.Word(at + layout.TrianglePrimitive)
	t.Geometry = g & layout.TriangleGeometryMask
	t.Opaque = g&layout.TriangleOpaque != 0
	t.Inactive = g&layout.TriangleInactive != 0
	return t
}

// InstanceIndexAt returns the input position of a top level's leaf record.
func (s *Structure) InstanceIndexAt(index uint32) uint32 {
	return s.Word(s.Leaves + uint64(index)*layout.InstanceSize + layout.InstanceIndex)
}

func NoBox() Box {
	return Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
}

// Handles is the number of handles in a blob.
func (s *Structure) Handles() uint64 {
	if s.Type == vk.TopLevel {
		return uint64(s.Primitives)
	}
	return 0
}

// Centre is twice the middle of a box on an axis.
func (b *Box) Centre(axis int) float32 { return b.Min[axis] + b.Max[axis] }

// CurrentSize is what a structure takes with its wide nodes.
func (s *Structure) CurrentSize() uint64 {
	if s.Word(layout.HeaderWide) == 0 {
		return s.Bytes
	}
	return layout.WithWide(s.Bytes, uint64(s.Word(layout.HeaderNodeCount)))
}
