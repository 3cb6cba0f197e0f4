package fallback_test

import (
	"encoding/binary"
	"errors"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// nullRig runs pipelines over a null acceleration structure, where every ray misses, for what has nothing to do with
// geometry. Binding 0 of set 0 is the structure, bindings 1 and 2 the first two buffers, binding 3 an array of the others.
// Push constants are the addresses of the buffers.
type nullRig struct {
	dev     *vk.Device
	buffers []*vk.Buffer
	// more, if not nil, is called behind the launch, and may have others like it.
	more func(p *fallback.Pipeline, launch func())
	// foreign, if not nil, is the device that pipelines are made for, and record launches: they are played on dev.
	foreign *vktest.ForeignDevice
	record  func(p *fallback.Pipeline, trace fallback.Trace) error
}

// nullLanes is the width of the launches.
const nullLanes = 70

func newNullRig(t *testing.T, contents ...[]uint32) *nullRig {
	t.Helper()
	r := &nullRig{dev: vktest.Device(t)}
	for _, c := range contents {
		b, err := r.dev.NewBuffer(vk.BufferOptions{Name: "contents", Size: uint64(4 * len(c)), Memory: vk.Upload, Alignment: 256})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Destroy)
		r.buffers = append(r.buffers, b)
	}
	return r
}

// run traces one ray generation shader, the first stage, with all miss and callable shaders in their tables, and returns
// what the buffers hold then; nil where the form cannot run the pipeline.
func (r *nullRig) run(t *testing.T, form fallback.Form, contents [][]uint32, stages ...fallback.Stage) [][]uint32 {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range contents {
		for k, w := range c {
			binary.LittleEndian.PutUint32(r.buffers[i].Mapped()[4*k:], w)
		}
	}
	bindings := []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageCompute},
		{Binding: 3, Type: vulkan.DescriptorTypeStorageBuffer, Count: uint32(len(r.buffers) - 2), Stages: vk.StageCompute},
	}
	layout, err := r.dev.NewDescriptorSetLayout("null", bindings)
	must(err)
	defer layout.Destroy()
	o := fallback.PipelineOptions{SetLayouts: []vk.SetLayout{layout}, Pipeline: rt.Pipeline{
		Name: t.Name(), Stages: stages, PushConstantBytes: 64, MaxRecursionDepth: 1, Form: form}}
	if r.more != nil {
		o.Learning()
	}
	for i := range stages {
		o.Groups = append(o.Groups, rt.GeneralGroup(i))
	}
	var dev fallback.Device = r.dev
	if r.foreign != nil {
		dev = r.foreign
	}
	p, err := fallback.NewPipeline(t.Context(), dev, o)
	if errors.Is(err, fallback.ErrUnsupported) && form == fallback.FormMonolithic {
		return nil
	}
	must(err)
	defer p.Destroy()
	const stride = 64
	table, err := r.dev.NewBuffer(vk.BufferOptions{Name: "table", Size: stride * uint64(2*len(stages)+1), Memory: vk.Upload,
		Alignment: 256})
	must(err)
	defer table.Destroy()
	clear(table.Mapped())
	trace := fallback.Trace{Width: nullLanes, Height: 1, Depth: 1}
	at := uint64(0)
	for _, kind := range []struct {
		model  rt.StageKind
		region *vk.StridedRegion
	}{{fallback.Raygen, &trace.Raygen}, {fallback.Miss, &trace.Miss}, {fallback.Callable, &trace.Callable}} {
		kind.region.Address, kind.region.Stride = table.Address()+at, stride
		for i, s := range stages {
			if s.Kind != kind.model {
				continue
			}
			h, err := p.GroupHandle(i)
			must(err)
			copy(table.Mapped()[at:], h[:])
			for k := range byte(stride - fallback.HandleSize) { // record data that tells its place
				table.Mapped()[at+fallback.HandleSize+uint64(k)] = byte(i+1)*16 + k
			}
			at += stride
			kind.region.Size += stride
		}
		if kind.region.Size == 0 {
			*kind.region = vk.StridedRegion{}
		}
	}
	null, err := r.dev.NewBuffer(vk.BufferOptions{Name: "null structure", Size: 256, Memory: vk.Upload, Alignment: 256})
	must(err)
	defer null.Destroy()
	clear(null.Mapped())
	set, err := r.dev.NewDescriptorSet(layout)
	must(err)
	defer set.Destroy()
	set.WriteBuffer(0, 0, vulkan.DescriptorTypeStorageBuffer, null, 0, 256)
	push := make([]byte, 64)
	for i, b := range r.buffers {
		binding, element := uint32(i+1), uint32(0)
		if i > 2 {
			binding, element = 3, uint32(i-2)
		}
		set.WriteBuffer(binding, element, vulkan.DescriptorTypeStorageBuffer, b, 0, b.Size())
		binary.LittleEndian.PutUint64(push[8*i:], b.Address())
	}
	trace.Sets, trace.PushConstants = []vk.Set{set}, push
	launch := func() {
		if r.record != nil {
			must(r.record(p, trace))
			return
		}
		must(r.dev.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error { return p.CmdTraceRays(cb, trace) }))
	}
	launch()
	if r.more != nil {
		r.more(p, launch)
	}
	var out [][]uint32
	for i, c := range contents {
		words := make([]uint32, len(c))
		for k := range words {
			words[k] = binary.LittleEndian.Uint32(r.buffers[i].Mapped()[4*k:])
		}
		out = append(out, words)
	}
	return out
}
