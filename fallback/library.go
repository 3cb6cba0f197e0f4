package fallback

import (
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// LibraryOptions describe a pipeline library.
type LibraryOptions struct {
	// Pipeline holds the library's Name, Stages, Groups and Form, and Flags.AllowClusters, which must be that of the pipelines: they
	// fail otherwise. Libraries have no monolithic form. The rest is up to the pipelines.
	rt.Pipeline
	// Target is that of the pipelines' device, which fail otherwise.
	Target shaders.Target
	// Keep keeps the stages' code, for reproducers of pipelines that are made with the library.
	Keep bool
	// Device, if not nil, compiles what the wavefront form runs of the library at once, where that form is asked for or FormAuto
	// would take it for the shaders alone: pipelines whose first library it is find it compiled. SetLayouts are those of the
	// pipelines. Cache, if not nil, keeps what was compiled; otherwise the library does.
	Device     Device
	SetLayouts []vk.SetLayout
	Cache      *Cache
}

// Library is a set of shaders that went through most of the linker already, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR or a
// collection of DXR. Pipelines made with it only copy its code: what is left is the driver's compiler, and in the wavefront form
// not even that. It does not change, and may be used by several goroutines; pipelines do not refer to it once they are made.
type Library struct {
	options LibraryOptions
	linked  *link.Library
	source  repro.Set      // with LibraryOptions.Keep
	kernels vk.KernelCache // what the driver compiled of it, and of what pipelines added, without LibraryOptions.Cache
}

// NewLibrary prepares stages and groups for pipelines.
func NewLibrary(ctx context.Context, o LibraryOptions) (*Library, error) {
	fail := func(err error) (*Library, error) { return nil, fmt.Errorf("library %q: %w", o.Name, err) }
	check := PipelineOptions{Pipeline: rt.Pipeline{Stages: o.Stages, Groups: o.Groups}}
	if err := check.validate(); err != nil {
		return fail(err)
	}
	runtime, err := shaders.Load(shaders.VariantFor(runtimeName, o.Target, o.Flags.AllowClusters))
	if err != nil {
		return fail(err)
	}
	source := setOf(o.Form, o.Stages)
	linked, err := link.NewLibrary(ctx, runtime, o.Stages, link.Options{Form: o.Form})
	if err != nil {
		return fail(internal(err, "", &repro.Case{Name: o.Name, Kind: repro.Library, Way: "compute", Target: o.Target,
			Flags: rt.Flags{AllowClusters: o.Flags.AllowClusters}, Set: source}))
	}
	if !o.Keep {
		source = repro.Set{}
	}
	o.Stages, o.Groups = slices.Clone(o.Stages), slices.Clone(o.Groups)
	for i := range o.Stages {
		o.Stages[i].Code = nil // not needed any more
	}
	y := &Library{options: o, linked: linked, source: source}
	if err := y.compile(ctx, runtime); err != nil {
		y.Destroy()
		return fail(err)
	}
	return y, nil
}

// Destroy frees what the driver compiled. It is safe on nil and may be called twice; no pipeline may be in the making.
func (y *Library) Destroy() {
	if y != nil {
		destroy(y.kernels)
		y.kernels = nil
	}
}

// compile has the driver compile the kernels that shade with the library's shaders, and remember them. CPU drivers do not remember.
func (y *Library) compile(ctx context.Context, runtime []uint32) (err error) {
	o := &y.options
	if o.Device == nil || o.Device.Physical().Type == vulkan.PhysicalDeviceTypeCpu {
		return nil
	}
	codes, err := y.linked.Kernels(ctx, runtime, link.Options{Form: o.Form})
	if err != nil || len(codes) == 0 {
		return err
	}
	cache := o.Cache.driver()
	if cache == nil {
		if y.kernels, err = o.Device.NewKernelCache(o.Name); err != nil {
			return err
		}
		cache = y.kernels
	}
	layout, err := o.Device.NewKernelLayout(o.Name, o.SetLayouts, launchBytes)
	if err != nil {
		return err
	}
	defer layout.Destroy()
	made := make([]vk.Kernel, len(codes))
	jobs := make([]compileJob, len(codes))
	for i, code := range codes {
		name := fmt.Sprintf("%s, shade %d", o.Name, i)
		jobs[i] = compileJob{&made[i], vk.KernelOptions{Name: name, Code: code, Layout: layout, Statistics: true}}
	}
	err = compileAll(ctx, o.Device, cache, jobs)
	for _, k := range made {
		destroy(k)
	}
	return err
}

// kernelCache is where the driver remembers the kernels of a pipeline.
func (o *PipelineOptions) kernelCache() vk.KernelCache {
	if cache := o.Cache.driver(); cache != nil || len(o.Libraries) == 0 {
		return cache
	}
	return o.Libraries[0].kernels
}
