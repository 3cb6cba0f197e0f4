package printf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Message is what a lane printed.
type Message struct {
	Site *Site
	Text string
}

// Decode reads the messages behind the counter of a buffer, whose sites are numbered from 1. What is not whole, or of another
// site, ends the list.
func Decode(words []uint32, sites []Site) (list []Message) {
	for len(words) > 0 {
		if words[0] == 0 || int64(words[0]) > int64(len(sites)) {
			return list
		}
		s := &sites[words[0]-1]
		n := s.Words()
		if int64(n) > int64(len(words)) {
			return list
		}
		list = append(list, Message{Site: s, Text: s.text(words[1:n])})
		words = words[n:]
	}
	return list
}

// text formats the arguments of a message, as GLSL_EXT_debug_printf has it: conversions of printf, v2 to v4 ahead of one for
// vectors, l ahead of one for 64 bits.
func (s *Site) text(words []uint32) string {
	var b strings.Builder
	format, next := s.Format, 0
	for {
		plain, rest, found := strings.Cut(format, "%")
		b.WriteString(plain)
		if !found {
			return b.String()
		}
		if strings.HasPrefix(rest, "%") {
			b.WriteByte('%')
			format = rest[1:]
			continue
		}
		end := strings.IndexAny(rest, "diouxXeEfFgGaAcsp")
		if end < 0 || next >= len(s.Args) {
			b.WriteString("%" + rest)
			return b.String()
		}
		// %ul and %lx are 64-bit: the l may stand behind
		verb := rest[end]
		flags := rest[:end]
		format = strings.TrimPrefix(rest[end+1:], "l")
		if k := strings.IndexByte(flags, 'v'); k >= 0 {
			flags = flags[:k] // the number of components is known
		}
		flags = strings.TrimRight(flags, "l")
		arg := s.Args[next]
		next++
		for k := range arg.Components {
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(component(arg, flags, verb, words))
			words = words[arg.words()/arg.Components:]
		}
	}
}

// component formats one component.
func component(a Arg, flags string, verb byte, words []uint32) string {
	bits := uint64(words[0])
	if a.Wide {
		bits |= uint64(words[1]) << 32
	}
	switch {
	case a.Kind == Float:
		x := float64(math.Float32frombits(words[0]))
		if a.Wide {
			x = math.Float64frombits(bits)
		}
		switch verb {
		case 'a', 'A':
			verb += 'x' - 'a'
		case 'e', 'E', 'f', 'F', 'g', 'G':
			if !a.Wide && flags == "" && verb == 'g' {
				return strconv.FormatFloat(x, 'g', -1, 32)
			}
		default:
			verb = 'g'
		}
		return fmt.Sprintf("%"+flags+string(verb), x)
	case a.Kind == Int && (verb == 'd' || verb == 'i'):
		n := int64(int32(words[0]))
		if a.Wide {
			n = int64(bits)
		}
		return fmt.Sprintf("%"+flags+"d", n)
	case verb == 'x' || verb == 'X' || verb == 'o':
		return fmt.Sprintf("%"+flags+string(verb), bits)
	case a.Kind == Int && a.Wide:
		return fmt.Sprintf("%"+flags+"d", int64(bits))
	case a.Kind == Int && verb != 'u':
		return fmt.Sprintf("%"+flags+"d", int32(words[0]))
	}
	return fmt.Sprintf("%"+flags+"d", bits)
}
