package spirv_test

import (
	"slices"
	"testing"

	"github.com/everray/everray/fallback/spirv"
	"github.com/everray/everray/internal/glsltest"
)

// TestCanonise: modules that differ in their ids alone become the same words, which are valid, and stay as they are; a structure
// that points to itself, and an array of pointers to it, included.
func TestCanonise(t *testing.T) {
	code := glsltest.Compile(t, "comp", `#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer List;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer List { List next; List others[2]; float value; };
layout(push_constant) uniform Arguments { List list; } arguments;
layout(set = 0, binding = 0) buffer Sum { float sum[]; };
shared float shares[32];
float walk(List list) { return list.value + list.others[1].value; }
void main() {
    shares[gl_LocalInvocationIndex] = walk(arguments.list.next);
    barrier();
    sum[gl_GlobalInvocationID.x] = shares[31u - gl_LocalInvocationIndex] * 2.5;
}`)
	canonical := func(change func(m *spirv.Module)) []uint32 {
		t.Helper()
		m, err := spirv.Decode(code)
		if err != nil {
			t.Fatal(err)
		}
		m.Names = nil
		m.Prune()
		change(m)
		m.Canonise()
		glsltest.Validate(t, m.Encode())
		return m.Encode()
	}
	want := canonical(func(*spirv.Module) {})
	if again := canonical(func(m *spirv.Module) { m.Canonise() }); !slices.Equal(again, want) {
		t.Error("twice is not the same as once")
	}
	others := canonical(func(m *spirv.Module) {
		ids := make([]uint32, m.Bound)
		for i := range ids {
			ids[i] = (uint32(i)*7 + 3) % 1009 // a prime: no two are the same
		}
		ids[0], m.Bound = 0, 1009
		m.Renumber(ids)
		slices.SortStableFunc(m.Capabilities, func(a, b spirv.Inst) int { return int(b.Operands[0]) - int(a.Operands[0]) })
	})
	if !slices.Equal(others, want) {
		t.Error("other ids make another module")
	}
}
