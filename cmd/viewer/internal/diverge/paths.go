package diverge

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/measure"
	"github.com/everray/everray/cmd/viewer/internal/rays"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Path is what diverge.rgen writes for each path: 16 bytes.
//
//glsl:viewer/diverge.rgen Result
type Path struct {
	Radiance mgl32.Vec3
	Rays     uint32
}

// push is diverge.glsl's.
//
//glsl:viewer/diverge.rchit Push
type push struct {
	rays, results uint64
	offset        float32
	steps         uint32
}

// startOffset is how far from a surface the next segment starts, of the scene's diagonal.
const startOffset = 1e-4

// Options are those of NewPaths.
type Options struct {
	// Flags of the bottom level's build.
	Flags vk.BuildFlags
	// Rays are the first segments, row by row.
	Rays          []rays.Ray
	Width, Height int
	// Steps of the heavy shaders' loops.
	Steps int
}

// Paths is a dealt scene on a device with the first segments of all paths.
type Paths struct {
	dev           *engine.Device
	scene         *accel.Scene
	layout        *engine.DescriptorSetLayout
	set           *engine.DescriptorSet
	rays, results *vk.Buffer
	timer         *measure.Timer
	width, height int
	push          push
}

// NewPaths uploads a scene that Deal has made, and builds its structures.
func NewPaths(ctx context.Context, dev *engine.Device, dealt *assets.Scene, o Options) (p *Paths, err error) {
	if len(o.Rays) == 0 || len(o.Rays) != o.Width*o.Height {
		return nil, fmt.Errorf("%w: %d rays do not fill %d x %d", engine.ErrInvalid, len(o.Rays), o.Width, o.Height)
	}
	p = &Paths{dev: dev, width: o.Width, height: o.Height}
	defer func() {
		if err != nil {
			p.Destroy()
			p = nil
		}
	}()
	if p.scene, err = accel.Upload(ctx, dev, dealt, accel.Options{Flags: o.Flags}); err != nil {
		return p, err
	}
	if err = p.bind(); err != nil {
		return p, err
	}
	if p.rays, err = dev.NewBuildInput(ctx, "first segments", vk.BytesOf(o.Rays)); err != nil {
		return p, fmt.Errorf("%d first segments: %w", len(o.Rays), err)
	}
	size := uint64(len(o.Rays)) * uint64(unsafe.Sizeof(Path{}))
	if p.results, err = dev.VK().NewBuffer(vk.BufferOptions{Name: "paths", Size: size, Memory: vk.DeviceLocal}); err != nil {
		return p, fmt.Errorf("results of %d paths: %w", len(o.Rays), err)
	}
	p.push = push{p.rays.Address(), p.results.Address(), startOffset * rays.BoundsOf(dealt).Diagonal(), uint32(o.Steps)}
	p.timer, err = measure.NewTimer(dev)
	return p, err
}

func (p *Paths) bind() (err error) {
	if p.layout, err = p.dev.NewDescriptorSetLayout("top level", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
	}); err != nil {
		return fmt.Errorf("descriptor set layout: %w", err)
	}
	if p.set, err = p.dev.NewDescriptorSet(p.layout); err != nil {
		return fmt.Errorf("descriptor set: %w", err)
	}
	p.set.WriteAccelerationStructure(0, 0, p.scene.TopLevel)
	return p.set.Err()
}

// Destroy releases everything. It may be called twice and on nil.
func (p *Paths) Destroy() {
	if p == nil {
		return
	}
	p.timer.Destroy()
	p.results.Destroy()
	p.rays.Destroy()
	p.set.Destroy()
	p.layout.Destroy()
	p.scene.Destroy()
}
