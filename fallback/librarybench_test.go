package fallback_test

import (
	"testing"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/rt"
)

// BenchmarkLibrary measures what is left of linking a pipeline with 200 hit shaders in a library and three others.
func BenchmarkLibrary(b *testing.B) {
	s := shapes.All()[0]
	hit := glsltest.Compile(b, "rchit", shapes.Recursive)
	var stages []fallback.Stage
	for range 200 {
		stages = append(stages, fallback.Stage{Kind: fallback.ClosestHit, Code: hit})
	}
	rest := []fallback.Stage{
		{Kind: fallback.Raygen, Code: glsltest.Compile(b, "rgen", s.Raygen)},
		{Kind: fallback.Miss, Code: glsltest.Compile(b, "rmiss", shapes.Miss)},
		{Kind: fallback.Miss, Code: glsltest.Compile(b, "rmiss", shapes.OtherMiss)},
	}
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			if _, err := fallback.LinkForBenchmark(b.Context(), append(rest[:3:3], stages...), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	library, err := fallback.NewLibrary(b.Context(), fallback.LibraryOptions{Pipeline: rt.Pipeline{Name: "hits", Stages: stages}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("added", func(b *testing.B) {
		for b.Loop() {
			if _, err := fallback.LinkForBenchmark(b.Context(), rest, library); err != nil {
				b.Fatal(err)
			}
		}
	})
}
