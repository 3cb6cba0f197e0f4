package engine

import (
	"cmp"
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/fallback/spirv/printf"
	"github.com/everray/everray/vk"
)

// ShaderOptions describes a shader for LowerShader.
type ShaderOptions struct {
	// Name is for errors, messages and dumps; empty is the entry point's.
	Name string
	// Stage is one bit: compute, or a stage of graphics.
	Stage vulkan.ShaderStageFlags
	// Code is the SPIR-V of the shader.
	Code []uint32
	// Entry is the entry point; empty is "main".
	Entry string
	// AllowClusters lets queries meet bottom levels over clusters. A shader that declares the capability for them
	// (SPV_NV_cluster_acceleration_structure) asks for it by that.
	AllowClusters bool
	// Printer, if not nil, takes what the shader prints with debugPrintfEXT. It must outlive the pipelines. Stages of graphics need
	// the feature with which they may store: fragmentStoresAndAtomics or vertexPipelineStoresAndAtomics.
	Printer *Printer
}

// LowerShader returns the SPIR-V with which a program makes a compute or graphics pipeline of its own whose shader uses ray
// queries: natively the shader as it is, otherwise with the queries done by code of the engine, and acceleration structures
// bound as DescriptorSetLayout and DescriptorSet bind them (their VK methods give what Vulkan wants). Interface, descriptor
// bindings, push constants and specialization constants of the shader stay as they are. Natively, a shader with ray queries on a
// device without is refused with an error that wraps ErrUnsupported. A shader that prints to a Printer comes back with code for
// that, in both ways.
//
// On the compute way the device needs storage buffers in the stage, and nothing else.
func (d *Device) LowerShader(ctx context.Context, o ShaderOptions) ([]uint32, error) {
	o.Entry = cmp.Or(o.Entry, "main")
	o.Name = cmp.Or(o.Name, o.Entry)
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("lower shader %q: %w", o.Name, err)
	}
	defer d.leave()
	code, err := d.lowerShader(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("lower shader %q: %w", o.Name, err)
	}
	return code, nil
}

func (d *Device) lowerShader(ctx context.Context, o ShaderOptions) ([]uint32, error) {
	model, ok := fallback.ModelOf(o.Stage)
	if !ok {
		return nil, invalid("ShaderOptions.Stage is %#x, want one bit, of compute or a stage of graphics", o.Stage)
	}
	if err := validateStage(&Stage{Code: o.Code}); err != nil {
		return nil, err
	}
	if err := o.checkPrinter(d); err != nil {
		return nil, err
	}
	if err := d.checkClusters(o.AllowClusters, "AllowClusters"); err != nil {
		return nil, err
	}
	m, err := modules{}.module(o.Code, d.Backend())
	if err == nil && m != nil {
		err = checkCapabilities(m.Capabilities, d.Backend(), d.device.Features())
		if _, found := m.Shader(model, o.Entry, nil); err == nil && !found {
			err = invalid("Entry is %q, the module's entry points of this kind are %q", o.Entry, m.EntryPoints(model))
		}
	}
	if err != nil {
		return nil, err
	}
	code, err := o.Printer.lower(o.Code, printf.Options{Shader: o.Name, Model: model, Entry: o.Entry})
	if err != nil {
		return nil, err
	}
	code, _, err = d.lowered(ctx, driver.Shader{Name: o.Name, Stage: o.Stage, Code: code, Entry: o.Entry,
		AllowClusters: o.AllowClusters})
	return code, err
}

// lowered returns a shader as the way runs it, and where it was dumped before.
func (d *Device) lowered(ctx context.Context, s driver.Shader) (code []uint32, dumped string, err error) {
	if dumped, err = d.dumpShader(ctx, s); err != nil {
		return nil, "", err
	}
	code, err = d.driver.LowerShader(ctx, s)
	return code, dumped, err
}

// stageVertexPipeline are the stages of graphics before rasterisation that vertexPipelineStoresAndAtomics is about.
const stageVertexPipeline = vk.StageVertex | vk.StageTessellationControl | vk.StageTessellationEvaluation | vk.StageGeometry

// checkPrinter judges the printer, and whether the stage may write to it.
func (o *ShaderOptions) checkPrinter(d *Device) error {
	f := d.device.Features()
	switch {
	case o.Printer == nil:
		return nil
	case o.Stage&stageVertexPipeline != 0 && !f.VertexPipelineStoresAndAtomics:
		return lacking("vertexPipelineStoresAndAtomics, for Printer in this stage (Options.Features enables what the device has)")
	case o.Stage == vk.StageFragment && !f.FragmentStoresAndAtomics:
		return lacking("fragmentStoresAndAtomics, for Printer in this stage (Options.Features enables what the device has)")
	}
	return o.Printer.check(d)
}
