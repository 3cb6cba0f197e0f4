package engine

import (
	"context"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/fallback/repro"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
)

// target is what the compute way makes shaders with traversal for.
func (d *Device) target() shaders.Target {
	return shaders.TargetOf(d.device.SIMD(), d.device.Features().Int64)
}

// reproducer is a pipeline or a library with what the compute way would be told of it.
func (d *Device) reproducer(kind repro.Kind, o *PipelineOptions) *repro.Case {
	r, limits := o.resolve(), d.device.Physical().Limits
	c := &repro.Case{Name: r.Name, Kind: kind, Way: d.Backend().String(), MaxDepth: r.MaxRecursionDepth, Flags: r.Flags,
		Groups: r.Groups, PushConstantBytes: r.PushConstantBytes, StackBytes: r.StackBytes,
		MaxLanes: limits.MaxComputeWorkGroupInvocations, MaxShared: limits.MaxComputeSharedMemorySize, Target: d.target(),
		Set: repro.Set{Form: r.Form, Stages: r.Stages}}
	for _, y := range o.Libraries {
		c.Libraries = append(c.Libraries, y.source)
	}
	return c
}

// dumpCase writes a case to a directory of its own, by compute with what the linker makes of it; "" without Options.Dump.
func (d *Device) dumpCase(ctx context.Context, c *repro.Case) (dir string, err error) {
	if d.dump == "" {
		return "", nil
	}
	if dir, err = c.NewDir(d.dump); err != nil {
		return "", err
	}
	if err := c.Write(dir); err != nil {
		return dir, err
	}
	if d.Backend() == BackendNative {
		return dir, nil
	}
	return dir, c.Dump(ctx, dir)
}

// dumpNative writes a reproducer of a pipeline that the driver is to make. The compute way does it for its own.
func (d *Device) dumpNative(ctx context.Context, o *PipelineOptions) (dir string, err error) {
	if d.Backend() != BackendNative {
		return "", nil
	}
	return d.dumpCase(ctx, d.reproducer(repro.Pipeline, o))
}

// dumpLibrary writes a reproducer of a library, and returns what pipelines that are made with it write of it.
func (d *Device) dumpLibrary(ctx context.Context, o *PipelineOptions) (repro.Set, error) {
	if d.dump == "" {
		return repro.Set{}, nil
	}
	c := d.reproducer(repro.Library, o)
	c.Flags = rt.Flags{AllowClusters: o.Flags.AllowClusters}
	_, err := d.dumpCase(ctx, c)
	return c.Set, err
}

// dumpShader writes a reproducer of a shader of a compute or graphics pipeline.
func (d *Device) dumpShader(ctx context.Context, s driver.Shader) (dir string, err error) {
	if d.dump == "" {
		return "", nil
	}
	given := fallback.Shader{Name: s.Name, Stage: s.Stage, Code: s.Code, Entry: s.Entry, Driver: d.device.Physical().DriverID,
		Target: d.target(), Clusters: s.AllowClusters}
	c, err := given.Reproducer()
	if err != nil {
		return "", err
	}
	c.Way = d.Backend().String()
	return d.dumpCase(ctx, c)
}

// dumpStatistics writes to a directory what is known of a pipeline once it is made; nothing if there is none.
func dumpStatistics(dir string, s PipelineStats) error {
	if dir == "" {
		return nil
	}
	return repro.WriteStatistics(dir, s)
}
