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
}

// Owner says whose a state is.
type Owner struct {
	State uint32
	Stage uint32 // index of the stage
}

// Link links the stages, and libraries, with the runtime module.
func Link(ctx context.Context, runtime []uint32, stages []Stage, o Options) (*Result, error) {
	l := newLinker(runtime, stages, o)
	if err := l.run(ctx, passes); err != nil {
		return nil, err
	}
	return l.result, nil
}

func newLinker(runtime []uint32, stages []Stage, o Options) *linker {
	l := &linker{options: o, runtimeCode: runtime}
	for i, s := range stages {
		if s.Entry == "" {
			s.Entry = "main"
		}
		if s.Name == "" {
			s.Name = fmt.Sprintf("stage %d (%s %q)", i, s.Kind, s.Entry)
		}
		l.stages = append(l.stages, &stage{Stage: s, index: i})
	}
	return l
}

// run runs passes.
func (l *linker) run(ctx context.Context, passes []pass) (err error) {
	// Modules are verified when they come in. What that lets through and a pass cannot make sense of must not take the
	// program down: applications hand us shaders of strangers.
	defer func() {
		if p := recover(); p != nil {
			err = l.recovered("link", p)
		}
	}()
	l.ctx, l.pass = ctx, "normalise"
	if err := l.normalise(ctx); err != nil {
		return fmt.Errorf("link: %w", err)
	}
	holds := map[property]bool{}
	for _, p := range passes {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.pass = p.name
		if err := p.run(l); err != nil {
			return fmt.Errorf("link: %w", err)
		}
		p.update(holds)
		if l.options.Check {
			if err := l.checkProperties(holds); err != nil {
				return fmt.Errorf("link: after pass %s: %w", p.name, err)
			}
		}
		if l.options.AfterPass != nil && l.out != nil {
			if err := l.options.AfterPass(p.name, l.out); err != nil {
				return fmt.Errorf("link: after pass %s: %w", p.name, err)
			}
		}
	}
	return nil
}

// linker is the state that the passes share.
type linker struct {
	options     Options
	runtimeCode []uint32
	out         *spirv.Module // the runtime, then everything
	symbols     *symbols
	skipHelpers bool // see Shader.SkipHelpers
	types       *interner
	stages      []*stage
	decorations map[spirv.ID][]spirv.Inst // of the output's ids
	annotated   map[string]bool           // decorations that merging has found
	outer       map[spirv.ID]bool         // functions and instruction sets: ids that copies share, beside globals
	inputs      map[spirv.BuiltIn]spirv.ID
	structures  []structure         // descriptors that the scheduler reads
	known       map[string]spirv.ID // their constants
	parts       []part              // the shaders as state functions, those of libraries behind the pipeline's own
	library     bool                // a library is being made
	// runtimeBound is the bound of ids in the runtime module as it was read.
	runtimeBound spirv.ID
	size         hitShaders        // of a library
	form         form              // how the shaders are put together, once that is decided
	runs         map[run]runTypes  // for accesses of the stack
	words        map[bool]spirv.ID // monolithic: the variables that carry payloads (false) and callable data (true)
	result       *Result
	arguments    spirv.ID // the push constants, where the launch's parameters are in memory

	// Of the pass at work, see limits.go.
	ctx        context.Context
	pass       string
	at         *stage
	function   spirv.ID
	inst       *spirv.Inst
	done, look int
}

// stage is one shader on its way through the passes.
type stage struct {
	Stage
	index int

	module *spirv.Module // its own module, up to the merge
	entry  spirv.ID      // the entry function
	uses   map[spirv.ID]role
	struc  spirv.ID // block type of an acceleration structure descriptor, 0 if none

	functions  map[spirv.ID]*spirv.Function // after the merge: those of this stage in the output
	function   *spirv.Function              // the entry function
	hitObjects bool                         // there are hit objects
	records    bool                         // some are made of other things than rays
	irregular  map[spirv.ID]bool            // blocks that keep the constructs around them from staying whole
	blocks     bool                         // one state function for all of the stage's states
	graph      *graph                       // fragments
	vars       *variables                   // candidates for spilling
	sites      []*site                      // trace calls in order
	live       *liveness
	types      map[spirv.ID]spirv.ID // of the entry function's values
	names      map[spirv.ID]string   // debug names, for errors
	spilled    int                   // scalars and vectors in all frames
	// definitions are the instructions that make them.
	definitions map[spirv.ID]*spirv.Inst
	// incomingSlot is the variable with the stack slot of the incoming payload, 0 if there is none.
	incomingSlot spirv.ID
}

// role tells what a module-scope variable of a ray tracing shader stands for.
type role struct {
	kind    roleKind
	builtIn spirv.BuiltIn
	// initializer is the constant a private variable starts with, 0 for none.
	initializer spirv.ID
	// callable tells callable data from payloads.
	callable bool
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

func (s *stage) unsupported(format string, args ...any) error {
	return normal.Unsupported(&s.Stage, format, args...)
}
func (s *stage) invalid(format string, args ...any) error {
	return normal.Invalid(&s.Stage, format, args...)
}

// normalise takes the stages' modules to the form that the passes know.
func (l *linker) normalise(ctx context.Context) error {
	loaded := normal.Sources{}
	var after normal.AfterPass
	if o := l.options; o.Check || o.AfterPass != nil {
		after = func(pass string, s *Stage, m *spirv.Module) error {
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
	return l.each(func(s *stage) error {
		n, err := loaded.Stage(ctx, s.Stage, after)
		if err != nil {
			return err
		}
		s.module, s.entry = n.Module, n.Entry
		return nil
	})
}
