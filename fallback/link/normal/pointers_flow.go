package normal

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// findFlows finds which places may flow into which variable pointer, whatever the order of execution.
func (p *pointerLowering) findFlows() error {
	for _, in := range p.m.Globals {
		p.flowVariable(&in)
	}
	for _, f := range p.m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				p.flowInst(f, &b.Insts[i])
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range p.derived {
			in := &p.derived[i]
			for _, n := range p.placesOf(chainBase(in)) {
				if p.add(in.Result, p.follow(p.places[n-1], in)) {
					changed = true
				}
			}
		}
		if len(p.places) > maxPlaces {
			return p.s.unsupported("variable pointers to more than %d places", maxPlaces)
		}
	}
	return nil
}

// follow goes along an access chain that begins at a variable pointer.
func (p *pointerLowering) follow(from pointed, in *spirv.Inst) pointed {
	to, _ := p.walk(from, chainIndices(in))
	return to
}

// chainIndices returns the indices of an access chain behind the element that some begin with.
func chainIndices(in *spirv.Inst) []spirv.ID {
	if in.Op == spirv.OpPtrAccessChain || in.Op == spirv.OpInBoundsPtrAccessChain {
		return idsOf(in.PtrAccessChain().Indexes())
	}
	return idsOf(in.AccessChain().Indexes())
}

// chainBase returns the pointer that an access chain begins with.
func chainBase(in *spirv.Inst) spirv.ID {
	if in.Op == spirv.OpPtrAccessChain || in.Op == spirv.OpInBoundsPtrAccessChain {
		return in.PtrAccessChain().Base()
	}
	return in.AccessChain().Base()
}

// flowVariable: variables may begin with a pointer.
func (p *pointerLowering) flowVariable(in *spirv.Inst) {
	if in.Op == spirv.OpVariable && in.Variable().Initializer() != 0 && p.carries(in.Type) {
		p.flow(in.Result, in.Variable().Initializer())
	}
}

func (p *pointerLowering) flowInst(f *spirv.Function, in *spirv.Inst) {
	if _, ok := p.static[in.Result]; ok {
		return
	}
	result := p.carries(in.Type)
	switch in.Op {
	case spirv.OpVariable:
		p.flowVariable(in)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		if p.pointers[in.Type] != 0 {
			p.derived = append(p.derived, in.Clone())
		} else if result {
			p.union(in.Result, in.AccessChain().Base())
		}
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		if p.pointers[in.Type] == 0 {
			return
		}
		if c, ok := p.static[in.PtrAccessChain().Base()]; ok {
			p.pack(in.PtrAccessChain().Base())
			from, _ := p.staticPlace(c)
			p.add(in.Result, p.follow(from, in))
		} else {
			p.derived = append(p.derived, in.Clone())
		}
	case spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
		p.pack(in.PtrCompare().Operand1())
		p.pack(in.PtrCompare().Operand2())
	case spirv.OpStore:
		p.flow(in.Store().Pointer(), in.Store().Object())
	case spirv.OpReturnValue:
		p.flow(f.Def.Result, in.ReturnValue().Value())
	case spirv.OpCopyMemory:
		to := in.CopyMemory().Target()
		if _, buffer := p.points(to); !buffer && p.carries(p.typeOf(to)) {
			p.union(to, in.CopyMemory().Source())
		}
	case spirv.OpFunctionCall:
		p.flowCall(in)
	case spirv.OpLoad, spirv.OpPhi, spirv.OpSelect, spirv.OpCopyObject, spirv.OpCopyLogical,
		spirv.OpCompositeConstruct, spirv.OpCompositeInsert, spirv.OpCompositeExtract:
		if result {
			in.EachID(func(w *uint32) { p.flow(in.Result, spirv.ID(*w)) })
		}
	}
}

func (p *pointerLowering) flowCall(in *spirv.Inst) {
	f := p.calls[in.FunctionCall().Function()]
	if f == nil {
		return
	}
	for i := range f.Params {
		if i < len(in.FunctionCall().Arguments()) {
			p.flow(f.Params[i].Result, in.FunctionCall().Argument(i))
		}
	}
	if p.carries(in.Type) {
		p.union(in.Result, f.Def.Result)
	}
}

// flow notes that a value goes into another, or into a variable, if it is or holds a pointer.
func (p *pointerLowering) flow(to, value spirv.ID) {
	if c, ok := p.static[value]; ok {
		p.pack(value)
		at, _ := p.staticPlace(c)
		p.add(to, at)
		return
	}
	if def, global := p.defs[value]; global && def.Op != spirv.OpVariable {
		return // null, or undefined
	}
	if p.carries(p.typeOf(value)) {
		p.union(to, value)
	}
}

// pack notes that a static pointer is needed as a value.
func (p *pointerLowering) pack(id spirv.ID) {
	if c, ok := p.static[id]; ok && p.packed[id] == 0 {
		p.packed[id] = p.m.NewID()
		at, _ := p.staticPlace(c)
		p.number(at)
	}
}

// number returns the number of a place.
func (p *pointerLowering) number(at pointed) int {
	b := binary.LittleEndian.AppendUint32(nil, uint32(at.root))
	for _, s := range at.path {
		if s.index {
			b = append(b, '[')
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, '.'), s.number)
		}
	}
	n, ok := p.byKey[string(b)]
	if !ok {
		p.places = append(p.places, at)
		n = len(p.places)
		p.byKey[string(b)] = n
	}
	return n
}

func (p *pointerLowering) find(id spirv.ID) spirv.ID {
	for {
		up, ok := p.parent[id]
		if !ok {
			return id
		}
		if above, ok := p.parent[up]; ok {
			p.parent[id] = above
		}
		id = up
	}
}

func (p *pointerLowering) union(a, b spirv.ID) {
	a, b = p.find(a), p.find(b)
	if a == b {
		return
	}
	p.parent[b] = a
	if p.sets[a] == nil {
		p.sets[a] = map[int]bool{}
	}
	maps.Copy(p.sets[a], p.sets[b])
	delete(p.sets, b)
}

// add notes that a value may point to a place, and tells whether that is new.
func (p *pointerLowering) add(id spirv.ID, at pointed) bool {
	id = p.find(id)
	if p.sets[id] == nil {
		p.sets[id] = map[int]bool{}
	}
	n := p.number(at)
	had := p.sets[id][n]
	p.sets[id][n] = true
	return !had
}

// placesOf returns the numbers of the places that a pointer may point to, in order.
func (p *pointerLowering) placesOf(id spirv.ID) []int {
	typ, _ := p.points(id)
	if c, ok := p.static[id]; ok {
		at, _ := p.staticPlace(c)
		return []int{p.number(at)}
	}
	var list []int
	for n := range p.sets[p.find(id)] {
		if p.places[n-1].typ == typ {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
