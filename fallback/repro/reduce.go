package repro

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
)

// ErrNoFailure is returned by Reduce for a case that links.
var ErrNoFailure = errors.New("the case links without an error: nothing to reduce")

// unsteady are the parts of an error's text that change with what does not matter: names in quotes, ids and numbers.
var unsteady = regexp.MustCompile(`"[^"]*"|%\w+|\b\d+\b`)

// Signature is what makes two failures the same: of an internal error the pass and what it panicked with, of others their text;
// without names and numbers.
func Signature(err error) string {
	if internal := (*link.InternalError)(nil); errors.As(err, &internal) {
		return fmt.Sprintf("internal error in pass %s: %s", internal.Pass, unsteady.ReplaceAllString(fmt.Sprint(internal.Value), "#"))
	}
	return unsteady.ReplaceAllString(err.Error(), "#")
}

// ReduceOptions of Case.Reduce.
type ReduceOptions struct {
	// Check links with the checks after each pass, for failures that only they find.
	Check bool
	// Log, if not nil, is told what was dropped.
	Log func(what string)
	// fails, for tests, is asked in place of the linker.
	fails func(*Case) bool
}

// Reduce drops libraries, stages, functions, branches and instructions for as long as the case fails in the same way, and valid
// modules stay valid. It returns what is left, at the end of ctx what is left by then.
func (c *Case) Reduce(ctx context.Context, o ReduceOptions) (*Case, error) {
	r := &reducer{ctx: ctx, options: o, fails: o.fails}
	if r.fails == nil {
		_, _, err := c.Link(ctx, Options{Check: o.Check})
		if err == nil {
			return nil, ErrNoFailure
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		want := Signature(err)
		r.fails = func(c *Case) bool {
			_, _, err := c.Link(ctx, Options{Check: o.Check})
			return err != nil && ctx.Err() == nil && Signature(err) == want
		}
	} else if !r.fails(c) {
		return nil, ErrNoFailure
	}
	copied := *c
	r.best = &copied
	for before := -1; before != r.done && ctx.Err() == nil; {
		before = r.done
		r.dropSets()
		r.eachModule(r.dropFunctions)
		r.eachModule(r.straighten)
		r.eachModule(r.dropInstructions)
		r.eachModule(r.dropUnused)
	}
	return r.best, nil
}

type reducer struct {
	ctx     context.Context
	options ReduceOptions
	fails   func(*Case) bool
	best    *Case
	done    int // steps that were taken
}

// try takes a candidate if it fails, too.
func (r *reducer) try(c *Case, what string) bool {
	if r.ctx.Err() != nil || !r.fails(c) {
		return false
	}
	r.best, r.done = c, r.done+1
	if r.options.Log != nil {
		r.options.Log(what)
	}
	return true
}

// dropSets drops libraries, stages and what stages are specialised with. Groups no longer fit then.
func (r *reducer) dropSets() {
	for i := len(r.best.Libraries) - 1; i >= 0; i-- {
		c := *r.best
		c.Libraries, c.Groups = slices.Delete(slices.Clone(c.Libraries), i, i+1), nil
		r.try(&c, fmt.Sprintf("library %d", i))
	}
	for i := len(r.best.Stages) - 1; i >= 0 && r.best.Kind != Shader; i-- {
		c := *r.best
		c.Stages, c.Groups = slices.Delete(slices.Clone(c.Stages), i, i+1), nil
		r.try(&c, "stage "+r.best.Stages[i].Name)
	}
	for l := range r.best.Libraries {
		for i := len(r.best.Libraries[l].Stages) - 1; i >= 0; i-- {
			c := *r.best
			c.Libraries, c.Groups = slices.Clone(c.Libraries), nil
			y := &c.Libraries[l]
			name := y.Stages[i].Name
			y.Stages = slices.Delete(slices.Clone(y.Stages), i, i+1)
			r.try(&c, fmt.Sprintf("library %d, stage %s", l, name))
		}
	}
}

// place says where a stage stands: library -1 is the pipeline.
type place struct{ library, stage int }

func (c *Case) stage(p place) *link.Stage {
	if p.library < 0 {
		return &c.Stages[p.stage]
	}
	return &c.Libraries[p.library].Stages[p.stage]
}

// with is the case with other code for a stage.
func (c *Case) with(p place, code []uint32) *Case {
	out := *c
	if p.library < 0 {
		out.Stages = slices.Clone(out.Stages)
	} else {
		out.Libraries = slices.Clone(out.Libraries)
		out.Libraries[p.library].Stages = slices.Clone(out.Libraries[p.library].Stages)
	}
	out.stage(p).Code = code
	return &out
}

// eachModule reduces the modules of all stages that can be read.
func (r *reducer) eachModule(reduce func(*module)) {
	places := make([]place, 0, len(r.best.Stages))
	for i := range r.best.Stages {
		places = append(places, place{-1, i})
	}
	for l, y := range r.best.Libraries {
		for i := range y.Stages {
			places = append(places, place{l, i})
		}
	}
	for _, p := range places {
		m, err := spirv.Decode(r.best.stage(p).Code)
		if err != nil {
			continue
		}
		reduce(&module{r: r, at: p, m: m, valid: spirv.Verify(m) == nil})
	}
}

// module is a stage's module as the case has it.
type module struct {
	r     *reducer
	at    place
	m     *spirv.Module
	valid bool
}

// try takes a module that was changed, and tells whether the case still fails. A module that was valid is to stay so: what the
// linker does with others is not its fault.
func (y *module) try(m *spirv.Module, what string) bool {
	if y.valid && spirv.Verify(m) != nil {
		return false
	}
	if !y.r.try(y.r.best.with(y.at, m.Encode()), fmt.Sprintf("%s of %s", what, y.r.best.stage(y.at).Name)) {
		return false
	}
	y.m = m
	return true
}

// size is the number of a module's instructions.
func size(m *spirv.Module) (n int) {
	m.EachFunctionInst(func(*spirv.Inst) { n++ })
	return n + len(m.Globals) + len(m.Annotations) + len(m.Names) + len(m.DebugStrings)
}

// Instructions is how many instructions the modules of a case have.
func (c *Case) Instructions() (n int) {
	sets := append([]Set{c.Set}, c.Libraries...)
	for _, y := range sets {
		for _, s := range y.Stages {
			if m, err := spirv.Decode(s.Code); err == nil {
				n += size(m)
			}
		}
	}
	return n
}
