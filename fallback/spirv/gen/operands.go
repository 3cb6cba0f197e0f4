package main

import (
	"bytes"
	"fmt"
)

// operand is one operand of a grammar.
type operand struct {
	kind     byte
	optional bool
	rest     bool // all words that are left
}

// operands takes a grammar apart. Words behind a decoration or an execution mode count as an operand of their own.
func operands(grammar string) ([]operand, error) {
	var list []operand
	for i := 0; i < len(grammar); i++ {
		o := operand{kind: grammar[i]}
		if i+1 < len(grammar) {
			switch grammar[i+1] {
			case '?':
				o.optional = true
				i++
			case '*':
				o.rest = true
				i++
			}
		}
		switch o.kind {
		case 'M', 'V', 'W', 'G':
			o.rest = true
		case 'D', 'X', 'Z', 'x', 'U', 'O': // literals, ids or texts behind a decoration or a mode, operands behind an opcode
			o.kind = map[byte]byte{'D': 'D', 'Z': 'D', 'U': 'D', 'X': 'X', 'x': 'X', 'O': 'O'}[o.kind]
			list = append(list, o)
			o = operand{kind: 'n', rest: true}
		}
		if n := len(list); n > 0 && list[n-1].rest {
			if o.kind == 'M' { // the memory operands of a second pointer
				continue
			}
			return nil, fmt.Errorf("grammar %q goes on behind what has no end", grammar)
		}
		list = append(list, o)
	}
	return list, nil
}

// enums are the Go types of kinds that are enumerations.
var enums = map[byte]string{
	'A': "AddressingModel", 'C': "Capability", 'D': "Decoration", 'E': "ExecutionModel", 'S': "StorageClass", 'X': "ExecutionMode",
	'Y': "MemoryModel", 'd': "Dim", 'f': "ImageFormat", 'i': "ID", 'O': "Op", 'q': "AccessQualifier",
}

// write writes what reads the operand, and what sets it.
func (o operand) write(b *bytes.Buffer, view, name string, at int, settable bool) {
	head := fmt.Sprintf("func (v %sView) %s()", view, name)
	typ, enum := enums[o.kind]
	switch {
	case o.rest:
		fmt.Fprintf(b, "// %s are the words from operand %d on; they are the instruction's own.\n", name, at)
		fmt.Fprintf(b, "%s []uint32 { return v.in.Operands[%d:] }\n\n", head, at)
		return
	case o.kind == 's':
		fmt.Fprintf(b, "// %s is a text.\n%s string { return v.in.text(%d) }\n\n", name, head, at)
		return
	case o.optional:
		fmt.Fprintf(b, "// %s may be absent: 0.\n%s %s { return %s(v.in.optional(%d)) }\n\n", name, head, typ, typ, at)
		return
	case !enum:
		typ = "uint32"
		fmt.Fprintf(b, "// %s is operand %d.\n%s uint32 { return v.in.Operands[%d] }\n\n", name, at, head, at)
	default:
		fmt.Fprintf(b, "// %s is operand %d.\n%s %s { return %s(v.in.Operands[%d]) }\n\n", name, at, head, typ, typ, at)
	}
	if settable {
		fmt.Fprintf(b, "// Set%s changes it.\n", name)
		fmt.Fprintf(b, "func (v %sView) Set%s(to %s) { v.in.Operands[%d] = uint32(to) }\n\n", view, name, typ, at)
	}
}
