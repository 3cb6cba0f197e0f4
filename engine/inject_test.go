package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
	vulkan "github.com/vulkan-go/vulkan"
)

// TestFailures makes every Vulkan call fail that programs make through engine: nothing leaks or hangs, the error names what
// failed, and the next call works.
func TestFailures(t *testing.T) {
	var x vktest.Injector
	d := openWith(t, engine.Intercepted(engine.Options{Backend: engine.BackendCompute}, x.Intercept))
	f := newFailing(t, d)
	var used uint64
	var alive []string
	settled := func() error {
		if err := d.VK().Settle(t.Context()); err != nil {
			return err
		}
		if now := d.VK().Leaks(); !slices.Equal(now, alive) {
			return fmt.Errorf("alive: %q, before: %q", now, alive)
		}
		if now := d.VK().MemoryUse().Used; now != used {
			return fmt.Errorf("%d bytes in use, %d before", now, used)
		}
		return nil
	}
	for _, s := range []struct {
		name string
		step func() error
	}{
		{"inputs", f.inputs}, {"build", f.build}, {"compaction", f.compact}, {"blobs", f.blobs}, {"pipeline", f.pipeline},
		{"trace", f.trace},
	} {
		check(t, s.step()) // kernels that it needs are compiled once
		used, alive = d.VK().MemoryUse().Used, d.VK().Leaks()
		x.Each(t, s.name, s.step, settled)
	}
}

// TestFailuresOfOpen makes the calls fail that open and close a device.
func TestFailuresOfOpen(t *testing.T) {
	var x vktest.Injector
	o := engine.Intercepted(engine.Options{Backend: engine.BackendCompute, AppName: "open"}, x.Intercept)
	x.Each(t, "open", func() error {
		d, err := engine.Open(t.Context(), o)
		if err != nil {
			return fmt.Errorf("%q: %w", o.AppName, err)
		}
		return d.Close()
	}, func() error { return nil })
}

// failing is what the steps of TestFailures use.
type failing struct {
	t     *testing.T
	d     *engine.Device
	scene *scene
	rig   *rig
	mesh  engine.BuildInput
	want  [][4]float32
}

func newFailing(t *testing.T, d *engine.Device) *failing {
	t.Helper()
	f := &failing{t: t, d: d, scene: newScene(t, d), rig: newRig(t, d, 16)}
	vertices, err := d.NewBuildInput(t.Context(), "vertices", soakVertices(0, 0))
	check(t, err)
	t.Cleanup(vertices.Destroy)
	f.mesh = engine.BuildInput{Name: "mesh", Ranges: []vk.BuildRange{{PrimitiveCount: 100}}, Info: vk.BuildInfo{
		Type: vk.BottomLevel, Flags: vk.AllowCompaction,
		Geometries: []vk.Geometry{{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12, MaxVertex: 299,
			IndexType: vk.IndexNone,
		}}},
	}}
	f.want = f.rig.trace(t, f.scene.tlas, 0, 0xFF)
	return f
}

func (f *failing) inputs() error {
	b, err := f.d.NewBuildInput(f.t.Context(), "input", make([]byte, 4096))
	if err != nil {
		return err
	}
	b.Destroy()
	return nil
}

// made builds a structure for another step.
func (f *failing) made() ([]*engine.AccelerationStructure, func(), error) {
	list, _, err := f.d.BuildAccelerationStructures(f.t.Context(), []engine.BuildInput{f.mesh, f.mesh})
	return list, func() {
		for _, a := range list {
			a.Destroy()
		}
	}, err
}

func (f *failing) build() error {
	_, destroy, err := f.made()
	destroy()
	return err
}

func (f *failing) compact() error {
	list, destroy, err := f.made()
	defer destroy()
	if err != nil {
		return err
	}
	_, err = f.d.Compact(f.t.Context(), list)
	return err
}

func (f *failing) blobs() error {
	blobs, err := f.d.Serialize(f.t.Context(), []*engine.AccelerationStructure{f.scene.blas})
	if err != nil {
		return err
	}
	list, err := f.d.Deserialize(f.t.Context(), []engine.SerializedInput{{Name: "copy", Type: vk.BottomLevel, Blob: blobs[0]}})
	if err != nil {
		return err
	}
	list[0].Destroy()
	return nil
}

func (f *failing) pipeline() error {
	layout, err := f.d.NewDescriptorSetLayout("flag", []vk.DescriptorBinding{{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer}})
	if err != nil {
		return err
	}
	defer layout.Destroy()
	code, err := shaders.Load("enginetest/endless.rgen")
	if err != nil {
		return err
	}
	p, err := f.d.NewRayTracingPipeline(f.t.Context(), engine.PipelineOptions{
		Name: "pipeline", SetLayouts: []*engine.DescriptorSetLayout{layout},
		Groups: []engine.Group{engine.GeneralGroup(0)}, Indirect: true,
		Stages: []engine.Stage{{Name: "raygen", Kind: engine.Raygen, Code: code}},
	})
	if err != nil {
		return err
	}
	defer p.Destroy()
	table, err := f.d.NewTable(f.t.Context(), p, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
	if err != nil {
		return err
	}
	defer table.Destroy()
	set, err := f.d.NewDescriptorSet(layout)
	if err != nil {
		return err
	}
	set.Destroy()
	return nil
}

func (f *failing) trace() error {
	r := f.rig
	r.set.WriteAccelerationStructure(0, 0, f.scene.tlas)
	if err := f.d.Run(f.t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		cb.FillBuffer(r.image, 0, r.image.Size(), 0)
		f.d.CmdBarrier(cb)
		return f.d.CmdTraceRays(cb, r.options(0, 0xFF))
	}); err != nil {
		return err
	}
	picture := make([]byte, r.image.Size())
	if err := f.d.VK().ReadBuffer(f.t.Context(), r.image, 0, picture); err != nil {
		return err
	}
	if !slices.Equal(decodePixels(picture), f.want) {
		return fmt.Errorf("the picture of rig %q differs", "trace")
	}
	return nil
}
