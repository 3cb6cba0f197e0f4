package rt

import (
	"fmt"
	"strings"
)

// Form is how the compute way makes one program out of a pipeline's shaders (package fallback/link). All forms give the same
// results.
type Form int

// The forms of linking.
const (
	// FormAuto takes the suspended form on GPUs where eight any hit and intersection shaders are heavy, and three quarters of all;
	// the wavefront form for pipelines of many shaders, of several heavy ones, or of a large one on GPUs; else the monolithic form
	// where it can run the pipeline, the megakernel otherwise, and the block machine for stages that would grow past a budget in it.
	// See fallback/link/choose.go.
	//
	// Where that is the wavefront or the suspended form, on a GPU, and the monolithic form could run the pipeline, too, it learns:
	// the second launch has that compiled in the background, then three launches of each size (number of places but for a factor
	// of two, ray generation shader) are timed in either form, and the faster one runs launches of that size from then on.
	// Pipelines that are launched once, with libraries or with reorders learn nothing, nor do those for which a form is asked.
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
	// FormSorted is the megakernel with workgroups that sort their lanes by shader, through shared memory, between traversal and
	// shading.
	FormSorted
	// FormSuspended is the wavefront form whose traversal is suspended at each candidate that an any hit or intersection shader has
	// to decide on. Those shaders have kernels of their own, between which lanes are sorted, too. For pipelines where they are many
	// or large.
	FormSuspended
)

var formNames = [...]string{"auto", "monolithic", "megakernel", "blocks", "wavefront", "sorted", "suspended"}

// InRounds tells whether launches go in rounds of several kernels, in which reorders change the order of lanes.
func (f Form) InRounds() bool { return f == FormWavefront || f == FormSuspended }

// String returns the form's name, for example "megakernel".
func (f Form) String() string {
	if f < 0 || int(f) >= len(formNames) {
		return fmt.Sprintf("Form(%d)", int(f))
	}
	return formNames[f]
}

// Forms lists the forms that a pipeline may be made in, by their numbers: all but FormAuto.
func Forms() []Form {
	list := make([]Form, 0, len(formNames)-1)
	for f := FormAuto + 1; int(f) < len(formNames); f++ {
		list = append(list, f)
	}
	return list
}

// ParseForm reads what String returns, in any case; the empty text is FormAuto.
func ParseForm(s string) (Form, error) {
	for f, name := range formNames {
		if s == "" || strings.EqualFold(s, name) {
			return Form(f), nil
		}
	}
	return FormAuto, fmt.Errorf("form %q: want one of %s", s, strings.Join(formNames[:], ", "))
}
