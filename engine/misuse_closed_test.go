package engine_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

func TestMisuseOfAnotherDevice(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newMisuseRig(t, d)
		other := openWith(t, engine.Options{Backend: d.Backend()})
		set, err := other.NewDescriptorSetLayout("other's", []vk.DescriptorBinding{
			{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer}})
		check(t, err)
		defer set.Destroy()
		write := func(f func(s *engine.DescriptorSet)) func() error {
			return func() error {
				s, err := other.NewDescriptorSet(set)
				check(t, err)
				defer s.Destroy()
				f(s)
				return s.Err()
			}
		}
		refusals(t, []misuse{
			{"launch", func() error { return r.launch(other, nil) }, engine.ErrInvalid},
			{"command buffer", func() error {
				return r.record(other, func(cb *vk.CommandBuffer) error {
					return d.CmdTraceRays(cb, engine.TraceOptions{Pipeline: r.pipeline, Table: r.table})
				})
			}, engine.ErrInvalid},
			{"buffer", write(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, r.image, 0, 0) }), engine.ErrInvalid},
			{"structure", write(func(s *engine.DescriptorSet) { s.WriteAccelerationStructure(0, 0, r.scene.tlas) }), engine.ErrInvalid},
			{"layout", func() error { _, err := other.NewDescriptorSet(r.layout); return err }, engine.ErrInvalid},
			{"layout of a pipeline", func() error {
				_, err := other.NewRayTracingPipeline(t.Context(), pipelineOptions(t, r.layout))
				return err
			}, engine.ErrInvalid},
			{"pipeline of a table", func() error { _, err := other.NewTable(t.Context(), r.pipeline, tableLayout()); return err },
				engine.ErrInvalid},
			{"clone", func() error {
				_, err := other.Clone(t.Context(), []*engine.AccelerationStructure{r.scene.blas})
				return err
			}, engine.ErrInvalid},
			{"upload", func() error { return other.VK().UploadBuffer(t.Context(), r.image, 0, []byte{1, 2, 3, 4}) }, engine.ErrInvalid},
			{"build", func() error {
				info, ranges := engine.InstancesInfo(r.scene.inputs[2].Address(), 2, 0)
				_, _, err := other.BuildAccelerationStructures(t.Context(),
					[]engine.BuildInput{{Info: info, Ranges: ranges, Dst: r.scene.tlas}})
				return err
			}, engine.ErrInvalid},
		})
	})
}

func TestMisuseAfterClose(t *testing.T) {
	for _, b := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		t.Run(b.String(), func(t *testing.T) {
			d := open(t, b)
			layout, err := d.NewDescriptorSetLayout("layout", []vk.DescriptorBinding{{Type: vulkan.DescriptorTypeStorageBuffer}})
			check(t, err)
			set, err := d.NewDescriptorSet(layout)
			check(t, err)
			structure, err := d.NewAccelerationStructure(vk.TopLevel, 4096, "structure")
			check(t, err)
			structure.Destroy()
			set.Destroy()
			layout.Destroy()
			check(t, d.Close())
			check(t, d.Close())
			ctx := t.Context()
			var nobody *engine.Device
			for name, d := range map[string]*engine.Device{"closed": d, "nil": nobody} {
				refusals(t, afterClose(name, d, func() error { return d.Run(ctx, "x", func(*vk.CommandBuffer) error { return nil }) }, t))
			}
			set.WriteBuffer(0, 0, nil, 0, 0)
			if err := set.Err(); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("write: %v", err)
			}
		})
	}
}

// afterClose lists calls of a device that is closed.
func afterClose(name string, d *engine.Device, run func() error, t *testing.T) []misuse {
	ctx := t.Context()
	calls := map[string]func() error{
		"Run":                    run,
		"Faults":                 func() error { return d.Faults(ctx, nil) },
		"NewBuildInput":          func() error { _, err := d.NewBuildInput(ctx, "x", nil); return err },
		"NewInstances":           func() error { _, err := d.NewInstances(ctx, "x", nil); return err },
		"BuildSizes":             func() error { _, err := d.BuildSizes(vk.BuildInfo{}, nil); return err },
		"Build":                  func() error { _, _, err := d.BuildAccelerationStructures(ctx, nil); return err },
		"CmdBuild":               func() error { return d.CmdBuildAccelerationStructures(nil, nil) },
		"CmdBuildIndirect":       func() error { return d.CmdBuildAccelerationStructuresIndirect(nil, nil) },
		"PrepareBuilds":          func() error { return d.PrepareBuilds(ctx) },
		"NewStructure":           func() error { _, err := d.NewAccelerationStructure(vk.BottomLevel, 256, "x"); return err },
		"NewHostStructure":       func() error { _, err := d.NewHostAccelerationStructure(vk.BottomLevel, 256, "x"); return err },
		"NewIntersector":         func() error { _, err := engine.NewIntersector(ctx, d); return err },
		"NewRayTracingPipeline":  func() error { _, err := d.NewRayTracingPipeline(ctx, engine.PipelineOptions{}); return err },
		"NewPipelineLibrary":     func() error { _, err := d.NewPipelineLibrary(ctx, engine.PipelineOptions{}); return err },
		"NewComputePipeline":     func() error { _, err := d.NewComputePipeline(ctx, engine.ComputePipelineOptions{}); return err },
		"LowerShader":            func() error { _, err := d.LowerShader(ctx, engine.ShaderOptions{Stage: vk.StageCompute}); return err },
		"NewDescriptorSetLayout": func() error { _, err := d.NewDescriptorSetLayout("x", nil); return err },
		"NewDescriptorSet":       func() error { _, err := d.NewDescriptorSet(nil); return err },
		"NewTable":               func() error { _, err := d.NewTable(ctx, nil, sbt.Layout{}); return err },
		"CmdTraceRays":           func() error { return d.CmdTraceRays(nil, engine.TraceOptions{}) },
		"CmdTraceRaysIndirect":   func() error { return d.CmdTraceRaysIndirect(nil, engine.IndirectTraceOptions{}) },
		"CmdTraceRaysIndirect2":  func() error { return d.CmdTraceRaysIndirect2(nil, engine.IndirectTraceOptions{}) },
		"CmdDispatch":            func() error { return d.CmdDispatch(nil, engine.DispatchOptions{}) },
		"CmdCopy":                func() error { return d.CmdCopyAccelerationStructures(nil, nil) },
		"CmdWriteProperties":     func() error { return d.CmdWriteProperties(nil, nil, 0, nil, 0) },
		"Properties":             func() error { _, err := d.Properties(ctx, nil, 0); return err },
		"Clone":                  func() error { _, err := d.Clone(ctx, nil); return err },
		"Compact":                func() error { _, err := d.Compact(ctx, nil); return err },
		"Serialize":              func() error { _, err := d.Serialize(ctx, nil); return err },
		"Deserialize":            func() error { _, err := d.Deserialize(ctx, nil); return err },
		"CheckSerialized":        func() error { return d.CheckSerialized(make([]byte, 64)) },
		"Decode":                 func() error { _, err := d.Decode(ctx, nil); return err },
		"HostBuild":              func() error { _, err := d.HostBuild(nil); return err },
		"HostCopy":               func() error { _, err := d.HostCopy(nil); return err },
		"HostProperty":           func() error { _, err := d.HostProperty(nil, 0); return err },
		"NewBuffer":              func() error { _, err := d.VK().NewBuffer(vk.BufferOptions{Size: 4}); return err },
		"NewImage":               func() error { _, err := d.VK().NewImage(vk.ImageOptions{Width: 4, Height: 4}); return err },
		"NewSampler":             func() error { _, err := d.VK().NewSampler(vk.SamplerOptions{}); return err },
		"NewCommandBuffer":       func() error { _, err := d.VK().NewCommandBuffer("x"); return err },
	}
	var out []misuse
	for call, f := range calls {
		out = append(out, misuse{fmt.Sprintf("%s/%s", name, call), f, engine.ErrClosed})
	}
	return out
}

func TestMisuseOfRays(t *testing.T) {
	d := open(t, engine.BackendCompute)
	x, err := engine.NewIntersector(t.Context(), d, engine.Mesh{Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}})
	check(t, err)
	defer x.Destroy()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := engine.Ray{Origin: [3]float32{0.2, 0.2, 1}, Direction: [3]float32{0, 0, -1}, TMax: 10}
	ray := func(edit func(r *engine.Ray)) func() error {
		return func() error {
			r := good
			edit(&r)
			_, err := x.Trace(t.Context(), []engine.Ray{good, r})
			return err
		}
	}
	refusals(t, []misuse{
		{"negative TMin", ray(func(r *engine.Ray) { r.TMin = -5 }), engine.ErrInvalid},
		{"negative TMax", ray(func(r *engine.Ray) { r.TMin, r.TMax = -5, -0.5 }), engine.ErrInvalid},
		{"TMin behind TMax", ray(func(r *engine.Ray) { r.TMin, r.TMax = 5, 1 }), engine.ErrInvalid},
		{"TMin NaN", ray(func(r *engine.Ray) { r.TMin = nan }), engine.ErrInvalid},
		{"TMax NaN", ray(func(r *engine.Ray) { r.TMax = nan }), engine.ErrInvalid},
		{"origin NaN", ray(func(r *engine.Ray) { r.Origin[1] = nan }), engine.ErrInvalid},
		{"direction infinite", ray(func(r *engine.Ray) { r.Direction[2] = inf }), engine.ErrInvalid},
	})
	hits, err := x.Trace(t.Context(), []engine.Ray{good, {Origin: good.Origin, Direction: good.Direction, TMax: inf},
		{Origin: good.Origin}})
	check(t, err)
	if !hits[0].OK || hits[0].T != 1 || !hits[1].OK || hits[2].OK {
		t.Errorf("got %+v", hits)
	}
	x.Destroy()
	x.Destroy()
	if _, err := x.Trace(t.Context(), []engine.Ray{good}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("trace of a destroyed intersector: %v", err)
	}
}
