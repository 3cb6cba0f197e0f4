package rt

import (
	"cmp"
	"fmt"
	"strings"
)

// CallSite is a place where a shader is left for another and taken up again. What lives across it goes to memory and comes back,
// which is what makes such a call dear: a shader is faster for each value that it does not need any more, or can make again. Forms
// that call shaders as functions have none.
type CallSite struct {
	// Shader is the name of the shader that is left, Kind what it is left for, "trace" for example.
	Shader string `json:"shader"`
	Kind   string `json:"kind"`
	// Bytes is all that the shader leaves on the stack: what lives, its own payload or callable data, a hit object that is passed,
	// the state to return to; whole quads of 16 bytes.
	Bytes uint32 `json:"bytes"`
	// Payload is how much of it is the payload or callable data that the shader passes, if it is its own.
	Payload uint32 `json:"payload,omitempty"`
	// Live is what lives across the call, the largest first.
	Live []LiveValue `json:"live,omitempty"`
}

// LiveValue is a variable, or a value, that lives across a call.
type LiveValue struct {
	Name  string `json:"name,omitempty"` // none of a value that has none in the shader
	Bytes uint32 `json:"bytes"`
}

// String says it in a line: "camera: trace, 64 bytes, payload 16: radiance 12, seed 4".
func (c CallSite) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d bytes", c.Shader, c.Kind, c.Bytes)
	if c.Payload > 0 {
		fmt.Fprintf(&b, ", payload %d", c.Payload)
	}
	for i, x := range c.Live {
		fmt.Fprintf(&b, "%s %s %d", [...]string{":", ","}[min(i, 1)], cmp.Or(x.Name, "a value"), x.Bytes)
	}
	return b.String()
}
