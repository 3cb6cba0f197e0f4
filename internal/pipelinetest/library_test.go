package pipelinetest_test

import (
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/shapes"
)

// divide moves the miss shaders of a shape's pipeline into one library, the hit groups into another.
func (b *bench) divide(t *testing.T, o engine.PipelineOptions) engine.PipelineOptions {
	t.Helper()
	misses, hits := o, o
	misses.Stages, misses.Groups = o.Stages[1:3], []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1)}
	hits.Stages = o.Stages[3:]
	any := engine.Unused
	if o.Groups[3].AnyHit != engine.Unused {
		any = 2
	}
	hits.Groups = []engine.Group{engine.TrianglesGroup(0, any), engine.TrianglesGroup(1, engine.Unused)}
	o.Stages, o.Groups = o.Stages[:1], o.Groups[:1]
	for _, library := range []engine.PipelineOptions{misses, hits} {
		y, err := b.dev.NewPipelineLibrary(t.Context(), library)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(y.Destroy)
		o.Libraries = append(o.Libraries, y)
	}
	return o
}

// TestLibraries runs shapes whose hit and miss shaders come from libraries, natively and by compute.
func TestLibraries(t *testing.T) {
	native, compute := openBenches(t)
	native.libraries, compute.libraries = true, true
	for _, s := range shapes.All() {
		switch s.Name {
		case "switch", "nested-function", "any-hit-payload", "recursion":
			t.Run(s.Name, func(t *testing.T) {
				want := native.run(t, s, true, engine.FormAuto)
				for _, form := range []engine.LinkForm{engine.FormMegakernel, engine.FormBlocks, engine.FormWavefront, engine.FormSorted,
					engine.FormSuspended} {
					compareShape(t, s, form.String(), want, compute.run(t, s, true, form))
				}
			})
		}
	}
}
