package measure

import (
	"errors"
	"testing"

	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

func TestRepeat(t *testing.T) {
	timer, err := NewTimer(devtest.Open(t, engine.BackendCompute))
	if err != nil {
		t.Fatal(err)
	}
	defer timer.Destroy()
	broken := errors.New("broken")
	for _, c := range []struct {
		name     string
		n        int
		fail     error // of the second recording
		recorded int
		want     error
	}{
		{"once", 1, nil, 1, nil},
		{"most", MaxRepeats, nil, MaxRepeats, nil},
		{"none", 0, nil, 0, ErrRepeats},
		{"too often", MaxRepeats + 1, nil, 0, ErrRepeats},
		{"an error", 3, broken, 2, broken},
	} {
		recorded := 0
		times, err := timer.Repeat(t.Context(), c.name, c.n, func(*vk.CommandBuffer) error {
			if recorded++; recorded == 2 {
				return c.fail
			}
			return nil
		})
		if !errors.Is(err, c.want) || recorded != c.recorded || err == nil && len(times) != c.n {
			t.Errorf("%s: %v, %v, recorded %d times", c.name, times, err, recorded)
		}
		for _, d := range times {
			if d < 0 {
				t.Errorf("%s took %v", c.name, d)
			}
		}
	}
}
