package engine_test

import (
	"context"
	"fmt"
	"os"

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
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	input := must(dev.NewBuildInput(ctx, "mesh", quadBytes()))
	defer input.Destroy() // a structure has its own copy
	meshes, report, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{quad(input, 0)})
	must(0, err)
	defer meshes[0].Destroy()
	instances := must(dev.NewInstances(ctx, "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xFF, 0, 0, meshes[0].Address())}))
	defer instances.Destroy()
	info, ranges := engine.InstancesInfo(instances.Address(), 1, vk.PreferFastTrace)
	scene, _, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: "scene", Info: info, Ranges: ranges}})
	must(0, err)
	defer scene[0].Destroy()
	fmt.Println(len(meshes), "mesh with an address:", meshes[0].Address() != 0, "- the build was timed:", report.GPUTime > 0)
	// Output:
	// 1 mesh with an address: true - the build was timed: true
}

// quadBytes are the vertices of a square, and behind them the indices of its two triangles, as a build reads them.
func quadBytes() []byte {
	return append(floats(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), wordBytes([]uint32{0, 1, 2, 0, 2, 3})...)
}

// quad is the build of the square from an input that holds quadBytes.
func quad(input *vk.Buffer, flags vk.BuildFlags) engine.BuildInput {
	return engine.BuildInput{
		Name: "mesh",
		Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: flags, Geometries: []vk.Geometry{{
			Flags: vk.GeometryOpaque,
			Triangles: vk.Triangles{
				VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: input.Address(), VertexStride: 12, MaxVertex: 3,
				IndexType: vk.IndexUint32, IndexData: input.Address() + 48,
			},
		}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 2}},
	}
}

// Meshes that stay are compacted before a top level structure refers to them: their addresses change.
func ExampleDevice_Compact() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	input := must(dev.NewBuildInput(ctx, "mesh", quadBytes()))
	defer input.Destroy()
	list, _, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{quad(input, vk.AllowCompaction)})
	must(0, err)
	defer list[0].Destroy()
	report := must(dev.Compact(ctx, list))
	fmt.Println("no larger than before:", report.After <= report.Before)
	// Output:
	// no larger than before: true
}

// A pipeline of one shader, its table, and a launch of two lanes. The package's example has structures, hit and miss shaders, too.
func ExampleDevice_CmdTraceRays() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	printer := must(dev.NewPrinter(ctx, engine.PrinterOptions{}))
	defer printer.Destroy()
	pipeline := must(dev.NewRayTracingPipeline(ctx, engine.PipelineOptions{Name: "hello", Printer: printer,
		Stages: []engine.Stage{{Kind: engine.Raygen, Code: exampleShader("example/hello.rgen")}},
		Groups: []engine.Group{engine.GeneralGroup(0)}}))
	defer pipeline.Destroy()
	table := must(dev.NewTable(ctx, pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}}))
	defer table.Destroy()
	must(0, dev.Run(ctx, "hello", func(cb *vk.CommandBuffer) error {
		defer dev.CmdBarrier(cb)
		return dev.CmdTraceRays(cb, engine.TraceOptions{Pipeline: pipeline, Table: table, Width: 2, Height: 1, Depth: 1})
	}))
	showPrints(ctx, printer)
	// Unordered output:
	// lane 0 of 2
	// lane 1 of 2
}

// exampleShader is one of the repository's shaders.
func exampleShader(name string) []uint32 {
	return must(engine.LoadSPIRV(must(os.ReadFile("../shaders/spv/" + name + ".spv"))))
}

// showPrints shows what shaders printed.
func showPrints(ctx context.Context, p *engine.Printer) {
	list, _, err := p.Read(ctx)
	must(0, err)
	for _, m := range list {
		fmt.Println(m.Text)
	}
}
