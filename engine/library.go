package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback/repro"
)

// Interface sizes of libraries where the options leave them 0.
const (
	defaultPayloadBytes   = 256
	defaultAttributeBytes = 32
)

// PipelineLibrary holds shaders and groups that pipelines are linked from without compiling them again: a pipeline library of
// VK_KHR_pipeline_library, a collection of DXR. On the compute way everything but the driver's compiler has been done.
type PipelineLibrary struct {
	name    string
	device  *Device
	impl    driver.Library
	options PipelineOptions // without code
	uses    []use
	source  repro.Set // with Options.Dump
}

// NewPipelineLibrary prepares Stages and Groups of o. SetLayouts, PushConstantBytes, MaxRecursionDepth, Flags, MaxPayloadBytes
// and MaxAttributeBytes must be those of the pipelines that the library is for; MaxPayloadBytes and MaxAttributeBytes of 0 are
// 256 and 32. Libraries of libraries are not supported. The layouts must outlive it.
func (d *Device) NewPipelineLibrary(ctx context.Context, o PipelineOptions) (*PipelineLibrary, error) {
	fail := func(err error) (*PipelineLibrary, error) {
		return nil, fmt.Errorf("pipeline library %q: %w", o.Name, err)
	}
	if err := d.enter(); err != nil {
		return fail(err)
	}
	defer d.leave()
	if len(o.Libraries) > 0 {
		return fail(invalid("Libraries is set; libraries hold no others"))
	}
	if len(o.Stages) == 0 || len(o.Groups) == 0 {
		return fail(invalid("PipelineOptions has %d Stages and %d Groups, a library needs both", len(o.Stages), len(o.Groups)))
	}
	if err := o.validateParts(d, d.Limits()); err != nil {
		return fail(err)
	}
	if err := o.checkSkips(d); err != nil {
		return fail(err)
	}
	uses, err := o.checkShaders(d)
	if err != nil {
		return fail(err)
	}
	if err := o.usePrinter(d); err != nil {
		return fail(err)
	}
	source, err := d.dumpLibrary(ctx, &o)
	if err != nil {
		return fail(err)
	}
	impl, err := d.driver.NewLibrary(ctx, o.resolve())
	if err != nil {
		return fail(err)
	}
	kept := o
	kept.Stages, kept.Groups, kept.SetLayouts = slices.Clone(o.Stages), slices.Clone(o.Groups), slices.Clone(o.SetLayouts)
	for i := range kept.Stages {
		kept.Stages[i].Code = nil
	}
	return &PipelineLibrary{name: o.Name, device: d, impl: impl, options: kept, uses: uses, source: source}, nil
}

// Destroy releases the library; pipelines made from it stay.
func (y *PipelineLibrary) Destroy() {
	if y != nil && y.impl != nil {
		y.impl.Destroy()
		y.impl = nil
	}
}

// validateLibraries checks that what must be equal in a pipeline and its libraries is.
func (o *PipelineOptions) validateLibraries(d *Device) error {
	for i, y := range o.Libraries {
		if y == nil || y.impl == nil {
			return invalid("Libraries[%d] is nil or destroyed", i)
		}
		if y.device != d {
			return invalid("Libraries[%d] %q belongs to another device", i, y.name)
		}
		want := &y.options
		for _, f := range []struct {
			name  string
			equal bool
		}{
			{"SetLayouts", slices.Equal(o.SetLayouts, want.SetLayouts)},
			{"PushConstantBytes", o.PushConstantBytes == want.PushConstantBytes},
			{"MaxRecursionDepth", max(o.MaxRecursionDepth, 1) == max(want.MaxRecursionDepth, 1)},
			{"Flags", o.Flags == want.Flags},
			{"MaxPayloadBytes", o.MaxPayloadBytes == want.MaxPayloadBytes},
			{"MaxAttributeBytes", o.MaxAttributeBytes == want.MaxAttributeBytes},
		} {
			if !f.equal {
				return invalid("%s differs from that of Libraries[%d] (%q)", f.name, i, y.name)
			}
		}
	}
	return nil
}

// withLibraries returns all groups and the kinds of all stages, the pipeline's own before its libraries'.
func (o *PipelineOptions) withLibraries() (groups []Group, stages []StageKind) {
	add := func(p *PipelineOptions) {
		for _, g := range p.Groups {
			groups = append(groups, g.Behind(len(stages)))
		}
		for _, s := range p.Stages {
			stages = append(stages, s.Kind)
		}
	}
	add(o)
	for _, y := range o.Libraries {
		add(&y.options)
	}
	return groups, stages
}
