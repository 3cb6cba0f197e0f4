package rt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/everray/everray/rt"
)

func TestStackSize(t *testing.T) {
	needs := rt.StackNeeds{
		rt.Raygen: 100, rt.ClosestHit: 40, rt.Miss: 10, rt.AnyHit: 20, rt.Intersection: 30, rt.Callable: 7,
	}
	for recursion, want := range map[uint32]uint32{0: 114, 1: 164, 2: 204, 5: 324} {
		if got := needs.Size(recursion); got != want {
			t.Errorf("recursion %d: %d, want %d", recursion, got, want)
		}
	}
}

// TestForms reads each form's name again, in any case.
func TestForms(t *testing.T) {
	for _, f := range append(rt.Forms(), rt.FormAuto) {
		if got, err := rt.ParseForm(strings.ToUpper(f.String())); got != f || err != nil {
			t.Errorf("%v was read as %v: %v", f, got, err)
		}
	}
	if f, err := rt.ParseForm(""); f != rt.FormAuto || err != nil {
		t.Errorf("the empty text is %v: %v", f, err)
	}
	if _, err := rt.ParseForm("kernel"); err == nil || !strings.Contains(err.Error(), "auto, monolithic") {
		t.Errorf("an unknown form: %v", err)
	}
	if n := len(rt.Forms()); n != int(rt.FormSuspended) {
		t.Errorf("%d forms", n)
	}
}

// TestGroups writes groups to a file and reads them.
func TestGroups(t *testing.T) {
	list := []rt.Group{rt.GeneralGroup(3), rt.TrianglesGroup(1, rt.Unused), rt.ProceduralGroup(2, 0, 1)}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Kind":"triangles","General":-1,"ClosestHit":1,"AnyHit":-1,"Intersection":-1}`
	if !strings.Contains(string(text), want) {
		t.Errorf("%s has no %s", text, want)
	}
	var again []rt.Group
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	for i, g := range again {
		if g != list[i] {
			t.Errorf("group %d is %v, was %v", i, g, list[i])
		}
	}
	if err := json.Unmarshal([]byte(`[{"Kind":"lines"}]`), &again); err == nil {
		t.Error("an unknown kind was read")
	}
	if _, err := json.Marshal(rt.Group{Kind: 3}); err == nil {
		t.Error("an unknown kind was written")
	}
	if got, want := list[2].Behind(10), rt.ProceduralGroup(12, 10, 11); got != want {
		t.Errorf("moved to %v", got)
	}
	if got, want := list[1].Behind(10), rt.TrianglesGroup(11, rt.Unused); got != want {
		t.Errorf("moved to %v", got)
	}
}

// TestStages holds the stages' bits against VkShaderStageFlagBits.
func TestStages(t *testing.T) {
	for k, want := range map[rt.StageKind]uint32{rt.Raygen: 0x100, rt.AnyHit: 0x200, rt.ClosestHit: 0x400, rt.Miss: 0x800,
		rt.Intersection: 0x1000, rt.Callable: 0x2000} {
		if !k.Valid() || k.Bit() != want {
			t.Errorf("%v has the bit %#x", k, k.Bit())
		}
	}
	if k := rt.Callable + 1; k.Valid() || k.String() != "StageKind(6)" {
		t.Errorf("%v is a stage", k)
	}
	if rt.StageKind(-1).Valid() {
		t.Error("-1 is a stage")
	}
}
