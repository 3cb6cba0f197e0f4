package engine

import (
	"testing"

	"github.com/everray/everray/sbt"
)

// anyModule looks like SPIR-V as far as engine looks.
var anyModule = []uint32{spirvMagic, 0, 0, 0, 0}

func validPipeline() PipelineOptions {
	return PipelineOptions{
		Stages: []Stage{{Kind: Raygen, Code: anyModule}, {Kind: Miss, Code: anyModule}, {Kind: ClosestHit, Code: anyModule},
			{Kind: AnyHit, Code: anyModule}, {Kind: Intersection, Code: anyModule}, {Kind: Callable, Code: anyModule}},
		Groups: []Group{GeneralGroup(0), GeneralGroup(1), TrianglesGroup(2, 3), ProceduralGroup(4, 2, Unused),
			GeneralGroup(5)},
		PushConstantBytes: 64, MaxRecursionDepth: 4,
	}
}

func TestValidatePipeline(t *testing.T) {
	tests := []struct {
		name string
		edit func(*PipelineOptions)
		want string
	}{
		{"valid", func(*PipelineOptions) {}, ""},
		{"empty", func(o *PipelineOptions) { *o = PipelineOptions{} }, "0 Stages and 0 Groups"},
		{"recursion", func(o *PipelineOptions) { o.MaxRecursionDepth = 5 }, "MaxRecursionDepth is 5, the limit is 4"},
		{"push constants", func(o *PipelineOptions) { o.PushConstantBytes = 132 }, "PushConstantBytes is 132"},
		{"odd push constants", func(o *PipelineOptions) { o.PushConstantBytes = 6 }, "PushConstantBytes is 6"},
		{"stage kind", func(o *PipelineOptions) { o.Stages[1].Kind = 9 }, "stage 1"},
		{"code", func(o *PipelineOptions) { o.Stages[2].Code = []uint32{1, 2, 3, 4, 5} }, "Code is not SPIR-V"},
		{"specialization", func(o *PipelineOptions) { o.Stages[0].Specialization = map[uint32][]byte{3: {1, 2, 3}} },
			"Specialization[3] has 3 bytes"},
		{"group kind", func(o *PipelineOptions) { o.Groups[0].Kind = 3 }, "group 0"},
		{"general without shader", func(o *PipelineOptions) { o.Groups[1] = GeneralGroup(Unused) }, "General is Unused"},
		{"general of a hit shader", func(o *PipelineOptions) { o.Groups[1] = GeneralGroup(2) }, "stage 2, which is a closest hit shader"},
		{"zero group is general with hit stages", func(o *PipelineOptions) { o.Groups[1] = Group{} },
			"ClosestHit is 0, groups of this kind have none"},
		{"out of range", func(o *PipelineOptions) { o.Groups[2] = TrianglesGroup(6, Unused) }, "ClosestHit is 6, there are 6 stages"},
		{"negative", func(o *PipelineOptions) { o.Groups[2] = TrianglesGroup(-2, Unused) }, "ClosestHit is -2"},
		{"any hit", func(o *PipelineOptions) { o.Groups[2] = TrianglesGroup(Unused, 2) }, "AnyHit is stage 2"},
		{"no intersection", func(o *PipelineOptions) { o.Groups[3].Intersection = Unused }, "Intersection is Unused"},
		{"intersection of triangles", func(o *PipelineOptions) { o.Groups[2].Intersection = 4 },
			"Intersection is 4, groups of this kind have none"},
		{"no shaders in a hit group", func(o *PipelineOptions) { o.Groups[2] = TrianglesGroup(Unused, Unused) }, ""},
		{"no raygen", func(o *PipelineOptions) { o.Groups = o.Groups[1:] }, "raygen"},
		{"promise of any hit shaders", func(o *PipelineOptions) { o.Flags.NoNullAnyHit = true }, "AnyHit is Unused"},
		{"promise of closest hit shaders", func(o *PipelineOptions) {
			o.Groups[2], o.Flags.NoNullClosestHit = TrianglesGroup(Unused, 3), true
		}, "ClosestHit is Unused"},
		{"skip everything", func(o *PipelineOptions) { o.Flags.SkipAABBs, o.Flags.SkipTriangles = true, true },
			"both SkipTriangles and SkipAABBs"},
		{"form", func(o *PipelineOptions) { o.Form = 9 }, "Form 9"},
		{"nil library", func(o *PipelineOptions) { o.Libraries = []*PipelineLibrary{nil} }, "Libraries[0]"},
		{"nil layout", func(o *PipelineOptions) { o.SetLayouts = []*DescriptorSetLayout{nil} }, "SetLayouts[0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := validPipeline()
			tt.edit(&o)
			wantError(t, o.validate(nil, testLimits), tt.want)
		})
	}
}

func TestTableSections(t *testing.T) {
	o := validPipeline()
	p := &Pipeline{groups: o.Groups}
	for _, s := range o.Stages {
		p.stages = append(p.stages, s.Kind)
	}
	tests := []struct {
		section sbt.Section
		group   int
		want    string
	}{
		{sbt.Raygen, 0, ""}, {sbt.Miss, 1, ""}, {sbt.Hit, 2, ""}, {sbt.Hit, 3, ""}, {sbt.Callable, 4, ""},
		{sbt.Raygen, 1, "holds no ray generation shader"}, {sbt.Miss, 0, "holds no miss"}, {sbt.Hit, 1, "general group"},
		{sbt.Callable, 2, "holds no callable"}, {sbt.Hit, 5, "group 5 of 5"}, {sbt.Miss, -2, "group -2"},
	}
	for _, tt := range tests {
		wantError(t, p.checkSection(tt.section, tt.group), tt.want)
	}
}
