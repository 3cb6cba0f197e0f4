package accel

import (
	"context"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/engine"
)

// byHost tells whether the host builds sooner than the device: where that is a CPU, its driver's compiler takes seconds for
// kernels that do what Go code does at once.
func byHost(dev *engine.Device, o Options) bool {
	return o.Host && dev.Limits().HostCommands && dev.Info().Type == vulkan.PhysicalDeviceTypeCpu
}

// hostGeometry is the memory that a bottom level's build by the host reads for a primitive.
func hostGeometry(p *assets.Primitive) engine.HostGeometry {
	if p.IsThin() {
		return engine.HostGeometry{AABBs: bytesOf(boxes(p))}
	}
	positions, indices := p.Positions, p.Indices
	if p.Shared != nil {
		positions, indices = p.Shared.Positions, p.Shared.Indices
	}
	return engine.HostGeometry{Vertices: bytesOf(positions), Indices: bytesOf(indices)}
}

// buildByHost is engine.Device.BuildAccelerationStructures by the host. There is data for each input; bottom are the
// structures that instances refer to.
func buildByHost(ctx context.Context, dev *engine.Device, inputs []engine.BuildInput, data [][]engine.HostGeometry,
	bottom []*engine.AccelerationStructure) (out []*engine.AccelerationStructure, report engine.BuildReport, err error) {
	start := time.Now()
	defer func() {
		if err != nil {
			for _, a := range out {
				a.Destroy()
			}
			out = nil
		}
	}()
	builds := make([]engine.HostBuild, len(inputs))
	for i, in := range inputs {
		var counts []uint32
		for _, r := range in.Ranges {
			counts = append(counts, r.PrimitiveCount)
			report.Primitives += uint64(r.PrimitiveCount)
		}
		sizes, err := dev.BuildSizes(in.Info, counts)
		if err != nil {
			return out, report, err
		}
		a, err := dev.NewHostAccelerationStructure(in.Info.Type, sizes.AccelerationStructureSize, in.Name)
		if err != nil {
			return out, report, err
		}
		out = append(out, a)
		report.Bytes += sizes.AccelerationStructureSize
		builds[i] = engine.HostBuild{Info: in.Info, Ranges: in.Ranges, Data: data[i], BottomLevels: bottom, Dst: a}
	}
	work, err := dev.HostBuild(builds)
	if err != nil {
		return out, report, err
	}
	if err := work.Run(ctx); err != nil {
		return out, report, err
	}
	report.Batches, report.Wall = 1, time.Since(start)
	return out, report, nil
}

// buildLevel builds by the device, or by the host where there is data.
func buildLevel(ctx context.Context, dev *engine.Device, inputs []engine.BuildInput, data [][]engine.HostGeometry,
	bottom []*engine.AccelerationStructure) ([]*engine.AccelerationStructure, engine.BuildReport, error) {
	if data == nil || len(inputs) == 0 {
		return dev.BuildAccelerationStructures(ctx, inputs)
	}
	return buildByHost(ctx, dev, inputs, data, bottom)
}
