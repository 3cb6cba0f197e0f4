package link

import "reflect"

// pass is one step of the link. The order of the table is the order in which they run. A pass needs properties that passes before
// it gave, gives some, and ends others; after each, tests check all that hold (properties.go), and verify the module.
type pass struct {
	name  string
	needs []property
	gives []property
	ends  []property
	run   transition
}

// transition is what a pass does, from a phase to itself or the next.
type transition struct {
	from, to reflect.Type
	do       func(phase) (phase, error)
}

// to makes a pass of a function that ends a phase and returns the next.
func to[From, To phase](pass func(From) (To, error)) transition {
	return transition{reflect.TypeFor[From](), reflect.TypeFor[To](), func(at phase) (phase, error) {
		return pass(at.(From))
	}}
}

// in makes a pass of a function that changes what a phase holds.
func in[At phase](pass func(At) error) transition {
	return to(func(at At) (At, error) { return at, pass(at) })
}

// passes is the pipeline of the linker. Package normal has the passes before it.
var passes = []pass{
	{name: "runtime", run: to((*normalStages).loadRuntime), gives: []property{structured}},
	// Storage classes of ray tracing become those of compute. Before the merge, which unifies pointer types.
	{name: "interface", run: to((*loadedStages).lowerInterfaces), gives: []property{computeClasses}},
	{name: "merge", run: to((*loweredStages).mergeStages), needs: []property{computeClasses}, gives: []property{merged}},
	// Ray queries become calls of the runtime.
	{name: "queries", run: in((*mergedStages).lowerQueries), needs: []property{merged}, gives: []property{noQueries}},
	// Hit objects become structures.
	{name: "hit objects", run: in((*mergedStages).lowerHitObjects), needs: []property{noQueries}, gives: []property{noHitObjects}},
	// Memory that became physical storage buffers. Before inlining duplicates what accesses it.
	{name: "access", run: in((*mergedStages).lowerAccess), needs: []property{merged, noHitObjects}, gives: []property{alignedAccess}},
	// The form decides what is a cut.
	{name: "form", run: to((*mergedStages).chooseForm), needs: []property{merged}, gives: []property{formed}},
	// Functions that trace, or end an any hit or intersection shader, go into the entry function, whatever constructs they return
	// from.
	{
		name: "inline", run: in((*shapedStages).inlineCuts), needs: []property{merged}, gives: []property{inlined},
		ends: []property{structured},
	},
	// Objects that are traced and executed one behind the other are trace calls.
	{name: "fuse", run: in((*shapedStages).fuseHitObjects), needs: []property{formed, inlined, noHitObjects}},
	// The calls that are left pass variables.
	{name: "hit calls", run: in((*shapedStages).placeHitObjects), needs: []property{formed, inlined}, gives: []property{passable}},
	{name: "initial values", run: in((*shapedStages).storeInitialValues), needs: []property{inlined}, gives: []property{stored}},
	{
		name: "split", run: in((*shapedStages).splitShaders), needs: []property{formed, inlined, passable, alignedAccess},
		gives: []property{split},
	},
	{name: "preheaders", run: in((*shapedStages).addAllPreheaders), needs: []property{split}, gives: []property{preheaders}},
	// Constructs that hold a cut are taken apart into fragments.
	{name: "fragments", run: to((*shapedStages).buildGraphs), needs: []property{split, preheaders}, gives: []property{fragmented}},
	// A global is alive throughout the scheduler's loop as far as a driver can tell.
	{name: "localise", run: in((*cutStages).localise), needs: []property{inlined, formed}, gives: []property{localised}},
	// Phis and values that cross fragments become variables, so that variables are all that lives across a cut.
	{name: "phis", run: in((*cutStages).demotePhis), needs: []property{fragmented}, gives: []property{noPhis}},
	{name: "values", run: in((*cutStages).demoteValues), needs: []property{fragmented, noPhis, localised}, gives: []property{apart}},
	{name: "frames", run: to((*cutStages).layOutFrames), needs: []property{apart, localised, stored}, gives: []property{framed}},
	{
		name: "states", run: to((*framedStages).emitStates), needs: []property{framed, fragmented, apart},
		gives: []property{computeOnly, structured},
		ends: []property{
			merged, inlined, passable, stored, split, preheaders, fragmented, localised, noPhis, apart, framed, alignedAccess,
		},
	},
	// What libraries hold is at this point already.
	{name: "join", run: in((*assembly).joinLibraries), needs: []property{computeOnly}, gives: []property{joined}},
	{name: "dispatch", run: in((*assembly).emitDispatch), needs: []property{joined, formed}, gives: []property{numbered}},
	{name: "finish", run: to((*assembly).finish), needs: []property{numbered}, gives: []property{complete}},
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
