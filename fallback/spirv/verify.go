package spirv

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Verify checks a module's structure: ids are defined once and ahead of (in
// functions: dominating) their uses, instructions fit the grammar and their
// sections, types of operands fit the commonest instructions, blocks,
// phis and structured control flow are sound, interfaces are complete, nothing
// recurses. It knows nothing of the environment (limits, layouts, features)
// and does not replace spirv-val; it finds what a pass over the module breaks,
// and names the instruction. A module that it rejects gives ErrInvalid, one
// whose types nest more than a thousand deep ErrUnsupported: passes may go through
// the types of a verified module by recursion.
func Verify(m *Module) error { return VerifyContext(context.Background(), m) }

// VerifyContext is Verify that ends when the context does, with its error.
func VerifyContext(ctx context.Context, m *Module) error {
	return verify(ctx, m, &verifier{structured: true, rays: true})
}

// VerifyPartial is Verify for modules in the middle of a transformation. What
// instructions of ray tracing take may be something else by then, such as the
// address of a structure; without structured so is control flow.
func VerifyPartial(m *Module, structured bool) error {
	return verify(context.Background(), m, &verifier{structured: structured})
}

func verify(ctx context.Context, m *Module, v *verifier) error {
	v.ctx, v.m, v.x, v.funcs = ctx, m, newIndex(ctx, m, false), map[ID]*Function{}
	if err := ctx.Err(); err != nil {
		return err
	}
	steps := []func() error{v.layout, v.definitions, v.globals, v.debug}
	for _, f := range m.Functions {
		steps = append(steps, func() error { return v.function(f) })
	}
	steps = append(steps, v.entryPoints)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// verifier is the state of Verify.
type verifier struct {
	ctx   context.Context
	done  int // words looked at since the last look at the context
	m     *Module
	x     *Index
	funcs map[ID]*Function
	// structured asks for structured control flow.
	structured bool
	// rays asks for the types that instructions of ray tracing take.
	rays bool

	f     *Function // being verified
	block ID
	calls map[ID][]ID // functions called by each function
	uses  map[ID][]ID // global variables used by each function
	reads map[ID]bool // whether a function, or one that it calls, uses any
}

// poll is called for each instruction of the longer steps, which may have
// thousands of operands. Now and then it looks whether the context has ended.
func (v *verifier) poll(in *Inst) error {
	const often = 1 << 14
	if v.done += 4 + len(in.Operands); v.done < often {
		return nil
	}
	v.done = 0
	return v.ctx.Err()
}

// fail makes an error about an instruction.
func (v *verifier) fail(in *Inst, format string, args ...any) error {
	p := newPrinter(v.m)
	where := ""
	if v.f != nil {
		where = " in function " + p.id(v.f.Def.Result)
		if v.block != 0 {
			where += ", block " + p.id(v.block)
		}
	}
	text := ""
	if in != nil {
		p.line(in)
		text = "\n" + strings.TrimSpace(p.b.String())
	}
	for i, a := range args {
		if id, ok := a.(ID); ok {
			args[i] = named(strings.TrimPrefix(p.id(id), "%"))
		}
	}
	return fmt.Errorf("%w%s: %s%s", ErrInvalid, where, fmt.Sprintf(format, args...), text)
}

// named is an id in a message, with its debug name if it has one, whatever the
// verb.
type named string

// Format writes the name.
func (n named) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(n)) }

// maxOperandWords leaves room for opcode, type and result in 65535 words.
const maxOperandWords = 65532

// layout checks grammar and sections.
func (v *verifier) layout() error {
	var err error
	v.m.eachInst(func(in *Inst) {
		if err == nil {
			err = v.poll(in)
		}
		if err == nil {
			err = v.grammar(in)
		}
	})
	if err != nil {
		return err
	}
	for s := sectionCapabilities; s <= sectionGlobals; s++ {
		list := v.m.list(s)
		if list == nil {
			continue
		}
		for i := range *list {
			if in := &(*list)[i]; sectionOf(in.Op) != s {
				return v.fail(in, "wrong section")
			}
		}
	}
	if v.m.MemoryModel.Op != OpMemoryModel {
		return v.fail(nil, "no memory model")
	}
	for _, f := range v.m.Functions {
		for _, list := range append([][]Inst{f.Before, f.End}, f.ParamLines...) {
			for i := range list {
				if !mayFloat(list[i].Op) {
					return v.fail(&list[i], "outside of a block")
				}
			}
		}
	}
	return nil
}

// grammar checks one instruction on its own.
func (v *verifier) grammar(in *Inst) error {
	info, ok := in.Op.info()
	switch {
	case !ok:
		return v.fail(in, "unknown opcode")
	case (in.Type != 0) != (info.result == tr):
		return v.fail(in, "result type is missing or too much")
	case (in.Result != 0) != (info.result != none):
		return v.fail(in, "result id is missing or too much")
	case len(in.Operands) > maxOperandWords:
		return v.fail(in, "%d operand words do not fit an instruction", len(in.Operands))
	case uint32(in.Type) >= v.m.Bound || uint32(in.Result) >= v.m.Bound:
		return v.fail(in, "id is not below the bound %d", v.m.Bound)
	}
	if in.Op == OpSwitch && in.literalWords() != v.switchWords(in) {
		return v.fail(in, "literals of %d words do not fit the selector", in.literalWords())
	}
	bad := uint32(0)
	if err := in.check(func(kind byte, w []uint32) {
		if kind == 'i' && (w[0] == 0 || w[0] >= v.m.Bound) {
			bad = w[0] | 1<<31
		}
	}); err != nil {
		return v.fail(in, "%v", err)
	}
	if bad != 0 {
		return v.fail(in, "id %d is not below the bound %d", bad&^(1<<31), v.m.Bound)
	}
	return nil
}

// switchWords returns how many words a literal of a switch takes.
func (v *verifier) switchWords(in *Inst) int {
	if len(in.Operands) > 0 {
		if t := v.x.Def(v.x.TypeOf(in.Switch().Selector())); t != nil && t.Op == OpTypeInt && t.TypeInt().Width() > 32 {
			return 2
		}
	}
	return 1
}

// definitions checks that each id is defined once, and all uses have one.
func (v *verifier) definitions() error {
	var seen byID[bool]
	var err error
	v.m.eachInst(func(in *Inst) {
		if in.Result == 0 || err != nil {
			return
		}
		if err = v.poll(in); err == nil && seen.get(in.Result) {
			err = v.fail(in, "%%%d is defined twice", in.Result)
		}
		seen.set(in.Result, true)
	})
	if err != nil {
		return err
	}
	v.m.eachInst(func(in *Inst) {
		if err != nil {
			return
		}
		if err = v.poll(in); err != nil {
			return
		}
		if in.Type != 0 && !v.x.Op(in.Type).IsType() {
			err = v.fail(in, "result type %%%d is no type", in.Type)
		}
		in.EachID(func(p *uint32) {
			if err == nil && !seen.get(ID(*p)) {
				err = v.fail(in, "%%%d is not defined", ID(*p))
			}
		})
	})
	for _, f := range v.m.Functions {
		v.funcs[f.Def.Result] = f
	}
	return err
}

// debug checks names and decorations have a target.
func (v *verifier) debug() error {
	for i := range v.m.Annotations {
		in := &v.m.Annotations[i]
		if in.Op != OpMemberDecorate && in.Op != OpMemberDecorateString {
			continue
		}
		t := v.x.Def(in.MemberDecorate().StructureType())
		if t == nil || t.Op != OpTypeStruct || int64(in.MemberDecorate().Member()) >= int64(len(t.Operands)) {
			return v.fail(in, "no such structure member")
		}
	}
	return nil
}

// globals checks order and types of module-scope declarations.
func (v *verifier) globals() error {
	defined := map[ID]bool{}
	for _, list := range [][]Inst{v.m.ExtInstImports, v.m.DebugStrings} {
		for i := range list {
			defined[list[i].Result] = true
		}
	}
	forward := map[ID]bool{}
	unique, depths := map[string]ID{}, map[ID]int{}
	for i := range v.m.Globals {
		in := &v.m.Globals[i]
		if in.Op == OpTypeForwardPointer {
			typ := in.TypeForwardPointer().PointerType()
			forward[typ] = true
			if v.x.Op(typ) != OpTypePointer || in.TypeForwardPointer().StorageClass() != StorageClassPhysicalStorageBuffer {
				return v.fail(in, "%%%d is no type of pointers into physical storage buffers", typ)
			}
			continue
		}
		if err := v.poll(in); err != nil {
			return err
		}
		late := ID(0)
		in.EachID(func(p *uint32) {
			id := ID(*p)
			if !defined[id] && !(forward[id] && in.Op.IsType()) && !(in.Op == OpExtInst && v.x.Owner(id) != nil) {
				late = id
			}
		})
		if in.Type != 0 && !defined[in.Type] {
			late = in.Type
		}
		if late != 0 && !nonSemantic(in.Op) {
			return v.fail(in, "%%%d is defined later", late)
		}
		if err := v.global(in, unique); err != nil {
			return err
		}
		if err := v.nesting(in, depths); err != nil {
			return err
		}
		if in.Result != 0 {
			defined[in.Result] = true
		}
	}
	return nil
}

// maxNesting bounds how deep types may nest, pointers included, but for those
// into physical storage buffers, which nobody follows. Structures may nest 255
// deep by the limits of SPIR-V (2.17).
const maxNesting = 1000

// nesting notes how deep a type nests.
func (v *verifier) nesting(in *Inst, depths map[ID]int) error {
	if !in.Op.IsType() || in.Op == OpTypePointer && in.TypePointer().StorageClass() == StorageClassPhysicalStorageBuffer {
		return nil
	}
	depth := 0
	in.EachID(func(p *uint32) { depth = max(depth, depths[ID(*p)]) })
	if depth++; depth > maxNesting {
		return fmt.Errorf("%w: types nest more than %d deep\n%v", ErrUnsupported, maxNesting, in)
	}
	depths[in.Result] = depth
	return nil
}

// nonSemantic tells whether an instruction at module scope is only for tools.
func nonSemantic(op Op) bool { return op == OpExtInst || op == OpExtInstWithForwardRefsKHR }

// global checks one declaration.
func (v *verifier) global(in *Inst, unique map[string]ID) error {
	switch in.Op {
	case OpTypeVoid, OpTypeBool, OpTypeInt, OpTypeFloat, OpTypeVector, OpTypeMatrix, OpTypeImage, OpTypeSampler,
		OpTypeSampledImage, OpTypeFunction, OpTypeAccelerationStructureKHR, OpTypeRayQueryKHR:
		key := declarationKey(in.Op, 0, in.Operands)
		if other := unique[key]; other != 0 {
			return v.fail(in, "the same type as %%%d", other)
		}
		unique[key] = in.Result
		return v.numericType(in)
	case OpTypeArray:
		if length := in.TypeArray().Length(); !v.x.Op(length).IsConstant() {
			return v.fail(in, "length %%%d is no constant", length)
		}
	case OpVariable:
		return v.variable(in)
	case OpConstantComposite, OpSpecConstantComposite:
		return v.compositeParts(in, in.Operands)
	case OpConstant, OpSpecConstant:
		t := v.x.Def(in.Type)
		if t.Op != OpTypeInt && t.Op != OpTypeFloat {
			return v.fail(in, "type is not numeric")
		}
		width := t.TypeNumber().Width()
		if want := int(max(width, 1)-1)/32 + 1; len(in.Operands) != want {
			return v.fail(in, "%d words for a value of %d bits", len(in.Operands), width)
		}
	case OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse:
		if v.x.Op(in.Type) != OpTypeBool {
			return v.fail(in, "type is not bool")
		}
	}
	return nil
}

// widthCapabilities are needed for types of unusual width.
var widthCapabilities = []struct {
	op    Op
	width uint32
	any   []Capability
}{
	{OpTypeInt, 64, []Capability{CapabilityInt64, CapabilityInt64Atomics, CapabilityInt64ImageEXT}},
	{OpTypeInt, 16, []Capability{CapabilityInt16, CapabilityStorageBuffer16BitAccess,
		CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16, CapabilityStorageInputOutput16}},
	{OpTypeInt, 8, []Capability{CapabilityInt8, CapabilityStorageBuffer8BitAccess,
		CapabilityUniformAndStorageBuffer8BitAccess, CapabilityStoragePushConstant8}},
	{OpTypeFloat, 64, []Capability{CapabilityFloat64}},
	{OpTypeFloat, 16, []Capability{CapabilityFloat16, CapabilityFloat16Buffer, CapabilityStorageBuffer16BitAccess,
		CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16, CapabilityStorageInputOutput16}},
}

// numericType checks scalar, vector and matrix types.
func (v *verifier) numericType(in *Inst) error {
	switch in.Op {
	case OpTypeVector, OpTypeMatrix:
		want, most := []Op{OpTypeInt, OpTypeFloat, OpTypeBool}, uint32(16)
		if in.Op == OpTypeMatrix {
			want, most = []Op{OpTypeVector}, 4
		}
		parts := in.TypeVectorOrMatrix()
		if !slices.Contains(want, v.x.Op(parts.PartType())) || parts.PartCount() < 2 || parts.PartCount() > most {
			return v.fail(in, "components of a wrong type or number")
		}
	case OpTypeInt, OpTypeFloat:
		w := in.TypeNumber().Width()
		if w != 8 && w != 16 && w != 32 && w != 64 {
			return v.fail(in, "numbers of %d bits", w)
		}
		for _, c := range widthCapabilities {
			if c.op == in.Op && c.width == w && !slices.ContainsFunc(c.any, v.m.HasCapability) {
				return v.fail(in, "capability %v is missing", c.any[0])
			}
		}
	}
	return nil
}

// variable checks a variable, global or local.
func (v *verifier) variable(in *Inst) error {
	class, _, ok := v.pointer(in.Type)
	switch {
	case !ok || class != in.Variable().StorageClass():
		return v.fail(in, "type is no pointer of storage class %v", in.Variable().StorageClass())
	case (class == StorageClassFunction) != (v.f != nil):
		return v.fail(in, "storage class %v does not fit the place", class)
	}
	if initial := in.Variable().Initializer(); initial != 0 {
		_, t, _ := v.pointer(in.Type)
		if got := v.x.TypeOf(initial); got != t && v.x.Op(initial) != OpVariable {
			return v.fail(in, "initializer of another type")
		}
	}
	return nil
}

// pointee returns the type that a value points to, 0 if it is no pointer.
func (v *verifier) pointee(value ID) ID {
	_, t, _ := v.pointer(v.x.TypeOf(value))
	return t
}

// pointer returns storage class and pointee of a pointer type.
func (v *verifier) pointer(typ ID) (StorageClass, ID, bool) {
	t := v.x.Def(typ)
	if t == nil || t.Op != OpTypePointer {
		return 0, 0, false
	}
	return t.TypePointer().StorageClass(), t.TypePointer().Type(), true
}
