package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// faultyRig is a rig over the scene, and a launch of it that lacks hit records.
type faultyRig struct {
	*rig
	lacking *engine.Table
}

func newFaultyRig(t *testing.T, d *engine.Device, s *scene) faultyRig {
	t.Helper()
	r := faultyRig{rig: newRig(t, d, imageSize)}
	layout := tableLayout()
	layout.Hit = layout.Hit[:1]
	var err error
	r.lacking, err = d.NewTable(t.Context(), r.pipeline, layout)
	check(t, err)
	t.Cleanup(r.lacking.Destroy)
	r.set.WriteAccelerationStructure(0, 0, s.tlas)
	return r
}

// launch records a launch that faults, or one that does not.
func (r *faultyRig) launch(cb *vk.CommandBuffer, faulty bool) error {
	o := r.options(0, 0xFF)
	if faulty {
		o.Table = r.lacking
	}
	return r.device.CmdTraceRays(cb, o)
}

func (r *faultyRig) run(ctx context.Context, faulty bool) error {
	return r.device.Run(ctx, "launch", func(cb *vk.CommandBuffer) error { return r.launch(cb, faulty) })
}

// faultsOf is the number of faults that an error reports.
func faultsOf(t *testing.T, err error) int {
	t.Helper()
	var fault *engine.FaultError
	if !errors.As(err, &fault) || len(fault.Faults) == 0 || fault.Faults[0].Shader == "" {
		t.Fatalf("got %v, want a FaultError that names a shader", err)
	}
	return fault.Total
}

// TestFaultsBelongToTheirRun runs a clean launch between the recording and the submission of a faulty one, and both from
// several goroutines: nobody gets another's faults, or loses his own.
func TestFaultsBelongToTheirRun(t *testing.T) {
	d := open(t, engine.BackendCompute)
	s := newScene(t, d)
	bad, good := newFaultyRig(t, d, s), newFaultyRig(t, d, s)
	want := faultsOf(t, bad.run(t.Context(), true))
	err := d.Run(t.Context(), "around", func(cb *vk.CommandBuffer) error {
		if err := bad.launch(cb, true); err != nil {
			return err
		}
		check(t, good.run(t.Context(), false))
		return nil
	})
	if got := faultsOf(t, err); got != want {
		t.Errorf("with a clean launch in between %d faults, alone %d", got, want)
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 100 {
				var fault *engine.FaultError
				if err := bad.run(t.Context(), true); !errors.As(err, &fault) || fault.Total != want {
					t.Errorf("a faulty Run returns %v, want %d faults", err, want)
					return
				}
			}
		})
		group.Go(func() {
			for range 100 {
				if err := good.run(t.Context(), false); err != nil {
					t.Errorf("a clean Run returns %v", err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestFaultsOfCancelledRun ends the context of a Run that faults: its faults are gone with it.
func TestFaultsOfCancelledRun(t *testing.T) {
	d := open(t, engine.BackendCompute)
	s := newScene(t, d)
	r := newFaultyRig(t, d, s)
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Run(ctx, "cancelled", func(cb *vk.CommandBuffer) error {
		defer cancel()
		return r.launch(cb, true)
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrFault) {
		t.Errorf("got %v, want the context's error", err)
	}
	check(t, r.run(t.Context(), false))
}

// TestFaultsOfSubmissions has two primaries in flight that execute the same faulty secondary, and a clean one that shares
// another secondary with one of them: each gets its own, every time it is submitted.
func TestFaultsOfSubmissions(t *testing.T) {
	d := open(t, engine.BackendCompute)
	s := newScene(t, d)
	bad, good := newFaultyRig(t, d, s), newFaultyRig(t, d, s)
	secondary := func(r *faultyRig, faulty bool) *vk.CommandBuffer {
		return record(t, d, true, "secondary", func(cb *vk.CommandBuffer) error {
			d.CmdBarrier(cb) // after an earlier execution, which writes to the same image
			return r.launch(cb, faulty)
		})
	}
	faulty, clean := secondary(&bad, true), secondary(&good, false)
	primary := func(name string, list ...*vk.CommandBuffer) *vk.CommandBuffer {
		return record(t, d, false, name, func(cb *vk.CommandBuffer) error {
			cb.ExecuteCommands(list...)
			return nil
		})
	}
	once, twice := primary("once", faulty, clean), primary("twice", faulty, faulty)
	none := primary("clean", clean)
	direct := record(t, d, false, "direct", func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		return bad.launch(cb, true)
	})
	check(t, d.Faults(t.Context(), once)) // not submitted yet
	var want int
	for round := range 3 {
		for _, cb := range []*vk.CommandBuffer{once, twice, none, direct} {
			_, err := d.VK().SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{cb}})
			check(t, err)
		}
		n := faultsOf(t, d.Faults(t.Context(), once))
		if want == 0 {
			want = n
		}
		two, one := faultsOf(t, d.Faults(t.Context(), twice)), faultsOf(t, d.Faults(t.Context(), direct))
		if n != want || two != 2*want || one != want {
			t.Errorf("round %d: %d, %d and %d faults, want %d, %d and %d", round, n, two, one, want, 2*want, want)
		}
		check(t, d.Faults(t.Context(), none))
	}
}
