package render

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Integrator names what is drawn.
type Integrator string

// The integrators.
const (
	Path    Integrator = "path"
	AO      Integrator = "ao"
	Primary Integrator = "primary"
	Normals Integrator = "normals"
	// Heat counts traversal steps, see HeatMap. It needs the compute way.
	Heat Integrator = "heat"
	// variables is the pass behind Renderer.AOV.
	variables Integrator = "aov"
)

// ErrUnknownIntegrator is returned by ParseIntegrator.
var ErrUnknownIntegrator = errors.New("unknown integrator")

// ParseIntegrator reads the name of an integrator; empty is path.
func ParseIntegrator(s string) (Integrator, error) {
	switch i := Integrator(strings.ToLower(s)); i {
	case "":
		return Path, nil
	case Path, AO, Primary, Normals, Heat:
		return i, nil
	}
	return "", fmt.Errorf("%w %q: want path, ao, primary, normals or heat", ErrUnknownIntegrator, s)
}

// recordsPerGeometry is RAY_TYPES of frame.glsl: a record for radiance rays and one for shadow rays.
const recordsPerGeometry = 2

// program lists an integrator's shaders; anyHit and shadowAnyHit are used by geometry that is not opaque.
type program struct {
	raygen, miss, closestHit, anyHit string
	shadows                          bool // traces shadow rays
	recursion                        uint32
}

func (o *Options) program() program {
	switch o.Integrator {
	case AO:
		return program{raygen: "preview.rgen", miss: "preview.rmiss", closestHit: "ao.rchit", anyHit: "preview.rahit", shadows: true,
			recursion: 2}
	case Primary:
		return program{raygen: "preview.rgen", miss: "preview.rmiss", closestHit: "primary.rchit", anyHit: "preview.rahit", recursion: 1}
	case variables:
		return program{raygen: "aov.rgen", miss: "aov.rmiss", closestHit: "aov.rchit", anyHit: "preview.rahit", recursion: 1}
	case Normals:
		return program{raygen: "preview.rgen", miss: "preview.rmiss", closestHit: "normals.rchit", anyHit: "preview.rahit", recursion: 1}
	}
	raygen := "path.rgen"
	if o.Reorder {
		raygen = "path_reorder.rgen"
	}
	return program{raygen: raygen, miss: "path.rmiss", closestHit: "path.rchit", anyHit: "path.rahit", shadows: true,
		recursion: 1}
}

// groups are the indices of a pipeline's shader groups; -1 where the pipeline has none.
type groups struct {
	raygen, miss, shadowMiss int
	triangles, thin          hitGroups
}

// hitGroups are those of triangles, or of points and lines.
type hitGroups struct{ opaque, alpha, alphaShadow int }

// pipelineBuilder collects stages and groups.
type pipelineBuilder struct {
	options  engine.PipelineOptions
	features features
	native   bool
	err      error
}

func (b *pipelineBuilder) stage(kind engine.StageKind, name string) int {
	if b.err != nil {
		return engine.Unused
	}
	code, err := shaders.Load("viewer/" + name)
	if err != nil {
		b.err = err
		return engine.Unused
	}
	b.options.Stages = append(b.options.Stages, engine.Stage{Name: name, Kind: kind, Code: code,
		Specialization: b.features.specialization()})
	return len(b.options.Stages) - 1
}

func (b *pipelineBuilder) group(g engine.Group) int {
	b.options.Groups = append(b.options.Groups, g)
	return len(b.options.Groups) - 1
}

// hitGroups makes the groups that hit records name: of triangles, and where there are points or lines procedural ones of the
// same shaders, which are then variants that know both.
func (b *pipelineBuilder) hitGroups(p program, source *assets.Scene) (triangles, thin hitGroups) {
	name := func(shader string) string { return shader }
	if source.HasThin() {
		name = func(shader string) string { return shaders.Variant(shader, shaders.Thin) }
	}
	closestHit, anyHit, shadowAnyHit := b.stage(engine.ClosestHit, name(p.closestHit)), engine.Unused, engine.Unused
	alpha := hasAlpha(source)
	if alpha {
		anyHit = b.stage(engine.AnyHit, name(p.anyHit))
	}
	if p.shadows && (alpha || b.features.has(featureTransmission)) {
		shadowAnyHit = b.stage(engine.AnyHit, name("shadow.rahit"))
	}
	groups := func(group func(closestHit, anyHit int) engine.Group) hitGroups {
		g := hitGroups{opaque: b.group(group(closestHit, engine.Unused)), alpha: -1, alphaShadow: -1}
		if anyHit != engine.Unused {
			g.alpha = b.group(group(closestHit, anyHit))
		}
		if shadowAnyHit != engine.Unused {
			g.alphaShadow = b.group(group(engine.Unused, shadowAnyHit))
		}
		return g
	}
	triangles = groups(engine.TrianglesGroup)
	if source.HasThin() {
		intersection := b.stage(engine.Intersection, "thin.rint")
		thin = groups(func(closestHit, anyHit int) engine.Group {
			if b.native && anyHit != engine.Unused { // lavapipe runs the any hit shader of a stage's first group (docs/drivers.md)
				return engine.ProceduralGroup(b.stage(engine.Intersection, "thin.rint"), closestHit, anyHit)
			}
			return engine.ProceduralGroup(intersection, closestHit, anyHit)
		})
	}
	return triangles, thin
}

// newPipeline links the integrator's pipeline. Scenes without alpha and transmission do without any hit shaders, those without
// points and lines without intersection shaders.
func newPipeline(ctx context.Context, dev *engine.Device, o *Options, set *engine.DescriptorSetLayout, source *assets.Scene,
	f features, followed engine.PipelineOptions) (*engine.Pipeline, groups, error) {
	p, i := o.program(), o.Integrator
	b := &pipelineBuilder{features: f, native: dev.Backend() == engine.BackendNative, options: engine.PipelineOptions{
		Printer:           followed.Printer,
		Lane:              followed.Lane,
		Name:              string(i),
		SetLayouts:        []*engine.DescriptorSetLayout{set},
		PushConstantBytes: pushSize,
		MaxRecursionDepth: p.recursion,
	}}
	g := groups{shadowMiss: -1}
	g.raygen = b.group(engine.GeneralGroup(b.stage(engine.Raygen, p.raygen)))
	g.miss = b.group(engine.GeneralGroup(b.stage(engine.Miss, p.miss)))
	if p.shadows {
		g.shadowMiss = b.group(engine.GeneralGroup(b.stage(engine.Miss, "shadow.rmiss")))
	}
	g.triangles, g.thin = b.hitGroups(p, source)
	if b.err != nil {
		return nil, g, b.err
	}
	pipeline, err := dev.NewRayTracingPipeline(ctx, b.options)
	if err != nil {
		return nil, g, fmt.Errorf("pipeline %s: %w", i, err)
	}
	return pipeline, g, nil
}

// tableLayout gives every geometry a record for radiance rays and one for shadow rays, with its index as data.
func tableLayout(s *accel.Scene, g groups) sbt.Layout {
	layout := sbt.Layout{
		Raygen: []sbt.Record{{Group: g.raygen}},
		Miss:   []sbt.Record{{Group: g.miss}},
	}
	if g.shadowMiss >= 0 {
		layout.Miss = append(layout.Miss, sbt.Record{Group: g.shadowMiss})
	}
	for i, geometry := range s.Geometries {
		of, data := &g.triangles, vk.Bytes(&record{uint32(i)})
		if thin := s.ThinRecord(i); thin != nil {
			of, data = &g.thin, thin
		}
		radiance, shadow := of.opaque, of.opaque // shadow rays skip the opaque group's closest hit shader
		m := &s.Source.Materials[s.Source.Meshes[geometry.Mesh].Primitives[geometry.Primitive].Material]
		if !m.IsOpaque() {
			radiance = of.alpha
		}
		if of.alphaShadow >= 0 && (!m.IsOpaque() || m.PassesLight()) {
			shadow = of.alphaShadow
		}
		layout.Hit = append(layout.Hit, sbt.Record{Group: radiance, Data: data}, sbt.Record{Group: shadow, Data: data})
	}
	return layout
}

// hasAlpha reports whether any geometry is not opaque.
func hasAlpha(scene *assets.Scene) bool {
	for m := range scene.Meshes {
		for p := range scene.Meshes[m].Primitives {
			if !scene.Materials[scene.Meshes[m].Primitives[p].Material].IsOpaque() {
				return true
			}
		}
	}
	return false
}
