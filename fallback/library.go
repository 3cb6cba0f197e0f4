package fallback

import (
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
)

// LibraryOptions describe a pipeline library.
type LibraryOptions struct {
	// Pipeline holds the library's Name, Stages, Groups and Form, and Flags.AllowClusters, which must be that of the pipelines: they
	// fail otherwise. Libraries have no monolithic form. The rest is up to the pipelines.
	rt.Pipeline
	// SIMD is that of the pipelines' device (vk.Device.SIMD), which fail otherwise.
	SIMD bool
	// Keep keeps the stages' code, for reproducers of pipelines that are made with the library.
	Keep bool
}

// Library is a set of shaders that went through most of the linker already, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR or a
// collection of DXR. Pipelines made with it only copy its code: what is left is the driver's compiler. It holds no Vulkan
// objects, does not change, and may be used by several goroutines; pipelines do not refer to it.
type Library struct {
	options LibraryOptions
	linked  *link.Library
	source  repro.Set // with LibraryOptions.Keep
}

// NewLibrary prepares stages and groups for pipelines.
func NewLibrary(ctx context.Context, o LibraryOptions) (*Library, error) {
	fail := func(err error) (*Library, error) { return nil, fmt.Errorf("library %q: %w", o.Name, err) }
	check := PipelineOptions{Pipeline: rt.Pipeline{Stages: o.Stages, Groups: o.Groups}}
	if err := check.validate(); err != nil {
		return fail(err)
	}
	runtime, err := shaders.Load(shaders.VariantFor(runtimeName, o.SIMD, o.Flags.AllowClusters))
	if err != nil {
		return fail(err)
	}
	source := setOf(o.Form, o.Stages)
	linked, err := link.NewLibrary(ctx, runtime, o.Stages, link.Options{Form: o.Form})
	if err != nil {
		return fail(internal(err, "", &repro.Case{Name: o.Name, Way: "compute", CPU: o.SIMD,
			Flags: rt.Flags{AllowClusters: o.Flags.AllowClusters}, Libraries: []repro.Set{source}}))
	}
	if !o.Keep {
		source = repro.Set{}
	}
	o.Stages, o.Groups = slices.Clone(o.Stages), slices.Clone(o.Groups)
	for i := range o.Stages {
		o.Stages[i].Code = nil // not needed any more
	}
	return &Library{o, linked, source}, nil
}
