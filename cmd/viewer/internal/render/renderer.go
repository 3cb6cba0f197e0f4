package render

import (
	"context"
	"errors"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/accel"
	"github.com/everray/everray/cmd/viewer/internal/camera"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// ErrInvalid is wrapped by errors about sizes and options.
var ErrInvalid = errors.New("invalid render options")

// Defaults of Options.
const (
	DefaultBounces = 8
	DefaultClamp   = 4
	// defaultReach is the radius of ambient occlusion, in scene diagonals.
	defaultReach = 0.1
	// MaxPixels bounds an image: 2^28 pixels are 4 GiB of accumulation buffer.
	MaxPixels = 1 << 28
)

// Options configures a Renderer. The zero value is a path tracer under the scene's own light.
type Options struct {
	Integrator Integrator
	// Bounces is the number of bounces after the camera ray's hit; 0 is DefaultBounces, negative none.
	Bounces int
	// Clamp bounds what one bounce after the first may add; 0 is DefaultClamp, negative unlimited.
	Clamp float32
	// Reach is the radius of ambient occlusion in world units; 0 is a tenth of the scene's diagonal.
	Reach float32
	// Environment replaces the scene's own.
	Environment *assets.Environment
	// BuildFlags of the bottom level structures; 0 prefers nothing.
	BuildFlags vk.BuildFlags
	// OnStep is told what New begins to do.
	OnStep func(what string)
}

// Renderer draws one scene with one integrator.
type Renderer struct {
	dev     *engine.Device
	options Options
	source  *assets.Scene
	scene   *accel.Scene
	env     assets.Environment

	textures *textures
	buffers  []*vk.Buffer // small ones, by binding from bindFrame on
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.Pipeline
	table    *engine.Table
	heat     *engine.ComputePipeline // in place of pipeline and table
	timer    *vk.QueryPool

	lights, lightTriangles int
	lightPower             float64

	width, height int
	accumulation  *vk.Buffer
	counts        *vk.Buffer
	camera        camera.Camera
	frameDirty    bool
	samples       int // in the accumulation buffer
	batch         int // samples of a submission that take about submissionTarget
	stats         Stats
}

// The bindings of set 0, as the shaders declare them.
const (
	bindTopLevel = iota
	bindAccumulation
	bindRayCounts
	bindFrame
	bindGeometries
	bindMaterials
	bindLights
	bindLightTriangles
	bindTextures
)

// New uploads a scene and links the integrator's pipeline. Resize and SetCamera follow before the first sample.
func New(ctx context.Context, dev *engine.Device, source *assets.Scene, o Options) (r *Renderer, err error) {
	if o.Integrator == "" {
		o.Integrator = Path
	}
	if o.Bounces == 0 {
		o.Bounces = DefaultBounces
	}
	if o.Clamp == 0 {
		o.Clamp = DefaultClamp
	}
	if o.Reach == 0 {
		o.Reach = defaultReach * source.Bounds.Diagonal()
	}
	r = &Renderer{dev: dev, options: o, source: source, env: source.Environment}
	if o.Environment != nil {
		r.env = *o.Environment
	}
	defer func() {
		if err != nil {
			r.Destroy()
			r = nil
		}
	}()
	if r.timer, err = dev.VK().NewQueryPool(2); err != nil {
		return r, fmt.Errorf("timer: %w", err)
	}
	r.step("build structures")
	if err = r.upload(ctx); err != nil {
		return r, err
	}
	if err = r.describe(); err != nil {
		return r, err
	}
	r.step("compile shaders")
	return r, r.link(ctx)
}

func (r *Renderer) step(what string) {
	if r.options.OnStep != nil {
		r.options.OnStep(what)
	}
}

// upload puts the scene on the device.
func (r *Renderer) upload(ctx context.Context) (err error) {
	emission := newEmission(r.source)
	r.scene, err = accel.Upload(ctx, r.dev, r.source, accel.Options{
		Attributes:         true,
		Extra:              emission.of,
		RecordsPerGeometry: recordsPerGeometry,
		Flags:              r.options.BuildFlags,
	})
	if err != nil {
		return err
	}
	r.stats.Bottom, r.stats.Top = r.scene.BottomReport, r.scene.TopReport
	if r.textures, err = uploadTextures(ctx, r.dev, r.source); err != nil {
		return fmt.Errorf("textures of %s: %w", r.source.Name, err)
	}
	lights, n := encodeLights(r.source.Lights, &r.env)
	triangles, m, power := lightTriangles(r.scene, emission)
	r.lights, r.lightTriangles, r.lightPower = n, m, power

	frame, err := r.dev.VK().NewBuffer(vk.BufferOptions{
		Name: "frame", Size: frameSize, Memory: vk.DeviceLocal,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageUniformBufferBit | vulkan.BufferUsageTransferDstBit),
	})
	if err != nil {
		return fmt.Errorf("frame parameters: %w", err)
	}
	r.buffers = append(r.buffers, frame)
	for _, b := range []struct {
		name string
		data []byte
		size int // of one element: an empty array is given one that nobody reads
	}{
		{"geometries", encodeGeometries(r.scene), geometrySize},
		{"materials", encodeMaterials(r.source.Materials), materialSize},
		{"lights", lights, lightSize},
		{"light triangles", triangles, lightTriangleSize},
	} {
		if len(b.data) == 0 {
			b.data = make([]byte, b.size)
		}
		if err := r.checkRange(b.name+" of "+r.source.Name, uint64(len(b.data))); err != nil {
			return err
		}
		buffer, err := r.dev.NewBuildInput(ctx, b.name, b.data)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", b.name, r.source.Name, err)
		}
		r.buffers = append(r.buffers, buffer)
	}
	return nil
}

// checkRange refuses storage buffers that are larger than the device can bind.
func (r *Renderer) checkRange(what string, size uint64) error {
	if most := uint64(r.dev.VK().Physical().Limits.MaxStorageBufferRange); size > most {
		return fmt.Errorf("%w: %s takes a buffer of %d MiB, %s binds at most %d MiB", accel.ErrTooLarge, what, size>>20,
			r.dev.Info().Name, most>>20)
	}
	return nil
}

// describe makes the descriptor set; Resize adds the image's own buffers.
func (r *Renderer) describe() (err error) {
	const storage, uniform = vulkan.DescriptorTypeStorageBuffer, vulkan.DescriptorTypeUniformBuffer
	bindings := []vk.DescriptorBinding{
		{Binding: bindTopLevel, Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
		{Binding: bindAccumulation, Type: storage, Count: 1},
		{Binding: bindRayCounts, Type: storage, Count: 1},
		{Binding: bindFrame, Type: uniform, Count: 1},
		{Binding: bindGeometries, Type: storage, Count: 1},
		{Binding: bindMaterials, Type: storage, Count: 1},
		{Binding: bindLights, Type: storage, Count: 1},
		{Binding: bindLightTriangles, Type: storage, Count: 1},
		{Binding: bindTextures, Type: vulkan.DescriptorTypeCombinedImageSampler, Count: uint32(r.textures.count())},
	}
	if n, most := r.textures.count(), r.dev.VK().Physical().Limits.MaxPerStageSampledImages; uint64(n) > uint64(most) {
		return fmt.Errorf("%w: %s has %d textures, %s binds at most %d", accel.ErrTooLarge, r.source.Name, n, r.dev.Info().Name, most)
	}
	if r.layout, err = r.dev.NewDescriptorSetLayout("scene", bindings); err != nil {
		return fmt.Errorf("descriptor set layout: %w", err)
	}
	if r.set, err = r.dev.NewDescriptorSet(r.layout); err != nil {
		return fmt.Errorf("descriptor set: %w", err)
	}
	r.set.WriteAccelerationStructure(bindTopLevel, 0, r.scene.TopLevel)
	for i, b := range r.buffers {
		r.set.WriteBuffer(uint32(bindFrame+i), 0, b, 0, 0)
	}
	r.textures.write(r.set, bindTextures)
	return r.set.Err()
}

func (r *Renderer) link(ctx context.Context) (err error) {
	if r.options.Integrator == Heat {
		return r.linkHeat(ctx)
	}
	var g groups
	if r.pipeline, g, err = newPipeline(ctx, r.dev, r.options.Integrator, r.layout, hasAlpha(r.source)); err != nil {
		return err
	}
	r.stats.Pipeline = r.pipeline.Stats()
	if r.table, err = r.dev.NewTable(ctx, r.pipeline, tableLayout(r.scene, g)); err != nil {
		return fmt.Errorf("shader binding table: %w", err)
	}
	return nil
}

// Resize makes the image buffers for a size and begins a new image.
func (r *Renderer) Resize(width, height int) error {
	if width <= 0 || height <= 0 || uint64(width)*uint64(height) > MaxPixels {
		return fmt.Errorf("%w: image of %d x %d pixels, want between 1 and %d pixels", ErrInvalid, width, height, MaxPixels)
	}
	r.accumulation.Destroy()
	r.counts.Destroy()
	r.accumulation, r.counts = nil, nil
	pixels := uint64(width) * uint64(height)
	if err := r.checkRange(fmt.Sprintf("an image of %d x %d pixels", width, height), 16*pixels); err != nil {
		return err
	}
	var err error
	if r.accumulation, err = r.dev.VK().NewBuffer(vk.BufferOptions{Name: "accumulation", Size: 16 * pixels,
		Memory: vk.DeviceLocal}); err != nil {
		return fmt.Errorf("accumulation buffer of %d x %d pixels: %w", width, height, err)
	}
	if r.counts, err = r.dev.VK().NewBuffer(vk.BufferOptions{Name: "ray counts", Size: 4 * pixels,
		Memory: vk.DeviceLocal}); err != nil {
		return fmt.Errorf("ray counters of %d x %d pixels: %w", width, height, err)
	}
	r.set.WriteBuffer(bindAccumulation, 0, r.accumulation, 0, 0)
	r.set.WriteBuffer(bindRayCounts, 0, r.counts, 0, 0)
	r.width, r.height = width, height
	r.Restart()
	return r.set.Err()
}

// SetCamera moves the camera and begins a new image.
func (r *Renderer) SetCamera(c camera.Camera) error {
	if err := c.Validate(); err != nil {
		return err
	}
	r.camera = c
	r.Restart()
	return nil
}

// Restart begins a new image: the next sample replaces all before.
func (r *Renderer) Restart() {
	r.samples = 0
	r.frameDirty = true
}

// Destroy releases everything but the device. It may be called twice and on nil.
func (r *Renderer) Destroy() {
	if r == nil {
		return
	}
	r.table.Destroy()
	r.pipeline.Destroy()
	r.heat.Destroy()
	r.set.Destroy()
	r.layout.Destroy()
	r.textures.destroy()
	for _, b := range append(r.buffers, r.accumulation, r.counts) {
		b.Destroy()
	}
	r.scene.Destroy()
	r.timer.Destroy()
	r.buffers, r.accumulation, r.counts = nil, nil, nil
}
