package engine

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
)

// Fault is what ended one ray on the GPU.
type Fault = driver.Fault

// FaultError says what went wrong on the GPU; errors.Is finds ErrFault in it.
type FaultError struct {
	// Total counts the faults, Faults holds the first of them.
	Total  int
	Faults []Fault
}

// Error describes the first fault and counts the others.
func (e *FaultError) Error() string {
	if len(e.Faults) == 0 {
		return fmt.Sprintf("%v: %d faults", ErrFault, e.Total)
	}
	f := e.Faults[0]
	text := fmt.Sprintf("%v: %s in shader %q at launch id %d,%d,%d (state %d, value %d)", ErrFault, f.Kind, f.Shader,
		f.LaunchID[0], f.LaunchID[1], f.LaunchID[2], f.State, f.Value)
	if more := e.Total - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// Unwrap returns ErrFault.
func (e *FaultError) Unwrap() error { return ErrFault }

// Faults reports, as a FaultError, what went wrong on the GPU in the launches that were submitted since the last call; nil if
// nothing did. It waits for them. Whoever submits command buffers without Run calls it now and then, as it costs a submission.
// The native way has no faults to report.
func (d *Device) Faults(ctx context.Context) error {
	if err := d.usable(); err != nil {
		return fmt.Errorf("read the faults: %w", err)
	}
	d.launches.Store(0)
	total, faults, err := d.driver.Faults(ctx)
	if err != nil {
		return fmt.Errorf("read the faults: %w", err)
	}
	if total == 0 {
		return nil
	}
	return &FaultError{Total: total, Faults: faults}
}
