package link

import "github.com/everray/everray/fallback/spirv"

// frame is what a shader leaves on the stack at one cut. Slot 0 keeps the state to return to while the shader waits for a
// callee (the runtime writes it); then comes the payload, if it is the shader's own, then the spilled leaves.
type frame struct {
	size       uint32 // slots
	payload    *variable
	ownPayload bool
	spilled    []spill
	reloaded   []int // leaves of the payload that are read afterwards
}

type spill struct {
	leaf int
	slot uint32
}

// layOutFrames decides what is spilled at each cut, and where.
func (l *linker) layOutFrames() error {
	for _, s := range l.stages {
		if err := l.collectVariables(s); err != nil {
			return err
		}
		live := l.analyseLiveness(s)
		s.live = live
		for _, at := range s.sites {
			if err := l.layOutFrame(s, at, live); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *linker) layOutFrame(s *stage, at *site, live *liveness) error {
	at.payload = at.call.ID(len(at.call.Operands) - 1)
	x := s.vars.byID[at.payload]
	if x == nil || x.role.kind != rolePayload && x.role.kind != roleIncoming {
		return s.unsupported("%v whose payload is no payload variable", at.call.Op)
	}
	f := frame{size: 1, payload: x, ownPayload: x.role.kind == rolePayload}
	if f.ownPayload {
		f.size += s.vars.size(x)
	}
	alive := live.in[at.resume].clone()
	for i := x.first; i < x.first+x.count; i++ {
		if alive.has(i) {
			f.reloaded = append(f.reloaded, i)
			alive.remove(i)
		}
	}
	if !f.ownPayload && len(f.reloaded) > 0 {
		live.useIncomingSlot(alive) // tells where to reload it from
	}
	alive.each(func(i int) {
		f.spilled = append(f.spilled, spill{i, f.size})
		f.size += s.vars.leaves[i].dwords
	})
	at.frame = f
	return nil
}

// size returns the dwords of a variable.
func (v *variables) size(x *variable) uint32 {
	n := uint32(0)
	for i := x.first; i < x.first+x.count; i++ {
		n += v.leaves[i].dwords
	}
	return n
}

// offset returns the dwords of a variable before one of its leaves.
func (v *variables) offset(i int) uint32 {
	n := uint32(0)
	for j := v.leaves[i].variable.first; j < i; j++ {
		n += v.leaves[j].dwords
	}
	return n
}

// frameSize returns the largest frame of a stage; a shader that calls nobody has room for the state to return to.
func (l *linker) frameSize(s *stage) uint32 {
	if l.form == FormMonolithic || s.Model == AnyHit || s.Model == Intersection {
		return 0 // no frame: called by traversal
	}
	size := uint32(1)
	for _, at := range s.sites {
		size = max(size, at.frame.size)
	}
	return size
}

// isGlobal tells whether an id is declared outside functions.
func (l *linker) isGlobal(id spirv.ID) bool {
	if _, ok := l.types.def[id]; ok {
		return true
	}
	return l.outer[id]
}
