package link

import (
	"testing"

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
			}, 1)
		})
	}
}
