package render

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// Stats says what a Renderer has done. Rays come from Rays.
type Stats struct {
	Bottom, Top engine.BuildReport
	Pipeline    engine.PipelineStats
	// FirstLaunch is the clock's time of a launch of one ray, in which CPU drivers compile the shaders.
	FirstLaunch time.Duration
	// Samples per pixel since the last Restart, and the GPU's and the clock's time for them.
	Samples        int
	TraceGPU       time.Duration
	TraceWall      time.Duration
	Lights         int
	LightTriangles int
}

// Stats returns the numbers so far.
func (r *Renderer) Stats() Stats {
	s := r.stats
	s.Samples = r.samples
	s.Lights, s.LightTriangles = r.lights, r.lightTriangles
	if r.pipeline != nil && r.heat == nil {
		s.Pipeline = r.pipeline.Stats() // it learns
	}
	return s
}

// The length of a submission: long enough to keep the GPU busy, short enough for progress, cancellation and the
// watchdogs of desktop drivers.
const (
	submissionTarget = 100 * time.Millisecond
	maxBatch         = 64
)

// Render adds samples to the image and calls progress after each submission with the number of samples added so far.
func (r *Renderer) Render(ctx context.Context, samples int, progress func(done int)) error {
	return r.RenderWhile(ctx, samples, func(done int) bool {
		if progress != nil {
			progress(done)
		}
		return true
	})
}

// RenderWhile is Render, but ends early when more says so.
func (r *Renderer) RenderWhile(ctx context.Context, samples int, more func(done int) bool) error {
	if err := r.WarmUp(ctx); err != nil {
		return err
	}
	batch := max(r.batch, 1)
	for done := 0; done < samples; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(batch, samples-done)
		took, err := r.submit(ctx, n)
		if err != nil {
			return fmt.Errorf("sample %d: %w", r.samples, err)
		}
		if err := r.headlightInTheDark(ctx); err != nil {
			return err
		}
		done += n
		goOn := more(done)
		switch {
		case took < submissionTarget/2:
			batch = min(2*batch, maxBatch)
		case took > 2*submissionTarget:
			batch = max(batch/2, 1)
		}
		r.batch = batch
		if !goOn {
			break
		}
	}
	return nil
}

// darkSamples is how many black samples of all pixels mean that nothing lights them.
const darkSamples = 4

// headlightInTheDark switches on a headlight that waits for a black picture, and begins a new image.
func (r *Renderer) headlightInTheDark(ctx context.Context) error {
	if !r.waitsForDark || r.samples < darkSamples || r.options.Integrator != Path {
		return nil
	}
	film, err := r.Film(ctx)
	if err != nil {
		return err
	}
	if r.waitsForDark = false; film.IsBlack() {
		r.lights++
		r.Restart()
	}
	return nil
}

// submit records n samples into one command buffer and waits for them.
func (r *Renderer) submit(ctx context.Context, n int) (time.Duration, error) {
	start := time.Now()
	err := r.dev.Run(ctx, "samples", func(cb *vk.CommandBuffer) error {
		cb.ResetQueries(r.timer, 0, 2)
		if err := r.prepare(cb); err != nil {
			return err
		}
		cb.WriteTimestamp(r.timer, 0)
		for i := range n {
			if err := r.record(cb, uint32(r.samples+i), r.width, r.height); err != nil {
				return err
			}
		}
		cb.WriteTimestamp(r.timer, 1)
		return nil
	})
	if err != nil {
		return 0, err
	}
	ticks, err := r.timer.Results()
	if err != nil {
		return 0, fmt.Errorf("timestamps: %w", err)
	}
	wall := time.Since(start)
	if r.samples == 0 {
		r.stats.TraceGPU, r.stats.TraceWall = 0, 0
	}
	r.stats.TraceGPU += time.Duration(ticks[1] - ticks[0])
	r.stats.TraceWall += wall
	r.samples += n
	return wall, nil
}

// prepare writes the frame's parameters if they changed.
func (r *Renderer) prepare(cb *vk.CommandBuffer) error {
	if r.width == 0 {
		return fmt.Errorf("%w: no size set", ErrInvalid)
	}
	if err := r.camera.Validate(); err != nil {
		return err
	}
	if r.frameDirty {
		r.dev.CmdBarrier(cb)
		cb.UpdateBuffer(r.frame, 0, r.encodeFrame())
		r.frameDirty = false
	}
	return nil
}

// WarmUp traces the first sample of one pixel before anything is timed: drivers on the CPU compile at the first launch. The
// first real sample overwrites what it leaves.
func (r *Renderer) WarmUp(ctx context.Context) error {
	if r.stats.FirstLaunch > 0 || r.samples > 0 {
		return nil
	}
	start := time.Now()
	err := r.dev.Run(ctx, "first launch", func(cb *vk.CommandBuffer) error {
		if err := r.prepare(cb); err != nil {
			return err
		}
		return r.record(cb, 0, 1, 1)
	})
	r.stats.FirstLaunch = time.Since(start)
	if err != nil {
		return fmt.Errorf("first launch: %w", err)
	}
	return nil
}

// record records one sample of an image of that size.
func (r *Renderer) record(cb *vk.CommandBuffer, sample uint32, width, height int) error {
	r.dev.CmdBarrier(cb)
	if r.heat != nil {
		return r.recordHeat(cb, sample, width, height)
	}
	push := samplePush{sample, uint32(max(r.options.Bounces, 0))}
	return r.dev.CmdTraceRays(cb, engine.TraceOptions{
		Pipeline:      r.pipeline,
		Table:         r.table,
		Sets:          []*engine.DescriptorSet{r.set},
		PushConstants: vk.Bytes(&push),
		Width:         uint32(width),
		Height:        uint32(height),
		Depth:         1,
	})
}

// encodeFrame returns the uniform block of frame.glsl.
func (r *Renderer) encodeFrame() []byte {
	b := r.camera.Basis(float32(r.width) / float32(r.height))
	environment, triangles := r.lightShares()
	f := frame{
		eye: b.Eye.Vec4(r.camera.LensRadius), right: b.Right.Vec4(r.camera.Focus), up: b.Up.Vec4(0),
		forward: b.Forward.Vec4(b.PixelSpread(r.height)), skyUp: r.source.Up.Vec4(r.options.Reach),
		skyZenith: r.env.Zenith.Vec4(environment), skyHorizon: r.env.Horizon.Vec4(triangles), skyGround: r.env.Ground.Vec4(0),
		skyFront:   r.env.FrontAround(r.source.Up).Vec4(0),
		lightCount: uint32(r.lights), lightTriangleCount: uint32(r.lightTriangles), lightPower: float32(r.lightPower),
		clampRadiance: max(r.options.Clamp, 0), tMax: tMax, environmentWidth: uint32(r.environment.width),
	}
	if b.Orthographic {
		f.flags |= cameraOrthographic
	}
	return vk.Bytes(&f)
}

// lightShares are the probabilities with which light sampling turns to the environment and to the emissive triangles: what
// there is, punctual lights included, gets equal shares.
func (r *Renderer) lightShares() (environment, triangles float32) {
	kinds := float32(0)
	for _, there := range []bool{r.environment.table != nil, r.lightTriangles > 0, r.lights > 0} {
		if there {
			kinds++
		}
	}
	if r.environment.table != nil {
		environment = 1 / kinds
	}
	if r.lightTriangles > 0 {
		triangles = 1 / kinds
	}
	return environment, triangles
}

// tMax is the end of rays that have none.
const tMax = 1e30

// Film reads the image back.
func (r *Renderer) Film(ctx context.Context) (*Film, error) {
	f := &Film{Width: r.width, Height: r.height, Pixels: make([]float32, 4*r.width*r.height)}
	if err := r.read(ctx, r.accumulation, f.Pixels); err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	if r.features.has(featureUnlit) {
		f.Unlit = make([]float32, len(f.Pixels))
		if err := r.read(ctx, r.unlit, f.Unlit); err != nil {
			return nil, fmt.Errorf("read what is unlit: %w", err)
		}
	}
	if r.features.has(featureGuides) {
		f.Guides = make([]float32, 2*len(f.Pixels))
		if err := r.read(ctx, r.guides, f.Guides); err != nil {
			return nil, fmt.Errorf("read albedo and normals: %w", err)
		}
	}
	return f, nil
}

func (r *Renderer) read(ctx context.Context, from *vk.Buffer, to []float32) error {
	return r.dev.VK().ReadBuffer(ctx, from, 0, unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), 4*len(to)))
}

// Rays returns the exact number of rays traced for the image: the sum of all pixels' counters.
func (r *Renderer) Rays(ctx context.Context) (uint64, error) {
	data := make([]byte, 4*r.width*r.height)
	if err := r.dev.VK().ReadBuffer(ctx, r.counts, 0, data); err != nil {
		return 0, fmt.Errorf("read the ray counters: %w", err)
	}
	var sum uint64
	for i := 0; i < len(data); i += 4 {
		sum += uint64(binary.LittleEndian.Uint32(data[i:]))
	}
	return sum, nil
}
