package engine

import (
	"cmp"
	"fmt"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/fallback/link/normal"
)

const spirvMagic = 0x07230203

// validate applies the rules that do not need the shaders' contents.
func (o *PipelineOptions) validate(d *Device, limits driver.Limits) error {
	if (len(o.Stages) == 0 || len(o.Groups) == 0) && len(o.Libraries) == 0 {
		return invalid("PipelineOptions has %d Stages and %d Groups, it needs both", len(o.Stages), len(o.Groups))
	}
	if err := o.validateParts(d, limits); err != nil {
		return err
	}
	if err := o.validateLibraries(d); err != nil {
		return err
	}
	groups, stages := o.withLibraries()
	if !slices.ContainsFunc(groups, func(g Group) bool { return g.Kind == General && stages[g.General] == Raygen }) {
		return invalid("no group in Groups, or of a library, holds a raygen stage")
	}
	return nil
}

// validateParts applies the rules that pipelines and libraries share.
func (o *PipelineOptions) validateParts(d *Device, limits driver.Limits) error {
	if o.MaxRecursionDepth > limits.MaxRecursionDepth {
		return invalid("MaxRecursionDepth is %d, the limit is %d", o.MaxRecursionDepth, limits.MaxRecursionDepth)
	}
	if o.PushConstantBytes > limits.MaxPushConstantBytes || o.PushConstantBytes%4 != 0 {
		return invalid("PushConstantBytes is %d, want a multiple of 4 of at most %d", o.PushConstantBytes,
			limits.MaxPushConstantBytes)
	}
	if o.Form < FormAuto || o.Form > FormSuspended {
		return invalid("Form %d is unknown", o.Form)
	}
	if o.Flags.SkipTriangles && o.Flags.SkipAABBs {
		return invalid("Flags holds both SkipTriangles and SkipAABBs")
	}
	for i, s := range o.Stages {
		if err := validateStage(&s); err != nil {
			return fmt.Errorf("stage %d (%q): %w", i, s.Name, err)
		}
	}
	for i, g := range o.Groups {
		if err := o.validateGroup(g); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
		if err := checkPromises(o.Flags, g); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
	}
	for i, l := range o.SetLayouts {
		if err := l.check(d, fmt.Sprintf("SetLayouts[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// checkSkips refuses promises that the driver has no feature for.
func (o *PipelineOptions) checkSkips(d *Device) error {
	if err := d.checkClusters(o.Flags.AllowClusters, "Flags.AllowClusters"); err != nil {
		return err
	}
	if (o.Flags.SkipTriangles || o.Flags.SkipAABBs) && d.Backend() == BackendNative && !d.device.Features().PrimitiveCulling {
		return lacking("rayTraversalPrimitiveCulling, for Flags.SkipTriangles or SkipAABBs natively (BackendCompute does without)")
	}
	return nil
}

// checkShaders holds the pipeline's own shaders against it, and returns the descriptors that they use.
func (o *PipelineOptions) checkShaders(d *Device) ([]use, error) {
	var uses []use
	read := modules{}
	for i, s := range o.Stages {
		p := program{name: cmp.Or(s.Name, fmt.Sprintf("%v %d", s.Kind, i)), entry: s.Entry, model: normal.Execution(s.Kind),
			bit:  vulkan.ShaderStageFlags(s.Kind.Bit()),
			code: s.Code, constants: s.Specialization, layouts: o.SetLayouts, push: o.PushConstantBytes}
		more, err := d.checkProgram(p, read)
		if err != nil {
			return nil, fmt.Errorf("stage %d (%q): %w", i, p.name, err)
		}
		uses = append(uses, more...)
	}
	return uses, nil
}

// checkPromises holds a hit group against what the flags promise (VkRayTracingPipelineCreateInfoKHR, valid usage).
func checkPromises(f PipelineFlags, g Group) error {
	switch {
	case g.Kind == General:
	case f.NoNullAnyHit && g.AnyHit == Unused:
		return invalid("AnyHit is Unused, but Flags promises NoNullAnyHit")
	case f.NoNullClosestHit && g.ClosestHit == Unused:
		return invalid("ClosestHit is Unused, but Flags promises NoNullClosestHit")
	}
	return nil
}

func validateStage(s *Stage) error {
	if !s.Kind.Valid() {
		return invalid("Kind %d is unknown", s.Kind)
	}
	if len(s.Code) < 5 || s.Code[0] != spirvMagic {
		return invalid("Code is not SPIR-V (%d words)", len(s.Code))
	}
	for id, value := range s.Specialization {
		if n := len(value); n != 1 && n != 2 && n != 4 && n != 8 {
			return invalid("Specialization[%d] has %d bytes, want 1, 2, 4 or 8", id, n)
		}
	}
	return nil
}

// validateGroup checks that each of a group's four indices names a stage of the right kind, or none.
func (o *PipelineOptions) validateGroup(g Group) error {
	if g.Kind < General || g.Kind > ProceduralHit {
		return invalid("Kind %d is unknown", g.Kind)
	}
	for _, f := range []struct {
		name     string
		stage    int
		allowed  bool
		required bool
		kinds    []StageKind
	}{
		{"General", g.General, g.Kind == General, g.Kind == General, []StageKind{Raygen, Miss, Callable}},
		{"ClosestHit", g.ClosestHit, g.Kind != General, false, []StageKind{ClosestHit}},
		{"AnyHit", g.AnyHit, g.Kind != General, false, []StageKind{AnyHit}},
		{"Intersection", g.Intersection, g.Kind == ProceduralHit, g.Kind == ProceduralHit, []StageKind{Intersection}},
	} {
		if err := o.checkStageIndex(f.name, f.stage, f.allowed, f.required, f.kinds); err != nil {
			return err
		}
	}
	return nil
}

func (o *PipelineOptions) checkStageIndex(field string, stage int, allowed, required bool, kinds []StageKind) error {
	switch {
	case stage == Unused && required:
		return invalid("%s is Unused, groups of this kind need it", field)
	case stage == Unused:
		return nil
	case !allowed:
		return invalid("%s is %d, groups of this kind have none (want Unused)", field, stage)
	case stage < 0 || stage >= len(o.Stages):
		return invalid("%s is %d, there are %d stages", field, stage, len(o.Stages))
	}
	for _, k := range kinds {
		if o.Stages[stage].Kind == k {
			return nil
		}
	}
	return invalid("%s is stage %d, which is a %v shader, not %v", field, stage, o.Stages[stage].Kind, kinds)
}
