package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

// squares runs shaders/example/squares.comp over some numbers, and returns what it makes of them.
func squares(ctx context.Context, d *engine.Device, o engine.ComputePipelineOptions, numbers ...uint32) []uint32 {
	layout := must(d.NewDescriptorSetLayout("squares", []vk.DescriptorBinding{{Type: vulkan.DescriptorTypeStorageBuffer}}))
	defer layout.Destroy()
	o.Name, o.Code, o.SetLayouts = "squares", exampleShader("example/squares.comp"), []*engine.DescriptorSetLayout{layout}
	pipeline := must(d.NewComputePipeline(ctx, o))
	defer pipeline.Destroy()
	buffer := must(d.NewBuffer(ctx, "numbers", wordBytes(numbers), 0))
	defer buffer.Destroy()
	set := must(d.NewDescriptorSet(layout))
	defer set.Destroy()
	set.WriteBuffer(0, 0, buffer, 0, 0)
	must(0, d.Run(ctx, "squares", func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		defer d.CmdBarrier(cb)
		return d.CmdDispatch(cb, engine.DispatchOptions{Pipeline: pipeline, Sets: []*engine.DescriptorSet{set},
			X: uint32(len(numbers)), Y: 1, Z: 1})
	}))
	data := make([]byte, buffer.Size())
	must(0, d.VK().ReadBuffer(ctx, buffer, 0, data))
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return numbers
}

// A file's bytes become the words of a Stage; what is no SPIR-V is refused.
func ExampleLoadSPIRV() {
	code, err := engine.LoadSPIRV(must(os.ReadFile("../shaders/spv/example/triangle.rgen.spv")))
	fmt.Printf("%#x %v\n", code[0], err)
	_, err = engine.LoadSPIRV([]byte("void main() { /* this is GLSL */ }"))
	fmt.Println(errors.Is(err, engine.ErrInvalid))
	// Output:
	// 0x7230203 <nil>
	// true
}

// Values of specialisation constants, by their types.
func ExampleSpecializationConstant() {
	fmt.Println(engine.SpecializationConstant(uint32(3)), engine.SpecializationConstant(true), engine.SpecializationConstant(1.0))
	// Output:
	// [3 0 0 0] [1 0 0 0] [0 0 0 0 0 0 240 63]
}

// A buffer with data, which a compute shader changes. The shader is specialised.
func ExampleDevice_NewBuffer() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	three := map[uint32][]byte{0: engine.SpecializationConstant(uint32(3))}
	fmt.Println(squares(ctx, dev, engine.ComputePipelineOptions{Specialization: three}, 1, 2, 10))
	// Output:
	// [3 12 300]
}

// What a compute shader prints with debugPrintfEXT. Ray tracing shaders print in the same way.
func ExamplePrinter() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	printer := must(dev.NewPrinter(ctx, engine.PrinterOptions{}))
	defer printer.Destroy()
	squares(ctx, dev, engine.ComputePipelineOptions{Printer: printer}, 7, 8)
	showPrints(ctx, printer)
	// Unordered output:
	// 0: 49
	// 1: 64
}

// A feature of Vulkan that shaders need beside what is always enabled.
func ExampleOptions_features() {
	dev := must(engine.Open(context.Background(), engine.Options{Features: []string{"shaderStorageImageExtendedFormats"}}))
	defer func() { must(0, dev.Close()) }()
	fmt.Println(dev.VK().Features().ShaderStorageImageExtendedFormats)
	_, err := engine.Open(context.Background(), engine.Options{Features: []string{"rain"}})
	fmt.Println(errors.Is(err, engine.ErrInvalid))
	// Output:
	// true
	// true
}

// Shaders with hit objects run on any device: by compute where the driver has none.
func ExampleOptions_hitObjects() {
	dev := must(engine.Open(context.Background(), engine.Options{HitObjects: engine.HitObjects{NV: true, EXT: true}}))
	defer func() { must(0, dev.Close()) }()
	fmt.Println(dev.Limits().HitObjectsNV, dev.Limits().HitObjectsEXT)
	// Output:
	// true true
}

// What a pipeline leaves behind for `viewer link`, and for a reader.
func ExampleOptions_dump() {
	dir := must(os.MkdirTemp("", "dump"))
	defer os.RemoveAll(dir)
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{Backend: engine.BackendCompute, Dump: dir}))
	defer func() { must(0, dev.Close()) }()
	squares(ctx, dev, engine.ComputePipelineOptions{}, 1)
	for _, file := range must(filepath.Glob(filepath.Join(dir, "squares-1", "*.*"))) {
		fmt.Println(filepath.Base(file))
	}
	// Output:
	// linked.spv
	// passes.txt
	// reproducer.json
	// stage0.spv
	// statistics.json
}

// A shader with ray queries for a pipeline that the program makes itself: by compute it comes back with code in their place.
func ExampleDevice_LowerShader() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{Backend: engine.BackendCompute}))
	defer func() { must(0, dev.Close()) }()
	code := exampleShader("enginetest/query.comp")
	lowered := must(dev.LowerShader(ctx, engine.ShaderOptions{Stage: vk.StageCompute, Code: code}))
	fmt.Println(len(lowered) > len(code))
	// Output:
	// true
}

// A cluster of one triangle, built from arguments that the device reads, and read back.
func ExampleDevice_CmdBuildClusters() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{Backend: engine.BackendCompute}))
	defer func() { must(0, dev.Close()) }()
	vertices := must(dev.NewBuildInput(ctx, "vertices", floats(0, 0, 0, 1, 0, 0, 0, 1, 0)))
	defer vertices.Destroy()
	indices := must(dev.NewBuildInput(ctx, "indices", []byte{0, 1, 2, 0}))
	defer indices.Destroy()
	args := must(dev.NewBuildInput(ctx, "arguments", engine.ClusterArgs(engine.ClusterBuildTriangles{ID: 70,
		Counts: engine.NewClusterCounts(1, 3, 0, 1), Indices: indices.Address(), Vertices: vertices.Address()})))
	defer args.Destroy()
	in := engine.ClusterInput{MaxCount: 1, Op: engine.ClusterOpClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat,
		MaxTriangles: 1, MaxVertices: 3, MaxTotalTriangles: 1, MaxTotalVertices: 3}
	sizes := must(dev.ClusterBuildSizes(in))
	memory := func(size uint64) *vk.Buffer {
		return must(dev.VK().NewBuffer(vk.BufferOptions{Size: size, Memory: vk.DeviceLocal, AccelerationStructureInput: true}))
	}
	cluster, scratch := memory(sizes.AccelerationStructureSize), memory(sizes.BuildScratchSize)
	defer cluster.Destroy()
	defer scratch.Destroy()
	must(0, dev.Run(ctx, "clusters", func(cb *vk.CommandBuffer) error {
		defer dev.CmdBarrier(cb)
		return dev.CmdBuildClusters(cb, engine.ClusterCommand{Input: in, Implicit: cluster.Address(), Scratch: scratch.Address(),
			Infos: engine.ClusterStrided{Address: args.Address()}})
	}))
	c := must(dev.DecodeCluster(ctx, cluster, 0))
	fmt.Println("cluster", c.ID, "has", len(c.Triangles), "triangle between", c.Positions)
	// Output:
	// cluster 70 has 1 triangle between [[0 0 0] [1 0 0] [0 1 0]]
}
