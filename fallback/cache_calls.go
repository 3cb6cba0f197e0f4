package fallback

import (
	"encoding/binary"

	"github.com/everray/everray/fallback/link"
	"github.com/everray/everray/rt"
)

// encodeCalls appends what a result tells of its calls.
func encodeCalls(b []byte, calls []link.Call) []byte {
	word := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	text := func(s string) {
		word(uint32(len(s)))
		b = append(b, s...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	word(uint32(len(calls)))
	for _, c := range calls {
		for _, v := range []uint32{c.Stage, c.Bytes, c.Payload} {
			word(v)
		}
		text(c.Shader)
		text(c.Kind)
		word(uint32(len(c.Live)))
		for _, x := range c.Live {
			word(x.Bytes)
			text(x.Name)
		}
	}
	return b
}

// calls reads what encodeCalls wrote, of a pipeline with so many stages.
func (r *resultReader) calls(stages int) []link.Call {
	const words = 6 // of a call, at least
	var list []link.Call
	for range r.count(words) {
		c := link.Call{Stage: r.word()}
		c.Bytes, c.Payload = r.word(), r.word()
		c.Shader, c.Kind = r.text(), r.text()
		r.failed = r.failed || int(c.Stage) >= stages
		for range r.count(2) {
			x := rt.LiveValue{Bytes: r.word()}
			x.Name = r.text()
			c.Live = append(c.Live, x)
		}
		list = append(list, c)
	}
	return list
}

// text reads a text, which whole words hold.
func (r *resultReader) text() string {
	n := int(r.word())
	size := (n + 3) / 4 * 4
	if n < 0 || size > len(r.rest) {
		r.failed, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[size:]
	return s
}
