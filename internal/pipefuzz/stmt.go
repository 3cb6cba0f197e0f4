package pipefuzz

import (
	"fmt"
)

// position is where a statement stands.
type position struct {
	loop    bool // break and continue may stand here
	returns bool // return may stand here
	result  *typ // what it returns; nil is nothing
	nested  int  // how many compound statements are around
	times   int  // how often the statement runs at most
}

// Bounds of what one invocation of a shader does, in statements.
const (
	mostNested = 3
	mostTimes  = 9
	mostCost   = 100
)

func (c position) inside(times int) position {
	c.nested++
	c.times *= times
	return c
}

func (s *shader) line(format string, args ...any) {
	s.text = append(s.text, fmt.Sprintf(format, args...))
}

// block writes n statements and closes their scope.
func (s *shader) block(c position, n int) {
	scope := len(s.scope)
	for range n {
		s.statement(c)
	}
	if len(s.scope) > scope {
		v := s.scope[scope+s.r.IntN(len(s.scope)-scope)]
		s.line("note(%s);", s.fold(v.t, v.name))
	}
	s.scope = s.scope[:scope]
}

// statement writes one numbered statement.
func (s *shader) statement(c position) {
	number, begin := s.p.statements, len(s.text)
	s.p.statements++
	s.cost += c.times
	s.size++
	drop := s.p.o.Drop[number]
	if s.r.IntN(5) == 0 {
		s.declaration(c, drop)
		return
	}
	s.other(c)
	if drop {
		s.text = s.text[:begin]
	}
}

func (s *shader) declaration(c position, drop bool) {
	t := s.p.typ(s.r, 2)
	value := s.value(t, c)
	if drop {
		value = t.zero()
	}
	name := s.name("v")
	s.line("%s %s = %s;", t.name, name, value)
	s.scope = append(s.scope, variable{name, t, true})
}

// value is an expression, or the result of a function.
func (s *shader) value(t *typ, c position) string {
	for _, f := range s.functions {
		if f.result != nil && f.result.name == t.name && s.affordable(f, c) && s.r.IntN(2) == 0 {
			return s.call(f)
		}
	}
	return s.expr(t, 2)
}

func (s *shader) other(c position) {
	compound := c.nested < mostNested && s.cost < mostCost && s.size < s.most
	switch pick := s.r.IntN(20); {
	case pick < 5 && s.calling():
		s.shoot(c)
	case pick < 8 && compound:
		s.branch(c)
	case pick < 11 && compound && c.times < mostTimes && s.p.has(Loops):
		s.loop(c)
	case pick < 13 && compound && s.p.has(Switches):
		s.choice(c)
	case pick < 14 && c.loop && s.p.has(Jumps):
		s.line("if (%s) %s;", s.expr(tBool, 1), s.one("break", "continue"))
	case pick < 15 && c.returns && c.nested > 0 && s.p.has(EarlyReturns):
		s.line("if (%s) return%s;", s.expr(tBool, 1), s.result(c))
	case pick < 17 && len(s.functions) > 0:
		if f := s.functions[s.r.IntN(len(s.functions))]; s.affordable(f, c) {
			s.useCall(f)
			return
		}
		s.assignment(c)
	case pick < 18:
		s.line("note(%s);", s.value(tUint, c))
	default:
		s.assignment(c)
	}
}

func (s *shader) result(c position) string {
	if c.result == nil {
		return ""
	}
	return " " + s.expr(c.result, 1)
}

func (s *shader) assignment(c position) {
	list := s.places(true)
	if len(list) == 0 {
		s.line("note(%s);", s.expr(tUint, 2))
		return
	}
	p := list[s.r.IntN(len(list))]
	switch {
	case p.t == tUint && s.r.IntN(2) == 0:
		s.line("%s %s %s;", p.path, s.one("+=", "^=", "*=", "-="), s.expr(tUint, 2))
	case p.t == tInt && s.r.IntN(4) == 0:
		s.line("%s%s;", p.path, s.one("++", "--"))
	default:
		s.line("%s = %s;", p.path, s.value(p.t, c))
	}
}

// condition is one that may call.
func (s *shader) condition(c position) string {
	if s.p.has(CallsInHeaders) && s.r.IntN(3) == 0 {
		for _, f := range s.functions {
			if f.result == tUint && s.affordable(f, c) {
				call := fmt.Sprintf("(%s & 3u) != %du", s.call(f), s.r.IntN(3))
				return s.one(call, s.expr(tBool, 1)+" && "+call, call+" || "+s.expr(tBool, 1))
			}
		}
	}
	return s.expr(tBool, 1)
}

func (s *shader) branch(c position) {
	s.line("if (%s) {", s.condition(c))
	s.block(c.inside(1), 1+s.r.IntN(2))
	if s.r.IntN(2) == 0 {
		s.line("} else {")
		s.block(c.inside(1), 1+s.r.IntN(2))
	}
	s.line("}")
}

// loop writes a loop of at most 3 rounds. Its counter is nobody else's to write, and steps before any continue.
func (s *shader) loop(c position) {
	rounds := 2 + s.r.IntN(2)
	in := c.inside(rounds)
	in.loop = true
	i := s.name("i")
	bound := fmt.Sprintf("%du", rounds)
	if s.r.IntN(2) == 0 {
		bound = fmt.Sprintf("1u + %s %% %s", s.expr(tUint, 1), bound)
	}
	scope := len(s.scope)
	defer func() { s.scope = s.scope[:scope] }()
	switch s.r.IntN(4) {
	case 0:
		step := i + "++"
		if s.p.has(CallsInHeaders) && len(s.functions) > 0 && s.r.IntN(2) == 0 {
			if f := s.functions[s.r.IntN(len(s.functions))]; s.affordable(f, in) {
				step += ", " + s.call(f)
			}
		}
		s.line("for (uint %s = 0u; %s < %s; %s) {", i, i, bound, step)
	case 1:
		s.line("uint %s = 0u; while (%s++ < %s && (%s)) {", i, i, bound, s.condition(in))
	case 2:
		condition := s.condition(in)
		s.line("uint %s = 0u; do { %s++;", i, i)
		s.scope = append(s.scope, variable{i, tUint, false})
		s.block(in, 1+s.r.IntN(2))
		s.line("} while (%s < %s && (%s));", i, bound, condition)
		return
	default:
		s.line("uint %s = 0u; for (;;) { if (%s++ >= %s) break;", i, i, bound)
	}
	s.scope = append(s.scope, variable{i, tUint, false})
	s.block(in, 1+s.r.IntN(2))
	s.line("}")
}

// choice writes a switch, whose cases may fall through; default stands anywhere or is absent.
func (s *shader) choice(c position) {
	in := c.inside(1)
	cases, suffix := 2+s.r.IntN(3), "u"
	selector := fmt.Sprintf("%s %% %du", s.value(tUint, c), cases+s.r.IntN(2))
	if s.r.IntN(3) == 0 {
		suffix, selector = "", fmt.Sprintf("%s & 3", s.expr(tInt, 2))
	}
	other := s.r.IntN(cases + 1)
	s.line("switch (%s) {", selector)
	for i := range cases {
		if i == other {
			s.line("default: {")
		} else {
			s.line("case %d%s: {", i, suffix)
		}
		s.block(in, 1)
		s.line("}")
		if s.r.IntN(3) > 0 {
			s.line("break;")
		} else {
			s.line("acc++;")
		}
	}
	s.line("}")
}

// function is one that the shader declares. Its parameters are in or inout.
type function struct {
	name       string
	result     *typ
	parameters []variable // writable are inout
	cost, size int
}

func (s *shader) affordable(f function, c position) bool {
	return c.times*f.cost+s.cost < mostCost*2 && s.size+f.size < s.most
}

// call returns a call of a function. Arguments for inout parameters are different variables.
func (s *shader) call(f function) string {
	s.cost += f.cost
	s.size += f.size // calls are inlined, by the linker or the driver
	text := f.name + "("
	used := map[string]bool{}
	for i, p := range f.parameters {
		if i > 0 {
			text += ", "
		}
		if !p.writable {
			text += s.expr(p.t, 1)
			continue
		}
		text += s.argument(p.t, used)
	}
	return text + ")"
}

// argument returns a variable of a type, of the shader's own where the scope has none.
func (s *shader) argument(t *typ, used map[string]bool) string {
	for _, v := range s.scope {
		if v.writable && v.t.name == t.name && !used[v.name] && s.r.IntN(3) > 0 {
			used[v.name] = true
			return v.name
		}
	}
	name := s.name("spare")
	s.globals = append(s.globals, fmt.Sprintf("%s %s = %s;", t.name, name, t.zero()))
	return name
}

// useCall writes a call as a statement that takes the result into account.
func (s *shader) useCall(f function) {
	text := s.call(f)
	if f.result == nil {
		s.line("%s;", text)
		return
	}
	name := s.name("r")
	s.line("{ %s %s = %s; note(%s); }", f.result.name, name, text, s.fold(f.result, name))
}

// declareFunction writes a function that may call the earlier ones.
func (s *shader) declareFunction(statements int) {
	f := function{name: s.name("work")}
	if s.r.IntN(4) > 0 {
		f.result = s.p.typ(s.r, 2)
		if s.r.IntN(2) == 0 {
			f.result = tUint
		}
	}
	scope, cost, size := len(s.scope), s.cost, s.size
	head, result := "", "void"
	for i := range s.r.IntN(4) {
		v := variable{s.name("a"), s.p.typ(s.r, 2), s.r.IntN(2) == 0}
		if i > 0 {
			head += ", "
		}
		if v.writable {
			head += "inout "
		}
		head += v.t.name + " " + v.name
		f.parameters = append(f.parameters, v)
		s.scope = append(s.scope, v)
	}
	if f.result != nil {
		result = f.result.name
	}
	s.cost, s.size = 0, 0
	c := position{returns: true, result: f.result, times: 1}
	s.line("%s %s(%s) {", result, f.name, head)
	for range statements {
		s.statement(c)
	}
	s.line("return%s;", s.result(c))
	s.line("}")
	s.scope = s.scope[:scope]
	f.cost, f.size, s.cost, s.size = s.cost, s.size, cost, size
	s.functions = append(s.functions, f)
}
