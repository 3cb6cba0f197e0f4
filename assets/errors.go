package assets

import "errors"

// The reasons for which a scene is refused; test with errors.Is.
var (
	// ErrInvalid: the file contradicts the format, itself, or is cut short.
	ErrInvalid = errors.New("invalid scene file")
	// ErrUnsupported: the file requires something that is not implemented.
	ErrUnsupported = errors.New("unsupported feature")
	// ErrNoGeometry: the scene has no triangle.
	ErrNoGeometry = errors.New("scene has no triangles")
	// ErrTooLarge: decoding would need more memory than the limit allows.
	ErrTooLarge = errors.New("scene is too large")
	// ErrUnknownBuiltin: there is no built-in scene of that name.
	ErrUnknownBuiltin = errors.New("unknown built-in scene")
	// ErrUnknownVariant: the file has no material variant of that name.
	ErrUnknownVariant = errors.New("unknown material variant")
)
