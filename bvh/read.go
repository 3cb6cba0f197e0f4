package bvh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

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

	leaves uint64 // offset
	data   []byte
}

// Box is an axis-aligned box.
type Box struct{ Min, Max [3]float32 }

func (b Box) union(o Box) Box {
	for k := range 3 {
		b.Min[k] = min(b.Min[k], o.Min[k])
		b.Max[k] = max(b.Max[k], o.Max[k])
	}
	return b
}

func (b Box) contains(o Box) bool {
	for k := range 3 {
		if !(b.Min[k] <= o.Min[k] && o.Max[k] <= b.Max[k]) {
			return false
		}
	}
	return true
}

func (b Box) area() float64 {
	if b.Min[0] > b.Max[0] {
		return 0 // of nothing
	}
	x, y, z := float64(b.Max[0])-float64(b.Min[0]), float64(b.Max[1])-float64(b.Min[1]), float64(b.Max[2])-float64(b.Min[2])
	return x*y + y*z + z*x
}

// Read reads a structure back from the device and decodes it. It submits and waits.
func Read(ctx context.Context, dev *vk.Device, buf *vk.Buffer, offset uint64) (*Structure, error) {
	head := make([]byte, headerSize)
	if err := dev.ReadBuffer(ctx, buf, offset, head); err != nil {
		return nil, fmt.Errorf("read acceleration structure: %w", err)
	}
	s, err := decodeHeader(head)
	if err != nil {
		return nil, err
	}
	if s.Bytes < headerSize || offset+s.Bytes > buf.Size() {
		return nil, fmt.Errorf("%w: it claims %d bytes in a buffer of %d", ErrNotAStructure, s.Bytes, buf.Size())
	}
	s.data = make([]byte, s.Bytes)
	if err := dev.ReadBuffer(ctx, buf, offset, s.data); err != nil {
		return nil, fmt.Errorf("read acceleration structure: %w", err)
	}
	return s, nil
}

// Decode interprets a structure's bytes, header first.
func Decode(data []byte) (*Structure, error) {
	if len(data) < headerSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrNotAStructure, len(data))
	}
	s, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if s.Bytes < headerSize || s.Bytes > uint64(len(data)) {
		return nil, fmt.Errorf("%w: it claims %d bytes of %d", ErrNotAStructure, s.Bytes, len(data))
	}
	s.data = data[:s.Bytes]
	return s, nil
}

// Open decodes a structure and checks that its parts lie in it.
func Open(data []byte) (*Structure, error) {
	s, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if end := headerSize + uint64(s.word(headerNodeCount))*nodeSize; end != s.leaves || s.Bytes%unitSize != 0 {
		return nil, fmt.Errorf("%w: %d nodes before offset %d of %d bytes", ErrNotAStructure, s.word(headerNodeCount), s.leaves, s.Bytes)
	}
	if err := s.checkLeaves(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAStructure, err)
	}
	return s, nil
}

func decodeHeader(h []byte) (*Structure, error) {
	u := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	if u(headerMagic) != asMagic || u(headerVersion) != asVersion {
		return nil, fmt.Errorf("%w: magic %#x, version %d", ErrNotAStructure, u(headerMagic), u(headerVersion))
	}
	for i, w := range compatWords {
		if u(headerCompat+4*i) != w {
			return nil, fmt.Errorf("%w: compatibility word %d is %#x", ErrNotAStructure, i, u(headerCompat+4*i))
		}
	}
	s := &Structure{
		Address:    binary.LittleEndian.Uint64(h[headerSelf:]),
		Type:       vk.AccelerationStructureType(u(headerType)),
		Flags:      vk.BuildFlags(u(headerFlags)),
		Geometries: u(headerGeometryCount),
		Primitives: u(headerPrimitives),
		Active:     u(headerActive),
		Root:       u(headerRoot),
		Height:     u(headerHeight),
		Bytes:      binary.LittleEndian.Uint64(h[headerTotalSize:]),
		leaves:     uint64(u(headerLeafBlock)) * 64,
	}
	for k := range 3 {
		s.Bounds.Min[k] = math.Float32frombits(u(headerBoundsMin + 4*k))
		s.Bounds.Max[k] = math.Float32frombits(u(headerBoundsMax + 4*k))
	}
	return s, nil
}

// leafKind is what the leaf records are: triangles, boxes or instances.
func (s *Structure) leafKind() uint32 {
	if s.Type == vk.TopLevel {
		return leafInstances
	}
	return s.word(headerLeafKind)
}

func (s *Structure) word(at uint64) uint32   { return binary.LittleEndian.Uint32(s.data[at:]) }
func (s *Structure) float(at uint64) float32 { return math.Float32frombits(s.word(at)) }

// children returns an inner node's boxes, references and the primitives below each.
func (s *Structure) children(node uint32) (box [2]Box, ref, leaves [2]uint32) {
	at := uint64(headerSize) + uint64(node)*nodeSize
	for c := range uint64(2) {
		xy := at + nodeXY0 + c*(nodeXY1-nodeXY0)
		z := at + nodeZ + 8*c
		box[c].Min = [3]float32{s.float(xy), s.float(xy + 8), s.float(z)}
		box[c].Max = [3]float32{s.float(xy + 4), s.float(xy + 12), s.float(z + 4)}
		ref[c] = s.word(at + nodeChild0 + 4*c)
		leaves[c] = s.word(at + nodeLeaves0 + 4*c)
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
	if isCompacted(s.leafKind()) {
		return s.compactedTriangle(index)
	}
	at := s.leaves + uint64(index)*triangleSize
	var t Triangle
	for v := range uint64(3) {
		for k := range uint64(3) {
			t.V[v][k] = s.float(at + triangleV0 + 12*v + 4*k)
		}
	}
	g := s.word(at + triangleGeometry)
	t.Primitive = s.word(at + trianglePrimitive)
	t.Geometry = g & triangleGeometryMask
	t.Opaque = g&triangleOpaque != 0
	t.Inactive = g&triangleInactive != 0
	return t
}

// instanceIndexAt returns the input position of a top level's leaf record.
func (s *Structure) instanceIndexAt(index uint32) uint32 {
	return s.word(s.leaves + uint64(index)*instanceSize + instanceIndex)
}
