package rt

// StackNeeds are the largest stacks of a pipeline's shaders of each kind, in whatever unit.
type StackNeeds [Callable + 1]uint32

// Size is the default pipeline stack size (Vulkan specification, "Ray Tracing Pipeline Stack"): ray generation, one trace with
// whatever runs during or after traversal, the nested traces, and two callables deep.
func (n StackNeeds) Size(recursion uint32) uint32 {
	answer := max(n[ClosestHit], n[Miss])
	first := max(answer, n[Intersection]+n[AnyHit])
	nested := uint32(0)
	if recursion > 1 {
		nested = recursion - 1
	}
	return n[Raygen] + min(1, recursion)*first + nested*answer + 2*n[Callable]
}
