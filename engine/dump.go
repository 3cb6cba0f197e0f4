package engine

import (
	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/repro"
)

// dumpNative writes a reproducer of a pipeline that the driver is to make, with what the compute way would be told in its place.
// Stages of libraries are not in it: nobody keeps their code.
func (d *Device) dumpNative(o *PipelineOptions) error {
	if d.dump == "" || d.Backend() != BackendNative {
		return nil
	}
	translated := o.translate()
	models := map[StageKind]link.Model{Raygen: link.Raygen, AnyHit: link.AnyHit, ClosestHit: link.ClosestHit, Miss: link.Miss,
		Intersection: link.Intersection, Callable: link.Callable}
	c := &repro.Case{Name: o.Name, Way: d.Backend().String(), MaxDepth: translated.MaxRecursionDepth, Flags: link.Flags(o.Flags),
		MaxLanes: d.device.Physical().Limits.MaxComputeWorkGroupInvocations, CPU: d.device.SIMD()}
	c.Form = link.Form(o.Form)
	for i, s := range translated.Stages {
		c.Stages = append(c.Stages, link.Stage{Name: s.Name, Model: models[o.Stages[i].Kind], Code: s.Code, Entry: s.Entry,
			Specialization: s.Specialization})
	}
	for _, g := range o.Groups {
		c.Groups = append(c.Groups, repro.Group{Kind: [...]string{"general", "triangles", "procedural"}[g.Kind], General: g.General,
			ClosestHit: g.ClosestHit, AnyHit: g.AnyHit,
			Intersection: g.Intersection})
	}
	dir, err := c.NewDir(d.dump)
	if err != nil {
		return err
	}
	return c.Write(dir)
}
