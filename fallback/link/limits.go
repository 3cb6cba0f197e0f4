package link

import (
	"cmp"
	"context"
	"fmt"

	"github.com/everray/everray/fallback/spirv"
)

// What a link may make of small modules: valid ones may want more than any device could run, and more than is bearable.
const (
	// maxInlined bounds the blocks of an entry function: calls of functions that call others twice double with each level.
	maxInlined = 1 << 14
	// maxInlinedInstructions bounds its instructions, and the decorations that copies bring.
	maxInlinedInstructions = 1 << 19
	// maxIDs bounds the ids of a linked module: a limit of SPIR-V (2.17).
	maxIDs = 1 << 22
	// maxCases bounds the cases of a switch, here states, fragments and descriptors: a limit of SPIR-V, too.
	maxCases = 16383
	// maxFrame bounds the dwords of a frame: 256 KiB of memory for a lane.
	maxFrame = 1 << 16
	// maxSpilled bounds what all frames of a shader hold: each of it is stored and loaded by code of its own.
	maxSpilled = 1 << 18
)

// stop ends a pass from within, however deep; run takes it back.
type stop struct{ err error }

// work is called by passes as they go, for about each instruction. Now and then it looks whether the context has ended, or
// the module grown past its limits, and ends the pass if so.
func (j *job) work(n int) {
	if j.done += n; j.done < j.look {
		return
	}
	const often = 1 << 12
	j.look = j.done + often
	if j.ctx != nil && j.ctx.Err() != nil {
		panic(stop{j.ctx.Err()})
	}
	if j.grows != nil && j.grows.Bound > maxIDs {
		panic(stop{j.tooLarge("more than %d ids", maxIDs)})
	}
}

// cfg returns the control flow graph of a function.
func (j *job) cfg(f *spirv.Function) *spirv.CFG {
	c, err := spirv.NewCFGContext(cmp.Or[context.Context](j.ctx, context.Background()), f)
	if err != nil {
		panic(stop{err})
	}
	return c
}

// tooLarge returns an ErrUnsupported about the linked module, which names the shader at work.
func (j *job) tooLarge(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if j.at != nil {
		return j.at.unsupported("%s in the linked module; split the pipeline, or the shader", what)
	}
	return fmt.Errorf("%s in the linked module; split the pipeline: %w", what, ErrUnsupported)
}

// index reads a module.
func (j *job) index(m *spirv.Module) *spirv.Index {
	x := spirv.NewIndexContext(cmp.Or[context.Context](j.ctx, context.Background()), m)
	j.heed() // what ended with the context is a part
	return x
}

// heed looks at once.
func (j *job) heed() {
	j.look = j.done
	j.work(0)
}

// nameOf returns the debug name of an id, or its number, for messages.
func (s *mergedStage) nameOf(id spirv.ID) string {
	if name := s.names[id]; name != "" {
		return name
	}
	return fmt.Sprintf("%%%d", id)
}
