package engine_test

import (
	"context"
	"fmt"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// Open chooses the best device and the way that suits it.
func ExampleOpen() {
	device, err := engine.Open(context.Background(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := device.Close(); err != nil {
			fmt.Println(err)
		}
	}()
	fmt.Printf("%s: %v, because %s\n", device.Info().Name, device.Backend(), device.Reason())
}

func ExampleList() {
	devices, err := engine.List(context.Background(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range devices {
		fmt.Printf("%d: %s (%s): %v, because %s\n", d.Index, d.Name, d.TypeName(), d.Backend, d.Reason)
	}
}

// From the name of a way on a command line to the value of Options.Backend.
func ExampleParseBackend() {
	for _, text := range []string{"", "native", "gpu"} {
		backend, err := engine.ParseBackend(text)
		fmt.Println(backend, err)
	}
	// Output:
	// auto <nil>
	// native <nil>
	// auto backend "gpu": invalid argument: want auto, native or compute
}

// One bottom level structure for a mesh, then a top level one over an instance of it.
func ExampleDevice_BuildAccelerationStructures() {
	build := func(ctx context.Context, d *engine.Device, vertices, indices *vk.Buffer, count uint32) (*engine.AccelerationStructure,
		error) {
		meshes, report, err := d.BuildAccelerationStructures(ctx, []engine.BuildInput{{
			Name: "mesh",
			Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{
				Flags: vk.GeometryOpaque,
				Triangles: vk.Triangles{
					VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12, MaxVertex: 3*count - 1,
					IndexType: vk.IndexUint32, IndexData: indices.Address(),
				},
			}}},
			Ranges: []vk.BuildRange{{PrimitiveCount: count}},
		}})
		if err != nil {
			return nil, err
		}
		fmt.Println("built in", report.GPUTime)
		instances, err := d.NewInstances(ctx, "instances", []vk.AccelerationStructureInstance{
			vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xFF, 0, 0, meshes[0].Address()),
		})
		if err != nil {
			return nil, err
		}
		defer instances.Destroy() // a built structure has its own copy
		info, ranges := engine.InstancesInfo(instances.Address(), 1, vk.PreferFastTrace)
		scene, _, err := d.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: "scene", Info: info, Ranges: ranges}})
		if err != nil {
			return nil, err
		}
		return scene[0], nil
	}
	_ = build
}

// Meshes that stay are compacted before a top level structure refers to them: their addresses change.
func ExampleDevice_Compact() {
	build := func(ctx context.Context, d *engine.Device, meshes []engine.BuildInput) ([]*engine.AccelerationStructure, error) {
		for i := range meshes {
			meshes[i].Info.Flags |= vk.AllowCompaction
		}
		list, _, err := d.BuildAccelerationStructures(ctx, meshes)
		if err != nil {
			return nil, err
		}
		report, err := d.Compact(ctx, list)
		if err != nil {
			return nil, err
		}
		fmt.Printf("%d of %d bytes\n", report.After, report.Before)
		return list, nil
	}
	_ = build
}

// A pipeline with one shader of each usual kind, its table, and a launch over an image.
func ExampleDevice_CmdTraceRays() {
	render := func(ctx context.Context, d *engine.Device, raygen, miss, hit []uint32, layout *engine.DescriptorSetLayout,
		set *engine.DescriptorSet) error {
		pipeline, err := d.NewRayTracingPipeline(ctx, engine.PipelineOptions{
			Name: "first light",
			Stages: []engine.Stage{
				{Kind: engine.Raygen, Code: raygen}, {Kind: engine.Miss, Code: miss}, {Kind: engine.ClosestHit, Code: hit},
			},
			Groups:     []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, engine.Unused)},
			SetLayouts: []*engine.DescriptorSetLayout{layout},
		})
		if err != nil {
			return err
		}
		defer pipeline.Destroy()
		table, err := d.NewTable(ctx, pipeline, sbt.Layout{
			Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: []sbt.Record{{Group: 2}},
		})
		if err != nil {
			return err
		}
		defer table.Destroy()
		return d.Run(ctx, "render", func(cb *vk.CommandBuffer) error {
			defer d.CmdBarrier(cb)
			return d.CmdTraceRays(cb, engine.TraceOptions{
				Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set}, Width: 640, Height: 480, Depth: 1,
			})
		})
	}
	_ = render
}
