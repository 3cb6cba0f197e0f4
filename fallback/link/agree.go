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
func (l *linked) rayBits(call *spirv.Inst) rayBits {
	var r rayBits
	if call.Op != spirv.OpTraceRayKHR {
		return r
	}
	trace := call.TraceRay()
	if v, ok := l.types.constantU32(trace.RayFlags()); ok {
		r.flags = knownBits{^uint32(0), v}
	}
	for _, field := range []struct {
		value       spirv.ID
		mask, shift uint32
	}{ // see rtSetRay
		{trace.CullMask(), 0xFF, 0}, {trace.SBTOffset(), 0xF, 8}, {trace.SBTStride(), 0xF, 12}, {trace.MissIndex(), 0xFFFF, 16},
	} {
		if v, ok := l.types.constantU32(field.value); ok {
			r.operands.mask |= field.mask << field.shift
			r.operands.value |= (v & field.mask) << field.shift
		}
	}
	return r
}

// emitAgreement tells the runtime what the trace calls of some shaders have in common.
func (l *assembly) emitAgreement(of func(*part) bool) {
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
