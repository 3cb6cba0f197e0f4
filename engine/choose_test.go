package engine

import (
	"errors"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	noRT := []string{"VK_KHR_acceleration_structure", "VK_KHR_ray_tracing_pipeline"}
	tests := []struct {
		name   string
		traits traits
		want   Backend
		chosen Backend
		reason string
		err    error
	}{
		{"RTX", traits{name: "NVIDIA GeForce RTX 4090", vendor: vendorNVIDIA}, BackendAuto, BackendNative, "has native", nil},
		{"L40S", traits{name: "NVIDIA L40S", vendor: vendorNVIDIA}, BackendAuto, BackendNative, "has native", nil},
		{"A10 has RT cores", traits{name: "NVIDIA A10", vendor: vendorNVIDIA}, BackendAuto, BackendNative, "has native", nil},
		{"RTX A1000 is no A100", traits{name: "NVIDIA RTX A1000", vendor: vendorNVIDIA}, BackendAuto, BackendNative, "has native", nil},
		{"H200", traits{name: "NVIDIA H200", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "H200 has no ray tracing units", nil},
		{"H100 PCIe", traits{name: "NVIDIA H100 PCIe", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "H100", nil},
		{"A100", traits{name: "NVIDIA A100-SXM4-80GB", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "A100", nil},
		{"GH200", traits{name: "NVIDIA GH200 480GB", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "GH200", nil},
		{"B200", traits{name: "NVIDIA B200", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "B200", nil},
		{"GTX 1080 Ti", traits{name: "NVIDIA GeForce GTX 1080 Ti", vendor: vendorNVIDIA}, BackendAuto, BackendCompute, "GTX 1080", nil},
		{"H200 natively", traits{name: "NVIDIA H200", vendor: vendorNVIDIA}, BackendNative, BackendNative, "asked for", nil},
		{"table is NVIDIA's", traits{name: "AMD A100 replica", vendor: 0x1002}, BackendAuto, BackendNative, "has native", nil},
		{"lavapipe", traits{name: "llvmpipe", driver: driverLavapipe}, BackendAuto, BackendCompute, "hundreds of times slower", nil},
		{"lavapipe natively", traits{name: "llvmpipe", driver: driverLavapipe}, BackendNative, BackendNative, "asked for", nil},
		{"no extensions", traits{name: "old", missing: noRT}, BackendAuto, BackendCompute, "VK_KHR_ray_tracing_pipeline", nil},
		{"no extensions natively", traits{name: "old", missing: noRT}, BackendNative, 0, "", ErrNativeUnavailable},
		{"compute", traits{name: "RTX"}, BackendCompute, BackendCompute, "asked for", nil},
		{"nonsense", traits{name: "RTX"}, Backend(9), 0, "", ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, reason, err := choose(tt.traits, tt.want)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if errors.Is(err, ErrNativeUnavailable) && !strings.Contains(err.Error(), "VK_KHR_acceleration_structure, VK_KHR_ray_tracing_pipeline") {
				t.Errorf("%v names no extension", err)
			}
			if got != tt.chosen || !strings.Contains(reason, tt.reason) {
				t.Errorf("chose %v because %q, want %v because %q", got, reason, tt.chosen, tt.reason)
			}
		})
	}
}

func TestParseBackend(t *testing.T) {
	for text, want := range map[string]Backend{"": BackendAuto, "auto": BackendAuto, "Native": BackendNative, "compute": BackendCompute} {
		if got, err := ParseBackend(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if _, err := ParseBackend("gpu"); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
	for _, b := range []Backend{BackendAuto, BackendNative, BackendCompute} {
		if got, err := ParseBackend(b.String()); err != nil || got != b {
			t.Errorf("%v does not parse back: %v, %v", b, got, err)
		}
	}
}
