package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
)

func TestList(t *testing.T) {
	infos, err := engine.List(t.Context(), engine.Options{})
	if errors.Is(err, engine.ErrNoDriver) {
		t.Skip(err)
	}
	check(t, err)
	for i, info := range infos {
		t.Logf("%d: %s (%s, %s, Vulkan %s): %v because %s; limits %+v", i, info.Name, info.TypeName(), info.DriverInfo, info.APIVersion,
			info.Backend, info.Reason, info.Limits)
		if info.Index != i || info.Name == "" || info.APIVersion == "" {
			t.Errorf("incomplete: %+v", info)
		}
		if info.Err != nil {
			continue
		}
		if info.Backend == engine.BackendAuto || info.Reason == "" || info.Limits.MaxInvocations == 0 {
			t.Errorf("no way chosen: %+v", info)
		}
		if info.Driver == "llvmpipe" && info.Backend != engine.BackendCompute {
			t.Errorf("%v chosen on lavapipe", info.Backend)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := engine.Open(t.Context(), engine.Options{Device: "no such device"})
	if errors.Is(err, engine.ErrNoDriver) {
		t.Skip(err)
	}
	if !errors.Is(err, engine.ErrUnknownDevice) || !strings.Contains(err.Error(), "0: ") {
		t.Errorf("unknown device: got %v, want ErrUnknownDevice with a list", err)
	}
	if _, err := engine.Open(t.Context(), engine.Options{Backend: 17}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("unknown backend: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Open(ctx, engine.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

func TestOpenInfo(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		info := d.Info()
		if info.Backend != d.Backend() || info.Reason != d.Reason() || info.Limits != d.Limits() {
			t.Errorf("info %+v differs from the device's own words", info)
		}
		if build, trace := d.Stages(); build == 0 || trace == 0 {
			t.Errorf("stages %#x and %#x", build, trace)
		}
	})
}

func TestCloseReportsLeaks(t *testing.T) {
	d, err := engine.Open(t.Context(), engine.Options{Backend: engine.BackendCompute})
	if errors.Is(err, engine.ErrNoDriver) {
		t.Skip(err)
	}
	check(t, err)
	if _, err := d.NewBuildInput(t.Context(), "forgotten", []byte{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("got %v, want an error that names the buffer", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestPrepareBuilds gives up when told to, and is in nobody's way.
func TestPrepareBuilds(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.PrepareBuilds(ctx); d.Backend() == engine.BackendCompute && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		done := make(chan error)
		go func() { done <- d.PrepareBuilds(t.Context()) }()
		x, err := engine.NewIntersector(t.Context(), d, engine.Mesh{Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}})
		check(t, err)
		defer x.Destroy()
		check(t, <-done)
		hits, err := x.Trace(t.Context(), []engine.Ray{{Origin: [3]float32{0.7, 0.2, 2}, Direction: [3]float32{0, 0, -1}}})
		check(t, err)
		if len(hits) != 1 || !hits[0].OK {
			t.Errorf("%+v", hits)
		}
	})
}
