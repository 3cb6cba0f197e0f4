package render

import (
	"context"
	"fmt"
	"image"
	"math"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Screen turns the accumulated image into packed 8-bit pixels on the device, for presenting.
type Screen struct {
	r        *Renderer
	sets     *vk.DescriptorSetLayout
	set      *vk.DescriptorSet
	layout   *vk.PipelineLayout
	pipeline *vk.Pipeline
	pixels   *vk.Buffer
	of       *vk.Buffer // the accumulation that set names
}

// screenTile is the side of tonemap.comp's workgroups.
const screenTile = 8

// NewScreen makes a screen for a Renderer's image; Resize follows before it is used.
func (r *Renderer) NewScreen() (s *Screen, err error) {
	s = &Screen{r: r}
	defer func() {
		if err != nil {
			s.Destroy()
			s = nil
		}
	}()
	dev := r.dev.VK()
	stages := vulkan.ShaderStageFlags(vulkan.ShaderStageComputeBit)
	code, err := shaders.Load("viewer/tonemap.comp")
	if err != nil {
		return s, err
	}
	if s.sets, err = dev.NewDescriptorSetLayout("screen", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: stages},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: stages},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: stages},
	}); err != nil {
		return s, fmt.Errorf("screen: %w", err)
	}
	if s.layout, err = dev.NewPipelineLayout("screen", []*vk.DescriptorSetLayout{s.sets},
		[]vk.PushRange{{Stages: stages, Size: uint32(unsafe.Sizeof(screenPush{}))}}); err != nil {
		return s, fmt.Errorf("screen: %w", err)
	}
	if s.pipeline, err = dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "tonemap", Code: code, Layout: s.layout}); err != nil {
		return s, fmt.Errorf("screen: %w", err)
	}
	return s, nil
}

// Resize follows the Renderer's.
func (s *Screen) Resize() (err error) {
	if s.of != nil && s.of == s.r.accumulation {
		return nil // it holds more than that size
	}
	s.pixels.Destroy()
	s.set.Destroy()
	s.pixels, s.set = nil, nil
	dev := s.r.dev.VK()
	size := s.r.accumulation.Size() / 4
	if s.pixels, err = dev.NewBuffer(vk.BufferOptions{Name: "screen", Size: size, Memory: vk.DeviceLocal}); err != nil {
		return fmt.Errorf("screen of %d x %d pixels: %w", s.r.width, s.r.height, err)
	}
	if s.set, err = dev.NewDescriptorSet(s.sets); err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	s.set.WriteBuffer(0, 0, vulkan.DescriptorTypeStorageBuffer, s.r.accumulation, 0, s.r.accumulation.Size())
	s.set.WriteBuffer(1, 0, vulkan.DescriptorTypeStorageBuffer, s.pixels, 0, size)
	s.set.WriteBuffer(2, 0, vulkan.DescriptorTypeStorageBuffer, s.r.unlit, 0, s.r.unlit.Size())
	s.of = s.r.accumulation
	return nil
}

// Pixels returns the buffer that Update fills: four bytes per pixel, rows from the top.
func (s *Screen) Pixels() *vk.Buffer { return s.pixels }

// Update fills Pixels from the image as it is now; blueFirst is the order of swapchains in BGRA.
func (s *Screen) Update(ctx context.Context, look Look, blueFirst bool) error {
	push := screenPush{
		width: uint32(s.r.width), height: uint32(s.r.height), scale: float32(math.Exp2(float64(look.Exposure))),
		display: look.display(), blueFirst: flag(blueFirst), hasUnlit: flag(s.r.features.has(featureUnlit)),
	}
	tiles := func(n int) uint32 { return uint32((n + screenTile - 1) / screenTile) }
	err := s.r.dev.VK().Run(ctx, "tonemap", func(cb *vk.CommandBuffer) error {
		s.r.dev.CmdBarrier(cb)
		cb.BindComputePipeline(s.pipeline)
		cb.BindDescriptorSets(vulkan.PipelineBindPointCompute, s.layout, 0, s.set)
		cb.PushConstants(s.layout, vulkan.ShaderStageFlags(vulkan.ShaderStageComputeBit), 0, vk.Bytes(&push))
		cb.Dispatch(tiles(s.r.width), tiles(s.r.height), 1)
		return nil
	})
	if err != nil {
		return fmt.Errorf("tone mapping: %w", err)
	}
	return nil
}

// Read fills an image with what Update made, red first.
func (s *Screen) Read(ctx context.Context) (*image.RGBA, error) {
	img := image.NewRGBA(image.Rect(0, 0, s.r.width, s.r.height))
	if err := s.r.dev.VK().ReadBuffer(ctx, s.pixels, 0, img.Pix); err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	return img, nil
}

// Destroy releases everything. It may be called twice and on nil.
func (s *Screen) Destroy() {
	if s == nil {
		return
	}
	s.pixels.Destroy()
	s.set.Destroy()
	s.pipeline.Destroy()
	s.layout.Destroy()
	s.sets.Destroy()
	s.pixels, s.set = nil, nil
}
