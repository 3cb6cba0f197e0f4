package driver

import (
	"errors"

	"github.com/everray/everray/vk"
)

// The errors of the contract. A way wraps one of the first three in every error about what it was given.
var (
	// ErrInvalid is wrapped by every error about an argument.
	ErrInvalid = vk.ErrInvalid
	// ErrUnsupported is wrapped by errors about what is valid, and beyond the way or the device.
	ErrUnsupported = errors.New("unsupported")
	// ErrInternal is wrapped by errors that are the engine's own.
	ErrInternal = errors.New("internal error of everray, please report it")
)

// Mark makes errors.Is find a sentinel in err, whose text stays as it is.
func Mark(err, sentinel error) error {
	if err == nil || errors.Is(err, sentinel) {
		return err
	}
	return marked{err, sentinel}
}

type marked struct{ err, sentinel error }

func (m marked) Error() string   { return m.err.Error() }
func (m marked) Unwrap() []error { return []error{m.err, m.sentinel} }
