package render

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	// Headlight is the irradiance of a light at the eye, in lux; 0 is none.
	Headlight float32
	// HeadlightAuto switches the headlight on only where the first samples of a picture are black.
	HeadlightAuto bool
	// Reorder has path use hit objects (SPV_NV_shader_invocation_reorder), and reorder before each is executed. Natively the
	// device needs Limits.HitObjectsNV.
	Reorder bool
	// Guides keeps albedo and normals of what path sees, for Film.Guides.
	Guides bool
	// BuildFlags of the bottom level structures; 0 prefers nothing.
	BuildFlags vk.BuildFlags
	// Pixel, if not nil, is one whose rays and shaders are followed: see Steps. Not with heat.
	Pixel *[2]int
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
	features features
	frame    *vk.Buffer
	buffers  []*vk.Buffer // of the scene, at these bindings
	bindings []uint32
	layout   *engine.DescriptorSetLayout
	set      *engine.DescriptorSet
	pipeline *engine.Pipeline
	groups   groups
	table    *engine.Table
	heat     *engine.ComputePipeline // in place of pipeline and table
	timer    *vk.QueryPool
	printer  *engine.Printer // with Options.Pixel

	lights, lightTriangles int
	lightPower             float64
	waitsForDark           bool // the headlight, see Options.HeadlightAuto
	environment            environmentData

	width, height int
	accumulation  *vk.Buffer
	counts        *vk.Buffer
	unlit         *vk.Buffer // with featureUnlit and featureGuides of use
	guides        *vk.Buffer
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
	bindLayers
	bindAlbedo
	bindEnvironment
	bindEnvironmentTable
	bindUnlit
	bindGuides
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
	r.features = sceneFeatures(source, &r.env, o)
	defer func() {
		if err != nil {
			r.Destroy()
			r = nil
		}
	}()
	if r.timer, err = dev.VK().NewQueryPool(2); err != nil {
		return r, fmt.Errorf("timer: %w", err)
	}
	if err = r.describe(); err != nil {
		return r, err
	}
	return r, r.uploadAndLink(ctx)
}

// uploadAndLink has the pipeline compiled while the structures are built, and joins both.
func (r *Renderer) uploadAndLink(ctx context.Context) error {
	linking, cancel := context.WithCancel(ctx)
	defer cancel()
	linked := make(chan error, 1)
	go func() { linked <- r.link(linking) }()
	r.step("build structures")
	err := r.upload(ctx)
	if err != nil {
		cancel()
		<-linked //nolint:errcheck // waits for its pipeline; that it was cancelled is no news
		return err
	}
	r.step("compile shaders")
	if err := <-linked; err != nil {
		return err
	}
	if r.set, err = r.newSet(); err != nil || r.pipeline == nil {
		return err
	}
	if r.table, err = r.dev.NewTable(ctx, r.pipeline, tableLayout(r.scene, r.groups)); err != nil {
		return fmt.Errorf("shader binding table: %w", err)
	}
	return nil
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
		Opaque:             r.opaque,
		Host:               r.options.Integrator != Heat, // which measures the device's trees
	})
	if err != nil {
		return err
	}
	r.stats.Bottom, r.stats.Top = r.scene.BottomReport, r.scene.TopReport
	if r.textures, err = uploadTextures(ctx, r.dev, r.source); err != nil {
		return fmt.Errorf("textures of %s: %w", r.source.Name, err)
	}
	lights, n := encodeLights(r.source.Lights, &r.env, r.options.Headlight)
	triangles, m, power := lightTriangles(r.scene, emission)
	r.lights, r.lightTriangles, r.lightPower = n, m, power
	if r.waitsForDark = r.options.Headlight > 0 && r.options.HeadlightAuto; r.waitsForDark {
		r.lights-- // the headlight is the last
	}
	r.environment = encodeEnvironment(r.env.Map)

	r.frame, err = r.dev.VK().NewBuffer(vk.BufferOptions{
		Name: "frame", Size: frameSize, Memory: vk.DeviceLocal,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageUniformBufferBit | vulkan.BufferUsageTransferDstBit),
	})
	if err != nil {
		return fmt.Errorf("frame parameters: %w", err)
	}
	return r.uploadArrays(ctx, []sceneArray{
		{bindGeometries, "geometries", encodeGeometries(r.scene), geometrySize},
		{bindMaterials, "materials", encodeMaterials(r.source.Materials), materialSize},
		{bindLights, "lights", lights, lightSize},
		{bindLightTriangles, "light triangles", triangles, lightTriangleSize},
		{bindLayers, "material layers", encodeLayers(r.source.Materials), layersSize},
		{bindAlbedo, "albedo table", r.albedoTable(), 16},
		{bindEnvironment, "environment", r.environment.texels, 16},
		{bindEnvironmentTable, "environment's alias table", r.environment.table, 8},
	})
}

// opaque is accel.Options.Opaque: shadow rays of paths ask also what lets light pass.
func (r *Renderer) opaque(m *assets.Material) bool {
	return m.IsOpaque() && !(r.features.has(featureTransmission) && m.PassesLight())
}

// albedoTable is only for paths.
func (r *Renderer) albedoTable() []byte {
	if r.options.Integrator != Path {
		return nil
	}
	return albedoTable(r.features.has(featureSheen), r.features.has(featureTransmission))
}

// sceneArray is a storage buffer that stays as it is.
type sceneArray struct {
	binding uint32
	name    string
	data    []byte
	size    int // of one element: an empty array is given one that nobody reads
}

func (r *Renderer) uploadArrays(ctx context.Context, arrays []sceneArray) error {
	for _, b := range arrays {
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
		r.bindings = append(r.bindings, b.binding)
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

// sceneBindings are those of uploadArrays.
func sceneBindings() []uint32 {
	return []uint32{bindGeometries, bindMaterials, bindLights, bindLightTriangles, bindLayers, bindAlbedo, bindEnvironment,
		bindEnvironmentTable}
}

// describe makes the layout of descriptor sets.
func (r *Renderer) describe() (err error) {
	const storage, uniform = vulkan.DescriptorTypeStorageBuffer, vulkan.DescriptorTypeUniformBuffer
	bindings := []vk.DescriptorBinding{
		{Binding: bindTopLevel, Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
		{Binding: bindFrame, Type: uniform, Count: 1},
		{Binding: bindTextures, Type: vulkan.DescriptorTypeCombinedImageSampler, Count: uint32(textureCount(r.source))},
	}
	for _, b := range append([]uint32{bindAccumulation, bindRayCounts, bindUnlit, bindGuides}, sceneBindings()...) {
		bindings = append(bindings, vk.DescriptorBinding{Binding: b, Type: storage, Count: 1})
	}
	slices.SortFunc(bindings, func(a, b vk.DescriptorBinding) int { return int(a.Binding) - int(b.Binding) })
	if n, most := textureCount(r.source), r.dev.VK().Physical().Limits.MaxPerStageSampledImages; uint64(n) > uint64(most) {
		return fmt.Errorf("%w: %s has %d textures, %s binds at most %d", accel.ErrTooLarge, r.source.Name, n, r.dev.Info().Name, most)
	}
	if r.layout, err = r.dev.NewDescriptorSetLayout("scene", bindings); err != nil {
		return fmt.Errorf("descriptor set layout: %w", err)
	}
	return nil
}

// newSet makes a set of what is the scene's; Resize adds the buffers of an image.
func (r *Renderer) newSet() (*engine.DescriptorSet, error) {
	set, err := r.dev.NewDescriptorSet(r.layout)
	if err != nil {
		return nil, fmt.Errorf("descriptor set: %w", err)
	}
	set.WriteAccelerationStructure(bindTopLevel, 0, r.scene.TopLevel)
	set.WriteBuffer(bindFrame, 0, r.frame, 0, 0)
	for i, b := range r.buffers {
		set.WriteBuffer(r.bindings[i], 0, b, 0, 0)
	}
	r.textures.write(set, bindTextures)
	return set, set.Err()
}

// link compiles; it needs nothing of what is uploaded.
func (r *Renderer) link(ctx context.Context) (err error) {
	if r.options.Integrator == Heat {
		return r.linkHeat(ctx)
	}
	followed, err := r.follow(ctx)
	if err != nil {
		return err
	}
	if r.pipeline, r.groups, err = newPipeline(ctx, r.dev, &r.options, r.layout, r.source, r.features,
		followed); err != nil {
		return err
	}
	r.stats.Pipeline = r.pipeline.Stats()
	return nil
}

// Resize makes the image buffers for a size and begins a new image.
func (r *Renderer) Resize(width, height int) error {
	if width <= 0 || height <= 0 || uint64(width)*uint64(height) > MaxPixels {
		return fmt.Errorf("%w: image of %d x %d pixels, want between 1 and %d pixels", ErrInvalid, width, height, MaxPixels)
	}
	pixels := uint64(width) * uint64(height)
	if r.accumulation != nil && 16*pixels <= r.accumulation.Size() { // a moving window asks for another size with every frame
		r.width, r.height = width, height
		r.Restart()
		return nil
	}
	if err := r.checkRange(fmt.Sprintf("an image of %d x %d pixels", width, height), 16*pixels); err != nil {
		return err
	}
	of := func(f features, n uint64) uint64 { // pixels that are kept only with a feature
		if r.features.has(f) {
			return n
		}
		return 1
	}
	for _, b := range []struct {
		to      **vk.Buffer
		binding uint32
		name    string
		size    uint64
	}{
		{&r.accumulation, bindAccumulation, "accumulation", 16 * pixels},
		{&r.counts, bindRayCounts, "ray counts", 4 * pixels},
		{&r.unlit, bindUnlit, "unlit", 16 * of(featureUnlit, pixels)},
		{&r.guides, bindGuides, "guides", 16 * of(featureGuides, 2*pixels)},
	} {
		(*b.to).Destroy()
		*b.to = nil
		var err error
		if *b.to, err = r.dev.VK().NewBuffer(vk.BufferOptions{Name: b.name, Size: b.size, Memory: vk.DeviceLocal}); err != nil {
			return fmt.Errorf("%s buffer of %d x %d pixels: %w", b.name, width, height, err)
		}
		r.set.WriteBuffer(b.binding, 0, *b.to, 0, 0)
	}
	r.width, r.height = width, height
	r.Restart()
	return r.set.Err()
}

// Size is the image's, 0 before Resize.
func (r *Renderer) Size() (width, height int) { return r.width, r.height }

// SetCamera moves the camera and begins a new image.
func (r *Renderer) SetCamera(c camera.Camera) error {
	if err := c.Validate(); err != nil {
		return err
	}
	r.camera = c
	r.Restart()
	return nil
}

// Wires returns boxes of the tree that rays go through: see accel.Scene.Wires.
func (r *Renderer) Wires(ctx context.Context, level, most int) ([]accel.Wire, error) {
	return r.scene.Wires(ctx, r.dev, level, most)
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
	r.printer.Destroy()
	r.set.Destroy()
	r.layout.Destroy()
	r.textures.destroy()
	for _, b := range append(r.buffers, r.frame, r.accumulation, r.counts, r.unlit, r.guides) {
		b.Destroy()
	}
	r.scene.Destroy()
	r.timer.Destroy()
	r.buffers, r.frame, r.accumulation, r.counts, r.unlit, r.guides = nil, nil, nil, nil, nil, nil
}
