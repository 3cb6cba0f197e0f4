package compute

import (
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh"
	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

func TestDescriptorBinding(t *testing.T) {
	const vertex = vulkan.ShaderStageFlags(1)
	tests := []struct {
		name     string
		in, want vk.DescriptorBinding
	}{
		{"structure", vk.DescriptorBinding{Binding: 3, Type: vk.DescriptorTypeAccelerationStructure, Count: 2, Stages: vk.StageRaygen},
			vk.DescriptorBinding{Binding: 3, Type: vulkan.DescriptorTypeStorageBuffer, Count: 2, Stages: vk.StageCompute}},
		{"other stages stay", vk.DescriptorBinding{Type: vulkan.DescriptorTypeSampler, Stages: vk.StageMiss | vertex},
			vk.DescriptorBinding{Type: vulkan.DescriptorTypeSampler, Stages: vk.StageCompute | vertex}},
		{"no ray tracing", vk.DescriptorBinding{Type: vulkan.DescriptorTypeUniformBuffer, Stages: vertex},
			vk.DescriptorBinding{Type: vulkan.DescriptorTypeUniformBuffer, Stages: vertex}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&Driver{}).DescriptorBinding(tt.in); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTableLimits(t *testing.T) {
	if err := Limits(nil).Table.Validate(); err != nil || sbt.HandleSize != 32 {
		t.Error(err)
	}
}

// TestSharedNumbers compares numbers that the interface and package bvh both name.
func TestSharedNumbers(t *testing.T) {
	for _, p := range [][2]uint32{
		{driver.CopyOK, uint32(bvh.CopyOK)}, {uint32(driver.CompactedSize), uint32(bvh.CompactedSize)},
		{uint32(driver.CurrentSize), uint32(bvh.CurrentSize)}, {uint32(driver.SerializedSize), uint32(bvh.SerializedSize)},
		{uint32(driver.BottomLevelPointers), uint32(bvh.BottomLevelPointers)},
	} {
		if p[0] != p[1] {
			t.Errorf("%d in driver is %d in bvh", p[0], p[1])
		}
	}
}
