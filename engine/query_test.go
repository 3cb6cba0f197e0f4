package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

func queryOptions(t *testing.T, layout *engine.DescriptorSetLayout) engine.ComputePipelineOptions {
	t.Helper()
	code, err := shaders.Load("enginetest/query.comp")
	check(t, err)
	return engine.ComputePipelineOptions{
		Name: "query", Code: code, SetLayouts: []*engine.DescriptorSetLayout{layout}, PushConstantBytes: 8,
		Specialization: map[uint32][]byte{0: {9, 0, 0, 0}},
	}
}

// queryBackends runs a test in both ways, natively where the driver has ray queries.
func queryBackends(t *testing.T, test func(t *testing.T, d *engine.Device)) {
	backends(t, func(t *testing.T, d *engine.Device) {
		if d.Backend() == engine.BackendNative && !d.VK().Features().RayQuery {
			t.Skipf("%s has no ray queries of its own", d.Info().Name)
		}
		test(t, d)
	})
}

func queryLayout(t *testing.T, d *engine.Device) *engine.DescriptorSetLayout {
	t.Helper()
	layout, err := d.NewDescriptorSetLayout("query", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	check(t, err)
	t.Cleanup(layout.Destroy)
	return layout
}

// TestComputePipeline finds the squares of the scene with a query in a compute shader.
func TestComputePipeline(t *testing.T) {
	queryBackends(t, func(t *testing.T, d *engine.Device) {
		s := newScene(t, d)
		layout := queryLayout(t, d)
		p, err := d.NewComputePipeline(t.Context(), queryOptions(t, layout))
		check(t, err)
		defer p.Destroy()
		set, err := d.NewDescriptorSet(layout)
		check(t, err)
		defer set.Destroy()
		image, err := d.VK().NewBuffer(vk.BufferOptions{Name: "image", Size: imageSize * imageSize * 16, Memory: vk.Readback})
		check(t, err)
		defer image.Destroy()
		set.WriteAccelerationStructure(0, 0, s.tlas)
		set.WriteBuffer(1, 0, image, 0, 0)
		push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0), 0xFF)
		check(t, d.Run(t.Context(), "query", func(cb *vk.CommandBuffer) error {
			d.CmdBarrier(cb)
			defer d.CmdBarrier(cb)
			return d.CmdDispatch(cb, engine.DispatchOptions{
				Pipeline: p, Sets: []*engine.DescriptorSet{set}, PushConstants: push, X: imageSize / 8, Y: imageSize / 8, Z: 1,
			})
		}))
		compareSquares(t, readPixels(t, d, image))
		if p.Stats().CompileTime <= 0 || (d.Backend() == engine.BackendCompute) != (p.Stats().CodeWords > 0) {
			t.Errorf("stats %+v", p.Stats())
		}
	})
}

func compareSquares(t *testing.T, pixels [][4]float32) {
	t.Helper()
	wrong, hits := 0, 0
	for i, got := range pixels {
		x, y := (float64(i%imageSize)+0.5)/imageSize*2-1, (float64(i/imageSize)+0.5)/imageSize*2-1
		want, near := [4]float32{-1, 0, 0, 9}, false
		for _, s := range reference() {
			hit, edge := s.covers(x, y, rayOpaque)
			near = near || edge
			if t := float32(5 - s.z); hit && (want[0] < 0 || t < want[0]) {
				want = [4]float32{t, float32(s.geom), float32(s.custom), 9}
			}
		}
		if near {
			continue
		}
		if want[0] > 0 {
			hits++
		}
		if math.Abs(float64(got[0]-want[0])) > 1e-5 || !slices.Equal(got[1:], want[1:]) {
			if wrong++; wrong <= 5 {
				t.Errorf("pixel %d is %v, want %v", i, got, want)
			}
		}
	}
	if hits < 50 {
		t.Errorf("%d pixels show a square", hits)
	}
}

func TestComputePipelineValidation(t *testing.T) {
	queryBackends(t, func(t *testing.T, d *engine.Device) {
		layout := queryLayout(t, d)
		for _, c := range []struct {
			name   string
			change func(o *engine.ComputePipelineOptions)
			text   string
		}{
			{"code", func(o *engine.ComputePipelineOptions) { o.Code = nil }, "Code is not SPIR-V"},
			{"push constants", func(o *engine.ComputePipelineOptions) { o.PushConstantBytes = 1 << 16 }, "PushConstantBytes is 65536"},
			{"layout", func(o *engine.ComputePipelineOptions) { o.SetLayouts[0] = nil }, "SetLayouts[0]"},
			{"constant", func(o *engine.ComputePipelineOptions) { o.Specialization[0] = []byte{1, 2, 3} }, "Specialization[0]"},
		} {
			o := queryOptions(t, layout)
			c.change(&o)
			if _, err := d.NewComputePipeline(t.Context(), o); !errors.Is(err, engine.ErrInvalid) ||
				!strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("%s: got %v, want ErrInvalid with %q", c.name, err, c.text)
			}
		}
		p, err := d.NewComputePipeline(t.Context(), queryOptions(t, layout))
		check(t, err)
		defer p.Destroy()
		set, err := d.NewDescriptorSet(layout)
		check(t, err)
		defer set.Destroy()
		sets := []*engine.DescriptorSet{set}
		for _, c := range []struct {
			name string
			o    engine.DispatchOptions
			text string
		}{
			{"pipeline", engine.DispatchOptions{}, "DispatchOptions.Pipeline"},
			{"sets", engine.DispatchOptions{Pipeline: p, PushConstants: make([]byte, 8)}, "DispatchOptions.Sets has 0"},
			{"push constants", engine.DispatchOptions{Pipeline: p, Sets: sets}, "DispatchOptions.PushConstants has 0"},
			{"groups", engine.DispatchOptions{Pipeline: p, Sets: sets, PushConstants: make([]byte, 8), X: 1, Y: math.MaxUint32, Z: 1},
				"DispatchOptions.Y"},
		} {
			err := d.VK().Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error { return d.CmdDispatch(cb, c.o) })
			if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("%s: got %v, want ErrInvalid with %q", c.name, err, c.text)
			}
		}
	})
}

func TestLowerShader(t *testing.T) {
	queryBackends(t, func(t *testing.T, d *engine.Device) {
		code, err := shaders.Load("enginetest/query.comp")
		check(t, err)
		out, err := d.LowerShader(t.Context(), engine.ShaderOptions{Stage: vk.StageCompute, Code: code})
		check(t, err)
		if same := slices.Equal(code, out); same != (d.Backend() == engine.BackendNative) {
			t.Errorf("the shader is the same: %v", same)
		}
		for name, o := range map[string]engine.ShaderOptions{
			"no SPIR-V":           {Stage: vk.StageCompute, Code: []uint32{1, 2, 3}},
			"another stage":       {Stage: vk.StageFragment, Code: code},
			"a ray tracing stage": {Stage: vk.StageRaygen, Code: code},
			"two stages":          {Stage: vk.StageCompute | vk.StageFragment, Code: code},
			"another entry point": {Stage: vk.StageCompute, Code: code, Entry: "other"},
		} {
			if _, err := d.LowerShader(t.Context(), o); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
