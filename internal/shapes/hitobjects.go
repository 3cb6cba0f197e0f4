package shapes

import "strings"

// Dialect is an extension of hit objects.
type Dialect string

// The dialects. The compiler at hand knows only NV's by itself; EXT's are written as SPIR-V instructions.
const (
	HitObjectsEXT Dialect = "EXT"
	HitObjectsNV  Dialect = "NV"
)

// HitObjectDialects are both.
var HitObjectDialects = []Dialect{HitObjectsEXT, HitObjectsNV}

// HitObjects returns what a shader with hit objects begins with, its version included: names of types and functions that mean the
// same in both dialects. P is the payload's type, which is at location 0 and called payload; A is that of the attributes,
// called attr. What only one has is there in its dialect alone.
func HitObjects(d Dialect, p, a string) string {
	text := hitObjectsNV
	if d == HitObjectsEXT {
		text = hitObjectsEXT
	}
	return strings.NewReplacer("PAYLOAD", p, "ATTRIBUTES", a).Replace(text)
}

const hitObjectsBegin = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_tracing_position_fetch : enable
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_nonuniform_qualifier : enable
`

const hitObjectsNV = hitObjectsBegin + `#extension GL_NV_shader_invocation_reorder : require
#define HO hitObjectNV
layout(location = 0) hitObjectAttributeNV ATTRIBUTES attr;
#define hoTrace(h, a, fl, mask, off, stride, miss, o, t0, d, t1) \
    hitObjectTraceRayNV(h, a, fl, mask, off, stride, miss, o, t0, d, t1, 0)
#define hoExecute(h) hitObjectExecuteShaderNV(h, 0)
#define hoReorder(h) reorderThreadNV(h)
#define hoReorderHint(hint, bits) reorderThreadNV(hint, bits)
#define hoReorderBoth(h, hint, bits) reorderThreadNV(h, hint, bits)
#define hoMiss(h, fl, miss, o, t0, d, t1) hitObjectRecordMissNV(h, miss, o, t0, d, t1)
#define hoEmpty(h) hitObjectRecordEmptyNV(h)
#define hoIsEmpty(h) hitObjectIsEmptyNV(h)
#define hoIsHit(h) hitObjectIsHitNV(h)
#define hoIsMiss(h) hitObjectIsMissNV(h)
#define hoAttributes(h) hitObjectGetAttributesNV(h, 0)
#define hoTMin(h) hitObjectGetRayTMinNV(h)
#define hoTMax(h) hitObjectGetRayTMaxNV(h)
#define hoWorldOrigin(h) hitObjectGetWorldRayOriginNV(h)
#define hoWorldDirection(h) hitObjectGetWorldRayDirectionNV(h)
#define hoObjectOrigin(h) hitObjectGetObjectRayOriginNV(h)
#define hoObjectDirection(h) hitObjectGetObjectRayDirectionNV(h)
#define hoObjectToWorld(h) hitObjectGetObjectToWorldNV(h)
#define hoWorldToObject(h) hitObjectGetWorldToObjectNV(h)
#define hoInstanceId(h) uint(hitObjectGetInstanceIdNV(h))
#define hoCustomIndex(h) uint(hitObjectGetInstanceCustomIndexNV(h))
#define hoGeometry(h) uint(hitObjectGetGeometryIndexNV(h))
#define hoPrimitive(h) uint(hitObjectGetPrimitiveIndexNV(h))
#define hoKind(h) hitObjectGetHitKindNV(h)
#define hoRecordIndex(h) hitObjectGetShaderBindingTableRecordIndexNV(h)
#define hoRecordData(h) hitObjectGetShaderRecordBufferHandleNV(h)
`

const hitObjectsEXT = hitObjectsBegin + `#extension GL_EXT_spirv_intrinsics : require
#define HO_VALUES // objects are assigned, returned, members and elements; NV's language has neither
#define X(n) spirv_instruction(extensions = ["SPV_EXT_shader_invocation_reorder"], capabilities = [5388], id = n)
#define HO spirv_type(extensions = ["SPV_EXT_shader_invocation_reorder"], capabilities = [5388], id = 5313)
#define R spirv_by_reference
spirv_storage_class(extensions = ["SPV_EXT_shader_invocation_reorder"], capabilities = [5388], 5411) ATTRIBUTES attr;
X(5316) void ho5316(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride, uint miss, vec3 o, float t0,
    vec3 d, float t1, R PAYLOAD p);
X(5311) void ho5311(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride, uint miss, vec3 o, float t0,
    vec3 d, float t1, R PAYLOAD p);
X(5311) void ho5311(R HO h, accelerationStructureEXT a, uint fl, uint mask, uint off, uint stride, uint miss, vec3 o, float t0,
    vec3 d, float t1, R PAYLOAD p, uint hint, uint bits);
#define hoTrace(h, a, fl, mask, off, stride, miss, o, t0, d, t1) ho5316(h, a, fl, mask, off, stride, miss, o, t0, d, t1, payload)
#define hoTraceReorderExecute(h, a, fl, mask, off, stride, miss, o, t0, d, t1) \
    ho5311(h, a, fl, mask, off, stride, miss, o, t0, d, t1, payload)
#define hoTraceReorderExecuteHint(h, a, fl, mask, off, stride, miss, o, t0, d, t1, hint, bits) \
    ho5311(h, a, fl, mask, off, stride, miss, o, t0, d, t1, payload, hint, bits)
X(5319) void ho5319(R HO h, R PAYLOAD p);
X(5310) void ho5310(R HO h, R PAYLOAD p);
X(5310) void ho5310(R HO h, R PAYLOAD p, uint hint, uint bits);
#define hoExecute(h) ho5319(h, payload)
#define hoReorderExecute(h) ho5310(h, payload)
#define hoReorderExecuteHint(h, hint, bits) ho5310(h, payload, hint, bits)
X(5315) void hoReorder(R HO h);
X(5314) void hoReorderHint(uint hint, uint bits);
X(5315) void hoReorderBoth(R HO h, uint hint, uint bits);
X(5305) void hoMiss(R HO h, uint fl, uint miss, vec3 o, float t0, vec3 d, float t1);
X(5318) void hoEmpty(R HO h);
X(5304) void ho5304(R HO h, R rayQueryEXT q, uint index, R ATTRIBUTES a);
X(5304) void ho5304(R HO h, R rayQueryEXT q, uint index, R ATTRIBUTES a, uint kind);
#define hoFromQuery(h, q, index) ho5304(h, q, index, attr)
#define hoFromQueryKind(h, q, index, kind) ho5304(h, q, index, attr, kind)
X(5309) void hoSetRecordIndex(R HO h, uint index);
X(5350) bool hoIsEmpty(R HO h);
X(5351) bool hoIsHit(R HO h);
X(5352) bool hoIsMiss(R HO h);
X(5321) void ho5321(R HO h, R ATTRIBUTES a);
#define hoAttributes(h) ho5321(h, attr)
X(5347) float hoTMin(R HO h);
X(5333) float hoTMax(R HO h);
X(5308) uint hoFlags(R HO h);
X(5330) vec3 hoWorldOrigin(R HO h);
X(5329) vec3 hoWorldDirection(R HO h);
X(5327) vec3 hoObjectOrigin(R HO h);
X(5328) vec3 hoObjectDirection(R HO h);
X(5331) mat4x3 hoObjectToWorld(R HO h);
X(5332) mat4x3 hoWorldToObject(R HO h);
X(5325) uint hoInstanceId(R HO h);
X(5326) uint hoCustomIndex(R HO h);
X(5324) uint hoGeometry(R HO h);
X(5323) uint hoPrimitive(R HO h);
X(5322) uint hoKind(R HO h);
X(5348) uint hoRecordIndex(R HO h);
X(5349) uvec2 hoRecordData(R HO h);
X(5307) vec3[3] hoVertices(R HO h);
X(5320) float hoTime(R HO h);
X(5346) int hoCluster(R HO h);
`
