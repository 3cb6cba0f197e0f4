package spirv

import "fmt"

// maxGroupDecorations bounds what FlattenDecorationGroups makes of a module:
// decorations times targets may be far more than the module holds.
const maxGroupDecorations = 1 << 18

// FlattenDecorationGroups replaces decoration groups, which SPIR-V deprecates,
// by the decorations of their own that the targets have through them.
func (m *Module) FlattenDecorationGroups() error {
	groups := map[ID][]Inst{}
	for i := range m.Annotations {
		if in := &m.Annotations[i]; in.Op == OpDecorationGroup {
			groups[in.Result] = []Inst{}
		}
	}
	if len(groups) == 0 {
		return nil
	}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if _, ok := groups[decorationTarget(in)]; ok {
			groups[in.Target()] = append(groups[in.Target()], *in)
		}
	}
	var out []Inst
	for i := range m.Annotations {
		in := &m.Annotations[i]
		switch in.Op {
		case OpDecorationGroup:
			continue
		case OpGroupDecorate, OpGroupMemberDecorate:
			out = spread(out, in, groups[in.Group().DecorationGroup()])
		default:
			if _, ok := groups[decorationTarget(in)]; !ok {
				out = append(out, *in)
			}
		}
		if len(out) > len(m.Annotations)+maxGroupDecorations {
			return fmt.Errorf("%w: decoration groups of more than %d decorations", ErrUnsupported, maxGroupDecorations)
		}
	}
	m.Annotations = out
	return nil
}

// decorationTarget returns what a decoration is for, 0 if the instruction is
// none, or one of a member.
func decorationTarget(in *Inst) ID {
	switch in.Op {
	case OpDecorate, OpDecorateId, OpDecorateString:
		return in.Decorate().Target()
	}
	return 0
}

// spread appends a group's decorations for each target of one instruction.
func spread(out []Inst, in *Inst, group []Inst) []Inst {
	add := func(target ID, as func(Inst) Inst) {
		if len(out) > 2*maxGroupDecorations {
			return
		}
		for _, d := range group {
			c := d.Clone()
			c.Decorate().SetTarget(target)
			out = append(out, as(c))
		}
	}
	if in.Op == OpGroupMemberDecorate {
		in.GroupMemberDecorate().Each(func(structure ID, member uint32) {
			add(structure, func(d Inst) Inst { return memberDecoration(d, member) })
		})
		return out
	}
	for _, t := range in.GroupDecorate().Targets() {
		add(ID(t), func(d Inst) Inst { return d })
	}
	return out
}

// memberDecoration makes a decoration one of a member of its target.
func memberDecoration(in Inst, member uint32) Inst {
	d := in.Decorate()
	operands := append([]uint32{uint32(d.Target()), member, uint32(d.Decoration())}, d.Literals()...)
	switch in.Op {
	case OpDecorate:
		in.Op = OpMemberDecorate
	case OpDecorateString:
		in.Op = OpMemberDecorateString
	}
	in.Operands = operands
	return in
}
