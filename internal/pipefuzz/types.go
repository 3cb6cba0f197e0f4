package pipefuzz

import (
	"fmt"
	"strings"
)

type kind int

const (
	kindBool kind = iota
	kindInt
	kindUint
	kindFloat
	kindWide
	kindVector // elem is the scalar
	kindMatrix // elem is the column
	kindArray
	kindStruct
)

// access is what random code may do with a member.
type access int

const (
	open     access = iota
	readOnly        // the protocol between shaders writes it
	answer          // any hit shaders write it, the others may read it
	hidden          // any hit shaders' own, in no result
)

type member struct {
	name   string
	t      *typ
	access access
}

type typ struct {
	name    string
	kind    kind
	elem    *typ
	n       int
	members []member
}

var (
	tBool  = &typ{name: "bool", kind: kindBool}
	tInt   = &typ{name: "int", kind: kindInt}
	tUint  = &typ{name: "uint", kind: kindUint}
	tFloat = &typ{name: "float", kind: kindFloat}
	tWide  = &typ{name: "uint64_t", kind: kindWide}
)

func vectorOf(elem *typ, n int) *typ {
	return &typ{name: map[kind]string{kindInt: "i", kindUint: "u", kindFloat: ""}[elem.kind] + fmt.Sprintf("vec%d", n),
		kind: kindVector, elem: elem, n: n}
}

func matrixOf(columns, rows int) *typ {
	return &typ{name: fmt.Sprintf("mat%dx%d", columns, rows), kind: kindMatrix, elem: vectorOf(tFloat, rows), n: columns}
}

func arrayOf(elem *typ, n int) *typ {
	return &typ{name: fmt.Sprintf("%s[%d]", elem.name, n), kind: kindArray, elem: elem, n: n}
}

// leaf is a scalar within a value.
type leaf struct {
	path string
	t    *typ
}

// leaves lists the scalars below a path, without hidden members.
func (t *typ) leaves(path string) []leaf {
	switch t.kind {
	case kindVector, kindMatrix, kindArray:
		var list []leaf
		for i := range t.n {
			list = append(list, t.elem.leaves(fmt.Sprintf("%s[%d]", path, i))...)
		}
		return list
	case kindStruct:
		var list []leaf
		for _, m := range t.members {
			if m.access != hidden {
				list = append(list, m.t.leaves(path+"."+m.name)...)
			}
		}
		return list
	}
	return []leaf{{path, t}}
}

// word turns a scalar into a uint that tells its whole value.
func (l leaf) word() string {
	switch l.t.kind {
	case kindBool:
		return fmt.Sprintf("(%s ? 7u : 3u)", l.path)
	case kindInt:
		return fmt.Sprintf("uint(%s)", l.path)
	case kindFloat:
		return fmt.Sprintf("uint(%s * 4.0)", l.path)
	case kindWide:
		return fmt.Sprintf("(uint(%s) ^ uint(%s >> 32) * 5u)", l.path, l.path)
	}
	return l.path
}

// foldName is the name of the function that folds values of the type into a number.
func (t *typ) foldName() string {
	return "fold_" + strings.NewReplacer("[", "_", "]", "").Replace(t.name)
}

// fold declares that function.
func (t *typ) fold() string {
	var b strings.Builder
	fmt.Fprintf(&b, "uint %s(%s v) { uint h = %du;", t.foldName(), t.name, len(t.name))
	for _, l := range t.leaves("v") {
		fmt.Fprintf(&b, " h = h * 31u + %s;", l.word())
	}
	b.WriteString(" return h; }\n")
	return b.String()
}

// zero is a value of the type that needs nothing.
func (t *typ) zero() string {
	switch t.kind {
	case kindBool:
		return "false"
	case kindVector, kindInt, kindUint, kindFloat, kindWide:
		return t.name + "(0)"
	}
	var parts []string
	for i := range t.count() {
		parts = append(parts, t.part(i).zero())
	}
	return t.name + "(" + strings.Join(parts, ", ") + ")"
}

// count is how many values a constructor takes.
func (t *typ) count() int {
	if t.kind == kindStruct {
		return len(t.members)
	}
	return t.n
}

// part is the type of a constructor's operand.
func (t *typ) part(i int) *typ {
	if t.kind == kindStruct {
		return t.members[i].t
	}
	return t.elem
}

// whole reports whether values may be assigned as a whole: nothing in them belongs to a protocol.
func (t *typ) whole() bool {
	for _, m := range t.members {
		if m.access != open || !m.t.whole() {
			return false
		}
	}
	return t.elem == nil || t.elem.whole()
}

// declare declares a structure.
func (t *typ) declare() string {
	var b strings.Builder
	fmt.Fprintf(&b, "struct %s {", t.name)
	for _, m := range t.members {
		fmt.Fprintf(&b, " %s %s;", m.t.name, m.name)
	}
	b.WriteString(" };\n")
	return b.String()
}
