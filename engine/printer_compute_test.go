package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// printingCompute prints what it found, by a ray query if QUERY is defined, and writes the same to a buffer.
const printingCompute = `
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
layout(binding = 1) buffer Out { uint found[]; };
layout(constant_id = 3) const uint scale = 2;
shared uint sum;
void main() {
    uint i = gl_GlobalInvocationID.x, n = i * scale;
#ifdef QUERY
    rayQueryEXT q;
    rayQueryInitializeEXT(q, scene, gl_RayFlagsOpaqueEXT, 0xFF, vec3(float(i) * 1000.0, 0, 5), 0.0, vec3(0, 0, -1), 100.0);
    while (rayQueryProceedEXT(q)) {}
    n = rayQueryGetIntersectionTypeEXT(q, true);
#endif
    atomicAdd(sum, n);
    found[i] = n;
    if (i < 6) debugPrintfEXT("%u found %u", i, n);
}`

// TestComputePrints has compute shaders print, in both ways: plain ones, of the oldest SPIR-V, too, and one with a ray query.
func TestComputePrints(t *testing.T) {
	const query = "#extension GL_EXT_ray_query : require\n#define QUERY\n" +
		"layout(binding = 0) uniform accelerationStructureEXT scene;\n"
	codes := map[string][]uint32{
		"plain": glsltest.Compile(t, "comp", "#version 460\n"+printingCompute),
		"old":   glsltest.CompileAs(t, "comp", "#version 450\n"+printingCompute, "--target-env", "vulkan1.0"),
		"query": glsltest.Compile(t, "comp", "#version 460\n"+query+printingCompute),
	}
	queryBackends(t, func(t *testing.T, d *engine.Device) {
		s := newScene(t, d)
		for name, code := range codes {
			p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{})
			check(t, err)
			t.Cleanup(p.Destroy)
			found := dispatchPrinting(t, d, s.tlas, name, code, p)
			list, lost, err := p.Read(t.Context())
			check(t, err)
			var got, want []string
			for _, m := range list {
				if m.Shader != name || m.Step {
					t.Errorf("message %+v", m)
				}
				got = append(got, m.Text)
			}
			for i := range 6 {
				want = append(want, fmt.Sprintf("%d found %d", i, found[i]))
			}
			if slices.Sort(got); !slices.Equal(got, want) || lost > 0 {
				t.Errorf("%s: printed %q\nwant %q", name, got, want)
			}
			if expected := map[bool]uint32{true: 0, false: 10}[name == "query"]; found[5] != expected {
				t.Errorf("%s: found %v", name, found)
			}
			if silent := dispatchPrinting(t, d, s.tlas, name, code, nil); !slices.Equal(silent, found) {
				t.Errorf("%s: without a printer it finds %v, with one %v", name, silent, found)
			}
		}
		if _, err := d.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{Code: codes["plain"],
			SetLayouts: []*engine.DescriptorSetLayout{queryLayout(t, d)}, Printer: &engine.Printer{}}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("a printer of no device: %v", err)
		}
	})
}

// dispatchPrinting runs eight invocations, and returns what they wrote.
func dispatchPrinting(t *testing.T, d *engine.Device, as *engine.AccelerationStructure, name string, code []uint32,
	p *engine.Printer) []uint32 {
	t.Helper()
	layout := queryLayout(t, d)
	pipeline, err := d.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{Name: name, Code: code,
		SetLayouts: []*engine.DescriptorSetLayout{layout}, Printer: p})
	check(t, err)
	defer pipeline.Destroy()
	set, err := d.NewDescriptorSet(layout)
	check(t, err)
	defer set.Destroy()
	out, err := d.VK().NewBuffer(vk.BufferOptions{Name: "found", Size: 32, Memory: vk.Readback})
	check(t, err)
	defer out.Destroy()
	set.WriteAccelerationStructure(0, 0, as)
	set.WriteBuffer(1, 0, out, 0, 0)
	check(t, d.Run(t.Context(), name, func(cb *vk.CommandBuffer) error {
		d.CmdBarrier(cb)
		defer d.CmdBarrier(cb)
		return d.CmdDispatch(cb, engine.DispatchOptions{Pipeline: pipeline, Sets: []*engine.DescriptorSet{set}, X: 2, Y: 1, Z: 1})
	}))
	data := make([]byte, out.Size())
	check(t, d.VK().ReadBuffer(t.Context(), out, 0, data))
	found := make([]uint32, 8)
	for i := range found {
		found[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return found
}

// TestLoweredPrints lowers a fragment shader that prints: it needs a feature, and comes back without instructions for it.
func TestLoweredPrints(t *testing.T) {
	code := glsltest.Compile(t, "frag", `#version 460
#extension GL_EXT_debug_printf : require
layout(location = 0) out vec4 color;
void main() { color = gl_FragCoord; debugPrintfEXT("at %v2f", gl_FragCoord.xy); }`)
	for _, features := range [][]string{nil, {"fragmentStoresAndAtomics"}} {
		d := openWith(t, engine.Options{Backend: engine.BackendCompute, Features: features})
		p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{})
		check(t, err)
		out, err := d.LowerShader(t.Context(), engine.ShaderOptions{Stage: vk.StageFragment, Code: code, Printer: p})
		switch {
		case features == nil && (!errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "fragmentStoresAndAtomics")):
			t.Errorf("without the feature: %v", err)
		case features != nil && err != nil:
			t.Error(err)
		case features != nil:
			glsltest.Validate(t, out)
		}
		p.Destroy()
	}
}
