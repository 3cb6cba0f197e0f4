package link

// pass is one step of the link. The order of the table is the order in which they run. A pass needs properties that passes before
// it gave, gives some, and ends others; after each, tests check all that hold (properties.go), and verify the module.
type pass struct {
	name  string
	needs []property
	gives []property
	ends  []property
	run   func(*linker) error
}

// passes is the pipeline of the linker. Package normal has the passes before it.
var passes = []pass{
	{name: "runtime", run: (*linker).loadRuntime, gives: []property{structured}},
	// Storage classes of ray tracing become those of compute. Before the merge, which unifies pointer types.
	{name: "interface", run: (*linker).lowerInterfaces, gives: []property{computeClasses}},
	{name: "merge", run: (*linker).mergeStages, needs: []property{computeClasses}, gives: []property{merged}},
	// Ray queries become calls of the runtime.
	{name: "queries", run: (*linker).lowerQueries, needs: []property{merged}, gives: []property{noQueries}},
	// Hit objects become structures.
	{name: "hit objects", run: (*linker).lowerHitObjects, needs: []property{noQueries}, gives: []property{noHitObjects}},
	// Memory that became physical storage buffers. Before inlining duplicates what accesses it.
	{name: "access", run: (*linker).lowerAccess, needs: []property{merged, noHitObjects}, gives: []property{alignedAccess}},
	// The form decides what is a cut.
	{name: "form", run: (*linker).chooseForm, needs: []property{merged}, gives: []property{formed}},
	// Functions that trace, or end an any hit or intersection shader, go into the entry function, whatever constructs they return
	// from.
	{name: "inline", run: (*linker).inlineCuts, needs: []property{merged}, gives: []property{inlined}, ends: []property{structured}},
	// The calls that are left pass variables.
	{name: "hit calls", run: (*linker).placeHitObjects, needs: []property{formed, inlined}, gives: []property{passable}},
	{name: "initial values", run: (*linker).storeInitialValues, needs: []property{inlined}, gives: []property{stored}},
	{
		name: "split", run: (*linker).splitShaders, needs: []property{formed, inlined, passable, alignedAccess},
		gives: []property{split},
	},
	{name: "preheaders", run: (*linker).addAllPreheaders, needs: []property{split}, gives: []property{preheaders}},
	// Constructs that hold a cut are taken apart into fragments.
	{name: "fragments", run: (*linker).buildGraphs, needs: []property{split, preheaders}, gives: []property{fragmented}},
	// A global is alive throughout the scheduler's loop as far as a driver can tell.
	{name: "localise", run: (*linker).localise, needs: []property{inlined, formed}, gives: []property{localised}},
	// Phis and values that cross fragments become variables, so that variables are all that lives across a cut.
	{name: "phis", run: (*linker).demotePhis, needs: []property{fragmented}, gives: []property{noPhis}},
	{name: "values", run: (*linker).demoteValues, needs: []property{fragmented, noPhis, localised}, gives: []property{apart}},
	{name: "frames", run: (*linker).layOutFrames, needs: []property{apart, localised, stored}, gives: []property{framed}},
	{
		name: "states", run: (*linker).emitStates, needs: []property{framed, fragmented, apart},
		gives: []property{computeOnly, structured},
		ends: []property{
			merged, inlined, passable, stored, split, preheaders, fragmented, localised, noPhis, apart, framed, alignedAccess,
		},
	},
	// What libraries hold is at this point already.
	{name: "join", run: (*linker).joinLibraries, needs: []property{computeOnly}, gives: []property{joined}},
	{name: "dispatch", run: (*linker).emitDispatch, needs: []property{joined, formed}, gives: []property{numbered}},
	{name: "finish", run: (*linker).finish, needs: []property{numbered}, gives: []property{complete}},
}

// update tells what holds after the pass, where holds did before it.
func (p *pass) update(holds map[property]bool) {
	for _, gone := range p.ends {
		delete(holds, gone)
	}
	for _, given := range p.gives {
		holds[given] = true
	}
}
