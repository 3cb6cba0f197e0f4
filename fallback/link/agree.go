package link

import "github.com/everray/everray/fallback/spirv"

// knownBits are bits whose values are known.
type knownBits struct{ mask, value uint32 }

// meet keeps the bits that both know and agree on.
func (k knownBits) meet(o knownBits) knownBits {
	mask := k.mask & o.mask &^ (k.value ^ o.value)
	return knownBits{mask, k.value & mask}
}

// rayBits is what is known of a trace call's flags, and of its other integers as the runtime packs them (rtOperands). Calls mostly
// have constants there, and what all calls of a pipeline have in common spares traversal registers: between the call and the
// traversal is a scheduler that compilers do not see through.
type rayBits struct{ flags, operands knownBits }

// meet is what two calls have in common; without a first one it is the second.
func (r rayBits) meet(o rayBits, first bool) rayBits {
	if !first {
		return o
	}
	return rayBits{r.flags.meet(o.flags), r.operands.meet(o.operands)}
}

// rayBits looks at a call. Of those that trace in other ways nothing is known.
func (l *linker) rayBits(call *spirv.Inst) rayBits {
	var r rayBits
	if call.Op != spirv.OpTraceRayKHR {
		return r
	}
	if v, ok := l.types.constantU32(call.ID(1)); ok {
		r.flags = knownBits{^uint32(0), v}
	}
	// Cull mask, table offset and stride, miss index: see rtSetRay.
	for i, field := range []struct{ mask, shift uint32 }{{0xFF, 0}, {0xF, 8}, {0xF, 12}, {0xFFFF, 16}} {
		if v, ok := l.types.constantU32(call.ID(2 + i)); ok {
			r.operands.mask |= field.mask << field.shift
			r.operands.value |= (v & field.mask) << field.shift
		}
	}
	return r
}

// emitAgreement tells the runtime what the trace calls of some shaders have in common.
func (l *linker) emitAgreement(of func(*part) bool) {
	var rays rayBits
	found := false
	for i := range l.parts {
		if p := &l.parts[i]; p.traces && of(p) {
			rays, found = rays.meet(p.rays, found), true
		}
	}
	for _, c := range []struct {
		hook  routine
		value uint32
	}{
		{l.symbols.RtFlagsSet, rays.flags.value}, {l.symbols.RtFlagsOpen, ^rays.flags.mask},
		{l.symbols.RtOperandsSet, rays.operands.value}, {l.symbols.RtOperandsOpen, ^rays.operands.mask},
	} {
		l.emitConstant(c.hook, l.types.u32(c.value))
	}
}
