package vk

import vulkan "github.com/vulkan-go/vulkan"

// Alone: what is large, and read all over, has memory that the driver knows to be for that buffer (VkMemoryDedicatedAllocateInfo).
// NVIDIA's gives it pages of 2 MB then. Others have smaller ones, of which the GPU knows 2 GB by heart: random reads of 64 bytes
// within 8 GB run at 1.5 G/s, in large pages at 22.3 (H200, driver 580).

// alonePage is what the addresses of such memory are multiples of at least.
const alonePage = 4096

func aloneAbove(p *PhysicalDevice) uint64 {
	if p.Type == vulkan.PhysicalDeviceTypeCpu { // which gains nothing by it
		return 0
	}
	return deviceBlock / 2
}

// wantsAlone tells of which buffers that is: structures, and what would not be kept for the next request.
func (a *allocator) wantsAlone(o BufferOptions) bool {
	return a.aloneAbove > 0 && o.Memory == DeviceLocal && o.Alignment <= alonePage &&
		(o.Size > maxSpare || o.AccelerationStructureStorage && o.Size > a.aloneAbove)
}

// allocateFor finds memory for a buffer.
func (a *allocator) allocateFor(o BufferOptions, buffer, size, align uint64, types uint32) (allocation, error) {
	if a.wantsAlone(o) {
		if x, ok := a.tryAlone(buffer, size, types, o.Memory); ok {
			return x, nil
		}
	}
	return a.allocate(size, align, types, o.Memory, false)
}

// tryAlone allocates for one buffer, if there is room at once.
func (a *allocator) tryAlone(buffer, size uint64, types uint32, kind MemoryKind) (allocation, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	typ := memoryTypeFor(a.d.physical.MemoryTypes, types, kind)
	if typ < 0 {
		return allocation{}, false
	}
	b, err := a.newBlock(size, typ, false, true, 1, buffer)
	if err != nil {
		return allocation{}, false
	}
	offset, ok := b.space.take(size, 1)
	if !ok {
		a.dropBlock(b)
		return allocation{}, false
	}
	return allocation{b, offset, size}, true
}
