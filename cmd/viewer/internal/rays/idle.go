package rays

import (
	"context"
	"fmt"
	"time"

	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Dispatch is a dispatch of a compute shader that does nothing, which every launch costs at least.
type Dispatch struct {
	dev      *engine.Device
	pipeline *engine.ComputePipeline
	timer    *measure.Timer
}

// NewDispatch compiles the shader, on a device of either way.
func NewDispatch(ctx context.Context, dev *engine.Device) (d *Dispatch, err error) {
	d = &Dispatch{dev: dev}
	code, err := shaders.Load("viewer/idle.comp")
	if err != nil {
		return nil, err
	}
	if d.pipeline, err = dev.NewComputePipeline(ctx, engine.ComputePipelineOptions{Name: "idle", Code: code}); err != nil {
		return nil, err
	}
	if d.timer, err = measure.NewTimer(dev); err != nil {
		d.Destroy()
		return nil, err
	}
	return d, nil
}

// Run dispatches width * height lanes in workgroups of 64, launches times, and returns the GPU's time of each.
func (d *Dispatch) Run(ctx context.Context, width, height, launches int) ([]time.Duration, error) {
	return d.timer.Repeat(ctx, fmt.Sprintf("dispatch of %d x %d", width, height), launches, func(cb *vk.CommandBuffer) error {
		return d.dev.CmdDispatch(cb, engine.DispatchOptions{
			Pipeline: d.pipeline, X: uint32(width+bareTile-1) / bareTile, Y: uint32(height+bareTile-1) / bareTile, Z: 1,
		})
	})
}

// Destroy releases the shader. It may be called twice and on nil.
func (d *Dispatch) Destroy() {
	if d == nil {
		return
	}
	d.timer.Destroy()
	d.pipeline.Destroy()
}
