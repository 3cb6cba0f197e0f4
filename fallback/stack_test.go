package fallback

import (
	"errors"
	"testing"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
)

// stackOf returns the slots that a pipeline's lanes need.
func stackOf(p rt.Pipeline, frames []uint32) uint32 {
	r := PipelineOptions{Pipeline: p}.resolve(Target{})
	return r.stackDwords(frames)
}

func TestDefaultStack(t *testing.T) {
	stages := []Stage{{Kind: Raygen}, {Kind: ClosestHit}, {Kind: ClosestHit}, {Kind: Miss}, {Kind: AnyHit}, {Kind: Intersection},
		{Kind: Callable}}
	frames := []uint32{100, 25, 40, 10, 20, 30, 7}
	for depth, want := range map[uint32]uint32{0: 114, 1: 164, 2: 204, 5: 324} {
		if got := stackOf(rt.Pipeline{Stages: stages, MaxRecursionDepth: depth}, frames); got != want {
			t.Errorf("depth %d: %d slots, want %d", depth, got, want)
		}
	}
	for _, tt := range []struct {
		name   string
		o      rt.Pipeline
		frames []uint32
		want   uint32
	}{
		{"set by the application", rt.Pipeline{Stages: stages, MaxRecursionDepth: 5, StackBytes: 50}, frames, 13},
		{"the largest", rt.Pipeline{Stages: stages, StackBytes: maxStackBytes}, frames, maxStackBytes / 4},
		// A callee takes a slot even if it calls nobody.
		{"leaves", rt.Pipeline{Stages: stages[:2], MaxRecursionDepth: 3}, []uint32{5, 0}, 8},
		{"raygen alone", rt.Pipeline{Stages: stages[:1], MaxRecursionDepth: 1}, []uint32{0}, 1},
	} {
		if got := stackOf(tt.o, tt.frames); got != tt.want {
			t.Errorf("%s: %d slots, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTraceStack(t *testing.T) {
	p := &Pipeline{stack: 9}
	for bytes, want := range map[uint32]uint32{0: 9, 4: 1, 5: 2, maxStackBytes: maxStackBytes / 4} {
		if got := (&Trace{StackBytes: bytes}).stackDwords(p); got != want {
			t.Errorf("%d bytes: %d slots, want %d", bytes, got, want)
		}
	}
}

func TestStackMemory(t *testing.T) {
	for _, c := range []struct {
		form  Form
		bytes uint32
		want  uint64
	}{
		{FormMegakernel, 0, 3 * lanesPerGroup * 36}, {FormBlocks, 64, 3 * lanesPerGroup * 64},
		{FormMonolithic, 0, 0}, {FormMonolithic, maxStackBytes, 0},
	} {
		p := &Pipeline{stack: 9, stats: Stats{Form: c.form}}
		if got := p.stackMemory(&Trace{StackBytes: c.bytes}, p.stats.Form, 3); got != c.want {
			t.Errorf("%v, %d bytes a lane: %d bytes, want %d", c.form, c.bytes, got, c.want)
		}
	}
}

func TestShaderGroupStackSize(t *testing.T) {
	p := &Pipeline{frames: []uint32{0, 3, 5, 7}}
	p.options.Groups = []Group{rt.GeneralGroup(1), rt.ProceduralGroup(3, 2, 0), rt.TrianglesGroup(None, None)}
	for _, tt := range []struct {
		group  int
		shader vk.GroupShader
		want   uint32 // 0 = refused
	}{
		{0, vk.GroupGeneral, 12}, {1, vk.GroupClosestHit, 20}, {1, vk.GroupAnyHit, 4}, {1, vk.GroupIntersection, 28},
		{0, vk.GroupClosestHit, 0}, {2, vk.GroupAnyHit, 0}, {3, vk.GroupGeneral, 0}, {-1, vk.GroupGeneral, 0}, {0, 4, 0},
	} {
		got, err := p.ShaderGroupStackSize(tt.group, tt.shader)
		if got != tt.want || (tt.want == 0) != errors.Is(err, ErrInvalid) {
			t.Errorf("group %d, shader %d: %d, %v, want %d", tt.group, tt.shader, got, err, tt.want)
		}
	}
}
