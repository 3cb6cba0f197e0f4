package vk

// #include "evk.h"
import "C"

import (
	"fmt"
	"runtime"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"
)

// Shader stages of graphics pipelines that this package can make.
const (
	StageVertex                 vulkan.ShaderStageFlags = 0x01
	StageTessellationControl    vulkan.ShaderStageFlags = 0x02
	StageTessellationEvaluation vulkan.ShaderStageFlags = 0x04
	StageGeometry               vulkan.ShaderStageFlags = 0x08
	StageFragment               vulkan.ShaderStageFlags = 0x10
)

// GraphicsPipelineOptions says what NewGraphicsPipeline makes: triangles without vertex buffers, drawn into one color image
// without depth, blending or culling. It is as much as tests of shaders in graphics stages need.
type GraphicsPipelineOptions struct {
	Name             string
	Vertex, Fragment []uint32 // SPIR-V, entry points "main"
	// Geometry, if there is one, needs Features.GeometryShader.
	Geometry []uint32
	// TessellationControl and TessellationEvaluation, if there are any, need Features.TessellationShader. Vertices then are
	// those of patches of PatchPoints.
	TessellationControl, TessellationEvaluation []uint32
	PatchPoints                                 uint32
	Layout                                      *PipelineLayout
	Format                                      vulkan.Format // of the image
}

// stages are the stages that there are.
func (o *GraphicsPipelineOptions) stages(d *Device) ([]graphicsStage, error) {
	all := []graphicsStage{
		{StageVertex, o.Vertex, "", true}, {StageTessellationControl, o.TessellationControl, "tessellationShader",
			d.enabled.TessellationShader},
		{StageTessellationEvaluation, o.TessellationEvaluation, "tessellationShader", d.enabled.TessellationShader},
		{StageGeometry, o.Geometry, "geometryShader", d.enabled.GeometryShader}, {StageFragment, o.Fragment, "", true},
	}
	list := slices.DeleteFunc(all, func(s graphicsStage) bool { return len(s.code) < 5 })
	for _, s := range list {
		if !s.enabled {
			return nil, fmt.Errorf("%w: %s", ErrMissingFeature, s.feature)
		}
	}
	return list, nil
}

type graphicsStage struct {
	stage   vulkan.ShaderStageFlags
	code    []uint32
	feature string // that it needs
	enabled bool
}

// NewGraphicsPipeline compiles a graphics pipeline. It needs Features.DynamicRendering (Vulkan 1.3).
func (d *Device) NewGraphicsPipeline(o GraphicsPipelineOptions) (*Pipeline, error) {
	fail := func(err error) error { return fmt.Errorf("graphics pipeline %q: %w", o.Name, err) }
	if !d.enabled.DynamicRendering {
		return nil, fail(fmt.Errorf("%w: dynamicRendering", ErrMissingFeature))
	}
	if len(o.Vertex) < 5 || len(o.Fragment) < 5 || o.Layout == nil {
		return nil, fail(fmt.Errorf("%w: Vertex, Fragment or Layout is missing", ErrInvalid))
	}
	stages, err := o.stages(d)
	if err != nil {
		return nil, fail(err)
	}
	tessellated := len(o.TessellationControl) > 0
	if tessellated != (len(o.TessellationEvaluation) > 0) || tessellated != (o.PatchPoints > 0) {
		return nil, fail(fmt.Errorf("%w: TessellationControl, TessellationEvaluation and PatchPoints go together", ErrInvalid))
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	list := make([]C.evk_graphics_stage, len(stages))
	for i, s := range stages {
		pin.Pin(&s.code[0])
		list[i] = C.evk_graphics_stage{stage: C.uint32_t(s.stage), code: (*C.uint32_t)(&s.code[0]), words: C.size_t(len(s.code))}
	}
	var h C.evk_handle
	err = listen(func() error {
		h = C.evk_create_graphics_pipeline(d.c, &list[0], C.uint32_t(len(list)), C.uint32_t(o.PatchPoints), raw(o.Layout.handle),
			C.uint32_t(o.Format))
		return check("vkCreateGraphicsPipelines", h.result)
	})
	if err != nil {
		return nil, fail(err)
	}
	p := &Pipeline{d: d, handle: fromRaw[vulkan.Pipeline](h.handle), name: o.Name}
	d.born(p, "pipeline", o.Name, objectPipeline, h.handle)
	return p, nil
}

// DrawToImage clears an image in GENERAL layout and draws vertices with a graphics pipeline, with what
// BindDescriptorSets and PushConstants bound before.
func (cb *CommandBuffer) DrawToImage(p *Pipeline, i *Image, clear [4]float32, vertices uint32) {
	if !cb.d.enabled.DynamicRendering {
		cb.Fail(fmt.Errorf("draw to image %q: %w: dynamicRendering", i.o.Name, ErrMissingFeature))
		return
	}
	C.evk_bind_pipeline(cb.d.c, raw(cb.handle), C.VK_PIPELINE_BIND_POINT_GRAPHICS, raw(p.handle))
	color := [4]C.float{C.float(clear[0]), C.float(clear[1]), C.float(clear[2]), C.float(clear[3])}
	C.evk_draw_to_image(cb.d.c, raw(cb.handle), raw(i.view), C.uint32_t(i.o.Width), C.uint32_t(i.o.Height), &color[0],
		C.uint32_t(vertices))
}
