package link

import "github.com/everray/everray/fallback/spirv"

// Rays of ray generation shaders that skip closest hit shaders, as shadow rays do, are answered by a miss shader or by nobody.
// Where
// that shader is small, the wavefront form has it in the kernel that traverses: the ray takes no round, and what lives across it
// does not wait in memory for one.

const (
	rayFlagSkipClosestHit = 8
	// answerInstructions is the size of miss shaders, in instructions, that are worth that; answerStates how many states a mask of
	// them spans.
	answerInstructions = 100
	answerStates       = 32
)

// answerers are the miss shaders, by number of their parts, that answer rays where they are traversed.
func (w *wavePlan) answerers(l *assembly) map[int]bool {
	skips := false
	for i := range l.parts {
		p := &l.parts[i]
		if p.hitObjects || p.reorders {
			return nil
		}
		skips = skips || p.skips && p.model == Raygen
	}
	if !skips {
		return nil
	}
	sizes := l.functionSizes()
	list, first := map[int]bool{}, uint32(0)
	for i := range l.parts {
		p := &l.parts[i]
		if p.model != Miss || len(p.resumptions) > 0 || l.partSize(p, sizes) > answerInstructions {
			continue
		}
		if len(list) == 0 {
			first = p.number
		}
		if p.number-first < answerStates {
			list[i] = true
		}
	}
	return list
}

// emitAnswers tells a kernel which miss shaders it has for such rays.
func (l *assembly) emitAnswers(parts map[int]bool) {
	first, mask := ^uint32(0), uint32(0)
	for i := range parts {
		first = min(first, l.parts[i].number)
	}
	for i := range parts {
		mask |= 1 << (l.parts[i].number - first)
	}
	t, y := l.types, l.symbols
	op := spirv.OpConstantFalse
	if len(parts) > 0 {
		op = spirv.OpConstantTrue
	}
	l.emitConstant(y.RtWaveAnswers, t.declare(op, t.boolean()))
	l.emitConstant(y.RtWaveAnswerFirst, t.u32(first))
	l.emitConstant(y.RtWaveAnswerMask, t.u32(mask))
}
