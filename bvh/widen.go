package bvh

import (
	"fmt"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// Wide nodes are a second array of nodes, of four children, behind what the header calls the structure. They are made of the
// others whenever those have changed, so that builds, updates and copies need not know them.

// WideNodes tells whether structures for rays on a device get wide nodes where they are built for tracing: with PreferFastTrace,
// without PreferFastBuild and LowMemory. They do where shaders.Variant chooses the traversal that reads them, on CPUs.
// A Builder knows by itself, host.BuildInput has to be told.
func WideNodes(dev Device) bool { return dev.SIMD() }

const (
	// widenTask is the bytes of ErWiden in shaders/bvh/build/widen.comp, and widenNew WIDEN_NEW.
	widenTask = 16
	widenNew  = 0x80000000
)

// appendWiden adds the tasks of a structure of at most so many node slots. Unless it is new, it gets no wide nodes if it has
// none.
func appendWiden(tasks []byte, structure vk.DeviceAddress, room, slots uint64, isNew bool) []byte {
	flag := uint32(0)
	if isNew {
		flag = widenNew
	}
	for k := uint64(0); k == 0 || k*layout.BlockSize < slots; k++ {
		tasks = appendRecord(tasks, erWiden{Structure: structure, Room: uint32(units(room)), Block: uint32(k) | flag})
	}
	return tasks
}

// addWidened adds those builds and updates that may have wide nodes.
func (b *batch) addWidened(builds []Build) {
	for _, bd := range builds {
		if !layout.Widened(bd.Info) {
			continue
		}
		var n uint64
		for _, r := range bd.Ranges {
			n += uint64(r.PrimitiveCount)
		}
		slots := max(layout.References(bd.Info, n), 1) - 1
		b.widened = appendWiden(b.widened, bd.Dst.Address()+bd.DstOffset, bd.Dst.Size()-bd.DstOffset, slots, !bd.Info.Update)
	}
}

// widen makes wide nodes, once the structures are there.
func (r *recorder) widen(tasks []byte) error {
	if len(tasks) == 0 {
		return nil
	}
	address, mapped, err := r.cb.TransientUpload(uint64(len(tasks)), widenTask)
	if err != nil {
		return fmt.Errorf("wide nodes: %w", err)
	}
	copy(mapped, tasks)
	r.barrier()
	n := uint32(len(tasks) / widenTask)
	r.run(kernelWiden, address, n, n, 0)
	return nil
}
