package spirv

import (
	"context"
	"slices"
)

// Index finds definitions, types, names and decorations by id. It points into
// the module's lists, and is good until these change.
type Index struct {
	Module *Module

	defs    byID[definition]
	labels  map[ID]*Block
	names   map[ID]string
	members map[memberKey]string
	decor   map[ID][]*Inst
	mdecor  map[memberKey][]*Inst
	// Groups of decorations by target, each once. They are not spread out here:
	// that could take memory without relation to the module.
	groups  map[ID][]ID
	mgroups map[memberKey][]ID
}

// definition is where an id is defined: by which instruction, and in bodies of functions in which block at which place.
type definition struct {
	inst      *Inst
	owner     *Function // nil for globals
	block, at int32     // outside of blocks -1
}

// memberKey is a member of a structure type.
type memberKey struct {
	id     ID
	member uint32
}

// NewIndex reads the module.
func NewIndex(m *Module) *Index { return NewIndexContext(context.Background(), m) }

// NewIndexContext reads the module, or a part of it if the context ends.
func NewIndexContext(ctx context.Context, m *Module) *Index { return newIndex(ctx, m, true) }

// newIndex is NewIndexContext, with or without names.
func newIndex(ctx context.Context, m *Module, names bool) *Index {
	x := &Index{
		Module: m, labels: map[ID]*Block{}, names: map[ID]string{}, members: map[memberKey]string{},
		decor: map[ID][]*Inst{}, mdecor: map[memberKey][]*Inst{},
		groups: map[ID][]ID{}, mgroups: map[memberKey][]ID{},
	}
	done := 0
	define := func(in *Inst, owner *Function) {
		if done++; in.Result != 0 && (done%4096 != 0 || ctx.Err() == nil) {
			if in.Op == OpLabel { // made up for this call
				in = &Inst{Op: OpLabel, Result: in.Result}
			}
			x.defs.set(in.Result, definition{inst: in, owner: owner, block: -1, at: -1})
		}
	}
	for s := sectionCapabilities; s <= sectionGlobals; s++ {
		if list := m.list(s); list != nil {
			eachOf(*list, func(in *Inst) { define(in, nil) })
		}
	}
	for _, f := range m.Functions {
		if ctx.Err() != nil {
			return x
		}
		f.eachInst(func(in *Inst) { define(in, f) })
		x.places(f)
	}
	if names {
		eachOf(m.Names, x.name)
	}
	if ctx.Err() == nil {
		x.annotate(ctx)
	}
	return x
}

// places notes where the blocks of a function define their values.
func (x *Index) places(f *Function) {
	for k, b := range f.Blocks {
		x.labels[b.Label] = b
		for i := range b.Insts {
			if id := b.Insts[i].Result; id != 0 && id <= maxBound {
				d := x.defs.at(id)
				d.block, d.at = int32(k), int32(i)
			}
		}
	}
}

func (x *Index) name(in *Inst) {
	switch {
	case in.Op == OpName && len(in.Operands) > 1:
		x.names[in.Name().Target()] = in.Name().Name()
	case in.Op == OpMemberName && len(in.Operands) > 2:
		v := in.MemberName()
		x.members[memberKey{v.Type(), v.Member()}] = v.Name()
	}
}

// annotate collects decorations and notes groups of them.
func (x *Index) annotate(ctx context.Context) {
	list := x.Module.Annotations
	for i := range list {
		if i%4096 == 0 && ctx.Err() != nil {
			return
		}
		in := &list[i]
		switch in.Op {
		case OpDecorate, OpDecorateId, OpDecorateString:
			target := in.Decorate().Target()
			x.decor[target] = append(x.decor[target], in)
		case OpMemberDecorate, OpMemberDecorateString:
			k := memberKey{in.MemberDecorate().StructureType(), in.MemberDecorate().Member()}
			x.mdecor[k] = append(x.mdecor[k], in)
		case OpGroupDecorate:
			for _, t := range in.GroupDecorate().Targets() {
				x.groups[ID(t)] = appendGroup(x.groups[ID(t)], in.GroupDecorate().DecorationGroup())
			}
		case OpGroupMemberDecorate:
			in.GroupMemberDecorate().Each(func(structure ID, member uint32) {
				key := memberKey{structure, member}
				x.mgroups[key] = appendGroup(x.mgroups[key], in.GroupMemberDecorate().DecorationGroup())
			})
		}
	}
}

// appendGroup adds a group to a list unless it was the last one added.
func appendGroup(list []ID, group ID) []ID {
	if n := len(list); n > 0 && list[n-1] == group {
		return list
	}
	return append(list, group)
}

// withGroups returns a list and the decorations of groups behind it.
func (x *Index) withGroups(list []*Inst, groups []ID) []*Inst {
	if len(groups) == 0 {
		return list
	}
	list = slices.Clone(list)
	for _, g := range groups {
		list = append(list, x.decor[g]...)
	}
	return list
}

// Def returns the instruction that defines id, nil if there is none. For a
// label it is an OpLabel made up for the purpose.
func (x *Index) Def(id ID) *Inst { return x.defs.get(id).inst }

// Op returns the opcode that defines id, OpNop if there is none.
func (x *Index) Op(id ID) Op {
	if in := x.Def(id); in != nil {
		return in.Op
	}
	return OpNop
}

// TypeOf returns the type of a value, 0 if it has none.
func (x *Index) TypeOf(id ID) ID {
	if in := x.Def(id); in != nil {
		return in.Type
	}
	return 0
}

// Block returns the block with this label, nil if there is none.
func (x *Index) Block(label ID) *Block { return x.labels[label] }

// Owner returns the function that defines id in its body or is id itself, nil
// for globals.
func (x *Index) Owner(id ID) *Function { return x.defs.get(id).owner }

// Function returns the function with this id, nil if there is none.
func (x *Index) Function(id ID) *Function {
	if f := x.Owner(id); f != nil && f.Def.Result == id {
		return f
	}
	return nil
}

// Name returns the debug name of id, empty if there is none.
func (x *Index) Name(id ID) string { return x.names[id] }

// MemberName returns the debug name of a member of a structure type.
func (x *Index) MemberName(id ID, member uint32) string { return x.members[memberKey{id, member}] }

// Decorations returns the decorations of id: OpDecorate, OpDecorateId and
// OpDecorateString. Operand 0 is the target (or its group), operand 1 the
// decoration, parameters follow.
func (x *Index) Decorations(id ID) []*Inst { return x.withGroups(x.decor[id], x.groups[id]) }

// MemberDecorations returns the decorations of a member of a structure type:
// OpMemberDecorate and OpMemberDecorateString, with the member's number as
// operand 1; or those of a group, as Decorations returns them.
func (x *Index) MemberDecorations(id ID, member uint32) []*Inst {
	key := memberKey{id, member}
	return x.withGroups(x.mdecor[key], x.mgroups[key])
}

// Decoration returns the parameters of one decoration of id, and whether id
// has it.
func (x *Index) Decoration(id ID, d Decoration) ([]uint32, bool) {
	return findDecoration(x.Decorations(id), d)
}

// MemberDecoration returns the parameters of one decoration of a member, and
// whether the member has it.
func (x *Index) MemberDecoration(id ID, member uint32, d Decoration) ([]uint32, bool) {
	return findDecoration(x.MemberDecorations(id, member), d)
}

func findDecoration(list []*Inst, d Decoration) ([]uint32, bool) {
	for _, in := range list {
		if found, literals, ok := in.Decorates(); ok && found == d {
			return literals, true
		}
	}
	return nil, false
}
