package pipelinetest_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/vk"
)

// addressesShader writes where the shaders' functions say that leaf records, blocks and words of a structure are.
const addressesShader = `#version 460
#extension GL_GOOGLE_include_directive : require
#include "bvh/trace/traverse.glsl"
layout(local_size_x = 1) in;
layout(push_constant, std430) uniform Push { uvec2 at, base; uint leaf; } push;
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Out { uvec2 v[]; };
uint erCandidate(in ErRay ray, in ErHit candidate) { return ER_CANDIDATE_ACCEPT; }
uint erProcedural(in ErRay ray, const in bool opaque, inout ErHit candidate) { return ER_CANDIDATE_IGNORE; }
bool erUsesTriangles() { return true; }
bool erUsesBoxes() { return true; }
void erTraversalFault(uint kind, uint value) {}
void main() {
    Out o = Out(push.at);
#ifdef ER_SIMD
    o.v[0] = erLeafAddress(push.base, push.leaf);
#else
    o.v[0] = erOffset(push.base, push.leaf, ER_TRIANGLE_SIZE);
#endif
    o.v[1] = erOffset(push.base, push.leaf, ER_NODE_SIZE);
    o.v[2] = erAddressBlocks(push.base, push.leaf);
    o.v[3] = erAddressWords(push.base, push.leaf);
}`

// TestAddressesPast32Bits holds the arithmetic of addresses for as many records as a structure may have, which take up to 34 GB.
// No driver of a CPU gives that much at once, so numbers are all that can be tested there.
func TestAddressesPast32Bits(t *testing.T) {
	d, err := openWay(t, engine.BackendCompute, nil)
	check(t, err)
	t.Cleanup(func() { check(t, d.Close()) })
	variants := []string{"-DER_ANY"}
	if d.VK().Features().Int64 {
		variants = append(variants, "-DER_SIMD", "-DER_LONG")
	}
	const last = 1<<29 - 2 // the last of the most records
	for _, variant := range variants {
		code := glsltest.CompileAs(t, "comp", addressesShader, "--target-env", "vulkan1.2", "-I../../shaders", variant)
		kernel, err := d.VK().NewKernel(vk.KernelOptions{Name: "addresses", Code: code, Push: 20})
		check(t, err)
		t.Cleanup(kernel.Destroy)
		for _, base := range []uint64{0x7f12_3456_7840, 0xffff_ffc0} {
			// The last beside 4 GiB: of words in 12 a record (the wrong turn once), of 16 bytes, of 48.
			for _, leaf := range []uint64{0, 1, 89_478_485, 89_478_486, 1<<26 - 1, 357_913_941, 357_913_942, last} {
				want := []uint64{base + 48*leaf, base + 64*leaf, base + 64*leaf, base + 4*leaf}
				if got := addresses(t, d, kernel, base, uint32(leaf)); !slices.Equal(got, want) {
					t.Errorf("%s: leaf %d behind %#x: %#x, want %#x", variant, leaf, base, got, want)
				}
			}
		}
	}
}

// addresses runs the kernel.
func addresses(t *testing.T, d *engine.Device, kernel vk.Kernel, base uint64, leaf uint32) []uint64 {
	t.Helper()
	out, err := d.VK().NewBuffer(vk.BufferOptions{Name: "addresses", Size: 32, Memory: vk.Readback})
	check(t, err)
	defer out.Destroy()
	push := binary.LittleEndian.AppendUint64(nil, out.Address())
	push = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(push, base), leaf)
	check(t, d.VK().Run(t.Context(), "addresses", func(cb *vk.CommandBuffer) error {
		cb.BindKernel(kernel)
		cb.RunKernel(push, 1, 1, 1)
		return nil
	}))
	got := make([]uint64, 4)
	for i := range got {
		got[i] = binary.LittleEndian.Uint64(out.Mapped()[8*i:])
	}
	return got
}
