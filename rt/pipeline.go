package rt

import (
	"fmt"
	"slices"
)

// StageKind is the execution model of a shader.
type StageKind int

// The shader stages of ray tracing, in the order of VkShaderStageFlagBits.
const (
	Raygen StageKind = iota
	AnyHit
	ClosestHit
	Miss
	Intersection
	Callable
)

var stageNames = [...]string{"ray generation", "any hit", "closest hit", "miss", "intersection", "callable"}

// String returns the stage's name, for example "closest hit".
func (k StageKind) String() string {
	if k < 0 || int(k) >= len(stageNames) {
		return fmt.Sprintf("StageKind(%d)", int(k))
	}
	return stageNames[k]
}

// Valid tells whether it is one of the stages above.
func (k StageKind) Valid() bool { return k >= 0 && int(k) < len(stageNames) }

// Bit returns the stage's VkShaderStageFlagBits.
func (k StageKind) Bit() uint32 { return 0x100 << k }

// GroupKind is the kind of a shader group.
type GroupKind int

// The kinds of shader groups, with the values of VkRayTracingShaderGroupTypeKHR.
const (
	// General groups hold one ray generation, miss or callable shader.
	General GroupKind = iota
	// TrianglesHit groups hold a closest hit and an any hit shader, both optional.
	TrianglesHit
	// ProceduralHit groups hold an intersection shader besides.
	ProceduralHit
)

var groupNames = [...]string{"general", "triangles", "procedural"}

// String returns the kind's name, for example "triangles".
func (k GroupKind) String() string {
	if k < 0 || int(k) >= len(groupNames) {
		return fmt.Sprintf("GroupKind(%d)", int(k))
	}
	return groupNames[k]
}

// MarshalText returns the kind's name, for files.
func (k GroupKind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(groupNames) {
		return nil, fmt.Errorf("no name for %v", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *GroupKind) UnmarshalText(text []byte) error {
	i := slices.Index(groupNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown kind of groups %q", text)
	}
	*k = GroupKind(i)
	return nil
}

// Unused is the stage index of a group's absent shader, as VK_SHADER_UNUSED_KHR.
const Unused = -1

// Stage is one shader: standard ray tracing SPIR-V.
type Stage struct {
	// Name is for debuggers and errors; empty uses the index.
	Name string
	// Kind chooses among entry points of the same name.
	Kind StageKind
	Code []uint32
	// Entry is the entry point; empty is "main".
	Entry string
	// Specialization holds the little endian bytes of specialization constants by their id: 4 for 32-bit types and booleans.
	Specialization map[uint32][]byte
}

// Group is a shader group. The functions GeneralGroup, TrianglesGroup and ProceduralGroup build one.
type Group struct {
	Kind GroupKind
	// General, ClosestHit, AnyHit and Intersection are indices of stages, or Unused.
	General, ClosestHit, AnyHit, Intersection int
}

// GeneralGroup returns the group of a ray generation, miss or callable stage.
func GeneralGroup(stage int) Group {
	return Group{Kind: General, General: stage, ClosestHit: Unused, AnyHit: Unused, Intersection: Unused}
}

// TrianglesGroup returns a hit group for triangles; each index may be Unused.
func TrianglesGroup(closestHit, anyHit int) Group {
	return Group{Kind: TrianglesHit, General: Unused, ClosestHit: closestHit, AnyHit: anyHit, Intersection: Unused}
}

// ProceduralGroup returns a hit group for boxes; closestHit and anyHit may be Unused.
func ProceduralGroup(intersection, closestHit, anyHit int) Group {
	return Group{Kind: ProceduralHit, General: Unused, ClosestHit: closestHit, AnyHit: anyHit, Intersection: intersection}
}

// Behind returns the group as one of a pipeline in which its stages stand behind so many others.
func (g Group) Behind(stages int) Group {
	for _, i := range []*int{&g.General, &g.ClosestHit, &g.AnyHit, &g.Intersection} {
		if *i != Unused {
			*i += stages
		}
	}
	return g
}

// Flags are an application's promises about a pipeline, as VkPipelineCreateFlagBits of VK_KHR_ray_tracing_pipeline. A promise that
// is not kept has undefined results.
type Flags struct {
	// The NoNull flags: whenever such a shader would run, the hit group, or the record, has one.
	NoNullAnyHit, NoNullIntersection bool
	NoNullClosestHit, NoNullMiss     bool
	// SkipTriangles and SkipAABBs leave out geometry of that kind for all rays. At most one may be set.
	SkipTriangles, SkipAABBs bool
	// AllowClusters lets rays meet bottom levels over clusters (VkRayTracingPipelineClusterAccelerationStructureCreateInfoNV). It is
	// no promise but a wish: pipelines without it have no code for clusters, and are faster for it.
	AllowClusters bool
}

// Pipeline is what both ways are told of a pipeline or a library, once defaults are filled in. Set layouts and libraries are
// objects of each room, and stand beside it.
type Pipeline struct {
	// Name is for errors and debuggers.
	Name   string
	Stages []Stage
	// Groups refer to Stages.
	Groups []Group
	// PushConstantBytes is the size of the one push constant block that all stages share.
	PushConstantBytes uint32
	// MaxRecursionDepth is the depth of nested trace calls: 1 if only ray generation shaders trace, 0 if none does.
	MaxRecursionDepth uint32
	// StackBytes is the stack per ray; 0 is Vulkan's default formula, which suffices unless callable shaders call each other more
	// than two deep.
	StackBytes uint32
	// DynamicStack allows launches to set their stack.
	DynamicStack bool
	// Indirect makes what indirect launches need at once; the first that is recorded does otherwise.
	Indirect bool
	// Form is how the compute way links the shaders; the zero value chooses.
	Form  Form
	Flags Flags
	// MaxPayloadBytes and MaxAttributeBytes are the interface of libraries, the same in all that are linked together.
	MaxPayloadBytes, MaxAttributeBytes uint32
}
