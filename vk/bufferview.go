package vk

// #include "evk.h"
import "C"

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// BufferViewOptions of NewBufferView.
type BufferViewOptions struct {
	Name   string
	Buffer *Buffer // made with the usage of a uniform or storage texel buffer
	Format vulkan.Format
	// Offset is a multiple of Limits.MinTexelBufferOffsetAlignment. Size 0 is all that follows.
	Offset, Size uint64
}

// BufferView is a VkBufferView: a buffer as texels.
type BufferView struct {
	life
	d      *Device
	handle vulkan.BufferView
	o      BufferViewOptions
}

// Format feature bits of texel buffers.
const (
	featureUniformTexel = 0x8
	featureStorageTexel = 0x10
)

// NewBufferView makes a view. The buffer must outlive it.
func (d *Device) NewBufferView(o BufferViewOptions) (*BufferView, error) {
	fail := func(err error) (*BufferView, error) { return nil, fmt.Errorf("buffer view %q: %w", o.Name, err) }
	if err := d.usable(); err != nil {
		return fail(err)
	}
	if o.Buffer == nil {
		return fail(fmt.Errorf("%w: Buffer is nil", ErrInvalid))
	}
	if err := d.Owns(o.Buffer); err != nil {
		return fail(err)
	}
	const uniform, storage = 0x4, 0x8
	features := d.physical.BufferFormatFeatures(o.Format)
	if o.Buffer.usage&uniform != 0 && features&featureUniformTexel == 0 || o.Buffer.usage&storage != 0 &&
		features&featureStorageTexel == 0 {
		return fail(fmt.Errorf("%w: texels of format %d in a buffer", ErrMissingFeature, o.Format))
	}
	alignment := d.physical.Limits.MinTexelBufferOffsetAlignment
	switch {
	case o.Buffer.usage&(uniform|storage) == 0:
		return fail(fmt.Errorf("%w: buffer %q was made without the usage of a texel buffer", ErrInvalid, o.Buffer.name))
	case o.Offset >= o.Buffer.size || o.Size > o.Buffer.size-o.Offset:
		return fail(fmt.Errorf("%w: bytes %d+%d of buffer %q, which has %d", ErrInvalid, o.Offset, o.Size, o.Buffer.name, o.Buffer.size))
	case alignment > 0 && o.Offset%alignment != 0:
		return fail(fmt.Errorf("%w: Offset %d is not a multiple of %d", ErrInvalid, o.Offset, alignment))
	}
	if o.Size == 0 {
		o.Size = o.Buffer.size - o.Offset
	}
	if texel, most := TexelSize(o.Format), uint64(d.physical.Limits.MaxTexelBufferElements); texel > 0 && o.Size/texel > most {
		return fail(fmt.Errorf("%w: %d texels, the device has %d at most", ErrInvalid, o.Size/texel, most))
	}
	h := C.evk_create_buffer_view(d.c, raw(o.Buffer.handle), C.uint32_t(o.Format), C.uint64_t(o.Offset), C.uint64_t(o.Size))
	if err := check("vkCreateBufferView", h.result); err != nil {
		return fail(err)
	}
	v := &BufferView{d: d, handle: fromRaw[vulkan.BufferView](h.handle), o: o}
	d.born(v, "buffer view", o.Name, objectBufferView, h.handle)
	return v, nil
}

// Handle is the VkBufferView.
func (v *BufferView) Handle() vulkan.BufferView { return v.handle }

// Options the view was made with, the size filled in.
func (v *BufferView) Options() BufferViewOptions { return v.o }

// Device is the view's device.
func (v *BufferView) Device() *Device { return v.d }

// Name as given.
func (v *BufferView) Name() string { return v.o.Name }

// Destroy frees the view.
func (v *BufferView) Destroy() {
	if v != nil && v.d.dies(v) {
		v.d.destroyLater(C.VK_OBJECT_TYPE_BUFFER_VIEW, raw(v.handle))
	}
}
