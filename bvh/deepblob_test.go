package bvh

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/everray/everray/bvh/host"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// chainStructure is one whose tree is a chain of so many nodes, each with a leaf and the next.
func chainStructure(typ vk.AccelerationStructureType, nodes int) []byte {
	kind, leafSize := uint32(layout.LeafTriangles), layout.TriangleSize
	if typ == vk.TopLevel {
		kind, leafSize = layout.LeafInstances, layout.InstanceSize
	}
	leafAt := layout.HeaderSize + nodes*layout.NodeSize
	data := make([]byte, leafAt+(nodes+1)*leafSize)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	for i := range nodes {
		next := uint32(i + 1)
		if i == nodes-1 {
			next = layout.RefLeaf | uint32(nodes)
		}
		put(layout.HeaderSize+i*layout.NodeSize+layout.NodeChild0, layout.RefLeaf|uint32(i), next, 1, uint32(nodes-i))
	}
	for i := range nodes + 1 {
		at := leafAt + i*leafSize
		if typ == vk.TopLevel {
			put(at+layout.InstanceIndex, uint32(i), layout.RefNone, 0, layout.HeaderSize/64)
		} else {
			put(at+layout.TrianglePrimitive, uint32(i))
		}
	}
	put(layout.HeaderMagic, layout.Magic, layout.Version)
	put(layout.HeaderCompat, layout.CompatWords[:]...)
	put(layout.HeaderType, uint32(typ), 0, 1, uint32(nodes)+1, uint32(nodes)+1, 0, uint32(nodes), uint32(leafAt/64))
	put(layout.HeaderNodeCount, uint32(nodes))
	put(layout.HeaderLeafKind, kind)
	put(layout.HeaderTotalSize, uint32(len(data)))
	return data
}

// TestDeepBlobs wants blobs as deep as traversal's stack allows to be taken, and those a level deeper to be refused, by host and
// device.
func TestDeepBlobs(t *testing.T) {
	r := newRig(t)
	for _, typ := range []vk.AccelerationStructureType{vk.BottomLevel, vk.TopLevel} {
		most := layout.MostHeightBottom
		if typ == vk.TopLevel {
			most = layout.MostHeightTop
		}
		for _, nodes := range []int{most, most + 1, StackEntries + 1, 1000} {
			blob := hostBlob(t, chainStructure(typ, nodes), [16]byte{})
			err := inspect.ValidateSerialized(blob)
			h, headerErr := inspect.ReadSerializedHeader(blob)
			if headerErr != nil {
				t.Fatal(headerErr)
			}
			_, status := r.load(blob, h.Handles, false)
			if good := nodes <= most; good != (err == nil) || good != (status == CopyOK) {
				t.Errorf("type %d, %d nodes deep: host %v, device %v", typ, nodes, err, status)
			}
			if err != nil && !errors.Is(err, inspect.ErrInvalidBlob) {
				t.Errorf("type %d, %d nodes deep: an error of another kind: %v", typ, nodes, err)
			}
		}
	}
}

// TestDeepChain gives all that walks a structure on the host one of two million levels.
func TestDeepChain(t *testing.T) {
	data := chainStructure(vk.BottomLevel, 2_000_000)
	s, err := inspect.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Validate(); !errors.Is(err, inspect.ErrInvalidStructure) {
		t.Errorf("Validate: %v", err)
	}
	if _, err := s.Quality(10); !errors.Is(err, inspect.ErrInvalidStructure) {
		t.Errorf("Quality: %v", err)
	}
	if _, err := s.Contents(); err != nil { // which walks no tree
		t.Error(err)
	}
	if _, err := host.Property(data, CompactedSize); !errors.Is(err, inspect.ErrNotAStructure) {
		t.Errorf("compacted size: %v", err)
	}
	for _, mode := range []vk.CopyMode{vk.CopyCompact, vk.CopySerialize} {
		o, err := host.Copies([]host.Copy{{Mode: mode, Src: data, Dst: make([]byte, 2*len(data)), Address: Alignment}})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); !errors.Is(err, inspect.ErrNotAStructure) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	if err := inspect.ValidateSerialized(hostBlob(t, data, [16]byte{})); !errors.Is(err, inspect.ErrInvalidBlob) {
		t.Errorf("ValidateSerialized: %v", err)
	}
}
