package link

import (
	"context"
	"fmt"

	"github.com/everray/everray/fallback/link/normal"
	"github.com/everray/everray/fallback/spirv"
)

// ErrUnsupported is wrapped by errors about valid SPIR-V that the compute way cannot run.
var ErrUnsupported = normal.ErrUnsupported

// ErrInvalid is wrapped by errors about SPIR-V, or a set of stages, that is not valid.
var ErrInvalid = normal.ErrInvalid

// Model is the kind of a ray tracing shader, the execution model of its entry point.
type Model = normal.Model

// The ray tracing execution models.
const (
	Raygen       = normal.Raygen
	AnyHit       = normal.AnyHit
	ClosestHit   = normal.ClosestHit
	Miss         = normal.Miss
	Intersection = normal.Intersection
	Callable     = normal.Callable
)

// Stage is one shader: an entry point of a SPIR-V module. Without a name it has the entry point's and its index, without an entry
// point's name "main".
type Stage = normal.Stage

// Options of a link. The zero value is what a pipeline normally uses.
type Options struct {
	// AfterPass, if not nil, is called after each pass with the module as it stands; an error ends the link. For tests.
	AfterPass func(pass string, m *spirv.Module) error
	// Check checks after each pass what the passes so far have promised, and verifies the module. For tests.
	Check bool
	// KeepNames keeps debug names of the stages' functions and variables.
	KeepNames bool
	// Form is how the shaders are put together; the zero value chooses by what the stages do.
	Form Form
	// MaxDepth is the pipeline's maximum recursion depth; the monolithic form needs 1.
	MaxDepth uint32
	// Flags are promises of the application that save work.
	Flags Flags
	// Libraries are added behind the stages, in this order.
	Libraries []*Library
	// Indirect makes the module read its launch parameters from memory, at the address that is all of its push constants,
	// and lets a lane take several places of the launch. See shaders/fallback/launch.glsl.
	Indirect bool
	// MaxLanes is how many lanes a workgroup may have on the device; 0 is 128.
	MaxLanes uint32
	// MaxShared is how many bytes of shared memory a workgroup may have on the device; 0 is 16 KiB.
	MaxShared uint32
}

// Result is a linked pipeline.
type Result struct {
	// Code is the compute module; its entry point is "main".
	Code []uint32
	// Entries holds for each stage, those of libraries behind the pipeline's own, its number in shader group handles: a state for
	// ray generation, closest hit, miss and callable shaders, a shader number for any hit and intersection shaders.
	Entries []uint32
	// Frames holds for each stage the largest frame in dwords.
	Frames []uint32
	// States is the number of state functions.
	States int
	// Form is the form that was chosen.
	Form Form
	// Wave holds the other kernels of the wavefront form, whose tail is Code; nil in other forms.
	Wave *Wave
	// Owners tells, by state number, which stage a state belongs to, in ascending order.
	Owners []Owner
	// Calls are the places where shaders are left for others, in the order of stages and code.
	Calls []Call
}

// Owner says whose a state is.
type Owner struct {
	State uint32
	Stage uint32 // index of the stage
}

// Link links the stages, and libraries, with the runtime module.
func Link(ctx context.Context, runtime []uint32, stages []Stage, o Options) (*Result, error) {
	at, err := link(newJob(ctx, o), runtime, stages, passes)
	if err != nil {
		return nil, err
	}
	return at.(*completed).result, nil
}

func newJob(ctx context.Context, o Options) *job { return &job{options: o, ctx: ctx} }

// link makes stages normal and takes them through passes; it returns the phase that the last of them ends with.
func link(j *job, runtime []uint32, stages []Stage, passes []pass) (phase, error) {
	return j.run("link", passes, func() (phase, error) { return normalise(j, runtime, stages) })
}

// run takes a phase through passes. What it is about begins its errors.
func (j *job) run(what string, passes []pass, begin func() (phase, error)) (at phase, err error) {
	// Modules are verified when they come in. What that lets through and a pass cannot make sense of must not take the
	// program down: applications hand us shaders of strangers.
	defer func() {
		if p := recover(); p != nil {
			at, err = nil, j.recovered(what, p)
		}
	}()
	j.pass = "normalise"
	if at, err = begin(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	holds := map[property]bool{}
	for _, p := range passes {
		if err := j.ctx.Err(); err != nil {
			return nil, err
		}
		j.pass = p.name
		if at, err = p.run.do(at); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		p.update(holds)
		if err := p.look(j, at, holds); err != nil {
			return nil, fmt.Errorf("%s: after pass %s: %w", what, p.name, err)
		}
	}
	return at, nil
}

// look checks what holds after the pass, and shows the module, where that was asked for.
func (p *pass) look(j *job, at phase, holds map[property]bool) error {
	if j.options.Check {
		if err := checkProperties(at, holds); err != nil {
			return err
		}
	}
	if j.options.AfterPass != nil && at.module() != nil {
		return j.options.AfterPass(p.name, at.module())
	}
	return nil
}

// role tells what a module-scope variable of a ray tracing shader stands for.
type role struct {
	kind    roleKind
	builtIn spirv.BuiltIn
	// initializer is the constant a private variable starts with, 0 for none.
	initializer spirv.ID
	// callable tells callable data from payloads.
	callable bool
	// attributes tells what hit objects are asked for, or recorded with, from other globals.
	attributes bool
}

type roleKind int

const (
	rolePrivate       roleKind = iota // an ordinary global
	roleBuiltIn                       // filled at entry from the ray state
	rolePayload                       // a payload or callable data that this shader passes on
	roleIncoming                      // the payload or callable data that it was given
	roleHit                           // hit attributes
	rolePush                          // push constants, in memory
	roleRecord                        // shader record data, in memory
	roleRecordAddress                 // the address of the record data, ours
	roleIncomingSlot                  // the stack slot of the incoming payload, ours
)

// afterNormal is what is done after each of normal's passes, where that was asked for.
func (j *job) afterNormal() normal.AfterPass {
	o := j.options
	if !o.Check && o.AfterPass == nil {
		return nil
	}
	return func(pass string, s *Stage, m *spirv.Module) error {
		if o.Check {
			if err := spirv.Verify(m); err != nil {
				return err
			}
		}
		if o.AfterPass != nil {
			return o.AfterPass(pass+" of "+s.Name, m)
		}
		return nil
	}
}

// normalise takes the stages' modules to the form that the passes know.
func normalise(j *job, runtime []uint32, stages []Stage) (*normalStages, error) {
	loaded := normal.Sources{}
	after := j.afterNormal()
	to := &normalStages{job: j, runtime: runtime}
	for i, s := range stages {
		to.stages = append(to.stages, &normalStage{given: given{named(s, i), i}})
	}
	return to, each(j, to.stages, func(s *normalStage) error {
		n, err := loaded.Stage(j.ctx, s.Stage, after)
		if err != nil {
			return err
		}
		s.code, s.entry = n.Module, n.Entry
		return nil
	})
}

// named gives a stage the names that it lacks.
func named(s Stage, index int) Stage {
	if s.Entry == "" {
		s.Entry = "main"
	}
	if s.Name == "" {
		s.Name = fmt.Sprintf("stage %d (%s %q)", index, s.Kind, s.Entry)
	}
	return s
}
