package engine_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// TestGoroutines has goroutines do all that a program may do at the same time: builds, compaction, blobs, pipelines that come and
// go, launches that fault and launches that do not.
func TestGoroutines(t *testing.T) {
	d := open(t, engine.BackendCompute)
	s := newScene(t, d)
	f := newFailing(t, d)
	const rounds = 3
	do := func(name string, group *sync.WaitGroup, step func(rng *rand.Rand) error) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range rounds {
				if err := step(rng); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	clean, faulty := newFaultyRig(t, d, s), newFaultyRig(t, d, s)
	var group sync.WaitGroup
	do("compact", &group, func(*rand.Rand) error { return f.compact() })
	do("blobs", &group, func(*rand.Rand) error { return f.blobs() })
	do("pipeline", &group, func(*rand.Rand) error { return f.pipeline() })
	do("clean launches", &group, func(*rand.Rand) error { return clean.run(t.Context(), false) })
	do("faulty launches", &group, func(*rand.Rand) error {
		if err := faulty.run(t.Context(), true); !errors.Is(err, engine.ErrFault) {
			return errors.Join(errors.New("it reports no fault"), err)
		}
		return nil
	})
	do("builds", &group, func(rng *rand.Rand) error {
		in := f.mesh
		in.Info.Flags = []vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild, vk.AllowUpdate}[rng.IntN(4)]
		list, _, err := d.BuildAccelerationStructures(t.Context(), []engine.BuildInput{in})
		if err == nil {
			list[0].Destroy()
		}
		return err
	})
	group.Wait()
}
