package pipelinetest_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/conformance"
	"github.com/everray/everray/vk"
)

// conformanceLaunch is one row being run: once, or several times side by side, each with a part of the result of its own.
type conformanceLaunch struct {
	run       *conformanceRun
	row       *conformance.Row
	table     *engine.Table
	sets      []*engine.DescriptorSet
	bytes     uint64 // of one result
	stride    uint64 // from one result to the next
	command   *vk.Buffer
	secondary *vk.CommandBuffer
}

func (l *conformanceLaunch) destroy() {
	for _, s := range l.sets {
		s.Destroy()
	}
	l.secondary.Destroy()
	l.command.Destroy()
}

// prepare makes the descriptor sets and, for indirect launches, writes the command.
func (l *conformanceLaunch) prepare(scene *engine.AccelerationStructure) error {
	r := l.run.rig
	width, height, depth := l.row.Size()
	l.bytes = max(uint64(4*l.row.Program.Words*int(width*height*depth)), 4)
	const alignment = 256 // no device asks for more
	l.stride = (l.bytes + alignment - 1) &^ (alignment - 1)
	launches := 1
	if l.row.Command == conformance.Together {
		launches = 3
	}
	if n := uint64(launches) * l.stride; n > conformanceResultBytes {
		return fmt.Errorf("the row's results have %d bytes, the buffer %d", n, conformanceResultBytes)
	}
	for i := range launches {
		set, err := r.dev.NewDescriptorSet(r.layout)
		if err != nil {
			return err
		}
		l.sets = append(l.sets, set)
		set.WriteAccelerationStructure(0, 0, scene)
		set.WriteBuffer(1, 0, r.result, uint64(i)*l.stride, l.bytes)
		set.WriteBuffer(2, 0, r.rays, 0, 0)
	}
	return l.writeCommand(width, height, depth)
}

// writeCommand puts the parameters of an indirect launch in memory.
func (l *conformanceLaunch) writeCommand(width, height, depth uint32) error {
	var data []byte
	switch l.row.Command {
	case conformance.Indirect:
		for _, n := range []uint32{width, height, depth} {
			data = binary.LittleEndian.AppendUint32(data, n)
		}
	case conformance.IndirectTable, conformance.StridesZero:
		c, err := l.table.IndirectCommand(l.row.Raygen, width, height, depth)
		if err != nil {
			return err
		}
		data = c[:]
		if l.row.Command == conformance.StridesZero {
			// Behind the raygen region of address and size come three of address, size and stride.
			for k := range 3 {
				clear(data[16+24*k+16 : 16+24*k+24])
			}
		}
	default:
		return nil
	}
	var err error
	l.command, err = l.run.rig.dev.VK().NewBuffer(vk.BufferOptions{Name: "launch command", Size: uint64(len(data)), Memory: vk.Upload})
	if err != nil {
		return err
	}
	copy(l.command.Mapped(), data)
	return nil
}

// submit records the row by its kind of command, and waits.
func (l *conformanceLaunch) submit(t *testing.T) error {
	dev := l.run.rig.dev
	if l.row.Command == conformance.Secondary {
		if err := l.recordSecondary(); err != nil {
			return err
		}
	}
	return dev.Run(t.Context(), l.row.Name, func(cb *vk.CommandBuffer) error {
		if l.secondary != nil {
			cb.ExecuteCommands(l.secondary)
			dev.CmdBarrier(cb)
			cb.ExecuteCommands(l.secondary)
			return nil
		}
		for i := range l.sets {
			if err := l.record(cb, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *conformanceLaunch) recordSecondary() error {
	var err error
	if l.secondary, err = l.run.rig.dev.VK().NewSecondaryCommandBuffer(l.row.Name); err != nil {
		return err
	}
	if err := l.secondary.Begin(); err != nil {
		return err
	}
	if err := l.record(l.secondary, 0); err != nil {
		return err
	}
	return l.secondary.End()
}

func (l *conformanceLaunch) record(cb *vk.CommandBuffer, set int) error {
	dev := l.run.rig.dev
	o := engine.TraceOptions{Pipeline: l.run.pipeline, Table: l.table, Raygen: l.row.Raygen,
		Sets: []*engine.DescriptorSet{l.sets[set]}}
	switch l.row.Command {
	case conformance.Indirect:
		return dev.CmdTraceRaysIndirect(cb, engine.IndirectTraceOptions{TraceOptions: o, Buffer: l.command})
	case conformance.IndirectTable, conformance.StridesZero:
		return dev.CmdTraceRaysIndirect2(cb, engine.IndirectTraceOptions{TraceOptions: o, Buffer: l.command})
	}
	o.Width, o.Height, o.Depth = l.row.Size()
	return dev.CmdTraceRays(cb, o)
}

// results reads the words of all launches, which must be the same, and returns those of one.
func (l *conformanceLaunch) results(t *testing.T) ([]uint32, error) {
	var first []uint32
	for i := range l.sets {
		raw := make([]byte, l.bytes)
		if err := l.run.rig.dev.VK().ReadBuffer(t.Context(), l.run.rig.result, uint64(i)*l.stride, raw); err != nil {
			return nil, err
		}
		words := make([]uint32, len(raw)/4)
		for k := range words {
			words[k] = binary.LittleEndian.Uint32(raw[4*k:])
		}
		if first == nil {
			first = words
		}
		if !slices.Equal(first, words) {
			return nil, fmt.Errorf("launch %d of those in flight gives %#x, the first %#x", i, words, first)
		}
	}
	return first, nil
}
