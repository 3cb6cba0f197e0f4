package link

import (
	"errors"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// TestInternalError has a pass panic: the error is of its own kind, and names the pass, the shader, the function and the
// instruction.
func TestInternalError(t *testing.T) {
	stages := []Stage{{Name: "mine", Kind: Raygen, Code: glsltest.Compile(t, "rgen", shapes.All()[0].Raygen)}}
	broken := pass{name: "broken", run: in(func(l *loadedStages) error {
		return each(l.job, l.stages, func(s *normalStage) error {
			l.function = s.entry
			l.inst = &spirv.Inst{Op: spirv.OpTraceRayKHR, Operands: []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
			var none []int
			return s.invalid("%d", none[len(l.stages)])
		})
	})}
	_, err := link(newJob(t.Context(), Options{}), runtimeModule(t), stages, append(passes[:1:1], broken))
	internal := (*InternalError)(nil)
	if !errors.Is(err, ErrInternal) || !errors.As(err, &internal) || errors.Is(err, ErrInvalid) {
		t.Fatalf("it ended with %v", err)
	}
	if internal.Pass != "broken" || internal.Shader != "mine" || internal.Function != "main" ||
		!strings.Contains(internal.Instruction, "OpTraceRayKHR %1 %2") {
		t.Errorf("at pass %q, shader %q, function %q, instruction %q", internal.Pass, internal.Shader, internal.Function,
			internal.Instruction)
	}
	if text := err.Error(); !strings.Contains(text, "pass broken, shader mine, function main, instruction OpTraceRayKHR") ||
		!strings.Contains(text, "index out of range") {
		t.Errorf("its text is %q", text)
	}
	if !strings.Contains(string(internal.Stack), "internal_test.go") {
		t.Errorf("its stack does not come here:\n%s", internal.Stack)
	}
}
