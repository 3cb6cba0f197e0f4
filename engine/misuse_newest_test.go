package engine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// recorded records into a command buffer that is never submitted, and returns the first error, that of ending it included.
func recorded(t *testing.T, d *engine.Device, record func(cb *vk.CommandBuffer) error) error {
	t.Helper()
	cb, err := d.VK().NewCommandBuffer("never submitted")
	check(t, err)
	defer cb.Destroy()
	check(t, cb.Begin())
	err = record(cb)
	return errors.Join(err, cb.End())
}

// TestMisuseOfClusters gives commands for clusters what the host can judge.
func TestMisuseOfClusters(t *testing.T) {
	w := newClusterWorld(t)
	d := w.Device
	good := engine.ClusterCommand{
		Input: engine.ClusterInput{MaxCount: 2, Op: engine.ClusterOpClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat,
			MaxTriangles: 2, MaxVertices: 6, MaxTotalTriangles: 3, MaxTotalVertices: 9, MaxGeometryIndex: 2},
		Implicit: w.buffer("results", 1<<16).Address(), Scratch: w.buffer("scratch", 1<<20).Address(),
		Infos: engine.ClusterStrided{Address: w.buffer("arguments", 256).Address()},
	}
	check(t, recorded(t, d, func(cb *vk.CommandBuffer) error { return d.CmdBuildClusters(cb, good) }))
	with := func(edit func(c *engine.ClusterCommand)) func() error {
		return func() error {
			c := good
			edit(&c)
			return recorded(t, d, func(cb *vk.CommandBuffer) error { return d.CmdBuildClusters(cb, c) })
		}
	}
	sizes := func(edit func(in *engine.ClusterInput)) func() error {
		return func() error {
			in := good.Input
			edit(&in)
			_, err := d.ClusterBuildSizes(in)
			return err
		}
	}
	gone, small := destroyedBuffer(t, d), w.buffer("small", 256)
	decode := func(b *vk.Buffer, offset uint64) func() error {
		return func() error { _, err := d.DecodeCluster(t.Context(), b, offset); return err }
	}
	decodeTree := func(b *vk.Buffer, offset uint64) func() error {
		return func() error { _, err := d.DecodeClusters(t.Context(), b, offset); return err }
	}
	most := uint32(math.MaxUint32)
	refusals(t, []misuse{
		{"nil command buffer", func() error { return d.CmdBuildClusters(nil, good) }, engine.ErrInvalid},
		{"unknown operation", with(func(c *engine.ClusterCommand) { c.Input.Op = 6 }), engine.ErrInvalid},
		{"largest operation", with(func(c *engine.ClusterCommand) { c.Input.Op = engine.ClusterOp(most) }), engine.ErrInvalid},
		{"unknown mode", with(func(c *engine.ClusterCommand) { c.Input.Mode = engine.ClusterMode(most) }), engine.ErrInvalid},
		{"no operations", with(func(c *engine.ClusterCommand) { c.Input.MaxCount = 0 }), engine.ErrInvalid},
		{"2^32-1 operations", with(func(c *engine.ClusterCommand) { c.Input.MaxCount = most }), engine.ErrInvalid},
		{"2^32-1 triangles", with(func(c *engine.ClusterCommand) { c.Input.MaxTriangles = most }), engine.ErrInvalid},
		{"2^32-1 vertices", with(func(c *engine.ClusterCommand) { c.Input.MaxVertices = most }), engine.ErrInvalid},
		{"2^32-1 geometries", with(func(c *engine.ClusterCommand) { c.Input.MaxGeometryIndex = most }), engine.ErrInvalid},
		{"33 bits", with(func(c *engine.ClusterCommand) { c.Input.MinTruncateBits = 33 }), engine.ErrInvalid},
		{"format", with(func(c *engine.ClusterCommand) { c.Input.VertexFormat = 12345 }), engine.ErrInvalid},
		{"updates", with(func(c *engine.ClusterCommand) { c.Input.Flags = vk.AllowUpdate }), engine.ErrInvalid},
		{"null results", with(func(c *engine.ClusterCommand) { c.Implicit = 0 }), engine.ErrInvalid},
		{"results off by 4", with(func(c *engine.ClusterCommand) { c.Implicit += 4 }), engine.ErrInvalid},
		{"null scratch", with(func(c *engine.ClusterCommand) { c.Scratch = 0 }), engine.ErrInvalid},
		{"scratch off by 1", with(func(c *engine.ClusterCommand) { c.Scratch++ }), engine.ErrInvalid},
		{"null arguments", with(func(c *engine.ClusterCommand) { c.Infos.Address = 0 }), engine.ErrInvalid},
		{"arguments off by 2", with(func(c *engine.ClusterCommand) { c.Infos.Address += 2 }), engine.ErrInvalid},
		{"stride of 2", with(func(c *engine.ClusterCommand) { c.Infos.Stride = 2 }), engine.ErrInvalid},
		{"largest stride", with(func(c *engine.ClusterCommand) { c.Infos.Stride = math.MaxUint64 - 3 }), engine.ErrInvalid},
		{"arguments that are too short", with(func(c *engine.ClusterCommand) { c.Infos.Size = 8 }), engine.ErrInvalid},
		{"count off by 1", with(func(c *engine.ClusterCommand) { c.Count = good.Scratch + 1 }), engine.ErrInvalid},
		{"explicit without addresses", with(func(c *engine.ClusterCommand) { c.Input.Mode = 1 }), engine.ErrInvalid},
		{"a bottom level of 2^32-1", with(func(c *engine.ClusterCommand) {
			c.Input.Op, c.Input.MaxClusters, c.Input.MaxTotalClusters = engine.ClusterOpBottomLevels, most, most
		}), engine.ErrInvalid},
		{"2^32-1 bottom levels", with(func(c *engine.ClusterCommand) {
			c.Input.Op, c.Input.MaxCount, c.Input.MaxClusters, c.Input.MaxTotalClusters = engine.ClusterOpBottomLevels, most, 1, most
		}), engine.ErrInvalid},
		{"2^32-1 moves", with(func(c *engine.ClusterCommand) {
			c.Input.Op, c.Input.MaxCount, c.Input.Type, c.Input.MaxMovedBytes = engine.ClusterOpMove, most, 1, math.MaxUint64
		}), engine.ErrInvalid},
		{"sizes of no operations", sizes(func(in *engine.ClusterInput) { in.MaxCount = 0 }), engine.ErrInvalid},
		{"sizes of 257 vertices", sizes(func(in *engine.ClusterInput) { in.MaxVertices = 257 }), engine.ErrInvalid},
		{"decode nil", decode(nil, 0), engine.ErrInvalid},
		{"decode a destroyed buffer", decode(gone, 0), engine.ErrInvalid},
		{"decode behind the end", decode(small, 256), engine.ErrInvalid},
		{"decode at 2^64-1", decode(small, math.MaxUint64), engine.ErrInvalid},
		{"decode zeros", decode(small, 0), engine.ErrInvalid},
		{"decode off by 1", decode(small, 255), engine.ErrInvalid},
		{"bottom level: nil", decodeTree(nil, 0), engine.ErrInvalid},
		{"bottom level: a destroyed buffer", decodeTree(gone, 0), engine.ErrInvalid},
		{"bottom level: at 2^64-1", decodeTree(small, math.MaxUint64), engine.ErrInvalid},
		{"bottom level: zeros", decodeTree(small, 0), engine.ErrInvalid},
		{"bottom level: off by 1", decodeTree(small, 255), engine.ErrInvalid},
	})
	native := open(t, engine.BackendNative)
	refusals(t, []misuse{
		{"natively: sizes", func() error { _, err := native.ClusterBuildSizes(good.Input); return err }, engine.ErrUnsupported},
		{"natively: prepare", func() error { return native.PrepareClusters(t.Context()) }, engine.ErrUnsupported},
		{"natively: command", func() error {
			return recorded(t, native, func(cb *vk.CommandBuffer) error { return native.CmdBuildClusters(cb, good) })
		}, engine.ErrUnsupported},
	})
}

// TestMisuseOfSecondaries executes what cannot be executed. The command buffer says so when it is ended.
func TestMisuseOfSecondaries(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		secondary := func(begin, end bool) *vk.CommandBuffer {
			cb, err := d.VK().NewSecondaryCommandBuffer("secondary")
			check(t, err)
			t.Cleanup(cb.Destroy)
			if begin {
				check(t, cb.Begin())
			}
			if end {
				check(t, cb.End())
			}
			return cb
		}
		primary, err := d.VK().NewCommandBuffer("primary")
		check(t, err)
		t.Cleanup(primary.Destroy)
		check(t, primary.Begin())
		check(t, primary.End())
		gone := secondary(true, true)
		gone.Destroy()
		other := openWith(t, engine.Options{Backend: d.Backend()})
		foreign, err := other.VK().NewSecondaryCommandBuffer("foreign")
		check(t, err)
		t.Cleanup(foreign.Destroy)
		check(t, foreign.Begin())
		check(t, foreign.End())
		execute := func(list ...*vk.CommandBuffer) func() error {
			return func() error {
				return recorded(t, d, func(cb *vk.CommandBuffer) error { cb.ExecuteCommands(list...); return nil })
			}
		}
		good := secondary(true, true)
		submit := func(cb *vk.CommandBuffer) error {
			_, err := d.VK().SubmitAsync(vk.Submission{CommandBuffers: []*vk.CommandBuffer{cb}})
			return err
		}
		refusals(t, []misuse{
			{"nil", execute(nil), engine.ErrInvalid},
			{"a primary", execute(primary), engine.ErrInvalid},
			{"one that was not begun", execute(secondary(false, false)), engine.ErrInvalid},
			{"one that still records", execute(good, secondary(true, false)), engine.ErrInvalid},
			{"a destroyed one", execute(gone), engine.ErrInvalid},
			{"another device's", execute(foreign), engine.ErrInvalid},
			{"in a secondary", func() error {
				cb := secondary(true, false)
				cb.ExecuteCommands(good)
				return cb.End()
			}, engine.ErrInvalid},
			{"by one that does not record", func() error {
				cb, err := d.VK().NewCommandBuffer("idle")
				check(t, err)
				defer cb.Destroy()
				cb.ExecuteCommands(good)
				return submit(cb)
			}, engine.ErrInvalid},
			{"submit nil", func() error { return submit(nil) }, engine.ErrInvalid},
			{"submit a secondary", func() error { return submit(good) }, engine.ErrInvalid},
			{"submit a destroyed one", func() error {
				cb, err := d.VK().NewCommandBuffer("gone")
				check(t, err)
				check(t, errors.Join(cb.Begin(), cb.End()))
				cb.Destroy()
				return submit(cb)
			}, engine.ErrInvalid},
			{"submit one that records", func() error {
				cb, err := d.VK().NewCommandBuffer("recording")
				check(t, err)
				defer cb.Destroy()
				check(t, cb.Begin())
				return submit(cb)
			}, engine.ErrInvalid},
			{"submit one whose secondary is gone", func() error {
				cb, err := d.VK().NewCommandBuffer("primary")
				check(t, err)
				defer cb.Destroy()
				short := secondary(true, true)
				check(t, cb.Begin())
				cb.ExecuteCommands(short)
				check(t, cb.End())
				short.Destroy()
				return submit(cb)
			}, engine.ErrInvalid},
		})
		check(t, execute(good)())
		check(t, execute()())
	})
}

// TestMisuseOfDynamicOffsets dispatches with offsets that no set takes, among them the largest numbers.
func TestMisuseOfDynamicOffsets(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		layout, err := d.NewDescriptorSetLayout("dynamic", []vk.DescriptorBinding{
			{Binding: 0, Type: vulkan.DescriptorTypeStorageBufferDynamic, Count: 2}})
		check(t, err)
		defer layout.Destroy()
		p, err := d.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{Name: "dynamic",
			SetLayouts: []*engine.DescriptorSetLayout{layout}, Code: glsltest.Compile(t, "comp", `#version 460
layout(binding = 0) buffer Words { uint word; } list[2];
void main() { list[0].word = list[1].word; }`)})
		check(t, err)
		defer p.Destroy()
		buffer, err := d.VK().NewBuffer(vk.BufferOptions{Name: "words", Size: 1024})
		check(t, err)
		defer buffer.Destroy()
		set, err := d.NewDescriptorSet(layout)
		check(t, err)
		defer set.Destroy()
		set.WriteBuffer(0, 0, buffer, 0, 4)
		set.WriteBuffer(0, 1, buffer, 512, 4)
		with := func(offsets ...uint32) func() error {
			return func() error {
				return recorded(t, d, func(cb *vk.CommandBuffer) error {
					return d.CmdDispatch(cb, engine.DispatchOptions{Pipeline: p, Sets: []*engine.DescriptorSet{set},
						DynamicOffsets: offsets, X: 1, Y: 1, Z: 1})
				})
			}
		}
		const most = math.MaxUint32
		refusals(t, []misuse{
			{"none", with(), engine.ErrInvalid}, {"too few", with(0), engine.ErrInvalid}, {"too many", with(0, 0, 0), engine.ErrInvalid},
			{"not aligned", with(1, 0), engine.ErrInvalid}, {"behind the end", with(0, 512), engine.ErrInvalid},
			{"2^32-1", with(most, 0), engine.ErrInvalid}, {"nearly 2^32", with(0, most&^0xFFF), engine.ErrInvalid},
			{"many", with(slices.Repeat([]uint32{most}, 1000)...), engine.ErrInvalid},
		})
		check(t, with(512, 256)())
		layoutOf := func(b vk.DescriptorBinding) func() error {
			return func() error { _, err := d.NewDescriptorSetLayout("refused", []vk.DescriptorBinding{b}); return err }
		}
		count := func(n uint32) func() error {
			return func() error { _, err := d.NewVariableDescriptorSet(layout, n); return err }
		}
		storage := vulkan.DescriptorTypeStorageBuffer
		refusals(t, []misuse{
			{"2^32-1 descriptors", layoutOf(vk.DescriptorBinding{Type: storage, Count: most}), engine.ErrInvalid},
			{"2^32-1 dynamic ones", layoutOf(vk.DescriptorBinding{Type: vulkan.DescriptorTypeStorageBufferDynamic, Count: most}),
				engine.ErrInvalid},
			{"the largest type", layoutOf(vk.DescriptorBinding{Type: math.MaxInt32, Count: 1}), engine.ErrInvalid},
			{"a variable count of a layout without", count(1), engine.ErrInvalid},
			{"2^32-1 of a layout without", count(most), engine.ErrInvalid},
			{"binding 2^32-1", func() error {
				s, err := d.NewDescriptorSet(layout)
				check(t, err)
				defer s.Destroy()
				s.WriteBuffer(most, most, buffer, 0, 4)
				return s.Err()
			}, engine.ErrInvalid},
		})
	})
}

// TestMisuseOfDebugging gives printers, dumps and hit objects what they refuse.
func TestMisuseOfDebugging(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newRig(t, d, 8)
		other := openWith(t, engine.Options{Backend: d.Backend()})
		foreign, err := other.NewPrinter(t.Context(), engine.PrinterOptions{Bytes: 64})
		check(t, err)
		t.Cleanup(foreign.Destroy)
		bytes := func(n uint64) func() error {
			return func() error { _, err := d.NewPrinter(t.Context(), engine.PrinterOptions{Bytes: n}); return err }
		}
		pipeline := func(edit func(o *engine.PipelineOptions)) func() error {
			return func() error {
				o := pipelineOptions(t, r.layout)
				edit(&o)
				_, err := d.NewRayTracingPipeline(t.Context(), o)
				return err
			}
		}
		refusals(t, []misuse{
			{"63 bytes", bytes(63), engine.ErrInvalid}, {"2^30 + 1 bytes", bytes(1<<30 + 1), engine.ErrInvalid},
			{"2^64-1 bytes", bytes(math.MaxUint64), engine.ErrInvalid},
			{"a printer of another device", pipeline(func(o *engine.PipelineOptions) { o.Printer = foreign }), engine.ErrInvalid},
			{"a printer of nobody", pipeline(func(o *engine.PipelineOptions) { o.Printer = &engine.Printer{} }), engine.ErrInvalid},
			{"a lane without a printer", pipeline(func(o *engine.PipelineOptions) { o.Lane = &[3]uint32{math.MaxUint32} }),
				engine.ErrInvalid},
			{"a printer of nobody for a shader", func() error {
				_, err := d.LowerShader(t.Context(), engine.ShaderOptions{Stage: vk.StageCompute, Printer: &engine.Printer{},
					Code: glsltest.Compile(t, "comp", "#version 460\nvoid main() {}")})
				return err
			}, engine.ErrInvalid},
			{"read a printer of nobody", func() error { _, _, err := new(engine.Printer).Read(t.Context()); return err }, engine.ErrInvalid},
			{"every bit of stages", func() error {
				_, err := d.LowerShader(t.Context(), engine.ShaderOptions{Stage: math.MaxInt32,
					Code: glsltest.Compile(t, "comp", "#version 460\nvoid main() {}")})
				return err
			}, engine.ErrInvalid},
		})
		closed := openWith(t, engine.Options{Backend: d.Backend()})
		printer, err := closed.NewPrinter(t.Context(), engine.PrinterOptions{})
		check(t, err)
		printer.Destroy()
		check(t, closed.Close())
		refusals(t, []misuse{
			{"NewPrinter", func() error { _, err := closed.NewPrinter(t.Context(), engine.PrinterOptions{}); return err }, engine.ErrClosed},
			{"ClusterBuildSizes", func() error { _, err := closed.ClusterBuildSizes(engine.ClusterInput{}); return err }, engine.ErrClosed},
			{"PrepareClusters", func() error { return closed.PrepareClusters(t.Context()) }, engine.ErrClosed},
			{"CmdBuildClusters", func() error { return closed.CmdBuildClusters(nil, engine.ClusterCommand{}) }, engine.ErrClosed},
			{"DecodeCluster", func() error { _, err := closed.DecodeCluster(t.Context(), nil, 0); return err }, engine.ErrClosed},
			{"DecodeClusters", func() error { _, err := closed.DecodeClusters(t.Context(), nil, 0); return err }, engine.ErrClosed},
			{"NewVariableDescriptorSet", func() error { _, err := closed.NewVariableDescriptorSet(nil, 1); return err }, engine.ErrClosed},
			{"NewSecondaryCommandBuffer", func() error { _, err := closed.VK().NewSecondaryCommandBuffer("x"); return err },
				engine.ErrClosed},
			{"NewBufferView", func() error { _, err := closed.VK().NewBufferView(vk.BufferViewOptions{}); return err }, engine.ErrClosed},
		})
	})
}
