package engine

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine/internal/driver"
	"github.com/everray/everray/vk"
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

// Faults waits for the last submission of a command buffer, and reports as a FaultError what went wrong on the GPU in its
// launches, and in those of the secondary command buffers that it executes; nil if nothing did. The faults of a submission are
// there until the command buffer is submitted again, reset or destroyed: asking twice gives the same answer. Run asks by itself.
// The native way has no faults to report.
func (d *Device) Faults(ctx context.Context, cb *vk.CommandBuffer) error {
	if err := d.checkOwner(cb); err != nil {
		return fmt.Errorf("read the faults: %w", err)
	}
	reports, err := cb.Reports(ctx)
	if err != nil {
		return fmt.Errorf("read the faults: %w", err)
	}
	all := &FaultError{}
	for _, r := range reports {
		total, faults := d.driver.Faults(r)
		all.Total += total
		all.Faults = append(all.Faults, faults...)
	}
	if all.Total == 0 {
		return nil
	}
	return all
}
