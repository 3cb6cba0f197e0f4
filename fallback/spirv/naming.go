package spirv

import (
	"fmt"
	"strings"
)

// FriendlyNames names what a module declares outside functions: types and constants by what they are, functions and variables by
// their debug names, less what compilers append to them. Texts with such names are for reading, and do not change with the numbers
// of ids. Ids without a name of their own, and those within functions, are left out.
func FriendlyNames(m *Module) map[ID]string {
	n := namer{names: map[ID]string{}, taken: map[string]bool{}}
	debug := map[ID]string{}
	for i := range m.Names {
		if in := &m.Names[i]; in.Op == OpName {
			s, _, _ := strings.Cut(in.Name().Name(), "(") // glslang mangles the types of parameters behind it
			debug[in.Name().Target()] = friendly(s)
		}
	}
	for i := range m.ExtInstImports {
		in := &m.ExtInstImports[i]
		n.take(in.Result, friendly(in.ExtInstImport().Name()))
	}
	p := newPrinter(m)
	for i := range m.Globals {
		in := &m.Globals[i]
		n.take(in.Result, n.global(p, in, debug[in.Result]))
	}
	for _, f := range m.Functions {
		n.take(f.Def.Result, debug[f.Def.Result])
	}
	return n.names
}

type namer struct {
	names map[ID]string
	taken map[string]bool
}

// take gives an id a name, with a number behind it where another has it.
func (n *namer) take(id ID, name string) {
	if id == 0 || name == "" {
		return
	}
	unique := name
	for i := 2; n.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.names[id], n.taken[unique] = unique, true
}

// of returns the name of an id.
func (n *namer) of(id ID) string {
	if s := n.names[id]; s != "" {
		return s
	}
	return "x"
}

// global returns the name of a declaration.
func (n *namer) global(p *printer, in *Inst, debug string) string {
	switch in.Op {
	case OpTypeVoid:
		return "void"
	case OpTypeBool:
		return "bool"
	case OpTypeInt:
		if in.TypeInt().Signedness() != 0 {
			return fmt.Sprintf("int%d", in.TypeInt().Width())
		}
		return fmt.Sprintf("uint%d", in.TypeInt().Width())
	case OpTypeFloat:
		return fmt.Sprintf("float%d", in.TypeNumber().Width())
	case OpTypeVector:
		return fmt.Sprintf("v%d%s", in.TypeVector().ComponentCount(), n.of(in.TypeVector().ComponentType()))
	case OpTypeMatrix:
		return fmt.Sprintf("m%d%s", in.TypeMatrix().ColumnCount(), n.of(in.TypeMatrix().ColumnType()))
	case OpTypePointer:
		return fmt.Sprintf("ptr_%v_%s", in.TypePointer().StorageClass(), n.of(in.TypePointer().Type()))
	case OpTypeArray:
		return fmt.Sprintf("array_%s_%s", n.of(in.TypeArray().ElementType()), n.of(in.TypeArray().Length()))
	case OpTypeRuntimeArray:
		return "array_" + n.of(in.TypeArray().ElementType())
	case OpTypeFunction:
		parts := []string{"function"}
		for k := range in.Operands {
			parts = append(parts, n.of(in.ID(k)))
		}
		return strings.Join(parts, "_")
	case OpConstant:
		return friendly(n.of(in.Type) + "_" + strings.ReplaceAll(literal(p.types[in.Type], in.Operands), "-", "n"))
	case OpConstantTrue:
		return "true"
	case OpConstantFalse:
		return "false"
	case OpConstantNull:
		return "null_" + n.of(in.Type)
	case OpConstantComposite:
		return "constant_" + n.of(in.Type)
	case OpTypeStruct:
		if debug == "" {
			return "struct"
		}
	case OpVariable:
		if debug == "" {
			return fmt.Sprintf("%v", in.Variable().StorageClass())
		}
	}
	return debug
}

// DisassembleFunction writes one function as Disassemble does, with these names for ids; what they leave out is numbered in the
// order of the function.
func DisassembleFunction(m *Module, f *Function, names map[ID]string) string {
	p := newPrinter(m)
	p.names = map[ID]string{}
	f.eachInst(func(in *Inst) {
		if in.Result != 0 && names[in.Result] == "" {
			p.names[in.Result] = fmt.Sprintf("_%d", len(p.names)+1)
		}
	})
	for id, s := range names {
		p.names[id] = s
	}
	f.eachInst(p.line)
	return strings.TrimLeft(p.b.String(), "\n")
}
