package normal

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// maxPlaces bounds the places that variable pointers of a stage may point to.
const maxPlaces = 1 << 10

// lowerPointers takes the pointers of SPV_KHR_variable_pointers out of a stage: those into storage buffers that a phi,
// a call, a variable or another instruction but an access chain gives. Such a pointer becomes a structure of the number
// of a place, 0 for none, and the indices of the arrays on the way to it, and what reads or writes through it the choice
// among the places that may have flowed there. So pointers live across cuts as any value does, and no device needs the
// feature.
func (s *stage) lowerPointers() error {
	m := s.module
	if !m.HasCapability(spirv.CapabilityVariablePointers) && !m.HasCapability(spirv.CapabilityVariablePointersStorageBuffer) {
		return nil
	}
	m.Capabilities = spirv.Filter(m.Capabilities, func(in *spirv.Inst) bool {
		c := in.Capability().Capability()
		return c != spirv.CapabilityVariablePointers && c != spirv.CapabilityVariablePointersStorageBuffer
	})
	m.Extensions = spirv.Filter(m.Extensions, func(in *spirv.Inst) bool {
		name, _ := spirv.DecodeString(in.Operands)
		return name != "SPV_KHR_variable_pointers"
	})
	p := newPointerLowering(s)
	if len(p.pointers) == 0 {
		return nil
	}
	p.findStatic()
	if err := p.findFlows(); err != nil {
		return err
	}
	return p.rewrite()
}

// pointed is what a pointer points to but for indices: a variable and the way from there.
type pointed struct {
	root    spirv.ID
	path    []step
	typ     spirv.ID // of what lies there
	indices int      // steps that are indices
	element bool     // the last step is into an array
}

// step is a member of a structure, a constant number of a descriptor, or an index that pointers carry.
type step struct {
	index  bool
	number uint32
}

// chain is a pointer that is a variable, or made by access chains alone.
type chain struct {
	root    spirv.ID
	indices []spirv.ID
}

// pointerLowering is the work on one stage.
type pointerLowering struct {
	s        *stage
	m        *spirv.Module
	defs     map[spirv.ID]spirv.Inst      // globals, as they were
	types    map[spirv.ID]spirv.ID        // of values in functions
	calls    map[spirv.ID]*spirv.Function // functions by id
	pointers map[spirv.ID]spirv.ID        // types of pointers into storage buffers, and what these point to
	carrying map[spirv.ID]bool            // types by whether they are, hold or lead to such pointers
	static   map[spirv.ID]chain
	packed   map[spirv.ID]spirv.ID // static pointers that are needed as values, and those

	places []pointed // number n is at n-1
	byKey  map[string]int
	// What flows together: a forest over values, variables and functions, and the places by root.
	parent map[spirv.ID]spirv.ID
	sets   map[spirv.ID]map[int]bool
	// derived are access chains from variable pointers.
	derived []spirv.Inst

	// Of the rewriting.
	value      spirv.ID // the structure
	width      int      // its indices
	word       spirv.ID
	constants  map[uint32]spirv.ID
	front      []spirv.Inst // constants, in order
	out        []spirv.Inst
	accessors  map[string]spirv.ID
	made       []*spirv.Function
	nonUniform bool // the stage marks something as non-uniform
}

func newPointerLowering(s *stage) *pointerLowering {
	p := &pointerLowering{s: s, m: s.module, defs: map[spirv.ID]spirv.Inst{}, types: map[spirv.ID]spirv.ID{},
		pointers: map[spirv.ID]spirv.ID{},
		carrying: map[spirv.ID]bool{}, static: map[spirv.ID]chain{}, packed: map[spirv.ID]spirv.ID{}, byKey: map[string]int{},
		parent: map[spirv.ID]spirv.ID{}, sets: map[spirv.ID]map[int]bool{}, constants: map[uint32]spirv.ID{},
		accessors: map[string]spirv.ID{}}
	for _, in := range p.m.Globals {
		if in.Result == 0 {
			continue
		}
		p.defs[in.Result] = in.Clone()
		if in.Op == spirv.OpTypePointer && in.TypePointer().StorageClass() == spirv.StorageClassStorageBuffer {
			p.pointers[in.Result] = in.TypePointer().Type()
		}
	}
	p.calls = map[spirv.ID]*spirv.Function{}
	for _, f := range p.m.Functions {
		p.calls[f.Def.Result] = f
	}
	p.m.EachFunctionInst(func(in *spirv.Inst) {
		if in.Result != 0 {
			p.types[in.Result] = in.Type
		}
	})
	p.nonUniform = slices.ContainsFunc(p.m.Annotations, func(in spirv.Inst) bool {
		return in.Op == spirv.OpDecorate && in.Decorate().Decoration() == spirv.DecorationNonUniform
	})
	return p
}

// typeOf returns the type of a value, 0 of what is none.
func (p *pointerLowering) typeOf(id spirv.ID) spirv.ID {
	if t, ok := p.types[id]; ok {
		return t
	}
	return p.defs[id].Type
}

// points tells whether a value is a pointer into a storage buffer, and to what.
func (p *pointerLowering) points(id spirv.ID) (spirv.ID, bool) {
	t, ok := p.pointers[p.typeOf(id)]
	return t, ok
}

// carries tells whether a type is a pointer into a storage buffer, holds any, or points to variables that do.
func (p *pointerLowering) carries(typ spirv.ID) bool {
	if typ == 0 {
		return false
	}
	if known, ok := p.carrying[typ]; ok {
		return known
	}
	p.carrying[typ] = false
	def := p.defs[typ]
	found := false
	switch def.Op {
	case spirv.OpTypePointer:
		switch def.TypePointer().StorageClass() {
		case spirv.StorageClassStorageBuffer:
			found = true
		case spirv.StorageClassFunction, spirv.StorageClassPrivate:
			found = p.carries(def.TypePointer().Type())
		}
	case spirv.OpTypeArray:
		found = p.carries(def.TypeArray().ElementType())
	case spirv.OpTypeStruct:
		for _, member := range def.TypeStruct().Members() {
			found = p.carries(spirv.ID(member)) || found
		}
	}
	p.carrying[typ] = found
	return found
}

// findStatic notes the pointers that are variables, or chains from there.
func (p *pointerLowering) findStatic() {
	for id, in := range p.defs {
		if in.Op == spirv.OpVariable && p.pointers[in.Type] != 0 {
			p.static[id] = chain{root: id}
		}
	}
	for _, f := range p.m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Insts {
				switch in := &b.Insts[i]; in.Op {
				case spirv.OpCopyObject:
					if base, ok := p.static[in.CopyObject().Operand()]; ok {
						p.static[in.Result] = base
					}
				case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
					if base, ok := p.static[in.AccessChain().Base()]; ok {
						indices := append(slices.Clone(base.indices), idsOf(in.AccessChain().Indexes())...)
						p.static[in.Result] = chain{base.root, indices}
					}
				}
			}
		}
	}
}

func idsOf(words []uint32) []spirv.ID {
	ids := make([]spirv.ID, len(words))
	for i, w := range words {
		ids[i] = spirv.ID(w)
	}
	return ids
}

// integer returns the value of an integer constant, modulo 2^32.
func (p *pointerLowering) integer(id spirv.ID) (uint32, bool) {
	switch in := p.defs[id]; in.Op {
	case spirv.OpConstant:
		return in.Constant().Value()[0], true
	case spirv.OpConstantNull:
		return 0, true
	}
	return 0, false
}

// step goes one step from a place and tells whether it is an index that pointers carry.
func (p *pointerLowering) step(from pointed, index spirv.ID) (pointed, bool) {
	to := pointed{root: from.root, path: slices.Clone(from.path), indices: from.indices}
	n, constant := p.integer(index)
	in := p.defs[from.typ]
	descriptors := len(from.path) == 0 && (in.Op == spirv.OpTypeArray || in.Op == spirv.OpTypeRuntimeArray)
	switch in.Op {
	case spirv.OpTypeStruct:
		if int(n) < len(in.Operands) {
			to.typ = in.ID(int(n))
		}
	case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
		to.typ = in.TypeOfParts().PartType()
		to.element = !descriptors && (in.Op == spirv.OpTypeArray || in.Op == spirv.OpTypeRuntimeArray)
	}
	if in.Op == spirv.OpTypeStruct || descriptors && constant {
		to.path = append(to.path, step{number: n})
		return to, false
	}
	to.path = append(to.path, step{index: true})
	to.indices++
	return to, true
}

// walk goes from a place along an access chain and returns the indices that are the pointer's.
func (p *pointerLowering) walk(from pointed, indices []spirv.ID) (to pointed, carried []spirv.ID) {
	for _, id := range indices {
		next, index := p.step(from, id)
		if from = next; index {
			carried = append(carried, id)
		}
	}
	return from, carried
}

// staticPlace returns the place of a static pointer and its indices.
func (p *pointerLowering) staticPlace(c chain) (pointed, []spirv.ID) {
	return p.walk(pointed{root: c.root, typ: p.pointers[p.defs[c.root].Type]}, c.indices)
}
