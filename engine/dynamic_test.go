package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// kinds is a launch of shaders/example/descriptors.rgen.
type kinds struct {
	numbers, texels, result *vk.Buffer
	others                  []*vk.Buffer
	in, out                 *vk.BufferView
	layout                  *engine.DescriptorSetLayout
	set                     *engine.DescriptorSet
	pipeline                *engine.Pipeline
	table                   *engine.Table
}

const (
	kindsLanes = 4
	// kindsStep is how far the numbers for each launch are apart; no device has a larger alignment.
	kindsStep = 256
)

// newKinds makes all of it, with so many buffers at the binding of variable count, of which the layout allows more.
func newKinds(ctx context.Context, d *engine.Device, buffers int) (k *kinds, err error) {
	k = &kinds{}
	must := func(e error) { err = errors.Join(err, e) }
	buffer := func(name string, size int, usage vulkan.BufferUsageFlagBits, words ...uint32) *vk.Buffer {
		b, e := d.VK().NewBuffer(vk.BufferOptions{Name: name, Size: uint64(size), Usage: vulkan.BufferUsageFlags(usage |
			vulkan.BufferUsageTransferSrcBit | vulkan.BufferUsageTransferDstBit)})
		must(e)
		if e == nil && len(words) > 0 {
			must(d.VK().UploadBuffer(ctx, b, 0, wordBytes(words)))
		}
		return b
	}
	k.numbers = buffer("numbers", 2*kindsStep, vulkan.BufferUsageStorageBufferBit, append(make([]uint32, kindsStep/4), 1, 2, 3, 4)...)
	k.texels = buffer("texels", 4*kindsLanes, vulkan.BufferUsageUniformTexelBufferBit, 10, 20, 30, 40)
	k.result = buffer("result", 4*kindsLanes, vulkan.BufferUsageStorageTexelBufferBit)
	for i := range buffers {
		k.others = append(k.others, buffer("other", 4, vulkan.BufferUsageStorageBufferBit, uint32(100*(i+1))))
	}
	if err != nil {
		return k, err
	}
	var e error
	k.in, e = d.VK().NewBufferView(vk.BufferViewOptions{Name: "texels", Buffer: k.texels, Format: vulkan.FormatR32Uint})
	must(e)
	k.out, e = d.VK().NewBufferView(vk.BufferViewOptions{Name: "result", Buffer: k.result, Format: vulkan.FormatR32Uint})
	must(e)
	k.layout, e = d.NewDescriptorSetLayout("kinds", []vk.DescriptorBinding{
		{Binding: 0, Type: vulkan.DescriptorTypeStorageBufferDynamic},
		{Binding: 1, Type: vulkan.DescriptorTypeUniformTexelBuffer}, {Binding: 2, Type: vulkan.DescriptorTypeStorageTexelBuffer},
		{Binding: 3, Type: vulkan.DescriptorTypeStorageBuffer, Count: 8, Flags: vk.BindingVariableCount},
	})
	must(e)
	if err != nil {
		return k, err
	}
	k.set, e = d.NewVariableDescriptorSet(k.layout, uint32(buffers))
	must(e)
	if err != nil {
		return k, err
	}
	k.set.WriteBuffer(0, 0, k.numbers, 0, kindsStep)
	k.set.WriteTexelBuffer(1, 0, k.in)
	k.set.WriteTexelBuffer(2, 0, k.out)
	for i, b := range k.others {
		k.set.WriteBuffer(3, uint32(i), b, 0, 0)
	}
	code, e := shaders.Load("example/descriptors.rgen")
	must(e)
	k.pipeline, e = d.NewRayTracingPipeline(ctx, engine.PipelineOptions{Name: "kinds",
		Stages: []engine.Stage{{Kind: engine.Raygen, Code: code}}, Groups: []engine.Group{engine.GeneralGroup(0)},
		SetLayouts: []*engine.DescriptorSetLayout{k.layout}, PushConstantBytes: 4})
	must(e)
	if err == nil {
		k.table, e = d.NewTable(ctx, k.pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
		must(e)
	}
	return k, errors.Join(err, k.set.Err())
}

func (k *kinds) destroy() {
	k.table.Destroy()
	k.pipeline.Destroy()
	k.set.Destroy()
	k.layout.Destroy()
	k.in.Destroy()
	k.out.Destroy()
	for _, b := range append(k.others, k.numbers, k.texels, k.result) {
		b.Destroy()
	}
}

func wordBytes(words []uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// trace launches with dynamic offsets and returns what is in the result.
func (k *kinds) trace(ctx context.Context, d *engine.Device, offsets ...uint32) ([]uint32, error) {
	err := d.Run(ctx, "kinds", func(cb *vk.CommandBuffer) error {
		defer d.CmdBarrier(cb)
		return d.CmdTraceRays(cb, engine.TraceOptions{Pipeline: k.pipeline, Table: k.table, Sets: []*engine.DescriptorSet{k.set},
			DynamicOffsets: offsets, PushConstants: wordBytes([]uint32{uint32(len(k.others) - 1)}), Width: kindsLanes, Height: 1, Depth: 1})
	})
	if err != nil {
		return nil, err
	}
	data := make([]byte, 4*kindsLanes)
	if err := d.VK().ReadBuffer(ctx, k.result, 0, data); err != nil {
		return nil, err
	}
	var out []uint32
	for i := 0; i < len(data); i += 4 {
		out = append(out, binary.LittleEndian.Uint32(data[i:]))
	}
	return out, nil
}

// Buffers that each command moves, buffers as texels, and an array whose length each set chooses.
func ExampleDevice_NewVariableDescriptorSet() {
	ctx := context.Background()
	dev := must(engine.Open(ctx, engine.Options{}))
	defer func() { must(0, dev.Close()) }()
	k := must(newKinds(ctx, dev, 3))
	defer k.destroy()
	fmt.Println(must(k.trace(ctx, dev, 0)))
	fmt.Println(must(k.trace(ctx, dev, kindsStep)))
	// Output:
	// [620 640 660 680]
	// [622 644 666 688]
}

// TestDescriptorKinds runs the example in both ways, with arrays of other lengths, and refuses what does not fit.
func TestDescriptorKinds(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		if !d.VK().Features().VariableDescriptorCount {
			t.Skip("the device has no arrays of descriptors whose length sets choose")
		}
		for _, n := range []int{1, 8} {
			k, err := newKinds(t.Context(), d, n)
			if k != nil {
				t.Cleanup(k.destroy)
			}
			check(t, err)
			for i, offset := range []uint32{0, kindsStep} {
				got, err := k.trace(t.Context(), d, offset)
				check(t, err)
				for x, v := range got {
					want := 2 * uint32(10*(x+1)+100*n+i*(x+1))
					if v != want {
						t.Errorf("%d buffers, offset %d, lane %d: %d, want %d", n, offset, x, v, want)
					}
				}
			}
			if n > 1 {
				continue
			}
			for name, offsets := range map[string][]uint32{"has 0 elements": nil, "has 2 elements": {0, 0}, "is 512": {2 * kindsStep},
				"not a multiple": {1}} {
				if _, err := k.trace(t.Context(), d, offsets...); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), name) {
					t.Errorf("offsets %v: %v, want one that says %q", offsets, err, name)
				}
			}
			k.set.WriteBuffer(3, 1, k.numbers, 0, 0)
			if err := k.set.Err(); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "index 1 of 1") {
				t.Errorf("beyond the set's count: %v", err)
			}
			if _, err := d.NewVariableDescriptorSet(k.layout, 9); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("more than the layout has: %v", err)
			}
		}
		for name, bindings := range map[string][]vk.DescriptorBinding{
			"follows it": {{Binding: 0, Type: vulkan.DescriptorTypeStorageBuffer, Count: 2, Flags: vk.BindingVariableCount},
				{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer}},
			"variable count of dynamic": {{Type: vulkan.DescriptorTypeStorageBufferDynamic, Flags: vk.BindingVariableCount}},
		} {
			if _, err := d.NewDescriptorSetLayout("bad", bindings); !errors.Is(err, engine.ErrInvalid) ||
				!strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		b, err := d.VK().NewBuffer(vk.BufferOptions{Name: "plain", Size: 64})
		check(t, err)
		t.Cleanup(b.Destroy)
		if _, err := d.VK().NewBufferView(vk.BufferViewOptions{Buffer: b, Format: vulkan.FormatR32Uint}); !errors.Is(err,
			engine.ErrInvalid) {
			t.Errorf("a view of a buffer without the usage: %v", err)
		}
	})
}
