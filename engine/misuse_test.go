package engine_test

import (
	"errors"
	"math"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// misuse is one wrong call and the error that it gets. Validation messages fail the test, as in all others.
type misuse struct {
	name string
	call func() error
	want error
}

// refusals runs wrong calls.
func refusals(t *testing.T, list []misuse) {
	t.Helper()
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			err := m.call()
			if !errors.Is(err, m.want) {
				t.Errorf("got %v, want an error that wraps %q", err, m.want)
			}
		})
	}
}

// misuseRig is a scene and a pipeline that work, and what wrong calls are made of.
type misuseRig struct {
	*rig
	scene *scene
	t     *testing.T
}

func newMisuseRig(t *testing.T, d *engine.Device) *misuseRig {
	r := &misuseRig{rig: newRig(t, d, 8), scene: newScene(t, d), t: t}
	r.set.WriteAccelerationStructure(0, 0, r.scene.tlas)
	return r
}

// launch records and runs a launch with changed options.
func (r *misuseRig) launch(d *engine.Device, edit func(o *engine.TraceOptions)) error {
	o := engine.TraceOptions{
		Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: make([]byte, 24),
		Width: 1, Height: 1, Depth: 1,
	}
	if edit != nil {
		edit(&o)
	}
	return r.record(d, func(cb *vk.CommandBuffer) error { return d.CmdTraceRays(cb, o) })
}

// record runs what record records.
func (r *misuseRig) record(d *engine.Device, record func(cb *vk.CommandBuffer) error) error {
	return d.Run(r.t.Context(), "misuse", record)
}

// withSet launches with a set that write has written.
func (r *misuseRig) withSet(write func(s *engine.DescriptorSet)) error {
	s, err := r.device.NewDescriptorSet(r.layout)
	check(r.t, err)
	defer s.Destroy()
	s.WriteAccelerationStructure(0, 0, r.scene.tlas)
	s.WriteBuffer(1, 0, r.image, 0, 0)
	write(s)
	return r.launch(r.device, func(o *engine.TraceOptions) { o.Sets[0] = s })
}

// destroyedBuffer returns a buffer that is no more.
func destroyedBuffer(t *testing.T, d *engine.Device) *vk.Buffer {
	t.Helper()
	b, err := d.VK().NewBuffer(vk.BufferOptions{Name: "gone", Size: 4096})
	check(t, err)
	b.Destroy()
	return b
}

// destroyedStructure returns a structure that is no more.
func destroyedStructure(t *testing.T, d *engine.Device, kind vk.AccelerationStructureType) *engine.AccelerationStructure {
	t.Helper()
	a, err := d.NewAccelerationStructure(kind, 4096, "gone")
	check(t, err)
	a.Destroy()
	return a
}

func TestMisuseOfLaunches(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newMisuseRig(t, d)
		check(t, r.launch(d, nil))
		with := func(edit func(o *engine.TraceOptions)) func() error { return func() error { return r.launch(d, edit) } }
		gone, err := d.NewDescriptorSet(r.layout)
		check(t, err)
		gone.Destroy()
		refusals(t, []misuse{
			{"nil command buffer", func() error { return d.CmdTraceRays(nil, engine.TraceOptions{}) }, engine.ErrInvalid},
			{"idle command buffer", func() error {
				cb, err := d.VK().NewCommandBuffer("idle")
				check(t, err)
				defer cb.Destroy()
				return d.CmdTraceRays(cb, engine.TraceOptions{})
			}, engine.ErrInvalid},
			{"destroyed command buffer", func() error {
				cb, err := d.VK().NewCommandBuffer("gone")
				check(t, err)
				check(t, cb.Begin())
				cb.Destroy()
				return d.CmdTraceRays(cb, engine.TraceOptions{})
			}, engine.ErrInvalid},
			{"nothing to record", func() error { return d.Run(t.Context(), "nothing", nil) }, engine.ErrInvalid},
			{"nil table", with(func(o *engine.TraceOptions) { o.Table = nil }), engine.ErrInvalid},
			{"zero table", with(func(o *engine.TraceOptions) { o.Table = &engine.Table{} }), engine.ErrInvalid},
			{"nil pipeline", with(func(o *engine.TraceOptions) { o.Pipeline = nil }), engine.ErrInvalid},
			{"zero pipeline", with(func(o *engine.TraceOptions) { o.Pipeline = &engine.Pipeline{} }), engine.ErrInvalid},
			{"negative raygen", with(func(o *engine.TraceOptions) { o.Raygen = -1 }), engine.ErrInvalid},
			{"raygen out of range", with(func(o *engine.TraceOptions) { o.Raygen = 5 }), engine.ErrInvalid},
			{"largest size", with(func(o *engine.TraceOptions) {
				o.Width, o.Height, o.Depth = math.MaxUint32, math.MaxUint32, math.MaxUint32
			}), engine.ErrInvalid},
			{"short push constants", with(func(o *engine.TraceOptions) { o.PushConstants = o.PushConstants[:3] }), engine.ErrInvalid},
			{"no sets", with(func(o *engine.TraceOptions) { o.Sets = nil }), engine.ErrInvalid},
			{"nil set", with(func(o *engine.TraceOptions) { o.Sets[0] = nil }), engine.ErrInvalid},
			{"destroyed set", with(func(o *engine.TraceOptions) { o.Sets[0] = gone }), engine.ErrInvalid},
			{"indirect without buffer", func() error {
				return r.record(d, func(cb *vk.CommandBuffer) error {
					return d.CmdTraceRaysIndirect(cb, engine.IndirectTraceOptions{TraceOptions: engine.TraceOptions{
						Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: make([]byte, 24)}})
				})
			}, engine.ErrInvalid},
			{"indirect with a destroyed buffer", func() error {
				return r.record(d, func(cb *vk.CommandBuffer) error {
					return d.CmdTraceRaysIndirect(cb, engine.IndirectTraceOptions{Buffer: destroyedBuffer(t, d), TraceOptions: engine.TraceOptions{
						Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: make([]byte, 24)}})
				})
			}, engine.ErrInvalid},
			{"destroyed pipeline", func() error {
				p, err := d.NewRayTracingPipeline(t.Context(), pipelineOptions(t, r.layout))
				check(t, err)
				p.Destroy()
				if _, err := p.Handle(0); !errors.Is(err, engine.ErrInvalid) {
					t.Error("Handle:", err)
				}
				if _, err := p.ShaderGroupStackSize(0, vk.GroupGeneral); !errors.Is(err, engine.ErrInvalid) {
					t.Error("ShaderGroupStackSize:", err)
				}
				return r.launch(d, func(o *engine.TraceOptions) { o.Pipeline = p })
			}, engine.ErrInvalid},
		})
	})
}

func TestMisuseOfTables(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newMisuseRig(t, d)
		table := func(p *engine.Pipeline, l sbt.Layout) func() error {
			return func() error {
				x, err := d.NewTable(t.Context(), p, l)
				x.Destroy()
				return err
			}
		}
		gone, err := d.NewTable(t.Context(), r.pipeline, tableLayout())
		check(t, err)
		gone.Destroy()
		refusals(t, []misuse{
			{"nil pipeline", table(nil, sbt.Layout{}), engine.ErrInvalid},
			{"zero pipeline", table(&engine.Pipeline{}, sbt.Layout{}), engine.ErrInvalid},
			{"empty layout", table(r.pipeline, sbt.Layout{}), engine.ErrInvalid},
			{"group out of range", table(r.pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 99}}}), engine.ErrInvalid},
			{"negative group", table(r.pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: -7}}}), engine.ErrInvalid},
			{"record of 1 MiB", table(r.pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0, Data: make([]byte, 1<<20)}}}),
				engine.ErrInvalid},
			{"launch with a destroyed one", func() error {
				return r.launch(d, func(o *engine.TraceOptions) { o.Table = gone })
			}, engine.ErrInvalid},
			{"write to a destroyed one", func() error { return gone.WriteData(t.Context(), sbt.Miss, 0, 0, []byte{1, 2, 3, 4}) },
				engine.ErrInvalid},
			{"write out of range", func() error { return r.table.WriteData(t.Context(), sbt.Miss, 9, 0, []byte{1, 2, 3, 4}) },
				engine.ErrInvalid},
			{"command of a destroyed one", func() error { _, err := gone.IndirectCommand(0, 1, 1, 1); return err }, engine.ErrInvalid},
		})
	})
}

func TestMisuseOfDescriptors(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newMisuseRig(t, d)
		layout := func(b ...vk.DescriptorBinding) func() error {
			return func() error {
				l, err := d.NewDescriptorSetLayout("misuse", b)
				l.Destroy()
				return err
			}
		}
		set := func(write func(s *engine.DescriptorSet)) func() error {
			return func() error { return r.withSet(write) }
		}
		plain, err := d.VK().NewBuffer(vk.BufferOptions{Name: "plain", Size: 4096,
			Usage: vulkan.BufferUsageFlags(vulkan.BufferUsageTransferDstBit)})
		check(t, err)
		defer plain.Destroy()
		refusals(t, []misuse{
			{"2^32-1 descriptors", layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeStorageBuffer, Count: math.MaxUint32}),
				engine.ErrInvalid},
			{"too many in all", layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeSampledImage, Count: math.MaxUint32 / 2},
				vk.DescriptorBinding{Binding: 1, Type: vulkan.DescriptorTypeCombinedImageSampler, Count: math.MaxUint32/2 + 2}),
				engine.ErrInvalid},
			{"binding 2^32-1", layout(vk.DescriptorBinding{Binding: math.MaxUint32, Type: vulkan.DescriptorTypeStorageBuffer}),
				engine.ErrInvalid},
			{"type 12345", layout(vk.DescriptorBinding{Type: 12345}), engine.ErrInvalid},
			{"type without Write", layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeInputAttachment}), engine.ErrUnsupported},
			{"unknown stages", layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeSampler, Stages: 1 << 30}), engine.ErrInvalid},
			{"unknown flags", layout(vk.DescriptorBinding{Type: vulkan.DescriptorTypeSampler, Flags: 1 << 30}), engine.ErrInvalid},
			{"binding twice", layout(vk.DescriptorBinding{}, vk.DescriptorBinding{}), engine.ErrInvalid},
			{"set of a nil layout", func() error { _, err := d.NewDescriptorSet(nil); return err }, engine.ErrInvalid},
			{"set of a destroyed layout", func() error {
				l, err := d.NewDescriptorSetLayout("gone", []vk.DescriptorBinding{{Type: vulkan.DescriptorTypeSampler}})
				check(t, err)
				l.Destroy()
				_, err = d.NewDescriptorSet(l)
				return err
			}, engine.ErrInvalid},
			{"no such binding", set(func(s *engine.DescriptorSet) { s.WriteBuffer(7, 0, r.image, 0, 0) }), engine.ErrInvalid},
			{"no such index", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 1, r.image, 0, 0) }), engine.ErrInvalid},
			{"other type", set(func(s *engine.DescriptorSet) { s.WriteBuffer(0, 0, r.image, 0, 0) }), engine.ErrInvalid},
			{"nil buffer", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, nil, 0, 0) }), engine.ErrInvalid},
			{"destroyed buffer", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, destroyedBuffer(t, d), 0, 0) }), engine.ErrInvalid},
			{"offset not aligned", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, r.image, 3, 5) }), engine.ErrInvalid},
			{"range behind the end", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, r.image, 256, math.MaxUint64) }),
				engine.ErrInvalid},
			{"buffer without the usage", set(func(s *engine.DescriptorSet) { s.WriteBuffer(1, 0, plain, 0, 0) }), engine.ErrInvalid},
			{"bottom level", set(func(s *engine.DescriptorSet) { s.WriteAccelerationStructure(0, 0, r.scene.blas) }), engine.ErrInvalid},
			{"destroyed structure", set(func(s *engine.DescriptorSet) {
				s.WriteAccelerationStructure(0, 0, destroyedStructure(t, d, vk.TopLevel))
			}), engine.ErrInvalid},
			{"write to a destroyed set", func() error {
				s, err := d.NewDescriptorSet(r.layout)
				check(t, err)
				s.Destroy()
				s.WriteBuffer(1, 0, r.image, 0, 0)
				return s.Err()
			}, engine.ErrInvalid},
		})
	})
}

func TestMisuseOfBuilds(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		s := newScene(t, d)
		scratch, err := d.VK().NewBuffer(vk.BufferOptions{Name: "scratch", Size: 1 << 20, Alignment: d.Limits().ScratchAlignment})
		check(t, err)
		defer scratch.Destroy()
		triangles := vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: s.inputs[0].Address(), VertexStride: 12,
			MaxVertex: 7,
			IndexType: vk.IndexUint16, IndexData: s.inputs[1].Address()}
		input := func(edit func(b *engine.BuildInput)) engine.BuildInput {
			b := engine.BuildInput{Name: "misuse", Info: vk.BuildInfo{Type: vk.BottomLevel,
				Geometries: []vk.Geometry{{Triangles: triangles}}},
				Ranges: []vk.BuildRange{{PrimitiveCount: 2}}}
			edit(&b)
			return b
		}
		build := func(edit ...func(b *engine.BuildInput)) func() error {
			return func() error {
				var list []engine.BuildInput
				for _, e := range edit {
					list = append(list, input(e))
				}
				made, _, err := d.BuildAccelerationStructures(t.Context(), list)
				for _, a := range made {
					a.Destroy()
				}
				return err
			}
		}
		keep := func(*engine.BuildInput) {}
		check(t, build(keep)())
		made, _, err := d.BuildAccelerationStructures(t.Context(), []engine.BuildInput{input(keep)})
		check(t, err)
		defer made[0].Destroy()
		into := func(a *engine.AccelerationStructure) func(b *engine.BuildInput) {
			return func(b *engine.BuildInput) { b.Dst = a }
		}
		gone := destroyedStructure(t, d, vk.BottomLevel)
		if a := gone.Address(); a != 0 {
			t.Errorf("a destroyed structure has address %#x", a)
		}
		copies := func(c engine.Copy) func() error {
			return func() error {
				return d.Run(t.Context(), "copy", func(cb *vk.CommandBuffer) error {
					return d.CmdCopyAccelerationStructures(cb, []engine.Copy{c})
				})
			}
		}
		refusals(t, []misuse{
			{"nil command buffer", func() error { return d.CmdBuildAccelerationStructures(nil, nil) }, engine.ErrInvalid},
			{"no ranges", build(func(b *engine.BuildInput) { b.Ranges = nil }), engine.ErrInvalid},
			{"2^32-1 primitives", build(func(b *engine.BuildInput) { b.Ranges[0].PrimitiveCount = math.MaxUint32 }), engine.ErrInvalid},
			{"null vertices", build(func(b *engine.BuildInput) { b.Info.Geometries[0].Triangles.VertexData = 0 }), engine.ErrInvalid},
			{"odd vertices", build(func(b *engine.BuildInput) { b.Info.Geometries[0].Triangles.VertexData++ }), engine.ErrInvalid},
			{"stride 2^63", build(func(b *engine.BuildInput) { b.Info.Geometries[0].Triangles.VertexStride = 1 << 63 }), engine.ErrInvalid},
			{"odd offset", build(func(b *engine.BuildInput) { b.Ranges[0].PrimitiveOffset = 3 }), engine.ErrInvalid},
			{"unknown geometry", build(func(b *engine.BuildInput) { b.Info.Geometries[0].Type = 77 }), engine.ErrInvalid},
			{"unknown format", build(func(b *engine.BuildInput) { b.Info.Geometries[0].Triangles.VertexFormat = 9999 }), engine.ErrInvalid},
			{"unknown flags", build(func(b *engine.BuildInput) { b.Info.Flags = math.MaxUint32 }), engine.ErrInvalid},
			{"type 7", build(func(b *engine.BuildInput) { b.Info.Type = 7 }), engine.ErrInvalid},
			{"update of one not updatable", build(func(b *engine.BuildInput) { b.Info.Update, b.Src = true, s.blas }), engine.ErrInvalid},
			{"other type", build(into(s.tlas)), engine.ErrInvalid},
			{"same target twice", build(into(made[0]), into(made[0])), engine.ErrInvalid},
			{"destroyed target", build(into(gone)), engine.ErrInvalid},
			{"scratch not aligned", func() error {
				b := input(keep)
				return d.Run(t.Context(), "build", func(cb *vk.CommandBuffer) error {
					return d.CmdBuildAccelerationStructures(cb,
						[]engine.Build{{Info: b.Info, Ranges: b.Ranges, Dst: made[0], Scratch: scratch.Address() + 1}})
				})
			}, engine.ErrInvalid},
			{"same scratch twice", func() error {
				b := input(keep)
				one := engine.Build{Info: b.Info, Ranges: b.Ranges, Dst: made[0], Scratch: scratch.Address()}
				two := one
				two.Dst = s.blas
				return d.Run(t.Context(), "build", func(cb *vk.CommandBuffer) error {
					return d.CmdBuildAccelerationStructures(cb, []engine.Build{one, two})
				})
			}, engine.ErrInvalid},
			{"size 0", func() error { _, err := d.NewAccelerationStructure(vk.BottomLevel, 0, "x"); return err }, engine.ErrInvalid},
			{"size 2^64-1", func() error { _, err := d.NewAccelerationStructure(vk.BottomLevel, math.MaxUint64, "x"); return err },
				vk.ErrOutOfDeviceMemory},
			{"compact twice", func() error {
				_, err := d.Compact(t.Context(), []*engine.AccelerationStructure{made[0], made[0]})
				return err
			}, engine.ErrInvalid},
			{"compact nil", func() error {
				_, err := d.Compact(t.Context(), []*engine.AccelerationStructure{nil})
				return err
			}, engine.ErrInvalid},
			{"clone a destroyed one", func() error {
				_, err := d.Clone(t.Context(), []*engine.AccelerationStructure{gone})
				return err
			}, engine.ErrInvalid},
			{"copy mode", copies(engine.Copy{Mode: 9, Src: s.blas, Dst: made[0]}), engine.ErrInvalid},
			{"copy to itself", copies(engine.Copy{Src: s.blas, Dst: s.blas}), engine.ErrInvalid},
			{"copy of a destroyed one", copies(engine.Copy{Src: gone, Dst: made[0]}), engine.ErrInvalid},
			{"copy to a destroyed buffer", copies(engine.Copy{Mode: engine.CopySerialize, Src: s.blas,
				Memory: vk.Range{Buffer: destroyedBuffer(t, d)}}),
				engine.ErrInvalid},
			{"property 77", func() error {
				_, err := d.Properties(t.Context(), []*engine.AccelerationStructure{s.blas}, 77)
				return err
			}, engine.ErrInvalid},
			{"property of nil", func() error {
				_, err := d.Properties(t.Context(), []*engine.AccelerationStructure{nil}, engine.PropertySerializedSize)
				return err
			}, engine.ErrInvalid},
			{"decode nil", func() error { _, err := d.Decode(t.Context(), nil); return err }, engine.ErrInvalid},
		})
	})
}
