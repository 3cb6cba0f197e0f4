package compute

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/vk"
)

// pipeline is a linked compute pipeline.
type pipeline struct{ impl *fallback.Pipeline }

// models maps stage kinds to package fallback's.
var models = map[driver.StageKind]fallback.Model{
	driver.Raygen: fallback.Raygen, driver.AnyHit: fallback.AnyHit, driver.ClosestHit: fallback.ClosestHit,
	driver.Miss: fallback.Miss, driver.Intersection: fallback.Intersection, driver.Callable: fallback.Callable,
}

// groupKinds maps group kinds to package fallback's.
var groupKinds = map[driver.GroupKind]fallback.GroupKind{
	driver.General: fallback.General, driver.TrianglesHit: fallback.TrianglesHit, driver.ProceduralHit: fallback.ProceduralHit,
}

// NewPipeline links the shaders.
func (d *Driver) NewPipeline(ctx context.Context, o driver.PipelineOptions) (driver.Pipeline, error) {
	fo := fallback.PipelineOptions{
		Name: o.Name, SetLayouts: o.SetLayouts, PushConstantBytes: o.PushConstantBytes,
		MaxRecursionDepth: o.MaxRecursionDepth, StackBytes: o.StackBytes,
	}
	for _, s := range o.Stages {
		fo.Stages = append(fo.Stages, fallback.Stage{
			Name: s.Name, Model: models[s.Kind], Code: s.Code, Entry: s.Entry, Specialization: s.Specialization,
		})
	}
	for _, g := range o.Groups {
		fo.Groups = append(fo.Groups, fallback.Group{
			Kind: groupKinds[g.Kind], General: g.General, ClosestHit: g.ClosestHit, AnyHit: g.AnyHit, Intersection: g.Intersection,
		})
	}
	p, err := fallback.NewPipeline(ctx, d.device, fo)
	if err != nil {
		return nil, err
	}
	return &pipeline{p}, nil
}

func (p *pipeline) Handle(group int) ([]byte, error) {
	h, err := p.impl.GroupHandle(group)
	if err != nil {
		return nil, err
	}
	return h[:], nil
}

func (p *pipeline) Stats() driver.Stats {
	s := p.impl.Stats()
	return driver.Stats{LinkTime: s.LinkTime, CompileTime: s.CompileTime, StackBytes: p.impl.StackBytes(), CodeWords: s.CodeWords, Driver: s.Driver}
}

func (p *pipeline) Destroy() { p.impl.Destroy() }

// CmdTraceRays records the launch's dispatches.
func (d *Driver) CmdTraceRays(cb *vk.CommandBuffer, t driver.Trace) error {
	p, ok := t.Pipeline.(*pipeline)
	if !ok {
		return fmt.Errorf("pipeline of another device: %w", driver.ErrInvalid)
	}
	return p.impl.CmdTraceRays(cb, fallback.Trace{
		Raygen: t.Raygen, Miss: t.Miss, Hit: t.Hit, Callable: t.Callable,
		Width: t.Width, Height: t.Height, Depth: t.Depth,
		Sets: t.Sets, PushConstants: t.PushConstants, Faults: d.faults,
	})
}
