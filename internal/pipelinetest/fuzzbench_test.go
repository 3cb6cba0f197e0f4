package pipelinetest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/pipefuzz"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
	vulkan "github.com/vulkan-go/vulkan"
)

// fuzzDevice runs generated pipelines one way. Scenes are built when a pipeline first needs them.
type fuzzDevice struct {
	dev     *engine.Device
	scenes  map[sceneKey]*engine.AccelerationStructure
	boxes   *vk.Buffer
	cleanup []func()

	mutex    sync.Mutex
	messages []string
}

// sceneKey is what the record offsets of instances and the presence of boxes follow from.
type sceneKey struct {
	rayTypes   int
	procedural bool
}

func openFuzzDevice(ctx context.Context, way engine.Backend) (*fuzzDevice, error) {
	d := &fuzzDevice{scenes: map[sceneKey]*engine.AccelerationStructure{}}
	validation := os.Getenv(vktest.NoValidationVariable) == ""
	dev, err := engine.Open(ctx, engine.Options{
		Backend: way, Device: os.Getenv(vktest.DeviceVariable), Validation: validation, SyncValidation: validation,
		OnMessage: func(m vk.Message) {
			d.mutex.Lock()
			defer d.mutex.Unlock()
			d.messages = append(d.messages, fmt.Sprint(m))
		},
	})
	if err != nil {
		return nil, err
	}
	d.dev = dev
	if d.boxes, err = dev.NewBuildInput(ctx, "boxes", pipefuzz.Boxes()); err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.cleanup = append(d.cleanup, d.boxes.Destroy)
	return d, nil
}

func (d *fuzzDevice) close() error {
	for i := len(d.cleanup) - 1; i >= 0; i-- {
		d.cleanup[i]()
	}
	return errors.Join(d.dev.Close(), d.complaints())
}

// complaints returns what the validation layer said since the last call.
func (d *fuzzDevice) complaints() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var errs []error
	for _, m := range d.messages {
		errs = append(errs, fmt.Errorf("validation: %s", m))
	}
	d.messages = nil
	return errors.Join(errs...)
}

// scene returns the top level structure for pipelines of a kind.
func (d *fuzzDevice) scene(ctx context.Context, key sceneKey) (*engine.AccelerationStructure, error) {
	if s := d.scenes[key]; s != nil {
		return s, nil
	}
	triangles, err := d.triangles(ctx)
	if err != nil {
		return nil, err
	}
	bottom := map[bool]*engine.AccelerationStructure{false: triangles}
	if key.procedural {
		if bottom[true], err = d.procedural(ctx); err != nil {
			return nil, err
		}
	}
	var list []vk.AccelerationStructureInstance
	for _, i := range pipefuzz.Instances(key.procedural) {
		var flags vk.InstanceFlags
		if i.NoCulling {
			flags |= vk.InstanceTriangleFacingCullDisable
		}
		if i.FlipFacing {
			flags |= vk.InstanceTriangleFlipFacing
		}
		list = append(list, vk.NewAccelerationStructureInstance(i.Transform, i.CustomIndex, i.Mask, uint32(i.Geometry*key.rayTypes),
			flags, bottom[i.Boxes].Address()))
	}
	instances, err := d.dev.NewInstances(ctx, "instances", list)
	if err != nil {
		return nil, err
	}
	d.cleanup = append(d.cleanup, instances.Destroy)
	info, ranges := engine.InstancesInfo(instances.Address(), uint32(len(list)), 0)
	s, err := d.structure(ctx, "scene", info, ranges)
	if err == nil {
		d.scenes[key] = s
	}
	return s, err
}

func (d *fuzzDevice) structure(ctx context.Context, name string, info vk.BuildInfo,
	ranges []vk.BuildRange) (*engine.AccelerationStructure, error) {
	s, _, err := d.dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: name, Info: info, Ranges: ranges}})
	if err != nil {
		return nil, err
	}
	d.cleanup = append(d.cleanup, s[0].Destroy)
	return s[0], nil
}

// The first geometry of each is opaque. Both ask any hit shaders once, where flags make them ask.
var fuzzGeometryFlags = []vk.GeometryFlags{vk.GeometryOpaque | vk.GeometryNoDuplicateAnyHit, vk.GeometryNoDuplicateAnyHit}

func (d *fuzzDevice) triangles(ctx context.Context) (*engine.AccelerationStructure, error) {
	vertices, err := d.dev.NewBuildInput(ctx, "vertices", pipefuzz.Triangles())
	if err != nil {
		return nil, err
	}
	d.cleanup = append(d.cleanup, vertices.Destroy)
	info := vk.BuildInfo{Type: vk.BottomLevel}
	var ranges []vk.BuildRange
	for i, flags := range fuzzGeometryFlags {
		// PrimitiveOffset: lavapipe 25.0.7 ignores FirstVertex of geometry without indices.
		ranges = append(ranges, vk.BuildRange{PrimitiveCount: pipefuzz.PrimitivesPerGeometry,
			PrimitiveOffset: uint32(i * 36 * pipefuzz.PrimitivesPerGeometry)})
		info.Geometries = append(info.Geometries, vk.Geometry{Type: vk.GeometryTriangles, Flags: flags, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12,
			MaxVertex: 6*pipefuzz.PrimitivesPerGeometry - 1, IndexType: vk.IndexNone,
		}})
	}
	return d.structure(ctx, "triangles", info, ranges)
}

func (d *fuzzDevice) procedural(ctx context.Context) (*engine.AccelerationStructure, error) {
	info := vk.BuildInfo{Type: vk.BottomLevel}
	var ranges []vk.BuildRange
	for i, flags := range fuzzGeometryFlags {
		ranges = append(ranges, vk.BuildRange{PrimitiveCount: pipefuzz.PrimitivesPerGeometry,
			PrimitiveOffset: uint32(i * 24 * pipefuzz.PrimitivesPerGeometry)})
		info.Geometries = append(info.Geometries, vk.Geometry{Type: vk.GeometryAABBs, Flags: flags,
			AABBs: vk.AABBs{Data: d.boxes.Address(), Stride: 24}})
	}
	return d.structure(ctx, "boxes", info, ranges)
}

// released collects what a run makes.
type released []func()

func (r *released) keep(f func()) { *r = append(*r, f) }

func (r *released) all() {
	for i := len(*r) - 1; i >= 0; i-- {
		(*r)[i]()
	}
}

// run traces a pipeline and returns its result.
func (d *fuzzDevice) run(ctx context.Context, p *pipefuzz.Pipeline, code [][]uint32, form form) (words []uint32, err error) {
	defer func() { err = errors.Join(err, d.complaints()) }()
	var made released
	defer made.all()
	scene, err := d.scene(ctx, sceneKey{p.RayTypes, p.Procedural})
	if err != nil {
		return nil, err
	}
	layout, err := d.dev.NewDescriptorSetLayout("fuzz", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: vk.StageRaygen | vk.StageClosestHit | vk.StageMiss},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageIntersection},
	})
	if err != nil {
		return nil, err
	}
	made.keep(layout.Destroy)
	options := fuzzPipelineOptions(p, code, layout)
	if form.choose != nil {
		form.choose(&options)
	}
	pipeline, err := d.dev.NewRayTracingPipeline(ctx, options)
	if err != nil {
		return nil, err
	}
	made.keep(pipeline.Destroy)
	table, err := d.dev.NewTable(ctx, pipeline, sbt.Layout{
		Raygen: fuzzRecords(p.Raygen), Miss: fuzzRecords(p.Miss), Hit: fuzzRecords(p.Hit), Callable: fuzzRecords(p.Callable),
	})
	if err != nil {
		return nil, err
	}
	made.keep(table.Destroy)
	return d.launch(ctx, layout, scene, engine.TraceOptions{
		Pipeline: pipeline, Table: table, PushConstants: p.PushConstants, Width: pipefuzz.Width, Height: pipefuzz.Height, Depth: 1,
	})
}

// launch traces with a result buffer and descriptor set of its own.
func (d *fuzzDevice) launch(ctx context.Context, layout *engine.DescriptorSetLayout, scene *engine.AccelerationStructure,
	o engine.TraceOptions) ([]uint32, error) {
	var made released
	defer made.all()
	result, err := d.dev.VK().NewBuffer(vk.BufferOptions{Name: "result",
		Size: 4 * pipefuzz.ResultWords * pipefuzz.Width * pipefuzz.Height, Memory: vk.Readback})
	if err != nil {
		return nil, err
	}
	made.keep(result.Destroy)
	set, err := d.dev.NewDescriptorSet(layout)
	if err != nil {
		return nil, err
	}
	made.keep(set.Destroy)
	set.WriteAccelerationStructure(0, 0, scene)
	set.WriteBuffer(1, 0, result, 0, result.Size())
	set.WriteBuffer(2, 0, d.boxes, 0, d.boxes.Size())
	if err := set.Err(); err != nil {
		return nil, err
	}
	o.Sets = []*engine.DescriptorSet{set}
	if err := d.dev.Run(ctx, "fuzz", func(cb *vk.CommandBuffer) error { return d.dev.CmdTraceRays(cb, o) }); err != nil {
		return nil, err
	}
	raw := make([]byte, result.Size())
	if err := d.dev.VK().ReadBuffer(ctx, result, 0, raw); err != nil {
		return nil, err
	}
	words := make([]uint32, len(raw)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return words, nil
}

func fuzzPipelineOptions(p *pipefuzz.Pipeline, code [][]uint32, layout *engine.DescriptorSetLayout) engine.PipelineOptions {
	o := engine.PipelineOptions{
		Name: fmt.Sprintf("seed %d", p.Seed), SetLayouts: []*engine.DescriptorSetLayout{layout},
		PushConstantBytes: uint32(len(p.PushConstants)), MaxRecursionDepth: p.Depth,
	}
	kinds := map[string]engine.StageKind{
		"rgen": engine.Raygen, "rmiss": engine.Miss, "rchit": engine.ClosestHit, "rahit": engine.AnyHit, "rint": engine.Intersection,
		"rcall": engine.Callable,
	}
	for i, s := range p.Shaders {
		o.Stages = append(o.Stages, engine.Stage{
			Kind: kinds[s.Stage], Code: code[i],
			Specialization: map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, s.Specialization)},
		})
	}
	for _, g := range p.Groups {
		kind := engine.TrianglesHit
		switch {
		case g.General != pipefuzz.NoShader:
			kind = engine.General
		case g.Intersection != pipefuzz.NoShader:
			kind = engine.ProceduralHit
		}
		o.Groups = append(o.Groups, engine.Group{Kind: kind, General: g.General, ClosestHit: g.ClosestHit, AnyHit: g.AnyHit,
			Intersection: g.Intersection})
	}
	return o
}

func fuzzRecords(list []pipefuzz.Record) []sbt.Record {
	var out []sbt.Record
	for _, r := range list {
		out = append(out, sbt.Record{Group: r.Group, Data: r.Data})
	}
	return out
}

// requireWays skips the test, or fails it, where a device for either way is missing.
func requireWays(t *testing.T) {
	t.Helper()
	for _, way := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		d, err := openFuzzDevice(t.Context(), way)
		if err != nil {
			missingWay(t, way, err)
		}
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
	}
}
