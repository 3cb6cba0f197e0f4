package link

import (
	"math/bits"

	"github.com/everray/everray/fallback/spirv"
)

// Reorders. Only the wavefront form has an order of lanes to change, between the kernels of a round: a reorder is a cut there, and
// the sort that brings lanes to shaders brings those lanes, by key, to a kernel that goes on with ray generation
// (shaders/fallback/hitobject.glsl). Anywhere else reorders are dropped.

const (
	// keyBits is how many bits of a key there are, reorderBins how many keys.
	keyBits     = 8
	reorderBins = 1 << keyBits
)

// reorders tells whether the form changes the order of lanes, long before it is chosen: it is one that must be asked for.
func (j *job) reorders() bool { return j.options.Form.InRounds() && !j.library }

// reorder leaves of a reorder its key, or nothing.
func (h *hitLowering) reorder(in *spirv.Inst) error {
	if !h.l.reorders() {
		return nil
	}
	function := h.l.symbols.HoKeyOfHint
	var hint, bits spirv.ID // which the reorder by an object may lack
	var args []spirv.ID
	if in.Op == spirv.OpReorderThreadWithHitObjectEXT {
		v := in.ReorderThreadWithHitObject()
		hint, bits, function = v.Hint(), v.Bits(), h.l.symbols.HoKeyOfObject
		for _, m := range []string{"kind", "record", "flags"} {
			args = append(args, h.read(v.HitObject(), m))
		}
	} else {
		hint, bits = in.ReorderThreadWithHint().Hint(), in.ReorderThreadWithHint().Bits()
	}
	none := h.u32(0)
	for _, id := range []spirv.ID{hint, bits} {
		value := none
		if hint != 0 && bits != 0 {
			typ := h.typeOf(id)
			if !h.word(typ) {
				return h.s.invalid("hint of %v is of a wrong type", in.Op)
			}
			value = h.convert(id, typ, h.l.types.uint32())
		}
		args = append(args, value)
	}
	key := h.call(function, args...)
	h.raw(spirv.OpReorderThreadWithHintEXT, uint32(key), uint32(h.u32(keyBits)))
	return nil
}

// reorder leaves the shader at a reorder: its frame goes to the stack.
func (e *departure) reorder(f *frame) {
	size := e.u32(f.size / quadSlots)
	fits := e.call(e.l.symbols.RtReserve, size)
	base := e.loadGlobal(e.l.symbols.RtFrame)
	pushed, left := e.l.out.NewID(), e.l.out.NewID()
	e.choose(fits, pushed, left)
	e.block(pushed)
	e.save(f.spilled, e.stack(base))
	e.branch(left)
	e.block(left)
	e.returnValue(e.call(e.l.symbols.HoReorder, fits, size, f.constant, e.operand(f.call.ReorderThreadWithHint().Hint())))
}

// emitReorders tells a kernel about the states of lanes that wait at reorders. In the tail, which has no order, they go on.
func (w *wavePlan) emitReorders(l *assembly, leaves bool) {
	t, y := l.types, l.symbols
	op, first := spirv.OpConstantFalse, ^uint32(0)
	if w.reorders {
		if first = w.sorted[0]; leaves {
			op = spirv.OpConstantTrue
		}
	}
	// The shaders that may answer, and nobody, in as many of the key's values as they need; the rest of its bits is the hint's.
	shaders, drop := w.shades<<w.shift+1, uint32(0)
	for shaders>>drop > reorderBins {
		drop++
	}
	hint := uint32(keyBits - bits.Len32(shaders>>drop-1))
	l.emitConstant(y.HoReorders, t.declare(op, t.boolean()))
	for _, c := range []struct {
		hook  routine
		value uint32
	}{
		{y.HoReorderFirst, first}, {y.HoReorderShift, w.shift}, {y.HoKeyBits, keyBits}, {y.HoHintBits, hint}, {y.HoShaderShift, drop},
	} {
		l.emitConstant(c.hook, t.u32(c.value))
	}
}
