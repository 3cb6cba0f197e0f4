package engine_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"testing"
	"unicode"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// A triangle with shaders of one's own: the sources are shaders/example/triangle.*.
func Example() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()

	// One triangle, in a bottom level structure, in a top level one.
	vertices := must(dev.NewBuildInput(ctx, "vertices", floats(-0.9, -0.9, 0, 0.9, -0.9, 0, 0, 0.9, 0)))
	defer vertices.Destroy()
	info, ranges := engine.TrianglesInfo(vertices.Address(), 1, 0, vk.PreferFastTrace)
	mesh, _, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: "mesh", Info: info, Ranges: ranges}})
	must(0, err)
	defer mesh[0].Destroy()
	instances := must(dev.NewInstances(ctx, "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xFF, 0, 0, mesh[0].Address())}))
	defer instances.Destroy()
	info, ranges = engine.InstancesInfo(instances.Address(), 1, vk.PreferFastTrace)
	scene, _, err := dev.BuildAccelerationStructures(ctx, []engine.BuildInput{{Name: "scene", Info: info, Ranges: ranges}})
	must(0, err)
	defer scene[0].Destroy()
	// What the shaders see: the structure and a picture.
	const width, height = 24, 12
	usage := vulkan.ImageUsageFlags(vulkan.ImageUsageStorageBit | vulkan.ImageUsageTransferSrcBit)
	picture := must(dev.VK().NewImage(vk.ImageOptions{Width: width, Height: height, Format: vulkan.FormatR8g8b8a8Unorm, Usage: usage}))
	defer picture.Destroy()
	layout := must(dev.NewDescriptorSetLayout("scene and picture", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageImage}}))
	defer layout.Destroy()
	set := must(dev.NewDescriptorSet(layout))
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, scene[0])
	set.WriteImage(1, 0, picture, nil, vulkan.ImageLayoutGeneral)

	// The shaders, each with its record in the table.
	const folder = "../shaders/spv/example/triangle."
	load := func(s string) []uint32 { return must(engine.LoadSPIRV(must(os.ReadFile(folder + s + ".spv")))) }
	bright := map[uint32][]byte{0: engine.SpecializationConstant(float32(1))}
	pipeline := must(dev.NewRayTracingPipeline(ctx, engine.PipelineOptions{Stages: []engine.Stage{
		{Kind: engine.Raygen, Code: load("rgen")}, {Kind: engine.Miss, Code: load("rmiss")},
		{Kind: engine.ClosestHit, Code: load("rchit"), Specialization: bright}},
		Groups:     []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1), engine.TrianglesGroup(2, engine.Unused)},
		SetLayouts: []*engine.DescriptorSetLayout{layout},
	}))
	defer pipeline.Destroy()
	record := func(group int) []sbt.Record { return []sbt.Record{{Group: group}} }
	table := must(dev.NewTable(ctx, pipeline, sbt.Layout{Raygen: record(0), Miss: record(1), Hit: record(2)}))
	defer table.Destroy()
	must(0, dev.Run(ctx, "render", func(cb *vk.CommandBuffer) error {
		cb.ImageBarrier(picture.Handle(), vulkan.ImageLayoutUndefined, vulkan.ImageLayoutGeneral,
			vk.StageNone, vk.AccessNone, vk.StageAllCommands, vk.AccessMemoryWrite)
		defer dev.CmdBarrier(cb)
		return dev.CmdTraceRays(cb, engine.TraceOptions{Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set},
			Width: width, Height: height, Depth: 1})
	}))
	texels := must(dev.ReadImage(ctx, picture, vulkan.ImageLayoutGeneral))
	for y := height - 1; y >= 0; y-- {
		for x := range width {
			fmt.Print(".rgb"[1+largest(texels[4*(y*width+x):][:3]):][:1])
		}
		fmt.Println()
	}
	// Output:
	// ........................
	// ...........bb...........
	// ..........bbbb..........
	// .........bbbbbb.........
	// ........bbbbbbbb........
	// .......bbbbbbbbbb.......
	// ......rrbbbbbbbbgg......
	// .....rrrrrrbbgggggg.....
	// ....rrrrrrrrgggggggg....
	// ...rrrrrrrrrggggggggg...
	// ..rrrrrrrrrrgggggggggg..
	// ........................
}

// must returns the result of a call that may not fail here.
func must[T any](v T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return v
}

// largest is the index of the largest channel, -1 if all are 0.
func largest(rgb []byte) int {
	best := -1
	for i, c := range rgb {
		if c > 0 && (best < 0 || c > rgb[best]) {
			best = i
		}
	}
	return best
}

// The snippet of README.md.
func ExampleNewIntersector() {
	ctx := context.Background()
	dev, err := engine.Open(ctx, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	quad := engine.Mesh{Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, Indices: []uint32{0, 1, 2, 0, 2, 3}}
	x, err := engine.NewIntersector(ctx, dev, quad)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Destroy()
	hits, err := x.Trace(ctx, []engine.Ray{{Origin: [3]float32{0.7, 0.2, 2}, Direction: [3]float32{0, 0, -1}}})
	fmt.Println(hits, err) // [{OK:true T:2 ...}]
	// Output:
	// [{true 2 0.5 0.2 0 0 true}] <nil>
}

// TestREADME compares the snippet in README.md with the example above, which is compiled and runs, but for white space.
func TestREADME(t *testing.T) {
	read := func(name, from, to string) string {
		data, err := os.ReadFile(name)
		check(t, err)
		_, after, found := strings.Cut(string(data), from)
		text, _, end := strings.Cut(after, to)
		if !found || !end {
			t.Fatalf("%s has no text between %q and %q", name, from, to)
		}
		return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), "")
	}
	snippet, example := read("../README.md", "```go\n", "```"), read("example_run_test.go", "func ExampleNewIntersector() {\n",
		"	// Output:")
	if snippet != example {
		t.Errorf("the snippet of README.md is not ExampleNewIntersector:\n%s\n%s", snippet, example)
	}
}

func TestLoadSPIRV(t *testing.T) {
	file := must(os.ReadFile("../shaders/spv/example/triangle.rgen.spv"))
	code := must(engine.LoadSPIRV(file))
	swapped := make([]byte, len(file))
	for i := range file {
		swapped[i] = file[i^3]
	}
	if other := must(engine.LoadSPIRV(swapped)); len(other) != len(code) || other[7] != code[7] {
		t.Error("the module of the other byte order differs")
	}
	refusals(t, []misuse{
		{"nothing", func() error { _, err := engine.LoadSPIRV(nil); return err }, engine.ErrInvalid},
		{"truncated", func() error { _, err := engine.LoadSPIRV(file[:len(file)-1]); return err }, engine.ErrInvalid},
		{"GLSL", func() error { _, err := engine.LoadSPIRV([]byte("#version 460\nvoid main() {} ")[:24]); return err },
			engine.ErrInvalid},
	})
}

func TestSpecializationConstant(t *testing.T) {
	type own bool
	for _, c := range []struct{ got, want []byte }{
		{engine.SpecializationConstant(true), []byte{1, 0, 0, 0}}, {engine.SpecializationConstant(own(false)), []byte{0, 0, 0, 0}},
		{engine.SpecializationConstant(int8(-2)), []byte{0xFE}}, {engine.SpecializationConstant(uint16(0x102)), []byte{2, 1}},
		{engine.SpecializationConstant(int32(-1)), []byte{255, 255, 255, 255}}, {engine.SpecializationConstant(float32(1)),
			[]byte{0, 0, 0x80, 0x3F}},
		{engine.SpecializationConstant(1.0), []byte{0, 0, 0, 0, 0, 0, 0xF0, 0x3F}},
		{engine.SpecializationConstant(int64(math.MinInt64)), []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
	} {
		if string(c.got) != string(c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// TestImages writes and reads images, rightly and wrongly.
func TestImages(t *testing.T) {
	d := open(t, engine.BackendCompute)
	layout, err := d.NewDescriptorSetLayout("images", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageImage}, {Binding: 1, Type: vulkan.DescriptorTypeCombinedImageSampler}})
	check(t, err)
	defer layout.Destroy()
	image := func(usage vulkan.ImageUsageFlagBits) *vk.Image {
		i, err := d.VK().NewImage(vk.ImageOptions{Name: "image", Width: 4, Height: 4, Format: vulkan.FormatR8g8b8a8Unorm,
			Usage: vulkan.ImageUsageFlags(usage)})
		check(t, err)
		t.Cleanup(i.Destroy)
		return i
	}
	sampled, storage := image(vulkan.ImageUsageSampledBit), image(vulkan.ImageUsageStorageBit)
	sampler, err := d.VK().NewSampler(vk.SamplerOptions{})
	check(t, err)
	defer sampler.Destroy()
	gone, err := d.VK().NewSampler(vk.SamplerOptions{})
	check(t, err)
	gone.Destroy()
	const general = vulkan.ImageLayoutGeneral
	set := func(write func(s *engine.DescriptorSet)) func() error {
		return func() error {
			s, err := d.NewDescriptorSet(layout)
			check(t, err)
			defer s.Destroy()
			write(s)
			return s.Err()
		}
	}
	check(t, set(func(s *engine.DescriptorSet) {
		s.WriteImage(0, 0, storage, nil, general)
		s.WriteImage(1, 0, sampled, sampler, general)
	})())
	check(t, set(func(s *engine.DescriptorSet) { s.WriteImageView(0, 0, storage.View(), vulkan.NullSampler, general) })())
	refusals(t, []misuse{
		{"no usage", set(func(s *engine.DescriptorSet) { s.WriteImage(0, 0, sampled, nil, general) }), engine.ErrInvalid},
		{"nil image", set(func(s *engine.DescriptorSet) { s.WriteImage(0, 0, nil, nil, general) }), engine.ErrInvalid},
		{"nil sampler", set(func(s *engine.DescriptorSet) { s.WriteImage(1, 0, sampled, nil, general) }), engine.ErrInvalid},
		{"destroyed sampler", set(func(s *engine.DescriptorSet) { s.WriteImage(1, 0, sampled, gone, general) }), engine.ErrInvalid},
		{"layout", set(func(s *engine.DescriptorSet) {
			s.WriteImage(0, 0, storage, nil, vulkan.ImageLayoutShaderReadOnlyOptimal)
		}), engine.ErrInvalid},
		{"null view", set(func(s *engine.DescriptorSet) {
			s.WriteImageView(0, 0, vulkan.NullImageView, vulkan.NullSampler, general)
		}), engine.ErrInvalid},
		{"read nil", func() error { _, err := d.ReadImage(t.Context(), nil, general); return err }, engine.ErrInvalid},
		{"read without usage", func() error { _, err := d.ReadImage(t.Context(), sampled, general); return err },
			engine.ErrInvalid},
		{"feature by no name", func() error {
			_, err := engine.Open(t.Context(), engine.Options{Features: []string{"geometry"}})
			return err
		}, engine.ErrInvalid},
		{"empty buffer", func() error { _, err := d.NewBuffer(t.Context(), "empty", nil, 0); return err }, engine.ErrInvalid},
	})
	b, err := d.NewBuffer(t.Context(), "numbers", []byte{1, 2, 3, 4},
		vulkan.BufferUsageFlags(vulkan.BufferUsageUniformBufferBit|vulkan.BufferUsageTransferSrcBit))
	check(t, err)
	defer b.Destroy()
	back := make([]byte, 4)
	check(t, d.VK().ReadBuffer(t.Context(), b, 0, back))
	if string(back) != "\x01\x02\x03\x04" {
		t.Errorf("read %v", back)
	}
}

// TestFeatures opens a device with a feature that only programs need.
func TestFeatures(t *testing.T) {
	const name = "shaderStorageImageExtendedFormats"
	if d := open(t, engine.BackendCompute); d.VK().Features().ShaderStorageImageExtendedFormats {
		t.Error("the feature is enabled, though nobody asked for it")
	} else if !d.VK().Physical().Features.ShaderStorageImageExtendedFormats {
		t.Skip("the device has no " + name)
	}
	d := openWith(t, engine.Options{Backend: engine.BackendCompute, Features: []string{name}})
	if !d.VK().Features().ShaderStorageImageExtendedFormats {
		t.Error("the feature is not enabled")
	}
}
