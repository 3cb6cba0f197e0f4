package fallback

import (
	"fmt"

	"github.com/everray/everray/vk"
)

// stackNeeds are the largest stacks of the shaders of each model, in slots of 4 bytes.
type stackNeeds [Callable + 1]uint32

// slots is the default pipeline stack size (Vulkan specification, "Ray Tracing Pipeline Stack"): ray generation, one trace
// with whatever runs during or after traversal, the nested traces, and two callables deep.
func (n stackNeeds) slots(recursion uint32) uint32 {
	answer := max(n[ClosestHit], n[Miss])
	first := max(answer, n[Intersection]+n[AnyHit])
	nested := uint32(0)
	if recursion > 1 {
		nested = recursion - 1
	}
	return n[Raygen] + min(1, recursion)*first + nested*answer + 2*n[Callable]
}

// shaderSlots is the stack of one shader: its largest frame, and at least the slot that a callee of others needs beyond
// their frames.
func shaderSlots(frame uint32) uint32 { return max(frame, 1) }

// stackDwords returns the slots that a lane needs by the default formula, or what the application set.
func (o *PipelineOptions) stackDwords(frames []uint32) uint32 {
	if o.StackBytes > 0 {
		return (o.StackBytes + 3) / 4
	}
	var needs stackNeeds
	for i, s := range o.Stages {
		needs[s.Model] = max(needs[s.Model], shaderSlots(frames[i]))
	}
	return needs.slots(o.MaxRecursionDepth)
}

// ShaderGroupStackSize returns the stack in bytes that a shader of a group needs at most while others run that it called, as
// vkGetRayTracingShaderGroupStackSizeKHR: what applications compute PipelineOptions.StackBytes and Trace.StackBytes from.
// The group must have that shader.
func (p *Pipeline) ShaderGroupStackSize(group int, shader vk.GroupShader) (uint32, error) {
	fail := func(format string, args ...any) (uint32, error) {
		return 0, fmt.Errorf("pipeline %q: %s: %w", p.options.Name, fmt.Sprintf(format, args...), ErrInvalid)
	}
	if group < 0 || group >= len(p.options.Groups) {
		return fail("group %d of %d", group, len(p.options.Groups))
	}
	g := p.options.Groups[group]
	var stage int
	switch shader {
	case vk.GroupGeneral:
		stage = g.General
	case vk.GroupClosestHit:
		stage = g.ClosestHit
	case vk.GroupAnyHit:
		stage = g.AnyHit
	case vk.GroupIntersection:
		stage = g.Intersection
	default:
		return fail("group shader %d", shader)
	}
	if stage == None {
		return fail("group %d has no such shader (group shader %d)", group, shader)
	}
	return 4 * shaderSlots(p.frames[stage]), nil
}
