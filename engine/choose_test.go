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
		{"RTX", traits{name: "NVIDIA GeForce RTX 4090", driver: driverNVIDIA, queries: true}, BackendAuto, BackendNative, "has native",
			nil},
		{"another driver without queries", traits{name: "other", driver: 3}, BackendAuto, BackendNative, "has native", nil},
		{"H200", traits{name: "NVIDIA H200", driver: driverNVIDIA}, BackendAuto, BackendCompute, "emulates", nil},
		{"H200 natively", traits{name: "NVIDIA H200", driver: driverNVIDIA}, BackendNative, BackendNative, "asked for", nil},
		{"RTX without hit objects", traits{name: "RTX", queries: true, hitObjects: true}, BackendAuto, BackendCompute,
			"Options.HitObjects", nil},
		{"RTX without hit objects, natively", traits{name: "RTX", queries: true, hitObjects: true}, BackendNative, BackendNative,
			"asked for", nil},
		{"RTX with clusters", traits{name: "RTX", queries: true, clusters: true}, BackendAuto, BackendCompute, "Options.Clusters", nil},
		{"clusters natively", traits{name: "RTX", queries: true, clusters: true}, BackendNative, 0, "", ErrUnsupported},
		{"clusters by compute", traits{name: "RTX", clusters: true}, BackendCompute, BackendCompute, "asked for", nil},
		{"lavapipe", traits{name: "llvmpipe", driver: driverLavapipe}, BackendAuto, BackendCompute, "lavapipe", nil},
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
			if errors.Is(err, ErrNativeUnavailable) &&
				!strings.Contains(err.Error(), "VK_KHR_acceleration_structure, VK_KHR_ray_tracing_pipeline") {
				t.Errorf("%v names no extension", err)
			}
			if got != tt.chosen || !strings.Contains(reason, tt.reason) {
				t.Errorf("chose %v because %q, want %v because %q", got, reason, tt.chosen, tt.reason)
			}
		})
	}
}

func TestParseBackend(t *testing.T) {
	for text, want := range map[string]Backend{"": BackendAuto, "auto": BackendAuto, "Native": BackendNative,
		"compute": BackendCompute} {
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
