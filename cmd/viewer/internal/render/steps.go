package render

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine"
)

// follow returns the options of a pipeline that tells of the pixel to be followed.
func (r *Renderer) follow(ctx context.Context) (o engine.PipelineOptions, err error) {
	at := r.options.Pixel
	if at == nil {
		return o, nil
	}
	if at[0] < 0 || at[1] < 0 {
		return o, fmt.Errorf("%w: pixel %d,%d", ErrInvalid, at[0], at[1])
	}
	if r.printer, err = r.dev.NewPrinter(ctx, engine.PrinterOptions{}); err != nil {
		return o, err
	}
	return engine.PipelineOptions{Printer: r.printer, Lane: &[3]uint32{uint32(at[0]), uint32(at[1]), 0}}, nil
}

// Steps returns what the shaders and rays of the pixel that Options name have done in the samples since it was last called, and how
// many words of it were lost for want of room.
func (r *Renderer) Steps(ctx context.Context) ([]engine.Print, uint64, error) {
	if r.printer == nil {
		return nil, 0, fmt.Errorf("%w: no pixel is followed", ErrInvalid)
	}
	return r.printer.Read(ctx)
}
