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

// Specialization constants: of diverge.rgen, and of the hit shaders.
const (
	raygenSalt  = 0
	raygenFlags = 1
	hitShader   = 0
	hitHeavy    = 1
)

// NewTracer links the pipeline, in a form that only the compute way knows; the zero value lets it choose.
func (p *Paths) NewTracer(ctx context.Context, kind Kind, form engine.LinkForm) (*Tracer, error) {
	return p.newTracer(ctx, kind, form, nil, kind.Shaders)
}

// NewLibrary makes a library of the kind's hit shaders.
func (p *Paths) NewLibrary(ctx context.Context, kind Kind, form engine.LinkForm) (*engine.PipelineLibrary, error) {
	options := p.options(kind, form)
	if err := kind.addHits(&options, 0, kind.Shaders); err != nil {
		return nil, err
	}
	return p.dev.NewPipelineLibrary(ctx, options)
}

// NewTracerOf links a pipeline with the kind's library, and so many hit shaders besides, which no geometry has.
func (p *Paths) NewTracerOf(
	ctx context.Context, kind Kind, form engine.LinkForm, library *engine.PipelineLibrary, more int,
) (*Tracer, error) {
	return p.newTracer(ctx, kind, form, library, more)
}

// newTracer makes a pipeline with so many hit shaders of its own.
func (p *Paths) newTracer(
	ctx context.Context, kind Kind, form engine.LinkForm, library *engine.PipelineLibrary, own int,
) (t *Tracer, err error) {
	t = &Tracer{paths: p, kind: kind}
	defer func() {
		if err != nil {
			t.Destroy()
			t, err = nil, fmt.Errorf("%s: %w", kind.Name, err)
		}
	}()
	options := p.options(kind, form)
	misses, err := kind.addOthers(&options)
	if err != nil {
		return t, err
	}
	firstHit, from := len(options.Groups), 0
	if library != nil {
		options.Libraries = []*engine.PipelineLibrary{library}
		firstHit, from = firstHit+own, kind.Shaders
	}
	if err = kind.addHits(&options, from, own); err != nil {
		return t, err
	}
	if t.pipeline, err = p.dev.NewRayTracingPipeline(ctx, options); err != nil {
		return t, err
	}
	t.table, err = p.dev.NewTable(ctx, t.pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: misses, Hit: p.hitRecords(kind, firstHit),
	})
	return t, err
}

// options are those that libraries and their pipelines share.
func (p *Paths) options(kind Kind, form engine.LinkForm) engine.PipelineOptions {
	depth := uint32(1)
	if kind.Shadows {
		depth = 2
	}
	return engine.PipelineOptions{
		Name: kind.Name, SetLayouts: []*engine.DescriptorSetLayout{p.layout}, PushConstantBytes: uint32(unsafe.Sizeof(push{})),
		MaxRecursionDepth: depth, Form: form,
	}
}

// addOthers adds the shaders beside hit shaders, each a group, and returns the records of miss shaders.
func (k *Kind) addOthers(o *engine.PipelineOptions) (misses []sbt.Record, err error) {
	list := []struct {
		kind engine.StageKind
		name string
	}{{engine.Raygen, "diverge.rgen"}, {engine.Miss, "diverge.rmiss"}, {engine.Miss, "shadowed.rmiss"}}
	if !k.Shadows {
		list = list[:2]
	}
	for i, s := range list {
		if k.Reorder && s.kind == engine.Raygen {
			s.name = "diverge_reorder.rgen"
		}
		code, err := shaders.Load("viewer/" + s.name)
		if err != nil {
			return nil, err
		}
		stage := engine.Stage{Name: s.name, Kind: s.kind, Code: code}
		if s.kind == engine.Raygen {
			stage.Specialization = map[uint32][]byte{raygenSalt: binary.LittleEndian.AppendUint32(nil, k.Salt)}
			if k.AnyHit {
				stage.Specialization[raygenFlags] = binary.LittleEndian.AppendUint32(nil, rayFlagNoOpaque)
			}
		} else {
			misses = append(misses, sbt.Record{Group: i})
		}
		o.Stages, o.Groups = append(o.Stages, stage), append(o.Groups, engine.GeneralGroup(i))
	}
	return misses, nil
}

// addHits adds hit shaders, each with a group.
func (k *Kind) addHits(o *engine.PipelineOptions, from, count int) error {
	name := "diverge.rchit"
	if k.Shadows {
		name = "shadowed.rchit"
	}
	code, err := shaders.Load("viewer/" + name)
	if err != nil {
		return err
	}
	anyCode, err := shaders.Load("viewer/diverge.rahit")
	if err != nil {
		return err
	}
	for shader := from; shader < from+count; shader++ {
		constants := map[uint32][]byte{hitShader: binary.LittleEndian.AppendUint32(nil, k.Salt+uint32(shader))}
		if !k.Shadows {
			constants[hitHeavy] = heavyWord(!k.AnyHit && k.heavy(shader))
		}
		anyHit := engine.Unused
		if k.AnyHit {
			anyHit = len(o.Stages)
			o.Stages = append(o.Stages, engine.Stage{
				Name: fmt.Sprintf("diverge.rahit %d", shader), Kind: engine.AnyHit, Code: anyCode, Specialization: map[uint32][]byte{
					hitShader: constants[hitShader], hitHeavy: heavyWord(k.heavy(shader))}})
		}
		o.Groups = append(o.Groups, engine.TrianglesGroup(len(o.Stages), anyHit))
		o.Stages = append(o.Stages, engine.Stage{
			Name: fmt.Sprintf("%s %d", name, shader), Kind: engine.ClosestHit, Code: code, Specialization: constants})
	}
	return nil
}

// rayFlagNoOpaque is gl_RayFlagsNoOpaqueEXT.
const rayFlagNoOpaque = 2

// heavyWord is the specialization constant that says whether a shader does much.
func heavyWord(heavy bool) []byte {
	word := uint32(0)
	if heavy {
		word = 1
	}
	return binary.LittleEndian.AppendUint32(nil, word)
}

// record is what follows the handle in a hit record.
//
//glsl:viewer/diverge.rchit Record
type record struct{ indices, positions uint64 }

// hitRecords are one per geometry, with the addresses of its vertices.
func (p *Paths) hitRecords(kind Kind, firstHit int) []sbt.Record {
	out := make([]sbt.Record, len(p.scene.Geometries))
	for g, geometry := range p.scene.Geometries {
		data := vk.Bytes(&record{geometry.Indices, geometry.Positions})
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
			Pipeline: t.pipeline, Table: t.table, Sets: []*engine.DescriptorSet{p.set}, PushConstants: vk.Bytes(&p.push),
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
