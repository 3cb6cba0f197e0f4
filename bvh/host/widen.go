package host

import (
	"encoding/binary"
	"math"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
)

// widening makes the wide nodes of a structure, as shaders/bvh/build/widen.comp does, to the same bytes.
type widening struct {
	s    *inspect.Structure
	wide []byte
	unit float32 // for products of coordinates
}

// newHostWidening reads a structure's header and notes there where wide nodes begin. Without room, or if the structure is not
// new and has none, there are none.
func newHostWidening(memory []byte, isNew bool) *widening {
	w := &widening{}
	s, err := inspect.Decode(memory)
	if err != nil || !isNew && s.Word(layout.HeaderWide) == 0 {
		return w
	}
	slots := uint64(s.Word(layout.HeaderNodeCount))
	at := layout.AlignUp(s.Bytes, layout.WideUnit)
	if slots == 0 || layout.HeaderSize+slots*layout.NodeSize > s.Leaves || layout.WithWide(s.Bytes, slots) > uint64(len(memory)) {
		layout.PutWord(memory, layout.HeaderWide, 0)
		return w
	}
	layout.PutWord(memory, layout.HeaderWide, uint32(at/layout.WideUnit))
	w.unit = widenUnit(s.Bounds)
	w.s, w.wide = s, memory[at:][:min(slots, uint64(max(s.Active, 1)-1))*layout.WideSize] // nodes beyond are not of the tree
	return w
}

// widenUnit is unitOf of widen.comp: a power of two that makes coordinates neither large nor small.
func widenUnit(bounds inspect.Box) float32 {
	largest := float32(0)
	for k := range 3 {
		largest = max(largest, float32(math.Abs(float64(bounds.Min[k]))), float32(math.Abs(float64(bounds.Max[k]))))
	}
	if largest >= hugeCoordinate {
		return 1
	}
	return math.Float32frombits(0x7f000000 - math.Float32bits(largest)&0x7f800000)
}

// slots is how many nodes there are to do.
func (w *widening) slots() int { return len(w.wide) / layout.WideSize }

// Widen makes the wide nodes of a structure's memory again, as the device does; an operation does it in parts.
func Widen(memory []byte) {
	w := newHostWidening(memory, false)
	w.run(0, w.slots())
}

// wideChild is a child of a wide node.
type wideChild struct {
	box inspect.Box
	ref uint32
}

// noChild is a box of infinities, which no ray meets.
func noChild() wideChild {
	up, down := float32(math.Inf(1)), float32(math.Inf(-1))
	return wideChild{inspect.Box{Min: [3]float32{up, up, up}, Max: [3]float32{down, down, down}}, layout.RefEmpty}
}

func (w *widening) childOf(node uint32, k int) wideChild {
	box, ref, _ := w.s.Children(node)
	return wideChild{box[k], ref[k]}
}

// price is the surface of a child that may be opened, or less than any.
func (w *widening) price(c wideChild) float32 {
	if uint64(c.ref) >= uint64(w.slots()) {
		return -1
	}
	if c.box.Min[0] > c.box.Max[0] {
		return 0
	}
	x, y, z := (c.box.Max[0]-c.box.Min[0])*w.unit, (c.box.Max[1]-c.box.Min[1])*w.unit, (c.box.Max[2]-c.box.Min[2])*w.unit
	sum := float32(x*y) + float32(y*z)
	return sum + float32(z*x)
}

// run makes the nodes from first to end.
func (w *widening) run(first, end int) {
	for slot := first; slot < end; slot++ {
		child, count := [layout.WideChildren]wideChild{}, 0
		if _, ref, _ := w.s.Children(uint32(slot)); ref[0]&ref[1] != layout.RefNone {
			child[0], child[1], count = w.childOf(uint32(slot), 0), w.childOf(uint32(slot), 1), 2
		}
		for count > 0 && count < layout.WideChildren {
			largest := 0
			for k := 1; k < count; k++ {
				if w.price(child[k]) > w.price(child[largest]) {
					largest = k
				}
			}
			if !(w.price(child[largest]) >= 0) {
				break
			}
			open := child[largest].ref
			child[largest], child[count] = w.childOf(open, 0), w.childOf(open, 1)
			count++
		}
		for k := count; k < layout.WideChildren; k++ {
			child[k] = noChild()
		}
		w.write(slot, &child)
	}
}

func (w *widening) write(slot int, child *[layout.WideChildren]wideChild) {
	at := w.wide[slot*layout.WideSize:][:layout.WideSize]
	put := func(offset int, v float32) { binary.LittleEndian.PutUint32(at[offset:], math.Float32bits(v)) }
	for k, c := range child {
		for axis := range 3 {
			put(axis*layout.WideAxis+4*k, c.box.Min[axis])
			put(axis*layout.WideAxis+layout.WideAxis/2+4*k, c.box.Max[axis])
		}
		layout.PutWord(at, layout.WideRefs+4*k, c.ref)
	}
	clear(at[layout.WideRefs+4*layout.WideChildren:])
}

// widen makes the wide nodes of a structure, as the last step of a build.
func (o *Operation) widen(memory []byte, isNew bool) {
	w := newHostWidening(memory, isNew)
	o.spread(w.slots(), taskSize, w.run, func() {})
	o.closing()
}
