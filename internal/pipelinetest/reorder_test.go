package pipelinetest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/conformance"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/internal/shapes"
	"github.com/everray/everray/sbt"
)

// reorderRaygen asks for an order by a hint in half of the lanes, and looks who else is in the subgroup before and behind.
const reorderRaygen = `
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_basic : require
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
uint hash(uint v) { v = v * 747796405u + 2891336453u; return ((v >> 15u) ^ v) * 277803737u; }
void main() {
    uvec3 id = gl_LaunchIDEXT, size = gl_LaunchSizeEXT;
    uint at = ((id.z * size.y + id.y) * size.x + id.x) * 4u;
    uint hint = hash(at) >> 28u;
    uint lane = gl_SubgroupInvocationID;
    result.word[at] = subgroupAllEqual(hint) ? 1u : 0u;
    if ((id.x & 1u) != 0u) { // the others stay, and must not be waited for
        result.word[at + 1u] = 0u;
        result.word[at + 2u] = 2u;
        result.word[at + 3u] = at;
        return;
    }
    result.word[at + 1u] = 7u;
    hoReorderHint(0xABCD0000u | hint, 4u);
    result.word[at + 1u] += subgroupAllEqual(hint) ? 1u : 0u; // what was written before is seen
    result.word[at + 2u] = lane != gl_SubgroupInvocationID ? 1u : 0u;
    uvec3 now = gl_LaunchIDEXT;
    result.word[at + 3u] = ((now.z * gl_LaunchSizeEXT.y + now.y) * gl_LaunchSizeEXT.x + now.x) * 4u;
}
`

// TestReorderActivity: the reordering hint tells the truth. Where a pipeline says that it reorders, lanes of one hint are together
// behind a reorder, in other places than before; where it does not, all stay where they are. Places of odd launches keep their ids.
func TestReorderActivity(t *testing.T) {
	rig := openConformance(t, engine.BackendCompute, nil)
	source := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec4") + reorderRaygen
	stages := []engine.Stage{{Name: "raygen", Kind: engine.Raygen, Code: glsltest.Compile(t, "rgen", source)}}
	p := &conformance.Program{Name: "reorder", Groups: []engine.Group{engine.GeneralGroup(0)}, Words: 4, Depth: 1}
	for _, form := range []engine.LinkForm{engine.FormMonolithic, engine.FormMegakernel, engine.FormWavefront, engine.FormSorted,
		engine.FormSuspended} {
		t.Run(form.String(), func(t *testing.T) {
			run, err := rig.link(t, p, stages, form)
			if err != nil {
				t.Fatal(err)
			}
			defer run.pipeline.Destroy()
			reorders := run.pipeline.Stats().Reorders
			if reorders != form.InRounds() {
				t.Errorf("Reorders is %v", reorders)
			}
			for _, size := range [][3]uint32{{128, 64, 1}, {1521, 23, 1}, {44, 1, 173}} {
				row := conformance.Row{Name: "activity", Program: p, Launch: size, Table: sbt.Layout{Raygen: []sbt.Record{{Group: 0}}}}
				got, err := run.trace(t, &row)
				if err != nil {
					t.Fatal(err)
				}
				checkActivity(t, size, got, reorders)
			}
		})
	}
}

// checkActivity judges one launch.
func checkActivity(t *testing.T, size [3]uint32, got []uint32, reorders bool) {
	t.Helper()
	lanes, before, behind, moved := 0, 0, 0, 0
	for i := 0; i < len(got); i += 4 {
		if got[i+3] != uint32(i) {
			t.Fatalf("%v: place %d finds itself at %d", size, i/4, got[i+3]/4)
		}
		if got[i+2] == 2 {
			continue
		}
		if got[i+1] != 7 && got[i+1] != 8 {
			t.Fatalf("%v: place %d has %d where 7 was written before", size, i/4, got[i+1])
		}
		lanes++
		before, behind, moved = before+int(got[i]), behind+int(got[i+1]-7), moved+int(got[i+2])
	}
	t.Logf("%v: of %d lanes %d are with their like before, %d behind, %d in another place", size, lanes, before, behind, moved)
	switch {
	case lanes != len(got)/8 && size[0]%2 == 0:
		t.Errorf("%v: %d lanes of %d asked", size, lanes, len(got)/4)
	case reorders && (behind < lanes*3/4 || moved < lanes/2):
		t.Errorf("%v: it reorders, but %d of %d lanes are with their like, and %d in another place", size, behind, lanes, moved)
	case !reorders && moved != 0:
		t.Errorf("%v: it does not reorder, but %d lanes are in another place", size, moved)
	}
}

// byObjectRaygen orders lanes by objects of three kinds, and by a hint of more bits than there is room for beside them.
const byObjectRaygen = `
#extension GL_KHR_shader_subgroup_vote : require
layout(location = 0) rayPayloadEXT vec4 payload;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { uint word[]; } result;
uint hash(uint v) { v = v * 747796405u + 2891336453u; return ((v >> 15u) ^ v) * 277803737u; }
void main() {
    uint at = gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
    uint mixed = hash(at), kind = (mixed >> 8u) % 3u, hint = mixed >> 26u; // of six bits
    HO h;
    if (kind > 0u) hoMiss(h, 0u, kind - 1u, vec3(0), 0.0, vec3(1), 1.0);
    result.word[at * 4u] = subgroupAllEqual(kind) ? 1u : 0u;
    hoReorderBoth(h, hint, 6u);
    result.word[at * 4u + 1u] = subgroupAllEqual(kind) ? 1u : 0u;
    result.word[at * 4u + 2u] = subgroupAllEqual(hint >> 3u) ? 1u : 0u;
    result.word[at * 4u + 3u] = kind + 1u;
}
`

// TestReorderByObject: lanes are ordered by the shader that their object names first, those without one together, then by the
// higher bits of the hint.
func TestReorderByObject(t *testing.T) {
	rig := openConformance(t, engine.BackendCompute, nil)
	source := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec4") + byObjectRaygen
	miss := "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT vec4 p;\n" +
		"void main() { p = vec4(%d); }"
	stages := []engine.Stage{{Name: "raygen", Kind: engine.Raygen, Code: glsltest.Compile(t, "rgen", source)}}
	groups := []engine.Group{engine.GeneralGroup(0)}
	table := sbt.Layout{Raygen: []sbt.Record{{Group: 0}}}
	for k := range 2 {
		stages = append(stages, engine.Stage{Kind: engine.Miss, Code: glsltest.Compile(t, "rmiss", fmt.Sprintf(miss, k))})
		groups = append(groups, engine.GeneralGroup(1+k))
		table.Miss = append(table.Miss, sbt.Record{Group: 1 + k})
	}
	p := &conformance.Program{Name: "by object", Groups: groups, Words: 4, Depth: 1}
	run, err := rig.link(t, p, stages, engine.FormWavefront)
	if err != nil {
		t.Fatal(err)
	}
	defer run.pipeline.Destroy()
	row := conformance.Row{Name: "by object", Program: p, Launch: [3]uint32{128, 96, 1}, Table: table}
	got, err := run.trace(t, &row)
	if err != nil {
		t.Fatal(err)
	}
	before, kinds, both := 0, 0, 0
	for i := 0; i < len(got); i += 4 {
		if got[i+3] < 1 || got[i+3] > 3 {
			t.Fatalf("place %d did not run", i/4)
		}
		before, kinds, both = before+int(got[i]), kinds+int(got[i+1]), both+int(got[i+1]&got[i+2])
	}
	n := len(got) / 4
	t.Logf("of %d lanes %d are with their kind before, %d behind, of which %d also with like hints", n, before, kinds, both)
	if kinds < n*9/10 || both < n*3/4 || before > n/4 {
		t.Errorf("of %d lanes %d are with their kind before, %d behind, of which %d also with like hints", n, before, kinds, both)
	}
}

// TestHitObjectsNatively: a driver without the extensions refuses hit objects by name, and Options.HitObjects has the compute way
// taken instead.
func TestHitObjectsNatively(t *testing.T) {
	rig := openConformance(t, engine.BackendNative, nil)
	if rig.dev.Limits().HitObjectsEXT {
		t.Skip("the driver has them")
	}
	source := shapes.HitObjects(shapes.HitObjectsEXT, "vec4", "vec4") + reorderRaygen
	p := &conformance.Program{Name: "reorder", Groups: []engine.Group{engine.GeneralGroup(0)}, Words: 4, Depth: 1}
	_, err := rig.link(t, p, []engine.Stage{{Kind: engine.Raygen, Code: glsltest.Compile(t, "rgen", source)}}, engine.FormAuto)
	if !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	t.Log(err)
}
