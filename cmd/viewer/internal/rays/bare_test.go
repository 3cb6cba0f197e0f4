package rays

import (
	"errors"
	"slices"
	"testing"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
)

// tracerOf makes a tracer of a scene, which both live as long as the test.
func tracerOf(t *testing.T, dev *engine.Device, name string, kind Kind) (*Tracer, *assets.Scene) {
	t.Helper()
	scene, err := assets.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := accel.Upload(t.Context(), dev, scene, accel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Destroy)
	tr, err := NewTracer(t.Context(), dev, s, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Destroy)
	return tr, scene
}

// The bare traversal finds what the pipeline finds, in sizes that fill no tile.
func TestBareAgreesWithThePipeline(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	for _, kind := range []Kind{ClosestHit, Occlusion} {
		tr, scene := tracerOf(t, dev, "field:30", kind)
		b, err := NewBare(t.Context(), tr)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Destroy()
		const width, height = 3*bareTile + 3, 2*bareTile + 1
		list := RandomRays(width*height, BoundsOf(scene))
		// results traces, after other rays have been, and returns how many hit, and what was found.
		results := func(trace func() error) (hits int, found []uint32) {
			if err := tr.SetRays(t.Context(), list, width, height); err != nil {
				t.Fatal(err)
			}
			if err := trace(); err != nil {
				t.Fatal(err)
			}
			if kind == Occlusion {
				found, err = tr.Occluded(t.Context())
				for _, o := range found {
					hits += int(o)
				}
			} else {
				var closest []ClosestResult
				closest, err = tr.Closest(t.Context())
				for _, c := range closest {
					found = append(found, c.Primitive)
					if c.T >= 0 {
						hits++
					}
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			return hits, found
		}
		hits, want := results(func() error { _, err := tr.Trace(t.Context(), 1); return err })
		_, got := results(func() error { _, err := b.Trace(t.Context(), 2); return err })
		if !slices.Equal(got, want) || hits == 0 || hits == len(list) {
			t.Errorf("kind %d: %d hits; by the pipeline %v, bare %v", kind, hits, want, got)
		}
	}
}

func TestBareRefuses(t *testing.T) {
	native, _ := tracerOf(t, devtest.Open(t, engine.BackendNative), "cornell", ClosestHit)
	verify, _ := tracerOf(t, devtest.Open(t, engine.BackendCompute), "cornell", Verify)
	for _, tr := range []*Tracer{native, verify} {
		if b, err := NewBare(t.Context(), tr); !errors.Is(err, engine.ErrInvalid) || b != nil {
			t.Errorf("%v, %v", b, err)
		}
	}
}

func TestIdleLaunches(t *testing.T) {
	for _, backend := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		dev := devtest.Open(t, backend)
		idle, _ := tracerOf(t, dev, "cornell", Idle)
		d, err := NewDispatch(t.Context(), dev)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Destroy()
		for _, n := range []int{1, measure.MaxRepeats} {
			if times, err := idle.TraceNothing(t.Context(), 20, 10, n); err != nil || len(times) != n {
				t.Errorf("%s: %v, %v", backend, times, err)
			}
			if times, err := d.Run(t.Context(), 20, 10, n); err != nil || len(times) != n {
				t.Errorf("%s: %v, %v", backend, times, err)
			}
		}
		if _, err := d.Run(t.Context(), 20, 10, measure.MaxRepeats+1); !errors.Is(err, measure.ErrRepeats) {
			t.Errorf("%s: %v", backend, err)
		}
		closest, _ := tracerOf(t, dev, "cornell", ClosestHit)
		if _, err := closest.TraceNothing(t.Context(), 20, 10, 1); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", backend, err)
		}
	}
}
