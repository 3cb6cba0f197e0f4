package link

// pass is one step of the link. The order of the table is the order in which they run; after names the passes whose
// results a pass needs, which a test checks against the order.
type pass struct {
	name  string
	after []string
	run   func(*linker) error
}

// passes is the pipeline of the linker.
var passes = []pass{
	{"runtime", nil, (*linker).loadRuntime},
	// Storage classes of ray tracing become those of compute. Before the merge, which unifies pointer types.
	{"interface", nil, (*linker).lowerInterfaces},
	{"merge", []string{"runtime", "interface"}, (*linker).mergeStages},
	// Ray queries become calls of the runtime. Before access, which loads the acceleration structures that calls get.
	{"queries", []string{"merge"}, (*linker).lowerQueries},
	// Memory that became physical storage buffers, and acceleration structure descriptors. Before inlining duplicates them.
	{"access", []string{"merge", "queries"}, (*linker).lowerAccess},
	// The form decides what is a cut.
	{"form", []string{"merge"}, (*linker).chooseForm},
	// Functions that trace, or end an any hit or intersection shader, go into the entry function.
	{"inline", []string{"merge"}, (*linker).inlineCuts},
	// Blocks end at cuts; constructs that hold one are taken apart into fragments.
	{"cut", []string{"form", "inline", "access"}, (*linker).cutShaders},
	// Values and phis that cross fragments become variables, so that variables are all that lives across a cut.
	{"demote", []string{"cut"}, (*linker).demoteValues},
	{"frames", []string{"demote"}, (*linker).layOutFrames},
	{"states", []string{"frames"}, (*linker).emitStates},
	// What libraries hold is at this point already.
	{"join", []string{"states"}, (*linker).joinLibraries},
	{"dispatch", []string{"join"}, (*linker).emitDispatch},
	{"finish", []string{"dispatch"}, (*linker).finish},
}
