package engine

import (
	"fmt"
	"strings"
)

// Backend names one of the two ways of ray tracing.
type Backend int

const (
	// BackendAuto lets Open choose; see Device.Reason for what it chose and why.
	BackendAuto Backend = iota
	// BackendNative forwards to the driver's ray tracing extensions.
	BackendNative
	// BackendCompute does all of ray tracing with compute shaders.
	BackendCompute
)

// String returns the name that ParseBackend accepts.
func (b Backend) String() string {
	switch b {
	case BackendAuto:
		return "auto"
	case BackendNative:
		return "native"
	case BackendCompute:
		return "compute"
	}
	return fmt.Sprintf("Backend(%d)", int(b))
}

// ParseBackend reads "auto", "native" or "compute"; the empty string is auto.
func ParseBackend(s string) (Backend, error) {
	switch strings.ToLower(s) {
	case "", "auto":
		return BackendAuto, nil
	case "native":
		return BackendNative, nil
	case "compute":
		return BackendCompute, nil
	}
	return BackendAuto, fmt.Errorf("backend %q: %w: want auto, native or compute", s, ErrInvalid)
}
