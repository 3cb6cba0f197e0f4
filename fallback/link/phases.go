package link

import "github.com/everray/everray/fallback/spirv"

// A link goes through phases, each of a type of its own: a pass takes one and returns it, changed, or the next. What only a later
// phase knows is only in the later type, so no pass can read what is not there yet. A phase holds the one before as long as that
// still says something true.
//
//	normalStages   modules of strangers, made normal, each by itself
//	loadedStages   and the runtime, the begin of the module that is being made
//	loweredStages  variables have roles, storage classes are those of compute
//	mergedStages   all stages are in that module
//	shapedStages   the form is known: what is a cut, and what stays a call
//	cutStages      entry functions are fragments, which cuts end
//	framedStages   what lives across cuts has its place
//	assembly       state functions; shaders of libraries are that already
//	completed      the modules are made

// phase is a link between two passes.
type phase interface {
	common() *job
	// module is the one that is being made, nil if there is none yet.
	module() *spirv.Module
}

func (j *job) common() *job { return j }

func (l *normalStages) module() *spirv.Module { return nil }
func (l *linked) module() *spirv.Module       { return l.out }

// normalStages are stages that package normal has made normal.
type normalStages struct {
	*job
	runtime []uint32
	stages  []*normalStage
}

type normalStage struct {
	given
	code  *spirv.Module // its own module
	entry spirv.ID      // the entry function
}

func (s *normalStage) nameOf(id spirv.ID) string { return s.code.NameOf(id) }

// loadedStages are those beside the runtime.
type loadedStages struct {
	*linked
	stages []*normalStage
}

// loweredStages are stages in the storage classes of compute.
type loweredStages struct {
	*linked
	stages []*loweredStage
}

type loweredStage struct {
	*normalStage
	uses  map[spirv.ID]role
	struc spirv.ID // block type of an acceleration structure descriptor, 0 if none
}

// mergedStages are stages whose functions are in the linked module.
type mergedStages struct {
	*linked
	stages []*mergedStage
}

type mergedStage struct {
	given
	uses       map[spirv.ID]role
	struc      spirv.ID                     // as of loweredStage
	functions  map[spirv.ID]*spirv.Function // of this stage
	function   *spirv.Function              // the entry function
	names      map[spirv.ID]string          // debug names, for errors
	hitObjects bool                         // there are hit objects
	records    bool                         // some are made of other things than rays
}

// shapedStages are stages whose form is known.
type shapedStages struct {
	*mergedStages
	stages    []*shapedStage
	form      form
	size      hitShaders // of a library
	arguments spirv.ID   // the push constants, where the launch's parameters are in memory
}

type shapedStage struct {
	*mergedStage
	irregular map[spirv.ID]bool // blocks that keep the constructs around them from staying whole
}

// cutStages are stages whose entry functions are fragments.
type cutStages struct {
	*shapedStages
	stages []*cutStage
}

type cutStage struct {
	*shapedStage
	graph *graph  // fragments
	sites []*site // cuts in order
	// machine tells whether one state function has all of the stage's states.
	machine bool
	// incomingSlot is the variable with the stack slot of the incoming payload, 0 if there is none.
	incomingSlot spirv.ID
}

// framedStages are stages whose cuts have frames.
type framedStages struct {
	*cutStages
	stages []*framedStage
}

type framedStage struct {
	*cutStage
	vars    *variables // candidates for spilling
	live    *liveness
	frames  []*frame // of the sites
	spilled int      // scalars and vectors in all frames
	// types and definitions are of the entry function's values, once somebody asks for them.
	types       map[spirv.ID]spirv.ID
	definitions map[spirv.ID]*spirv.Inst
}

// assembly is the shaders of a pipeline, or of a library, as state functions.
type assembly struct {
	hooks
	form       form
	size       hitShaders          // of a library
	own        int                 // how many parts there are that are no library's
	procedural bool                // hit attributes may come from intersection shaders
	parts      []part              // those of libraries behind the pipeline's own
	structures []structure         // descriptors that the scheduler reads
	known      map[string]spirv.ID // their constants
}

// completed is a link that is done.
type completed struct {
	*assembly
	result *Result
}
