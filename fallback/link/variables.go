package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

const (
	// maxFrameDwords bounds what one variable may add to a frame.
	maxFrameDwords = 1 << 14
	// maxLeaves bounds what all variables of a stage may be divided into: the data flow over them has a bit for each in
	// each block.
	maxLeaves = 1 << 17
	// maxPathWords bounds the ways to all leaves.
	maxPathWords = 1 << 21
)

// leaf is a scalar or vector inside a variable, or an address of physical memory: what is spilled as a piece.
type leaf struct {
	variable *variable
	path     []uint32 // constant indices from the variable
	typ      spirv.ID
	dwords   uint32
}

// variable is one whose contents may live across a cut.
type variable struct {
	id, typ spirv.ID
	class   spirv.StorageClass
	role    role
	local   bool // declared by the function
	number  int  // in the list
	first   int  // leaves [first, first+count)
	count   int
}

// variables are the candidates for spilling of one stage.
type variables struct {
	l      *linked
	list   []*variable
	byID   map[spirv.ID]*variable
	byRole map[roleKind][]*variable
	leaves []leaf
	paths  int                // words of the leaves' paths
	counts map[spirv.ID]int   // leaves by type
	starts map[spirv.ID][]int // of structures, the leaves ahead of each member
}

// stored tells whether a variable of this role has contents that live in the shader, rather than in memory.
func (r role) stored() bool {
	switch r.kind {
	case rolePrivate, roleBuiltIn, rolePayload, roleIncoming, roleHit, roleRecordAddress, roleIncomingSlot:
		return true
	}
	return false
}

func sortedIDs(m map[spirv.ID]role) []spirv.ID {
	ids := make([]spirv.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// collectVariables finds a stage's variables and divides them into leaves.
func (l *cutStages) collectVariables(s *cutStage) (*variables, error) {
	v := &variables{l: l.linked, byID: map[spirv.ID]*variable{}, byRole: map[roleKind][]*variable{},
		counts: map[spirv.ID]int{}, starts: map[spirv.ID][]int{}}
	for i := range s.function.Blocks[0].Insts {
		in := &s.function.Blocks[0].Insts[i]
		if in.Op != spirv.OpVariable {
			break
		}
		_, typ := l.types.pointee(in.Type)
		if err := v.add(s, &variable{id: in.Result, typ: typ, class: spirv.StorageClassFunction, role: s.uses[in.Result],
			local: true}); err != nil {
			return nil, err
		}
	}
	for _, id := range sortedIDs(s.uses) {
		if v.byID[id] != nil || !s.uses[id].stored() {
			continue
		}
		_, typ := l.types.pointee(l.types.get(id).Type)
		if err := v.add(s, &variable{id: id, typ: typ, class: spirv.StorageClassPrivate, role: s.uses[id]}); err != nil {
			return nil, err
		}
	}
	return v, v.checkAttributes(s)
}

// checkAttributes refuses hit attributes that there is no room for.
func (v *variables) checkAttributes(s *cutStage) error {
	hit := uint32(0)
	for _, x := range v.list {
		n := v.size(x)
		if x.role.kind == roleHit {
			hit += n
			n = hit
		} else if !x.role.attributes {
			continue
		}
		if n > maxAttributeWords {
			return s.unsupported("hit attributes %s of %d bytes, more than %d", s.nameOf(x.id), 4*n, 4*maxAttributeWords)
		}
	}
	return nil
}

func (v *variables) add(s *cutStage, x *variable) error {
	x.first, x.number = len(v.leaves), len(v.list)
	if err := v.divide(s, x, x.typ, nil); err != nil {
		return err
	}
	x.count = len(v.leaves) - x.first
	v.list = append(v.list, x)
	v.byID[x.id] = x
	v.byRole[x.role.kind] = append(v.byRole[x.role.kind], x)
	return nil
}

// divide appends the leaves of a type.
func (v *variables) divide(s *cutStage, x *variable, typ spirv.ID, path []uint32) error {
	t := v.l.types
	in := t.get(typ)
	if in == nil {
		return s.invalid("variable %s has no type", s.nameOf(x.id))
	}
	if v.leafCount(typ) == 0 { // empty structures, however many
		return nil
	}
	if len(v.leaves) > maxLeaves {
		return s.unsupported("variables of more than %d scalars in one shader", maxLeaves)
	}
	if len(v.leaves)-x.first > maxFrameDwords {
		return s.unsupported("variable %s of more than %d scalars beside a trace call", s.nameOf(x.id), maxFrameDwords)
	}
	switch in.Op {
	case spirv.OpTypeInt, spirv.OpTypeFloat, spirv.OpTypeBool, spirv.OpTypeVector, spirv.OpTypePointer:
		n, err := v.dwords(s, typ)
		if err != nil {
			return err
		}
		v.l.work(1)
		if v.paths += len(path); v.paths > maxPathWords {
			return s.unsupported("variable %s of structures so deep that the ways to their scalars have more than %d steps",
				s.nameOf(x.id), maxPathWords)
		}
		v.leaves = append(v.leaves, leaf{variable: x, path: slices.Clone(path), typ: typ, dwords: n})
		return nil
	case spirv.OpTypeMatrix, spirv.OpTypeArray, spirv.OpTypeStruct:
		first, n := t.element(typ, 0)
		for i := uint32(0); i < n; i++ {
			elem := first
			if in.Op == spirv.OpTypeStruct {
				elem, _ = t.element(typ, i)
			}
			if err := v.divide(s, x, elem, append(path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	return s.unsupported("variable %s of a type made by %v", s.nameOf(x.id), in.Op)
}

// dwords returns how many slots a scalar, vector or address takes.
func (v *variables) dwords(s *cutStage, typ spirv.ID) (uint32, error) {
	t := v.l.types
	in := t.get(typ)
	switch in.Op {
	case spirv.OpTypeBool:
		return 1, nil
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return (in.TypeNumber().Width() + 31) / 32, nil
	case spirv.OpTypePointer:
		if class, _ := t.pointee(typ); class == spirv.StorageClassPhysicalStorageBuffer {
			return 2, nil
		}
	case spirv.OpTypeVector:
		n, err := v.dwords(s, in.TypeVector().ComponentType())
		return n * in.TypeVector().ComponentCount(), err
	}
	return 0, s.unsupported("variable of a type made by %v", in.Op)
}

// leafCount returns the number of leaves of a type.
func (v *variables) leafCount(typ spirv.ID) int {
	if n, ok := v.counts[typ]; ok {
		return n
	}
	t := v.l.types
	n := 1
	switch t.op(typ) {
	case spirv.OpTypeMatrix, spirv.OpTypeArray:
		elem, count := t.element(typ, 0)
		n = v.leafCount(elem) * int(count)
	case spirv.OpTypeStruct:
		n = 0
		_, count := t.element(typ, 0)
		for i := uint32(0); i < count; i++ {
			elem, _ := t.element(typ, i)
			n += v.leafCount(elem)
		}
	}
	n = min(n, 1<<31) // structures of structures may have more than an int can hold
	v.counts[typ] = n
	return n
}

// memberStart returns how many leaves of a structure lie ahead of a member.
func (v *variables) memberStart(typ spirv.ID, k uint32) int {
	list, ok := v.starts[typ]
	if !ok {
		at := 0
		_, n := v.l.types.element(typ, 0)
		for i := range n {
			elem, _ := v.l.types.element(typ, i)
			list = append(list, at)
			at += v.leafCount(elem)
		}
		v.starts[typ] = list
	}
	if int64(k) >= int64(len(list)) {
		return 0
	}
	return list[k]
}

// access is what a pointer into a variable reaches: leaves [first, first+count); exact if it is just those.
type access struct {
	variable     *variable
	typ          spirv.ID // what it points to
	first, count int
	exact        bool
}

// whole returns the access of a variable's own pointer.
func (x *variable) whole() access {
	return access{variable: x, typ: x.typ, first: x.first, count: x.count, exact: true}
}

// index narrows an access by one index of an access chain.
func (v *variables) index(a access, id spirv.ID) access {
	t := v.l.types
	k, constant := t.constantU32(id)
	switch t.op(a.typ) {
	case spirv.OpTypeStruct:
		elem, _ := t.element(a.typ, k)
		if !a.exact { // under a dynamic index: the range stays, since the member is in each element
			a.typ = elem
			return a
		}
		return access{a.variable, elem, a.first + v.memberStart(a.typ, k), v.leafCount(elem), true}
	case spirv.OpTypeArray, spirv.OpTypeMatrix:
		elem, count := t.element(a.typ, 0)
		if !a.exact || !constant || k >= count {
			a.typ, a.exact = elem, false
			return a
		}
		n := v.leafCount(elem)
		return access{a.variable, elem, a.first + int(k)*n, n, true}
	case spirv.OpTypeVector:
		elem, _ := t.element(a.typ, 0)
		a.typ, a.exact = elem, false // a component is less than its leaf
		return a
	}
	a.exact = false
	return a
}
