package bvh

import (
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unsafe"

	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// spirvStructs reads the structures of a kernel that have offsets: name, member, bytes from the beginning.
func spirvStructs(t *testing.T, kernel string) map[string]map[string]uint32 {
	t.Helper()
	code, err := shaders.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	text := func(words []uint32) string {
		var b strings.Builder
		for _, w := range words {
			for ; w != 0; w >>= 8 {
				b.WriteByte(byte(w))
			}
		}
		return b.String()
	}
	type member struct{ id, index uint32 }
	names, members, offsets := map[uint32]string{}, map[member]string{}, map[member]uint32{}
	for at := 5; at < len(code); {
		op, n := code[at]&0xffff, int(code[at]>>16)
		in := code[at+1 : at+n]
		switch op {
		case 5: // OpName
			names[in[0]] = text(in[1:])
		case 6: // OpMemberName
			members[member{in[0], in[1]}] = text(in[2:])
		case 72: // OpMemberDecorate
			if in[2] == 35 { // Offset
				offsets[member{in[0], in[1]}] = in[3]
			}
		}
		at += n
	}
	out := map[string]map[string]uint32{}
	for m, offset := range offsets {
		if out[names[m.id]] == nil {
			out[names[m.id]] = map[string]uint32{}
		}
		out[names[m.id]][members[m]] = offset
	}
	return out
}

// fields are the names and offsets of a record's fields, as GLSL spells them. Fields without a name are left out.
func fields(r any, base uintptr) map[string]uint32 {
	out := map[string]uint32{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(r)) {
		if f.Name != "_" && !f.Anonymous {
			out[string(unicode.ToLower(rune(f.Name[0])))+f.Name[1:]] = uint32(base + f.Offset)
		}
	}
	return out
}

// updateFields are the fields of erUpdate by the member of ErBuild in whose place they are, and the functions of build.glsl
// that know.
var updateFields = map[string]struct{ field, function string }{
	"keysA": {"partBounds", "erPartBounds"}, "keysB": {"partReach", "erPartReach"}, "valuesA": {"lists", "erUpdateLists"},
	"valuesB": {"arrivals", "erUpdateArrivals"}, "parents": {"counts", "erUpdateCounts"},
}

// TestUpdateRecord holds erUpdate against erBuild, and sizes against constants; internal/house holds records against kernels.
func TestUpdateRecord(t *testing.T) {
	source, err := os.ReadFile("../shaders/bvh/common/build.glsl")
	if err != nil {
		t.Fatal(err)
	}
	update, build := fields(erUpdate{}, 0), fields(erBuild{}, 0)
	for member, other := range updateFields {
		if update[other.field] != build[member] {
			t.Errorf("erUpdate.%s is at %d, erBuild.%s at %d", other.field, update[other.field], member, build[member])
		}
		if want := "uvec2 " + other.function + "(ErBuild b) { return b." + member + "; }"; !strings.Contains(string(source), want) {
			t.Errorf("build.glsl does not say %q", want)
		}
		delete(update, other.field)
	}
	for f, at := range update {
		if b, ok := build[f]; !ok || b != at {
			t.Errorf("erUpdate.%s is at %d, that of erBuild at %d", f, at, b)
		}
	}
	for what, sizes := range map[string][2]uintptr{
		"erBuild": {unsafe.Sizeof(erBuild{}), layout.BuildRecordSize}, "erUpdate": {unsafe.Sizeof(erUpdate{}), layout.BuildRecordSize},
		"erGeometry": {unsafe.Sizeof(erGeometry{}), layout.GeometryRecord}, "erCopy": {unsafe.Sizeof(erCopy{}), copyRecordSize},
		"erIndirect": {unsafe.Sizeof(erIndirect{}), 16}, "erRay": {unsafe.Sizeof(erRay{}), RaySize},
		"erHit": {unsafe.Sizeof(erHit{}), HitSize}, "erClusterHit": {unsafe.Sizeof(erClusterHit{}), ClusterHitSize},
		"erWiden": {unsafe.Sizeof(erWiden{}), widenTask}, "erTracePush": {unsafe.Sizeof(erTracePush{}), tracerPushSize},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%s has %d bytes, the kernels read %d", what, sizes[0], sizes[1])
		}
	}
}

// TestStructureMatchesShaders holds the constants of layout.go against the views through which kernels read structures.
func TestStructureMatchesShaders(t *testing.T) {
	type members = map[string]uint32
	traversal, leaves := spirvStructs(t, "bvh/trace/trace.comp"), spirvStructs(t, "bvh/refit/leaves.comp")
	for _, c := range []struct {
		structs map[string]map[string]uint32
		name    string
		want    members
	}{
		{traversal, "ErNode", members{"xy0": layout.NodeXY0, "xy1": layout.NodeXY1, "z": layout.NodeZ, "children": layout.NodeChild0,
			"leaves": layout.NodeLeaves0}},
		{traversal, "ErHeaderView", members{
			"selfMagicVersion": layout.HeaderSelf, "compat": layout.HeaderCompat, "typeFlagsGeometriesPrimitives": layout.HeaderType,
			"activeRootHeightLeafBlock": layout.HeaderActive, "boundsMinNodes": layout.HeaderBoundsMin, "boundsMax": layout.HeaderBoundsMax,
		}},
		{traversal, "ErTriangle", members{"a": layout.TriangleV0, "b": layout.TriangleV1 + 4, "c": layout.TriangleV2 + 8}},
		{traversal, "ErInstance", members{
			"objectToWorld": layout.InstanceObjectToWorld, "worldToObject": layout.InstanceWorldToObject, "a": layout.InstanceBLAS,
			"b": layout.InstanceIndex,
		}},
		{spirvStructs(t, "bvh/build/header.comp"), "ErHeaderOut", members{
			"selfMagicVersion": layout.HeaderSelf, "compat": layout.HeaderCompat, "typeFlagsGeometriesPrimitives": layout.HeaderType,
			"activeRootHeightLeafBlock": layout.HeaderActive, "boundsMin": layout.HeaderBoundsMin, "nodes": layout.HeaderNodeCount,
			"boundsMax": layout.HeaderBoundsMax, "leafKind": layout.HeaderLeafKind, "totalSize": layout.HeaderTotalSize,
			"zero": layout.HeaderTotalSize + 16,
		}},
		{leaves, "ErBox", members{"a": layout.BoxMin, "b": layout.BoxMax}},
	} {
		if got := c.structs[c.name]; !maps.Equal(got, c.want) {
			t.Errorf("%s has %v, layout.go %v", c.name, got, c.want)
		}
	}
	// Words that share a vector of a view.
	for what, pair := range map[string][2]int{
		"magic": {layout.HeaderMagic, layout.HeaderSelf + 8}, "version": {layout.HeaderVersion, layout.HeaderSelf + 12},
		"flags":      {layout.HeaderFlags, layout.HeaderType + 4},
		"geometries": {layout.HeaderGeometryCount, layout.HeaderType + 8},
		"primitives": {layout.HeaderPrimitives, layout.HeaderType + 12},
		"root":       {layout.HeaderRoot, layout.HeaderActive + 4}, "height": {layout.HeaderHeight, layout.HeaderActive + 8},
		"leaf block":   {layout.HeaderLeafBlock, layout.HeaderActive + 12},
		"nodes":        {layout.HeaderNodeCount, layout.HeaderBoundsMin + 12},
		"leaf kind":    {layout.HeaderLeafKind, layout.HeaderBoundsMax + 12},
		"second child": {layout.NodeChild1, layout.NodeChild0 + 4}, "its leaves": {layout.NodeLeaves1, layout.NodeLeaves0 + 4},
		"third vertex": {layout.TriangleV2, layout.TriangleV1 + 12}, "primitive": {layout.TrianglePrimitive, layout.TriangleV2 + 12},
		"geometry":        {layout.TriangleGeometry, layout.TrianglePrimitive + 4},
		"custom index":    {layout.InstanceCustomIndexMask, layout.InstanceBLAS + 8},
		"table offset":    {layout.InstanceTableOffsetFlags, layout.InstanceBLAS + 12},
		"instance root":   {layout.InstanceRoot, layout.InstanceIndex + 4},
		"instance height": {layout.InstanceHeight, layout.InstanceIndex + 8},
		"instance leaves": {layout.InstanceLeafBlock, layout.InstanceIndex + 12},
		"box's primitive": {layout.BoxPrimitive, layout.BoxMin + 12},
		"box's geometry":  {layout.BoxGeometry, layout.BoxMax + 12},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: at %d, its vector has it at %d", what, pair[0], pair[1])
		}
	}
	if vk.AccelerationStructureInstanceSize != 64 {
		t.Error("instances of the input are 64 bytes")
	}
}
