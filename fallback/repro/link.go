package repro

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/shaders"
)

// Pass is what one pass of the linker made.
type Pass struct {
	Name string
	// Library is the number of the library that was made, -1 for the pipeline.
	Library int
	// Words, Functions and Instructions are those of the module after it.
	Words, Functions, Instructions int
	// Time is that of the pass, with the checks after it if there are any.
	Time time.Duration
}

// Options of Case.Link. The zero value links as the application did.
type Options struct {
	// Check verifies the module after each pass, and what the passes promise.
	Check bool
	// KeepNames keeps the debug names of shaders.
	KeepNames bool
	// OnPass, if not nil, is called after each pass; an error ends the link.
	OnPass func(p Pass, m *spirv.Module) error
}

// runtimeName is the module that all pipelines are linked with.
const runtimeName = "fallback/runtime.comp"

// queryName is the module that shaders with ray queries are lowered with.
const queryName = "fallback/query.comp"

// Link links the case, as the compute way does; of a library and of a shader the result has no more than the form or the code. The
// passes come back also with an error: those that were done.
func (c *Case) Link(ctx context.Context, o Options) (*link.Result, []Pass, error) {
	if c.Kind == Shader {
		return c.lower(ctx, o)
	}
	return c.pipeline(ctx, o)
}

// lower lowers the ray queries of a shader.
func (c *Case) lower(ctx context.Context, o Options) (*link.Result, []Pass, error) {
	library, err := shaders.Load(shaders.VariantFor(queryName, c.Target, c.Flags.AllowClusters))
	if err != nil {
		return nil, nil, err
	}
	w := &watch{options: o, library: -1, begun: time.Now()}
	s := c.Stages[0]
	code, err := link.LowerQueries(ctx, library, link.Shader{Name: s.Name, Code: s.Code, Entry: s.Entry, Model: c.Model,
		SkipHelpers: c.SkipHelpers, Check: o.Check, AfterPass: w.after})
	if err != nil {
		return nil, w.passes, err
	}
	return &link.Result{Code: code}, w.passes, nil
}

// libraries makes the libraries of a case, for the options with which its stages are linked.
func (c *Case) libraries(ctx context.Context, runtime []uint32, w *watch) (list []*link.Library, err error) {
	for i, y := range c.Libraries {
		w.library, w.begun = i, time.Now()
		made, err := link.NewLibrary(ctx, runtime, y.Stages,
			link.Options{Form: y.Form, Check: w.options.Check, KeepNames: w.options.KeepNames, AfterPass: w.after})
		if err != nil {
			return nil, fmt.Errorf("library %d: %w", i, err)
		}
		list = append(list, made)
	}
	return list, nil
}

// pipeline links a pipeline, or makes a library.
func (c *Case) pipeline(ctx context.Context, o Options) (*link.Result, []Pass, error) {
	runtime, err := shaders.Load(shaders.VariantFor(runtimeName, c.Target, c.Flags.AllowClusters))
	if err != nil {
		return nil, nil, err
	}
	w := &watch{options: o, library: -1}
	if c.Kind == Library {
		alone := Case{Libraries: []Set{c.Set}}
		if _, err := alone.libraries(ctx, runtime, w); err != nil {
			return nil, w.passes, err
		}
		return &link.Result{Form: c.Form}, w.passes, nil
	}
	options := link.Options{Form: c.Form, MaxDepth: c.MaxDepth, MaxLanes: c.MaxLanes, MaxShared: c.MaxShared, Flags: c.Flags,
		Indirect: c.Indirect, Check: o.Check, KeepNames: o.KeepNames, AfterPass: w.after}
	if options.Libraries, err = c.libraries(ctx, runtime, w); err != nil {
		return nil, w.passes, err
	}
	w.library, w.begun = -1, time.Now()
	result, err := link.Link(ctx, runtime, c.Stages, options)
	return result, w.passes, err
}

// Calls returns what lives across the calls of a linked case, with the names of its shaders.
func (c *Case) Calls(r *link.Result) []rt.CallSite {
	stages := slices.Clone(c.Stages)
	for _, y := range c.Libraries {
		stages = append(stages, y.Stages...)
	}
	var list []rt.CallSite
	for _, call := range r.Calls {
		call.Shader = cmp.Or(stages[call.Stage].Name, fmt.Sprintf("stage %d", call.Stage))
		list = append(list, call.CallSite)
	}
	return list
}

// watch notes what passes do.
type watch struct {
	options Options
	library int
	begun   time.Time
	passes  []Pass
}

func (w *watch) after(name string, m *spirv.Module) error {
	p := Pass{Name: name, Library: w.library, Time: time.Since(w.begun), Functions: len(m.Functions)}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			p.Instructions += len(b.Insts)
		}
	}
	p.Words = len(m.Encode())
	w.passes = append(w.passes, p)
	var err error
	if w.options.OnPass != nil {
		err = w.options.OnPass(p, m)
	}
	w.begun = time.Now()
	return err
}
