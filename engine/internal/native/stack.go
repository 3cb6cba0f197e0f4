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

// defaultStack returns what the driver takes for a pipeline that does not set its stack.
func (p *pipeline) defaultStack(o driver.PipelineOptions) (uint32, error) {
	var needs stackNeeds
	for i, g := range o.Groups {
		for _, s := range []struct {
			stage int
			of    vk.GroupShader
		}{
			{g.General, vk.GroupGeneral}, {g.ClosestHit, vk.GroupClosestHit}, {g.AnyHit, vk.GroupAnyHit}, {g.Intersection, vk.GroupIntersection},
		} {
			if s.stage < 0 {
				continue
			}
			bytes, err := p.impl.StackSize(uint32(i), s.of)
			if err != nil {
				return 0, err
			}
			kind := o.Stages[s.stage].Kind
			needs[kind] = max(needs[kind], uint32(bytes))
		}
	}
	return needs.size(o.MaxRecursionDepth), nil
}
