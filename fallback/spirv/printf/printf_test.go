package printf

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

const printing = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) rayPayloadInEXT vec4 payload;
void main() {
    debugPrintfEXT("nothing %%");
    for (uint i = 0; i < 2; i++)
        debugPrintfEXT("%u: %v3f, %d %.2f %x", i, payload.xyz, -int(i), payload.w, i + 255u);
    debugPrintfEXT("wide %ul %ld, half %f, bool %u, short %d", 0x100000002ul, -5l, float16_t(1.5), gl_HitTEXT > 0.0, int16_t(-3));
}`

func options(model spirv.ExecutionModel) Options {
	return Options{Shader: "mine", Model: model, Entry: "main", Address: 0x123456789abc0000, Words: 1000, First: 7}
}

// TestLower lowers prints: the module stays valid, and the sites have the arguments' types.
func TestLower(t *testing.T) {
	code := glsltest.Compile(t, "rchit", printing)
	lowered, sites, err := Lower(code, options(spirv.ExecutionModelClosestHitKHR))
	if err != nil {
		t.Fatal(err)
	}
	glsltest.Validate(t, lowered)
	one := func(k Kind, wide bool) Arg { return Arg{k, wide, 1} }
	want := []Site{
		{Shader: "mine", Format: "nothing %%"},
		{Shader: "mine", Format: "%u: %v3f, %d %.2f %x",
			Args: []Arg{one(Uint, false), {Float, false, 3}, one(Int, false), one(Float, false), one(Uint, false)}},
		{Shader: "mine", Format: "wide %ul %ld, half %f, bool %u, short %d",
			Args: []Arg{one(Uint, true), one(Int, true), one(Float, false), one(Bool, false), one(Int, false)}},
	}
	if !reflect.DeepEqual(sites, want) {
		t.Errorf("sites %+v\nwant  %+v", sites, want)
	}
	m, err := spirv.Decode(lowered)
	if err != nil {
		t.Fatal(err)
	}
	if text := spirv.Disassemble(m); strings.Contains(text, "NonSemantic") {
		t.Errorf("the instruction set is still there:\n%s", text)
	}
	if quiet := glsltest.Compile(t, "rmiss", shapes.Miss); true {
		same, sites, err := Lower(quiet, options(spirv.ExecutionModelMissKHR))
		if err != nil || len(sites) > 0 || !slices.Equal(same, quiet) {
			t.Errorf("a shader that prints nothing: %d sites, %v", len(sites), err)
		}
	}
}

// TestLowerSteps follows a lane through every shape of shader.
func TestLowerSteps(t *testing.T) {
	lane := [3]uint32{3, 4, 0}
	check := func(name, stage, source string, model spirv.ExecutionModel, want ...string) {
		t.Helper()
		o := options(model)
		o.Lane = &lane
		lowered, sites, err := Lower(glsltest.Compile(t, stage, source), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		glsltest.Validate(t, lowered)
		var all strings.Builder
		for _, s := range sites {
			all.WriteString(s.Format + "\n")
		}
		for _, w := range want {
			if !strings.Contains(all.String(), w) {
				t.Errorf("%s: no step %q in\n%s", name, w, all.String())
			}
		}
	}
	for i, s := range shapes.All() {
		if testing.Short() && i%6 > 0 {
			continue
		}
		check(s.Name, "rgen", s.Raygen, spirv.ExecutionModelRayGenerationKHR, "begins at %", "traces: flags %",
			"goes on behind the ray, payload {", "ends")
	}
	for i, s := range shapes.Reports() {
		if testing.Short() && i%6 > 0 {
			continue
		}
		check(s.Name, "rint", s.Raygen, spirv.ExecutionModelIntersectionKHR, "begins: instance %", "reports t %g, kind %#x: accepted %u")
	}
	check("hit", "rchit", shapes.ClosestHit, spirv.ExecutionModelClosestHitKHR, "primitive %d, t %g, kind %#x", "ends, payload {")
	check("miss", "rmiss", shapes.Miss, spirv.ExecutionModelMissKHR, "begins: ray from %v3g, direction %v3g, t up to %g",
		"ends, payload {")
	check("called", "rcall", shapes.Called, spirv.ExecutionModelCallableKHR, "begins", "ends, payload {")
}

func TestDecode(t *testing.T) {
	f := math.Float32bits
	sites := []Site{
		{Shader: "a", Format: "plain %%"},
		{Shader: "b", Format: "%u [%v3f] %d %x %.2f", Args: []Arg{{Uint, false, 1}, {Float, false, 3}, {Int, false, 1}, {Uint, false, 1},
			{Float, false, 1}}},
		{Shader: "c", Format: "%ul|%ld|%5.1f|%s %q and more",
			Args: []Arg{{Uint, true, 1}, {Int, true, 1}, {Float, true, 1}, {Bool, false, 1}}},
	}
	wide := math.Float64bits(2.25)
	words := []uint32{1, 2, 9, f(1), f(2), f(3), ^uint32(4), 255, f(0.125), 3, 2, 1, ^uint32(4), ^uint32(0), uint32(wide),
		uint32(wide >> 32), 1, 1, 0, 1}
	want := []string{"plain %", "9 [1.000000, 2.000000, 3.000000] -5 ff 0.12", "4294967298|-5|  2.2|1 %q and more", "plain %"}
	var got []string
	for _, m := range Decode(words, sites) {
		got = append(got, m.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("decoded %q\nwant    %q", got, want)
	}
	for _, bad := range [][]uint32{{4}, {2, 2}, {0xffffffff, 0}, {0, 1}} {
		if got := Decode(bad, sites); len(got) > 0 {
			t.Errorf("of %v: %v", bad, got)
		}
	}
	many := "#version 460\n#extension GL_EXT_ray_tracing : require\n#extension GL_EXT_debug_printf : require\n" +
		"void main() { debugPrintfEXT(\"x" +
		strings.Repeat(" %f", 70) + "\"" + strings.Repeat(", 1.0", 70) + "); }"
	if _, _, err := Lower(glsltest.Compile(t, "rgen", many), options(spirv.ExecutionModelRayGenerationKHR)); !errors.Is(err,
		ErrUnsupported) {
		t.Errorf("70 arguments: %v", err)
	}
}
