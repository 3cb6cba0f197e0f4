package diverge

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Tracer traces Paths with the hit shaders of a kind.
type Tracer struct {
	paths    *Paths
	kind     Kind
	pipeline *engine.Pipeline
	table    *engine.Table
}

// Stages and groups: ray generation, miss, and from here on the hit shaders.
const firstHit = 2

// Specialization constants of diverge.rchit.
const (
	hitShader = 0
	hitHeavy  = 1
)

// NewTracer links the pipeline, in a form that only the compute way knows; the zero value lets it choose.
func (p *Paths) NewTracer(ctx context.Context, kind Kind, form engine.LinkForm) (t *Tracer, err error) {
	t = &Tracer{paths: p, kind: kind}
	defer func() {
		if err != nil {
			t.Destroy()
			t, err = nil, fmt.Errorf("%s: %w", kind.Name, err)
		}
	}()
	options := engine.PipelineOptions{
		Name: kind.Name, SetLayouts: []*engine.DescriptorSetLayout{p.layout}, PushConstantBytes: pushBytes,
		MaxRecursionDepth: 1, Form: form, Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1)},
	}
	if options.Stages, err = kind.stages(); err != nil {
		return t, err
	}
	for shader := range kind.Shaders {
		options.Groups = append(options.Groups, engine.TrianglesGroup(firstHit+shader, engine.Unused))
	}
	if t.pipeline, err = p.dev.NewRayTracingPipeline(ctx, options); err != nil {
		return t, err
	}
	t.table, err = p.dev.NewTable(ctx, t.pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: p.hitRecords(kind),
	})
	return t, err
}

func (k *Kind) stages() ([]engine.Stage, error) {
	var out []engine.Stage
	for _, s := range []struct {
		kind      engine.StageKind
		extension string
	}{{engine.Raygen, ".rgen"}, {engine.Miss, ".rmiss"}, {engine.ClosestHit, ".rchit"}} {
		code, err := shaders.Load("viewer/diverge" + s.extension)
		if err != nil {
			return nil, err
		}
		out = append(out, engine.Stage{Name: "diverge" + s.extension, Kind: s.kind, Code: code})
	}
	hit := out[firstHit]
	out = out[:firstHit]
	for shader := range k.Shaders {
		heavy := uint32(0)
		if k.heavy(shader) {
			heavy = 1
		}
		one := hit
		one.Name = fmt.Sprintf("diverge.rchit %d", shader)
		one.Specialization = map[uint32][]byte{
			hitShader: binary.LittleEndian.AppendUint32(nil, uint32(shader)),
			hitHeavy:  binary.LittleEndian.AppendUint32(nil, heavy),
		}
		out = append(out, one)
	}
	return out, nil
}

// hitRecords are one per geometry, with the addresses of its vertices.
func (p *Paths) hitRecords(kind Kind) []sbt.Record {
	out := make([]sbt.Record, len(p.scene.Geometries))
	for g, geometry := range p.scene.Geometries {
		data := binary.LittleEndian.AppendUint64(nil, geometry.Indices)
		data = binary.LittleEndian.AppendUint64(data, geometry.Positions)
		out[g] = sbt.Record{Group: firstHit + g%kind.Shaders, Data: data}
	}
	return out
}

// Stats returns what making the pipeline cost.
func (t *Tracer) Stats() engine.PipelineStats { return t.pipeline.Stats() }

// Trace traces all paths launches times in one submission and returns the GPU's time of each.
func (t *Tracer) Trace(ctx context.Context, launches int) ([]time.Duration, error) {
	p := t.paths
	return p.timer.Repeat(ctx, t.kind.Name+" paths", launches, func(cb *vk.CommandBuffer) error {
		return p.dev.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: t.pipeline, Table: t.table, Sets: []*engine.DescriptorSet{p.set}, PushConstants: p.push,
			Width: uint32(p.width), Height: uint32(p.height), Depth: 1,
		})
	})
}

// Image traces all paths once, into cleared memory, and returns what they saw.
func (t *Tracer) Image(ctx context.Context) ([]Path, error) {
	p := t.paths
	out := make([]Path, p.width*p.height)
	data := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), len(out)*int(unsafe.Sizeof(out[0])))
	if err := p.dev.VK().UploadBuffer(ctx, p.results, 0, data); err != nil {
		return nil, fmt.Errorf("clear %d paths: %w", len(out), err)
	}
	if _, err := t.Trace(ctx, 1); err != nil {
		return nil, err
	}
	if err := p.dev.VK().ReadBuffer(ctx, p.results, 0, data); err != nil {
		return nil, fmt.Errorf("read %d paths: %w", len(out), err)
	}
	return out, nil
}

// Destroy releases the pipeline. It may be called twice and on nil.
func (t *Tracer) Destroy() {
	if t == nil {
		return
	}
	t.table.Destroy()
	t.pipeline.Destroy()
}
