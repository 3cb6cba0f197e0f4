package bvh

import (
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// BuildSizes says how much memory a build takes whose geometries have at most maxPrimitiveCounts primitives.
// Nothing but types, flags and counts matters. Builds with fewer primitives fit as well.
func (b *Builder) BuildSizes(info vk.BuildInfo, maxPrimitiveCounts []uint32) (vk.BuildSizes, error) {
	return layout.BuildSizes(info, maxPrimitiveCounts, b.wide)
}
