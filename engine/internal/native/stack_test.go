package native

import (
	"testing"

	"github.com/everray/everray/engine/internal/driver"
)

func TestStackSize(t *testing.T) {
	needs := stackNeeds{
		driver.Raygen: 100, driver.ClosestHit: 40, driver.Miss: 10, driver.AnyHit: 20, driver.Intersection: 30, driver.Callable: 7,
	}
	for recursion, want := range map[uint32]uint32{0: 114, 1: 164, 2: 204, 5: 324} {
		if got := needs.size(recursion); got != want {
			t.Errorf("recursion %d: %d bytes, want %d", recursion, got, want)
		}
	}
}
