package bvh

import (
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/internal/layout"
)

// Limits of a structure.
const (
	// Alignment is the alignment of a structure's offset in its buffer and of its address.
	Alignment = layout.Alignment
	// ScratchAlignment is the alignment of scratch addresses.
	ScratchAlignment = layout.ScratchAlignment
	// MaxPrimitives is the most primitives of one structure, inactive ones counted.
	MaxPrimitives = layout.MaxPrimitives
	// MaxInstances is the most instances of one top level, inactive ones counted.
	MaxInstances = layout.MaxInstances
	// MaxGeometries is the most geometries of one bottom level.
	MaxGeometries = layout.MaxGeometries
	// StackEntries is the traversal stack of both levels together. A deeper structure is reported as a fault.
	StackEntries = layout.StackEntries
)

// What refused arguments wrap.
var (
	// ErrInvalidBuild is what every refused build wraps.
	ErrInvalidBuild = layout.ErrInvalidBuild
	// ErrInvalidCopy is what every refused copy or query wraps.
	ErrInvalidCopy = layout.ErrInvalidCopy
)

// Property is what CmdWriteProperties asks of a structure.
type Property = layout.Property

// Values of Property.
const (
	CompactedSize       = layout.CompactedSize       // bytes of a compacted copy
	CurrentSize         = layout.CurrentSize         // bytes in use, wide nodes included, and of a clone
	SerializedSize      = layout.SerializedSize      // bytes of a blob, handles included
	BottomLevelPointers = layout.BottomLevelPointers // handles in a blob: a top level's instances, 0 for a bottom level
)

// PropertySize is what one answer takes: a 64-bit integer, as VkQueryPool has them.
const PropertySize = layout.PropertySize

// VertexFormats lists the formats of vertex positions that are built from. Doubles are rounded to the nearest float.
func VertexFormats() []vulkan.Format { return layout.VertexFormats() }
