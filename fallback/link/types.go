package link

import (
	"encoding/binary"
	"math"

	"github.com/everray/everray/fallback/spirv"
)

// interner keeps the output's types and constants unique, as SPIR-V demands of all but aggregates, and looks up what
// the passes need to know of them.
type interner struct {
	m     *spirv.Module
	byKey map[string]spirv.ID
	// def holds the index in m.Globals of each global's definition.
	def map[spirv.ID]int
	// alignments remembers scalarAlignment: structures of structures have far more members than declarations.
	alignments map[spirv.ID]uint32
}

func newInterner(m *spirv.Module) *interner {
	t := &interner{m: m, byKey: map[string]spirv.ID{}, def: map[spirv.ID]int{}, alignments: map[spirv.ID]uint32{}}
	t.reindex()
	return t
}

// reindex reads the module's globals anew.
func (t *interner) reindex() {
	clear(t.byKey)
	clear(t.def)
	decorations := decorationKeys(t.m) // part of a type's identity: strides
	forward := forwardPointers(t.m)
	for i := range t.m.Globals {
		in := &t.m.Globals[i]
		if in.Result == 0 {
			continue
		}
		t.def[in.Result] = i
		if unique(in.Op) && !forward[in.Result] {
			if key := keyOf(in, decorations[in.Result]); t.byKey[key] == 0 {
				t.byKey[key] = in.Result
			}
		}
	}
}

// unique tells whether equal declarations of this instruction stand for one thing.
func unique(op spirv.Op) bool {
	switch op {
	case spirv.OpTypeStruct, spirv.OpVariable, spirv.OpUndef, spirv.OpString, spirv.OpTypeForwardPointer:
		return false
	}
	return true
}

// keyOf identifies a declaration but for its result.
func keyOf(in *spirv.Inst, decorations string) string {
	b := make([]byte, 0, 16+4*len(in.Operands)+len(decorations))
	b = binary.LittleEndian.AppendUint32(b, uint32(in.Op))
	b = binary.LittleEndian.AppendUint32(b, uint32(in.Type))
	for _, w := range in.Operands {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(append(b, decorations...))
}

// decorationKeys collects the decorations of each id in a form that can be compared.
func decorationKeys(m *spirv.Module) map[spirv.ID]string {
	collected := map[spirv.ID][]byte{}
	for i := range m.Annotations {
		in := &m.Annotations[i]
		if in.Op != spirv.OpDecorate {
			continue
		}
		target := in.Decorate().Target()
		b := collected[target]
		b = binary.LittleEndian.AppendUint32(b, uint32(in.Decorate().Decoration()))
		for _, w := range in.Decorate().Literals() {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		collected[target] = b
	}
	keys := make(map[spirv.ID]string, len(collected))
	for id, b := range collected {
		keys[id] = string(b)
	}
	return keys
}

func forwardPointers(m *spirv.Module) map[spirv.ID]bool {
	forward := map[spirv.ID]bool{}
	for i := range m.Globals {
		if m.Globals[i].Op == spirv.OpTypeForwardPointer {
			forward[m.Globals[i].TypeForwardPointer().PointerType()] = true
		}
	}
	return forward
}

// declare returns the id of a type or constant, adding it if it is new.
func (t *interner) declare(op spirv.Op, typ spirv.ID, operands ...uint32) spirv.ID {
	in := spirv.Inst{Op: op, Type: typ, Operands: operands}
	key := keyOf(&in, "")
	if id := t.byKey[key]; id != 0 && unique(op) {
		return id
	}
	in.Result = t.m.NewID()
	t.add(in)
	t.byKey[key] = in.Result
	return in.Result
}

// add appends a global as it is.
func (t *interner) add(in spirv.Inst) {
	t.m.Globals = append(t.m.Globals, in)
	if in.Result != 0 {
		t.def[in.Result] = len(t.m.Globals) - 1
	}
}

// get returns the definition of a global, nil if id is none. It is good until the next declaration.
func (t *interner) get(id spirv.ID) *spirv.Inst {
	i, ok := t.def[id]
	if !ok {
		return nil
	}
	return &t.m.Globals[i]
}

func (t *interner) op(id spirv.ID) spirv.Op {
	if in := t.get(id); in != nil {
		return in.Op
	}
	return spirv.OpNop
}

func (t *interner) void() spirv.ID    { return t.declare(spirv.OpTypeVoid, 0) }
func (t *interner) boolean() spirv.ID { return t.declare(spirv.OpTypeBool, 0) }
func (t *interner) uint32() spirv.ID  { return t.declare(spirv.OpTypeInt, 0, 32, 0) }
func (t *interner) float32() spirv.ID { return t.declare(spirv.OpTypeFloat, 0, 32) }

func (t *interner) vector(component spirv.ID, n uint32) spirv.ID {
	return t.declare(spirv.OpTypeVector, 0, uint32(component), n)
}

func (t *interner) pointer(class spirv.StorageClass, pointee spirv.ID) spirv.ID {
	return t.declare(spirv.OpTypePointer, 0, uint32(class), uint32(pointee))
}

func (t *interner) function(result spirv.ID, params ...spirv.ID) spirv.ID {
	operands := []uint32{uint32(result)}
	for _, p := range params {
		operands = append(operands, uint32(p))
	}
	return t.declare(spirv.OpTypeFunction, 0, operands...)
}

// u32 returns a constant of type uint.
func (t *interner) u32(v uint32) spirv.ID { return t.declare(spirv.OpConstant, t.uint32(), v) }

// undef returns an undefined value of a type.
func (t *interner) undef(typ spirv.ID) spirv.ID { return t.declare(spirv.OpUndef, typ) }

// constantU32 returns the value of an integer constant; one that 32 bits do not hold is all ones.
func (t *interner) constantU32(id spirv.ID) (uint32, bool) {
	in := t.get(id)
	if in == nil {
		return 0, false
	}
	switch in.Op {
	case spirv.OpConstant:
		if t.op(in.Type) != spirv.OpTypeInt {
			return 0, false
		}
		words := in.Constant().Value()
		if len(words) > 1 && words[1] != 0 {
			return math.MaxUint32, true
		}
		return words[0], true
	case spirv.OpConstantNull:
		if t.op(in.Type) == spirv.OpTypeInt {
			return 0, true
		}
	}
	return 0, false
}

// pointee returns storage class and type behind a pointer type.
func (t *interner) pointee(pointer spirv.ID) (spirv.StorageClass, spirv.ID) {
	in := t.get(pointer)
	if in == nil || in.Op != spirv.OpTypePointer {
		return math.MaxUint32, 0
	}
	return in.TypePointer().StorageClass(), in.TypePointer().Type()
}

// element returns the type of element i of a composite type, and how many it has; 0 of a runtime array.
func (t *interner) element(composite spirv.ID, i uint32) (spirv.ID, uint32) {
	in := t.get(composite)
	if in == nil {
		return 0, 0
	}
	switch in.Op {
	case spirv.OpTypeVector:
		return in.TypeVector().ComponentType(), in.TypeVector().ComponentCount()
	case spirv.OpTypeMatrix:
		return in.TypeMatrix().ColumnType(), in.TypeMatrix().ColumnCount()
	case spirv.OpTypeArray:
		n, _ := t.constantU32(in.TypeArray().Length())
		return in.TypeArray().ElementType(), n
	case spirv.OpTypeRuntimeArray:
		return in.TypeArray().ElementType(), 0
	case spirv.OpTypeStruct:
		if int(i) < len(in.Operands) {
			return spirv.ID(in.Operands[i]), uint32(len(in.Operands))
		}
		return 0, uint32(len(in.Operands))
	}
	return 0, 0
}

// scalarAlignment returns the size of the largest scalar in a type, which is what memory of unknown layout is aligned to.
func (t *interner) scalarAlignment(id spirv.ID) uint32 {
	if n, ok := t.alignments[id]; ok {
		return n
	}
	n := uint32(4)
	if in := t.get(id); in != nil {
		switch in.Op {
		case spirv.OpTypeInt, spirv.OpTypeFloat:
			n = in.TypeNumber().Width() / 8
		case spirv.OpTypePointer:
			n = 8
		case spirv.OpTypeStruct:
			n = 1
			for _, member := range append([]uint32(nil), in.Operands...) {
				n = max(n, t.scalarAlignment(spirv.ID(member)))
			}
		case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
			first, _ := t.element(id, 0)
			n = t.scalarAlignment(first)
		}
	}
	t.alignments[id] = n
	return n
}

// release gives up a global's id, which something else takes over; the global itself stays under an id of its own.
func (t *interner) release(id spirv.ID) {
	i := t.def[id]
	delete(t.def, id)
	t.m.Globals[i].Result = t.m.NewID()
	t.def[t.m.Globals[i].Result] = i
}
