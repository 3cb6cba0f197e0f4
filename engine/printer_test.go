package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// TestLane follows lanes of the end to end scene, in both ways and all forms: they take the same steps everywhere, what the ray
// brings back is what the picture shows, and no other lane is told of.
func TestLane(t *testing.T) {
	y := &lanes{list: [][3]uint32{{12, 12, 0}, {3, 3, 0}, {15, 20, 0}}, options: pipelineOptions}
	if testing.Short() {
		y.list = y.list[:1] // with all kinds of shaders
	}
	t.Run("native", func(t *testing.T) { y.follow(t, open(t, engine.BackendNative), engine.FormAuto) })
	y.forms(t, engine.FormMegakernel) // its closest hit shader traces shadow rays
}

// hitObjectCamera is camera.rgen with hit objects: the ray is traced, reorders its lane and runs its shader, one after the other
// and, where one instruction does all of it, at once.
const hitObjectCamera = `
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) writeonly buffer Image { vec4 pixel[]; } image;
layout(push_constant) uniform Push { vec4 tint; uint rayFlags, cullMask; } push;
layout(location = 0) rayPayloadEXT vec4 payload;
void main() {
    vec3 from = vec3((vec2(gl_LaunchIDEXT.xy) + 0.5) / vec2(gl_LaunchSizeEXT.xy) * 2.0 - 1.0, 4.0);
    HO hit;
    payload = vec4(0.0);
    hoReorderHint(gl_LaunchIDEXT.x, 3);
    hoTrace(hit, scene, push.rayFlags, push.cullMask, 0, 2, 0, from, 0.0, vec3(0.0, 0.0, -1.0), 100.0);
    hoReorderBoth(hit, gl_LaunchIDEXT.y, 2);
    hoExecute(hit);
#ifdef HO_VALUES
    hoTraceReorderExecute(hit, scene, push.rayFlags, push.cullMask, 0, 2, 0, from, 0.0, vec3(0.0, 0.0, -1.0), 100.0);
#endif
    image.pixel[gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x] = payload * push.tint;
}`

// plainSurface is surface.rchit without shadow rays, which keep a pipeline from the monolithic form.
const plainSurface = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 payload;
layout(shaderRecordEXT) buffer Record { vec4 color; } record;
void main() { payload = record.color * gl_HitTEXT; }`

// TestLaneHitObjects does what TestLane does with hit objects of both dialects: by compute, and natively where the driver has them.
func TestLaneHitObjects(t *testing.T) {
	records := map[[3]uint32]string{{12, 12, 0}: "hit 1, miss 0, instance ", {3, 3, 0}: "hit 0, miss 1, instance "}
	dialects := shapes.HitObjectDialects
	if testing.Short() {
		delete(records, [3]uint32{3, 3, 0})
		dialects = dialects[:1]
	}
	for _, dialect := range dialects {
		options := func(t testing.TB, layout *engine.DescriptorSetLayout) engine.PipelineOptions {
			o := pipelineOptions(t, layout)
			o.MaxRecursionDepth = 1
			o.Stages[0].Code = glsltest.Compile(t, "rgen", shapes.HitObjects(dialect, "vec4", "vec2")+hitObjectCamera)
			o.Stages[3].Code = glsltest.Compile(t, "rchit", plainSurface)
			return o
		}
		y := &lanes{list: slices.Collect(maps.Keys(records)), options: options}
		t.Run(string(dialect), func(t *testing.T) {
			t.Run("native", func(t *testing.T) {
				d := open(t, engine.BackendNative)
				if l := d.Limits(); dialect == shapes.HitObjectsNV && !l.HitObjectsNV || dialect == shapes.HitObjectsEXT && !l.HitObjectsEXT {
					t.Skipf("%s has no hit objects of %s", d.Info().Name, dialect)
				}
				y.follow(t, d, engine.FormAuto)
			})
			y.forms(t, engine.FormMonolithic)
		})
		for lane, record := range records {
			all := strings.Join(y.texts[lane], "\n")
			for _, want := range []string{fmt.Sprintf("reorders by hint %#x of bits 3", lane[0]), "traces: flags ",
				"goes on behind the ray with a hit object: " + record, "reorders by a hit object: " + record,
				fmt.Sprintf("hint %#x of bits 2", lane[1]), "executes: a hit object: " + record,
				"goes on behind the shader of a hit object: " + record} {
				if !strings.Contains(all, want) {
					t.Errorf("%s, lane %v: no step %q in\n%s", dialect, lane, want, all)
				}
			}
		}
	}
}

// lanes are followed in pipelines that are to do the same.
type lanes struct {
	list    [][3]uint32
	options func(testing.TB, *engine.DescriptorSetLayout) engine.PipelineOptions
	// steps are the shaders and first words of the steps that lanes took where they were followed first, texts all they said.
	steps, texts map[[3]uint32][]string
}

// forms follows the lanes in all forms from one on.
func (y *lanes) forms(t *testing.T, first engine.LinkForm) {
	for form := first; form <= engine.FormSuspended; form++ {
		t.Run(form.String(), func(t *testing.T) { y.follow(t, open(t, engine.BackendCompute), form) })
	}
}

// follow follows the lanes in a way and form.
func (y *lanes) follow(t *testing.T, d *engine.Device, form engine.LinkForm) {
	r := newRig(t, d, imageSize)
	s := newScene(t, d)
	p, err := d.NewPrinter(t.Context(), engine.PrinterOptions{})
	check(t, err)
	t.Cleanup(p.Destroy)
	got, texts := map[[3]uint32][]string{}, map[[3]uint32][]string{}
	for _, lane := range y.list {
		o := y.options(t, r.layout)
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
			texts[lane] = append(texts[lane], m.Text)
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
	if y.steps == nil {
		y.steps, y.texts = got, texts
		t.Logf("%v", texts)
	}
	for lane, steps := range y.steps {
		if !slices.Equal(got[lane], steps) {
			t.Errorf("lane %v takes the steps %q\nelsewhere these  %q", lane, got[lane], steps)
		}
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
