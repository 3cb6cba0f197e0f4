package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// The images of the example, two texels a side, and what their texels count by: x, then y, then the slice or layer.
var imagesOfKinds = []struct {
	vk.ImageOptions
	x, y, z float32
}{
	{vk.ImageOptions{Name: "line", Kind: vk.Image1D, Width: 2, Height: 1}, 1, 0, 0},
	{vk.ImageOptions{Name: "lines", Kind: vk.Image1DArray, Width: 2, Height: 1, Layers: 2}, 10, 0, 20},
	{vk.ImageOptions{Name: "pictures", Kind: vk.Image2DArray, Width: 2, Height: 2, Layers: 2}, 100, 200, 400},
	{vk.ImageOptions{Name: "volume", Kind: vk.Image3D, Width: 2, Height: 2, Depth: 2}, 1000, 2000, 4000},
	{vk.ImageOptions{Name: "cube", Kind: vk.ImageCube, Width: 2, Height: 2}, 0, 0, 10000},
}

// addUp runs shaders/example/images.rgen over images of all kinds, and returns the 2 x 2 x 2 texels of its result.
func addUp(ctx context.Context, d *engine.Device) (sums []float32, err error) {
	var destroy []interface{ Destroy() }
	defer func() {
		for i := len(destroy) - 1; i >= 0; i-- {
			destroy[i].Destroy()
		}
	}()
	sampler, err := d.VK().NewSampler(vk.SamplerOptions{Name: "nearest"})
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, sampler)
	bindings := make([]vk.DescriptorBinding, 6)
	for i := range bindings {
		bindings[i] = vk.DescriptorBinding{Binding: uint32(i), Type: vulkan.DescriptorTypeCombinedImageSampler}
	}
	bindings[5].Type = vulkan.DescriptorTypeStorageImage
	layout, err := d.NewDescriptorSetLayout("images", bindings)
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, layout)
	set, err := d.NewDescriptorSet(layout)
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, set)
	for i, x := range imagesOfKinds {
		o := x.ImageOptions
		o.Format = vulkan.FormatR32Sfloat
		o.Usage = vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit)
		image, err := d.VK().NewImage(o)
		if err != nil {
			return nil, err
		}
		destroy = append(destroy, image)
		o = image.Options() // with what was left out
		var texels []byte
		for z := range o.Depth * o.Layers {
			for y := range o.Height {
				for n := range o.Width {
					texels = binary.LittleEndian.AppendUint32(texels, math.Float32bits(x.x*float32(n)+x.y*float32(y)+x.z*float32(z)))
				}
			}
		}
		if err := d.VK().UploadImage(ctx, image, [][]byte{texels}); err != nil {
			return nil, err
		}
		set.WriteImage(uint32(i), 0, image, sampler, vulkan.ImageLayoutShaderReadOnlyOptimal)
	}
	result, err := d.VK().NewImage(vk.ImageOptions{Name: "result", Kind: vk.Image3D, Width: 2, Height: 2, Depth: 2,
		Format: vulkan.FormatR32Sfloat, Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageStorageBit | vulkan.ImageUsageTransferSrcBit)})
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, result)
	set.WriteImage(5, 0, result, nil, vulkan.ImageLayoutGeneral)
	code, err := shaders.Load("example/images.rgen")
	if err != nil {
		return nil, err
	}
	pipeline, err := d.NewRayTracingPipeline(ctx, engine.PipelineOptions{Name: "images",
		Stages: []engine.Stage{{Kind: engine.Raygen, Code: code}}, Groups: []engine.Group{engine.GeneralGroup(0)},
		SetLayouts: []*engine.DescriptorSetLayout{layout}})
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, pipeline)
	table, err := d.NewTable(ctx, pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
	if err != nil {
		return nil, err
	}
	destroy = append(destroy, table)
	err = d.Run(ctx, "add up", func(cb *vk.CommandBuffer) error {
		cb.ImageBarrier(result.Handle(), vulkan.ImageLayoutUndefined, vulkan.ImageLayoutGeneral, vk.StageNone, vk.AccessNone,
			vk.StageAllCommands, vk.AccessMemoryWrite)
		defer cb.ImageBarrier(result.Handle(), vulkan.ImageLayoutGeneral, vulkan.ImageLayoutTransferSrcOptimal, vk.StageAllCommands,
			vk.AccessMemoryWrite, vk.StageAllCommands, vk.AccessMemoryRead)
		return d.CmdTraceRays(cb, engine.TraceOptions{Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set},
			Width: 2, Height: 2, Depth: 2})
	})
	if err != nil {
		return nil, err
	}
	data, err := d.ReadImage(ctx, result, vulkan.ImageLayoutTransferSrcOptimal)
	for i := 0; i+4 <= len(data); i += 4 {
		sums = append(sums, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
	}
	return sums, err
}

// Images of one and three dimensions, arrays and a cube.
func ExampleDevice_ReadImage() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	fmt.Println(must(addUp(ctx, dev)))
	// Output:
	// [0 1111 2200 3311 14420 15531 16620 17731]
}

// TestImageKinds runs the example in both ways, and refuses sizes that a kind cannot have.
func TestImageKinds(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		sums, err := addUp(t.Context(), d)
		check(t, err)
		for i, got := range sums {
			x, y, z := i&1, i>>1&1, i>>2
			if want := float32(1111*x + 2200*y + 14420*z); got != want {
				t.Errorf("texel %d,%d,%d is %g, want %g", x, y, z, got, want)
			}
		}
		for name, o := range map[string]vk.ImageOptions{
			"no height":             {Kind: vk.Image1D, Width: 4},
			"a line of two rows":    {Kind: vk.Image1D, Width: 4, Height: 2},
			"a picture of slices":   {Width: 4, Height: 4, Depth: 2},
			"a picture of layers":   {Width: 4, Height: 4, Layers: 2},
			"a volume of layers":    {Kind: vk.Image3D, Width: 4, Height: 4, Layers: 2},
			"a cube of five faces":  {Kind: vk.ImageCube, Width: 4, Height: 4, Layers: 5},
			"a cube that is none":   {Kind: vk.ImageCube, Width: 4, Height: 2},
			"a kind that is none":   {Kind: 99, Width: 4, Height: 4},
			"a volume that is huge": {Kind: vk.Image3D, Width: 1 << 20, Height: 4, Depth: 1},
		} {
			o.Format, o.Usage = vulkan.FormatR32Sfloat, vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit)
			if _, err := d.VK().NewImage(o); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
