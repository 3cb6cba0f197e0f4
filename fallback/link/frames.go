package link

import (
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// frame is what a shader leaves on the stack at one cut. Slot 0 keeps the state to return to while the shader waits for a
// callee; then come the spilled leaves, then, from a new quad on, the payload, if it is the shader's own.
type frame struct {
	*site
	// constant will hold the number of the state that resumes.
	constant   spirv.ID
	size       uint32    // slots, whole quads
	hit        *variable // the hit object of a call, nil if there is none
	payload    *variable
	ownPayload bool
	payloadAt  uint32 // slot of the shader's own payload
	hitAt      uint32 // slot of the hit object that is passed: the last of the frame
	spilled    []spill
	reloaded   []spill     // leaves of the payload that are read afterwards
	renewed    []*variable // built-ins that are read again
	found      []spill     // leaves of the hit object that a trace call makes, and that are read afterwards
	// home are the leaves of the shader's incoming payload that live across the cut. They have their place with whoever passed
	// the payload in.
	home []spill
}

type spill struct {
	leaf int
	slot uint32
}

// layOutFrames decides what is spilled at each cut, and where.
func (l *cutStages) layOutFrames() (*framedStages, error) {
	to := &framedStages{cutStages: l}
	return to, each(l.job, l.stages, func(c *cutStage) error {
		s := &framedStage{cutStage: c}
		to.stages = append(to.stages, s)
		var err error
		if s.vars, err = l.collectVariables(c); err != nil {
			return err
		}
		s.live = l.analyseLiveness(s)
		for _, at := range s.sites {
			f, err := l.layOutFrame(s, at)
			if err != nil {
				return err
			}
			s.frames = append(s.frames, f)
		}
		return nil
	})
}

func (l *cutStages) layOutFrame(s *framedStage, at *site) (*frame, error) {
	f := &frame{site: at, size: 1}
	alive := s.live.at(at.resume)
	if at.call.Op == spirv.OpReorderThreadWithHintEXT {
		l.renew(s, f, alive)
		return f, l.spillFrame(s, f, alive)
	}
	payload := at.call.Handed()
	x := s.vars.byID[payload]
	if x == nil || x.role.kind != rolePayload && x.role.kind != roleIncoming {
		return nil, s.unsupported("%v whose payload %s is no payload variable", at.call.Op, s.nameOf(payload))
	}
	f.payload, f.ownPayload = x, x.role.kind == rolePayload
	l.work(len(alive))
	f.reloaded = s.vars.take(x, alive)
	for _, y := range s.vars.byRole[roleIncoming] {
		if y != x {
			f.home = append(f.home, s.vars.take(y, alive)...)
		}
	}
	if !f.ownPayload && len(f.reloaded) > 0 || len(f.home) > 0 {
		s.live.useIncomingSlot(alive) // tells where to reload it from
	}
	if err := f.passHitObject(s); err != nil {
		return nil, err
	}
	if makesHitObject(at.call.Op) {
		f.found = s.vars.take(f.hit, alive)
	}
	if at.call.Op == spirv.OpHitObjectTraceReorderExecuteEXT && len(f.found) == 0 {
		at.call, f.hit = *traceOf(&at.call), nil // nobody asks for the object
	}
	l.renew(s, f, alive)
	return f, l.spillFrame(s, f, alive)
}

// renew takes the built-ins of subgroups from what lives across a cut, where lanes may be others behind it: they are read again.
func (l *cutStages) renew(s *framedStage, f *frame, alive bitset) {
	if !l.reorders() {
		return
	}
	for _, x := range s.vars.byRole[roleBuiltIn] {
		if computeBuiltIns[x.role.builtIn] && len(s.vars.take(x, alive)) > 0 {
			f.renewed = append(f.renewed, x)
		}
	}
}

// spillFrame lays out what lives across a cut, and what is passed.
func (l *cutStages) spillFrame(s *framedStage, f *frame, alive bitset) error {
	alive.each(func(i int) {
		f.spilled = append(f.spilled, spill{i, f.size})
		f.size += s.vars.leaves[i].dwords
	})
	f.size = wholeQuads(f.size)
	if f.ownPayload {
		f.payloadAt = f.size
		f.size += wholeQuads(s.vars.size(f.payload))
	}
	if f.hit != nil {
		f.hitAt = f.size
		f.size += hitObjectWords
	}
	l.work(len(f.spilled))
	if f.size > maxFrame {
		return s.unsupported("%d dwords that live across a call by %v, more than %d", f.size, f.call.Op, maxFrame)
	}
	if s.spilled += len(f.spilled); s.spilled > maxSpilled {
		return s.unsupported("more than %d scalars and vectors that live across its %d calls", maxSpilled, len(s.sites))
	}
	return nil
}

// all lists the leaves of a variable with their offsets in it.
func (v *variables) all(x *variable) []spill {
	list := make([]spill, 0, x.count)
	at := uint32(0)
	for i := x.first; i < x.first+x.count; i++ {
		list = append(list, spill{i, at})
		at += v.leaves[i].dwords
	}
	return list
}

// of lists those that are members of a set.
func (v *variables) of(x *variable, set bitset) []spill {
	return slices.DeleteFunc(v.all(x), func(sp spill) bool { return !set.has(sp.leaf) })
}

// take removes a variable's leaves from a set and lists those that were its members.
func (v *variables) take(x *variable, set bitset) []spill {
	list := v.of(x, set)
	set.removeRange(x.first, x.count)
	return list
}

// size returns the dwords of a variable.
func (v *variables) size(x *variable) uint32 {
	n := uint32(0)
	for i := x.first; i < x.first+x.count; i++ {
		n += v.leaves[i].dwords
	}
	return n
}

// frameSize returns the largest frame of a stage; a shader that calls nobody has room for the state to return to.
func (l *assembly) frameSize(s *framedStage) uint32 {
	if !l.form.cuts() || s.Kind == AnyHit || s.Kind == Intersection {
		return 0 // no frame: called by traversal
	}
	size := uint32(1)
	for _, f := range s.frames {
		size = max(size, f.size)
	}
	return size
}

// isGlobal tells whether an id is declared outside functions.
func (l *linked) isGlobal(id spirv.ID) bool {
	if _, ok := l.types.def[id]; ok {
		return true
	}
	return l.outer[id]
}
