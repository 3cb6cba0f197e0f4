package link

import (
	"fmt"
	"strings"

	"github.com/everray/everray/fallback/spirv"
)

// Form is how the shaders of a pipeline become one compute module. All forms give the same results.
type Form int

// The forms of linking.
const (
	// FormAuto takes the wavefront form for pipelines of many shaders, of several heavy ones, or of a large one on GPUs; else the
	// monolithic form where it can run the pipeline, the megakernel otherwise, and the block machine for stages that would grow past a
	// budget in it. See choose.go.
	FormAuto Form = iota
	// FormMonolithic calls traversal and hit shaders from the ray generation shader: no stack, payloads in registers. For
	// pipelines where only ray generation shaders trace rays, with a maximum recursion depth of 1, and callable shaders
	// call no others.
	FormMonolithic
	// FormMegakernel cuts shaders at their calls into state functions, one for each point to resume at, that a loop
	// schedules; what lives across calls is on a stack in memory.
	FormMegakernel
	// FormBlocks is the megakernel with one function per shader, a loop over a switch of fragments: its size is linear in
	// the shader's, whatever the number of calls.
	FormBlocks
	// FormWavefront spreads the megakernel's state functions over several kernels, between which the states of the lanes are
	// in memory, sorted by the shader that comes next. What is not done after some rounds is left to a megakernel.
	FormWavefront
)

// form is one way of putting shaders together: what the passes ask where forms differ. A form is a file with a type of this kind
// and a row of the table.
type form interface {
	// obstacle says what keeps the form from running a pipeline, nil if nothing does.
	obstacle(l *linker) error
	// cuts tells whether shaders are cut at trace calls and calls of callable shaders. Otherwise these stay calls: there are no
	// states to resume, no frames, no stack.
	cuts() bool
	// machine tells whether a stage, which is cut, becomes one function for all of its states.
	machine(s *stage) bool
	// begin declares what the functions of all shaders share.
	begin(l *linker)
	// incoming and outgoing are where the payload or callable data that a shader was given is, at its begin and at its end.
	incoming(e *emitter, x *variable) place
	outgoing(e *emitter, x *variable) place
	// call makes a call that is no cut.
	call(e *emitter, call *spirv.Inst)
	// next returns what the function of a hit, miss or callable shader returns at its end.
	next(e *emitter) spirv.ID
	// dispatch numbers the shaders of the pipeline and its libraries, and writes the bodies of the runtime's hooks.
	dispatch(l *linker) error
	// finish makes modules of it.
	finish(l *linker) (*Result, error)
}

// formRow says how a form is called, and makes it for a link.
type formRow struct {
	form Form
	name string
	make func(o Options) form
}

// forms is the table of all forms but FormAuto, by number.
var forms = [...]formRow{
	{FormMonolithic, "monolithic", func(Options) form { return monolithic{} }},
	{FormMegakernel, "megakernel", func(Options) form { return megakernel{} }},
	{FormBlocks, "blocks", func(o Options) form { return blocks{always: o.Form == FormBlocks} }},
	{FormWavefront, "wavefront", func(Options) form { return &wavefront{} }},
}

func (f Form) String() string {
	if f == FormAuto {
		return "auto"
	}
	for _, row := range forms {
		if row.form == f {
			return row.name
		}
	}
	return fmt.Sprintf("form %d", int(f))
}

// ParseForm reads what String returns, in any case; the empty text is FormAuto.
func ParseForm(s string) (Form, error) {
	if s == "" || strings.EqualFold(s, FormAuto.String()) {
		return FormAuto, nil
	}
	names := []string{FormAuto.String()}
	for _, row := range forms {
		if strings.EqualFold(s, row.name) {
			return row.form, nil
		}
		names = append(names, row.name)
	}
	return FormAuto, fmt.Errorf("form %q: %w: want one of %s", s, ErrInvalid, strings.Join(names, ", "))
}

// Forms lists the forms that a pipeline may be made in, by their names.
func Forms() []Form {
	list := make([]Form, len(forms))
	for i, row := range forms {
		list[i] = row.form
	}
	return list
}

// Flags are an application's promises about a pipeline, as VkPipelineCreateFlagBits.
type Flags struct {
	// NoNullAnyHit and NoNullIntersection: whenever such a shader would run, the hit group has one.
	NoNullAnyHit, NoNullIntersection bool
	// NoNullClosestHit and NoNullMiss are the same for those; nothing is saved by them.
	NoNullClosestHit, NoNullMiss bool
	// SkipTriangles and SkipAABBs leave out geometry of that kind for all rays.
	SkipTriangles, SkipAABBs bool
	// AllowClusters: structures may have clusters. Otherwise the runtime is one without code for them, to which an instance of
	// clusters is a fault.
	AllowClusters bool
}
