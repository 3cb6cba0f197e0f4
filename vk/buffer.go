package vk

// #include "evk.h"
import "C"

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// Buffer usage bits.
const (
	usageTransferSrc  = 0x1
	usageTransferDst  = 0x2
	usageStorage      = 0x20
	usageIndirect     = 0x100
	usageBindingTable = 0x400
	usageAddress      = 0x20000
	usageAccelInput   = 0x80000
	usageAccelStorage = 0x100000

	defaultUsage = usageStorage | usageTransferSrc | usageTransferDst | usageIndirect
)

// BufferOptions says what NewBuffer makes.
type BufferOptions struct {
	Name  string
	Size  uint64                  // > 0
	Usage vulkan.BufferUsageFlags // 0 = storage, indirect, transfer; a device address is always added
	// Memory decides whether the CPU sees the buffer.
	Memory MemoryKind
	// Alignment of the address, a power of two; at least 256 is always given.
	Alignment uint64
	// These are added only where the driver's ray tracing is enabled, so that callers need not know.
	AccelerationStructureStorage, ShaderBindingTable, AccelerationStructureInput bool
}

// Buffer is a VkBuffer with its memory.
type Buffer struct {
	life
	d       *Device
	handle  vulkan.Buffer
	memory  allocation
	size    uint64
	address uint64
	usage   vulkan.BufferUsageFlags
	name    string
}

// NewBuffer makes a buffer. Running out of memory gives ErrOutOfDeviceMemory with the sizes.
func (d *Device) NewBuffer(o BufferOptions) (*Buffer, error) {
	fail := func(err error) error {
		return fmt.Errorf("buffer %q of %d bytes (%s): %w", o.Name, o.Size, o.Memory, err)
	}
	if err := d.usable(); err != nil {
		return nil, fail(err)
	}
	if o.Size == 0 {
		return nil, fail(fmt.Errorf("%w: size 0", ErrInvalid))
	}
	align := max(o.Alignment, minAlignment)
	if o.Alignment&(o.Alignment-1) != 0 { // 0 passes
		return nil, fail(fmt.Errorf("%w: alignment %d is no power of two", ErrInvalid, o.Alignment))
	}
	// A size near 2^64 would wrap inside drivers; no heap is that large.
	if o.Size > d.largestHeap() {
		return nil, fail(fmt.Errorf("%w: the largest heap has %d bytes", ErrOutOfDeviceMemory, d.largestHeap()))
	}
	if most := d.physical.Limits.MaxBufferSize; o.Size > most {
		return nil, fail(fmt.Errorf("%w: the device's largest buffer has %d bytes (split it)", ErrOutOfDeviceMemory, most))
	}
	usage := uint32(o.Usage)
	if usage == 0 {
		usage = defaultUsage
	}
	usage |= usageAddress
	if d.native {
		for _, u := range []struct {
			on  bool
			bit uint32
		}{{o.AccelerationStructureStorage, usageAccelStorage}, {o.ShaderBindingTable, usageBindingTable},
			{o.AccelerationStructureInput, usageAccelInput}} {
			if u.on {
				usage |= u.bit
			}
		}
	}
	c := C.evk_create_buffer(d.c, C.uint64_t(o.Size), C.uint32_t(usage))
	if err := check("vkCreateBuffer", c.result); err != nil {
		return nil, fail(err)
	}
	b := &Buffer{d: d, handle: fromRaw[vulkan.Buffer](c.handle), size: o.Size, usage: vulkan.BufferUsageFlags(usage), name: o.Name}
	var err error
	b.memory, err = d.memory.allocateFor(o, uint64(c.handle), uint64(c.size), max(align, uint64(c.alignment)), uint32(c.types))
	if err == nil {
		err = check("vkBindBufferMemory", C.evk_bind_buffer(d.c, c.handle, raw(b.memory.block.memory), C.uint64_t(b.memory.offset)))
	}
	if err != nil {
		d.destroy(C.VK_OBJECT_TYPE_BUFFER, raw(b.handle))
		d.memory.release(b.memory)
		return nil, fail(err)
	}
	b.address = uint64(C.evk_buffer_address(d.c, c.handle))
	d.born(b, "buffer", o.Name, objectBuffer, c.handle)
	return b, nil
}

func (d *Device) largestHeap() uint64 {
	var n uint64
	for _, h := range d.physical.Heaps {
		n = max(n, h.Size)
	}
	return n
}

// Handle is the VkBuffer.
func (b *Buffer) Handle() vulkan.Buffer { return b.handle }

// Address is the device address of the first byte.
func (b *Buffer) Address() uint64 { return b.address }

// Size in bytes, as asked for.
func (b *Buffer) Size() uint64 { return b.size }

// Usage is what the buffer was made for, defaults filled in.
func (b *Buffer) Usage() vulkan.BufferUsageFlags { return b.usage }

// Name as given.
func (b *Buffer) Name() string { return b.name }

// Mapped is the buffer's memory, nil for a DeviceLocal buffer that the CPU does not see. It ends with Destroy.
func (b *Buffer) Mapped() []byte { return b.memory.bytes(b.size) }

// Destroy frees the buffer.
func (b *Buffer) Destroy() {
	if b == nil || !b.d.dies(b) {
		return
	}
	handle, memory := raw(b.handle), b.memory
	b.d.later(func() {
		b.d.destroy(C.VK_OBJECT_TYPE_BUFFER, handle)
		b.d.memory.release(memory)
	})
	b.memory = allocation{}
}

// stagingChunk bounds the staging memory of one transfer.
const stagingChunk = 32 << 20

// checkRange refuses a range outside the buffer.
func (b *Buffer) checkRange(op string, off uint64, n int) error {
	if off > b.size || uint64(n) > b.size-off {
		return fmt.Errorf("%s buffer %q: %w: bytes [%d, %d) of %d", op, b.name, ErrInvalid, off, off+uint64(n), b.size)
	}
	return nil
}

// transferable refuses a buffer that is none of the device's living ones.
func (d *Device) transferable(op string, b *Buffer) error {
	err := d.usable()
	switch {
	case err != nil:
	case b == nil:
		err = fmt.Errorf("%w: it is nil", ErrInvalid)
	default:
		err = d.Owns(b)
	}
	if err != nil {
		return fmt.Errorf("%s buffer: %w", op, err)
	}
	return nil
}

// UploadBuffer writes data to dst and returns when it is there. Earlier GPU work on dst must have been waited for.
func (d *Device) UploadBuffer(ctx context.Context, dst *Buffer, off uint64, data []byte) error {
	if err := d.transferable("upload to", dst); err != nil {
		return err
	}
	if err := dst.checkRange("upload to", off, len(data)); err != nil {
		return err
	}
	if err := d.begin(ctx); err != nil {
		return fmt.Errorf("upload to buffer %q: %w", dst.name, err)
	}
	if m := dst.Mapped(); m != nil {
		copy(m[off:], data)
		return nil
	}
	return d.staged(ctx, "upload "+dst.name, Upload, len(data), func(cb *CommandBuffer, s *Buffer, at, n uint64) error {
		copy(s.Mapped(), data[at:at+n])
		cb.CopyBuffer(s, 0, dst, off+at, n)
		return nil
	}, nil)
}

// ReadBuffer reads from src, whose contents all waited-for GPU work has written.
func (d *Device) ReadBuffer(ctx context.Context, src *Buffer, off uint64, dst []byte) error {
	if err := d.transferable("read from", src); err != nil {
		return err
	}
	if err := src.checkRange("read from", off, len(dst)); err != nil {
		return err
	}
	if err := d.begin(ctx); err != nil {
		return fmt.Errorf("read from buffer %q: %w", src.name, err)
	}
	if m := src.Mapped(); m != nil {
		copy(dst, m[off:])
		return nil
	}
	return d.staged(ctx, "read "+src.name, Readback, len(dst), func(cb *CommandBuffer, s *Buffer, at, n uint64) error {
		cb.MemoryBarrier(StageAllCommands, AccessMemoryWrite, StageTransfer, AccessTransferRead)
		cb.CopyBuffer(src, off+at, s, 0, n)
		return nil
	}, func(s *Buffer, at, n uint64) { copy(dst[at:at+n], s.Mapped()) })
}

// staged moves n bytes through a staging buffer, chunk by chunk.
func (d *Device) staged(ctx context.Context, name string, kind MemoryKind, n int,
	record func(cb *CommandBuffer, s *Buffer, at, n uint64) error,
	after func(s *Buffer, at, n uint64)) error {
	if n == 0 {
		return ctx.Err()
	}
	s, err := d.NewBuffer(BufferOptions{Name: "staging for " + name, Size: uint64(min(n, stagingChunk)),
		Usage: usageTransferSrc | usageTransferDst, Memory: kind})
	if err != nil {
		return err
	}
	defer s.Destroy()
	for at := uint64(0); at < uint64(n); at += stagingChunk {
		part := min(uint64(n)-at, stagingChunk)
		if err := d.Run(ctx, name, func(cb *CommandBuffer) error { return record(cb, s, at, part) }); err != nil {
			return err
		}
		if after != nil {
			after(s, at, part)
		}
	}
	return nil
}
