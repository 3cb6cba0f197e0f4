package link

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// FuzzLink links modules of strangers: whatever they hold, Link returns, soon, with a module or an error, and never by
// way of its recover. The last byte says which kind of shader it is, and the form.
func FuzzLink(f *testing.F) {
	const kinds = byte(Callable + 1)
	runtime := runtimeModule(f)
	var glsl glsltest.Compiler
	for i, s := range shapes.All() {
		if i%4 != 0 {
			continue
		}
		for _, stage := range pipelineOf(f, &glsl, s) {
			var b []byte
			for _, w := range stage.Code {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			f.Add(b, byte(stage.Kind))
		}
	}
	for _, s := range []struct {
		version, name string
		models        []Model
	}{
		{"spv1.4", "hlsl_library", []Model{AnyHit}}, {"spv1.0", "old_storage", []Model{Raygen, AnyHit}},
		{"spv1.5", "slang_raygen", []Model{Raygen}}, {"spv1.4", "pointers_raygen", []Model{Raygen}},
		{"spv1.4", "pointers_odd", []Model{Raygen}},
	} {
		for _, model := range s.models {
			var b []byte
			for _, w := range assembled(f, s.version, s.name) {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			f.Add(b, byte(model))
		}
	}
	for _, d := range shapes.HitObjectDialects {
		for _, source := range []string{
			shapes.HitObjects(d, "vec4", "vec2") + "#extension GL_EXT_scalar_block_layout : require\n" + hitObjectBody,
			shapes.HitObjects(d, "vec4", "vec2") + strings.Replace(fuseHead, "BODY", "T hoReorderBoth(h, i, 2u); E", 1),
			shapes.HitObjects(d, "vec4", "vec2") + strings.Replace(fuseHead, "BODY", "T hoReorder(h); payload.x = 2.0; E P", 1),
		} {
			var b []byte
			for _, w := range glsl.Compile(f, "rgen", source) {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			for _, form := range []Form{FormAuto, FormMonolithic, FormWavefront, FormSuspended} {
				f.Add(b, byte(Raygen)+kinds*byte(form))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, model byte) {
		code := make([]uint32, len(b)/4)
		for i := range code {
			code[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		start := time.Now()
		_, err := Link(t.Context(), runtime, []Stage{{Kind: Model(model % kinds), Code: code}},
			Options{Form: Form(model / kinds % byte(len(forms)+1))})
		if err != nil && isInternal(err) {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}
