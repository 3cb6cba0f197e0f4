package vk

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// texelSizes are the bytes of a texel of the plain colour formats of Vulkan 1.0, in ranges of their numbers.
var texelSizes = []struct {
	first, last vulkan.Format
	bytes       uint64
}{
	{1, 1, 1}, {2, 8, 2}, {9, 15, 1}, {16, 22, 2}, {23, 36, 3}, {37, 69, 4}, {70, 76, 2}, {77, 83, 4}, {84, 90, 6}, {91, 97, 8},
	{98, 100, 4}, {101, 103, 8}, {104, 106, 12}, {107, 109, 16}, {110, 112, 8}, {113, 115, 16}, {116, 118, 24}, {119, 121, 32},
	{122, 123, 4},
}

// TexelSize is the bytes of a texel of a plain colour format, 0 of compressed, depth and later formats.
func TexelSize(f vulkan.Format) uint64 {
	for _, r := range texelSizes {
		if r.first <= f && f <= r.last {
			return r.bytes
		}
	}
	return 0
}

const imageTransferSrc = 0x1

// ReadImage reads the first level of an image of a plain colour format, tightly packed rows, slices and layers, after all work
// on it was waited
// for. The image is in layout, GENERAL or TRANSFER_SRC_OPTIMAL, and stays in it; it was made with the usage TRANSFER_SRC.
func (d *Device) ReadImage(ctx context.Context, i *Image, layout vulkan.ImageLayout) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return nil, fmt.Errorf("read image %q: %w", i.o.Name, err) }
	if err := d.usable(); err != nil {
		return fail(err)
	}
	if err := d.Owns(i); err != nil {
		return fail(err)
	}
	texel := TexelSize(i.o.Format)
	switch {
	case texel == 0:
		return fail(fmt.Errorf("%w: format %d is no plain colour format", ErrInvalid, i.o.Format))
	case uint32(i.o.Usage)&imageTransferSrc == 0:
		return fail(fmt.Errorf("%w: it was made without the usage TRANSFER_SRC", ErrInvalid))
	case layout != vulkan.ImageLayoutGeneral && layout != vulkan.ImageLayoutTransferSrcOptimal:
		return fail(fmt.Errorf("%w: layout %d, want GENERAL or TRANSFER_SRC_OPTIMAL", ErrInvalid, layout))
	}
	size := texel * uint64(i.o.Width) * uint64(i.o.Height) * uint64(i.o.Depth) * uint64(i.o.Layers)
	b, err := d.NewBuffer(BufferOptions{Name: "texels of " + i.o.Name, Size: size, Usage: usageTransferDst, Memory: Readback})
	if err != nil {
		return fail(err)
	}
	defer b.Destroy()
	err = d.Run(ctx, "read "+i.o.Name, func(cb *CommandBuffer) error {
		cb.ImageBarrier(i.handle, layout, layout, StageAllCommands, AccessMemoryWrite, StageTransfer, AccessTransferRead)
		cb.CopyImageToBuffer(i.handle, layout, b, ImageRegion{Width: i.o.Width, Height: i.o.Height, Depth: i.o.Depth, Layers: i.o.Layers})
		return nil
	})
	if err != nil {
		return fail(err)
	}
	return append([]byte(nil), b.Mapped()...), nil
}
