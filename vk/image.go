package vk

// #include "evk.h"
import "C"

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// ImageOptions says what NewImage makes: a 2D color image in device memory.
type ImageOptions struct {
	Name string
	// Kind is what the image is, and its view; the zero value is one of two dimensions.
	Kind          ImageKind
	Width, Height uint32
	Depth         uint32 // of Image3D; 0 = 1
	Layers        uint32 // of arrays; 0 = 1. Cubes have six.
	MipLevels     uint32 // 0 = 1
	Format        vulkan.Format
	Usage         vulkan.ImageUsageFlags
}

// Image is a VkImage with its memory and a view of all of it.
type Image struct {
	life
	d      *Device
	handle vulkan.Image
	view   vulkan.ImageView
	memory allocation
	o      ImageOptions
}

// NewImage makes an image, whose contents and layout are undefined.
func (d *Device) NewImage(o ImageOptions) (*Image, error) {
	o.MipLevels = max(o.MipLevels, 1)
	fail := func(err error) error { return fmt.Errorf("image %q of %dx%d: %w", o.Name, o.Width, o.Height, err) }
	if err := d.usable(); err != nil {
		return nil, fail(err)
	}
	shape, err := o.shape(&d.physical.Limits)
	if err != nil {
		return nil, fail(err)
	}
	var c C.evk_object
	err = listen(func() error {
		c = C.evk_create_image(d.c, shape, C.uint32_t(o.Format), C.uint32_t(o.Usage))
		return check("vkCreateImage", c.result)
	})
	if err != nil {
		return nil, fail(err)
	}
	i := &Image{d: d, handle: fromRaw[vulkan.Image](c.handle), o: o}
	i.memory, err = d.memory.allocate(uint64(c.size), max(uint64(c.alignment), 1), uint32(c.types), DeviceLocal, true)
	if err == nil {
		err = check("vkBindImageMemory", C.evk_bind_image(d.c, c.handle, raw(i.memory.block.memory), C.uint64_t(i.memory.offset)))
	}
	var v C.evk_handle
	if err == nil {
		v = C.evk_create_view(d.c, c.handle, shape, C.uint32_t(o.Format))
		err = check("vkCreateImageView", v.result)
	}
	if err != nil {
		d.destroy(C.VK_OBJECT_TYPE_IMAGE, raw(i.handle))
		d.memory.release(i.memory)
		return nil, fail(err)
	}
	i.view = fromRaw[vulkan.ImageView](v.handle)
	d.born(i, "image", o.Name, objectImage, c.handle)
	d.name(objectImageView, v.handle, o.Name)
	return i, nil
}

// Handle is the VkImage.
func (i *Image) Handle() vulkan.Image { return i.handle }

// View is the VkImageView of all mip levels.
func (i *Image) View() vulkan.ImageView { return i.view }

// Options the image was made with.
func (i *Image) Options() ImageOptions { return i.o }

// Destroy frees the image.
func (i *Image) Destroy() {
	if i == nil || !i.d.dies(i) {
		return
	}
	view, image, memory := raw(i.view), raw(i.handle), i.memory
	i.d.later(func() {
		i.d.destroy(C.VK_OBJECT_TYPE_IMAGE_VIEW, view)
		i.d.destroy(C.VK_OBJECT_TYPE_IMAGE, image)
		i.d.memory.release(memory)
	})
}

// SamplerOptions says what NewSampler makes. The zero value filters nothing and repeats.
type SamplerOptions struct {
	Name                 string
	MagFilter, MinFilter vulkan.Filter
	MipmapMode           vulkan.SamplerMipmapMode
	AddressU, AddressV   vulkan.SamplerAddressMode
	MaxAnisotropy        float32 // <= 1 or without the feature: none; clamped to the device's limit
	MaxLod               float32 // 0 = all levels; negative = the first only
}

// Sampler is a VkSampler.
type Sampler struct {
	life
	d      *Device
	handle vulkan.Sampler
	name   string
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(o SamplerOptions) (*Sampler, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("sampler %q: %w", o.Name, err)
	}
	anisotropy := min(o.MaxAnisotropy, d.physical.Limits.MaxSamplerAnisotropy)
	if !d.enabled.SamplerAnisotropy {
		anisotropy = 0
	}
	lod := o.MaxLod
	switch {
	case lod == 0:
		lod = 1000 // VK_LOD_CLAMP_NONE
	case lod < 0:
		lod = 0
	}
	h := C.evk_create_sampler(d.c, C.uint32_t(o.MagFilter), C.uint32_t(o.MinFilter), C.uint32_t(o.MipmapMode), C.uint32_t(o.AddressU),
		C.uint32_t(o.AddressV), C.float(anisotropy), C.float(lod))
	if err := check("vkCreateSampler", h.result); err != nil {
		return nil, fmt.Errorf("sampler %q: %w", o.Name, err)
	}
	s := &Sampler{d: d, handle: fromRaw[vulkan.Sampler](h.handle), name: o.Name}
	d.born(s, "sampler", o.Name, objectSampler, h.handle)
	return s, nil
}

// Handle is the VkSampler.
func (s *Sampler) Handle() vulkan.Sampler { return s.handle }

// Destroy frees the sampler.
func (s *Sampler) Destroy() {
	if s != nil && s.d.dies(s) {
		s.d.destroyLater(C.VK_OBJECT_TYPE_SAMPLER, raw(s.handle))
	}
}

// ImageRegion is a part of one mip level, and where its texels lie, tightly packed, in a buffer.
type ImageRegion struct {
	BufferOffset        uint64
	Level               uint32
	X, Y, Width, Height uint32
	Z, Depth            uint32 // of images of three dimensions; a depth of 0 is 1
	Layer, Layers       uint32 // of arrays and cubes; 0 layers are 1
}

func (r ImageRegion) c() C.evk_image_copy {
	return C.evk_image_copy{offset: C.uint64_t(r.BufferOffset), level: C.uint32_t(r.Level), width: C.uint32_t(r.Width),
		height: C.uint32_t(r.Height),
		x:      C.uint32_t(r.X), y: C.uint32_t(r.Y), z: C.uint32_t(r.Z), depth: C.uint32_t(r.Depth), layer: C.uint32_t(r.Layer),
		layers: C.uint32_t(r.Layers)}
}

// CopyBufferToImage copies into an image that is in TRANSFER_DST_OPTIMAL or GENERAL layout.
func (cb *CommandBuffer) CopyBufferToImage(src *Buffer, dst vulkan.Image, layout vulkan.ImageLayout, r ImageRegion) {
	C.evk_copy_to_image(cb.d.c, raw(cb.handle), raw(src.handle), raw(dst), C.uint32_t(layout), r.c())
}

// CopyImageToBuffer copies from an image that is in TRANSFER_SRC_OPTIMAL or GENERAL layout.
func (cb *CommandBuffer) CopyImageToBuffer(src vulkan.Image, layout vulkan.ImageLayout, dst *Buffer, r ImageRegion) {
	C.evk_copy_from_image(cb.d.c, raw(cb.handle), raw(src), C.uint32_t(layout), raw(dst.handle), r.c())
}

// BlitSide is one side of a blit: all of an image's first level.
type BlitSide struct {
	Image         vulkan.Image
	Layout        vulkan.ImageLayout
	Width, Height uint32
}

// BlitImage scales and converts src to dst.
func (cb *CommandBuffer) BlitImage(src, dst BlitSide, filter vulkan.Filter) {
	C.evk_blit(cb.d.c, raw(cb.handle), raw(src.Image), C.uint32_t(src.Layout), C.uint32_t(src.Width), C.uint32_t(src.Height),
		raw(dst.Image), C.uint32_t(dst.Layout), C.uint32_t(dst.Width), C.uint32_t(dst.Height), C.uint32_t(filter))
}

// ClearImage fills an image (GENERAL or TRANSFER_DST_OPTIMAL) with a color.
func (cb *CommandBuffer) ClearImage(i vulkan.Image, layout vulkan.ImageLayout, rgba [4]float32) {
	C.evk_clear(cb.d.c, raw(cb.handle), raw(i), C.uint32_t(layout), C.float(rgba[0]), C.float(rgba[1]), C.float(rgba[2]),
		C.float(rgba[3]))
}

// ImageBarrier changes the layout of a whole image.
func (cb *CommandBuffer) ImageBarrier(i vulkan.Image, from, to vulkan.ImageLayout, srcStage, srcAccess, dstStage,
	dstAccess uint64) {
	C.evk_image_barrier(cb.d.c, raw(cb.handle), raw(i), C.uint32_t(from), C.uint32_t(to), C.uint64_t(srcStage), C.uint64_t(srcAccess),
		C.uint64_t(dstStage), C.uint64_t(dstAccess))
}

// UploadImage writes every mip level, tightly packed texels, of all its layers one behind the other, and leaves the image in
// SHADER_READ_ONLY_OPTIMAL layout.
func (d *Device) UploadImage(ctx context.Context, i *Image, levels [][]byte) error {
	if len(levels) != int(i.o.MipLevels) {
		return fmt.Errorf("upload to image %q: %w: %d levels given, it has %d", i.o.Name, ErrInvalid, len(levels), i.o.MipLevels)
	}
	return d.Run(ctx, "upload "+i.o.Name, func(cb *CommandBuffer) error {
		const dst, read = vulkan.ImageLayoutTransferDstOptimal, vulkan.ImageLayoutShaderReadOnlyOptimal
		cb.ImageBarrier(i.handle, vulkan.ImageLayoutUndefined, dst, StageNone, AccessNone, StageTransfer, AccessTransferWrite)
		for k, data := range levels {
			if len(data) == 0 {
				return fmt.Errorf("%w: level %d is empty", ErrInvalid, k)
			}
			s, err := cb.Transient(Upload, uint64(len(data)), 16)
			if err != nil {
				return err
			}
			copy(s.Mapped(), data)
			cb.CopyBufferToImage(s.Buffer, i.handle, dst, ImageRegion{BufferOffset: s.Offset, Level: uint32(k),
				Width: max(i.o.Width>>k, 1), Height: max(i.o.Height>>k, 1), Depth: max(i.o.Depth>>k, 1), Layers: i.o.Layers})
		}
		cb.ImageBarrier(i.handle, dst, read, StageTransfer, AccessTransferWrite, StageAllCommands, AccessMemoryRead)
		return nil
	})
}
