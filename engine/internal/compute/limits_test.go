package compute

import (
	"testing"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/fallback"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk/vktest"
)

// TestRequiredLimits holds the compute way against the table of required limits of the Vulkan specification (chapter Limits),
// all rows of VK_KHR_acceleration_structure and VK_KHR_ray_tracing_pipeline. VK_KHR_ray_query has none. A descriptor of a
// structure is a storage buffer (TestDescriptorBinding), so that the device's own limits count there. The values were read
// in https://github.com/KhronosGroup/Vulkan-Docs, commit 012db30fd169, chapters/limits.adoc, table limits-required.
func TestRequiredLimits(t *testing.T) {
	const (
		atLeast = iota // the table's min
		atMost         // max
		exactly
	)
	l := Limits(nil)
	device := vktest.Device(t).Physical().Limits
	for _, row := range []struct {
		name           string
		kind           int
		required, ours uint64
	}{
		{"maxGeometryCount", atLeast, 1<<24 - 1, l.MaxGeometries},
		{"maxInstanceCount", atLeast, 1<<24 - 1, l.MaxInstances},
		{"maxPrimitiveCount", atLeast, 1<<29 - 1, l.MaxPrimitives},
		{"maxPerStageDescriptorAccelerationStructures", atLeast, 16, uint64(device.MaxPerStageStorageBuffers)},
		{"maxDescriptorSetAccelerationStructures", atLeast, 16, uint64(device.MaxSet.StorageBuffers)},
		{"maxPerStageDescriptorUpdateAfterBindAccelerationStructures and per set", atLeast, 500_000,
			uint64(device.MaxSetUpdateAfterBind.StorageBuffers)},
		{"minAccelerationStructureScratchOffsetAlignment", atMost, 256, l.ScratchAlignment},
		{"shaderGroupHandleSize", exactly, 32, sbt.HandleSize},
		{"maxRayRecursionDepth", atLeast, 1, uint64(l.MaxRecursionDepth)},
		{"maxShaderGroupStride", atLeast, 4096, l.Table.MaxStride},
		{"shaderGroupBaseAlignment", atMost, 64, l.Table.BaseAlignment},
		{"maxRayDispatchInvocationCount", atLeast, 1 << 30, l.MaxInvocations},
		{"shaderGroupHandleAlignment", atMost, 32, l.Table.HandleAlignment},
		{"maxRayHitAttributeSize", atLeast, 32, fallback.MaxAttributeBytes},
		// shaderGroupHandleCaptureReplaySize, at most 64, is of a feature that is not offered.
	} {
		switch {
		case row.kind == atLeast && row.ours < row.required:
			t.Errorf("%s is %d, required are at least %d", row.name, row.ours, row.required)
		case row.kind == atMost && (row.ours > row.required || row.ours == 0):
			t.Errorf("%s is %d, required are at most %d", row.name, row.ours, row.required)
		case row.kind == exactly && row.ours != row.required:
			t.Errorf("%s is %d, required is %d", row.name, row.ours, row.required)
		}
	}
	// What is promised is what builds take.
	if l.MaxPrimitives != bvh.MaxPrimitives || l.MaxGeometries != bvh.MaxGeometries || l.MaxInstances != bvh.MaxInstances {
		t.Errorf("%+v are not the limits of builds", l)
	}
}
