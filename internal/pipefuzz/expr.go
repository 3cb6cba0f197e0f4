package pipefuzz

import (
	"fmt"
	"slices"
	"strings"
)

// variable is something in scope.
type variable struct {
	name     string
	t        *typ
	writable bool
}

// place is a variable or a part of one.
type place struct {
	path     string
	t        *typ
	writable bool
}

// places lists what may be read, or written, in the scope: each variable and, by one random index or member at a time,
// what is within.
func (s *shader) places(write bool) []place {
	var list []place
	for _, v := range s.scope {
		if !write || v.writable {
			list = s.within(list, place{v.name, v.t, v.writable})
		}
	}
	return slices.DeleteFunc(list, func(p place) bool { return write && !p.writable })
}

func (s *shader) within(list []place, p place) []place {
	if p.t.whole() {
		list = append(list, p)
	}
	switch p.t.kind {
	case kindVector, kindMatrix, kindArray:
		index := fmt.Sprintf("%du", s.r.IntN(p.t.n))
		if s.r.IntN(2) == 0 {
			index = fmt.Sprintf("%s %% %du", s.simple(), p.t.n)
		}
		list = s.within(list, place{fmt.Sprintf("%s[%s]", p.path, index), p.t.elem, p.writable})
	case kindStruct:
		for _, m := range p.t.members {
			if may, writable := s.may(m.access); may {
				list = s.within(list, place{p.path + "." + m.name, m.t, p.writable && writable})
			}
		}
	}
	return list
}

// may says whether the shader's random code may read and write members of an access. In any hit shaders what others
// read must not change, and what depends on the order of candidates must not be read.
func (s *shader) may(a access) (read, write bool) {
	if s.stage == "rahit" {
		return a == open || a == readOnly, false
	}
	return a != hidden, a == open
}

// simple is an unsigned number from a variable of the scope, for indices.
func (s *shader) simple() string {
	var names []string
	for _, v := range s.scope {
		if v.t == tUint {
			names = append(names, v.name)
		}
	}
	return names[s.r.IntN(len(names))]
}

// read returns a place of the type, if there is any.
func (s *shader) read(t *typ) (string, bool) {
	list := slices.DeleteFunc(s.places(false), func(p place) bool { return p.t.name != t.name })
	if len(list) == 0 {
		return "", false
	}
	return list[s.r.IntN(len(list))].path, true
}

// expr returns an expression of a type; depth bounds its nesting.
func (s *shader) expr(t *typ, depth int) string {
	if depth <= 0 || s.r.IntN(3) == 0 {
		if path, ok := s.read(t); ok && s.r.IntN(5) > 0 {
			return path
		}
		if depth <= 0 {
			return s.literal(t)
		}
	}
	switch t.kind {
	case kindBool:
		return s.boolean(depth - 1)
	case kindInt:
		return s.integer(depth - 1)
	case kindUint:
		return s.unsigned(depth - 1)
	case kindFloat:
		return s.float(depth - 1)
	case kindWide:
		return s.wide(depth - 1)
	case kindVector:
		return s.vector(t, depth-1)
	}
	return s.construct(t, depth-1)
}

func (s *shader) literal(t *typ) string {
	switch t.kind {
	case kindBool:
		return s.one("true", "false")
	case kindInt:
		return fmt.Sprintf("%d", s.r.IntN(100)-50)
	case kindUint:
		return fmt.Sprintf("%du", s.r.IntN(1000))
	case kindFloat:
		return fmt.Sprintf("%.2f", float64(s.r.IntN(256))/4)
	case kindWide:
		return fmt.Sprintf("%dul", s.r.Uint64()>>s.r.IntN(60))
	}
	return s.construct(t, 0)
}

func (s *shader) construct(t *typ, depth int) string {
	var parts []string
	for i := range t.count() {
		parts = append(parts, s.expr(t.part(i), depth-1))
	}
	return t.name + "(" + strings.Join(parts, ", ") + ")"
}

func (s *shader) one(list ...string) string { return list[s.r.IntN(len(list))] }

func (s *shader) boolean(depth int) string {
	switch s.r.IntN(7) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", s.expr(tBool, depth), s.one("&&", "||", "^^"), s.expr(tBool, depth))
	case 1:
		return fmt.Sprintf("!%s", s.expr(tBool, depth))
	case 2:
		return fmt.Sprintf("(%s %s %s)", s.expr(tInt, depth), s.one("<", ">=", "!="), s.expr(tInt, depth))
	case 3:
		return fmt.Sprintf("(%s %s %s)", s.expr(tFloat, depth), s.one("<", ">", "=="), s.expr(tFloat, depth))
	case 4:
		return fmt.Sprintf("any(greaterThan(%s, %s))", s.expr(vectorOf(tInt, 3), depth-1), s.expr(vectorOf(tInt, 3), depth-1))
	}
	return fmt.Sprintf("((%s & %du) %s)", s.expr(tUint, depth), 1+s.r.IntN(7), s.one("== 0u", "!= 0u", "> 2u"))
}

func (s *shader) integer(depth int) string {
	a := func() string { return s.expr(tInt, depth) }
	switch s.r.IntN(8) {
	case 0:
		return fmt.Sprintf("int(%s)", s.expr(tUint, depth))
	case 1:
		return fmt.Sprintf("(%s >> (%s & 15))", a(), a())
	case 2:
		return fmt.Sprintf("%s(%s, %s)", s.one("min", "max"), a(), a())
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", s.expr(tBool, depth), a(), a())
	case 4:
		return fmt.Sprintf("int(%s)", s.expr(tFloat, depth))
	case 5:
		return fmt.Sprintf("(%s / %d)", a(), 2+s.r.IntN(9))
	}
	return fmt.Sprintf("(%s %s %s)", a(), s.one("+", "-", "*", "^", "|"), a())
}

func (s *shader) unsigned(depth int) string {
	a := func() string { return s.expr(tUint, depth) }
	switch s.r.IntN(12) {
	case 0:
		return fmt.Sprintf("hash(%s)", a())
	case 1:
		return fmt.Sprintf("(%s %s (%s & 15u))", a(), s.one("<<", ">>"), a())
	case 2:
		return fmt.Sprintf("(%s %s (1u + (%s & 7u)))", a(), s.one("/", "%"), a())
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", s.expr(tBool, depth), a(), a())
	case 4:
		return fmt.Sprintf("uint(%s)", s.expr(tInt, depth))
	case 5:
		return fmt.Sprintf("uint(%s * 4.0)", s.expr(tFloat, depth))
	case 6:
		if len(s.scope) > 0 {
			v := s.scope[s.r.IntN(len(s.scope))]
			if v.t.whole() {
				return s.fold(v.t, v.name)
			}
		}
		return "acc"
	case 7:
		s.tables = true
		return fmt.Sprintf("primes[%s & 7u]", a())
	case 8:
		return fmt.Sprintf("bitfieldExtract(%s, %d, %d)", a(), s.r.IntN(16), 1+s.r.IntN(16))
	}
	return fmt.Sprintf("(%s %s %s)", a(), s.one("+", "-", "*", "^", "|", "&"), a())
}

func (s *shader) float(depth int) string {
	a := func() string { return s.expr(tFloat, depth) }
	switch s.r.IntN(6) {
	case 0:
		return fmt.Sprintf("float(%s & 63u)", s.expr(tUint, depth))
	case 1:
		return fmt.Sprintf("%s(%s, %s)", s.one("min", "max"), a(), a())
	case 2:
		n := 2 + s.r.IntN(3)
		return fmt.Sprintf("fx(dot(%s, %s))", s.expr(vectorOf(tFloat, n), depth-1), s.expr(vectorOf(tFloat, n), depth-1))
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", s.expr(tBool, depth), a(), a())
	}
	return fmt.Sprintf("fx(%s %s %s)", a(), s.one("+", "-", "*"), a())
}

func (s *shader) wide(depth int) string {
	a := func() string { return s.expr(tWide, depth) }
	switch s.r.IntN(5) {
	case 0:
		return fmt.Sprintf("(uint64_t(%s) << 32)", s.expr(tUint, depth))
	case 1:
		return fmt.Sprintf("(%s >> (%s & 31u))", a(), s.expr(tUint, depth))
	case 2:
		return fmt.Sprintf("uint64_t(%s)", s.expr(tUint, depth))
	}
	return fmt.Sprintf("(%s %s %s)", a(), s.one("+", "*", "^"), a())
}

func (s *shader) vector(t *typ, depth int) string {
	switch s.r.IntN(4) {
	case 0:
		if path, ok := s.read(t); ok {
			var swizzle strings.Builder
			for range t.n {
				swizzle.WriteByte("xyzw"[s.r.IntN(t.n)])
			}
			return path + "." + swizzle.String()
		}
	case 1:
		operation := fmt.Sprintf("%s %s %s", s.expr(t, depth), s.one("+", "-", "*"), s.expr(t, depth))
		if t.elem == tFloat {
			return "fx(" + operation + ")"
		}
		return "(" + operation + ")"
	case 2:
		if t.elem == tFloat && s.p.has(Matrices) {
			from := vectorOf(tFloat, 2+s.r.IntN(3))
			return fmt.Sprintf("fx(%s * %s)", s.expr(matrixOf(from.n, t.n), depth-1), s.expr(from, depth-1))
		}
	}
	return s.construct(t, depth)
}
