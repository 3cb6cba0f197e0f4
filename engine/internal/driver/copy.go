package driver

import "github.com/everray/everray/vk"

// ErrIncompatible is wrapped by errors about serialised structures that the way does not read.
var ErrIncompatible = vk.ErrIncompatible

// ErrInvalidBlob is wrapped by errors about serialised structures that are truncated or corrupt.
var ErrInvalidBlob = vk.ErrInvalidBlob

// SerializedVersionSize is what CheckSerialized reads of a blob: two UUIDs.
const SerializedVersionSize = 32

// CopyOK is the status of a copy in which nothing wrong was found.
const CopyOK uint32 = 0

// Property is what can be asked of a structure.
type Property uint32

// Properties.
const (
	CompactedSize Property = iota
	CurrentSize
	SerializedSize
	BottomLevelPointers
	PropertyCount
)

// Copy is one copy, whose structures are alive and of one type. Its mode is one of vk.CopyMode.
type Copy struct {
	Mode                   vk.CopyMode
	Src, Dst               AccelerationStructure // of a blob: nil
	SrcStorage, DstStorage *vk.Buffer
	Blob                   vk.Range // what is not a structure of Src and Dst
	Status                 vk.Range // 4 bytes that get CopyOK or another number, or nothing
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
