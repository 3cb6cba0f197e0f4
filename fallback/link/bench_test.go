package link

import (
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// BenchmarkLink links the pipeline of one shape: six shaders, a function with early returns that traces in loops.
func BenchmarkLink(b *testing.B) {
	runtime := runtimeModule(b)
	for _, s := range shapes.All() {
		if s.Name != "function-early-return" {
			continue
		}
		stages := pipelineOf(b, &glsltest.Compiler{}, s)
		for b.Loop() {
			if _, err := Link(b.Context(), runtime, stages, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
