package pipelinetest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
	vulkan "github.com/vulkan-go/vulkan"
)

// bench is a device with the test scene: layers of triangles, one in three not opaque, under two instances.
type bench struct {
	dev   *engine.Device
	tlas  *engine.AccelerationStructure
	boxes *engine.AccelerationStructure // of openBox
	glsl  *glsltest.Compiler
	// libraries makes run put the shaders but the ray generation shader into two libraries.
	libraries bool
	close     func()
}

const (
	sceneTriangles = 96
	testWidth      = 24
	testHeight     = 13 // no multiple of a tile
)

// openBenches opens both ways, with a compiler in common, until the test ends.
func openBenches(t *testing.T) (native, compute *bench) {
	t.Helper()
	native = openBench(t, engine.BackendNative)
	t.Cleanup(native.close)
	compute = openBench(t, engine.BackendCompute)
	t.Cleanup(compute.close)
	compute.glsl = native.glsl
	return native, compute
}

func openBench(t *testing.T, way engine.Backend) *bench {
	t.Helper()
	validation := os.Getenv(vktest.NoValidationVariable) == ""
	dev, err := engine.Open(t.Context(), engine.Options{
		Backend: way, Device: os.Getenv(vktest.DeviceVariable), Validation: validation, SyncValidation: validation,
		Restrict:  vktest.Restrict(t),
		OnMessage: func(m vk.Message) { t.Errorf("validation: %v", m) },
	})
	if err != nil {
		missingWay(t, way, err)
	}
	b := &bench{dev: dev, glsl: &glsltest.Compiler{}}
	var cleanup []func()
	keep := func(f func()) { cleanup = append(cleanup, f) }
	b.close = func() {
		for i := len(cleanup) - 1; i >= 0; i-- {
			cleanup[i]()
		}
		if err := dev.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	must := func(err error) {
		if err != nil {
			b.close()
			t.Fatal(err)
		}
	}
	vertices, err := dev.NewBuildInput(t.Context(), "vertices", triangles())
	must(err)
	keep(vertices.Destroy)
	geometry := func(flags vk.GeometryFlags) vk.Geometry {
		return vk.Geometry{Type: vk.GeometryTriangles, Flags: flags, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertices.Address(), VertexStride: 12,
			MaxVertex: 3*sceneTriangles - 1, IndexType: vk.IndexNone,
		}}
	}
	// The second geometry begins by PrimitiveOffset: lavapipe 25.0.7 ignores FirstVertex of geometry without indices.
	const opaque = sceneTriangles * 2 / 3
	blas, _, err := dev.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{
		Name: "layers",
		Info: vk.BuildInfo{Type: vk.BottomLevel, Geometries: []vk.Geometry{geometry(vk.GeometryOpaque),
			geometry(vk.GeometryNoDuplicateAnyHit)}},
		Ranges: []vk.BuildRange{{PrimitiveCount: opaque}, {PrimitiveCount: sceneTriangles - opaque, PrimitiveOffset: 36 * opaque}},
	}})
	must(err)
	keep(blas[0].Destroy)
	mirrored := [12]float32{-0.7, 0, 0, 0.1, 0, 0.8, 0.1, -0.1, 0, 0, 1.5, 4}
	instances, err := dev.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 5, 0xFF, 0, 0, blas[0].Address()),
		vk.NewAccelerationStructureInstance(mirrored, 77, 0x0F, 0, 0, blas[0].Address()),
	})
	must(err)
	keep(instances.Destroy)
	tlas, _, err := dev.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{
		Name: "scene",
		Info: vk.BuildInfo{Type: vk.TopLevel,
			Geometries: []vk.Geometry{{Type: vk.GeometryInstances, Instances: vk.Instances{Data: instances.Address()}}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: 2}},
	}})
	must(err)
	keep(tlas[0].Destroy)
	b.tlas = tlas[0]
	return b
}

// triangles returns vertices of random triangles in layers of z.
func triangles() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for i := range sceneTriangles {
		x, y := r.Float64()*2-1, r.Float64()*2-1
		for range 3 {
			for _, v := range []float64{x + r.Float64() - 0.5, y + r.Float64() - 0.5, float64(i)*0.03 + 0.2*r.Float64()} {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
		}
	}
	return b
}

// run traces one shape and returns its result, four words a pixel.
func (b *bench) run(t *testing.T, s shapes.Shape, anyHit bool, form engine.LinkForm) []uint32 {
	t.Helper()
	ctx := t.Context()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	hit := shapes.ClosestHit
	if s.Depth > 1 {
		hit = shapes.Recursive
	}
	stage := func(kind engine.StageKind, extension, source string) engine.Stage {
		return engine.Stage{Kind: kind, Code: b.glsl.Compile(t, extension, source)}
	}
	layout, err := b.dev.NewDescriptorSetLayout("shape", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: vk.StageRaygen | vk.StageClosestHit},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
	})
	fatal(err)
	defer layout.Destroy()
	any := engine.Unused
	if anyHit {
		any = 5
	}
	options := engine.PipelineOptions{
		Name: s.Name,
		Stages: []engine.Stage{
			stage(engine.Raygen, "rgen", s.Raygen), stage(engine.Miss, "rmiss", shapes.Miss), stage(engine.Miss, "rmiss", shapes.OtherMiss),
			stage(engine.ClosestHit, "rchit", hit), stage(engine.ClosestHit, "rchit", shapes.OtherHit),
			stage(engine.AnyHit, "rahit", s.AnyHit),
		},
		Groups: []engine.Group{
			engine.GeneralGroup(0), engine.GeneralGroup(1), engine.GeneralGroup(2),
			engine.TrianglesGroup(3, any), engine.TrianglesGroup(4, engine.Unused),
		},
		SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 8, MaxRecursionDepth: s.Depth, Form: form,
	}
	if b.libraries {
		options = b.divide(t, options)
	}
	pipeline, err := b.dev.NewRayTracingPipeline(ctx, options)
	if errors.Is(err, engine.ErrUnsupported) && form == engine.FormMonolithic {
		return nil
	}
	fatal(err)
	defer pipeline.Destroy()
	// Hit records are offset + 2 * geometry index: group 3 for the rays with the payload struct, 4 for the others.
	table, err := b.dev.NewTable(ctx, pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}, {Group: 2}},
		Hit: []sbt.Record{{Group: 3}, {Group: 4}, {Group: 3}, {Group: 4}},
	})
	fatal(err)
	defer table.Destroy()
	return b.launch(t, layout, pipeline, table, b.tlas, 0.7)
}

// launch traces with a table and returns what the shaders wrote to binding 1, four words a pixel. The scene, if there is one,
// is at binding 0; the push constants are a seed and the rays' spread.
func (b *bench) launch(t *testing.T, layout *engine.DescriptorSetLayout, pipeline *engine.Pipeline, table *engine.Table,
	scene *engine.AccelerationStructure, spread float32) []uint32 {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := b.dev.VK().NewBuffer(vk.BufferOptions{Name: "result", Size: 16 * testWidth * testHeight, Memory: vk.Readback})
	fatal(err)
	defer result.Destroy()
	set, err := b.dev.NewDescriptorSet(layout)
	fatal(err)
	defer set.Destroy()
	if scene != nil {
		set.WriteAccelerationStructure(0, 0, scene)
	}
	set.WriteBuffer(1, 0, result, 0, result.Size())
	fatal(set.Err())
	push := binary.LittleEndian.AppendUint32(nil, 42)
	push = binary.LittleEndian.AppendUint32(push, math.Float32bits(spread))
	fatal(b.dev.Run(t.Context(), "launch", func(cb *vk.CommandBuffer) error {
		return b.dev.CmdTraceRays(cb, engine.TraceOptions{
			Pipeline: pipeline, Table: table, Sets: []*engine.DescriptorSet{set}, PushConstants: push,
			Width: testWidth, Height: testHeight, Depth: 1,
		})
	}))
	raw := make([]byte, result.Size())
	fatal(b.dev.VK().ReadBuffer(t.Context(), result, 0, raw))
	words := make([]uint32, len(raw)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return words
}

// TestControlFlow runs every shape natively and by compute. Everything that the shaders compute in integers from
// identities, counts and hit flags must be equal; t and barycentrics come from two different intersection tests and may
// differ in their last bits. Drivers compile most of the time: but for a sweep, a shape runs in half of the forms, by turns.
func TestControlFlow(t *testing.T) {
	native, compute := openBenches(t)
	for i, s := range shapes.All() {
		t.Run(s.Name, func(t *testing.T) {
			want := native.run(t, s, false, engine.FormAuto)
			for k, form := range linkForms {
				if sweep() || form != engine.FormMegakernel && (i+k)%2 == 0 { // that one comes with any hit shaders
					compareShape(t, s, fmt.Sprint(form), want, compute.run(t, s, false, form))
				}
			}
		})
		t.Run(s.Name+"/any-hit", func(t *testing.T) {
			want := native.run(t, s, true, engine.FormAuto)
			compareShape(t, s, "any hit", want, compute.run(t, s, true, engine.FormMegakernel))
			if i%8 == 0 || sweep() {
				compareShape(t, s, "any hit, suspended", want, compute.run(t, s, true, engine.FormSuspended))
			}
		})
	}
}

// linkForms are the forms of linking that tests compare. The suspended form is another one where there are any hit or intersection
// shaders only: candidateForms are those to compare there.
var linkForms = []engine.LinkForm{engine.FormMonolithic, engine.FormMegakernel, engine.FormBlocks, engine.FormWavefront,
	engine.FormSorted}

var candidateForms = append(slices.Clone(linkForms), engine.FormSuspended)

// compareShape compares results, unless the form cannot run the shape.
func compareShape(t *testing.T, s shapes.Shape, what string, native, compute []uint32) {
	t.Helper()
	if compute == nil {
		return
	}
	const tolerance = 2e-6
	different, hits := 0, 0
	for i := 0; i < len(native); i += 4 {
		if math.Float32frombits(native[i+1]) != 0 {
			hits++
		}
		bad := native[i] != compute[i]
		for k := 1; k < 4; k++ {
			a, b := float64(math.Float32frombits(native[i+k])), float64(math.Float32frombits(compute[i+k]))
			bad = bad || math.Abs(a-b) > tolerance*max(1, math.Abs(a))
		}
		if bad {
			different++
			if different <= 3 {
				t.Errorf("%s, pixel %d: native %08x, compute %08x", what, i/4, native[i:i+4], compute[i:i+4])
			}
		}
	}
	if different > 0 {
		t.Errorf("%s: %d of %d pixels differ", what, different, len(native)/4)
	}
	// Shapes that only trace rays with the number as payload have no t to show.
	if hits == 0 && strings.Contains(s.Raygen, "{ TRACE(") {
		t.Error("no pixel holds a hit: the test tests nothing")
	}
}
