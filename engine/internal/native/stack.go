package native

import (
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
)

// findNeeds asks the driver what the shaders of the pipeline's own groups need. A library is asked itself: validation layers
// do not count the groups that a pipeline has from libraries.
func (p *pipeline) findNeeds(o *driver.PipelineOptions) error {
	for i, g := range o.Groups {
		for _, s := range []struct {
			stage int
			of    vk.GroupShader
		}{
			{g.General, vk.GroupGeneral}, {g.ClosestHit, vk.GroupClosestHit}, {g.AnyHit, vk.GroupAnyHit},
			{g.Intersection, vk.GroupIntersection},
		} {
			if s.stage < 0 {
				continue
			}
			bytes, err := p.impl.StackSize(uint32(i), s.of)
			if err != nil {
				return err
			}
			kind := o.Stages[s.stage].Kind
			p.needs[kind] = max(p.needs[kind], uint32(bytes))
		}
	}
	return nil
}
