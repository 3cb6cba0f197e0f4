package engine_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/vk"
)

func isFault(err error) bool { return errors.Is(err, engine.ErrFault) }

// indirectBuffer is memory for commands, which launch nothing.
func indirectBuffer(t *testing.T, d *engine.Device) *vk.Buffer {
	t.Helper()
	b, err := d.VK().NewBuffer(vk.BufferOptions{Name: "commands", Size: 1024})
	check(t, err)
	t.Cleanup(b.Destroy)
	check(t, d.VK().UploadBuffer(t.Context(), b, 0, make([]byte, b.Size())))
	return b
}

func size3(w, h, d uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, w)
	b = binary.LittleEndian.AppendUint32(b, h)
	return binary.LittleEndian.AppendUint32(b, d)
}

// TestTraceIndirect writes sizes on the device and compares with launches whose size the host knows. 256x256 rays are more
// than one batch of the compute way on CPUs.
func TestTraceIndirect(t *testing.T) {
	const side = 256
	backends(t, func(t *testing.T, d *engine.Device) {
		if !d.Limits().TraceRaysIndirect {
			t.Skip("the device has no rayTracingPipelineTraceRaysIndirect")
		}
		scene, r, commands := newScene(t, d), newRig(t, d, side), indirectBuffer(t, d)
		r.set.WriteAccelerationStructure(0, 0, scene.tlas)
		for _, size := range [][3]uint32{{side, side, 1}, {1, 1, 1}, {77, 1, 1}, {5, 3, 1}, {1, 200, 1}, {0, 8, 1}, {8, 0, 1}, {8, 8, 0},
			{8, 8, 2}} {
			run := func(tables, secondary bool, launch func(cb *vk.CommandBuffer) error) [][4]float32 {
				check(t, d.Run(t.Context(), "launch", func(cb *vk.CommandBuffer) error {
					cb.FillBuffer(r.image, 0, r.image.Size(), 0)
					command := size3(size[0], size[1], size[2])
					if tables {
						all, err := r.table.IndirectCommand(0, size[0], size[1], size[2])
						check(t, err)
						command = all[:]
					}
					cb.UpdateBuffer(commands, 64, command)
					d.CmdBarrier(cb)
					if !secondary {
						return launch(cb)
					}
					again := record(t, d, true, "indirect", func(cb *vk.CommandBuffer) error {
						d.CmdBarrier(cb)
						return launch(cb)
					})
					cb.ExecuteCommands(again, again)
					return nil
				}))
				return readPixels(t, d, r.image)
			}
			o := engine.IndirectTraceOptions{TraceOptions: r.options(0, 0xFF), Buffer: commands, Offset: 64}
			o.Width, o.Height, o.Depth = 0, 0, 0
			want := run(false, false, func(cb *vk.CommandBuffer) error {
				direct := o.TraceOptions
				direct.Width, direct.Height, direct.Depth = size[0], size[1], size[2]
				return d.CmdTraceRays(cb, direct)
			})
			one := func(cb *vk.CommandBuffer) error { return d.CmdTraceRaysIndirect(cb, o) }
			two := func(cb *vk.CommandBuffer) error {
				o := o
				o.Table = nil
				return d.CmdTraceRaysIndirect2(cb, o)
			}
			if !slices.Equal(run(false, false, one), want) {
				t.Errorf("%v: the indirect launch differs", size)
			}
			if !slices.Equal(run(false, true, one), want) {
				t.Errorf("%v: the indirect launch in a secondary command buffer differs", size)
			}
			if !d.Limits().TraceRaysIndirect2 {
				continue
			}
			if !slices.Equal(run(true, false, two), want) {
				t.Errorf("%v: the indirect launch with tables differs", size)
			}
			if !slices.Equal(run(true, true, two), want) {
				t.Errorf("%v: the indirect launch with tables in a secondary command buffer differs", size)
			}
		}
	})
}

// TestTraceIndirectSeveral records launches of different sizes one after the other, mixed with a direct one, without
// barriers between them: they write to images of their own.
func TestTraceIndirectSeveral(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		if !d.Limits().TraceRaysIndirect {
			t.Skip("the device has no rayTracingPipelineTraceRaysIndirect")
		}
		scene, commands := newScene(t, d), indirectBuffer(t, d)
		var rigs []*rig
		var want [][][4]float32
		for _, side := range []uint32{8, 24, 17} {
			r := newRig(t, d, side)
			rigs, want = append(rigs, r), append(want, r.trace(t, scene.tlas, 0, 0xFF))
		}
		check(t, d.Run(t.Context(), "launches", func(cb *vk.CommandBuffer) error {
			for i, r := range rigs {
				cb.FillBuffer(r.image, 0, r.image.Size(), 0)
				cb.UpdateBuffer(commands, uint64(16*i), size3(r.size, r.size, 1))
			}
			d.CmdBarrier(cb)
			for i, r := range rigs {
				o := r.options(0, 0xFF)
				if i == 1 {
					check(t, d.CmdTraceRays(cb, o))
					continue
				}
				check(t, d.CmdTraceRaysIndirect(cb, engine.IndirectTraceOptions{TraceOptions: o, Buffer: commands, Offset: uint64(16 * i)}))
			}
			d.CmdBarrier(cb)
			return nil
		}))
		for i, r := range rigs {
			if got := readPixels(t, d, r.image); !slices.Equal(got, want[i]) {
				t.Errorf("launch %d differs", i)
			}
		}
	})
}

func TestTraceIndirectRefuses(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r, commands := newRig(t, d, 4), indirectBuffer(t, d)
		r.set.WriteAccelerationStructure(0, 0, nil)
		good := engine.IndirectTraceOptions{TraceOptions: r.options(0, 0xFF), Buffer: commands}
		tests := []struct {
			name string
			edit func(*engine.IndirectTraceOptions)
			want string
			both bool // whether the command with tables refuses it, too
		}{
			{"pipeline", func(o *engine.IndirectTraceOptions) { o.Pipeline = nil }, "Pipeline is nil", true},
			{"table", func(o *engine.IndirectTraceOptions) { o.Table = nil }, "Table is nil", false},
			{"sets", func(o *engine.IndirectTraceOptions) { o.Sets = nil }, "Sets has 0 elements", true},
			{"push constants", func(o *engine.IndirectTraceOptions) { o.PushConstants = nil }, "PushConstants has 0 bytes", true},
			{"stack", func(o *engine.IndirectTraceOptions) { o.StackBytes = 64 }, "set PipelineOptions.DynamicStack", true},
			{"buffer", func(o *engine.IndirectTraceOptions) { o.Buffer = nil }, "Buffer is nil", true},
			{"alignment", func(o *engine.IndirectTraceOptions) { o.Offset = 2 }, "Offset is 2", true},
			{"end", func(o *engine.IndirectTraceOptions) { o.Offset = 1016 }, "Offset is 1016", true},
		}
		check(t, d.Run(t.Context(), "refused", func(cb *vk.CommandBuffer) error {
			for _, tt := range tests {
				o := good
				tt.edit(&o)
				if err := d.CmdTraceRaysIndirect(cb, o); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
				}
				if !tt.both {
					continue // it would be recorded, and run
				}
				if err := d.CmdTraceRaysIndirect2(cb, o); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s, with tables: %v, want %q", tt.name, err, tt.want)
				}
			}
			return nil
		}))
	})
}

// TestStackSizes computes the default formula from the sizes of the shaders, and traces with a stack of that size.
func TestStackSizes(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		scene, r := newScene(t, d), dynamicRig(t, d, imageSize)
		size := func(group int, s vk.GroupShader) uint32 {
			n, err := r.pipeline.ShaderGroupStackSize(group, s)
			check(t, err)
			return n
		}
		answer := max(size(groupSky, vk.GroupGeneral), size(groupLit, vk.GroupGeneral), size(groupSurface, vk.GroupClosestHit),
			size(groupCutout, vk.GroupClosestHit))
		want := size(groupCamera, vk.GroupGeneral) + max(answer, size(groupCutout, vk.GroupAnyHit)) + answer
		if got := r.pipeline.Stats().StackBytes; got != want {
			t.Errorf("default stack of %d bytes, want %d", got, want)
		}
		for _, bad := range []struct {
			group  int
			shader vk.GroupShader
		}{{-1, vk.GroupGeneral}, {99, vk.GroupGeneral}, {groupSky, vk.GroupClosestHit}, {groupSurface, vk.GroupAnyHit},
			{groupSurface, vk.GroupGeneral}, {groupSurface, 4}} {
			if _, err := r.pipeline.ShaderGroupStackSize(bad.group, bad.shader); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("group %d, shader %d: %v", bad.group, bad.shader, err)
			}
		}
		pixels := r.trace(t, scene.tlas, 0, 0xFF)
		trace := func(stack uint32) error {
			return d.Run(t.Context(), "stack", func(cb *vk.CommandBuffer) error {
				cb.FillBuffer(r.image, 0, r.image.Size(), 0)
				d.CmdBarrier(cb)
				o := r.options(0, 0xFF)
				o.StackBytes = stack
				return d.CmdTraceRays(cb, o)
			})
		}
		check(t, trace(want))
		if !slices.Equal(readPixels(t, d, r.image), pixels) {
			t.Error("with the default size set, the image differs")
		}
		if d.Backend() != engine.BackendCompute {
			return // too small a stack is undefined natively
		}
		if err := trace(4); !isFault(err) {
			t.Errorf("a stack of 4 bytes: %v, want a fault", err)
		}
	})
}
