package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/sbt"
)

// The words for a pipeline, which both ways and the linker share: package rt says what is in them.
type (
	// StageKind is the execution model of a shader.
	StageKind = rt.StageKind
	// GroupKind is the kind of a shader group.
	GroupKind = rt.GroupKind
	// Stage is one shader: standard ray tracing SPIR-V.
	Stage = rt.Stage
	// Group is a shader group. The functions GeneralGroup, TrianglesGroup and ProceduralGroup build one.
	Group = rt.Group
	// PipelineFlags are an application's promises, as VkPipelineCreateFlagBits of VK_KHR_ray_tracing_pipeline. A promise that is
	// not kept has undefined results.
	PipelineFlags = rt.Flags
	// LinkForm is how the compute way makes one module out of the shaders. All forms give the same results.
	LinkForm = rt.Form
	// PipelineStats says what a pipeline cost; what a way cannot tell is zero.
	PipelineStats = driver.Stats
	// KernelStats tells of one kernel of a pipeline, CallSite what lives across a call of another shader, LiveValue of one value that
	// does.
	KernelStats = driver.KernelStats
	CallSite    = rt.CallSite
	LiveValue   = rt.LiveValue
)

// The shader stages of ray tracing.
const (
	Raygen       = rt.Raygen
	AnyHit       = rt.AnyHit
	ClosestHit   = rt.ClosestHit
	Miss         = rt.Miss
	Intersection = rt.Intersection
	Callable     = rt.Callable
)

// The kinds of shader groups.
const (
	// General groups hold one raygen, miss or callable shader.
	General = rt.General
	// TrianglesHit groups hold a closest hit and an any hit shader, both optional.
	TrianglesHit = rt.TrianglesHit
	// ProceduralHit groups hold an intersection shader besides.
	ProceduralHit = rt.ProceduralHit
)

// Unused is the stage index of a group's absent shader.
const Unused = rt.Unused

// GeneralGroup returns the group of a raygen, miss or callable stage.
func GeneralGroup(stage int) Group { return rt.GeneralGroup(stage) }

// TrianglesGroup returns a hit group for triangles; each index may be Unused.
func TrianglesGroup(closestHit, anyHit int) Group { return rt.TrianglesGroup(closestHit, anyHit) }

// ProceduralGroup returns a hit group for boxes; closestHit and anyHit may be Unused.
func ProceduralGroup(intersection, closestHit, anyHit int) Group {
	return rt.ProceduralGroup(intersection, closestHit, anyHit)
}

// The forms of linking, see package rt.
const (
	// FormAuto chooses.
	FormAuto = rt.FormAuto
	// FormMonolithic calls everything from the ray generation shader: no stack, no recursion, no nested callable shaders.
	FormMonolithic = rt.FormMonolithic
	// FormMegakernel cuts shaders at their calls into state functions.
	FormMegakernel = rt.FormMegakernel
	// FormBlocks has one function per shader, of a size linear in the shader's.
	FormBlocks = rt.FormBlocks
	// FormWavefront spreads the state functions over several kernels, with the rays' states in memory between them, sorted by
	// the shader that comes next.
	FormWavefront = rt.FormWavefront
	// FormSorted has workgroups sort their rays by shader, through shared memory, between traversal and shading.
	FormSorted = rt.FormSorted
	// FormSuspended is the wavefront form with any hit and intersection shaders in kernels of their own.
	FormSuspended = rt.FormSuspended
)

// ParseLinkForm reads the name of a form in any case, "megakernel" for example; the empty string is FormAuto.
func ParseLinkForm(s string) (LinkForm, error) {
	f, err := rt.ParseForm(s)
	return f, driver.Mark(err, ErrInvalid)
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
	dumped, err := d.dumpNative(ctx, &o)
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	resolved := o.resolve()
	resolved.Statistics = d.dump != ""
	impl, err := d.driver.NewPipeline(ctx, resolved)
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if err := dumpStatistics(dumped, impl.Stats()); err != nil {
		impl.Destroy()
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

// resolve fills in defaults: it is what a way is told.
func (o *PipelineOptions) resolve() driver.PipelineOptions {
	out := driver.PipelineOptions{Pipeline: rt.Pipeline{
		Name: o.Name, Stages: slices.Clone(o.Stages), Groups: o.Groups, PushConstantBytes: o.PushConstantBytes,
		MaxRecursionDepth: max(o.MaxRecursionDepth, 1), StackBytes: o.StackBytes, DynamicStack: o.DynamicStack,
		Indirect: o.Indirect, Form: o.Form, Flags: o.Flags,
		MaxPayloadBytes:   cmp.Or(o.MaxPayloadBytes, defaultPayloadBytes),
		MaxAttributeBytes: cmp.Or(o.MaxAttributeBytes, defaultAttributeBytes),
	}}
	for i := range out.Stages {
		s := &out.Stages[i]
		s.Name, s.Entry = cmp.Or(s.Name, fmt.Sprintf("%v %d", s.Kind, i)), cmp.Or(s.Entry, "main")
	}
	for _, y := range o.Libraries {
		out.Libraries = append(out.Libraries, y.impl)
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
	return p.impl.Stats()
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
