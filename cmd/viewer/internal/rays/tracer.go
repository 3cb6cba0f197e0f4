package rays

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/everray/everray/cmd/viewer/internal/accel"
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
)

// ClosestResult is what bench.rgen writes per ray. T < 0 is a miss.
type ClosestResult struct {
	T         float32
	Primitive uint32
}

// shaderNames and result sizes of the kinds.
func (k Kind) shaders() (base string, resultBytes uint64) {
	switch k {
	case ClosestHit:
		return "bench", uint64(unsafe.Sizeof(ClosestResult{}))
	case Occlusion:
		return "occlusion", 4
	}
	return "verify", uint64(unsafe.Sizeof(Hit{}))
}

// Tracer traces ray buffers against one scene, whose instances all have the table offset 0.
type Tracer struct {
	dev      *engine.Device
	kind     Kind
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.Pipeline
	table    *engine.Table
	timer    *vk.QueryPool

	width, height uint32
	rays, results *vk.Buffer
}

// pushBytes is the size of the two addresses of ray_io.glsl.
const pushBytes = 16

// NewTracer links a tracer.
func NewTracer(ctx context.Context, dev *engine.Device, scene *accel.Scene, kind Kind) (t *Tracer, err error) {
	t = &Tracer{dev: dev, kind: kind}
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
	if err = t.SetScene(scene); err != nil {
		return t, err
	}
	if err = t.link(ctx); err != nil {
		return t, err
	}
	if t.timer, err = dev.VK().NewQueryPool(2 * maxLaunches); err != nil {
		return t, fmt.Errorf("timer: %w", err)
	}
	return t, nil
}

func (t *Tracer) link(ctx context.Context) (err error) {
	base, _ := t.kind.shaders()
	options := engine.PipelineOptions{
		Name:              base,
		SetLayouts:        []*engine.DescriptorSetLayout{t.layout},
		PushConstantBytes: pushBytes,
		MaxRecursionDepth: 1,
		Groups:            []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, engine.Unused)},
	}
	for _, s := range []struct {
		kind      engine.StageKind
		extension string
	}{{engine.Raygen, ".rgen"}, {engine.Miss, ".rmiss"}, {engine.ClosestHit, ".rchit"}} {
		code, err := shaders.Load("viewer/" + base + s.extension)
		if err != nil {
			return err
		}
		options.Stages = append(options.Stages, engine.Stage{Name: base + s.extension, Kind: s.kind, Code: code})
	}
	if t.pipeline, err = t.dev.NewRayTracingPipeline(ctx, options); err != nil {
		return fmt.Errorf("pipeline %s: %w", base, err)
	}
	t.table, err = t.dev.NewTable(ctx, t.pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: []sbt.Record{{Group: 2}},
	})
	if err != nil {
		return fmt.Errorf("shader binding table: %w", err)
	}
	return nil
}

// Stats returns what making the pipeline cost.
func (t *Tracer) Stats() engine.PipelineStats { return t.pipeline.Stats() }

// SetScene makes further launches trace against a scene's top level, which may have been built again.
func (t *Tracer) SetScene(scene *accel.Scene) error {
	t.set.WriteAccelerationStructure(0, 0, scene.TopLevel)
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
	if t.rays, err = t.dev.NewBuildInput(ctx, "rays", rayBytes(rays)); err != nil {
		return fmt.Errorf("%d rays: %w", len(rays), err)
	}
	_, size := t.kind.shaders()
	if t.results, err = t.dev.VK().NewBuffer(vk.BufferOptions{Name: "results", Size: size * uint64(len(rays)), Memory: vk.DeviceLocal}); err != nil {
		return fmt.Errorf("results of %d rays: %w", len(rays), err)
	}
	t.width, t.height = uint32(width), uint32(height)
	return nil
}

// maxLaunches bounds the launches of one submission.
const maxLaunches = 16

// Trace traces the rays launches times in one submission, with barriers between, and returns the GPU's time of each.
func (t *Tracer) Trace(ctx context.Context, launches int) ([]time.Duration, error) {
	if launches < 1 || launches > maxLaunches {
		return nil, fmt.Errorf("%d launches, want 1 to %d", launches, maxLaunches)
	}
	push := binary.LittleEndian.AppendUint64(nil, t.rays.Address())
	push = binary.LittleEndian.AppendUint64(push, t.results.Address())
	err := t.dev.Run(ctx, "rays", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(t.timer, 0, uint32(2*launches))
		for i := range launches {
			t.dev.CmdBarrier(cb)
			cb.WriteTimestamp(t.timer, uint32(2*i))
			if err := t.dev.CmdTraceRays(cb, engine.TraceOptions{
				Pipeline: t.pipeline, Table: t.table, Sets: []*engine.DescriptorSet{t.set},
				PushConstants: push, Width: t.width, Height: t.height, Depth: 1,
			}); err != nil {
				return err
			}
			cb.WriteTimestamp(t.timer, uint32(2*i+1))
		}
		t.dev.CmdBarrier(cb)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("trace %d rays: %w", t.width*t.height, err)
	}
	ticks, err := t.timer.Range(0, uint32(2*launches))
	if err != nil {
		return nil, fmt.Errorf("timestamps: %w", err)
	}
	out := make([]time.Duration, launches)
	for i := range out {
		out[i] = time.Duration(ticks[2*i+1] - ticks[2*i])
	}
	return out, nil
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
	var one T
	data := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), len(out)*int(unsafe.Sizeof(one)))
	if err := t.dev.VK().ReadBuffer(ctx, t.results, 0, data); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return out, nil
}

// rayBytes views rays as the bytes that the shaders read.
func rayBytes(rays []Ray) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&rays[0])), len(rays)*int(unsafe.Sizeof(rays[0])))
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
