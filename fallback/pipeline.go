package fallback

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// ErrUnsupported is wrapped by errors about shaders that are valid but beyond what the compute way can run.
var ErrUnsupported = link.ErrUnsupported

// ErrInvalid is wrapped by errors about invalid shaders and options.
var ErrInvalid = errors.New("invalid use of a ray tracing pipeline")

// HandleSize is the size of a shader group handle in bytes, as shaderGroupHandleSize.
const HandleSize = 32 //glsl:RT_HANDLE_BYTES

// MaxAttributeBytes is the size of the largest hit attributes, as maxRayHitAttributeSize.
const MaxAttributeBytes = link.MaxAttributeBytes

// The words for a pipeline are package rt's.
type (
	Stage     = rt.Stage
	Group     = rt.Group
	GroupKind = rt.GroupKind
	Form      = rt.Form
	Flags     = rt.Flags
)

// The ray tracing shader models.
const (
	Raygen       = rt.Raygen
	AnyHit       = rt.AnyHit
	ClosestHit   = rt.ClosestHit
	Miss         = rt.Miss
	Intersection = rt.Intersection
	Callable     = rt.Callable
)

// The kinds of shader groups, and None, a shader that a group does not have.
const (
	General       = rt.General
	TrianglesHit  = rt.TrianglesHit
	ProceduralHit = rt.ProceduralHit
	None          = rt.Unused
)

// The forms of linking.
const (
	FormAuto       = rt.FormAuto
	FormMonolithic = rt.FormMonolithic
	FormMegakernel = rt.FormMegakernel
	FormBlocks     = rt.FormBlocks
	FormWavefront  = rt.FormWavefront
	FormSorted     = rt.FormSorted
	FormSuspended  = rt.FormSuspended
)

// PipelineOptions describe a pipeline.
type PipelineOptions struct {
	// Pipeline is what both ways are told. PushConstantBytes are at most MaxPushConstantBytes; DynamicStack and the interface of
	// libraries change nothing here.
	rt.Pipeline
	// SetLayouts are those of the application's descriptor sets, acceleration structures as storage buffers.
	SetLayouts []vk.SetLayout
	// Libraries add their groups behind Groups, in this order.
	Libraries []*Library
	// Cache, if not nil, is asked for the linked and the compiled code, and receives it.
	Cache *Cache
	// Dump is a directory for finding defects: each pipeline gets one in it, with a reproducer, the module after each pass as text,
	// the linked code and what the driver says of it (package repro). Empty writes nothing, but reproducers of internal errors
	// among temporary files. Libraries need LibraryOptions.Keep.
	Dump string

	afterPass func(pass string, m *spirv.Module) error // for tests
	learns    bool                                     // on CPUs, too, for tests
}

// resolved is what a pipeline is linked from: its options, and what follows from them and from the device.
type resolved struct {
	PipelineOptions // Stages and Groups are followed by those of the libraries
	own             int
	target          Target
}

// resolve appends the libraries' stages and groups to the pipeline's own.
func (o PipelineOptions) resolve(target Target) resolved {
	r := resolved{PipelineOptions: o, own: len(o.Stages), target: target}
	r.Stages, r.Groups = slices.Clone(o.Stages), slices.Clone(o.Groups)
	for _, y := range o.Libraries {
		for _, g := range y.options.Groups {
			r.Groups = append(r.Groups, g.Behind(len(r.Stages)))
		}
		r.Stages = append(r.Stages, y.options.Stages...)
	}
	return r
}

// Stats tell what it took to make a pipeline.
type Stats struct {
	LinkTime    time.Duration
	CompileTime time.Duration // of the driver, as far as it compiles at creation
	CodeWords   int           // of the linked SPIR-V
	States      int           // state functions
	Form        Form          // the form that was chosen
	// Driver is what the driver tells about the compiled code, such as registers; nil where it tells nothing. Of the wavefront
	// form it is the kernel that traverses.
	Driver []vk.Statistic
	// Kernels are those of the wavefront form but its tail, which CodeWords is about, and whose time is in no other number.
	Kernels []KernelStats
	// LaneBytes is what a lane of the wavefront form takes in memory beside its stack.
	LaneBytes uint32
	// Rounds is how many rounds the wavefront form records, Bounded whether they end every lane, so that there is no tail.
	Rounds  uint32
	Bounded bool
	// Choices are how launches run, by size, where FormAuto took the wavefront form and times it against others.
	Choices []Choice
	// Reorders tells whether lanes go on in another order behind reorders of ray generation shaders.
	Reorders bool
	// Suspends tells whether traversal is suspended at candidates, whose shaders have kernels of their own.
	Suspends bool
	// Calls are the places where shaders are left for others, with what lives across each; none where they are called as functions.
	Calls []rt.CallSite
}

// KernelStats tell of one of several kernels.
type KernelStats struct {
	Name      string
	CodeWords int
	Driver    []vk.Statistic
}

// Pipeline is a linked and compiled ray tracing pipeline.
type Pipeline struct {
	dev     Device
	options resolved
	layout  vk.KernelLayout
	compute vk.Kernel
	entries []uint32
	frames  []uint32 // of the stages, in dwords
	owners  []link.Owner
	tag     uint32
	stack   uint32 // dwords per lane
	tiles   uint32 // of a workgroup in direct launches
	stats   Stats

	indirect indirectVariant
	wave     *wavefront // nil in other forms
	learner  *learner   // nil where there is nothing to learn
}

// NewPipeline links and compiles a pipeline.
func NewPipeline(ctx context.Context, dev Device, o PipelineOptions) (*Pipeline, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	r := o.resolve(TargetOf(dev))
	dumped, err := r.dump(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	start := time.Now()
	linked, cached, err := r.link(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	p, linking := &Pipeline{dev: dev, options: r}, time.Since(start)
	p.indirect.turn = make(chan struct{}, 1)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.layout, err = dev.NewKernelLayout(o.Name, o.SetLayouts, launchBytes); err != nil {
		return nil, fmt.Errorf("pipeline %q: layout: %w", o.Name, err)
	}
	start = time.Now()
	p.compute, linked, err = p.compile(ctx, o.Name, linked, cached, false)
	if err != nil {
		p.Destroy()
		return nil, fmt.Errorf("pipeline %q: compile: %w", o.Name, err)
	}
	p.take(linked)
	p.stats.LinkTime, p.stats.CompileTime = linking, time.Since(start)
	if err := p.collectStats(); err != nil {
		p.Destroy()
		return nil, fmt.Errorf("pipeline %q: statistics: %w", o.Name, err)
	}
	if p.learner, err = p.newLearner(); err != nil {
		p.Destroy()
		return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if dumped != "" {
		if err := errors.Join(repro.WriteCode(dumped, linked), repro.WriteStatistics(dumped, p.stats)); err != nil {
			p.Destroy()
			return nil, fmt.Errorf("pipeline %q: %w", o.Name, err)
		}
	}
	if o.Indirect {
		if err := p.PrepareIndirect(ctx); err != nil {
			p.Destroy()
			return nil, err
		}
	}
	return p, nil
}

// take remembers what the pipeline's linked code says of itself.
func (p *Pipeline) take(linked *link.Result) {
	p.entries, p.frames, p.owners, p.tag = linked.Entries, linked.Frames, linked.Owners, tagOf(linked.Code)
	p.stats = Stats{CodeWords: len(linked.Code), States: linked.States, Form: linked.Form}
	for _, c := range linked.Calls {
		c.Shader = cmp.Or(p.options.Stages[c.Stage].Name, fmt.Sprintf("stage %d", c.Stage))
		p.stats.Calls = append(p.stats.Calls, c.CallSite)
	}
	p.stack, p.tiles = p.options.stackDwords(linked.Frames), link.Tiles(linked.Code)
}

// compile has the driver compile linked code. Code from the cache that it refuses is linked again, and what was compiled in
// the end is returned.
func (p *Pipeline) compile(ctx context.Context, name string, linked *link.Result, cached, indirect bool) (vk.Kernel,
	*link.Result, error) {
	compiled, err := p.compileOnce(ctx, name, linked, indirect)
	if err == nil || !cached || errors.Is(err, vk.ErrDeviceLost) || ctx.Err() != nil {
		return compiled, linked, err
	}
	again, linkErr := p.options.relink(ctx, linked, indirect)
	if again == nil || linkErr != nil {
		return nil, nil, errors.Join(err, linkErr)
	}
	p.dev.Logger().Warn("the cache's code was refused and linked again", "pipeline", name, "error", err)
	compiled, err = p.compileOnce(ctx, name, again, indirect)
	return compiled, again, err
}

// compileOnce compiles linked code, in the wavefront form all kernels.
func (p *Pipeline) compileOnce(ctx context.Context, name string, linked *link.Result, indirect bool) (vk.Kernel, error) {
	if linked.Wave != nil {
		return nil, p.newWavefront(ctx, name, linked)
	}
	return p.dev.NewKernelContext(ctx, vk.KernelOptions{
		Name: name, Code: linked.Code, Layout: p.layout, Cache: p.options.Cache.driver(), Statistics: !indirect})
}

// collectStats asks the driver about its code, and adds what there is to tell of the wavefront form.
func (p *Pipeline) collectStats() (err error) {
	if p.wave == nil {
		p.stats.Driver, err = vk.KernelStatistics(p.compute)
		return err
	}
	if p.stats.Driver, err = vk.KernelStatistics(p.wave.resume); err != nil {
		return err
	}
	p.stats.LaneBytes = p.wave.laneBytes()
	p.stats.Rounds, p.stats.Bounded = p.wave.rounds()
	p.stats.Reorders = p.wave.plan.Keys > 0
	p.stats.Suspends = p.wave.plan.Suspends
	p.stats.Kernels, err = p.kernelStats()
	return err
}

// runtimeName is the runtime module, of which there are variants (shaders.Variant).
const runtimeName = "fallback/runtime.comp"

// link links the stages, for direct or indirect launches, and says whether the code comes from the cache.
func (o *resolved) link(ctx context.Context, indirect bool) (result *link.Result, cached bool, err error) {
	runtime, err := shaders.Load(shaders.VariantFor(runtimeName, o.target.Runtime, o.Flags.AllowClusters))
	if err != nil {
		return nil, false, err
	}
	options := o.linkOptions(indirect)
	if len(o.Libraries) > 0 { // the cache knows stages by their code; what is left to do here is little
		result, err = link.Link(ctx, runtime, o.Stages[:o.own], options)
	} else {
		result, cached, err = o.Cache.links().Link(ctx, runtime, o.Stages, options)
	}
	if err != nil {
		err = internal(err, o.Dump, o.reproducer(indirect))
	}
	return result, cached, err
}

// relink is Cache.relink for code that link returned.
func (o *resolved) relink(ctx context.Context, refused *link.Result, indirect bool) (*link.Result, error) {
	runtime, err := shaders.Load(shaders.VariantFor(runtimeName, o.target.Runtime, o.Flags.AllowClusters))
	if err != nil {
		return nil, err
	}
	return o.Cache.links().relink(ctx, refused, runtime, o.Stages, o.linkOptions(indirect))
}

func (o *resolved) linkOptions(indirect bool) link.Options {
	options := link.Options{Form: o.Form, MaxDepth: o.MaxRecursionDepth, Flags: o.Flags, Indirect: indirect,
		MaxLanes: o.target.MaxLanes, MaxShared: o.target.MaxShared, AfterPass: o.afterPass}
	for _, y := range o.Libraries {
		options.Libraries = append(options.Libraries, y.linked)
	}
	return options
}

// Tag returns the number in the pipeline's handles and faults that tells it from others.
func (p *Pipeline) Tag() uint32 { return p.tag }

// ShaderOf returns the name of the shader that a state of the pipeline belongs to, "" if there is no such state.
func (p *Pipeline) ShaderOf(state uint32) string {
	i, found := slices.BinarySearchFunc(p.owners, state, func(o link.Owner, s uint32) int { return cmp.Compare(o.State, s) })
	if !found {
		return ""
	}
	return p.options.Stages[p.owners[i].Stage].Name
}

// Destroy frees the pipeline.
func (p *Pipeline) Destroy() {
	p.indirect.destroy()
	p.learner.destroy()
	p.wave.destroy()
	destroy(p.compute, p.layout)
}

// Stats returns what it took to make the pipeline, and what it has learned since.
func (p *Pipeline) Stats() Stats {
	s := p.stats
	s.Choices = p.choices()
	return s
}

// StackBytes returns the stack of one lane.
func (p *Pipeline) StackBytes() uint32 { return 4 * p.stack }

// tagOf returns a number that tells this pipeline's handles from others', never zero.
func tagOf(code []uint32) uint32 {
	h := fnv.New32a()
	var b [4]byte
	for _, w := range code {
		binary.LittleEndian.PutUint32(b[:], w)
		h.Write(b[:])
	}
	return h.Sum32() | 1
}

// GroupHandle returns the handle of a shader group, what a shader binding table record begins with.
func (p *Pipeline) GroupHandle(group int) ([HandleSize]byte, error) {
	var h [HandleSize]byte
	if group < 0 || group >= len(p.options.Groups) {
		return h, fmt.Errorf("pipeline %q: group %d of %d: %w", p.options.Name, group, len(p.options.Groups), ErrInvalid)
	}
	g := p.options.Groups[group]
	number := func(stage int) uint32 {
		if stage == None {
			return 0
		}
		return p.entries[stage]
	}
	shader := number(g.ClosestHit)
	if g.Kind == General {
		shader = number(g.General)
	}
	copy(h[:], vk.Bytes(&[HandleSize / 4]uint32{
		handleShader: shader, handleAnyHit: number(g.AnyHit), handleIntersection: number(g.Intersection), handlePipeline: p.tag,
	}))
	return h, nil
}
