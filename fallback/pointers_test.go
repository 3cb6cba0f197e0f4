package fallback_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everray/everray/fallback"
	"github.com/everray/everray/internal/glsltest"
)

const pointersMiss = `#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT uint p;
void main() { p = p * 3u + 1u; }
`

// TestVariablePointers runs shaders of variable pointers in all forms, as they are and with functions inlined.
func TestVariablePointers(t *testing.T) {
	buffers := func(sizes ...int) [][]uint32 {
		contents := [][]uint32{make([]uint32, sizes[0])}
		for i, n := range sizes[1:] {
			c := make([]uint32, n)
			for k := range c {
				c[k] = uint32(1000*(i+1) + 7*k)
			}
			contents = append(contents, c)
		}
		return contents
	}
	odd := buffers(4+8*nullLanes, 4+8*6, 4)
	copy(odd[0], []uint32{5, 6, 7, 8})
	for _, c := range []struct {
		file     string
		contents [][]uint32
		want     func([][]uint32) [][]uint32
	}{
		{"pointers_raygen", buffers(8*nullLanes, 32, nullLanes, nullLanes, nullLanes), pointersWant},
		{"pointers_odd", odd, pointersOddWant},
	} {
		r := newNullRig(t, c.contents...)
		want := c.want(c.contents)
		code := glsltest.AssembleFile(t, "spv1.4", filepath.Join("link", "testdata", c.file+".spvasm"))
		inlined := glsltest.Optimize(t, code, "--merge-return", "--inline-entry-points-exhaustive", "--redundancy-elimination",
			"--if-conversion")
		for name, raygen := range map[string][]uint32{"plain": code, "inlined": inlined} {
			for _, form := range allForms {
				if name == "inlined" && form != fallback.FormMegakernel {
					continue
				}
				got := r.run(t, form, c.contents, fallback.Stage{Kind: fallback.Raygen, Code: raygen},
					fallback.Stage{Kind: fallback.Miss, Code: glsltest.Compile(t, "rmiss", pointersMiss)})
				for b := range got {
					for k := range got[b] {
						if got[b][k] != want[b][k] {
							t.Fatalf("%s %s, %v: word %d of buffer %d is %d, want %d", c.file, name, form, k, b, got[b][k], want[b][k])
						}
					}
				}
			}
		}
	}
}

// pointersOddWant does what pointers_odd does.
func pointersOddWant(contents [][]uint32) [][]uint32 {
	out, data := slices.Clone(contents[0]), contents[1]
	rec := func(b []uint32, i uint32) []uint32 { return b[4+8*i:][:8] }
	for n := range uint32(nullLanes) {
		odd, me := n&1 != 0, rec(out, n)
		pick, length := rec(data, n&3), uint32(6)
		mix := pick[4+n&1]
		if odd {
			pick, mix, length = rec(data, n&3+1), out[2], nullLanes
		}
		a := (pick[n&3]+mix)*31 + pick[3] + 1 + 7 + n*3 + 1 + length
		me[0], me[1] = a, 4
		if odd {
			me[0], me[4], me[1] = 0, a, 3
		}
		me[2], me[6] = math.Float32bits(0.25), math.Float32bits(float32(n))
	}
	return append([][]uint32{out, data}, contents[2:]...)
}

// pointersWant does what the shader does.
func pointersWant(contents [][]uint32) [][]uint32 {
	var buffers [][]uint32
	for _, c := range contents {
		buffers = append(buffers, slices.Clone(c))
	}
	out, data, bufs := buffers[0], buffers[1], buffers[2:]
	miss := func(p uint32) uint32 { return p*3 + 1 }
	for n := range uint32(nullLanes) {
		item := func(i uint32) []uint32 { return data[1+4*i:][:4] }
		tail := data[17:25]
		odd, word := n&1 != 0, out[8*n:]
		word[0] = n
		sel := &item(n & 3)[1+n%3]
		if odd {
			sel = &word[0]
		}
		p, sum := n, uint32(1)
		for k := range 3 {
			p = miss(p)
			sum = sum*31 + tail[2*k] + p
		}
		v2, equal := *sel, uint32(7)
		if odd {
			v2, equal = tail[n&7], 5
		}
		a := ((sum+*sel)*31+v2)*31 + *sel + 6 + equal
		copied := *sel
		if odd {
			word[1] = miss(a)
		} else {
			word[0] = miss(a)
		}
		if odd {
			copied = word[0]
		}
		read := func(i uint32) uint32 { return item(i)[1+n%3] + item(i)[0] }
		other := (n&3 + 1) & 3
		if odd {
			other = n & 3
		}
		word[2] = read(other)*31 + read(n&3)
		dv, to := bufs[2][n], &word[3]
		if odd {
			dv, to = bufs[1][n], &bufs[0][n]
		}
		old := *to
		*to += dv
		word[4] = old + dv
		word[5] = copied
		word[6] = bufs[1][n]
		if odd {
			word[6] = bufs[n%3][n]
		}
	}
	return buffers
}
