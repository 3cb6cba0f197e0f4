package link

import (
	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/rt"
)

// Form is how the shaders of a pipeline become one compute module, and Flags are what is promised about it.
type (
	Form  = rt.Form
	Flags = rt.Flags
)

// The forms of linking.
const (
	FormAuto       = rt.FormAuto
	FormMonolithic = rt.FormMonolithic
	FormMegakernel = rt.FormMegakernel
	FormBlocks     = rt.FormBlocks
	FormWavefront  = rt.FormWavefront
	FormSorted     = rt.FormSorted
	FormSuspended  = rt.FormSuspended
)

// form is one way of putting shaders together: what the passes ask where forms differ. A form is a file with a type of this kind
// and a row of the table.
type form interface {
	// obstacle says what keeps the form from running a pipeline, nil if nothing does.
	obstacle(l *mergedStages) error
	// cuts tells whether shaders are cut at trace calls and calls of callable shaders. Otherwise these stay calls: there are no
	// states to resume, no frames, no stack.
	cuts() bool
	// machine tells whether a stage, which is cut, becomes one function for all of its states.
	machine(s *cutStage) bool
	// begin declares what the functions of all shaders share.
	begin(l *framedStages)
	// incoming and outgoing are where the payload or callable data that a shader was given is, at its begin and at its end.
	incoming(e *spiller, x *variable) place
	outgoing(e *spiller, x *variable) place
	// call makes a call that is no cut.
	call(e *departure, call *spirv.Inst)
	// next returns what the function of a hit, miss or callable shader returns at its end.
	next(e *copies) spirv.ID
	// dispatch numbers the shaders of the pipeline and its libraries, and writes the bodies of the runtime's hooks.
	dispatch(l *assembly) error
	// finish makes modules of it.
	finish(l *assembly) (*Result, error)
}

// formRow makes a form for a link.
type formRow struct {
	form Form
	make func(o Options) form
}

// forms is the table of all forms but FormAuto, by number.
var forms = [...]formRow{
	{FormMonolithic, func(Options) form { return &monolithic{} }},
	{FormMegakernel, func(Options) form { return megakernel{} }},
	{FormBlocks, func(o Options) form { return blocks{always: o.Form == FormBlocks} }},
	{FormWavefront, func(Options) form { return &wavefront{} }},
	{FormSorted, func(Options) form { return sorted{} }},
	{FormSuspended, func(Options) form { return &wavefront{suspended: true} }},
}
