package pipelinetest_test

import (
	"fmt"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestTargets runs a pipeline and ray queries in all variants of traversal, whichever the device prefers: those of the others are
// chosen where it says that it is no CPU, or lacks 64-bit integers. What they find is the same.
func TestTargets(t *testing.T) {
	stages := []engine.Stage{
		{Kind: engine.Raygen, Code: glsltest.Compile(t, "rgen", queryRaygen)},
		{Kind: engine.Miss, Code: glsltest.Compile(t, "rmiss", queryMiss)},
		{Kind: engine.ClosestHit, Code: glsltest.Compile(t, "rchit", queryClosest)},
		{Kind: engine.AnyHit, Code: glsltest.Compile(t, "rahit", queryAny)},
	}
	row := queryRows[0]
	code := glsltest.Compile(t, "comp", strings.Replace(queryHead, "GRID 24", fmt.Sprintf("GRID 24\n#define WORDS %d",
		len(row.words)), 1)+"layout(local_size_x = 8, local_size_y = 8) in;\nvoid main() {\n"+row.body+"}\n")
	var wantPipeline, wantQueries []uint32
	for target, lesser := range map[shaders.Target]func(*vk.PhysicalDevice){
		shaders.Any:  vktest.Restriction(t, "shaderInt64"),
		shaders.Long: func(p *vk.PhysicalDevice) { p.Type = vulkan.PhysicalDeviceTypeDiscreteGpu },
		shaders.SIMD: func(p *vk.PhysicalDevice) { p.Type = vulkan.PhysicalDeviceTypeCpu },
	} {
		t.Run("target "+string(target), func(t *testing.T) {
			d, err := openWay(t, engine.BackendCompute, lesser)
			check(t, err)
			t.Cleanup(func() { check(t, d.Close()) })
			if got := shaders.TargetOf(d.VK().SIMD(), d.VK().Features().Int64); got != target {
				t.Skipf("%s takes target %q", d.Info().Name, got)
			}
			rig := newQueryRig(t, d, 0)
			got := traceQueries(t, d, rig.scene, stages, engine.FormAuto)
			queries := rig.dispatch(t, rig.pipeline(t, code), len(row.words), wholeRay, rig.scene.tlas)
			if wantPipeline == nil {
				wantPipeline, wantQueries = got, queries
			}
			compareQueries(t, "uuuu", wantPipeline, got)
			compareQueries(t, row.words, wantQueries, queries)
			if queryValues(row.words, queries, row.vary) < 2 {
				t.Errorf("word %d is the same for all rays: the test tests nothing", row.vary)
			}
		})
	}
}
