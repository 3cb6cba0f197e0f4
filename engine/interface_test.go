package engine_test

import (
	"errors"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// boundRaygen uses descriptors of several kinds and 12 bytes of push constants.
const boundRaygen = `#version 460
#extension GL_EXT_ray_tracing : require
layout(constant_id = 4) const uint first = 0u;
layout(set = 0, binding = 0, std430) buffer Out { uint total; uint word[4]; } result;
layout(set = 0, binding = 1, std140) uniform Camera { vec4 rows[4]; } cameras[2];
layout(set = 1, binding = 3, rgba8) uniform image2D picture;
layout(push_constant) uniform Push { uint a, b, c; } push;
void main() {
	result.total = push.c + first + uint(cameras[1].rows[3].x) + uint(imageLoad(picture, ivec2(0)).x);
}`

// boundRig makes pipelines of boundRaygen, and sets for them.
type boundRig struct {
	t       *testing.T
	d       *engine.Device
	code    []uint32
	layouts []*engine.DescriptorSetLayout
	out     *vk.Buffer
	camera  *vk.Buffer
	picture *vk.Image
}

func newBoundRig(t *testing.T, d *engine.Device) *boundRig {
	r := &boundRig{t: t, d: d, code: glsltest.Compile(t, "rgen", boundRaygen)}
	r.layouts = []*engine.DescriptorSetLayout{
		r.layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeStorageBuffer},
			vk.DescriptorBinding{Binding: 1, Type: vulkan.DescriptorTypeUniformBuffer, Count: 2}),
		r.layout(vk.DescriptorBinding{Binding: 3, Type: vulkan.DescriptorTypeStorageImage}),
	}
	var err error
	r.out, err = d.VK().NewBuffer(vk.BufferOptions{Name: "out", Size: 256})
	check(t, err)
	t.Cleanup(r.out.Destroy)
	r.camera, err = d.VK().NewBuffer(vk.BufferOptions{Name: "camera", Size: 512,
		Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageUniformBufferBit)})
	check(t, err)
	t.Cleanup(r.camera.Destroy)
	r.picture, err = d.VK().NewImage(vk.ImageOptions{Name: "picture", Width: 4, Height: 4, Format: vulkan.FormatR8g8b8a8Unorm,
		Usage: vulkan.ImageUsageFlags(vulkan.ImageUsageStorageBit)})
	check(t, err)
	t.Cleanup(r.picture.Destroy)
	return r
}

func (r *boundRig) layout(b ...vk.DescriptorBinding) *engine.DescriptorSetLayout {
	l, err := r.d.NewDescriptorSetLayout("bound", b)
	check(r.t, err)
	r.t.Cleanup(l.Destroy)
	return l
}

// pipeline makes a pipeline with changed options.
func (r *boundRig) pipeline(edit func(o *engine.PipelineOptions)) (*engine.Pipeline, error) {
	o := engine.PipelineOptions{Name: "bound", Stages: []engine.Stage{{Name: "start", Kind: engine.Raygen, Code: r.code}},
		Groups: []engine.Group{engine.GeneralGroup(0)}, SetLayouts: []*engine.DescriptorSetLayout{r.layouts[0], r.layouts[1]},
		PushConstantBytes: 12}
	if edit != nil {
		edit(&o)
	}
	return r.d.NewRayTracingPipeline(r.t.Context(), o)
}

func TestShadersAgainstPipelines(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newBoundRig(t, d)
		storage := vk.DescriptorBinding{Type: vulkan.DescriptorTypeStorageBuffer}
		uniform := vk.DescriptorBinding{Binding: 1, Type: vulkan.DescriptorTypeUniformBuffer, Count: 2}
		with := func(b ...vk.DescriptorBinding) func(o *engine.PipelineOptions) {
			return func(o *engine.PipelineOptions) { o.SetLayouts[0] = r.layout(b...) }
		}
		changed := func(b vk.DescriptorBinding, edit func(b *vk.DescriptorBinding)) vk.DescriptorBinding {
			edit(&b)
			return b
		}
		tests := []struct {
			name string
			edit func(o *engine.PipelineOptions)
			want string
		}{
			{"no set layouts", func(o *engine.PipelineOptions) { o.SetLayouts = nil }, `stage 0 ("start")`},
			{"no layout of set 1", func(o *engine.PipelineOptions) { o.SetLayouts = o.SetLayouts[:1] },
				`storage image "picture" (set 1, binding 3`},
			{"no such binding", with(storage),
				`uniform buffer "cameras" (set 0, binding 1 of shader "start"), which layout "bound" does not have`},
			{"other type", with(changed(storage, func(b *vk.DescriptorBinding) { b.Type = vulkan.DescriptorTypeSampler }), uniform),
				"of type SAMPLER"},
			{"too few", with(storage, changed(uniform, func(b *vk.DescriptorBinding) { b.Count = 1 })),
				`an array of 2, layout "bound" has 1`},
			{"other stages", with(changed(storage, func(b *vk.DescriptorBinding) { b.Stages = vk.StageMiss }), uniform),
				"leave its stage out"},
			{"no push constants", func(o *engine.PipelineOptions) { o.PushConstantBytes = 0 },
				"PushConstantBytes is 0, the shader's push constants have 12"},
			{"few push constants", func(o *engine.PipelineOptions) { o.PushConstantBytes = 8 }, "PushConstantBytes is 8"},
			{"entry", func(o *engine.PipelineOptions) { o.Stages[0].Entry = "start" },
				`Entry is "start", the module's entry points of this kind are ["main"]`},
			{"kind", func(o *engine.PipelineOptions) {
				o.Stages = append(o.Stages, engine.Stage{Kind: engine.Miss, Code: r.code})
			}, `stage 1 ("miss 1"): invalid argument: Entry is "main"`},
			{"constant", func(o *engine.PipelineOptions) { o.Stages[0].Specialization = map[uint32][]byte{4: {1}} },
				`Specialization[4] has 1 bytes, the constant "first" takes 4`},
			{"truncated", func(o *engine.PipelineOptions) { o.Stages[0].Code = r.code[:len(r.code)-3] }, "code: "},
			{"malformed", func(o *engine.PipelineOptions) { o.Stages[0].Code = append(r.code[:len(r.code):len(r.code)], 1) },
				"code: "},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				p, err := r.pipeline(tt.edit)
				if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
				}
				p.Destroy()
			})
		}
	})
}

// TestDescriptorsAgainstShaders launches with sets that lack something.
func TestDescriptorsAgainstShaders(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newBoundRig(t, d)
		p, err := r.pipeline(nil)
		check(t, err)
		defer p.Destroy()
		table, err := d.NewTable(t.Context(), p, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
		check(t, err)
		defer table.Destroy()
		launch := func(edit func(s0, s1 *engine.DescriptorSet)) error {
			sets := make([]*engine.DescriptorSet, 2)
			for i := range sets {
				sets[i], err = d.NewDescriptorSet(r.layouts[i])
				check(t, err)
				defer sets[i].Destroy()
			}
			edit(sets[0], sets[1])
			return d.Run(t.Context(), "bound", func(cb *vk.CommandBuffer) error {
				cb.ImageBarrier(r.picture.Handle(), vulkan.ImageLayoutUndefined, vulkan.ImageLayoutGeneral, vk.StageNone,
					vk.AccessNone,
					vk.StageAllCommands, vk.AccessMemoryRead)
				return d.CmdTraceRays(cb, engine.TraceOptions{Pipeline: p, Table: table, Sets: sets, PushConstants: make([]byte,
					12), Width: 1,
					Height: 1, Depth: 1})
			})
		}
		write := func(s0, s1 *engine.DescriptorSet) {
			s0.WriteBuffer(0, 0, r.out, 0, 0)
			s0.WriteBuffer(1, 0, r.camera, 0, 256)
			s0.WriteBuffer(1, 1, r.camera, 256, 256)
			s1.WriteImage(3, 0, r.picture, nil, vulkan.ImageLayoutGeneral)
		}
		check(t, launch(write))
		tests := []struct {
			name string
			edit func(s0, s1 *engine.DescriptorSet)
			want string
		}{
			{"nothing written", func(_, _ *engine.DescriptorSet) {},
				`TraceOptions.Sets[0]: descriptor 0 of storage buffer "result"`},
			{"one of an array not written", func(s0, s1 *engine.DescriptorSet) {
				s0.WriteBuffer(0, 0, r.out, 0, 0)
				s0.WriteBuffer(1, 1, r.camera, 0, 0)
			},
				`descriptor 0 of uniform buffer "cameras" (set 0, binding 1 of shader "start"): invalid argument: it was not written`},
			{"image not written", func(s0, s1 *engine.DescriptorSet) {
				write(s0, s1)
				s1.Destroy()
			}, "Sets[1] is nil or destroyed"},
			{"too small", func(s0, s1 *engine.DescriptorSet) {
				write(s0, s1)
				s0.WriteBuffer(0, 0, r.out, 0, 16)
			}, `16 bytes of buffer "out" were written, the shader's block has 20`},
			{"destroyed since", func(s0, s1 *engine.DescriptorSet) {
				write(s0, s1)
				gone, err := d.VK().NewBuffer(vk.BufferOptions{Name: "gone", Size: 256})
				check(t, err)
				s0.WriteBuffer(0, 0, gone, 0, 0)
				gone.Destroy()
			}, `buffer "gone" was destroyed since`},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				err := launch(tt.edit)
				if !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
				}
			})
		}
	})
}

// TestStructuresSinceWritten launches with structures that went away after they were written.
func TestStructuresSinceWritten(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newMisuseRig(t, d)
		copies, err := d.Clone(t.Context(), []*engine.AccelerationStructure{r.scene.tlas})
		check(t, err)
		r.set.WriteAccelerationStructure(0, 0, copies[0])
		check(t, r.launch(d, nil))
		copies[0].Destroy()
		if err := r.launch(d, nil); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(),
			"destroyed or compacted since") {
			t.Errorf("got %v", err)
		}
	})
}

// TestStructureReadAsBuffer: by compute a shader may read a structure as what its descriptor is there, as the viewer's kernels that
// count do; natively it may not.
func TestStructureReadAsBuffer(t *testing.T) {
	code := glsltest.Compile(t, "comp", `#version 460
layout(set = 0, binding = 0, std430) readonly buffer TopLevel { uvec2 self; } topLevel;
layout(set = 0, binding = 1, std430) buffer Out { uvec2 address; } result;
void main() { result.address = topLevel.self; }`)
	for _, b := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		d := openWith(t, engine.Options{Backend: b})
		layout, err := d.NewDescriptorSetLayout("structure", []vk.DescriptorBinding{
			{Type: vk.DescriptorTypeAccelerationStructure, Count: 1},
			{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1},
		})
		check(t, err)
		t.Cleanup(layout.Destroy)
		p, err := d.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{
			Name: "reads", Code: code, SetLayouts: []*engine.DescriptorSetLayout{layout}})
		if want := b == engine.BackendNative; errors.Is(err, engine.ErrInvalid) != want {
			t.Errorf("%v: %v", b, err)
		}
		p.Destroy()
	}
}
