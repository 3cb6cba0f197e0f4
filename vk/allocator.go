package vk

// #include "evk.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// MemoryKind says what memory is for; the allocator finds the device's memory type.
type MemoryKind int

// Values of MemoryKind.
const (
	DeviceLocal MemoryKind = iota
	Upload                 // host visible and coherent: the CPU writes, the GPU reads
	Readback               // host visible and coherent, cached where possible: the GPU writes, the CPU reads
	// UploadNear is Upload in the device's own memory, where the CPU reaches some: what all lanes read at once.
	UploadNear
)

// String names the kind.
func (k MemoryKind) String() string {
	return [...]string{"device-local", "upload", "readback", "near upload"}[min(max(k, 0), UploadNear)]
}

// Memory property bits.
const (
	memoryDeviceLocal = 1 << 0
	memoryHostVisible = 1 << 1
	memoryCoherent    = 1 << 2
	memoryCached      = 1 << 3
	memoryUnusable    = 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 // lazily allocated, protected, AMD and RDMA specials
)

const (
	deviceBlock = 64 << 20
	hostBlock   = 16 << 20
	// minAlignment holds for every buffer: acceleration structures and storage buffer offsets never need more.
	minAlignment = 256
)

// memoryTypeFor chooses among the types that allowed (a bit mask) admits, -1 for none.
func memoryTypeFor(types []MemoryType, allowed uint32, kind MemoryKind) int {
	need, like, dislike := uint32(memoryDeviceLocal), uint32(0), uint32(memoryHostVisible)
	switch kind {
	case Upload:
		need, dislike = memoryHostVisible|memoryCoherent, memoryDeviceLocal|memoryCached
	case UploadNear:
		need, like, dislike = memoryHostVisible|memoryCoherent, memoryDeviceLocal, memoryCached
	case Readback:
		need, like, dislike = memoryHostVisible|memoryCoherent, memoryCached, memoryDeviceLocal
	}
	best, score := -1, -1000
	for i, t := range types {
		if allowed>>i&1 == 0 || t.Flags&need != need || t.Flags&memoryUnusable != 0 {
			continue
		}
		s := 0
		for b := range 4 {
			bit := uint32(1) << b
			if t.Flags&like&bit != 0 {
				s += 10
			}
			if t.Flags&dislike&bit != 0 {
				s--
			}
		}
		if s > score {
			best, score = i, s
		}
	}
	return best
}

// block is one VkDeviceMemory.
type block struct {
	memory    vulkan.DeviceMemory
	space     *arena
	mapped    unsafe.Pointer
	typ       int
	image     bool // images and buffers never share a block: bufferImageGranularity
	dedicated bool
	alone     bool // the driver knows the buffer that it is for, and it serves no other
}

// allocation is a range of a block.
type allocation struct {
	block        *block
	offset, size uint64
}

func (a allocation) bytes(n uint64) []byte {
	if a.block == nil || a.block.mapped == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(a.block.mapped, a.offset)), n)
}

// allocator sub-allocates device memory. Large requests get a block of their own.
type allocator struct {
	d      *Device
	mu     sync.Mutex
	blocks []*block
	bytes  []uint64 // allocated from the driver, by heap

	aloneAbove uint64 // bytes of structures that have memory alone; 0: none have
}

// MemoryUse is what a device has allocated.
type MemoryUse struct {
	Blocks    int
	Allocated uint64 // taken from the driver
	Used      uint64 // handed out
}

// MemoryUse reports the state of the allocator.
func (d *Device) MemoryUse() MemoryUse {
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	var u MemoryUse
	for _, b := range d.memory.blocks {
		u.Blocks++
		u.Allocated += b.space.size
		u.Used += b.space.used
	}
	return u
}

// allocate finds or makes room for size bytes, if need be by freeing what was destroyed while the GPU was using it.
func (a *allocator) allocate(size, align uint64, types uint32, kind MemoryKind, image bool) (allocation, error) {
	x, err := a.tryAllocate(size, align, types, kind, image)
	if errors.Is(err, ErrOutOfDeviceMemory) && a.d.hasDeferred() {
		a.d.reap()
		return a.tryAllocate(size, align, types, kind, image)
	}
	return x, err
}

func (a *allocator) tryAllocate(size, align uint64, types uint32, kind MemoryKind, image bool) (allocation, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	typ := memoryTypeFor(a.d.physical.MemoryTypes, types, kind)
	if typ < 0 {
		return allocation{}, fmt.Errorf("%w: no %s memory type for this use (types %#x)", ErrMissingFeature, kind, types)
	}
	heap := a.d.physical.MemoryTypes[typ].Heap
	blockSize := uint64(deviceBlock)
	if kind != DeviceLocal {
		blockSize = hostBlock
	}
	blockSize = min(blockSize, max(a.d.physical.Heaps[heap].Size/16, 1<<20))
	dedicated := size > blockSize/2
	if !dedicated {
		for _, b := range a.blocks {
			if b.typ != typ || b.image != image || b.dedicated {
				continue
			}
			if off, ok := b.space.take(size, align); ok {
				return allocation{b, off, size}, nil
			}
		}
	} else {
		blockSize = size
	}
	if dedicated {
		if x, ok := a.takeSpare(size, align, typ, image); ok {
			return x, nil
		}
	}
	b, err := a.newBlock(blockSize, typ, image, dedicated, align, 0)
	if errors.Is(err, ErrOutOfDeviceMemory) && a.dropSpares() {
		b, err = a.newBlock(blockSize, typ, image, dedicated, align, 0)
	}
	if err != nil && !dedicated && errors.Is(err, ErrOutOfDeviceMemory) {
		// A whole block no longer fits, the request itself may.
		b, err = a.newBlock(size, typ, image, true, align, 0)
	}
	if err != nil {
		return allocation{}, err
	}
	off, ok := b.space.take(size, align)
	if !ok {
		a.dropBlock(b)
		return allocation{}, fmt.Errorf("%w: a new block of %d bytes holds no %d bytes aligned to %d", ErrNoSpace, b.space.size, size,
			align)
	}
	return allocation{b, off, size}, nil
}

// newBlock takes memory from the driver, if buffer is not 0 for that one alone.
func (a *allocator) newBlock(size uint64, typ int, image, dedicated bool, align, buffer uint64) (*block, error) {
	p := a.d.physical
	heap := p.MemoryTypes[typ].Heap
	fail := func(err error) error {
		return fmt.Errorf("%d bytes from heap %d (%d bytes, %d in use by this device): %w", size, heap, p.Heaps[heap].Size, a.bytes[heap],
			err)
	}
	if size > p.Heaps[heap].Size {
		return nil, fail(ErrOutOfDeviceMemory)
	}
	if len(a.blocks)+1 > int(min(p.Limits.MaxMemoryAllocationCount, 1<<30)) {
		return nil, fail(fmt.Errorf("%w: %d allocations are the device's limit", ErrOutOfDeviceMemory, len(a.blocks)))
	}
	b, err := a.tryBlock(size, typ, image, buffer)
	if err != nil {
		return nil, fail(err)
	}
	// Only the driver knows how a block's address is aligned; a block of its own may need some slack.
	if dedicated && b.space.base&(align-1) != 0 {
		a.freeBlock(b)
		size += align
		if b, err = a.tryBlock(size, typ, image, buffer); err != nil {
			return nil, fail(err)
		}
	}
	b.dedicated = dedicated
	a.blocks = append(a.blocks, b)
	a.bytes[heap] += size
	return b, nil
}

// tryBlock allocates and maps, and finds the block's device address: 0 of one for a buffer alone.
func (a *allocator) tryBlock(size uint64, typ int, image bool, buffer uint64) (*block, error) {
	c := a.d.c
	h := C.evk_allocate(c, C.uint64_t(size), C.uint32_t(typ), cbool(!image), C.uint64_t(buffer))
	if err := check("vkAllocateMemory", h.result); err != nil {
		return nil, err
	}
	b := &block{memory: fromRaw[vulkan.DeviceMemory](h.handle), typ: typ, image: image, alone: buffer != 0}
	if a.d.physical.MemoryTypes[typ].Flags&memoryHostVisible != 0 {
		m := C.evk_map(c, h.handle)
		if err := check("vkMapMemory", m.result); err != nil {
			a.freeBlock(b)
			return nil, err
		}
		b.mapped = *(*unsafe.Pointer)(unsafe.Pointer(&m.handle))
	}
	var base uint64
	if !image && !b.alone {
		var err error
		if base, err = a.blockAddress(h.handle); err != nil {
			a.freeBlock(b)
			return nil, err
		}
	}
	b.space = newArena(base, size)
	a.d.name(objectDeviceMemory, h.handle, fmt.Sprintf("block of %d bytes, type %d", size, typ))
	return b, nil
}

// blockAddress asks for the address of a buffer bound at the start of the memory.
func (a *allocator) blockAddress(memory C.uint64_t) (uint64, error) {
	o := C.evk_create_buffer(a.d.c, 4, C.uint32_t(defaultUsage|usageAddress))
	if err := check("vkCreateBuffer", o.result); err != nil {
		return 0, err
	}
	defer a.d.destroy(C.VK_OBJECT_TYPE_BUFFER, o.handle)
	if err := check("vkBindBufferMemory", C.evk_bind_buffer(a.d.c, o.handle, memory, 0)); err != nil {
		return 0, err
	}
	return uint64(C.evk_buffer_address(a.d.c, o.handle)), nil
}

func (a *allocator) freeBlock(b *block) { a.d.destroy(C.VK_OBJECT_TYPE_DEVICE_MEMORY, raw(b.memory)) }

func (a *allocator) dropBlock(b *block) {
	for i, x := range a.blocks {
		if x == b {
			a.blocks = append(a.blocks[:i], a.blocks[i+1:]...)
			break
		}
	}
	a.bytes[a.d.physical.MemoryTypes[b.typ].Heap] -= b.space.size
	a.freeBlock(b)
}

// release gives a range back; a block that became empty goes, unless it is the only one of its sort.
func (a *allocator) release(x allocation) {
	if x.block == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x.block.space.give(x.offset, x.size)
	if x.block.space.used > 0 {
		return
	}
	if x.block.dedicated {
		if a.keepSpare(x.block) {
			return
		}
	} else {
		alike := 0
		for _, b := range a.blocks {
			if b.typ == x.block.typ && b.image == x.block.image && !b.dedicated {
				alike++
			}
		}
		if alike == 1 {
			return
		}
	}
	a.dropBlock(x.block)
}

// maxSpare bounds the empty blocks that are kept for the next large request: drivers take milliseconds for each, and
// stacks and scratch memory come and go with every command buffer.
const maxSpare = 512 << 20

// keepSpare tells whether an empty block of its own stays allocated.
func (a *allocator) keepSpare(x *block) bool {
	if x.image || x.alone || x.mapped != nil {
		return false
	}
	limit := min(uint64(maxSpare), a.d.physical.Heaps[a.d.physical.MemoryTypes[x.typ].Heap].Size/16)
	total := uint64(0)
	for _, b := range a.blocks {
		if b.dedicated && b.space.used == 0 {
			total += b.space.size // x included
		}
	}
	return total <= limit
}

// takeSpare reuses an empty block that is large enough and not much too large.
func (a *allocator) takeSpare(size, align uint64, typ int, image bool) (allocation, bool) {
	for _, b := range a.blocks {
		if !b.dedicated || b.typ != typ || b.image != image || b.space.used > 0 || b.space.size > 2*size {
			continue
		}
		if off, ok := b.space.take(size, align); ok {
			return allocation{b, off, size}, true
		}
	}
	return allocation{}, false
}

// dropSpares gives empty blocks back to the driver and tells whether there were any.
func (a *allocator) dropSpares() bool {
	var empty []*block
	for _, b := range a.blocks {
		if b.dedicated && b.space.used == 0 {
			empty = append(empty, b)
		}
	}
	for _, b := range empty {
		a.dropBlock(b)
	}
	return len(empty) > 0
}

func (a *allocator) destroy() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.blocks {
		a.freeBlock(b)
	}
	a.blocks = nil
}
