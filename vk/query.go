package vk

// #include "evk.h"
import "C"

import (
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"
)

// Query types that NewSizeQueryPool takes. The last two need Features.Maintenance1.
const (
	queryTimestamp                    = 2
	QueryCompactedSize         uint32 = 1000150000 // VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR
	QuerySerialSize            uint32 = 1000150001 // VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR
	QueryBottomLevelPointers   uint32 = 1000386000 // VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR
	QueryAccelerationStructure uint32 = 1000386001 // VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR
)

// QueryPool is a VkQueryPool.
type QueryPool struct {
	d      *Device
	handle vulkan.QueryPool
	count  uint32
	kind   uint32
}

// NewQueryPool makes n timestamps. They must be reset in a command buffer before they are written.
func (d *Device) NewQueryPool(n uint32) (*QueryPool, error) { return d.newQueryPool(queryTimestamp, n) }

// TimestampBits is how many bits of a timestamp count on the device's queue, 0 where there are none.
func (d *Device) TimestampBits() uint32 { return d.physical.QueueFamilies[d.family].TimestampBits }

// NewSizeQueryPool makes n queries of an acceleration structure's property.
func (d *Device) NewSizeQueryPool(kind uint32, n uint32) (*QueryPool, error) {
	if err := d.needNative("size queries"); err != nil {
		return nil, err
	}
	if (kind == QueryBottomLevelPointers || kind == QueryAccelerationStructure) && !d.enabled.Maintenance1 {
		return nil, fmt.Errorf("size queries: %w: rayTracingMaintenance1", ErrMissingFeature)
	}
	return d.newQueryPool(kind, n)
}

func (d *Device) newQueryPool(kind, n uint32) (*QueryPool, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("query pool: %w", err)
	}
	if n == 0 {
		return nil, fmt.Errorf("query pool: %w: no queries", ErrInvalid)
	}
	if kind == queryTimestamp && d.physical.QueueFamilies[d.family].TimestampBits == 0 {
		return nil, fmt.Errorf("query pool: %w: timestamps on the queue", ErrMissingFeature)
	}
	h := C.evk_create_query_pool(d.c, C.uint32_t(kind), C.uint32_t(n))
	name := fmt.Sprintf("%d queries", n)
	if err := check("vkCreateQueryPool", h.result); err != nil {
		return nil, fmt.Errorf("query pool %q: %w", name, err)
	}
	q := &QueryPool{d: d, handle: fromRaw[vulkan.QueryPool](h.handle), count: n, kind: kind}
	d.born(q, "query pool", name, objectQueryPool, h.handle)
	return q, nil
}

// Handle is the VkQueryPool.
func (q *QueryPool) Handle() vulkan.QueryPool { return q.handle }

// Count is the number of queries.
func (q *QueryPool) Count() uint32 { return q.count }

// Results reads all queries: nanoseconds for timestamps (only differences mean something), bytes for sizes. A query
// that was not written gives ErrTimeout.
func (q *QueryPool) Results() ([]uint64, error) { return q.Range(0, q.count) }

// Range reads count queries from first on.
func (q *QueryPool) Range(first, count uint32) ([]uint64, error) {
	if count == 0 || first > q.count || count > q.count-first {
		return nil, fmt.Errorf("query pool: %w: queries [%d, %d) of %d", ErrInvalid, first, first+count, q.count)
	}
	ticks := make([]C.uint64_t, count)
	if err := check("vkGetQueryPoolResults",
		C.evk_query_results(q.d.c, raw(q.handle), C.uint32_t(first), C.uint32_t(count), &ticks[0])); err != nil {
		return nil, fmt.Errorf("query pool \"%d queries\": %w", q.count, err)
	}
	out := make([]uint64, count)
	period := float64(q.d.physical.Limits.TimestampPeriod)
	for i, t := range ticks {
		out[i] = uint64(t)
		if q.kind == queryTimestamp && period != 1 {
			out[i] = uint64(float64(t) * period)
		}
	}
	return out, nil
}

// Destroy frees the pool.
func (q *QueryPool) Destroy() {
	if q != nil && q.d.dies(q) {
		q.d.destroyLater(C.VK_OBJECT_TYPE_QUERY_POOL, raw(q.handle))
	}
}
