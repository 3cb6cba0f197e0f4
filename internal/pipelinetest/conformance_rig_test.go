package pipelinetest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/conformance"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// conformanceRig is a device of one way with what rows share: buffers, the set layout, scenes.
type conformanceRig struct {
	dev          *engine.Device
	layout       *engine.DescriptorSetLayout
	rays, result *vk.Buffer
	scenes       map[*conformance.Scene]*engine.AccelerationStructure
	models       []*engine.AccelerationStructure
}

// conformanceRun is a program linked in one way.
type conformanceRun struct {
	way      string
	rig      *conformanceRig
	pipeline *engine.Pipeline
	// took is the time of its launches, of which the first may compile shaders.
	took time.Duration
}

const (
	conformanceRayBytes    = 256 << 10
	conformanceResultBytes = 1 << 20
)

// missingWay skips the test, or fails it, for want of a way.
func missingWay(t *testing.T, way engine.Backend, err error) {
	t.Helper()
	why := fmt.Sprintf("no %v device: %v", way, err)
	if errors.Is(err, engine.ErrNativeUnavailable) {
		vktest.MissingNative(t, why)
	}
	vktest.Missing(t, why)
}

// openWay opens a device, less what restrict takes away; nil takes what vktest is asked for.
func openWay(t *testing.T, way engine.Backend, restrict func(*vk.PhysicalDevice)) (*engine.Device, error) {
	if restrict == nil {
		restrict = vktest.Restrict(t)
	}
	validation := os.Getenv(vktest.NoValidationVariable) == ""
	return engine.Open(t.Context(), engine.Options{
		Backend: way, Device: os.Getenv(vktest.DeviceVariable), Validation: validation, SyncValidation: validation,
		Restrict:  restrict,
		OnMessage: func(m vk.Message) { t.Errorf("%v: validation: %v", way, m) },
	})
}

// newConformanceRig leaves what it makes to the test's cleanup.
func newConformanceRig(t *testing.T, dev *engine.Device) (*conformanceRig, error) {
	r := &conformanceRig{dev: dev, scenes: map[*conformance.Scene]*engine.AccelerationStructure{}}
	var err error
	r.layout, err = dev.NewDescriptorSetLayout("conformance", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	if err != nil {
		return nil, err
	}
	t.Cleanup(r.layout.Destroy)
	for _, b := range []struct {
		at **vk.Buffer
		o  vk.BufferOptions
	}{
		{&r.rays, vk.BufferOptions{Name: "rays", Size: conformanceRayBytes, Memory: vk.Upload}},
		{&r.result, vk.BufferOptions{Name: "result", Size: conformanceResultBytes, Memory: vk.Readback}},
	} {
		if *b.at, err = dev.VK().NewBuffer(b.o); err != nil {
			return nil, err
		}
		t.Cleanup((*b.at).Destroy)
	}
	t.Cleanup(func() {
		for _, s := range r.scenes {
			s.Destroy()
		}
		for _, m := range r.models {
			m.Destroy()
		}
	})
	return r, nil
}

// compileProgram compiles every shader once, for all ways.
func compileProgram(t *testing.T, glsl *glsltest.Compiler, p *conformance.Program) []engine.Stage {
	t.Helper()
	out := make([]engine.Stage, len(p.Stages))
	for i, s := range p.Stages {
		out[i] = engine.Stage{Name: fmt.Sprintf("%s %d %s", p.Name, i, s.Extension()), Kind: s.Kind, Specialization: s.Specialization}
		if s.Assembly {
			out[i].Code = glsltest.Assemble(t, s.Source)
		} else {
			out[i].Code = glsl.Compile(t, s.Extension(), s.Source)
		}
	}
	return out
}

func (r *conformanceRig) link(t *testing.T, p *conformance.Program, stages []engine.Stage, form engine.LinkForm) (*conformanceRun,
	error) {
	o := engine.PipelineOptions{
		Name: p.Name, Stages: stages, Groups: p.Groups, SetLayouts: []*engine.DescriptorSetLayout{r.layout}, MaxRecursionDepth: p.Depth,
		StackBytes: p.StackBytes, Flags: p.Flags, Form: form,
	}
	pipeline, err := r.dev.NewRayTracingPipeline(t.Context(), o)
	if err != nil {
		return nil, err
	}
	return &conformanceRun{rig: r, pipeline: pipeline}, nil
}

// conformancePoison fills the result before each launch.
const conformancePoison = 0xCDCDCDCD

// trace runs one row and returns the result's words.
func (c *conformanceRun) trace(t *testing.T, row *conformance.Row) ([]uint32, error) {
	r := c.rig
	scene, err := r.scene(t, row.Scene)
	if err != nil {
		return nil, err
	}
	layout := row.Table
	if row.Addressed {
		layout = addressed(layout, r.rays.Address())
	}
	table, err := r.dev.NewTable(t.Context(), c.pipeline, layout)
	if err != nil {
		return nil, err
	}
	defer table.Destroy()
	var rays []byte
	for _, ray := range row.Rays {
		rays = ray.AppendTo(rays)
	}
	copy(r.rays.Mapped(), rays)
	l := conformanceLaunch{run: c, row: row, table: table}
	defer l.destroy()
	if err := l.prepare(scene); err != nil {
		return nil, err
	}
	clear4(r.result.Mapped()[:l.stride*uint64(len(l.sets))], conformancePoison)
	if err := l.submit(t); err != nil {
		return nil, err
	}
	return l.results(t)
}

// addressed returns the layout with an address over the first bytes of every record's data.
func addressed(l sbt.Layout, address uint64) sbt.Layout {
	change := func(records []sbt.Record) []sbt.Record {
		out := slices.Clone(records)
		for i := range out {
			if len(out[i].Data) >= 8 {
				out[i].Data = slices.Clone(out[i].Data)
				binary.LittleEndian.PutUint64(out[i].Data, address)
			}
		}
		return out
	}
	l.Raygen, l.Miss, l.Hit, l.Callable = change(l.Raygen), change(l.Miss), change(l.Hit), change(l.Callable)
	return l
}

func clear4(b []byte, value uint32) {
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], value)
	}
}

// scene builds a scene the first time; nil is the null acceleration structure.
func (r *conformanceRig) scene(t *testing.T, s *conformance.Scene) (*engine.AccelerationStructure, error) {
	if s == nil || r.scenes[s] != nil {
		return r.scenes[s], nil
	}
	ctx := t.Context()
	var flags vk.BuildFlags
	if len(r.scenes)%2 == 1 { // every other scene, with wide nodes on CPUs
		flags = vk.PreferFastTrace
	}
	var builds []engine.BuildInput
	for i, m := range s.Models {
		build, input, err := r.model(t, m)
		if err != nil {
			return nil, err
		}
		defer input.Destroy()
		build.Info.Flags = flags
		if s.Positions {
			build.Info.Flags |= vk.AllowDataAccess
		}
		build.Name = fmt.Sprintf("%s model %d", t.Name(), i)
		builds = append(builds, build)
	}
	models, _, err := r.dev.BuildAccelerationStructures(ctx, builds)
	if err != nil {
		return nil, err
	}
	r.models = append(r.models, models...)
	var list []vk.AccelerationStructureInstance
	for _, i := range s.Instances {
		list = append(list, vk.NewAccelerationStructureInstance(i.Transform, i.Custom, i.Mask, i.Offset, i.Flags,
			models[i.Model].Address()))
	}
	instances, err := r.dev.NewInstances(ctx, t.Name(), list)
	if err != nil {
		return nil, err
	}
	defer instances.Destroy()
	info, ranges := engine.InstancesInfo(instances.Address(), uint32(len(list)), flags)
	top, _, err := r.dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: t.Name(), Info: info, Ranges: ranges}})
	if err != nil {
		return nil, err
	}
	r.scenes[s] = top[0]
	return top[0], nil
}

// model uploads a model's geometry and describes its build. The caller destroys the upload after the build.
func (r *conformanceRig) model(t *testing.T, m conformance.Model) (engine.BuildInput, *vk.Buffer, error) {
	var data []byte
	put := func(values ...float32) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	type offsets struct{ primitives, transform int }
	var at []offsets
	for _, g := range m {
		o := offsets{primitives: len(data)}
		for _, triangle := range g.Triangles {
			for _, v := range triangle {
				put(v[:]...)
			}
		}
		for _, b := range g.Boxes {
			put(b[:]...)
		}
		for len(data)%16 != 0 {
			put(0)
		}
		if o.transform = len(data); g.Transform != nil {
			put(g.Transform[:]...)
		}
		at = append(at, o)
	}
	input, err := r.dev.NewBuildInput(t.Context(), t.Name(), data)
	if err != nil {
		return engine.BuildInput{}, nil, err
	}
	out := engine.BuildInput{Info: vk.BuildInfo{Type: vk.BottomLevel}}
	for i, g := range m {
		address := input.Address() + uint64(at[i].primitives)
		built := vk.Geometry{Type: vk.GeometryTriangles, Flags: g.Flags, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: address, VertexStride: 12,
			MaxVertex: uint32(max(3*len(g.Triangles), 1) - 1), IndexType: vk.IndexNone,
		}}
		if g.Transform != nil {
			built.Triangles.TransformData = input.Address() + uint64(at[i].transform)
		}
		if g.Boxes != nil {
			built = vk.Geometry{Type: vk.GeometryAABBs, Flags: g.Flags, AABBs: vk.AABBs{Data: address, Stride: 24}}
		}
		out.Info.Geometries = append(out.Info.Geometries, built)
		out.Ranges = append(out.Ranges, vk.BuildRange{PrimitiveCount: uint32(len(g.Triangles) + len(g.Boxes))})
	}
	return out, input, nil
}
