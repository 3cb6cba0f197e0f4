package bvh

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/everray/everray/vk"
)

// chainStructure is one whose tree is a chain of so many nodes, each with a leaf and the next.
func chainStructure(typ vk.AccelerationStructureType, nodes int) []byte {
	kind, leafSize := uint32(leafTriangles), triangleSize
	if typ == vk.TopLevel {
		kind, leafSize = leafInstances, instanceSize
	}
	leafAt := headerSize + nodes*nodeSize
	data := make([]byte, leafAt+(nodes+1)*leafSize)
	put := func(at int, v ...uint32) {
		for k, w := range v {
			binary.LittleEndian.PutUint32(data[at+4*k:], w)
		}
	}
	for i := range nodes {
		next := uint32(i + 1)
		if i == nodes-1 {
			next = refLeaf | uint32(nodes)
		}
		put(headerSize+i*nodeSize+nodeChild0, refLeaf|uint32(i), next, 1, uint32(nodes-i))
	}
	for i := range nodes + 1 {
		at := leafAt + i*leafSize
		if typ == vk.TopLevel {
			put(at+instanceIndex, uint32(i), refNone, 0, headerSize/64)
		} else {
			put(at+trianglePrimitive, uint32(i))
		}
	}
	put(headerMagic, asMagic, asVersion)
	put(headerCompat, compatWords[:]...)
	put(headerType, uint32(typ), 0, 1, uint32(nodes)+1, uint32(nodes)+1, 0, uint32(nodes), uint32(leafAt/64))
	put(headerNodeCount, uint32(nodes))
	put(headerLeafKind, kind)
	put(headerTotalSize, uint32(len(data)))
	return data
}

// TestDeepBlobs wants blobs as deep as traversal's stack allows to be taken, and those a level deeper to be refused, by host and
// device.
func TestDeepBlobs(t *testing.T) {
	r := newRig(t)
	for _, typ := range []vk.AccelerationStructureType{vk.BottomLevel, vk.TopLevel} {
		most := int((&Structure{Type: typ}).mostHeight())
		for _, nodes := range []int{most, most + 1, StackEntries + 1, 1000} {
			blob := hostBlob(t, chainStructure(typ, nodes), [16]byte{})
			err := ValidateSerialized(blob)
			h, headerErr := ReadSerializedHeader(blob)
			if headerErr != nil {
				t.Fatal(headerErr)
			}
			_, status := r.load(blob, h.Handles, false)
			if good := nodes <= most; good != (err == nil) || good != (status == CopyOK) {
				t.Errorf("type %d, %d nodes deep: host %v, device %v", typ, nodes, err, status)
			}
			if err != nil && !errors.Is(err, ErrInvalidBlob) {
				t.Errorf("type %d, %d nodes deep: an error of another kind: %v", typ, nodes, err)
			}
		}
	}
}

// TestDeepChain gives all that walks a structure on the host one of two million levels.
func TestDeepChain(t *testing.T) {
	data := chainStructure(vk.BottomLevel, 2_000_000)
	s, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Validate(); !errors.Is(err, ErrInvalidStructure) {
		t.Errorf("Validate: %v", err)
	}
	if _, err := s.Quality(10); !errors.Is(err, ErrInvalidStructure) {
		t.Errorf("Quality: %v", err)
	}
	if _, err := s.Contents(); err != nil { // which walks no tree
		t.Error(err)
	}
	if _, err := HostProperty(data, CompactedSize); !errors.Is(err, ErrNotAStructure) {
		t.Errorf("compacted size: %v", err)
	}
	for _, mode := range []vk.CopyMode{vk.CopyCompact, CopySerialize} {
		o, err := HostCopies([]HostCopy{{Mode: mode, Src: data, Dst: make([]byte, 2*len(data)), Address: Alignment}})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Run(t.Context()); !errors.Is(err, ErrNotAStructure) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	if err := ValidateSerialized(hostBlob(t, data, [16]byte{})); !errors.Is(err, ErrInvalidBlob) {
		t.Errorf("ValidateSerialized: %v", err)
	}
}
