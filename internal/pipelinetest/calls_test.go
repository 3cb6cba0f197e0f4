package pipelinetest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	vulkan "github.com/vulkan-go/vulkan"
)

// runCallables runs a shape whose calls are of callable shaders; nil if the form cannot.
func (b *bench) runCallables(t *testing.T, s shapes.Shape, form engine.LinkForm) []uint32 {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	layout, err := b.dev.NewDescriptorSetLayout("callables", []vk.DescriptorBinding{
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
	})
	fatal(err)
	defer layout.Destroy()
	pipeline, err := b.dev.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{
		Name: s.Name,
		Stages: []engine.Stage{
			{Kind: engine.Raygen, Code: b.glsl.Compile(t, "rgen", s.Raygen)},
			{Kind: engine.Callable, Code: b.glsl.Compile(t, "rcall", shapes.Called)},
			{Kind: engine.Callable, Code: b.glsl.Compile(t, "rcall", shapes.OtherCalled)},
		},
		Groups:     []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.GeneralGroup(2)},
		SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 8, Form: form,
	})
	if errors.Is(err, engine.ErrUnsupported) && form == engine.FormMonolithic {
		return nil
	}
	fatal(err)
	defer pipeline.Destroy()
	table, err := b.dev.NewTable(t.Context(), pipeline, sbt.Layout{
		Raygen:   []sbt.Record{{Group: 0}},
		Callable: []sbt.Record{{Group: 1}, {Group: 2, Data: []byte{11, 0, 0, 0}}},
	})
	fatal(err)
	defer table.Destroy()
	return b.launch(t, layout, pipeline, table, nil, 0)
}

// TestCallables runs the control flow shapes with calls of callable shaders, natively and by compute in each form: all
// integers, so all bits are equal.
func TestCallables(t *testing.T) {
	native, compute := openBenches(t)
	for i, s := range shapes.Callables() {
		t.Run(s.Name, func(t *testing.T) {
			want := native.runCallables(t, s, engine.FormAuto)
			if slices.Equal(want[:4], want[4:8]) && slices.Equal(want[:4], want[8:12]) {
				t.Error("the pixels are all the same: the test tests nothing")
			}
			for k, form := range linkForms {
				if k == i%3 && !sweep() {
					continue
				}
				got := compute.runCallables(t, s, form)
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("%v: word %d of pixel %d is %#x, natively %#x", form, i%4, i/4, got[i], want[i])
						break
					}
				}
			}
		})
	}
}
