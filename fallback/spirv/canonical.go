package spirv

import (
	"cmp"
	"slices"
)

// Canonise gives a pruned module the order and the ids that follow from its functions alone, so that modules of the same code are
// the same words, whatever stood beside that code before: globals in the order in which functions need them, decorations by what
// they decorate, and ids by place. Names keep their order.
func (m *Module) Canonise() {
	byWords := func(a, b Inst) int { return slices.Compare(a.Operands, b.Operands) }
	slices.SortStableFunc(m.Capabilities, byWords)
	slices.SortStableFunc(m.Extensions, byWords)
	slices.SortStableFunc(m.ExtInstImports, byWords)
	m.sortGlobals()
	ids := make([]uint32, m.Bound)
	next := uint32(1)
	number := func(id ID) {
		if id != 0 && ids[id] == 0 {
			ids[id] = next
			next++
		}
	}
	for _, list := range [][]Inst{m.ExtInstImports, m.DebugStrings, m.Globals} {
		for i := range list {
			number(list[i].Result)
		}
	}
	for _, f := range m.Functions { // before the calls of those that stand further down
		number(f.Def.Result)
	}
	m.EachFunctionInst(func(in *Inst) { number(in.Result) })
	m.eachInst(func(in *Inst) { // labels of blocks, and what only annotations know
		number(in.Result)
		in.EachID(func(p *uint32) { number(ID(*p)) })
	})
	m.renumber(ids)
	m.Bound = next
	slices.SortStableFunc(m.Annotations, func(a, b Inst) int { return cmp.Compare(a.Target(), b.Target()) })
	for i := range m.EntryPoints { // interfaces follow the globals
		e := &m.EntryPoints[i]
		slices.Sort(e.Operands[e.InterfaceStart():])
	}
}

// renumber replaces all ids, in operands of the module's own: whoever built instructions may share theirs.
func (m *Module) renumber(ids []uint32) {
	words := make([]uint32, 0, m.words())
	visit := func(in *Inst) {
		at := len(words)
		words = append(words, in.Operands...)
		in.Operands = words[at:len(words):len(words)]
		in.Type, in.Result = ID(ids[in.Type]), ID(ids[in.Result])
		in.EachID(func(p *uint32) { *p = ids[*p] })
	}
	for s := sectionCapabilities; s <= sectionGlobals; s++ {
		if list := m.list(s); list != nil {
			for i := range *list {
				visit(&(*list)[i])
			}
		}
	}
	for _, f := range m.Functions {
		visit(&f.Def)
		for i := range f.Params {
			visit(&f.Params[i])
		}
		for _, b := range f.Blocks {
			b.Label = ID(ids[b.Label])
			for i := range b.Insts {
				visit(&b.Insts[i])
			}
		}
	}
	m.cache = typeCache{}
}

// sortGlobals puts globals in the order in which functions first need them, each behind what it needs itself. A structure that
// points to itself does so by a pointer that was declared ahead, whose type follows behind the structure.
func (m *Module) sortGlobals() {
	at := make(map[ID]int, len(m.Globals))
	ahead := map[ID]Inst{}
	for i := range m.Globals {
		if in := &m.Globals[i]; in.Result != 0 {
			at[in.Result] = i
		} else if in.Op == OpTypeForwardPointer {
			ahead[in.TypeForwardPointer().PointerType()] = *in
		}
	}
	s := globalSort{m: m, at: at, ahead: ahead, seen: make([]bool, m.Bound)}
	m.EachFunctionInst(func(in *Inst) {
		s.need(in.Type)
		in.EachID(func(p *uint32) { s.need(ID(*p)) })
	})
	for i := range m.Globals { // what no function needs but the module was told to keep
		s.need(m.Globals[i].Result)
	}
	m.Globals = append(s.declared, s.out...)
}

// globalSort is a walk through what globals need. It has no recursion: pointers of strangers nest as deep as a module is long.
type globalSort struct {
	m             *Module
	at            map[ID]int
	ahead         map[ID]Inst // declarations of pointers
	seen          []bool
	path          []globalStep // what is being walked through
	structures    int          // of the path
	later         []ID
	declared, out []Inst
}

// globalStep is a global on the path, and what it needs that was not looked at yet.
type globalStep struct {
	in    *Inst
	needs []ID
}

// need appends a global, behind all that it needs.
func (s *globalSort) need(id ID) {
	s.enter(id)
	for len(s.path) > 0 || len(s.later) > 0 {
		if len(s.path) == 0 {
			id, s.later = s.later[0], s.later[1:]
			s.enter(id)
			continue
		}
		step := &s.path[len(s.path)-1]
		if len(step.needs) == 0 {
			s.out = append(s.out, *step.in)
			if step.in.Op == OpTypeStruct {
				s.structures--
			}
			s.path = s.path[:len(s.path)-1]
			continue
		}
		id, step.needs = step.needs[0], step.needs[1:]
		if _, ok := s.ahead[id]; ok && s.structures > 0 {
			s.later = append(s.later, id) // perhaps to what is on the path
		} else {
			s.enter(id)
		}
	}
}

// enter begins with a global, if it is one that nobody has come to.
func (s *globalSort) enter(id ID) {
	i, global := s.at[id]
	if !global || s.seen[id] {
		return
	}
	s.seen[id] = true
	if declaration, ok := s.ahead[id]; ok {
		s.declared = append(s.declared, declaration)
	}
	step := globalStep{in: &s.m.Globals[i], needs: []ID{s.m.Globals[i].Type}}
	step.in.EachID(func(p *uint32) { step.needs = append(step.needs, ID(*p)) })
	if step.in.Op == OpTypeStruct {
		s.structures++
	}
	s.path = append(s.path, step)
}
