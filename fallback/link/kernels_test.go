package link

import (
	"fmt"
	"slices"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

// kernelStages are shaders of a pipeline: ray generation and two miss shaders, and hit shaders from a number on, which trace shadow
// rays if they are asked to.
func kernelStages(t *testing.T, glsl *glsltest.Compiler, from, count int, shadows bool) (own, hits []Stage) {
	const head = "#version 460\n#extension GL_EXT_ray_tracing : require\n" +
		"layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;\n"
	trace := func(flags string, miss, location int) string {
		return fmt.Sprintf("traceRayEXT(scene, %s, 0xFFu, 0u, 1u, %d, vec3(0.0), 0.0, vec3(1.0), 9.0, %d);", flags, miss, location)
	}
	own = []Stage{
		{Name: "camera", Kind: Raygen, Code: glsl.Compile(t, "rgen", head+"layout(location = 0) rayPayloadEXT vec3 c;\n"+
			"layout(set = 0, binding = 1) buffer Out { vec4 v[]; };\nvoid main() { c = vec3(0.0); "+trace("1u", 0, 0)+
			" v[gl_LaunchIDEXT.x] = vec4(c, 1.0); }")},
		{Name: "sky", Kind: Miss, Code: glsl.Compile(t, "rmiss", head+"layout(location = 0) rayPayloadInEXT vec3 c;\n"+
			"void main() { c = vec3(0.5); }")},
	}
	body := "c = vec3(float(NUMBER), gl_HitTEXT, h.x);"
	declarations := ""
	if shadows {
		declarations = "layout(location = 1) rayPayloadEXT float s;\n"
		body = "s = 1.0; " + trace("1u", 0, 1) + " c = vec3(float(NUMBER), s, gl_HitTEXT);"
	}
	for i := from; i < from+count; i++ {
		hits = append(hits, Stage{Name: fmt.Sprintf("hit %d", i), Kind: ClosestHit, Code: glsl.Compile(t, "rchit",
			head+fmt.Sprintf("#define NUMBER %d\n", i)+declarations+"layout(location = 0) rayPayloadInEXT vec3 c;\n"+
				"hitAttributeEXT vec2 h;\nvoid main() { "+body+" }")})
	}
	return own, hits
}

// TestKernelsAreTheSame: what a pipeline adds to a library changes none of the library's kernels, nor that of resumption; what it
// adds to its own shaders changes only the kernel where they are.
func TestKernelsAreTheSame(t *testing.T) {
	runtime := runtimeModule(t)
	for _, shadows := range []bool{false, true} {
		t.Run(fmt.Sprintf("shadows %t", shadows), func(t *testing.T) {
			glsl := &glsltest.Compiler{}
			const inLibrary = 2*shadersOfKernel + 3
			own, hits := kernelStages(t, glsl, 0, inLibrary+2, shadows)
			o := Options{Form: FormWavefront, MaxDepth: 2}
			link := func(libraries []*Library, stages ...Stage) *Wave {
				t.Helper()
				o := o
				o.Libraries = libraries
				r, err := Link(t.Context(), runtime, stages, o)
				if err != nil {
					t.Fatal(err)
				}
				return r.Wave
			}
			library, err := NewLibrary(t.Context(), runtime, hits[:inLibrary], o)
			if err != nil {
				t.Fatal(err)
			}
			kernels, err := library.Kernels(t.Context(), runtime, o)
			if err != nil || len(kernels) != 3 {
				t.Fatalf("%d kernels, %v, want 3", len(kernels), err)
			}
			with := link([]*Library{library}, own...)
			more := link([]*Library{library}, append(own, hits[inLibrary])...)
			sameKernels(t, "resumption with one more", with.Resume, more.Resume)
			for i, k := range kernels {
				sameKernels(t, fmt.Sprintf("kernel %d with a pipeline", i), k, with.Shade[i])
				sameKernels(t, fmt.Sprintf("kernel %d with one more", i), k, more.Shade[i])
			}
			if len(more.Shade) != len(kernels)+1 {
				t.Errorf("%d kernels shade, %d of them the library's", len(more.Shade), len(kernels))
			}

			few := link(nil, append(own, hits[:shadersOfKernel+2]...)...)
			many := link(nil, append(own, hits[:shadersOfKernel+3]...)...)
			sameKernels(t, "resumption without a library", few.Resume, many.Resume)
			sameKernels(t, "the first kernel without a library", few.Shade[0], many.Shade[0])
			if slices.Equal(few.Shade[1], many.Shade[1]) {
				t.Error("a shader more, and its kernel is the same")
			}
		})
	}
}

func sameKernels(t *testing.T, what string, a, b []uint32) {
	t.Helper()
	glsltest.Validate(t, b)
	if slices.Equal(a, b) {
		return
	}
	t.Errorf("%s: %d and %d words", what, len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			m, err := spirv.Decode(b)
			t.Logf("they differ from word %d of %d on, bound %d, %v", i, len(b), m.Bound, err)
			return
		}
	}
}
