package link

import "github.com/everray/everray/fallback/spirv"

// linked is the module that is being made, and what is known of it.
type linked struct {
	*job
	out     *spirv.Module // the runtime, then everything
	symbols *symbols
	types   *interner
	// runtimeBound is the bound of ids in the runtime module as it was read.
	runtimeBound spirv.ID

	decorations map[spirv.ID][]spirv.Inst // of the module's ids
	annotated   map[string]bool           // decorations that merging has found
	outer       map[spirv.ID]bool         // functions and instruction sets: ids that copies share, beside globals
	inputs      map[spirv.BuiltIn]spirv.ID
	runs        map[run]runTypes // for accesses of the stack
}
