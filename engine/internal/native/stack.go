package native

import (
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// stackNeeds are the largest stacks of the shaders of each kind.
type stackNeeds [driver.Callable + 1]uint32

// size is the default pipeline stack size (Vulkan specification, "Ray Tracing Pipeline Stack"): raygen, one trace with whatever
// runs during or after traversal, the nested traces, and two callables deep.
func (n stackNeeds) size(recursion uint32) uint32 {
	answer := max(n[driver.ClosestHit], n[driver.Miss])
	first := max(answer, n[driver.Intersection]+n[driver.AnyHit])
	nested := uint32(0)
	if recursion > 1 {
		nested = recursion - 1
	}
	return n[driver.Raygen] + min(1, recursion)*first + nested*answer + 2*n[driver.Callable]
}

// findNeeds asks the driver what the shaders of the pipeline's own groups need. A library is asked itself: validation layers
// do not count the groups that a pipeline has from libraries.
func (p *pipeline) findNeeds(o *driver.PipelineOptions) error {
	for i, g := range o.Groups {
		for _, s := range []struct {
			stage int
			of    vk.GroupShader
		}{
			{g.General, vk.GroupGeneral}, {g.ClosestHit, vk.GroupClosestHit}, {g.AnyHit, vk.GroupAnyHit},
			{g.Intersection, vk.GroupIntersection},
		} {
			if s.stage < 0 {
				continue
			}
			bytes, err := p.impl.StackSize(uint32(i), s.of)
			if err != nil {
				return err
			}
			kind := o.Stages[s.stage].Kind
			p.needs[kind] = max(p.needs[kind], uint32(bytes))
		}
	}
	return nil
}
