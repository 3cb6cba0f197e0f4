package vk_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestFailuresOfNative makes the calls of the driver's own ray tracing fail: pipelines, libraries, their handles, structures, and
// what tracing with them takes.
func TestFailuresOfNative(t *testing.T) {
	var x vktest.Injector
	d := vktest.Device(t, vktest.Native(), vktest.Intercept(x.Intercept))
	f := failing{t, d}
	scene := smokeScene(t, d)
	for _, s := range f.nativeSteps(scene) {
		x.Each(t, s.name, s.step, settled(t, d))
	}
}

// nativeSteps are what TestFailuresOfNative makes fail, call by call.
func (f failing) nativeSteps(scene *vk.NativeAccelerationStructure) []failingStep {
	return []failingStep{
		{"pipeline", func() error { return f.traced(scene) }}, {"library", f.library}, {"clone", func() error { return f.clone(scene) }},
	}
}

// smokeOptions are those of TestNativeRayTracing's pipeline.
func (f failing) smokeOptions(layout *vk.PipelineLayout) vk.RayTracingPipelineOptions {
	return vk.RayTracingPipelineOptions{
		Name: "smoke", Layout: layout, MaxRecursionDepth: 1,
		Stages: []rt.Stage{
			{Kind: rt.Raygen, Name: "rgen", Code: fixture(f.t, "smoke.rgen")},
			{Kind: rt.Miss, Name: "rmiss", Code: fixture(f.t, "smoke.rmiss")},
			{Kind: rt.ClosestHit, Name: "rchit", Code: fixture(f.t, "smoke.rchit")},
		},
		Groups: []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1), rt.TrianglesGroup(2, rt.Unused)},
	}
}

// smokeLayout makes the layouts of that pipeline.
func (f failing) smokeLayout() (set *vk.DescriptorSetLayout, layout *vk.PipelineLayout, err error) {
	stages := vk.StageRaygen | vk.StageClosestHit | vk.StageMiss
	set, err = f.d.NewDescriptorSetLayout("smoke", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Stages: stages},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Stages: stages},
	})
	if err != nil {
		return nil, nil, err
	}
	if layout, err = f.d.NewPipelineLayout("smoke", []*vk.DescriptorSetLayout{set}, nil); err != nil {
		set.Destroy()
	}
	return set, layout, err
}

// traced makes a pipeline and traces with it.
func (f failing) traced(scene *vk.NativeAccelerationStructure) error {
	sets, layout, err := f.smokeLayout()
	if err != nil {
		return err
	}
	defer sets.Destroy()
	defer layout.Destroy()
	p, err := f.d.NewRayTracingPipeline(f.smokeOptions(layout))
	if err != nil {
		return err
	}
	defer p.Destroy()
	handles, err := p.GroupHandles(0, 3)
	if err != nil {
		return err
	}
	limits := f.d.Physical().RT
	size, stride := uint64(limits.ShaderGroupHandleSize), uint64(max(limits.ShaderGroupBaseAlignment, limits.ShaderGroupHandleSize))
	table, err := f.d.NewBuffer(vk.BufferOptions{Name: "table", Size: 3 * stride, Memory: vk.Upload, ShaderBindingTable: true,
		Alignment: uint64(limits.ShaderGroupBaseAlignment)})
	if err != nil {
		return err
	}
	defer table.Destroy()
	var regions [3]vk.StridedRegion
	for i := range uint64(3) {
		copy(table.Mapped()[i*stride:], handles[i*size:(i+1)*size])
		regions[i] = vk.StridedRegion{Address: table.Address() + i*stride, Stride: stride, Size: stride}
	}
	result, err := f.d.NewBuffer(vk.BufferOptions{Name: "result", Size: 16, Memory: vk.Readback})
	if err != nil {
		return err
	}
	defer result.Destroy()
	set, err := f.d.NewDescriptorSet(sets)
	if err != nil {
		return err
	}
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, scene.Handle())
	set.WriteBuffer(1, 0, vulkan.DescriptorTypeStorageBuffer, result, 0, 0)
	if err := f.d.Run(f.t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		cb.BindRayTracingPipeline(p)
		cb.BindDescriptorSets(vk.BindPointRayTracing, layout, 0, set)
		cb.TraceRays(regions[0], regions[1], regions[2], vk.StridedRegion{}, 4, 1, 1)
		return nil
	}); err != nil {
		return err
	}
	for i, want := range []uint32{105, 7, 106, 7} {
		if got := binary.LittleEndian.Uint32(result.Mapped()[4*i:]); got != want {
			return fmt.Errorf("ray %d: %d, want %d", i, got, want)
		}
	}
	return nil
}

// library makes a pipeline of a library.
func (f failing) library() error {
	sets, layout, err := f.smokeLayout()
	if err != nil {
		return err
	}
	defer sets.Destroy()
	defer layout.Destroy()
	o := f.smokeOptions(layout)
	o.Name, o.Flags, o.MaxPayloadBytes, o.MaxAttributeBytes = "library", vk.PipelineLibrary, 16, 8
	l, err := f.d.NewRayTracingPipeline(o)
	if err != nil {
		return err
	}
	defer l.Destroy()
	p, err := f.d.NewRayTracingPipeline(vk.RayTracingPipelineOptions{Name: "linked", Layout: layout, MaxRecursionDepth: 1,
		Libraries: []*vk.Pipeline{l}, MaxPayloadBytes: 16, MaxAttributeBytes: 8})
	if err != nil {
		return err
	}
	defer p.Destroy()
	_, err = p.GroupHandles(0, 3)
	return err
}

// clone copies a structure.
func (f failing) clone(scene *vk.NativeAccelerationStructure) error {
	store, err := f.d.NewBuffer(vk.BufferOptions{Name: "clone", Size: 1 << 16, AccelerationStructureStorage: true})
	if err != nil {
		return err
	}
	defer store.Destroy()
	c, err := f.d.NewNativeAccelerationStructure(vk.TopLevel, store, 0, 1<<16, "clone")
	if err != nil {
		return err
	}
	defer c.Destroy()
	return f.d.Run(f.t.Context(), "clone", func(cb *vk.CommandBuffer) error {
		cb.CopyAccelerationStructure(scene, c, vk.CopyClone)
		return nil
	})
}
