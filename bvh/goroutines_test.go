package bvh

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/everray/everray/vk"
)

// TestGoroutinesRecord has goroutines record builds with one builder, whose kernels the first of them compile, each into a command
// buffer of its own; one of them has too little time for it.
func TestGoroutinesRecord(t *testing.T) {
	r := newRig(t)
	const goroutines, rounds = 4, 3
	var builds [goroutines][]Build
	for i := range builds {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		flags := []vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild}[i%3]
		builds[i] = r.prepare(r.soupInput(randomSoup(rng, 50+200*i, 0.1), flags, 0))
	}
	var group sync.WaitGroup
	for i, list := range builds {
		group.Go(func() {
			for range rounds {
				if err := r.dev.Run(t.Context(), fmt.Sprintf("build %d", i), func(cb *vk.CommandBuffer) error {
					return r.builder.CmdBuild(cb, list)
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Go(func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := r.builder.Prepare(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	group.Wait()
	for i, list := range builds {
		if s, _ := r.read(bufferOf(list[0].Dst)); s == nil {
			t.Errorf("build %d is not there", i)
		}
	}
}
