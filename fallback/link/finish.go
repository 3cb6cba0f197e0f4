package link

import "github.com/everray/everray/fallback/spirv"

// emitDispatch writes the bodies of the runtime's hooks, each a switch over the functions that it may have to run.
func (l *linker) emitDispatch() error {
	l.emitSwitch("rtShade", l.shades, stateDone)
	l.emitSwitch("rtContinue", l.continues, stateDone)
	var hits []stateFunction
	for _, s := range l.anyHits {
		hits = append(hits, stateFunction{s.number, s.entryFunction})
	}
	l.emitSwitch("rtAnyHit", hits, candidateAccept)
	if len(hits) == 0 {
		// Nobody to ask: traversal need not keep what any hit shaders could want to see.
		l.emitSwitch("erCandidate", nil, candidateAccept)
	}
	return nil
}

// emitSwitch replaces the body of a hook, of one parameter, by a switch that calls the functions by number.
func (l *linker) emitSwitch(hook string, functions []stateFunction, otherwise uint32) {
	f := l.functionByID(l.symbol(hook))
	word := l.types.uint32()
	f.Blocks = nil
	c := code{l: l, f: f}
	c.block(l.out.NewID())
	if len(functions) == 0 {
		c.returnValue(c.u32(otherwise))
		return
	}
	merge, other := l.out.NewID(), l.out.NewID()
	operands := []uint32{uint32(f.Params[0].Result), uint32(other)}
	labels := make([]spirv.ID, len(functions))
	for i, s := range functions {
		labels[i] = l.out.NewID()
		operands = append(operands, s.number, uint32(labels[i]))
	}
	c.raw(spirv.OpSelectionMerge, uint32(merge), 0)
	c.raw(spirv.OpSwitch, operands...)
	var phi []uint32
	for i, s := range functions {
		c.block(labels[i])
		next := c.value(spirv.OpFunctionCall, word, uint32(s.function))
		phi = append(phi, uint32(next), uint32(labels[i]))
		c.branch(merge)
	}
	c.block(other)
	phi = append(phi, uint32(c.u32(otherwise)), uint32(other))
	c.branch(merge)
	c.block(merge)
	c.returnValue(c.value(spirv.OpPhi, word, phi...))
}

func (l *linker) functionByID(id spirv.ID) *spirv.Function {
	for _, f := range l.out.Functions {
		if f.Def.Result == id {
			return f
		}
	}
	return nil
}

// finish drops what is not reached from the entry point, completes the header and encodes the module.
func (l *linker) finish() error {
	m := l.out
	l.dropFunctions()
	entry := &m.EntryPoints[0]
	pruneGlobals(m, nil)
	l.types.reindex()
	// Since SPIR-V 1.4 the interface lists all globals that the entry point uses.
	_, n := spirv.DecodeString(entry.Operands[2:])
	entry.Operands = entry.Operands[: 2+n : 2+n]
	for i := range m.Globals {
		if m.Globals[i].Op == spirv.OpVariable {
			entry.Operands = append(entry.Operands, uint32(m.Globals[i].Result))
		}
	}
	m.Capabilities = filter(m.Capabilities, func(in *spirv.Inst) bool { return !droppedCapabilities[spirv.Capability(in.Operands[0])] })
	m.Extensions = filter(m.Extensions, func(in *spirv.Inst) bool {
		name, _ := spirv.DecodeString(in.Operands)
		return !droppedExtensions[name]
	})
	m.Version = max(m.Version, 0x10500)
	m.DebugStrings = nil
	l.result = &Result{Code: m.Encode(), States: len(l.shades) + len(l.continues)}
	for _, s := range l.stages {
		l.result.Entries = append(l.result.Entries, s.number)
		l.result.Frames = append(l.result.Frames, s.frameSize())
	}
	return nil
}

// dropFunctions keeps the functions that the entry point reaches.
func (l *linker) dropFunctions() {
	byID := map[spirv.ID]*spirv.Function{}
	for _, f := range l.out.Functions {
		byID[f.Def.Result] = f
	}
	reached := map[spirv.ID]bool{}
	work := []spirv.ID{l.out.EntryPoints[0].ID(1)}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, b := range byID[id].Blocks {
			for i := range b.Insts {
				if b.Insts[i].Op == spirv.OpFunctionCall {
					work = append(work, b.Insts[i].ID(0))
				}
			}
		}
	}
	var kept []*spirv.Function
	for _, f := range l.out.Functions {
		if reached[f.Def.Result] {
			kept = append(kept, f)
		}
	}
	l.out.Functions = kept
	l.out.ExecutionModes = filter(l.out.ExecutionModes, func(in *spirv.Inst) bool { return reached[in.ID(0)] })
}
