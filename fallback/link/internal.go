package link

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// ErrInternal is wrapped by errors about defects of the linker itself. They are *InternalError.
var ErrInternal = errors.New("internal error of the linker, please report it with the shaders")

// InternalError tells where a pass gave up.
type InternalError struct {
	Pass string
	// Shader, Function and Instruction are those at work, empty where that is not known.
	Shader, Function, Instruction string
	Value                         any    // what the pass panicked with
	Stack                         []byte // of the goroutine at that time, for a log
}

func (e *InternalError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pass %s", e.Pass)
	parts := []struct{ what, name string }{{"shader", e.Shader}, {"function", e.Function}, {"instruction", e.Instruction}}
	for _, part := range parts {
		if part.name != "" {
			fmt.Fprintf(&b, ", %s %s", part.what, part.name)
		}
	}
	fmt.Fprintf(&b, ": %v", e.Value)
	return fmt.Sprintf("%v: %s", ErrInternal, b.String())
}

// Unwrap makes it errors.Is(err, ErrInternal).
func (e *InternalError) Unwrap() error { return ErrInternal }

// recovered makes an error of what a pass panicked with.
func (j *job) recovered(what string, p any) error {
	if s, ok := p.(stop); ok {
		return fmt.Errorf("%s: %w", what, s.err)
	}
	e := &InternalError{Pass: j.pass, Value: p, Stack: debug.Stack()}
	if j.at != nil {
		e.Shader = j.at.title()
		if j.function != 0 {
			e.Function = j.at.nameOf(j.function)
		}
	}
	if j.inst != nil {
		e.Instruction = j.inst.String()
	}
	return fmt.Errorf("%s: %w", what, e)
}
