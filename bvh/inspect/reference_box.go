package inspect

import (
	"math"

	"github.com/everray/everray/vk"
)

// BoxCandidate is a box that a ray may meet: where an intersection shader would be asked.
type BoxCandidate struct {
	Instance    uint32
	Geometry    uint32
	Primitive   uint32
	CustomIndex uint32
	TableOffset uint32
	Opaque      bool // with the words of ray and instance
	// Certain is set when the ray meets the box itself, ends of the interval included, and float32 may not miss it. Other
	// candidates are within the margin of rounding. Vulkan allows candidates beyond both.
	Certain bool
}

// marginBox is by how much a box may be enlarged by the builder's padding and the rounding of traversal, relative to the
// coordinates. Behind a transform a box is certain only if the ray meets it when it is smaller by as much.
const marginBox = 4e-6

// BoxCandidates lists the boxes that a ray meets in [TMin, TMax], conservatively, in the order of the input.
func (r Reference) BoxCandidates(ray Ray, flags uint32, cullMask uint8) []BoxCandidate {
	var out []BoxCandidate
	if flags&RaySkipAABBs != 0 {
		return nil
	}
	for i, in := range r {
		inv, ok := invert64(in.Transform)
		if in.Mask&cullMask == 0 || !ok {
			continue
		}
		shrink := 0.0
		if in.Transform != vk.IdentityTransform() {
			shrink = -marginBox
		}
		o, d := transform64(inv, to64(ray.Origin), 1), transform64(inv, to64(ray.Direction), 0)
		for _, b := range in.Boxes {
			isOpaque := opaque(in, b.Opaque, flags)
			if !b.Box.Active() || culledByOpacity(isOpaque, flags) || !meets64(o, d, b.Box, ray, marginBox) {
				continue
			}
			out = append(out, BoxCandidate{
				Instance: uint32(i), Geometry: b.Geometry, Primitive: b.Primitive, CustomIndex: in.CustomIndex, TableOffset: in.TableOffset,
				Opaque: isOpaque, Certain: meets64(o, d, b.Box, ray, shrink),
			})
		}
	}
	return out
}

// Active is false for boxes that are inverted or not a number.
func (b Box) Active() bool {
	for k := range 3 {
		if !(b.Min[k] <= b.Max[k]) {
			return false
		}
	}
	return true
}

// meets64 tells whether a ray overlaps a box that is grown by a margin relative to the coordinates at hand.
func meets64(o, d [3]float64, b Box, ray Ray, margin float64) bool {
	entry, exit := float64(ray.TMin), float64(ray.TMax)
	for k := range 3 {
		lo, hi := float64(b.Min[k]), float64(b.Max[k])
		size := math.Abs(o[k])
		for _, x := range []float64{lo, hi} {
			if !math.IsInf(x, 0) {
				size = math.Max(size, math.Abs(x))
			}
		}
		lo -= margin * size
		hi += margin * size
		if d[k] == 0 {
			if o[k] < lo || o[k] > hi {
				return false
			}
			continue
		}
		near, far := (lo-o[k])/d[k], (hi-o[k])/d[k]
		entry, exit = math.Max(entry, math.Min(near, far)), math.Min(exit, math.Max(near, far))
	}
	return entry <= exit
}
