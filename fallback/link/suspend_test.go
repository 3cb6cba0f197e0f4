package link

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/shaders"
)

const askedAnyHit = `#version 460
#extension GL_EXT_ray_tracing : require
layout(constant_id = 0) const uint SHADER = 0u;
layout(location = 0) rayPayloadInEXT float p;
hitAttributeEXT vec2 a;
void main() { p += a.x; if (a.y > 0.5 + float(SHADER)) ignoreIntersectionEXT; if (p > 9.0) terminateRayEXT; }
`

const askedIntersection = `#version 460
#extension GL_EXT_ray_tracing : require
hitAttributeEXT vec2 a;
void main() {
    a = vec2(gl_ObjectRayOriginEXT.xy);
    if (reportIntersectionEXT(gl_RayTminEXT + 1.0, 3u)) reportIntersectionEXT(0.5, 4u);
}
`

// askedStages are a pipeline with so many any hit and intersection shaders.
func askedStages(t *testing.T, anyHits, intersections int) []Stage {
	t.Helper()
	var glsl glsltest.Compiler
	stages := []Stage{
		{Name: "raygen", Kind: Raygen, Code: glsl.Compile(t, "rgen", `#version 460
#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { float word[]; } result;
layout(location = 0) rayPayloadEXT float p;
void main() { p = 1.0; `+traceOnce+` result.word[gl_LaunchIDEXT.x] = p; }`)},
		{Name: "hit", Kind: ClosestHit, Code: glsl.Compile(t, "rchit", `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float p;
hitAttributeEXT vec2 a;
void main() { p += a.x + gl_HitTEXT; }`)},
	}
	add := func(kind Model, extension, source string, count int) {
		code := glsl.Compile(t, extension, source)
		for i := range count {
			stages = append(stages, Stage{Name: fmt.Sprintf("%s %d", extension, i), Kind: kind, Code: code,
				Specialization: map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, uint32(i))}})
		}
	}
	add(AnyHit, "rahit", askedAnyHit, anyHits)
	add(Intersection, "rint", askedIntersection, intersections)
	return stages
}

// TestSuspendedKernels: any hit and intersection shaders are divided into kernels, with bins for each, in every variant of the
// runtime; what is more than there are bins for shares them.
func TestSuspendedKernels(t *testing.T) {
	for _, c := range []struct {
		runtime                string
		anyHits, intersections int
		kernels                int // of any hit and intersection shaders
		bins                   uint32
	}{
		{"runtime", 1, 0, 1, 1}, {"runtime.long", shadersOfKernel + 1, 0, 2, shadersOfKernel + 1},
		{"runtime.simd", 0, 1, 1, 1}, {"runtime.clusters", 2, 2, 2, 4},
		{"runtime.clusters.long", 3, shadersOfKernel + 1, 3, shadersOfKernel + 4},
		{"runtime.clusters.simd", 1, 1, 2, 2}, {"runtime", 2*maxAskBins + 1, 0, 8, maxAskBins/2 + 1},
	} {
		t.Run(fmt.Sprintf("%s, %d and %d", c.runtime, c.anyHits, c.intersections), func(t *testing.T) {
			runtime, err := shaders.Load("fallback/" + c.runtime + ".comp")
			if err != nil {
				t.Fatal(err)
			}
			stages := askedStages(t, c.anyHits, c.intersections)
			r, err := Link(t.Context(), runtime, stages, Options{Form: FormSuspended, MaxDepth: 1, Check: c.anyHits < maxAskBins})
			if err != nil {
				t.Fatal(err)
			}
			glsltest.Validate(t, r.Code)
			w := r.Wave
			if c.anyHits < maxAskBins {
				for _, code := range append([][]uint32{w.Resume}, w.Shade...) {
					glsltest.Validate(t, code)
				}
			}
			const shades = 1 // kernels, and bins, of the closest hit shader
			if len(w.Shade) != shades+c.kernels || w.Bins != shades+c.bins || !w.Suspends || w.Rounds != 0 ||
				r.Form != FormSuspended {
				t.Errorf("%v, suspends %v, %d kernels, %d bins, %d rounds; want %d kernels, %d bins", r.Form, w.Suspends,
					len(w.Shade), w.Bins, w.Rounds, shades+c.kernels, shades+c.bins)
			}
			first := slices.IndexFunc(w.Segments, func(s Segment) bool { return s.Kernel == shades })
			for i, s := range w.Segments[first:] {
				if s.Kernel != shades+i || i > 0 && s.First <= w.Segments[first+i-1].First {
					t.Errorf("segment %d: %+v behind %+v", first+i, s, w.Segments[:first+i])
				}
			}
		})
	}
}

// TestNobodyToSuspendFor: without any hit and intersection shaders the suspended form is the wavefront form, word for word.
func TestNobodyToSuspendFor(t *testing.T) {
	stages, runtime := askedStages(t, 0, 0), runtimeModule(t)
	link := func(form Form) *Wave {
		r, err := Link(t.Context(), runtime, stages, Options{Form: form, MaxDepth: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Wave
	}
	plain, suspended := link(FormWavefront), link(FormSuspended)
	if !slices.Equal(plain.Resume, suspended.Resume) || len(plain.Shade) != 1 || len(suspended.Shade) != 1 ||
		!slices.Equal(plain.Shade[0], suspended.Shade[0]) || suspended.Suspends || suspended.Rounds != plain.Rounds {
		t.Errorf("%d and %d rounds, %d kernels shade, %d words resume", plain.Rounds, suspended.Rounds, len(suspended.Shade),
			len(suspended.Resume))
	}
}
