package render

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// textures are the scene's images and samplers on the device. There is always at least one, since an array of descriptors
// cannot be empty.
type textures struct {
	images   []*vk.Image
	samplers map[assets.Sampler]*vk.Sampler
	uses     []assets.Texture
}

func uploadTextures(ctx context.Context, dev *engine.Device, scene *assets.Scene) (t *textures, err error) {
	t = &textures{samplers: map[assets.Sampler]*vk.Sampler{}, uses: scene.Textures}
	defer func() {
		if err != nil {
			t.destroy()
			t = nil
		}
	}()
	images := scene.Images
	if len(t.uses) == 0 {
		images = []assets.Image{{Name: "none", Width: 1, Height: 1, Pixels: []byte{255, 255, 255, 255}}}
		t.uses = []assets.Texture{{}}
	}
	for i := range images {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		image, err := uploadImage(ctx, dev.VK(), &images[i])
		if err != nil {
			return t, fmt.Errorf("image %d (%s): %w", i, images[i].Name, err)
		}
		t.images = append(t.images, image)
	}
	for _, use := range t.uses {
		if t.samplers[use.Sampler] != nil {
			continue
		}
		if t.samplers[use.Sampler], err = dev.VK().NewSampler(samplerOptions(use.Sampler)); err != nil {
			return t, fmt.Errorf("sampler: %w", err)
		}
	}
	return t, nil
}

func uploadImage(ctx context.Context, dev *vk.Device, image *assets.Image) (*vk.Image, error) {
	format := vulkan.FormatR8g8b8a8Unorm
	if image.SRGB {
		format = vulkan.FormatR8g8b8a8Srgb
	}
	levels := image.MipLevels()
	out, err := dev.NewImage(vk.ImageOptions{
		Name: image.Name, Width: uint32(image.Width), Height: uint32(image.Height),
		MipLevels: uint32(len(levels)), Format: format,
		Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageSampledBit | vulkan.ImageUsageTransferDstBit),
	})
	if err != nil {
		return nil, err
	}
	if err := dev.UploadImage(ctx, out, levels); err != nil {
		out.Destroy()
		return nil, err
	}
	return out, nil
}

// textureCount is how many descriptors a scene's textures take.
func textureCount(scene *assets.Scene) int { return max(len(scene.Textures), 1) }

func (t *textures) write(set *engine.DescriptorSet, binding uint32) {
	for i, use := range t.uses {
		set.WriteImage(binding, uint32(i), t.images[use.Image], t.samplers[use.Sampler], vulkan.ImageLayoutShaderReadOnlyOptimal)
	}
}

func (t *textures) destroy() {
	if t == nil {
		return
	}
	for _, s := range t.samplers {
		s.Destroy()
	}
	for _, i := range t.images {
		i.Destroy()
	}
	t.samplers, t.images = nil, nil
}

// samplerOptions translates glTF's filters and wrapping.
func samplerOptions(s assets.Sampler) vk.SamplerOptions {
	o := vk.SamplerOptions{
		Name:       "texture",
		MagFilter:  filter(s.Mag),
		MinFilter:  filter(s.Min),
		MipmapMode: vulkan.SamplerMipmapModeLinear,
		AddressU:   addressMode(s.WrapS),
		AddressV:   addressMode(s.WrapT),
	}
	if s.Mip == assets.FilterNearest {
		o.MipmapMode = vulkan.SamplerMipmapModeNearest
	}
	if s.NoMips {
		o.MaxLod = -1
	}
	return o
}

func filter(f assets.Filter) vulkan.Filter {
	if f == assets.FilterNearest {
		return vulkan.FilterNearest
	}
	return vulkan.FilterLinear
}

func addressMode(w assets.Wrap) vulkan.SamplerAddressMode {
	switch w {
	case assets.WrapClampToEdge:
		return vulkan.SamplerAddressModeClampToEdge
	case assets.WrapMirroredRepeat:
		return vulkan.SamplerAddressModeMirroredRepeat
	}
	return vulkan.SamplerAddressModeRepeat
}
