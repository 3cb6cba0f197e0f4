package fallback

import (
	"fmt"
	"testing"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// BenchmarkDriver is how long the driver takes to compile pipelines of many hit shaders, in each form: in the monolithic form they
// trace no rays, in the others each has a shadow ray. Run it with -benchtime 1x and the driver's caches off
// (MESA_SHADER_CACHE_DISABLE=true, __GL_SHADER_DISK_CACHE=0).
func BenchmarkDriver(b *testing.B) {
	for _, form := range []Form{FormMonolithic, FormMegakernel, FormBlocks, FormWavefront, FormSorted} {
		for _, n := range []int{10, 50, 200} {
			b.Run(fmt.Sprintf("%v/%d", form, n), func(b *testing.B) { benchmarkDriver(b, form, n) })
		}
	}
}

func benchmarkDriver(b *testing.B, form Form, n int) {
	dev := vktest.Device(b, vktest.NoValidation())
	stages, o := manyHits(b, n, form != FormMonolithic)
	o.Form = form
	start := time.Now()
	r, err := link.Link(b.Context(), runtimeModule(b), stages, o)
	if err != nil {
		b.Fatal(err)
	}
	linked := time.Since(start)
	sets, err := dev.NewDescriptorSetLayout("cache", []vk.DescriptorBinding{
		{Binding: 0, Type: 7, Stages: vk.StageCompute}, {Binding: 1, Type: 7, Stages: vk.StageCompute},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(sets.Destroy)
	layout, err := dev.NewPipelineLayout("cache", []*vk.DescriptorSetLayout{sets},
		[]vk.PushRange{{Stages: vk.StageCompute, Size: launchBytes}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(layout.Destroy)
	set, err := dev.NewDescriptorSet(sets)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(set.Destroy)
	buffer, err := dev.NewBuffer(vk.BufferOptions{Name: "null", Size: 1 << 16})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(buffer.Destroy)
	set.WriteBuffer(0, 0, 7, buffer, 0, 256)
	set.WriteBuffer(1, 0, 7, buffer, 0, 0)
	for b.Loop() {
		start := time.Now()
		p, err := dev.NewComputePipeline(vk.ComputePipelineOptions{Name: "many", Code: r.Code, Layout: layout})
		if err != nil {
			b.Fatal(err)
		}
		created := time.Since(start)
		// Lavapipe compiles at the first dispatch. All parameters are zero: the lanes are outside the launch and end.
		err = dev.Run(b.Context(), "first dispatch", func(cb *vk.CommandBuffer) error {
			cb.BindComputePipeline(p)
			cb.BindDescriptorSets(1, layout, 0, set)
			push := make([]byte, launchBytes)
			push[4*27], push[4*28] = 1, 1 // tiles per row and slice, which are divided by
			cb.PushConstants(layout, vk.StageCompute, 0, push)
			cb.Dispatch(1, 1, 1)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(created.Seconds(), "create-s")
		b.ReportMetric((time.Since(start) - created).Seconds(), "first-dispatch-s")
		b.ReportMetric(linked.Seconds(), "link-s")
		b.ReportMetric(float64(len(r.Code)), "words")
		p.Destroy()
	}
}
