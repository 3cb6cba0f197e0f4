package link

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
)

// hitObjectBody uses what both dialects have.
const hitObjectBody = `
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, scalar) buffer Out { vec4 v[]; } outputs;
#ifdef HO_VALUES
HO make(uint miss) {
    HO h;
    hoTrace(h, scene, 0u, 0xFFu, 0u, 1u, miss, vec3(gl_LaunchIDEXT), 0.0, vec3(0, 0, 1), 1000.0);
    return h;
}
struct Pair { HO h[2]; uint n; };
uint ids(HO a) { return hoInstanceId(a) + hoPrimitive(a) + hoKind(a); }
#endif
void main() {
    payload = vec4(1);
    float more = 0.0;
#ifdef HO_VALUES
    Pair p;
    p.h[0] = make(0u);
    p.h[1] = make(1u);
    hoExecute(p.h[gl_LaunchIDEXT.x & 1u]);
    HO h = p.h[1];
    more = hoObjectToWorld(p.h[0])[3].x + float(ids(p.h[0]));
#else
    HO h;
    hoTrace(h, scene, 0u, 0xFFu, 0u, 1u, 1u, vec3(gl_LaunchIDEXT), 0.0, vec3(0, 0, 1), 1000.0);
    HO recorded;
    hitObjectRecordHitNV(recorded, scene, 1, 2, 3, 0xFEu, 4u, 5u, vec3(0), 0.0, vec3(1), 10.0, 0);
    hoExecute(recorded);
    hitObjectRecordHitWithIndexNV(recorded, scene, 1, 2, 3, 0xFEu, 4u, vec3(0), 0.0, vec3(1), 10.0, 0);
    hoExecute(recorded);
#endif
    vec4 sum = payload;
    for (uint i = 0u; i < 3u; i++) {
        hoReorderBoth(h, i, 2u);
        if (hoIsMiss(h)) break;
        hoExecute(h);
        sum += payload;
        hoTrace(h, scene, 0u, 0xFFu, 0u, 1u, 0u, sum.xyz, 0.0, vec3(0, 0, 1), 1000.0);
    }
    hoAttributes(h);
    sum.xy += attr;
    HO none;
    if (gl_LaunchIDEXT.y == 3u) hoMiss(none, 0u, 1u, vec3(0), 0.0, vec3(1), 10.0);
    hoReorder(none);
    hoExecute(none);
    sum.z += payload.x + more + hoTMax(h) + hoObjectToWorld(none)[2].x;
    outputs.v[gl_LaunchIDEXT.x] = sum;
}
`

// TestLinkHitObjects links pipelines with hit objects in all forms.
func TestLinkHitObjects(t *testing.T) {
	for _, d := range shapes.HitObjectDialects {
		t.Run(string(d), func(t *testing.T) {
			begin := shapes.HitObjects(d, "vec4", "vec2") + "#extension GL_EXT_scalar_block_layout : require\n"
			hit := "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT vec4 p;\n" +
				"hitAttributeEXT vec2 b;\nvoid main() { p += vec4(b, gl_HitTEXT, gl_PrimitiveID); }"
			miss := "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT vec4 p;\n" +
				"void main() { p += vec4(gl_WorldRayOriginEXT, 1.0); }"
			linkForms(t, []Stage{
				{Kind: Raygen, Code: glsltest.Compile(t, "rgen", begin+hitObjectBody)},
				{Kind: Miss, Code: glsltest.Compile(t, "rmiss", miss)},
				{Kind: ClosestHit, Code: glsltest.Compile(t, "rchit", hit)},
			}, 1, allForms...)
		})
	}
}

// TestHitObjectsRefused: what is not for a shader's kind is invalid, and what compute does not have is refused by its name.
func TestHitObjectsRefused(t *testing.T) {
	const body = `
layout(location = 0) rayPayload%s vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
void main() { HO h; %s }
`
	for _, c := range []struct {
		name, stage, payload, code string
		kind                       Model
		want                       error
		says                       string
	}{
		{"a reorder in a closest hit shader", "rchit", "InEXT", "hoReorder(h);", ClosestHit, ErrInvalid, "ReorderThread"},
		{"a reorder in a miss shader", "rmiss", "InEXT", "hoReorderHint(1u, 1u);", Miss, ErrInvalid, "ReorderThread"},
		{"a hit object in an any hit shader", "rahit", "InEXT", "hoEmpty(h);", AnyHit, ErrInvalid, "HitObject"},
		{"a hit object in a closest hit shader", "rchit", "InEXT", "hoEmpty(h);", ClosestHit, nil, ""},
		{"a reorder in a ray generation shader", "rgen", "EXT", "hoReorder(h);", Raygen, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec2") + fmt.Sprintf(body, c.payload, c.code)
			_, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: c.kind, Code: glsltest.Compile(t, c.stage, source)}},
				Options{MaxDepth: 1})
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	// The getter as the compiler emits it, with its capability.
	sphere := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec2") + `
spirv_instruction(extensions = ["SPV_NV_linear_swept_spheres"], capabilities = [5433], id = 5432)
vec3 sphereOf(spirv_by_reference HO h);
` + fmt.Sprintf(body, "EXT", "payload.xyz = sphereOf(h);")
	_, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: glsltest.Compile(t, "rgen", sphere)}}, Options{})
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "spheres") {
		t.Errorf("a sphere's getter: got %v, want ErrUnsupported that names spheres", err)
	}
	plain := glsltest.Compile(t, "rgen", shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec2")+
		fmt.Sprintf(body, "EXT", "hoEmpty(h);"))
	for capability, says := range map[spirv.Capability]string{
		5433: "spheres", 5434: "linear swept spheres", spirv.CapabilityRayTracingMotionBlurNV: "motion blur",
	} {
		m, err := spirv.Decode(plain)
		if err != nil {
			t.Fatal(err)
		}
		m.AddCapability(capability)
		_, err = Link(t.Context(), runtimeModule(t), []Stage{{Kind: Raygen, Code: m.Encode()}}, Options{})
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), says) {
			t.Errorf("capability %d: got %v, want ErrUnsupported that says %q", capability, err, says)
		}
	}
}

// TestLinkBothDialects: hit objects of both extensions in one module.
func TestLinkBothDialects(t *testing.T) {
	source := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec2") + `
#extension GL_NV_shader_invocation_reorder : require
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Out { vec4 v[]; } outputs;
void main() {
    payload = vec4(1);
    HO h;
    hoTrace(h, scene, 0u, 0xFFu, 0u, 1u, 0u, vec3(0), 0.0, vec3(0, 0, 1), 1000.0);
    hitObjectNV n;
    hitObjectTraceRayNV(n, scene, 0u, 0xFFu, 0u, 1u, 0u, vec3(1), 0.0, vec3(0, 0, 1), 1000.0, 0);
    reorderThreadNV(n, 1u, 1u);
    if (hitObjectIsHitNV(n) && hoIsMiss(h)) hitObjectExecuteShaderNV(n, 0);
    hoReorder(h);
    hoExecute(h);
    outputs.v[gl_LaunchIDEXT.x] = payload + hitObjectGetRayTMaxNV(n) + hoTMax(h);
}
`
	linkForms(t, []Stage{
		{Kind: Raygen, Code: glsltest.Compile(t, "rgen", source)}, {Kind: Miss, Code: glsltest.Compile(t, "rmiss", shapes.Miss)},
	}, 1, allForms...)
}

// TestAttributesAreBounded: hit attributes beyond 32 bytes are refused, those of hit objects, too.
func TestAttributesAreBounded(t *testing.T) {
	intersection := func(n int) string {
		return fmt.Sprintf("#version 460\n#extension GL_EXT_ray_tracing : require\nhitAttributeEXT float at[%d];\n"+
			"void main() { at[%d] = 1.0; reportIntersectionEXT(1.0, 1u); }\n", n, n-1)
	}
	object := func(typ string) string {
		return shapes.HitObjects(shapes.HitObjectsEXT, "vec4", typ) + "layout(location = 0) rayPayloadEXT vec4 payload;\n" +
			"layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;\n" +
			"void main() { HO h; hoTrace(h, scene, 0u, 255u, 0u, 0u, 0u, vec3(0), 0.0, vec3(1), 1.0); hoAttributes(h); " +
			"payload.x = float(attr[1][1]); hoExecute(h); }\n"
	}
	for _, c := range []struct {
		name, stage, source string
		kind                Model
		fits                bool
	}{
		{"32 bytes", "rint", intersection(8), Intersection, true}, {"36 bytes", "rint", intersection(9), Intersection, false},
		{"an object's 32 bytes", "rgen", object("mat2x4"), Raygen, true},
		{"an object's 48 bytes", "rgen", object("mat3x4"), Raygen, false},
	} {
		_, err := Link(t.Context(), runtimeModule(t), []Stage{{Kind: c.kind, Code: glsltest.Compile(t, c.stage, c.source)}},
			Options{MaxDepth: 1})
		if c.fits && err != nil || !c.fits && !(errors.Is(err, ErrUnsupported) && strings.Contains(err.Error(), "more than 32")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRecordedHitsLookForLeaves: the search through a structure is in the code only where a shader asks for what it finds.
func TestRecordedHitsLookForLeaves(t *testing.T) {
	raygen := shapes.HitObjects(shapes.HitObjectsNV, "vec4", "vec2") + `
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
void main() {
    HO h;
    hitObjectRecordHitNV(h, scene, 1, 2, 3, 0xFEu, 4u, 5u, vec3(0), 0.0, vec3(1), 10.0, 0);
    hoExecute(h);
}
`
	const hit = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_spirv_intrinsics : require
layout(location = 0) rayPayloadInEXT vec4 p;
spirv_decorate(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], 11, 5436) in int clusterId;
void main() { p.x = float(%s); }
`
	for read, want := range map[string]bool{"gl_HitTEXT": false, "gl_PrimitiveID": false, "clusterId": true} {
		l := linkUpTo(t, "dispatch", Options{MaxDepth: 1, Form: FormMegakernel},
			Stage{Kind: Raygen, Code: glsltest.Compile(t, "rgen", raygen)},
			Stage{Kind: ClosestHit, Code: glsltest.Compile(t, "rchit", fmt.Sprintf(hit, read))}).(*assembly)
		if got := l.readsLeaf(); got != want {
			t.Errorf("%s: the structure is searched: %v, want %v", read, got, want)
		}
	}
}
