package engine

import (
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// BuildRangeSize is the size in bytes of a range in memory: VkAccelerationStructureBuildRangeInfoKHR, which vk.BuildRange is
// word for word.
const BuildRangeSize = 16

// IndirectBuild is a Build whose ranges the device reads when it runs.
type IndirectBuild struct {
	Info vk.BuildInfo
	// MaxPrimitives is the most primitives of each geometry: memory is sized by it (BuildSizes). A range with more is undefined
	// natively, and cut to it on the compute way.
	MaxPrimitives []uint32
	// Buffer holds one range for each geometry, from Offset on and Stride bytes apart, both multiples of 4. Offsets in the
	// ranges keep addresses aligned. The buffer is one for indirect commands, which all are that were made without a Usage.
	// What writes the ranges has to be made visible first; CmdBarrier does that.
	Buffer *vk.Buffer
	Offset uint64
	Stride uint32
	// Dst, Src and Scratch are those of Build.
	Dst, Src *AccelerationStructure
	Scratch  vk.DeviceAddress
}

// CmdBuildAccelerationStructuresIndirect is CmdBuildAccelerationStructures with ranges in memory. The native way needs
// Limits.BuildIndirect.
func (d *Device) CmdBuildAccelerationStructuresIndirect(cb *vk.CommandBuffer, builds []IndirectBuild) error {
	if err := d.checkCommands(cb); err != nil {
		return fmt.Errorf("build acceleration structures indirectly: %w", err)
	}
	if len(builds) == 0 {
		return nil
	}
	if !d.Limits().BuildIndirect {
		return fmt.Errorf("build acceleration structures indirectly: %w",
			lacking("the device cannot natively, see Limits.BuildIndirect (the compute way can)"))
	}
	list := make([]driver.IndirectBuild, len(builds))
	var targets buildTargets
	for i, b := range builds {
		if err := d.checkIndirectBuild(b); err != nil {
			return fmt.Errorf("indirect build %d of %d: %w", i, len(builds), err)
		}
		targets.add(b.direct())
		list[i] = driver.IndirectBuild{Build: b.direct().translate(), MaxPrimitives: b.MaxPrimitives, Stride: b.Stride}
		if b.Buffer != nil {
			list[i].Address = b.Buffer.Address() + b.Offset
		}
	}
	if err := targets.check(); err != nil {
		return err
	}
	if err := d.driver.CmdBuildIndirect(cb, list); err != nil {
		return fmt.Errorf("build acceleration structures indirectly: %w", err)
	}
	for _, b := range builds {
		b.Dst.history.note(b.Info, nil)
	}
	return nil
}

// direct is the build without its ranges.
func (b *IndirectBuild) direct() Build {
	return Build{Info: b.Info, Dst: b.Dst, Src: b.Src, Scratch: b.Scratch}
}

func (d *Device) checkIndirectBuild(b IndirectBuild) error {
	limits := d.Limits()
	if err := checkInfo(b.Info, limits); err != nil {
		return err
	}
	if err := checkCounts(b.Info, b.MaxPrimitives, limits); err != nil {
		return err
	}
	// Of the ranges nothing is known but that their geometries may have a primitive: that shows what addresses are missing.
	one := make([]vk.BuildRange, len(b.MaxPrimitives))
	for i, n := range b.MaxPrimitives {
		one[i].PrimitiveCount = min(n, 1)
	}
	if err := checkRanges(b.Info, one, limits); err != nil {
		return err
	}
	if err := b.checkBuffer(d); err != nil {
		return err
	}
	return d.checkTarget(b.direct(), b.MaxPrimitives)
}

func (b *IndirectBuild) checkBuffer(d *Device) error {
	n := uint64(len(b.Info.Geometries))
	if n == 0 {
		return nil
	}
	if err := d.checkBuffer("Buffer", b.Buffer, usageIndirect); err != nil {
		return err
	}
	if b.Offset%4 != 0 || b.Stride%4 != 0 {
		return invalid("Offset %d or Stride %d is not a multiple of 4", b.Offset, b.Stride)
	}
	need, have := (n-1)*uint64(b.Stride)+BuildRangeSize, b.Buffer.Size()
	if need > have || b.Offset > have-need {
		return invalid("%d ranges, %d bytes apart from Offset %d on, do not fit in the %d bytes of buffer %q", n, b.Stride, b.Offset,
			have, b.Buffer.Name())
	}
	return nil
}
