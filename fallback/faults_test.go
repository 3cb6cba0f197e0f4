package fallback_test

import (
	"encoding/binary"
	"errors"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// The fault tests run one pixel of a launch into a fault; all others, and what follows in the same pipeline, must come out
// right. Structures are hand-made headers: a null structure, one that claims to be too deep, and one that is none.

const faultsRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[3];
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
layout(push_constant) uniform Push { uint pixel; uint scene; uint miss; uint callable; } push;
layout(location = 0) rayPayloadEXT uint payload;
layout(location = 1) callableDataEXT uint data;
void main() {
    uint pixel = gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    bool bad = pixel == push.pixel;
    uint live = pixel * 3u;
    payload = pixel;
    data = bad && push.callable == 0u ? 1000u : 2u;
    executeCallableEXT(bad ? push.callable : 0u, 1);
    traceRayEXT(scenes[bad ? push.scene : 0u], 0u, 0xFFu, 0u, 0u, bad ? push.miss : 0u, vec3(0.0), 0.0, vec3(1.0), 1.0, 0);
    result.word[pixel] = payload + live + data;
}
`

// One miss shader answers, the other traces on, deeper than the pipeline declares.
const faultsMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT uint payload;
void main() { payload += 7u; }
`

const faultsDeepMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[3];
layout(location = 0) rayPayloadInEXT uint payload;
void main() { traceRayEXT(scenes[0], 0u, 0xFFu, 0u, 0u, 1u, vec3(0.0), 0.0, vec3(1.0), 1.0, 0); }
`

const faultsCallable = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) callableDataInEXT uint data;
layout(location = 1) callableDataEXT uint next;
void main() {
    next = data - 1u;
    if (data > 1u) executeCallableEXT(0u, 1);
    data = next + 1u;
}
`

func TestEveryFault(t *testing.T) {
	const stride = 64
	const (
		missRecord, deepRecord, foreignRecord, garbageRecord, missRecords = 0, 1, 2, 3, 4
	)
	cases := []struct {
		name string
		push [3]uint32 // scene, miss, callable

		kind   fallback.FaultKind
		shader string
		value  uint32
		ends   bool // the pixel's shader ends; otherwise only its ray does
	}{
		{name: "recursion", push: [3]uint32{0, deepRecord, 1}, kind: fallback.FaultRecursion, shader: "deep miss", value: 2, ends: true},
		{name: "stack", push: [3]uint32{0, 0, 0}, kind: fallback.FaultStackOverflow, shader: "callable", ends: true},
		{name: "miss record", push: [3]uint32{0, missRecords + 5, 1}, kind: fallback.FaultRecordRange, shader: "raygen",
			value: missRecords + 5},
		{name: "callable record", push: [3]uint32{0, 0, 99}, kind: fallback.FaultRecordRange, shader: "raygen", value: 99},
		{name: "foreign handle", push: [3]uint32{0, foreignRecord, 1}, kind: fallback.FaultHandle, shader: "raygen", value: 0x12345},
		{name: "garbage handle", push: [3]uint32{0, garbageRecord, 1}, kind: fallback.FaultHandle, value: 999, ends: true},
		{name: "traversal stack", push: [3]uint32{1, 0, 1}, kind: fallback.FaultTraversal, shader: "raygen", value: 101},
		{name: "no structure", push: [3]uint32{2, 0, 1}, kind: fallback.FaultStructure, shader: "raygen", value: 0xBAD},
	}
	dev := vktest.Device(t)
	r := newFaultRig(t, dev)
	for _, form := range []fallback.Form{fallback.FormMegakernel, fallback.FormBlocks, fallback.FormWavefront, fallback.FormSorted} {
		p := r.pipeline(form)
		for _, c := range cases {
			t.Run(form.String()+"/"+c.name, func(t *testing.T) {
				table := r.buffer("table", 12*stride)
				record := func(at, group int, edit func([]byte)) {
					h, err := p.GroupHandle(group)
					if err != nil {
						t.Fatal(err)
					}
					if edit != nil {
						edit(h[:])
					}
					copy(table.Mapped()[at*stride:], h[:])
				}
				record(0, 0, nil)
				record(1+missRecord, 1, nil)
				record(1+deepRecord, 2, nil)
				record(1+foreignRecord, 1, func(h []byte) { binary.LittleEndian.PutUint32(h[12:], 0x12345) })
				record(1+garbageRecord, 1, func(h []byte) { binary.LittleEndian.PutUint32(h, 999) })
				record(1+missRecords, 3, nil) // the second callable record is null
				const bad = 17
				got, faults := r.trace(t, p, table, [4]uint32{bad, c.push[0], c.push[1], c.push[2]}, missRecords)
				for i, v := range got {
					if want := uint32(i + 7 + 3*i + 2); i != bad && v != want {
						t.Errorf("pixel %d is %d, want %d", i, v, want)
					}
				}
				if ended := got[bad] == untouched; ended != c.ends {
					t.Errorf("the pixel's shader ended: %v, want %v", ended, c.ends)
				}
				if len(faults) != 1 {
					t.Fatalf("%d faults, want 1: %v", len(faults), faults)
				}
				f := faults[0]
				if f.Kind != c.kind || f.LaunchID != [3]uint32{bad % faultsWidth, bad / faultsWidth, 0} || f.Pipeline != p.Tag() ||
					!errors.Is(f, fallback.ErrFault) {
					t.Errorf("got %v, want kind %v", f, c.kind)
				}
				if name := p.ShaderOf(f.State); name != c.shader {
					t.Errorf("the fault names shader %q, want %q", name, c.shader)
				}
				if c.value != 0 && f.Value != c.value {
					t.Errorf("the fault's value is %d, want %d", f.Value, c.value)
				}
			})
		}
	}
}

const (
	faultsWidth, faultsHeight = 9, 5
	untouched                 = 0xCDCDCDCD
)

type faultRig struct {
	t      *testing.T
	dev    *vk.Device
	layout *vk.DescriptorSetLayout
	set    *vk.DescriptorSet
	result *vk.Buffer
	faults *vk.Buffer
}

func newFaultRig(t *testing.T, dev *vk.Device) *faultRig {
	t.Helper()
	r := &faultRig{t: t, dev: dev}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	r.layout, err = dev.NewDescriptorSetLayout("faults", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 3, Stages: vk.StageCompute},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
	})
	must(err)
	t.Cleanup(r.layout.Destroy)
	r.set, err = dev.NewDescriptorSet(r.layout)
	must(err)
	t.Cleanup(r.set.Destroy)
	r.result, r.faults = r.buffer("result", 4*faultsWidth*faultsHeight), r.buffer("faults", fallback.FaultBufferSize)
	headers := []*vk.Buffer{r.buffer("null", 256), r.buffer("deep", 256), r.buffer("none", 256)}
	for i, h := range headers {
		e, m := binary.LittleEndian, h.Mapped()
		if i > 0 {
			e.PutUint64(m, h.Address())
			e.PutUint32(m[8:], 0x53415245) // ER_AS_MAGIC
			e.PutUint32(m[56:], 100)       // ER_HEADER_HEIGHT
		}
		if i == 2 {
			e.PutUint32(m[8:], 0xBAD)
		}
		r.set.WriteBuffer(0, uint32(i), vulkan.DescriptorTypeStorageBuffer, h, 0, 256)
	}
	r.set.WriteBuffer(1, 0, vulkan.DescriptorTypeStorageBuffer, r.result, 0, r.result.Size())
	return r
}

func (r *faultRig) buffer(name string, size uint64) *vk.Buffer {
	r.t.Helper()
	b, err := r.dev.NewBuffer(vk.BufferOptions{Name: name, Size: size, Memory: vk.Upload, Alignment: 256})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(b.Destroy)
	clear(b.Mapped())
	return b
}

func (r *faultRig) pipeline(form fallback.Form) *fallback.Pipeline {
	r.t.Helper()
	t := r.t
	p, err := fallback.NewPipeline(t.Context(), r.dev, fallback.PipelineOptions{
		SetLayouts: []vk.SetLayout{r.layout}, Pipeline: rt.Pipeline{
			Name: "faults",
			Stages: []fallback.Stage{
				{Name: "raygen", Kind: fallback.Raygen, Code: glsltest.Compile(t, "rgen", faultsRaygen)},
				{Name: "miss", Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", faultsMiss)},
				{Name: "deep miss", Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", faultsDeepMiss)},
				{Name: "callable", Kind: fallback.Callable, Code: glsltest.Compile(t, "rcall", faultsCallable)},
			},
			Groups:            []rt.Group{rt.GeneralGroup(0), rt.GeneralGroup(1), rt.GeneralGroup(2), rt.GeneralGroup(3)},
			PushConstantBytes: 16, MaxRecursionDepth: 2, Form: form,
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	return p
}

// trace runs one launch and returns its result and its faults.
func (r *faultRig) trace(t *testing.T, p *fallback.Pipeline, table *vk.Buffer, push [4]uint32, missRecords uint64) ([]uint32,
	[]*fallback.Fault) {
	t.Helper()
	const stride = 64
	for i := 0; i < len(r.result.Mapped()); i++ {
		r.result.Mapped()[i] = untouched & 0xFF
	}
	clear(r.faults.Mapped())
	var bytes []byte
	for _, v := range push {
		bytes = binary.LittleEndian.AppendUint32(bytes, v)
	}
	at := table.Address() + stride
	if err := r.dev.Run(t.Context(), "faults", func(cb *vk.CommandBuffer) error {
		return p.CmdTraceRays(cb, fallback.Trace{
			Raygen:   vk.StridedRegion{Address: table.Address(), Stride: stride, Size: stride},
			Miss:     vk.StridedRegion{Address: at, Stride: stride, Size: missRecords * stride},
			Callable: vk.StridedRegion{Address: at + missRecords*stride, Stride: stride, Size: 2 * stride},
			Sets:     []vk.Set{r.set}, PushConstants: bytes, Width: faultsWidth, Height: faultsHeight, Depth: 1,
			Faults: r.faults.Address(),
		})
	}); err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, faultsWidth*faultsHeight)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(r.result.Mapped()[4*i:])
	}
	_, faults := fallback.ReadFaults(r.faults.Mapped())
	return words, faults
}
