package fallback

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/everray/everray/fallback/link"
)

// TestWaveLayout compares the Go mirror of the wavefront form's memory with the GLSL definition, field by field.
func TestWaveLayout(t *testing.T) {
	text, err := os.ReadFile("../shaders/fallback/wave_memory.glsl")
	if err != nil {
		t.Fatal(err)
	}
	glsl := string(text)
	for _, name := range []string{
		"RT_WAVE_BINS = 1024u", "RT_WAVE_SEGMENTS = 128u", "RT_WAVE_LANES = 64u", "RT_WAVE_FIRST_SHADE = 3u", "RT_WAVE_CALL = 0xFFFFu",
	} {
		if !strings.Contains(glsl, name) {
			t.Errorf("wave_memory.glsl does not say %s", name)
		}
	}
	glsl = strings.ReplaceAll(glsl, "RT_WAVE_SEGMENTS + 1u", "129")
	glsl = strings.ReplaceAll(glsl, "RT_WAVE_SEGMENTS", "128")
	glsl = strings.ReplaceAll(glsl, "RT_WAVE_BINS", "1024")
	w := &wavefront{scatterLanes: 107, plan: &link.Wave{
		Bins: 102, Shift: 103, ContinueBin: 104, FirstContinue: 105, Lanes: 108, Segments: []link.Segment{{First: 201}, {First: 202}},
	}}
	b := w.encodeHead(nil, []uint64{301, 302, 303, 304, 305}, 101)
	offsets, size := glslFields(t, glsl, "readonly buffer RtWave")
	if size != waveHeadBytes {
		t.Errorf("RtWave has %d bytes in GLSL, %d in Go", size, waveHeadBytes)
	}
	want := map[string]uint32{
		"round": 301, "lanes": 302, "lists": 303, "queue": 305, "capacity": 101, "bins": 102, "shift": 103, "continueBin": 104,
		"firstContinue": 105, "segments": 2, "scatterLanes": 107, "resumeLanes": 108, "bounds": 201,
	}
	for name, v := range want {
		if got := binary.LittleEndian.Uint32(b[offsets[name]:]); got != v {
			t.Errorf("%s at %d: encoded %d, want %d", name, offsets[name], got, v)
		}
	}
	if len(offsets) != len(want) {
		t.Errorf("GLSL has %d fields, the test knows %d", len(offsets), len(want))
	}
	if last := binary.LittleEndian.Uint32(b[offsets["bounds"]+8:]); last != 102 {
		t.Errorf("the bounds end with %d, want the number of bins", last)
	}

	segment, size := glslFields(t, glsl, "struct RtWaveSegment")
	if size != roundSegmentSize || segment["groups"] != 0 {
		t.Errorf("RtWaveSegment has %d bytes, groups at %d", size, segment["groups"])
	}
	round := strings.ReplaceAll(glsl, "RtWaveSegment segments", "uint segments")
	round = strings.Replace(round, "segments[128]", "segments[1024]", 1) // eight dwords each
	offsets, size = glslFields(t, round, "buffer RtWaveRound")
	if size != roundBytes || offsets["resume"] != roundResume || offsets["scatter"] != roundScatter ||
		offsets["segments"] != roundSegments {
		t.Errorf("RtWaveRound: %d bytes, %v", size, offsets)
	}
}

// TestWaveRounds: as many rounds as end every lane are recorded, and no tail; where there is no such number, some, and the tail.
func TestWaveRounds(t *testing.T) {
	for _, c := range []struct {
		rounds uint32
		want   []int
	}{
		{rounds: 1, want: []int{kernelScan, kernelResume}},
		{rounds: 2, want: []int{kernelScan, kernelResume, kernelScan, kernelScatter, kernelShade, kernelShade + 1, kernelResume}},
	} {
		w := &wavefront{plan: &link.Wave{Rounds: c.rounds, Segments: []link.Segment{{Kernel: 0}, {Kernel: 1, First: 1}}}}
		plan := &Plan{}
		w.batch(plan, &waveLaunch{}, 0, WaitNone, Step{Groups: [3]uint32{1, 1, 1}})
		var got []int
		for _, s := range plan.Steps {
			got = append(got, s.Kernel)
		}
		if len(got) != len(c.want) {
			t.Fatalf("%d rounds: kernels %v, want %v", c.rounds, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%d rounds: kernels %v, want %v", c.rounds, got, c.want)
			}
		}
	}
	w := &wavefront{plan: &link.Wave{Segments: []link.Segment{{}}}}
	plan := &Plan{}
	w.batch(plan, &waveLaunch{}, 0, WaitNone, Step{Groups: [3]uint32{1, 1, 1}})
	if last := plan.Steps[len(plan.Steps)-1]; last.Kernel != kernelLaunch || len(plan.Steps) != 2+4*waveRounds {
		t.Errorf("%d steps, the last is kernel %d", len(plan.Steps), last.Kernel)
	}
}
