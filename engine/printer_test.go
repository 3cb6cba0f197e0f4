package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// TestLane follows lanes of the end to end scene, in both ways and all forms: they take the same steps everywhere, what the ray
// brings back is what the picture shows, and no other lane is told of.
func TestLane(t *testing.T) {
	var want map[[3]uint32][]string
	follow := func(t *testing.T, d *engine.Device, form engine.LinkForm) {
		r := newRig(t, d, imageSize)
		s := newScene(t, d)
		p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{})
		check(t, err)
		t.Cleanup(p.Destroy)
		got := map[[3]uint32][]string{}
		lanes := [][3]uint32{{12, 12, 0}, {3, 3, 0}, {15, 20, 0}}
		if testing.Short() {
			lanes = lanes[:1] // with all kinds of shaders
		}
		for _, lane := range lanes {
			o := pipelineOptions(t, r.layout)
			o.Form, o.Printer, o.Lane = form, p, &lane
			r.pipeline, err = d.NewRayTracingPipeline(t.Context(), o)
			check(t, err)
			t.Cleanup(r.pipeline.Destroy)
			r.table, err = d.NewTable(t.Context(), r.pipeline, tableLayout())
			check(t, err)
			t.Cleanup(r.table.Destroy)
			pixels := r.trace(t, s.tlas, 0, 0xFF)
			list, lost, err := p.Read(t.Context())
			check(t, err)
			if lost > 0 || len(list) < 4 {
				t.Fatalf("lane %v: %d steps, %d words lost", lane, len(list), lost)
			}
			payload := ""
			for _, m := range list {
				verb, _, _ := strings.Cut(m.Text, " ")
				got[lane] = append(got[lane], m.Shader+" "+strings.Trim(verb, ":"))
				if !m.Step {
					t.Errorf("lane %v: %+v is no step", lane, m)
				}
				if at := strings.Index(m.Text, "payload {"); at >= 0 && m.Shader == "camera.rgen" {
					payload = m.Text[at+len("payload {"):]
				}
			}
			c := pixels[lane[1]*imageSize+lane[0]]
			if color := fmt.Sprintf("%g, %g, %g", c[0], c[1], c[2]); !strings.HasPrefix(payload, color) {
				t.Errorf("lane %v: the picture has %s, the ray brought {%s\n%+v", lane, color, payload, list)
			}
			if list, _, err := p.Read(t.Context()); err != nil || len(list) > 0 {
				t.Errorf("read again: %d steps, %v", len(list), err)
			}
		}
		if want == nil {
			want = got
			t.Logf("%v", got)
		}
		for lane, steps := range want {
			if !slices.Equal(got[lane], steps) {
				t.Errorf("lane %v takes the steps %q\nelsewhere these  %q", lane, got[lane], steps)
			}
		}
	}
	t.Run("native", func(t *testing.T) { follow(t, open(t, engine.BackendNative), engine.FormAuto) })
	for form := engine.FormMegakernel; form <= engine.FormSorted; form++ {
		t.Run(form.String(), func(t *testing.T) { follow(t, open(t, engine.BackendCompute), form) })
	}
}

// TestPrints has each lane print, in both ways, into a buffer with room and one without.
func TestPrints(t *testing.T) {
	const source = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_debug_printf : require
void main() {
    if (gl_LaunchIDEXT.x % 2 == 0)
        debugPrintfEXT("lane %u of %v3u: %.1f", gl_LaunchIDEXT.x, gl_LaunchSizeEXT, 0.5 * float(gl_LaunchIDEXT.x));
}`
	backends(t, func(t *testing.T, d *engine.Device) {
		for _, room := range []int{100, 6} {
			p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{Bytes: uint64(4 + 4*6*room)})
			check(t, err)
			t.Cleanup(p.Destroy)
			pipeline, err := d.NewRayTracingPipeline(t.Context(), engine.PipelineOptions{Name: "prints", Printer: p,
				Stages: []engine.Stage{{Name: "speaker", Kind: engine.Raygen, Code: glsltest.Compile(t, "rgen", source)}},
				Groups: []engine.Group{engine.GeneralGroup(0)}})
			check(t, err)
			t.Cleanup(pipeline.Destroy)
			table, err := d.NewTable(t.Context(), pipeline, sbt.Layout{Raygen: []sbt.Record{{Group: 0}}})
			check(t, err)
			t.Cleanup(table.Destroy)
			const lanes = 20
			check(t, d.Run(t.Context(), "prints", func(cb *vk.CommandBuffer) error {
				return d.CmdTraceRays(cb, engine.TraceOptions{Pipeline: pipeline, Table: table, Width: lanes, Height: 1, Depth: 1})
			}))
			list, lost, err := p.Read(t.Context())
			check(t, err)
			var got []string
			for _, m := range list {
				if m.Shader != "speaker" || m.Step {
					t.Errorf("message %+v", m)
				}
				got = append(got, m.Text)
			}
			slices.Sort(got)
			var want []string
			for i := 0; i < lanes; i += 2 {
				want = append(want, fmt.Sprintf("lane %d of 20, 1, 1: %.1f", i, 0.5*float64(i)))
			}
			slices.Sort(want)
			if room >= lanes && (!slices.Equal(got, want) || lost > 0) {
				t.Errorf("printed %q\nwant    %q, %d words lost", got, want, lost)
			}
			if room < lanes && (len(got) != room || lost != uint64(6*(lanes/2-room))) {
				t.Errorf("%d messages of %d, %d words lost", len(got), room, lost)
			}
		}
	})
}

// TestPrinterMisuse gives printers what they cannot take.
func TestPrinterMisuse(t *testing.T) {
	d := open(t, engine.BackendCompute)
	if _, err := d.NewPrinter(t.Context(), engine.PrinterOptions{Bytes: 1}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("one byte: %v", err)
	}
	var none *engine.Printer
	if _, _, err := none.Read(t.Context()); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a nil printer: %v", err)
	}
	none.Destroy()
	p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{})
	check(t, err)
	p.Destroy()
	r := newRig(t, d, imageSize)
	for name, change := range map[string]func(*engine.PipelineOptions){
		"a lane without printer":      func(o *engine.PipelineOptions) { o.Lane = &[3]uint32{} },
		"a printer that is destroyed": func(o *engine.PipelineOptions) { o.Printer = p },
	} {
		o := pipelineOptions(t, r.layout)
		change(&o)
		if _, err := d.NewRayTracingPipeline(t.Context(), o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := p.Read(t.Context()); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a destroyed printer: %v", err)
	}
}
