package fallback

import (
	"fmt"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
)

// shaderSlots is the stack of one shader: its largest frame, and at least the slot that a callee of others needs beyond
// their frames.
func shaderSlots(frame uint32) uint32 { return max(frame, 1) }

// stackDwords returns the slots that a lane needs by the default formula, or what the application set.
func (o *resolved) stackDwords(frames []uint32) uint32 {
	if o.StackBytes > 0 {
		return (o.StackBytes + 3) / 4
	}
	var needs rt.StackNeeds // in slots of 4 bytes
	for i, s := range o.Stages {
		needs[s.Kind] = max(needs[s.Kind], shaderSlots(frames[i]))
	}
	return needs.Size(o.MaxRecursionDepth)
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
