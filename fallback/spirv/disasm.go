package spirv

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Disassemble writes the module as text in the syntax of spirv-as, with debug
// names for ids where there are some, for debugging and goldens. It says
// something of broken modules too.
func Disassemble(m *Module) string {
	p := newPrinter(m)
	fmt.Fprintf(&p.b, "; SPIR-V %d.%d\n; Bound: %d\n", m.Version>>16, m.Version>>8&0xff, m.Bound)
	m.eachInst(p.line)
	return p.b.String()
}

// DisassembleNamed is Disassemble with these names for ids, which go before debug names. Names are to be unlike each other.
func DisassembleNamed(m *Module, names map[ID]string) string {
	p := newPrinter(m)
	taken := map[string]bool{}
	for _, s := range names {
		taken[s] = true
	}
	for id, s := range p.names {
		if taken[s] {
			delete(p.names, id)
		}
	}
	for id, s := range names {
		p.names[id] = s
	}
	fmt.Fprintf(&p.b, "; SPIR-V %d.%d\n; Bound: %d\n", m.Version>>16, m.Version>>8&0xff, m.Bound)
	m.eachInst(p.line)
	return p.b.String()
}

// String writes the instruction with plain numbers for ids.
func (in Inst) String() string {
	p := printer{}
	p.line(&in)
	return strings.TrimSpace(p.b.String())
}

// printer writes instructions.
type printer struct {
	b       strings.Builder
	names   map[ID]string
	types   map[ID]*Inst // numeric types
	values  map[ID]ID    // types of values, for switch literals
	imports map[ID]string
}

func newPrinter(m *Module) *printer {
	p := &printer{names: map[ID]string{}, types: map[ID]*Inst{}, values: map[ID]ID{}, imports: map[ID]string{}}
	taken := map[string]bool{}
	for i := range m.Names {
		in := &m.Names[i]
		if in.Op != OpName || len(in.Operands) < 2 {
			continue
		}
		s := friendly(in.Name().Name())
		if s == "" {
			continue
		}
		if id := in.Name().Target(); p.names[id] == "" {
			if taken[s] {
				s += "_" + strconv.Itoa(int(id))
			}
			if !taken[s] {
				p.names[id], taken[s] = s, true
			}
		}
	}
	m.eachInst(func(in *Inst) {
		switch in.Op {
		case OpTypeInt, OpTypeFloat:
			p.types[in.Result] = in
		case OpExtInstImport:
			p.imports[in.Result], _ = DecodeString(in.Operands)
		}
		if in.Type != 0 {
			p.values[in.Result] = in.Type
		}
	})
	return p
}

// friendly keeps of a name what spirv-as takes; names never look like numbers.
func friendly(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}

// id writes an id.
func (p *printer) id(id ID) string {
	if s := p.names[id]; s != "" {
		return "%" + s
	}
	return "%" + strconv.Itoa(int(id))
}

// line writes one instruction, the result in a column ahead of it.
func (p *printer) line(in *Inst) {
	if in.Op == OpFunction {
		p.b.WriteByte('\n')
	}
	if in.Result != 0 {
		fmt.Fprintf(&p.b, "%18s = ", p.id(in.Result))
	} else {
		fmt.Fprintf(&p.b, "%21s", "")
	}
	p.b.WriteString(in.Op.String())
	if in.Type != 0 {
		p.b.WriteString(" " + p.id(in.Type))
	}
	number := 0 // of the numbers so far
	err := in.check(func(kind byte, w []uint32) {
		p.b.WriteByte(' ')
		p.b.WriteString(p.operand(in, kind, w, number))
		if kind == 'n' {
			number++
		}
	})
	if err != nil {
		fmt.Fprintf(&p.b, " ; %v: %d", err, in.Operands)
	}
	p.b.WriteByte('\n')
}

// operand writes one operand; number counts the plain numbers ahead of it.
func (p *printer) operand(in *Inst, kind byte, w []uint32, number int) string {
	switch kind {
	case 'i':
		return p.id(ID(w[0]))
	case 's':
		s, _ := DecodeString(w)
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	case 'V':
		typ := in.Type
		if in.Op == OpSwitch {
			typ = p.values[in.Switch().Selector()]
		}
		return literal(p.types[typ], w)
	case 'n':
		return p.number(in, w[0], number)
	}
	return enumerant(kind, w[0])
}

// number writes a plain number, by name where it stands for something.
func (p *printer) number(in *Inst, v uint32, number int) string {
	switch {
	case in.Op == OpExtInst && p.imports[in.ExtInst().Set()] == "GLSL.std.450" && GLSLInst(v).known():
		return GLSLInst(v).String()
	case isBuiltIn(in, number):
		return BuiltIn(v).String()
	}
	return strconv.FormatUint(uint64(v), 10)
}

// isBuiltIn tells whether the number is the parameter of a BuiltIn decoration.
func isBuiltIn(in *Inst, number int) bool {
	if in.Op != OpDecorate && (in.Op != OpMemberDecorate || number != 1) {
		return false
	}
	d, _, ok := in.Decorates()
	return ok && d == DecorationBuiltIn
}

// enumerant writes an operand of an enumeration.
func enumerant(kind byte, v uint32) string {
	var s fmt.Stringer
	switch kind {
	case 'C':
		s = Capability(v)
	case 'A':
		s = AddressingModel(v)
	case 'Y':
		s = MemoryModel(v)
	case 'E':
		s = ExecutionModel(v)
	case 'X':
		s = ExecutionMode(v)
	case 'S':
		s = StorageClass(v)
	case 'd':
		s = Dim(v)
	case 'f':
		s = ImageFormat(v)
	case 'q':
		s = AccessQualifier(v)
	case 'F':
		s = FunctionControl(v)
	case 'K':
		s = SelectionControl(v)
	case 'L':
		s = LoopControl(v)
	case 'D':
		s = Decoration(v)
	case 'g':
		s = GroupOperation(v)
	case 'l':
		s = SourceLanguage(v)
	case 'M':
		s = MemoryAccess(v)
	case 'I':
		s = ImageOperands(v)
	case 'O':
		return strings.TrimPrefix(Op(v).String(), "Op")
	case 'p':
		if v == 0 {
			return "PackedVectorFormat4x8Bit"
		}
		fallthrough
	default:
		return strconv.FormatUint(uint64(v), 10)
	}
	return s.String()
}

// literal writes the value of a constant of a numeric type.
func literal(typ *Inst, w []uint32) string {
	v := uint64(w[0])
	if len(w) > 1 {
		v |= uint64(w[1]) << 32
	}
	switch {
	case typ == nil || len(typ.Operands) == 0 || len(w) > 2:
	case typ.Op == OpTypeFloat && typ.TypeNumber().Width() == 64:
		return float(math.Float64frombits(v), 64, v)
	case typ.Op == OpTypeFloat && typ.TypeNumber().Width() == 32:
		return float(float64(math.Float32frombits(w[0])), 32, v)
	case typ.Op == OpTypeFloat && typ.TypeNumber().Width() == 16:
		return float(float64(halfToFloat(uint16(w[0]))), 32, v)
	case typ.Op == OpTypeInt && len(typ.Operands) > 1 && typ.TypeInt().Signedness() != 0:
		if len(w) > 1 {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatInt(int64(int32(w[0])), 10)
	}
	return strconv.FormatUint(v, 10)
}

// float writes a number, in hexadecimal where it is not finite, as spirv-as
// wants it.
func float(x float64, bits int, raw uint64) string {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, bits)
	}
	sign, one := "", "1"
	if math.Signbit(x) {
		sign = "-"
	}
	exp := map[int]string{32: "p+128", 64: "p+1024"}[bits]
	if math.IsNaN(x) {
		frac := raw << 41 >> 40 // 23 bits, ahead of a hexadecimal point
		if bits == 64 {
			frac = raw << 12 >> 12
			return fmt.Sprintf("%s0x%s.%013x%s", sign, one, frac, exp)
		}
		return fmt.Sprintf("%s0x%s.%06x%s", sign, one, frac, exp)
	}
	return sign + "0x1" + exp
}
