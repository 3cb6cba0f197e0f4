package link

import (
	"context"
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// Library holds shaders that went through all passes that look at one shader at a time. Pipelines that are linked with it
// only copy what it holds, with new ids and state numbers. It does not change and may be used by several links at once.
type Library struct {
	module *spirv.Module
	bound  spirv.ID // ids below are the runtime's
	parts  []part
	// structures are the descriptors that the scheduler reads for its trace calls.
	structures []structure
	size       hitShaders
	waves      bool // they are worth the wavefront form
}

// part is a shader as state functions.
type part struct {
	name        string
	model       Model
	entry       spirv.ID // the function that begins the shader
	machine     bool     // the function runs all states
	calls       bool     // it calls callable shaders
	traces      bool     // it traces rays, or executes hit objects
	rays        rayBits  // of those calls
	skips       bool     // one of them skips closest hit shaders, whatever else it does
	hitObjects  bool     // it has calls that pass hit objects
	records     bool     // it makes some of other things than rays
	reorders    bool     // it asks for another order of lanes
	chain       int      // how many calls it makes one after the other at most, -1 if there is no bound
	frame       uint32   // dwords
	sites       []Call   // what lives across its cuts
	resumptions []resumption
	number      uint32 // of the first state, or shader number
	library     int    // which one it comes from, counted from 1
}

// resumption is a point to resume at.
type resumption struct {
	function spirv.ID
	constant spirv.ID // holds the number in the code
	number   uint32
}

// NewLibrary prepares stages for pipelines. Of the options only Form, AfterPass and KeepNames count; the monolithic form has
// no libraries. The runtime must be that of the pipelines.
func NewLibrary(ctx context.Context, runtime []uint32, stages []Stage, o Options) (*Library, error) {
	if len(stages) == 0 {
		return nil, fmt.Errorf("library without stages: %w", ErrInvalid)
	}
	o.Libraries, o.Indirect = nil, false
	j := newJob(ctx, o)
	j.library = true
	join := slices.IndexFunc(passes, func(p pass) bool { return p.name == "join" })
	at, err := link(j, runtime, stages, passes[:join])
	if err != nil {
		return nil, err
	}
	l := at.(*assembly)
	return &Library{module: l.out, bound: l.runtimeBound, parts: l.parts, structures: l.structures, size: l.size,
		waves: l.wantsWaves(l.size)}, nil
}

// Kernels links those kernels of the wavefront form that shade with the library's shaders. In a pipeline whose first library this
// is they are the same, word for word, unless a shader of the pipeline wants of all kernels what nobody asked for before: callable
// shaders, hit objects, or attributes. None are returned if the form that is asked for is another one, or FormAuto would take
// another one for these shaders.
func (y *Library) Kernels(ctx context.Context, runtime []uint32, o Options) ([][]uint32, error) {
	if !o.Form.InRounds() && (o.Form != FormAuto || !y.waves) {
		return nil, nil
	}
	o.Form, o.Libraries, o.Indirect = FormWavefront, []*Library{y}, false
	j := newJob(ctx, o)
	j.kernelsOnly = true
	at, err := link(j, runtime, nil, passes)
	if err != nil {
		return nil, err
	}
	return at.(*completed).result.Wave.Shade, nil
}

// Stages returns the number of the library's stages.
func (y *Library) Stages() int { return len(y.parts) }

// joinLibraries copies what libraries hold into the output.
func (l *assembly) joinLibraries() error {
	own := l.structures
	l.structures = nil // those of libraries first, whose numbers then do not depend on the pipeline's own
	for i, y := range l.options.Libraries {
		if y == nil || y.bound != l.runtimeBound {
			return fmt.Errorf("library %d is nil or was made with another runtime: %w", i, ErrInvalid)
		}
		if err := l.uniteFloatControls(y.module, y.module.EntryPoints[0].EntryPoint().EntryPoint()); err != nil {
			return fmt.Errorf("library %d: %w", i, err)
		}
		l.join(y, i+1)
	}
	l.structures = append(l.structures, own...)
	return nil
}

// joiner copies a library. Ids of the runtime stay, others move up, and what SPIR-V wants to be unique is shared.
type joiner struct {
	l      *assembly
	y      *Library
	delta  spirv.ID
	shared map[spirv.ID]spirv.ID
}

func (l *assembly) join(y *Library, number int) {
	j := &joiner{l: l, y: y, delta: spirv.ID(l.out.Bound) - y.bound, shared: map[spirv.ID]spirv.ID{}}
	l.out.Bound += y.module.Bound - uint32(y.bound)
	j.header()
	j.globals()
	for _, f := range y.module.Functions {
		if f.Def.Result < y.bound {
			continue
		}
		l.out.Functions = append(l.out.Functions, j.function(f))
	}
	for _, list := range []struct{ from, to *[]spirv.Inst }{
		{&y.module.Annotations, &l.out.Annotations}, {&y.module.Names, &l.out.Names},
	} {
		for i := range *list.from {
			in := &(*list.from)[i]
			if id := in.Annotation().Target(); id >= y.bound && j.shared[id] == 0 {
				*list.to = append(*list.to, j.inst(in))
			}
		}
	}
	for _, p := range y.parts {
		p.entry, p.library = j.id(p.entry), number
		p.resumptions = slices.Clone(p.resumptions)
		for i := range p.resumptions {
			r := &p.resumptions[i]
			r.function, r.constant = j.id(r.function), j.id(r.constant)
		}
		l.parts = append(l.parts, p)
	}
	for _, s := range y.structures {
		s.constant, s.pointer, s.chain = j.id(s.constant), j.id(s.pointer), slices.Clone(s.chain)
		for i := range s.chain {
			s.chain[i] = uint32(j.id(spirv.ID(s.chain[i])))
		}
		l.structures = append(l.structures, s)
	}
}

func (j *joiner) id(old spirv.ID) spirv.ID {
	if old < j.y.bound {
		return old
	}
	if id, ok := j.shared[old]; ok {
		return id
	}
	return old + j.delta
}

func (j *joiner) inst(in *spirv.Inst) spirv.Inst {
	c := in.Clone()
	c.Type, c.Result = j.id(c.Type), j.id(c.Result)
	c.EachID(func(p *uint32) { *p = uint32(j.id(spirv.ID(*p))) })
	return c
}

func (j *joiner) function(f *spirv.Function) *spirv.Function {
	c := &spirv.Function{Def: j.inst(&f.Def)}
	for i := range f.Params {
		c.Params = append(c.Params, j.inst(&f.Params[i]))
	}
	for _, b := range f.Blocks {
		nb := &spirv.Block{Label: j.id(b.Label), Insts: make([]spirv.Inst, len(b.Insts))}
		for i := range b.Insts {
			nb.Insts[i] = j.inst(&b.Insts[i])
		}
		c.Blocks = append(c.Blocks, nb)
	}
	return c
}

// header unites what stands before types. The memory model is the runtime's in both: stages are taken to it when they come in.
func (j *joiner) header() {
	out, m := j.l.out, j.y.module
	out.Version = max(out.Version, m.Version)
	out.Capabilities = united(out.Capabilities, m.Capabilities)
	out.Extensions = united(out.Extensions, m.Extensions)
	for i := range m.ExtInstImports {
		in := &m.ExtInstImports[i]
		if in.Result < j.y.bound {
			continue
		}
		same := slices.IndexFunc(out.ExtInstImports, func(o spirv.Inst) bool { return sameWords(o.Operands, in.Operands) })
		if same >= 0 {
			j.shared[in.Result] = out.ExtInstImports[same].Result
		} else {
			out.ExtInstImports = append(out.ExtInstImports, j.inst(in))
		}
	}
}

// inputs returns the library's variables for built-ins of compute shaders.
func (j *joiner) inputs() map[spirv.ID]spirv.BuiltIn {
	inputs := map[spirv.ID]spirv.BuiltIn{}
	for i := range j.y.module.Annotations {
		in := &j.y.module.Annotations[i]
		if b, ok := in.BuiltIn(); ok && in.Decorate().Target() >= j.y.bound {
			inputs[in.Decorate().Target()] = b
		}
	}
	return inputs
}

// globals copies types, constants and variables, as merger.globals does; the constants of states are no one else's.
func (j *joiner) globals() {
	m, t := j.y.module, j.l.types
	decorations, forward := decorationKeys(m), forwardPointers(m)
	own, inputs := map[spirv.ID]bool{}, j.inputs()
	for _, p := range j.y.parts {
		for _, r := range p.resumptions {
			own[r.constant] = true
		}
	}
	for _, s := range j.y.structures {
		own[s.constant] = true
	}
	for i := range m.Globals {
		in := &m.Globals[i]
		if in.Result != 0 && in.Result < j.y.bound ||
			in.Op == spirv.OpTypeForwardPointer && in.TypeForwardPointer().PointerType() < j.y.bound {
			continue
		}
		c := j.inst(in)
		if b, ok := inputs[in.Result]; ok {
			// A module has one variable for each built-in.
			if have := t.get(j.l.inputs[b]); have != nil && have.Type == c.Type {
				j.shared[in.Result] = have.Result
				continue
			}
			j.l.inputs[b] = c.Result
		}
		if !unique(in.Op) || forward[in.Result] || own[in.Result] {
			t.add(c)
			continue
		}
		key := keyOf(&c, decorations[in.Result])
		if have := t.byKey[key]; have != 0 {
			j.shared[in.Result] = have
			continue
		}
		t.add(c)
		t.byKey[key] = c.Result
	}
}

// numbering gives out numbers: the next ones of hit and miss shaders, of what goes on (ray generation and callable shaders, points
// to resume at), and of shaders that traversal calls.
type numbering struct{ shade, goOn, anyHit, intersection uint32 }

func newNumbering() numbering { return numbering{firstShade, firstContinue, 1, 1} }

// part gives a shader its number and the points where it resumes theirs, which it writes into the code.
func (n *numbering) part(l *assembly, p *part) {
	counter := &n.shade
	switch p.model {
	case AnyHit:
		counter = &n.anyHit
	case Intersection:
		counter = &n.intersection
	case Raygen, Callable:
		counter = &n.goOn
	}
	p.number = *counter
	*counter++
	for k := range p.resumptions {
		r := &p.resumptions[k]
		r.number = n.goOn
		n.goOn++
		l.types.get(r.constant).Constant().SetWord(r.number)
	}
}

// check refuses more shaders than there are numbers.
func (n *numbering) check(l *assembly) error {
	if n.shade > stateCall {
		return fmt.Errorf("%d hit and miss shaders, more than %d: %w", n.shade-firstShade, stateCall-firstShade, ErrUnsupported)
	}
	if n := len(l.structures); n > maxCases {
		return l.tooLarge("%d descriptors of acceleration structures that trace calls name, more than %d", n, maxCases)
	}
	if n := max(n.goOn-firstContinue, n.shade); n > maxCases {
		return l.tooLarge("%d states, more than the %d cases of a switch", n, maxCases)
	}
	return nil
}

// numberStates numbers all shaders in their order.
func (l *assembly) numberStates() error {
	n := newNumbering()
	for i := range l.parts {
		n.part(l, &l.parts[i])
	}
	return n.check(l)
}
