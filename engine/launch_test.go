package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

func TestTraceRefuses(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r, other, cb := newRig(t, d, 4), newRig(t, d, 4), recording(t, d.VK())
		r.set.WriteAccelerationStructure(0, 0, nil)
		good := engine.TraceOptions{
			Pipeline: r.pipeline, Table: r.table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: make([]byte, 24), Width: 4, Height: 4,
			Depth: 1,
		}
		tests := []struct {
			name string
			edit func(*engine.TraceOptions)
			want string
		}{
			{"pipeline", func(o *engine.TraceOptions) { o.Pipeline = nil }, "Pipeline is nil"},
			{"table", func(o *engine.TraceOptions) { o.Table = nil }, "Table is nil"},
			{"foreign table", func(o *engine.TraceOptions) { o.Table = other.table }, "Table was made for"},
			{"sets", func(o *engine.TraceOptions) { o.Sets = nil }, "Sets has 0 elements"},
			{"nil set", func(o *engine.TraceOptions) { o.Sets = []*engine.DescriptorSet{nil} }, "Sets[0] is nil"},
			{"foreign set", func(o *engine.TraceOptions) { o.Sets = []*engine.DescriptorSet{other.set} }, "Sets[0] has layout"},
			{"push constants", func(o *engine.TraceOptions) { o.PushConstants = nil }, "PushConstants has 0 bytes"},
			{"size", func(o *engine.TraceOptions) { o.Width, o.Height, o.Depth = 1<<31, 1<<31, 1<<31 }, "rays, the limit is"},
			{"raygen", func(o *engine.TraceOptions) { o.Raygen = 1 }, "raygen record 1 of 1"},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				o := good
				tt.edit(&o)
				if err := d.CmdTraceRays(cb, o); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
				}
			})
		}
		for _, size := range [][3]uint32{{0, 4, 1}, {4, 0, 1}, {4, 4, 0}} {
			o := good
			o.Width, o.Height, o.Depth = size[0], size[1], size[2]
			if err := d.CmdTraceRays(cb, o); err != nil {
				t.Errorf("empty launch %v: %v", size, err)
			}
		}
		r.set.WriteBuffer(7, 0, r.image, 0, 0)
		if err := d.CmdTraceRays(cb, good); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "binding 7") {
			t.Errorf("set with an error: got %v", err)
		}
	})
}

func TestTableRefuses(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newRig(t, d, 4)
		layout := tableLayout()
		layout.Miss[0].Group = groupSurface
		if _, err := d.NewTable(t.Context(), r.pipeline, layout); !errors.Is(err, engine.ErrInvalid) ||
			!strings.Contains(err.Error(), "miss record 0") {
			t.Errorf("hit group as miss record: got %v", err)
		}
		layout = tableLayout()
		layout.Hit[2].Data = make([]byte, 1<<20)
		if _, err := d.NewTable(t.Context(), r.pipeline, layout); !errors.Is(err, sbt.ErrInvalid) || !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("a megabyte of record data: got %v", err)
		}
		if err := r.table.WriteData(t.Context(), sbt.Hit, 8, 0, []byte{1}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("write to a record that is not there: got %v", err)
		}
		if _, err := r.pipeline.Handle(7); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("handle of a group that is not there: got %v", err)
		}
	})
}

// TestTableWriteData changes the sky's color between two launches.
func TestTableWriteData(t *testing.T) {
	backends(t, func(t *testing.T, d *engine.Device) {
		r := newRig(t, d, 4)
		check(t, r.table.WriteData(t.Context(), sbt.Miss, 0, 4, floats(2)))
		for i, p := range r.trace(t, nil, 0, 0xFF) {
			if got := p[1] / p[0]; got < 7.99 || got > 8.01 {
				t.Errorf("pixel %d is %v: green should be 2 / 0.25 times red", i, p)
			}
		}
	})
}

// TestFaults traces with a table that lacks records and with too little stack.
func TestFaults(t *testing.T) {
	d := open(t, engine.BackendCompute)
	s := newScene(t, d)
	r := newRig(t, d, imageSize)
	layout := tableLayout()
	layout.Hit = layout.Hit[:4] // none for the second instance
	table, err := d.NewTable(t.Context(), r.pipeline, layout)
	check(t, err)
	defer table.Destroy()
	r.set.WriteAccelerationStructure(0, 0, s.tlas)
	launch := func(mask byte) error {
		push := append(floats(1, 1, 1, 1), 0, 0, 0, 0, mask, 0, 0, 0)
		return d.Run(t.Context(), "trace", func(cb *vk.CommandBuffer) error {
			defer d.CmdBarrier(cb)
			return d.CmdTraceRays(cb, engine.TraceOptions{
				Pipeline: r.pipeline, Table: table, Sets: []*engine.DescriptorSet{r.set}, PushConstants: push,
				Width: imageSize, Height: imageSize, Depth: 1,
			})
		})
	}
	err = launch(0xFF)
	var fault *engine.FaultError
	if !errors.As(err, &fault) || !errors.Is(err, engine.ErrFault) {
		t.Fatalf("missing records: got %v, want a FaultError", err)
	}
	if f := fault.Faults[0]; !strings.Contains(f.Kind, "record") || f.Value < 4 || f.Value > 7 || fault.Total < 1 {
		t.Errorf("got %+v", fault)
	}
	t.Log(err)
	if err := launch(0); err != nil {
		t.Errorf("the next launch still reports %v", err)
	}
}
