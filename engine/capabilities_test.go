package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/vk"
)

// TestCapabilities holds capabilities against devices without any feature, and with all.
func TestCapabilities(t *testing.T) {
	tests := []struct {
		capability spirv.Capability
		backend    Backend
		want       string // empty: nothing is refused
	}{
		{spirv.CapabilityRayTracingPositionFetchKHR, BackendNative,
			"rayTracingPositionFetch, for OpCapability RayTracingPositionFetchKHR natively (BackendCompute"},
		{spirv.CapabilityRayTracingPositionFetchKHR, BackendCompute, ""},
		{spirv.CapabilityRayQueryKHR, BackendNative, "rayQuery"},
		{spirv.CapabilityShaderInvocationReorderNV, BackendNative, "rayTracingInvocationReorder (NV), for OpCapability"},
		{spirv.CapabilityShaderInvocationReorderEXT, BackendNative, "rayTracingInvocationReorder (EXT), for OpCapability"},
		{spirv.CapabilityShaderInvocationReorderEXT, BackendCompute, ""},
		{spirv.CapabilityRayTracingClusterAccelerationStructureNV, BackendCompute, ""},
		{spirv.CapabilityRayQueryKHR, BackendCompute, ""},
		{spirv.CapabilityFloat64, BackendNative, "shaderFloat64"},
		{spirv.CapabilityFloat64, BackendCompute, "shaderFloat64, for OpCapability Float64"},
		{spirv.CapabilityShader, BackendNative, ""},
	}
	for _, tt := range tests {
		err := checkCapabilities([]spirv.Capability{spirv.CapabilityShader, tt.capability}, tt.backend, vk.Features{})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v, %v: %v", tt.capability, tt.backend, err)
		case tt.want != "" && (!errors.Is(err, ErrUnsupported) || !errors.Is(err, vk.ErrMissingFeature) ||
			!strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v, %v: got %v, want ErrUnsupported with %q", tt.capability, tt.backend, err, tt.want)
		}
	}
	for c, r := range requirements {
		if r.has == nil {
			err := checkCapabilities([]spirv.Capability{c}, BackendNative, vk.AllFeatures())
			if !r.native || !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v: got %v, want ErrUnsupported natively", c, err)
			}
			continue
		}
		known := false
		for _, name := range vk.AllFeatures().Names() {
			known = known || name == r.feature
		}
		if !known || !r.has(vk.AllFeatures()) || r.has(vk.Features{}) {
			t.Errorf("%v needs %q, which is no feature of package vk's, or the function does not look at it", c, r.feature)
		}
	}
}
