package engine_test

import (
	"context"
	"fmt"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// builtQuad is a bottom level over the square.
func builtQuad(ctx context.Context, d *engine.Device) []*engine.AccelerationStructure {
	input := must(d.NewBuildInput(ctx, "mesh", quadBytes()))
	defer input.Destroy()
	list, _, err := d.BuildAccelerationStructures(ctx, []engine.BuildInput{quad(input, 0)})
	return must(list, err)
}

// A structure goes to a file, and comes back on a device that reads it.
func ExampleDevice_Serialize() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	list := builtQuad(ctx, dev)
	defer list[0].Destroy()
	blobs := must(dev.Serialize(ctx, list))
	header := must(engine.ReadSerializedHeader(blobs[0]))
	fmt.Println(header.SerializedSize == uint64(len(blobs[0])), dev.CheckSerialized(blobs[0]))
	back := must(dev.Deserialize(ctx, []engine.SerializedInput{{Name: "back", Type: vk.BottomLevel, Blob: blobs[0]}}))
	defer back[0].Destroy()
	fmt.Println(back[0].Name(), back[0].Address() != list[0].Address())
	// Output:
	// true <nil>
	// back true
}

// Copies of structures, and a question to each.
func ExampleDevice_Clone() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	list := builtQuad(ctx, dev)
	defer list[0].Destroy()
	clones := must(dev.Clone(ctx, list))
	defer clones[0].Destroy()
	sizes := must(dev.Properties(ctx, append(list, clones...), engine.PropertySerializedSize))
	fmt.Println(len(sizes), sizes[0] > 0, sizes[0] == sizes[1])
	// Output:
	// 2 true true
}

// A look inside of a structure that was built by compute.
func ExampleDevice_Decode() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{Backend: engine.BackendCompute}))
	defer func() { must(0, dev.Close()) }()
	list := builtQuad(ctx, dev)
	defer list[0].Destroy()
	s := must(dev.Decode(ctx, list[0]))
	fmt.Println(s.Type == vk.BottomLevel, s.Primitives, s.Active)
	// Output:
	// true 2 2
}

// A structure that the host builds, without the GPU.
func ExampleDevice_HostBuild() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{Backend: engine.BackendCompute}))
	defer func() { must(0, dev.Close()) }()
	info, ranges := engine.TrianglesInfo(0, 1, 0, 0)
	sizes := must(dev.BuildSizes(info, []uint32{1}))
	mesh := must(dev.NewHostAccelerationStructure(vk.BottomLevel, sizes.AccelerationStructureSize, "mesh"))
	defer mesh.Destroy()
	operation := must(dev.HostBuild([]engine.HostBuild{{Info: info, Ranges: ranges, Dst: mesh,
		Data: []engine.HostGeometry{{Vertices: floats(0, 0, 0, 1, 0, 0, 0, 1, 0)}}}}))
	fmt.Println(operation.Run(ctx))
	// Output:
	// <nil>
}

// Shaders that several pipelines share are prepared once. A launch whose size the device reads runs one of them.
func ExampleDevice_NewPipelineLibrary() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	printer := must(dev.NewPrinter(ctx, engine.PrinterOptions{}))
	defer printer.Destroy()
	library := must(dev.NewPipelineLibrary(ctx, engine.PipelineOptions{Name: "shared", Printer: printer,
		Stages: []engine.Stage{{Kind: engine.Raygen, Code: exampleShader("example/hello.rgen")}},
		Groups: []engine.Group{engine.GeneralGroup(0)}}))
	defer library.Destroy()
	pipeline := must(dev.NewRayTracingPipeline(ctx, engine.PipelineOptions{Name: "hello",
		Libraries: []*engine.PipelineLibrary{library}}))
	defer pipeline.Destroy()
	table := must(dev.NewTable(ctx, pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}}))
	defer table.Destroy()
	size := must(dev.NewBuffer(ctx, "launch size", wordBytes([]uint32{3, 1, 1}), 0))
	defer size.Destroy()
	must(0, dev.Run(ctx, "hello", func(cb *vk.CommandBuffer) error {
		dev.CmdBarrier(cb)
		defer dev.CmdBarrier(cb)
		return dev.CmdTraceRaysIndirect(cb, engine.IndirectTraceOptions{Buffer: size,
			TraceOptions: engine.TraceOptions{Pipeline: pipeline, Table: table}})
	}))
	showPrints(ctx, printer)
	// Unordered output:
	// lane 0 of 3
	// lane 1 of 3
	// lane 2 of 3
}
