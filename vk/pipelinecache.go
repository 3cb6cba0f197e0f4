package vk

// #include "evk.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"
)

// PipelineCache is a VkPipelineCache: code that the driver compiled, to be had again. Several goroutines may create
// pipelines with one; what drivers keep in it differs (lavapipe: nothing).
type PipelineCache struct {
	d      *Device
	handle vulkan.PipelineCache
	name   string
}

// pipelineCacheHeader is the size of VkPipelineCacheHeaderVersionOne.
const pipelineCacheHeader = 32

// CheckPipelineCacheData says whether data, as PipelineCache.Data returned it, was written by this device's driver: its
// header is what the specification defines, and names the same vendor, device and compiler.
func (p *PhysicalDevice) CheckPipelineCacheData(data []byte) error {
	e := binary.LittleEndian
	switch {
	case len(data) < pipelineCacheHeader:
		return fmt.Errorf("pipeline cache data: %w: %d bytes, the header has %d", ErrInvalid, len(data), pipelineCacheHeader)
	case e.Uint32(data) < pipelineCacheHeader || uint64(e.Uint32(data)) > uint64(len(data)):
		return fmt.Errorf("pipeline cache data: %w: a header of %d bytes in %d", ErrInvalid, e.Uint32(data), len(data))
	case e.Uint32(data[4:]) != 1:
		return fmt.Errorf("pipeline cache data: %w: header version %d", ErrInvalid, e.Uint32(data[4:]))
	case e.Uint32(data[8:]) != p.VendorID || e.Uint32(data[12:]) != p.DeviceID || [16]byte(data[16:32]) != p.PipelineCacheUUID:
		return fmt.Errorf("pipeline cache data: %w: it is another device's or another driver's", ErrInvalid)
	}
	return nil
}

// NewPipelineCache makes a cache from data that passes CheckPipelineCacheData, or an empty one from none.
func (d *Device) NewPipelineCache(name string, data []byte) (*PipelineCache, error) {
	if len(data) > 0 {
		if err := d.physical.CheckPipelineCacheData(data); err != nil {
			return nil, fmt.Errorf("pipeline cache %q: %w", name, err)
		}
	}
	h := C.evk_create_pipeline_cache(d.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)))
	if err := check("vkCreatePipelineCache", h.result); err != nil {
		return nil, fmt.Errorf("pipeline cache %q: %w", name, err)
	}
	c := &PipelineCache{d: d, handle: fromRaw[vulkan.PipelineCache](h.handle), name: name}
	d.born(c, "pipeline cache", name, objectPipelineCache, h.handle)
	return c, nil
}

// raw is the handle for C, null for nil.
func (c *PipelineCache) raw() C.uint64_t {
	if c == nil {
		return 0
	}
	return raw(c.handle)
}

// Data is what the cache holds, for NewPipelineCache of a later run.
func (c *PipelineCache) Data() ([]byte, error) {
	// Another goroutine's pipeline may make the cache grow between the two calls.
	for range 8 {
		var n C.size_t
		if err := check("vkGetPipelineCacheData", C.evk_pipeline_cache_data(c.d.c, raw(c.handle), &n, nil)); err != nil {
			return nil, fmt.Errorf("pipeline cache %q: %w", c.name, err)
		} else if n == 0 {
			return nil, nil
		}
		out := make([]byte, n)
		err := check("vkGetPipelineCacheData", C.evk_pipeline_cache_data(c.d.c, raw(c.handle), &n, unsafe.Pointer(&out[0])))
		if err == nil {
			return out[:n], nil
		}
		if !errors.Is(err, ErrIncomplete) {
			return nil, fmt.Errorf("pipeline cache %q: %w", c.name, err)
		}
	}
	return nil, fmt.Errorf("pipeline cache %q: %w: it grows as fast as it is read", c.name, ErrIncomplete)
}

// Merge adds what other holds. Nobody else may use the receiver meanwhile; other may be in use.
func (c *PipelineCache) Merge(other *PipelineCache) error {
	if err := check("vkMergePipelineCaches", C.evk_merge_pipeline_caches(c.d.c, raw(c.handle), raw(other.handle))); err != nil {
		return fmt.Errorf("pipeline cache %q: %w", c.name, err)
	}
	return nil
}

// Destroy frees the cache; pipelines made with it live on.
func (c *PipelineCache) Destroy() {
	if c != nil && c.d.dies(c) {
		c.d.destroyLater(C.VK_OBJECT_TYPE_PIPELINE_CACHE, raw(c.handle))
	}
}
