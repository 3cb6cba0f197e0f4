package fallback

import (
	"fmt"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
)

// MaxPushConstantBytes is the most push constants that a pipeline can have, on any device: they travel in memory.
const MaxPushConstantBytes = 256

// MaxRecordIndex is maxShaderBindingTableRecordIndex: the largest index of a record that a hit object takes.
const MaxRecordIndex = 1<<28 - 1

// maxRecursionDepth is the deepest recursion, as maxRayRecursionDepth of the drivers that have ray tracing.
const maxRecursionDepth = 31

func (o *PipelineOptions) validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrInvalid)
	}
	if len(o.Stages) == 0 && len(o.Libraries) == 0 {
		return fail("no stages")
	}
	for i, y := range o.Libraries {
		if y == nil {
			return fail("library %d is nil", i)
		}
		if y.options.Flags.AllowClusters != o.Flags.AllowClusters {
			return fail("AllowClusters of library %d is %v, of the pipeline %v", i, y.options.Flags.AllowClusters, o.Flags.AllowClusters)
		}
	}
	if o.PushConstantBytes > MaxPushConstantBytes {
		return fail("%d bytes of push constants, more than %d", o.PushConstantBytes, MaxPushConstantBytes)
	}
	if o.MaxRecursionDepth > maxRecursionDepth {
		return fail("recursion depth %d, more than %d", o.MaxRecursionDepth, maxRecursionDepth)
	}
	if o.StackBytes > maxStackBytes {
		return fail("StackBytes is %d, more than %d", o.StackBytes, maxStackBytes)
	}
	for i, g := range o.Groups {
		if err := o.validateGroup(g); err != nil {
			return fail("group %d: %v", i, err)
		}
	}
	return nil
}

func (o *PipelineOptions) validateGroup(g Group) error {
	check := func(field string, index int, wanted bool, models ...rt.StageKind) error {
		switch {
		case index == None:
			return nil
		case !wanted:
			return fmt.Errorf("%s is set, which this kind of group does not have (use fallback.None)", field)
		case index < 0 || index >= len(o.Stages):
			return fmt.Errorf("%s is stage %d of %d", field, index, len(o.Stages))
		}
		for _, m := range models {
			if o.Stages[index].Kind == m {
				return nil
			}
		}
		return fmt.Errorf("%s is a %v shader", field, o.Stages[index].Kind)
	}
	hit := g.Kind == TrianglesHit || g.Kind == ProceduralHit
	if !hit && g.Kind != General {
		return fmt.Errorf("unknown kind %d", g.Kind)
	}
	if g.Kind == General && g.General == None {
		return fmt.Errorf("a general group without shader")
	}
	if g.Kind == ProceduralHit && g.Intersection == None {
		return fmt.Errorf("a procedural group without intersection shader")
	}
	for _, err := range []error{
		check("General", g.General, !hit, Raygen, Miss, Callable),
		check("ClosestHit", g.ClosestHit, hit, ClosestHit),
		check("AnyHit", g.AnyHit, hit, AnyHit),
		check("Intersection", g.Intersection, g.Kind == ProceduralHit, Intersection),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// validate checks a trace command.
func (t *Trace) validate(p *Pipeline) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("trace rays with pipeline %q: %s: %w", p.options.Name, fmt.Sprintf(format, args...), ErrInvalid)
	}
	if len(t.PushConstants) > int(p.options.PushConstantBytes) {
		return fail("%d bytes of push constants, the pipeline has %d", len(t.PushConstants), p.options.PushConstantBytes)
	}
	if len(t.Sets) > len(p.options.SetLayouts) {
		return fail("%d descriptor sets, the pipeline has %d", len(t.Sets), len(p.options.SetLayouts))
	}
	if n := uint64(t.Width) * uint64(t.Height) * uint64(t.Depth); n > maxLaunchSize {
		return fail("launch of %d x %d x %d rays, more than %d", t.Width, t.Height, t.Depth, uint64(maxLaunchSize))
	}
	if t.StackBytes > maxStackBytes {
		return fail("StackBytes is %d, more than %d", t.StackBytes, maxStackBytes)
	}
	if t.Raygen.Address == 0 || t.Raygen.Size < HandleSize {
		return fail("Raygen is no record: address %#x, size %d", t.Raygen.Address, t.Raygen.Size)
	}
	regions := []struct {
		name string
		r    vk.StridedRegion
	}{{"Raygen", t.Raygen}, {"Miss", t.Miss}, {"Hit", t.Hit}, {"Callable", t.Callable}}
	for _, x := range regions {
		switch {
		case x.r.Address%tableAlignment != 0:
			return fail("%s address %#x is not a multiple of %d", x.name, x.r.Address, tableAlignment)
		case x.r.Stride%HandleSize != 0:
			return fail("%s stride %d is not a multiple of %d", x.name, x.r.Stride, HandleSize)
		case x.r.Stride > maxTableStride:
			return fail("%s stride %d is more than %d", x.name, x.r.Stride, maxTableStride)
		case x.r.Size > 1<<32-1:
			return fail("%s size %d needs more than 32 bits", x.name, x.r.Size)
		}
	}
	return nil
}
