package printf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everray/everray/fallback/spirv"
)

// ErrUnsupported is wrapped by errors about what cannot be printed.
var ErrUnsupported = errors.New("cannot be printed")

// Options of Lower.
type Options struct {
	// Shader is the name that messages carry, Model and Entry the entry point.
	Shader string
	Model  spirv.ExecutionModel
	Entry  string
	// Address is that of the buffer, Words how many words it has behind the counter.
	Address uint64
	Words   uint32
	// First is the number of the first site, at least 1: 0 is where nothing was written.
	First uint32
	// Lane, if not nil, is the place of a launch whose steps are told.
	Lane *[3]uint32
}

// Site is a place in a shader that prints.
type Site struct {
	Shader string
	Format string
	Args   []Arg
	// Step tells that it is a step of the lane that is followed, not what the shader prints itself.
	Step bool
}

// Arg is the type of an argument.
type Arg struct {
	Kind       Kind
	Wide       bool   // 64 bits
	Components uint32 // of a vector, otherwise 1
}

// Kind is what the components of an argument are.
type Kind uint8

// The kinds of arguments.
const (
	Uint Kind = iota
	Int
	Float
	Bool
)

// words is how many words the argument takes.
func (a Arg) words() uint32 {
	if a.Wide {
		return 2 * a.Components
	}
	return a.Components
}

// Words is how many words a message of the site takes.
func (s *Site) Words() uint32 {
	n := uint32(1)
	for _, a := range s.Args {
		n += a.words()
	}
	return n
}

// instructionSet is what debugPrintfEXT becomes.
const instructionSet = "NonSemantic.DebugPrintf"

// Lower returns a shader's module with its prints lowered, and their sites. Without any it is the module that was given.
func Lower(code []uint32, o Options) ([]uint32, []Site, error) {
	m, err := spirv.Decode(code)
	if err != nil || spirv.Verify(m) != nil {
		return code, nil, nil //nolint:nilerr // the linker or the driver says what is wrong
	}
	w := &writer{m: m, options: o, helpers: map[uint32]spirv.ID{}, inputs: map[spirv.BuiltIn]spirv.ID{},
		constants: map[spirv.ID]uint32{}}
	if err := w.find(); err != nil {
		return nil, nil, fmt.Errorf("shader %q: %w", o.Shader, err)
	}
	if w.entry == nil || w.set == 0 && o.Lane == nil {
		return code, nil, nil
	}
	own := slices.Clone(m.Functions)
	for _, f := range own {
		if err := w.rewrite(f); err != nil {
			return nil, nil, fmt.Errorf("shader %q: %w", o.Shader, err)
		}
	}
	if len(w.sites) == 0 {
		return code, nil, nil
	}
	if err := w.finish(); err != nil {
		return nil, nil, fmt.Errorf("shader %q: %w", o.Shader, err)
	}
	return m.Encode(), w.sites, nil
}

// writer rewrites one module.
type writer struct {
	m       *spirv.Module
	options Options
	entry   *spirv.Function
	set     spirv.ID // the instruction set
	sites   []Site

	strings   map[spirv.ID]string
	types     map[spirv.ID]*spirv.Inst // as they were
	values    map[spirv.ID]spirv.ID    // types of all values
	constants map[spirv.ID]uint32      // values of 32-bit constants
	incoming  *spirv.Inst              // the payload or callable data that the shader was given
	attribute *spirv.Inst              // hit attributes
	inputs    map[spirv.BuiltIn]spirv.ID
	helpers   map[uint32]spirv.ID // functions that write so many words; of steps, with the highest bit set
	block     spirv.ID            // pointer to the buffer
	at        []spirv.Inst        // the block that is written
}

// find looks for what the module has.
func (w *writer) find() error {
	m := w.m
	for i := range m.ExtInstImports {
		if in := &m.ExtInstImports[i]; in.ExtInstImport().Name() == instructionSet {
			w.set = in.Result
		}
	}
	w.strings, w.types, w.values = map[spirv.ID]string{}, map[spirv.ID]*spirv.Inst{}, map[spirv.ID]spirv.ID{}
	for i := range m.DebugStrings {
		if in := &m.DebugStrings[i]; in.Op == spirv.OpString {
			w.strings[in.Result], _ = spirv.DecodeString(in.Operands)
		}
	}
	builtIns := map[spirv.ID]spirv.BuiltIn{}
	for i := range m.Annotations {
		if b, ok := m.Annotations[i].BuiltIn(); ok {
			builtIns[m.Annotations[i].Decorate().Target()] = b
		}
	}
	globals := slices.Clone(m.Globals) // pointers stay where they are while globals are added
	used := map[spirv.ID]bool{}
	entry := spirv.ID(0)
	for i := range m.EntryPoints {
		e := m.EntryPoints[i].EntryPoint()
		if e.ExecutionModel() != w.options.Model || e.Name() != w.options.Entry {
			continue
		}
		entry = e.EntryPoint()
		for _, id := range e.Interface() {
			used[spirv.ID(id)] = true
		}
	}
	for i := range globals {
		w.note(&globals[i], used, builtIns)
	}
	for _, f := range m.Functions {
		if f.Def.Result == entry {
			w.entry = f
		}
	}
	m.EachFunctionInst(func(in *spirv.Inst) {
		if in.Result != 0 {
			w.values[in.Result] = in.Type
		}
	})
	for _, f := range m.Functions {
		for _, p := range f.Params {
			w.values[p.Result] = p.Type
		}
	}
	return nil
}

// note notes a global.
func (w *writer) note(in *spirv.Inst, used map[spirv.ID]bool, builtIns map[spirv.ID]spirv.BuiltIn) {
	switch {
	case in.Op.IsType():
		w.types[in.Result] = in
	case in.Op == spirv.OpVariable:
		w.values[in.Result] = in.Type
		if !used[in.Result] {
			return
		}
		switch in.Variable().StorageClass() {
		case spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassIncomingCallableDataKHR:
			w.incoming = in
		case spirv.StorageClassHitAttributeKHR:
			w.attribute = in
		case spirv.StorageClassInput:
			if b, ok := builtIns[in.Result]; ok {
				w.inputs[b] = in.Result
			}
		}
	case in.Result != 0:
		w.values[in.Result] = in.Type
		if in.Op == spirv.OpConstant && len(in.Operands) == 1 {
			w.constants[in.Result] = in.Constant().Word()
		}
	}
}

// emit adds an instruction with a result to the block that is written.
func (w *writer) emit(op spirv.Op, typ spirv.ID, operands ...uint32) spirv.ID {
	id := w.m.NewID()
	w.at = append(w.at, spirv.Inst{Op: op, Type: typ, Result: id, Operands: operands})
	w.values[id] = typ
	return id
}

// rewrite rewrites the blocks of a function.
func (w *writer) rewrite(f *spirv.Function) error {
	for k, b := range f.Blocks {
		w.at = make([]spirv.Inst, 0, len(b.Insts))
		begun := k > 0 || f != w.entry || w.options.Lane == nil
		for _, in := range b.Insts {
			if !begun && in.Op != spirv.OpVariable && !in.Op.IsLine() {
				begun = true
				w.enter()
			}
			if w.set != 0 && in.Op == spirv.OpExtInst && in.ExtInst().Set() == w.set {
				if err := w.print(&in); err != nil {
					return err
				}
				continue
			}
			if w.options.Lane != nil {
				w.before(f, &in)
			}
			w.at = append(w.at, in)
			if w.options.Lane != nil {
				w.after(&in)
			}
		}
		b.Insts = w.at
	}
	return nil
}

// print lowers a call of debugPrintfEXT.
func (w *writer) print(in *spirv.Inst) error {
	operands := in.ExtInst().Operands() // the format, then the arguments
	if len(operands) == 0 {
		return fmt.Errorf("print without a format: %w", ErrUnsupported)
	}
	format := w.strings[spirv.ID(operands[0])]
	var args []spirv.ID
	for _, id := range operands[1:] {
		args = append(args, spirv.ID(id))
	}
	if !w.message(format, args, false) {
		return fmt.Errorf("print %q: %w: its arguments are to be numbers, booleans and vectors of these, at most %d words together",
			format, ErrUnsupported, mostWords)
	}
	return nil
}

// mostWords bounds a message.
const mostWords = 64

// message writes a message. It tells whether that can be.
func (w *writer) message(format string, args []spirv.ID, step bool) bool {
	site := Site{Shader: w.options.Shader, Format: format, Step: step}
	before := len(w.at)
	words := []uint32{uint32(w.m.ConstantU32(w.options.First + uint32(len(w.sites))))}
	for _, id := range args {
		arg, list, ok := w.argument(id)
		if !ok || len(words)+len(list) > mostWords {
			w.at = w.at[:before]
			return false
		}
		site.Args = append(site.Args, arg)
		words = append(words, list...)
	}
	w.emit(spirv.OpFunctionCall, w.m.TypeVoid(), append([]uint32{uint32(w.helper(uint32(len(words)), step))}, words...)...)
	w.sites = append(w.sites, site)
	return true
}

// argument turns a value into words.
func (w *writer) argument(id spirv.ID) (arg Arg, words []uint32, ok bool) {
	t := w.types[w.values[id]]
	if t == nil {
		return arg, nil, false
	}
	if arg, ok = w.typeOf(t); !ok {
		return arg, nil, false
	}
	if t.Op != spirv.OpTypeVector {
		return arg, w.scalar(arg, t, id), true
	}
	component := t.TypeVector().ComponentType()
	for k := range arg.Components {
		part := w.emit(spirv.OpCompositeExtract, component, uint32(id), k)
		words = append(words, w.scalar(arg, w.types[component], part)...)
	}
	return arg, words, true
}

// typeOf is the argument that a value of a type would be.
func (w *writer) typeOf(t *spirv.Inst) (arg Arg, ok bool) {
	arg.Components = 1
	if t.Op == spirv.OpTypeVector {
		arg.Components, t = t.TypeVector().ComponentCount(), w.types[t.TypeVector().ComponentType()]
	}
	switch {
	case t == nil:
		return arg, false
	case t.Op == spirv.OpTypeBool:
		arg.Kind = Bool
	case t.Op == spirv.OpTypeFloat:
		arg.Kind, arg.Wide = Float, t.TypeNumber().Width() == 64
	case t.Op == spirv.OpTypeInt:
		arg.Wide = t.TypeInt().Width() == 64
		if t.TypeInt().Signedness() != 0 {
			arg.Kind = Int
		}
	default:
		return arg, false
	}
	return arg, true
}

// scalar turns a scalar of a type into words.
func (w *writer) scalar(arg Arg, t *spirv.Inst, id spirv.ID) []uint32 {
	unsigned := w.m.TypeInt(32, false)
	switch {
	case arg.Kind == Bool:
		return []uint32{uint32(w.emit(spirv.OpSelect, unsigned, uint32(id), uint32(w.m.ConstantU32(1)), uint32(w.m.ConstantU32(0))))}
	case arg.Wide:
		pair := w.emit(spirv.OpBitcast, w.m.TypeVector(unsigned, 2), uint32(id))
		return []uint32{uint32(w.emit(spirv.OpCompositeExtract, unsigned, uint32(pair), 0)),
			uint32(w.emit(spirv.OpCompositeExtract, unsigned, uint32(pair), 1))}
	case t.TypeNumber().Width() < 32 && arg.Kind == Float:
		id = w.emit(spirv.OpFConvert, w.m.TypeFloat(32), uint32(id))
	case t.TypeNumber().Width() < 32 && arg.Kind == Int:
		id = w.emit(spirv.OpSConvert, w.m.TypeInt(32, true), uint32(id))
	case t.TypeNumber().Width() < 32:
		id = w.emit(spirv.OpUConvert, unsigned, uint32(id))
	}
	if arg.Kind == Uint {
		return []uint32{uint32(id)}
	}
	return []uint32{uint32(w.emit(spirv.OpBitcast, unsigned, uint32(id)))}
}
