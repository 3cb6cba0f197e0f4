package engine

import "github.com/everray/everray/fallback/repro"

// dumpNative writes a reproducer of a pipeline that the driver is to make, with what the compute way would be told in its place.
// Stages of libraries are not in it: nobody keeps their code.
func (d *Device) dumpNative(o *PipelineOptions) error {
	if d.dump == "" || d.Backend() != BackendNative {
		return nil
	}
	r := o.resolve()
	c := &repro.Case{Name: r.Name, Way: d.Backend().String(), MaxDepth: r.MaxRecursionDepth, Flags: r.Flags, Groups: r.Groups,
		MaxLanes:  d.device.Physical().Limits.MaxComputeWorkGroupInvocations,
		MaxShared: d.device.Physical().Limits.MaxComputeSharedMemorySize, CPU: d.device.SIMD(),
		Set: repro.Set{Form: r.Form, Stages: r.Stages}}
	dir, err := c.NewDir(d.dump)
	if err != nil {
		return err
	}
	return c.Write(dir)
}
