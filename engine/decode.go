package engine

import (
	"context"
	"fmt"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// Structure is an acceleration structure of the compute way, read back: its Contents method returns triangles, boxes or
// instances in the order of the input.
type Structure = inspect.Structure

// Decode reads a structure back for tools that show it; no command that writes it is pending. The native way cannot: how a
// driver stores structures is its own affair, and the error wraps ErrUnsupported.
func (d *Device) Decode(ctx context.Context, a *AccelerationStructure) (*Structure, error) {
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	defer d.leave()
	if err := a.check(d, "the acceleration structure"); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	way, can := d.driver.(interface {
		Decode(ctx context.Context, storage *vk.Buffer) (*inspect.Structure, error)
	})
	if !can {
		return nil,
			fmt.Errorf("decode %q: %w natively: how the driver of %q stores a structure is its own affair (build it with BackendCompute)",
				a.name, ErrUnsupported, d.info.Name)
	}
	s, err := way.Decode(ctx, a.storage)
	if err != nil {
		return nil, fmt.Errorf("decode %q: %w", a.name, err)
	}
	return s, nil
}
