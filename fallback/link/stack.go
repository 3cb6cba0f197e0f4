package link

import "github.com/everray/everray/fallback/spirv"

const (
	// quadSlots is how many slots of the stack lie together: four, which one memory access transfers. Drivers take longer
	// over a memory access than over any other instruction, so frames go to the stack in as few as possible.
	quadSlots = 4
	// quadStride is the distance in bytes of quads of one lane, as RtStackQuad.
	quadStride = 16 * 32
)

// wholeQuads rounds a number of slots up.
func wholeQuads(slots uint32) uint32 { return (slots + quadSlots - 1) / quadSlots * quadSlots }

// place is where a payload, callable data or a frame is kept between shaders: on the stack, or in the words of the monolithic
// form.
type place struct {
	address spirv.ID // of a quad on the stack
	first   uint32   // slot, counted from there
	words   spirv.ID // the variable, 0 for the stack
}

// spiller moves leaves of variables to and from places.
type spiller struct{ copies }

// stack returns the place that begins with a stack quad.
func (e *spiller) stack(quad spirv.ID) place { return place{address: e.call(e.l.symbols.RtQuad, quad)} }

// home returns the place of the shader's incoming payload on the stack.
func (e *spiller) home() place { return e.stack(e.incomingQuad()) }

// incomingQuad returns the stack quad that the incoming payload begins with.
func (e *spiller) incomingQuad() spirv.ID {
	return e.load(e.l.types.uint32(), e.variable(e.s.vars.byID[e.s.incomingSlot]))
}

// save writes leaves to their slots in a place, which ascend, behind words that come first.
func (e *spiller) save(list []spill, to place, first ...spirv.ID) {
	pending, end := first, uint32(len(first)) // words to be written together, and the slot behind them
	for _, sp := range list {
		e.l.work(1)
		f := e.s.vars.leaves[sp.leaf]
		words := e.words(e.load(f.typ, e.pointer(sp.leaf)), f.typ)
		if sp.slot != end {
			e.storeWords(to, end-uint32(len(pending)), pending)
			pending = nil
		}
		pending = append(pending, words...)
		end = sp.slot + f.dwords
	}
	e.storeWords(to, end-uint32(len(pending)), pending)
}

// restore reads leaves from their slots in a place, and into variables the words that come first.
func (e *spiller) restore(list []spill, from place, first ...spirv.ID) {
	var spans []run // what is read together: neighbours, and what lies between in one quad
	for i := range first {
		spans = append(spans[:0], run{0, uint32(i + 1)})
	}
	for _, sp := range list {
		n := e.s.vars.leaves[sp.leaf].dwords
		if k := len(spans) - 1; k >= 0 && (sp.slot == spans[k].end() || from.words == 0 && sp.slot < wholeQuads(spans[k].end())) {
			spans[k].count = sp.slot + n - spans[k].at
		} else {
			spans = append(spans, run{sp.slot, n})
		}
	}
	bySlot := map[uint32]spirv.ID{}
	for _, s := range spans {
		for k, w := range e.loadWords(from, s) {
			bySlot[s.at+uint32(k)] = w
		}
	}
	for i, v := range first {
		e.store(v, bySlot[uint32(i)])
	}
	for _, sp := range list {
		e.l.work(1)
		f := e.s.vars.leaves[sp.leaf]
		var words []spirv.ID
		for k := range f.dwords {
			words = append(words, bySlot[sp.slot+k])
		}
		e.store(e.pointer(sp.leaf), e.fromWords(&words, f.typ))
	}
}

// storeWords writes words from a slot of a place on.
func (e *spiller) storeWords(to place, at uint32, words []spirv.ID) {
	if to.words != 0 {
		for i, w := range words {
			e.store(e.word(to, at+uint32(i)), w)
		}
		return
	}
	for len(words) > 0 {
		r := firstRun(to.first+at, uint32(len(words)))
		value := words[0]
		if r.count > 1 {
			var operands []uint32
			for _, w := range words[:r.count] {
				operands = append(operands, uint32(w))
			}
			value = e.value(spirv.OpCompositeConstruct, e.l.quadTypes(r).value, operands...)
		}
		e.raw(spirv.OpStore, uint32(e.runPointer(to, at, r)), uint32(value), uint32(spirv.MemoryAccessAligned), r.alignment())
		words, at = words[r.count:], at+r.count
	}
}

// loadWords reads words from slots of a place.
func (e *spiller) loadWords(from place, s run) []spirv.ID {
	var words []spirv.ID
	word := e.l.types.uint32()
	if from.words != 0 {
		for i := range s.count {
			words = append(words, e.load(word, e.word(from, s.at+i)))
		}
		return words
	}
	for at := s.at; at < s.end(); {
		r := firstRun(from.first+at, s.end()-at)
		value := e.value(spirv.OpLoad, e.l.quadTypes(r).value, uint32(e.runPointer(from, at, r)), uint32(spirv.MemoryAccessAligned),
			r.alignment())
		if r.count == 1 {
			words = append(words, value)
		}
		for i := uint32(0); i < r.count && r.count > 1; i++ {
			words = append(words, e.value(spirv.OpCompositeExtract, word, uint32(value), i))
		}
		at += r.count
	}
	return words
}

// word returns the pointer to a word of the monolithic form.
func (e *spiller) word(p place, offset uint32) spirv.ID {
	t := e.l.types
	return e.value(spirv.OpAccessChain, t.pointer(spirv.StorageClassPrivate, t.uint32()), uint32(p.words), uint32(e.u32(offset)))
}

// runPointer returns the pointer to a run that begins at a slot of a place on the stack.
func (e *spiller) runPointer(p place, at uint32, r run) spirv.ID {
	types := e.l.quadTypes(r)
	quads := e.value(spirv.OpBitcast, types.quads, uint32(p.address))
	return e.value(spirv.OpAccessChain, types.pointer, uint32(quads), uint32(e.u32(0)), uint32(e.u32((p.first+at)/quadSlots)))
}

// run is a number of slots: [at, at+count).
type run struct{ at, count uint32 }

func (r run) end() uint32 { return r.at + r.count }

// firstRun returns, of so many slots, those that lie in the first's quad, counted from the quad's begin.
func firstRun(slot, count uint32) run {
	at := slot % quadSlots
	return run{at, min(count, quadSlots-at)}
}

// alignment of a run of a quad, in bytes.
func (r run) alignment() uint32 {
	switch r.at {
	case 0:
		return 16
	case 2:
		return 8
	}
	return 4
}

// runTypes are the types for accesses of one run of quads: of a pointer to all quads, of one to the run of one of them, and of
// its contents.
type runTypes struct{ quads, pointer, value spirv.ID }

// quadTypes declares the types of a run of a quad: a structure of one array, whose elements are a quad's stride apart.
func (l *linked) quadTypes(r run) runTypes {
	if types, ok := l.runs[r]; ok {
		return types
	}
	t := l.types
	value := t.uint32()
	if r.count > 1 {
		value = t.vector(value, r.count)
	}
	array, block := l.out.NewID(), l.out.NewID()
	t.add(spirv.Inst{Op: spirv.OpTypeRuntimeArray, Result: array, Operands: []uint32{uint32(value)}})
	t.add(spirv.Inst{Op: spirv.OpTypeStruct, Result: block, Operands: []uint32{uint32(array)}})
	l.out.Annotations = append(l.out.Annotations,
		spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{uint32(array), uint32(spirv.DecorationArrayStride), quadStride}},
		spirv.Inst{Op: spirv.OpDecorate, Operands: []uint32{uint32(block), uint32(spirv.DecorationBlock)}},
		spirv.Inst{Op: spirv.OpMemberDecorate, Operands: []uint32{uint32(block), 0, uint32(spirv.DecorationOffset), 4 * r.at}})
	types := runTypes{
		quads:   t.pointer(spirv.StorageClassPhysicalStorageBuffer, block),
		pointer: t.pointer(spirv.StorageClassPhysicalStorageBuffer, value),
		value:   value,
	}
	if l.runs == nil {
		l.runs = map[run]runTypes{}
	}
	l.runs[r] = types
	return types
}
