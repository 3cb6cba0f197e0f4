package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// StageKind is the execution model of a shader.
type StageKind int

// The shader stages of ray tracing.
const (
	Raygen       = StageKind(driver.Raygen)
	AnyHit       = StageKind(driver.AnyHit)
	ClosestHit   = StageKind(driver.ClosestHit)
	Miss         = StageKind(driver.Miss)
	Intersection = StageKind(driver.Intersection)
	Callable     = StageKind(driver.Callable)
)

// GroupKind is the kind of a shader group.
type GroupKind int

// The kinds of shader groups.
const (
	// General groups hold one raygen, miss or callable shader.
	General = GroupKind(driver.General)
	// TrianglesHit groups hold a closest hit and an any hit shader, both optional.
	TrianglesHit = GroupKind(driver.TrianglesHit)
	// ProceduralHit groups hold an intersection shader besides.
	ProceduralHit = GroupKind(driver.ProceduralHit)
)

// Unused is the stage index of a group's absent shader.
const Unused = -1

// Stage is one shader: standard ray tracing SPIR-V.
type Stage struct {
	// Name is for debuggers and errors; empty uses the index.
	Name string
	Kind StageKind
	Code []uint32
	// Entry is the entry point; empty is "main".
	Entry string
	// Specialization holds the little endian bytes of specialization constants by their id.
	Specialization map[uint32][]byte
}

// Group is a shader group. The functions GeneralGroup, TrianglesGroup and ProceduralGroup build one.
type Group struct {
	Kind GroupKind
	// General, ClosestHit, AnyHit and Intersection are indices of stages, or Unused.
	General, ClosestHit, AnyHit, Intersection int
}

// GeneralGroup returns the group of a raygen, miss or callable stage.
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

// PipelineOptions describes a ray tracing pipeline.
type PipelineOptions struct {
	Name       string
	Stages     []Stage
	Groups     []Group
	SetLayouts []*DescriptorSetLayout
	// PushConstantBytes is the size of the one push constant block that all stages share.
	PushConstantBytes uint32
	// MaxRecursionDepth is the depth of nested trace calls; 0 is 1, rays from raygen only.
	MaxRecursionDepth uint32
	// StackBytes is the stack per ray; 0 follows from the shaders and the recursion depth by Vulkan's default formula, which
	// allows callable shaders to call each other two deep.
	StackBytes uint32
	// DynamicStack allows TraceOptions.StackBytes to set the stack of each launch, as
	// VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR; StackBytes implies it.
	DynamicStack bool
	// Indirect makes what indirect launches need together with the pipeline; otherwise the first that is recorded does, and
	// blocks for it. The native way needs nothing.
	Indirect bool
	// Form is how the compute way links the shaders; the zero value chooses. The native way has no forms.
	Form LinkForm
	// Flags are promises about the shaders and their use, which both ways may turn into speed.
	Flags PipelineFlags
	// Libraries add their groups behind Groups, in this order; see NewPipelineLibrary for what must be equal.
	Libraries []*PipelineLibrary
	// Printer, if not nil, takes what the shaders print with debugPrintfEXT. It must outlive the pipeline.
	Printer *Printer
	// Lane, if not nil, is a place of a launch, x, y and z: the Printer is told each step that its shaders and rays take.
	Lane *[3]uint32
	// MaxPayloadBytes and MaxAttributeBytes bound payloads and hit attributes, for libraries only.
	MaxPayloadBytes, MaxAttributeBytes uint32
}

// LinkForm is how the compute way makes one module out of the shaders. All forms give the same results.
type LinkForm int

// The forms of linking, see package fallback/link.
const (
	// FormAuto chooses.
	FormAuto LinkForm = iota
	// FormMonolithic calls everything from the ray generation shader: no stack, no recursion, no nested callable shaders.
	FormMonolithic
	// FormMegakernel cuts shaders at their calls into state functions.
	FormMegakernel
	// FormBlocks has one function per shader, of a size linear in the shader's.
	FormBlocks
	// FormWavefront spreads the state functions over several kernels, with the rays' states in memory between them, sorted by
	// the shader that comes next.
	FormWavefront
)

// String returns the form's name, for example "megakernel".
func (f LinkForm) String() string { return fallback.Form(f).String() }

// ParseLinkForm reads "auto", "monolithic", "megakernel", "blocks" or "wavefront"; the empty string is auto.
func ParseLinkForm(s string) (LinkForm, error) {
	for f := FormAuto; f <= FormWavefront; f++ {
		if strings.EqualFold(s, f.String()) || s == "" {
			return f, nil
		}
	}
	return FormAuto, fmt.Errorf("form %q: %w: want auto, monolithic, megakernel, blocks or wavefront", s, ErrInvalid)
}

// PipelineFlags are an application's promises, as VkPipelineCreateFlagBits of VK_KHR_ray_tracing_pipeline. A promise that is not
// kept has undefined results.
type PipelineFlags struct {
	// The NoNull flags: whenever such a shader would run, the hit group, or the record, has one.
	NoNullAnyHit, NoNullIntersection bool
	NoNullClosestHit, NoNullMiss     bool
	// SkipTriangles and SkipAABBs leave out geometry of that kind for all rays. At most one may be set.
	SkipTriangles, SkipAABBs bool
	// AllowClusters lets rays meet bottom levels over clusters (VkRayTracingPipelineClusterAccelerationStructureCreateInfoNV). It is
	// no promise but a wish: pipelines without it have no code for clusters, and are faster for it.
	AllowClusters bool
}

// PipelineStats says what a pipeline cost; what a way cannot tell is zero.
type PipelineStats struct {
	// LinkTime is that of the engine's own linker (compute way), CompileTime the driver's.
	LinkTime, CompileTime time.Duration
	// StackBytes is the stack per ray.
	StackBytes uint32
	// CodeWords is the size of the linked SPIR-V module (compute way).
	CodeWords int
	// Driver is what the driver tells about the compiled code (compute way), such as registers; nil where it tells nothing.
	Driver []vk.Statistic
	// Form is the form of linking that was chosen (compute way).
	Form LinkForm
	// Reorders tells whether reorders in its ray generation shaders change the order of lanes (compute way): where the form has an
	// order to change. Natively it is Limits.Reorders that tells.
	Reorders bool
}

// Pipeline is a linked ray tracing pipeline.
type Pipeline struct {
	name   string
	device *Device
	impl   driver.Pipeline
	sets   []*DescriptorSetLayout
	groups []Group
	stages []StageKind
	push   uint32
	uses   []use // of all shaders, libraries' included
	// dynamicStack allows launches to set their stack.
	dynamicStack bool
}

// NewRayTracingPipeline validates, links and compiles a pipeline. The layouts must outlive it.
func (d *Device) NewRayTracingPipeline(ctx context.Context, o PipelineOptions) (*Pipeline, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	defer d.leave()
	o.Form = cmp.Or(o.Form, d.form)
	if err := o.validate(d, d.Limits()); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if most := d.device.Physical().Limits.MaxBoundDescriptorSets; len(o.SetLayouts) > int(most) {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name,
			invalid("SetLayouts has %d elements, the device binds %d", len(o.SetLayouts), most))
	}
	if err := o.checkSkips(d); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	uses, err := o.checkShaders(d)
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if err := o.usePrinter(d); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if err := d.dumpNative(&o); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	impl, err := d.driver.NewPipeline(ctx, o.translate())
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	p := &Pipeline{name: o.Name, device: d, impl: impl, sets: slices.Clone(o.SetLayouts), push: o.PushConstantBytes,
		dynamicStack: o.DynamicStack || o.StackBytes > 0}
	p.groups, p.stages = o.withLibraries()
	p.uses = uses
	for _, y := range o.Libraries {
		p.uses = append(p.uses, y.uses...)
	}
	return p, nil
}

// translate fills in defaults and turns the options into the driver's.
func (o *PipelineOptions) translate() driver.PipelineOptions {
	out := driver.PipelineOptions{
		Name: o.Name, PushConstantBytes: o.PushConstantBytes, StackBytes: o.StackBytes,
		MaxRecursionDepth: max(o.MaxRecursionDepth, 1), Form: driver.LinkForm(o.Form), Flags: driver.PipelineFlags(o.Flags),
		DynamicStack: o.DynamicStack, Indirect: o.Indirect,
		MaxPayloadBytes:   cmp.Or(o.MaxPayloadBytes, defaultPayloadBytes),
		MaxAttributeBytes: cmp.Or(o.MaxAttributeBytes, defaultAttributeBytes),
	}
	for _, y := range o.Libraries {
		out.Libraries = append(out.Libraries, y.impl)
	}
	for i, s := range o.Stages {
		t := driver.Stage{Name: s.Name, Kind: driver.StageKind(s.Kind), Code: s.Code, Entry: s.Entry, Specialization: s.Specialization}
		if t.Name == "" {
			t.Name = fmt.Sprintf("%v %d", s.Kind, i)
		}
		if t.Entry == "" {
			t.Entry = "main"
		}
		out.Stages = append(out.Stages, t)
	}
	for _, g := range o.Groups {
		out.Groups = append(out.Groups, driver.Group{
			Kind: driver.GroupKind(g.Kind), General: g.General, ClosestHit: g.ClosestHit, AnyHit: g.AnyHit, Intersection: g.Intersection,
		})
	}
	for _, l := range o.SetLayouts {
		out.SetLayouts = append(out.SetLayouts, l.impl)
	}
	return out
}

// Name returns PipelineOptions.Name.
func (p *Pipeline) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// Handle returns the 32 bytes that a table record of the group begins with.
func (p *Pipeline) Handle(group int) ([]byte, error) {
	if p == nil || p.impl == nil {
		return nil, fmt.Errorf("pipeline %q: %w", p.Name(), invalid("it is destroyed"))
	}
	if group < 0 || group >= len(p.groups) {
		return nil, fmt.Errorf("pipeline %q: %w", p.name, invalid("group %d of %d", group, len(p.groups)))
	}
	return p.impl.Handle(group)
}

// Stats returns what making the pipeline cost.
func (p *Pipeline) Stats() PipelineStats {
	if p == nil || p.impl == nil {
		return PipelineStats{}
	}
	s := p.impl.Stats()
	return PipelineStats{
		LinkTime: s.LinkTime, CompileTime: s.CompileTime, StackBytes: s.StackBytes, CodeWords: s.CodeWords, Driver: s.Driver,
		Form: LinkForm(s.Form), Reorders: s.Reorders,
	}
}

// Destroy releases the pipeline.
func (p *Pipeline) Destroy() {
	if p != nil && p.impl != nil {
		p.impl.Destroy()
		p.impl = nil
	}
}

// checkSection reports whether a group may stand in a section of a table: the stage at its head has to be the section's.
func (p *Pipeline) checkSection(s sbt.Section, group int) error {
	if group < 0 || group >= len(p.groups) {
		return invalid("group %d of %d", group, len(p.groups))
	}
	g := p.groups[group]
	if s == sbt.Hit {
		if g.Kind == General {
			return invalid("group %d is a general group, not a hit group", group)
		}
		return nil
	}
	want := map[sbt.Section]StageKind{sbt.Raygen: Raygen, sbt.Miss: Miss, sbt.Callable: Callable}[s]
	if g.Kind != General || p.stages[g.General] != want {
		return invalid("group %d holds no %v shader", group, want)
	}
	return nil
}
