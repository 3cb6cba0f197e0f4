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
func (l *linker) work(n int) {
	if l.done += n; l.done < l.look {
		return
	}
	const often = 1 << 12
	l.look = l.done + often
	if l.ctx != nil && l.ctx.Err() != nil {
		panic(stop{l.ctx.Err()})
	}
	if l.out != nil && l.out.Bound > maxIDs {
		panic(stop{l.tooLarge("more than %d ids", maxIDs)})
	}
}

// cfg returns the control flow graph of a function.
func (l *linker) cfg(f *spirv.Function) *spirv.CFG {
	c, err := spirv.NewCFGContext(cmp.Or[context.Context](l.ctx, context.Background()), f)
	if err != nil {
		panic(stop{err})
	}
	return c
}

// tooLarge returns an ErrUnsupported about the linked module, which names the shader at work.
func (l *linker) tooLarge(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if l.at != nil {
		return l.at.unsupported("%s in the linked module; split the pipeline, or the shader", what)
	}
	return fmt.Errorf("%s in the linked module; split the pipeline: %w", what, ErrUnsupported)
}

// each runs a pass for every stage and notes which one is at work.
func (l *linker) each(do func(*stage) error) error {
	for _, s := range l.stages {
		l.at, l.function, l.inst = s, 0, nil
		l.work(1)
		if err := do(s); err != nil {
			return err
		}
	}
	l.at, l.function, l.inst = nil, 0, nil
	return nil
}

// heed looks at once.
func (l *linker) heed() {
	l.look = l.done
	l.work(0)
}

// nameOf returns the debug name of an id, or its number, for messages.
func (s *stage) nameOf(id spirv.ID) string {
	if s.module != nil {
		return s.module.NameOf(id)
	}
	if name := s.names[id]; name != "" {
		return name
	}
	return fmt.Sprintf("%%%d", id)
}
