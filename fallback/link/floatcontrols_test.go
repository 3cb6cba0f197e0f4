package link

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

// controlled is a miss shader with execution modes, which are also the capabilities that they need.
func controlled(t *testing.T, modes ...string) Stage {
	t.Helper()
	capabilities, list := "", ""
	for _, m := range modes {
		name, _, _ := strings.Cut(m, " ")
		capabilities += "OpCapability " + name + "\n"
		list += "OpExecutionMode %main " + m + "\n"
	}
	return Stage{Name: strings.Join(modes, ","), Kind: Miss, Code: glsltest.Assemble(t, "OpCapability RayTracingKHR\n"+capabilities+
		`OpExtension "SPV_KHR_ray_tracing"
		OpExtension "SPV_KHR_float_controls"
		OpMemoryModel Logical GLSL450
		OpEntryPoint MissKHR %main "main" %p
		`+list+`
		%void = OpTypeVoid
		%fn = OpTypeFunction %void
		%float = OpTypeFloat 32
		%in = OpTypePointer IncomingRayPayloadKHR %float
		%p = OpVariable %in IncomingRayPayloadKHR
		%main = OpFunction %void None %fn
		%1 = OpLabel
		%2 = OpLoad %float %p
		%3 = OpFDiv %float %2 %2
		OpStore %p %3
		OpReturn
		OpFunctionEnd`)}
}

// TestFloatControls checks what the linked module states, whether the shaders come by themselves or in a library.
func TestFloatControls(t *testing.T) {
	for _, c := range []struct {
		name   string
		shader [2][]string
		want   []string
		refuse string
	}{
		{name: "none"},
		{name: "one states", shader: [2][]string{{"SignedZeroInfNanPreserve 32", "RoundingModeRTE 64"}, nil},
			want: []string{"SignedZeroInfNanPreserve 32", "RoundingModeRTE 64"}},
		{name: "both agree", shader: [2][]string{{"DenormPreserve 16"}, {"DenormPreserve 16"}}, want: []string{"DenormPreserve 16"}},
		{name: "other widths", shader: [2][]string{{"DenormPreserve 16", "RoundingModeRTE 16"},
			{"DenormFlushToZero 32", "RoundingModeRTZ 32"}},
			want: []string{"DenormPreserve 16", "RoundingModeRTE 16", "DenormFlushToZero 32", "RoundingModeRTZ 32"}},
		{name: "rounding contradicts", shader: [2][]string{{"RoundingModeRTE 32"}, {"RoundingModeRTZ 32"}},
			refuse: "RoundingModeRTZ of 32-bit"},
		{name: "denormals contradict", shader: [2][]string{{"DenormFlushToZero 16"}, {"DenormPreserve 16"}},
			refuse: "DenormPreserve of 16-bit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stages := []Stage{controlled(t, c.shader[0]...), controlled(t, c.shader[1]...)}
			library, err := NewLibrary(t.Context(), runtimeModule(t), stages[1:], Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, stages := range [][]Stage{stages, stages[:1]} {
				o := verified
				o.MaxDepth = 1
				if i > 0 {
					o.Libraries = []*Library{library}
				}
				r, err := Link(t.Context(), runtimeModule(t), stages, o)
				if c.refuse != "" {
					if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.refuse) {
						t.Errorf("got %v, want an error that says %q", err, c.refuse)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				glsltest.Validate(t, r.Code)
				m, err := spirv.Decode(r.Code)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, in := range m.ExecutionModes {
					if f, ok := floatModes[spirv.ExecutionMode(in.Operands[1])]; ok {
						got = append(got, fmt.Sprint(f.name, " ", in.Operands[2]))
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("the linked module has %v, want %v", got, c.want)
				}
			}
		})
	}
}
