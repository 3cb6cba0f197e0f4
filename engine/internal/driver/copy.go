package driver

import (
	"github.com/everray/everray/bvh"
	"github.com/everray/everray/vk"
)

// ErrIncompatible is wrapped by errors about serialised structures that the way does not read.
var ErrIncompatible = bvh.ErrIncompatible

// ErrInvalidBlob is wrapped by errors about serialised structures that are truncated or corrupt.
var ErrInvalidBlob = bvh.ErrInvalidBlob

// SerializedVersionSize is what CheckSerialized reads of a blob: two UUIDs.
const SerializedVersionSize = 32

// Property is what can be asked of a structure, in the order of bvh.Property.
type Property uint32

// Properties.
const (
	CompactedSize Property = iota
	CurrentSize
	SerializedSize
	BottomLevelPointers
	PropertyCount
)

// Copy is one copy, whose structures are alive and of one type. Modes are those of package bvh.
type Copy struct {
	Mode                   vk.CopyMode
	Src, Dst               AccelerationStructure // of a blob: nil
	SrcStorage, DstStorage *vk.Buffer
	Blob                   vk.Range // what is not a structure of Src and Dst
	Status                 vk.Range // 4 bytes that get a bvh.CopyStatus, or nothing
	BottomLevelsReady      bool
}

// Subject is a structure that is asked for a property.
type Subject struct {
	Structure AccelerationStructure
	Storage   *vk.Buffer
}

// IndirectBuild is one build whose ranges the device reads: one vk.BuildRange for each geometry, Stride bytes apart.
type IndirectBuild struct {
	Build         // without Ranges
	MaxPrimitives []uint32
	Address       vk.DeviceAddress
	Stride        uint32
}
