package vktest

import (
	"os"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// RestrictVariable makes devices less than they are, for all tests: Vulkan names of features that they shall lack, with commas
// between; "optional" for all that they may lack; "least" for the least limits.
const RestrictVariable = "EVERRAY_TEST_RESTRICT"

// Restrict is what RestrictVariable asks for, for InstanceOptions and engine's Options; nil without it.
func Restrict(t testing.TB) func(*vk.PhysicalDevice) {
	t.Helper()
	list := os.Getenv(RestrictVariable)
	if list == "" {
		return nil
	}
	return Restriction(t, strings.Split(list, ",")...)
}

// Restriction takes away what is named as in RestrictVariable.
func Restriction(t testing.TB, what ...string) func(*vk.PhysicalDevice) {
	t.Helper()
	var names []string
	least := false
	for _, w := range what {
		switch w {
		case "optional":
			names = append(names, vk.OptionalFeatures()...)
		case "least":
			least = true
		default:
			names = append(names, w)
		}
	}
	if _, err := (vk.Features{}).Without(names...); err != nil {
		t.Fatalf("vktest: %v", err)
	}
	return func(p *vk.PhysicalDevice) {
		p.Features, _ = p.Features.Without(names...) // the names are good
		if least {
			leastLimits(&p.Limits)
		}
	}
}

// leastLimits lowers limits to what Vulkan guarantees: https://github.com/KhronosGroup/Vulkan-Docs, commit 012db30fd169,
// chapters/limits.adoc, table limits-required, without the optional features. What the device's objects need cannot be
// changed: alignments become the largest.
func leastLimits(l *vk.Limits) {
	for _, v := range []struct {
		at    *uint32
		least uint32
	}{
		{&l.MaxImageDimension2D, 4096}, {&l.MaxPushConstantsSize, 128}, {&l.MaxBoundDescriptorSets, 4},
		{&l.MaxMemoryAllocationCount, 4096},
		{&l.MaxStorageBufferRange, 1 << 27}, {&l.MaxComputeSharedMemorySize, 16 << 10}, {&l.MaxComputeWorkGroupInvocations, 128},
		{&l.MaxComputeWorkGroupCount[0], 65535}, {&l.MaxComputeWorkGroupCount[1], 65535}, {&l.MaxComputeWorkGroupCount[2], 65535},
		{&l.MaxComputeWorkGroupSize[0], 128}, {&l.MaxComputeWorkGroupSize[1], 128}, {&l.MaxComputeWorkGroupSize[2], 64},
	} {
		*v.at = min(*v.at, v.least)
	}
	l.MaxMemoryAllocationSize, l.MaxBufferSize = min(l.MaxMemoryAllocationSize, 1<<30), min(l.MaxBufferSize, 1<<30)
	l.MinStorageBufferOffsetAlignment, l.MinUniformBufferOffsetAlignment = 256, 256
	l.NonCoherentAtomSize, l.BufferImageGranularity = 256, 131072
	l.MaxSamplerAnisotropy = min(l.MaxSamplerAnisotropy, 1)
}
