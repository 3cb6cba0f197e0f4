package vktest

import (
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
)

// Play uploads what the recording's commands wrote, and plays them on a device as the owner of a foreign device would: with
// pipelines of its own made from the kernels' options, and buffers in which the recording's memory lies. Set layouts and sets must
// be the device's.
func (r *ForeignRecorder) Play(t testing.TB, d *vk.Device, uploads, memory *vk.Buffer) {
	t.Helper()
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if uploads.Address() != r.Uploads || memory.Address() != r.Device {
		t.Fatal("the recording's memory is elsewhere")
	}
	if err := d.UploadBuffer(t.Context(), uploads, 0, r.Upload); err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, d: d, made: map[*ForeignKernel]*played{}}
	defer p.destroy()
	if err := d.Run(t.Context(), "played", func(cb *vk.CommandBuffer) error {
		for _, c := range r.Commands {
			p.play(cb, c, memory)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

type played struct {
	layout   *vk.PipelineLayout
	pipeline *vk.Pipeline
}

type player struct {
	t     testing.TB
	d     *vk.Device
	made  map[*ForeignKernel]*played
	bound *played
}

func (p *player) destroy() {
	for _, k := range p.made {
		k.pipeline.Destroy()
		k.layout.Destroy()
	}
}

// kernel makes a pipeline of a kernel's options.
func (p *player) kernel(k *ForeignKernel) *played {
	p.t.Helper()
	if p.made[k] != nil {
		return p.made[k]
	}
	var sets []*vk.DescriptorSetLayout
	for _, s := range k.sets() {
		sets = append(sets, s.(*vk.DescriptorSetLayout))
	}
	made, o := &played{}, k.Options
	var err error
	if made.layout, err = p.d.NewPipelineLayout(o.Name, sets, []vk.PushRange{{Stages: vk.StageCompute, Size: k.push()}}); err != nil {
		p.t.Fatal(err)
	}
	p.made[k] = made
	made.pipeline, err = p.d.NewComputePipeline(vk.ComputePipelineOptions{Name: o.Name, Code: o.Code, Layout: made.layout,
		Specialization: o.Specialization})
	if err != nil {
		p.t.Fatal(err)
	}
	return made
}

func (p *player) play(cb *vk.CommandBuffer, c ForeignCommand, memory *vk.Buffer) {
	p.t.Helper()
	switch {
	case c.Bind != nil:
		p.bound = p.kernel(c.Bind)
		cb.BindComputePipeline(p.bound.pipeline)
	case c.Runs != nil:
		cb.PushConstants(p.bound.layout, vk.StageCompute, 0, c.Push)
		if c.At != 0 {
			cb.DispatchIndirect(memory, c.At-memory.Address())
		} else {
			cb.Dispatch(c.Groups[0], c.Groups[1], c.Groups[2])
		}
	case c.Wait != vk.WaitNone:
		cb.Barrier(c.Wait)
	default:
		var sets []*vk.DescriptorSet
		for _, s := range c.Sets {
			sets = append(sets, s.(*vk.DescriptorSet))
		}
		cb.BindDescriptorSetsAt(vulkan.PipelineBindPointCompute, p.bound.layout, 0, sets, c.Offsets)
	}
}
