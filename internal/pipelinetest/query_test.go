package pipelinetest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

const (
	queryGrid  = 24 // rays a side
	queryCount = queryGrid * queryGrid
)

// openQueries opens a device; validation messages fail the test.
func openQueries(t *testing.T, way engine.Backend) *engine.Device {
	t.Helper()
	validation := os.Getenv(vktest.NoValidationVariable) == ""
	dev, err := engine.Open(t.Context(), engine.Options{
		Backend: way, Device: os.Getenv(vktest.DeviceVariable), Validation: validation, SyncValidation: validation,
		Restrict: vktest.Restrict(t),
		OnMessage: func(m vk.Message) {
			if m.Validation {
				t.Errorf("validation: %v", m)
			}
		},
	})
	if err != nil {
		missingWay(t, way, err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	if way == engine.BackendNative && !dev.VK().Features().RayQuery {
		t.Skipf("%s has no ray queries to compare with", dev.Info().Name)
	}
	return dev
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func floats(v ...float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// queryScene is triangles and boxes, some opaque, under instances of every kind.
type queryScene struct {
	owned []interface{ Destroy() }
	tlas  *engine.AccelerationStructure
}

func newQueryScene(t *testing.T, d *engine.Device, flags vk.BuildFlags) *queryScene {
	t.Helper()
	s := &queryScene{}
	t.Cleanup(func() {
		for i := len(s.owned) - 1; i >= 0; i-- {
			s.owned[i].Destroy()
		}
	})
	r := rand.New(rand.NewPCG(11, 3))
	const triangles, boxes = 40, 24
	var vertices, corners []float32
	for range 2 * triangles {
		x, y, z := r.Float32()*2-1, r.Float32()*2-1, r.Float32()
		for range 3 {
			vertices = append(vertices, x+r.Float32()-0.5, y+r.Float32()-0.5, z+0.3*r.Float32())
		}
	}
	for i := range 2 * boxes { // as in queryDecide
		x, y, z := float32(i*7%17)/8-1, float32(i*11%23)/11-1, float32(i*5%13)/13
		corners = append(corners, x-0.2, y-0.25, z-0.1, x+0.2, y+0.25, z+0.1)
	}
	input := func(name string, values []float32) vk.DeviceAddress {
		b, err := d.NewBuildInput(t.Context(), name, floats(values...))
		check(t, err)
		s.owned = append(s.owned, b)
		return b.Address()
	}
	once := vk.GeometryNoDuplicateAnyHit
	mesh := vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: input("vertices", vertices), VertexStride: 12,
		MaxVertex: 6*triangles - 1, IndexType: vk.IndexNone}
	list := vk.AABBs{Data: input("boxes", corners), Stride: 24}
	bottom := func(name string, geometries []vk.Geometry, count, stride uint32) *engine.AccelerationStructure {
		a := queryBuild(t, d, engine.BuildInput{Name: name, Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: flags,
			Geometries: geometries},
			Ranges: []vk.BuildRange{{PrimitiveCount: count}, {PrimitiveCount: count, PrimitiveOffset: count * stride}}})
		s.owned = append(s.owned, a)
		return a
	}
	a := bottom("triangles", []vk.Geometry{
		{Type: vk.GeometryTriangles, Flags: once | vk.GeometryOpaque, Triangles: mesh}, {Type: vk.GeometryTriangles, Flags: once,
			Triangles: mesh},
	}, triangles, 36)
	b := bottom("boxes", []vk.Geometry{
		{Type: vk.GeometryAABBs, Flags: once | vk.GeometryOpaque, AABBs: list}, {Type: vk.GeometryAABBs, Flags: once, AABBs: list},
	}, boxes, 24)
	at := func(x, y, z, scale float32) [12]float32 {
		return [12]float32{scale, 0.1, 0, x, -0.1, 0.8, 0.2, y, 0, 0, 1, z}
	}
	instance := vk.NewAccelerationStructureInstance
	instances, err := d.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		instance(vk.IdentityTransform(), 5, 0xFF, 7, 0, a.Address()),
		instance(at(0.1, -0.1, 1.5, -0.7), 77, 0x0F, 300, 0, a.Address()), // mirrored
		instance(at(0.1, 0.3, -2.5, 0.9), 0xABCDEF, 0x3F, 0x123456, vk.InstanceForceNoOpaque|vk.InstanceTriangleFlipFacing, a.Address()),
		instance(at(-0.2, 0.1, -4.5, 0.6), 3, 0xF0, 1, vk.InstanceForceOpaque|vk.InstanceTriangleFacingCullDisable, a.Address()),
		instance(at(0, 0, -1.2, 0.8), 40, 0xC3, 2, 0, b.Address()),
		instance(at(0.2, -0.2, 0.6, -0.5), 41, 0xFF, 3, vk.InstanceForceOpaque, b.Address()),
	})
	check(t, err)
	s.owned = append(s.owned, instances)
	info, ranges := engine.InstancesInfo(instances.Address(), 6, vk.PreferFastTrace)
	s.tlas = queryBuild(t, d, engine.BuildInput{Name: "scene", Info: info, Ranges: ranges})
	s.owned = append(s.owned, s.tlas)
	return s
}

func queryBuild(t *testing.T, d *engine.Device, in engine.BuildInput) *engine.AccelerationStructure {
	t.Helper()
	list, _, err := d.BuildAccelerationStructures(t.Context(), []engine.BuildInput{in})
	check(t, err)
	return list[0]
}

// The scalars that a query starts with, as push constants.
type queryRay struct {
	flags, mask uint32
	tMin, tMax  float32
}

func (r queryRay) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, r.flags)
	b = binary.LittleEndian.AppendUint32(b, r.mask)
	return append(b, floats(r.tMin, r.tMax)...)
}

var wholeRay = queryRay{0, 0xFF, 0, 100}

// queryHead declares what the test's shaders share: rays over a grid, START to initialise a query with them, and OUT for
// the words of this lane's result.
const queryHead = `#version 460
#extension GL_EXT_ray_query : require
#define GRID 24
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Result { uint word[]; } result;
layout(set = 0, binding = 2) uniform accelerationStructureEXT scenes[2];
layout(push_constant) uniform Ray { uint flags, mask; float tMin, tMax; } ray;
vec3 originOf(uvec2 p) { return vec3((vec2(p) + 0.5) / GRID * 2.0 - 1.0, 4.0); }
vec3 directionOf(uvec2 p) { return vec3(sin(float(p.x)) * 0.2, cos(float(p.y)) * 0.2, -1.5); }
#define RAY ray.mask, originOf(gl_GlobalInvocationID.xy), ray.tMin, directionOf(gl_GlobalInvocationID.xy), ray.tMax
#define START(q) rayQueryInitializeEXT(q, scene, ray.flags, RAY)
#define LANE (gl_GlobalInvocationID.y * GRID + gl_GlobalInvocationID.x)
#define OUT(i) result.word[LANE * WORDS + i]
#define BITS(x) floatBitsToUint(x)
bool triangle(rayQueryEXT q) { return rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionTriangleEXT; }
`

// queryRig runs compute shaders over the scene.
type queryRig struct {
	device *engine.Device
	scene  *queryScene
	layout *engine.DescriptorSetLayout
}

func newQueryRig(t *testing.T, d *engine.Device, flags vk.BuildFlags) *queryRig {
	t.Helper()
	r := &queryRig{device: d, scene: newQueryScene(t, d, flags)}
	var err error
	stages := vk.StageCompute | vk.StageVertex | vk.StageFragment
	if f := d.VK().Features(); f.TessellationShader && f.GeometryShader {
		stages |= vk.StageTessellationControl | vk.StageTessellationEvaluation | vk.StageGeometry
	}
	r.layout, err = d.NewDescriptorSetLayout("queries", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Stages: stages},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Stages: stages},
		{Binding: 2, Type: vk.DescriptorTypeAccelerationStructure, Count: 2, Stages: stages},
	})
	check(t, err)
	t.Cleanup(r.layout.Destroy)
	return r
}

// set returns descriptors of the scene and a result buffer; the second of binding 2 is the null structure.
func (r *queryRig) set(t *testing.T, words int, tlas *engine.AccelerationStructure) (*engine.DescriptorSet, *vk.Buffer) {
	t.Helper()
	result, err := r.device.VK().NewBuffer(vk.BufferOptions{Name: "result", Size: uint64(4 * words * queryCount), Memory: vk.Readback})
	check(t, err)
	t.Cleanup(result.Destroy)
	set, err := r.device.NewDescriptorSet(r.layout)
	check(t, err)
	t.Cleanup(set.Destroy)
	set.WriteAccelerationStructure(0, 0, tlas)
	set.WriteBuffer(1, 0, result, 0, 0)
	set.WriteAccelerationStructure(2, 0, tlas)
	set.WriteAccelerationStructure(2, 1, nil)
	check(t, set.Err())
	return set, result
}

func (r *queryRig) pipeline(t *testing.T, code []uint32) *engine.ComputePipeline {
	t.Helper()
	p, err := r.device.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{
		Name: t.Name(), Code: code, SetLayouts: []*engine.DescriptorSetLayout{r.layout}, PushConstantBytes: 16,
	})
	check(t, err)
	t.Cleanup(p.Destroy)
	return p
}

func (r *queryRig) dispatch(t *testing.T, p *engine.ComputePipeline, words int, ray queryRay,
	tlas *engine.AccelerationStructure) []uint32 {
	t.Helper()
	set, result := r.set(t, words, tlas)
	check(t, r.device.Run(t.Context(), t.Name(), func(cb *vk.CommandBuffer) error {
		r.device.CmdBarrier(cb)
		defer r.device.CmdBarrier(cb)
		return r.device.CmdDispatch(cb, engine.DispatchOptions{
			Pipeline: p, Sets: []*engine.DescriptorSet{set}, PushConstants: ray.bytes(), X: queryGrid / 8, Y: queryGrid / 8, Z: 1,
		})
	}))
	return readWords(t, r.device, result)
}

func readWords(t *testing.T, d *engine.Device, b *vk.Buffer) []uint32 {
	t.Helper()
	data := make([]byte, b.Size())
	check(t, d.VK().ReadBuffer(t.Context(), b, 0, data))
	out := make([]uint32, len(data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out
}

// compareQueries compares the results of both ways. Layout has a letter a word: u for equal words, f for floats, which may
// differ in their last bits.
func compareQueries(t *testing.T, layout string, native, compute []uint32) {
	t.Helper()
	const tolerance = 2e-5
	wrong := 0
	for i := range native {
		a, b := native[i], compute[i]
		if a == b {
			continue
		}
		k := i % len(layout)
		if x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b)); layout[k] == 'f' &&
			math.Abs(x-y) <= tolerance*max(1, math.Abs(x)) {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("ray %d, word %d (%c): native %#x (%v), compute %#x (%v)", i/len(layout), k, layout[k], a, math.Float32frombits(a), b,
				math.Float32frombits(b))
		}
	}
	if wrong > 5 {
		t.Errorf("%d of %d words differ", wrong, len(native))
	}
}

// queryValues counts the different values of one word of the results, to see that a test tests something.
func queryValues(layout string, results []uint32, word int) int {
	seen := map[uint32]bool{}
	for i := word; i < len(results); i += len(layout) {
		seen[results[i]] = true
	}
	return len(seen)
}

// queryRow is a shader's main function, over rays of several kinds, and what its words are.
type queryRow struct {
	name, body, words string
	rays              []queryRay
	// vary is a word that takes several values.
	vary int
}

const queryDecide = `
	uint n = 0u;
	while (rayQueryProceedEXT(q)) {
		n++;
		uint p = rayQueryGetIntersectionPrimitiveIndexEXT(q, false);
		if (triangle(q)) {
			if ((p & 1u) == 0u) rayQueryConfirmIntersectionEXT(q);
			continue;
		}
		// A point within the box.
		uint b = p + 24u * rayQueryGetIntersectionGeometryIndexEXT(q, false);
		vec3 center = vec3(float(b * 7u % 17u) / 8.0 - 1.0, float(b * 11u % 23u) / 11.0 - 1.0, float(b * 5u % 13u) / 13.0);
		vec3 o = rayQueryGetIntersectionObjectRayOriginEXT(q, false), d = rayQueryGetIntersectionObjectRayDirectionEXT(q, false);
		vec3 a = (center - o) / d, e = vec3(0.2, 0.25, 0.1) / abs(d);
		float entry = max(max(a.x - e.x, a.y - e.y), a.z - e.z), leave = min(min(a.x + e.x, a.y + e.y), a.z + e.z);
		float t = mix(entry, leave, 0.25);
		float end = rayQueryGetIntersectionTypeEXT(q, true) == 0u ? ray.tMax : rayQueryGetIntersectionTEXT(q, true);
		if (entry < leave && t >= ray.tMin && t <= end && (p % 3u) != 0u) rayQueryGenerateIntersectionEXT(q, t);
	}
`

// queryCommitted writes what the getters tell of the hit: 38 words.
const queryCommitted = `
	uint type = rayQueryGetIntersectionTypeEXT(q, true);
	for (uint i = 0u; i < WORDS; i++) OUT(i) = 0u;
	OUT(0) = type;
	OUT(1) = BITS(rayQueryGetRayTMinEXT(q)); OUT(2) = rayQueryGetRayFlagsEXT(q);
	vec3 wo = rayQueryGetWorldRayOriginEXT(q), wd = rayQueryGetWorldRayDirectionEXT(q);
	OUT(3) = BITS(wo.x); OUT(4) = BITS(wo.y); OUT(5) = BITS(wd.x); OUT(6) = BITS(wd.z);
	if (type != gl_RayQueryCommittedIntersectionNoneEXT) {
		OUT(7) = BITS(rayQueryGetIntersectionTEXT(q, true));
		OUT(8) = rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
		OUT(9) = rayQueryGetIntersectionInstanceIdEXT(q, true);
		OUT(10) = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true);
		OUT(11) = rayQueryGetIntersectionGeometryIndexEXT(q, true);
		OUT(12) = rayQueryGetIntersectionPrimitiveIndexEXT(q, true);
		vec3 o = rayQueryGetIntersectionObjectRayOriginEXT(q, true), d = rayQueryGetIntersectionObjectRayDirectionEXT(q, true);
		for (uint k = 0u; k < 3u; k++) { OUT(13 + k) = BITS(o[k]); OUT(16 + k) = BITS(d[k]); }
		mat4x3 a = rayQueryGetIntersectionObjectToWorldEXT(q, true), b = rayQueryGetIntersectionWorldToObjectEXT(q, true);
		for (uint k = 0u; k < 4u; k++) { OUT(19 + k) = BITS(a[k][k % 3u]); OUT(23 + k) = BITS(b[k][(k + 1u) % 3u]); }
	}
	if (type == gl_RayQueryCommittedIntersectionTriangleEXT) {
		vec2 b = rayQueryGetIntersectionBarycentricsEXT(q, true);
		OUT(27) = BITS(b.x); OUT(28) = BITS(b.y);
		OUT(29) = rayQueryGetIntersectionFrontFaceEXT(q, true) ? 2u : 1u;
	}
`

const queryCommittedWords = "ufuffff" + "fuuuuu" + "ffffff" + "ffffffff" + "ffu"

// flagRays is every ray flag, alone and in the company that changes its meaning.
func flagRays() []queryRay {
	var list []queryRay
	for _, f := range []uint32{0, 1, 2, 16, 32, 64, 128, 256, 512, 16 | 2, 32 | 1, 64 | 2, 128 | 1, 64 | 512, 128 | 256, 8} {
		list = append(list, queryRay{f, 0xFF, 0, 100})
	}
	for _, m := range []uint32{0, 1, 0x10, 0x30, 0xC0, 0x1FF} {
		list = append(list, queryRay{0, m, 0, 100})
	}
	return append(list, queryRay{0, 0xFF, 2.5, 100}, queryRay{0, 0xFF, 0, 2.75}, queryRay{2, 0xFF, 2.2, 3.5}, queryRay{0, 0xFF, 3, 3})
}

var queryRows = []queryRow{
	{"committed", "rayQueryEXT q; START(q);" + queryDecide + queryCommitted, queryCommittedWords, flagRays(), 12},
	{"candidates", `rayQueryEXT q; START(q);
	// Nothing is committed: all candidates come, in whatever order.
	uint n = 0u, sum = 0u, opaque = 0u, front = 0u, boxes = 0u;
	float t = 0.0, far = 0.0, bary = 0.0, space = 0.0;
	while (rayQueryProceedEXT(q)) {
		uint id = rayQueryGetIntersectionPrimitiveIndexEXT(q, false) + 1000u * rayQueryGetIntersectionGeometryIndexEXT(q, false) +
			3000u * rayQueryGetIntersectionInstanceIdEXT(q, false);
		n++;
		sum += id * id + rayQueryGetIntersectionInstanceCustomIndexEXT(q, false) * 7u +
			rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, false) * 11u;
		vec3 o = rayQueryGetIntersectionObjectRayOriginEXT(q, false), d = rayQueryGetIntersectionObjectRayDirectionEXT(q, false);
		space = max(space, dot(o, vec3(1, 2, 3)) + dot(d, vec3(4, 5, 6)) + rayQueryGetIntersectionObjectToWorldEXT(q, false)[3].y +
			rayQueryGetIntersectionWorldToObjectEXT(q, false)[0].x);
		if (triangle(q)) {
			t = max(t, rayQueryGetIntersectionTEXT(q, false));
			far = min(far, -rayQueryGetIntersectionTEXT(q, false));
			vec2 b = rayQueryGetIntersectionBarycentricsEXT(q, false);
			bary = max(bary, b.x + 2.0 * b.y);
			if (rayQueryGetIntersectionFrontFaceEXT(q, false)) front++;
		} else {
			boxes += id;
			if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(q)) opaque++;
		}
	}
	OUT(0) = n; OUT(1) = sum; OUT(2) = opaque; OUT(3) = front; OUT(4) = boxes;
	OUT(5) = BITS(t); OUT(6) = BITS(far); OUT(7) = BITS(bary); OUT(8) = BITS(space);
	OUT(9) = rayQueryGetIntersectionTypeEXT(q, true) | (rayQueryProceedEXT(q) ? 16u : 0u);`,
		"uuuuuffffu", []queryRay{{2, 0xFF, 0, 100}, {2 | 16, 0xFF, 0, 100}, {2 | 32, 0x0F, 0, 100}, {2 | 256, 0xFF, 1, 4},
			{2 | 512, 0xFF, 0, 3}, {512 | 64, 0xFF, 0, 100}, {64, 0xFF, 0, 100}}, 0},
	{"several at once", `rayQueryEXT a; rayQueryEXT b; START(a);
	rayQueryInitializeEXT(b, scene, 2u | 512u, ray.mask, originOf(gl_GlobalInvocationID.yx), 0.5,
		directionOf(gl_GlobalInvocationID.yx), 50.0);
	uint n = 0u;
	bool goA = true, goB = true;
	while (goA || goB) { // in turns, each with its own state
		if (goA) { goA = rayQueryProceedEXT(a); if (goA && triangle(a)) rayQueryConfirmIntersectionEXT(a); }
		if (goB) { goB = rayQueryProceedEXT(b); if (goB) { n += rayQueryGetIntersectionPrimitiveIndexEXT(b, false) + 1u; } }
	}
	OUT(0) = rayQueryGetIntersectionTypeEXT(a, true);
	OUT(1) = OUT(0) == 0u ? 0u : rayQueryGetIntersectionPrimitiveIndexEXT(a, true) +
	    100u * rayQueryGetIntersectionInstanceIdEXT(a, true);
	OUT(2) = OUT(0) == 0u ? 0u : BITS(rayQueryGetIntersectionTEXT(a, true));
	OUT(3) = n; OUT(4) = BITS(rayQueryGetRayTMinEXT(b));`, "uufuf", []queryRay{wholeRay, {1, 0xFF, 0, 100}}, 3},
	{"arrays", `rayQueryEXT q[3];
	uint m = gl_GlobalInvocationID.x % 3u, n = 0u;
	for (uint i = 0u; i < 3u; i++)
		rayQueryInitializeEXT(q[(i + m) % 3u], scenes[i & 1u], 2u | 512u, 0xFFu >> i, originOf(gl_GlobalInvocationID.xy), 0.0,
			directionOf(gl_GlobalInvocationID.xy), 100.0);
	for (uint i = 0u; i < 3u; i++) {
		while (rayQueryProceedEXT(q[i])) {
			n += (i + 3u - m) % 3u + rayQueryGetIntersectionPrimitiveIndexEXT(q[i], false) + 1u;
			rayQueryProceedEXT(q[(i + 1u) % 3u]); // the next is one ahead
		}
	}
	OUT(0) = n; OUT(1) = rayQueryGetRayFlagsEXT(q[1]);`, "uu", []queryRay{wholeRay}, 0},
	{"early end", `rayQueryEXT q; START(q);
	uint n = 0u;
	while (rayQueryProceedEXT(q)) { n++; rayQueryTerminateEXT(q); }
	OUT(0) = n; OUT(1) = rayQueryProceedEXT(q) ? 1u : 0u; OUT(2) = rayQueryGetIntersectionTypeEXT(q, true);
	rayQueryInitializeEXT(q, scene, 4u | 2u | 512u, RAY);
	while (rayQueryProceedEXT(q)) { n += 100u; rayQueryConfirmIntersectionEXT(q); }
	OUT(3) = n; OUT(4) = rayQueryGetIntersectionTypeEXT(q, true);
	rayQueryInitializeEXT(q, scene, 4u | 2u | 256u, RAY);
	n = 0u;
	while (rayQueryProceedEXT(q)) { n++; rayQueryGenerateIntersectionEXT(q, 5.0); }
	OUT(5) = n; OUT(6) = rayQueryGetIntersectionTypeEXT(q, true);
	rayQueryInitializeEXT(q, scene, 4u | 1u | 512u, RAY);
	OUT(7) = rayQueryProceedEXT(q) ? 1u : 0u; OUT(8) = rayQueryGetIntersectionTypeEXT(q, true);`, "uuuuuuuuu",
		[]queryRay{{2, 0xFF, 0, 100}, {2 | 512, 0xFF, 0, 100}}, 4},
}

// TestQueries runs every row natively and by compute, over many rays, and compares the words.
func TestQueries(t *testing.T) {
	native := newQueryRig(t, openQueries(t, engine.BackendNative), 0)
	compute := newQueryRig(t, openQueries(t, engine.BackendCompute), 0)
	// Leaves of up to eight records, in the middle of which queries go on, and nodes of four children on CPUs.
	others := []*queryScene{newQueryScene(t, compute.device, vk.PreferFastBuild), newQueryScene(t, compute.device, vk.PreferFastTrace)}
	for _, row := range queryRows {
		code := glsltest.Compile(t, "comp", strings.Replace(queryHead, "GRID 24", fmt.Sprintf("GRID 24\n#define WORDS %d",
			len(row.words)), 1)+
			"layout(local_size_x = 8, local_size_y = 8) in;\nvoid main() {\n"+row.body+"}\n")
		t.Run(row.name, func(t *testing.T) {
			a, b := native.pipeline(t, code), compute.pipeline(t, code)
			for _, ray := range row.rays {
				t.Run(fmt.Sprintf("flags %d mask %#x t %g to %g", ray.flags, ray.mask, ray.tMin, ray.tMax), func(t *testing.T) {
					want := native.dispatch(t, a, len(row.words), ray, native.scene.tlas)
					got := compute.dispatch(t, b, len(row.words), ray, compute.scene.tlas)
					compareQueries(t, row.words, want, got)
					for _, s := range others {
						compareQueries(t, row.words, want, compute.dispatch(t, b, len(row.words), ray, s.tlas))
					}
					if ray == wholeRay && queryValues(row.words, got, row.vary) < 2 {
						t.Errorf("word %d is the same for all rays: the test tests nothing", row.vary)
					}
				})
			}
			t.Run("null structure", func(t *testing.T) {
				compareQueries(t, row.words, native.dispatch(t, a, len(row.words), wholeRay, nil),
					compute.dispatch(t, b, len(row.words), wholeRay, nil))
			})
		})
	}
}
