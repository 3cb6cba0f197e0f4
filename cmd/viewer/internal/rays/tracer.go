package rays

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Kind names what a Tracer reports per ray.
type Kind int

// The kinds of tracers.
const (
	// Verify reports everything about the closest hit: a Hit, 32 bytes.
	Verify Kind = iota
	// ClosestHit reports t and primitive: a ClosestResult, 8 bytes.
	ClosestHit
	// Occlusion reports whether anything is hit: 4 bytes.
	Occlusion
	// Idle is a pipeline like that of ClosestHit whose ray generation shader returns at once: TraceNothing launches it.
	Idle
)

// ClosestResult is what bench.rgen writes per ray. T < 0 is a miss.
//
//glsl:viewer/bare.comp Result
type ClosestResult struct {
	T         float32
	Primitive uint32
}

// shaders returns the sources of ray generation and of the other stages without their extensions, and the size of a result.
func (k Kind) shaders() (raygen, others string, resultBytes uint64) {
	switch k {
	case ClosestHit:
		return "bench", "bench", uint64(unsafe.Sizeof(ClosestResult{}))
	case Occlusion:
		return "occlusion", "occlusion", 4
	case Idle:
		return "idle", "bench", 0
	}
	return "verify", "verify", uint64(unsafe.Sizeof(Hit{}))
}

// Tracer traces ray buffers against one scene, whose instances all have the table offset 0. With points or lines each geometry has
// a hit record, see RecordsPerGeometry.
type Tracer struct {
	dev      *engine.Device
	kind     Kind
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.Pipeline
	table    *engine.Table
	timer    *measure.Timer
	flags    engine.PipelineFlags
	thin     *accel.Scene // with points or lines, else nil

	width, height uint32
	rays, results *vk.Buffer
}

// push is ray_io.glsl's: addresses.
//
//glsl:viewer/bench.rgen Push
type push struct{ rays, results uint64 }

const pushBytes = uint32(unsafe.Sizeof(push{}))

// NewTracer links a tracer.
func NewTracer(ctx context.Context, dev *engine.Device, scene *accel.Scene, kind Kind) (*Tracer, error) {
	t := &Tracer{dev: dev, kind: kind}
	if scene.Source.HasThin() {
		t.thin = scene
	}
	return t.prepare(ctx, scene.TopLevel)
}

// RecordsPerGeometry is what accel.Options is to have for a scene that a Tracer traces: its points and lines have an intersection
// shader, which reads its record.
func RecordsPerGeometry(scene *assets.Scene) uint32 {
	if scene.HasThin() {
		return 1
	}
	return 0
}

// NewTopTracer links a tracer of a top level, with flags of its pipeline.
func NewTopTracer(ctx context.Context, dev *engine.Device, top *engine.AccelerationStructure, kind Kind,
	flags engine.PipelineFlags) (*Tracer, error) {
	return (&Tracer{dev: dev, kind: kind, flags: flags}).prepare(ctx, top)
}

func (t *Tracer) prepare(ctx context.Context, top *engine.AccelerationStructure) (_ *Tracer, err error) {
	dev := t.dev
	defer func() {
		if err != nil {
			t.Destroy()
			t = nil
		}
	}()
	if t.layout, err = dev.NewDescriptorSetLayout("top level", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
	}); err != nil {
		return t, fmt.Errorf("descriptor set layout: %w", err)
	}
	if t.set, err = dev.NewDescriptorSet(t.layout); err != nil {
		return t, fmt.Errorf("descriptor set: %w", err)
	}
	if err = t.setTop(top); err != nil {
		return t, err
	}
	if err = t.link(ctx); err != nil {
		return t, err
	}
	t.timer, err = measure.NewTimer(dev)
	return t, err
}

// stage is a shader of a Tracer.
type stage struct {
	kind engine.StageKind
	name string
}

func (t *Tracer) link(ctx context.Context) (err error) {
	raygen, others, _ := t.kind.shaders()
	stages := []stage{{engine.Raygen, raygen + ".rgen"}, {engine.Miss, others + ".rmiss"}, {engine.ClosestHit, others + ".rchit"}}
	layout := sbt.Layout{Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: []sbt.Record{{Group: 2}}}
	options := engine.PipelineOptions{
		Name:              raygen,
		SetLayouts:        []*engine.DescriptorSetLayout{t.layout},
		PushConstantBytes: pushBytes,
		MaxRecursionDepth: 1,
		Flags:             t.flags,
		Groups:            []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, engine.Unused)},
	}
	if t.thin != nil {
		stages, layout.Hit = t.withThin(stages)
		options.Groups = append(options.Groups, engine.ProceduralGroup(3, 2, engine.Unused))
	}
	for _, s := range stages {
		code, err := shaders.Load("viewer/" + s.name)
		if err != nil {
			return err
		}
		options.Stages = append(options.Stages, engine.Stage{Name: s.name, Kind: s.kind, Code: code})
	}
	if t.pipeline, err = t.dev.NewRayTracingPipeline(ctx, options); err != nil {
		return fmt.Errorf("pipeline %s: %w", raygen, err)
	}
	if t.table, err = t.dev.NewTable(ctx, t.pipeline, layout); err != nil {
		return fmt.Errorf("shader binding table: %w", err)
	}
	return nil
}

// withThin adds the shaders of points and lines, and returns a record for each geometry: group 2 is of triangles, 3 of those.
func (t *Tracer) withThin(stages []stage) ([]stage, []sbt.Record) {
	if t.kind != Idle {
		stages[0].name = shaders.Variant(stages[0].name, shaders.Thin)
	}
	stages = append(stages, stage{engine.Intersection, "thin.rint"})
	records := make([]sbt.Record, len(t.thin.Geometries))
	for i := range records {
		records[i].Group = 2
		if data := t.thin.ThinRecord(i); data != nil {
			records[i] = sbt.Record{Group: 3, Data: data}
		}
	}
	return stages, records
}

// Stats returns what making the pipeline cost.
func (t *Tracer) Stats() engine.PipelineStats { return t.pipeline.Stats() }

// SetScene makes further launches trace against a scene's top level, which may have been built again.
func (t *Tracer) SetScene(scene *accel.Scene) error { return t.setTop(scene.TopLevel) }

func (t *Tracer) setTop(top *engine.AccelerationStructure) error {
	t.set.WriteAccelerationStructure(0, 0, top)
	return t.set.Err()
}

// SetRays uploads width * height rays.
func (t *Tracer) SetRays(ctx context.Context, rays []Ray, width, height int) error {
	if len(rays) == 0 || len(rays) != width*height {
		return fmt.Errorf("%d rays do not fill %d x %d", len(rays), width, height)
	}
	t.rays.Destroy()
	t.results.Destroy()
	t.rays, t.results = nil, nil
	var err error
	if t.rays, err = t.dev.NewBuildInput(ctx, "rays", vk.BytesOf(rays)); err != nil {
		return fmt.Errorf("%d rays: %w", len(rays), err)
	}
	_, _, size := t.kind.shaders()
	if t.results, err = t.dev.VK().NewBuffer(vk.BufferOptions{Name: "results", Size: size * uint64(len(rays)),
		Memory: vk.DeviceLocal}); err != nil {
		return fmt.Errorf("results of %d rays: %w", len(rays), err)
	}
	t.width, t.height = uint32(width), uint32(height)
	return nil
}

// Trace traces the rays launches times in one submission, with barriers between, and returns the GPU's time of each.
func (t *Tracer) Trace(ctx context.Context, launches int) ([]time.Duration, error) {
	return t.launch(ctx, &push{t.rays.Address(), t.results.Address()}, t.width, t.height, launches)
}

// TraceNothing launches an Idle tracer.
func (t *Tracer) TraceNothing(ctx context.Context, width, height, launches int) ([]time.Duration, error) {
	if t.kind != Idle {
		return nil, fmt.Errorf("%w: this tracer is not idle", engine.ErrInvalid)
	}
	return t.launch(ctx, &push{}, uint32(width), uint32(height), launches)
}

func (t *Tracer) launch(ctx context.Context, to *push, width, height uint32, launches int) ([]time.Duration, error) {
	return t.timer.Repeat(ctx, fmt.Sprintf("trace %d rays", width*height), launches, func(cb *vk.CommandBuffer) error {
		return t.dev.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: t.pipeline, Table: t.table, Sets: []*engine.DescriptorSet{t.set},
			PushConstants: vk.Bytes(to), Width: width, Height: height, Depth: 1,
		})
	})
}

// Hits reads the results of a Verify tracer.
func (t *Tracer) Hits(ctx context.Context) ([]Hit, error) { return readResults[Hit](ctx, t, Verify) }

// Closest reads the results of a ClosestHit tracer.
func (t *Tracer) Closest(ctx context.Context) ([]ClosestResult, error) {
	return readResults[ClosestResult](ctx, t, ClosestHit)
}

// Occluded reads the results of an Occlusion tracer: 1 is occluded.
func (t *Tracer) Occluded(ctx context.Context) ([]uint32, error) {
	return readResults[uint32](ctx, t, Occlusion)
}

func readResults[T Hit | ClosestResult | uint32](ctx context.Context, t *Tracer, kind Kind) ([]T, error) {
	if t.kind != kind || t.results == nil {
		return nil, fmt.Errorf("this tracer has no such results")
	}
	out := make([]T, t.width*t.height)
	if err := t.dev.VK().ReadBuffer(ctx, t.results, 0, vk.BytesOf(out)); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return out, nil
}

// Destroy releases everything but the scene. It may be called twice and on nil.
func (t *Tracer) Destroy() {
	if t == nil {
		return
	}
	t.rays.Destroy()
	t.results.Destroy()
	t.timer.Destroy()
	t.table.Destroy()
	t.pipeline.Destroy()
	t.set.Destroy()
	t.layout.Destroy()
	t.rays, t.results = nil, nil
}
