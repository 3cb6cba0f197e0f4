package rays

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// barePush are the push constants of bare.comp.
//
//glsl:viewer/bare.comp Push
type barePush struct {
	push
	width, height uint32
}

// Of bare.comp: the side of a workgroup's tile, and its specialization constants.
const (
	bareTile      = 8
	bareFlags     = 0
	bareOcclusion = 1
)

// Bare is the compute way's traversal in a plain compute shader: the rays and results of a Tracer, without its pipeline.
type Bare struct {
	tracer   *Tracer
	pipeline *engine.ComputePipeline
}

// NewBare compiles the kernel that does what a ClosestHit or Occlusion tracer of the compute way does; the tracer outlives it.
func NewBare(ctx context.Context, t *Tracer) (*Bare, error) {
	if b := t.dev.Backend(); b != engine.BackendCompute || t.kind == Verify {
		return nil, fmt.Errorf("%w: only the compute way's traversal of closest hits and occlusion can do without a pipeline",
			engine.ErrInvalid)
	}
	d := t.dev.VK()
	code, err := shaders.Load(shaders.Variant("viewer/bare.comp", shaders.TargetOf(d.SIMD(), d.Features().Int64)))
	if err != nil {
		return nil, err
	}
	flags, occlusion := rayFlags(t.kind == Occlusion), uint32(0)
	if t.kind == Occlusion {
		occlusion = 1
	}
	b := &Bare{tracer: t}
	b.pipeline, err = t.dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{
		Name: "bare traversal", Code: code, SetLayouts: []*engine.DescriptorSetLayout{t.layout},
		PushConstantBytes: uint32(unsafe.Sizeof(barePush{})),
		Specialization: map[uint32][]byte{
			bareFlags:     binary.LittleEndian.AppendUint32(nil, flags),
			bareOcclusion: binary.LittleEndian.AppendUint32(nil, occlusion),
		},
	})
	return b, err
}

// rayFlags are those of bench.rgen and occlusion.rgen.
func rayFlags(occlusion bool) uint32 {
	if occlusion {
		return inspect.RayOpaque | inspect.RayTerminateOnFirstHit | inspect.RaySkipClosestHit
	}
	return inspect.RayOpaque
}

// Stats returns what making the kernel cost.
func (b *Bare) Stats() engine.PipelineStats { return b.pipeline.Stats() }

// Trace is Tracer.Trace without the pipeline: results are where the tracer's are.
func (b *Bare) Trace(ctx context.Context, launches int) ([]time.Duration, error) {
	t := b.tracer
	p := barePush{push{t.rays.Address(), t.results.Address()}, t.width, t.height}
	return t.timer.Repeat(ctx, fmt.Sprintf("bare traversal of %d rays", t.width*t.height), launches, func(cb *vk.CommandBuffer) error {
		return t.dev.CmdDispatch(cb, engine.DispatchOptions{
			Pipeline: b.pipeline, Sets: []*engine.DescriptorSet{t.set}, PushConstants: vk.Bytes(&p),
			X: (t.width + bareTile - 1) / bareTile, Y: (t.height + bareTile - 1) / bareTile, Z: 1,
		})
	})
}

// Destroy releases the kernel. It may be called twice and on nil.
func (b *Bare) Destroy() {
	if b != nil {
		b.pipeline.Destroy()
	}
}
