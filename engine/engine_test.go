package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// open opens a device for a test: validation messages and leaks fail it.
func open(t *testing.T, backend engine.Backend) *engine.Device {
	t.Helper()
	return openWith(t, engine.Options{Backend: backend})
}

// openWith is open with options; those about tests are filled in.
func openWith(t *testing.T, o engine.Options) *engine.Device {
	t.Helper()
	validation := os.Getenv(vktest.NoValidationVariable) != "1"
	o.AppName, o.Device, o.Validation, o.SyncValidation = t.Name(), os.Getenv(vktest.DeviceVariable), validation, validation
	if o.Restrict == nil {
		o.Restrict = vktest.Restrict(t)
	}
	o.OnMessage = func(m vk.Message) {
		if m.Validation {
			t.Errorf("validation: %v", m)
		}
	}
	device, err := engine.Open(t.Context(), o)
	if errors.Is(err, engine.ErrNativeUnavailable) {
		vktest.MissingNative(t, err.Error())
	}
	if errors.Is(err, engine.ErrNoDriver) || errors.Is(err, vk.ErrNoValidationLayer) {
		vktest.Missing(t, fmt.Sprintf("needs a Vulkan device with validation: %v", err))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	})
	return device
}

// backends runs a test in both ways.
func backends(t *testing.T, test func(t *testing.T, d *engine.Device)) {
	for _, b := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		t.Run(b.String(), func(t *testing.T) { test(t, open(t, b)) })
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// recording returns a command buffer that records, and is never submitted.
func recording(t *testing.T, d *vk.Device) *vk.CommandBuffer {
	t.Helper()
	cb, err := d.NewCommandBuffer("recording")
	check(t, err)
	t.Cleanup(cb.Destroy)
	check(t, cb.Begin())
	return cb
}

func floats(v ...float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// scene is two instances of a structure with two geometries of two triangles each: in front a cut-out square, behind it a
// solid one.
type scene struct {
	inputs     []*vk.Buffer
	blas, tlas *engine.AccelerationStructure
	report     engine.BuildReport
}

func (s *scene) destroy() {
	s.tlas.Destroy()
	s.blas.Destroy()
	for _, b := range s.inputs {
		b.Destroy()
	}
}

// The table records of one instance: geometries times ray kinds.
const recordsPerInstance = 4

func newScene(t *testing.T, d *engine.Device) *scene {
	t.Helper()
	s := &scene{}
	t.Cleanup(s.destroy)
	input := func(name string, data []byte) uint64 {
		b, err := d.NewBuildInput(t.Context(), name, data)
		check(t, err)
		s.inputs = append(s.inputs, b)
		return b.Address()
	}
	vertices := input("vertices", floats(
		-0.55, -0.6, 0.5, 0.45, -0.6, 0.5, 0.45, 0.4, 0.5, -0.55, 0.4, 0.5, // front
		-0.35, -0.2, 0, 0.75, -0.2, 0, 0.75, 0.8, 0, -0.35, 0.8, 0)) // back
	var data []byte
	for _, i := range []uint16{0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6} { // the one behind shows its back face
		data = binary.LittleEndian.AppendUint16(data, i)
	}
	indices := input("indices", data)
	triangles := vk.Triangles{
		VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices, VertexStride: 12, MaxVertex: 7,
		IndexType: vk.IndexUint16, IndexData: indices,
	}
	s.blas = build(t, d, s, engine.BuildInput{
		Name: "squares",
		Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{
			{Type: vk.GeometryTriangles, Flags: vk.GeometryNoDuplicateAnyHit, Triangles: triangles},
			{Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque, Triangles: triangles},
		}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 2}, {PrimitiveCount: 2, PrimitiveOffset: 12}},
	})
	small := [12]float32{0.25, 0, 0, -0.7, 0, 0.25, 0, 0.7, 0, 0, 0.25, 1}
	instances, err := d.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 3, 0xFF, 0, 0, s.blas.Address()),
		vk.NewAccelerationStructureInstance(small, 5, 0x01, recordsPerInstance, vk.InstanceForceOpaque, s.blas.Address()),
	})
	check(t, err)
	s.inputs = append(s.inputs, instances)
	info, ranges := engine.InstancesInfo(instances.Address(), 2, vk.PreferFastTrace)
	s.tlas = build(t, d, s, engine.BuildInput{Name: "scene", Info: info, Ranges: ranges})
	return s
}

func build(t *testing.T, d *engine.Device, s *scene, in engine.BuildInput) *engine.AccelerationStructure {
	t.Helper()
	list, report, err := d.BuildAccelerationStructures(t.Context(), []engine.BuildInput{in})
	check(t, err)
	s.report = report
	return list[0]
}

// Groups of the test's pipeline.
const (
	groupCamera = iota
	groupSky
	groupLit
	groupSurface
	groupCutout
	groupShadowCutout
	groupShadow
)

// rig is a pipeline with its table, image and descriptors.
type rig struct {
	device   *engine.Device
	layout   *engine.DescriptorSetLayout
	pipeline *engine.Pipeline
	table    *engine.Table
	set      *engine.DescriptorSet
	image    *vk.Buffer
	size     uint32
}

func newRig(t *testing.T, d *engine.Device, size uint32) *rig {
	t.Helper()
	r := &rig{device: d, size: size}
	layout, err := d.NewDescriptorSetLayout("scene and image", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	check(t, err)
	t.Cleanup(layout.Destroy)
	r.layout = layout
	r.pipeline, err = d.NewRayTracingPipeline(t.Context(), pipelineOptions(t, layout))
	check(t, err)
	t.Cleanup(r.pipeline.Destroy)
	r.table, err = d.NewTable(t.Context(), r.pipeline, tableLayout())
	check(t, err)
	t.Cleanup(r.table.Destroy)
	r.set, err = d.NewDescriptorSet(layout)
	check(t, err)
	t.Cleanup(r.set.Destroy)
	r.image, err = d.VK().NewBuffer(vk.BufferOptions{Name: "image", Size: uint64(size) * uint64(size) * 16})
	check(t, err)
	t.Cleanup(r.image.Destroy)
	r.set.WriteBuffer(1, 0, r.image, 0, 0)
	return r
}

func pipelineOptions(t testing.TB, layout *engine.DescriptorSetLayout) engine.PipelineOptions {
	stage := func(name string, kind engine.StageKind) engine.Stage {
		code, err := shaders.Load("enginetest/" + name)
		check(t, err)
		return engine.Stage{Name: name, Kind: kind, Code: code}
	}
	return engine.PipelineOptions{
		Name: "end to end",
		Stages: []engine.Stage{
			stage("camera.rgen", engine.Raygen), stage("sky.rmiss", engine.Miss), stage("shadow.rmiss", engine.Miss),
			stage("surface.rchit", engine.ClosestHit), stage("cutout.rahit", engine.AnyHit),
		},
		Groups: []engine.Group{
			groupCamera: engine.GeneralGroup(0), groupSky: engine.GeneralGroup(1), groupLit: engine.GeneralGroup(2),
			groupSurface: engine.TrianglesGroup(3, engine.Unused), groupCutout: engine.TrianglesGroup(3, 4),
			groupShadowCutout: engine.TrianglesGroup(engine.Unused, 4),
			groupShadow:       engine.TrianglesGroup(engine.Unused, engine.Unused),
		},
		SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 24, MaxRecursionDepth: 2,
	}
}

func tableLayout() sbt.Layout {
	color := func(v ...float32) []byte { return floats(v...) }
	return sbt.Layout{
		Raygen: []sbt.Record{{Group: groupCamera}},
		Miss:   []sbt.Record{{Group: groupSky, Data: color(0.25, 0.5, 1, 1)}, {Group: groupLit}},
		Hit: []sbt.Record{
			{Group: groupCutout, Data: color(1, 0.5, 0.25, 1, cutoutSpacing)},
			{Group: groupShadowCutout, Data: color(0, 0, 0, 0, cutoutSpacing)},
			{Group: groupSurface, Data: color(0.5, 1, 0.75, 1)}, {Group: groupShadow},
			{Group: groupSurface, Data: color(1, 1, 0, 1)}, {Group: groupShadow},
			{Group: groupSurface, Data: color(0, 1, 1, 1)}, {Group: sbt.NullGroup},
		},
	}
}

// trace renders and returns the pixels.
func (r *rig) trace(t *testing.T, tlas *engine.AccelerationStructure, rayFlags, cullMask uint32) [][4]float32 {
	t.Helper()
	r.set.WriteAccelerationStructure(0, 0, tlas)
	push := floats(1, 1, 1, 1)
	push = binary.LittleEndian.AppendUint32(push, rayFlags)
	push = binary.LittleEndian.AppendUint32(push, cullMask)
	err := r.device.Run(t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		r.device.CmdBarrier(cb)
		defer r.device.CmdBarrier(cb)
		return r.device.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: push,
			Width: r.size, Height: r.size, Depth: 1,
		})
	})
	check(t, err)
	return readPixels(t, r.device, r.image)
}

func readPixels(t *testing.T, d *engine.Device, b *vk.Buffer) [][4]float32 {
	t.Helper()
	data := make([]byte, b.Size())
	check(t, d.VK().ReadBuffer(t.Context(), b, 0, data))
	return decodePixels(data)
}

func decodePixels(data []byte) [][4]float32 {
	out := make([][4]float32, len(data)/16)
	for i := range out {
		for c := range 4 {
			out[i][c] = math.Float32frombits(binary.LittleEndian.Uint32(data[16*i+4*c:]))
		}
	}
	return out
}
