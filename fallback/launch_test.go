package fallback

import (
	"encoding/binary"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
)

// glslFields reads the fields of a block with scalar layout from GLSL text: offsets by name, and the size.
func glslFields(t *testing.T, text, block string) (map[string]int, int) {
	t.Helper()
	_, body, ok := strings.Cut(text, block+" {")
	if !ok {
		t.Fatalf("no block %s", block)
	}
	body, _, _ = strings.Cut(body, "\n}")
	sizes := map[string]int{"uint": 4, "uvec2": 8, "uvec3": 12}
	field := regexp.MustCompile(`(?m)^\s*(\w+)\s+(\w+)(?:\[(\d+)\])?;`)
	offsets, at := map[string]int{}, 0
	for _, m := range field.FindAllStringSubmatch(body, -1) {
		n := 1
		if m[3] != "" {
			n, _ = strconv.Atoi(m[3])
		}
		offsets[m[2]] = at
		at += n * sizes[m[1]]
	}
	return offsets, at
}

// TestLaunchLayout compares the Go mirror of the launch parameters with the GLSL definition, field by field.
func TestLaunchLayout(t *testing.T) {
	text, err := os.ReadFile("../shaders/fallback/launch.glsl")
	if err != nil {
		t.Fatal(err)
	}
	offsets, size := glslFields(t, string(text), "RtLaunch")
	if size != launchBytes {
		t.Errorf("RtLaunch has %d bytes in GLSL, %d in Go", size, launchBytes)
	}
	l := launchParams{
		launchSize: [3]uint32{101, 102, 103}, stackDwords: 104, stackBase: 105, faults: 106, raygenRecord: 107, pushConstants: 122,
		pipelineTag: 108, maxDepth: 109,
		miss: tableRegion{110, 111, 112}, hit: tableRegion{113, 114, 115}, callable: tableRegion{116, 117, 118},
		tileWidthLog2: 119, tilesPerRow: 120, tilesPerSlice: 121, firstGroup: 123, groupStride: 124, groupCount: 125,
	}
	b := l.encode()
	want := map[string]uint32{
		"launchSize": 101, "stackDwords": 104, "stackBase": 105, "faults": 106, "raygenRecord": 107, "pipelineTag": 108, "maxDepth": 109,
		"missBase": 110, "missStride": 111, "missSize": 112, "hitBase": 113, "hitStride": 114, "hitSize": 115,
		"callableBase": 116, "callableStride": 117, "callableSize": 118, "tileWidthLog2": 119, "tilesPerRow": 120, "tilesPerSlice": 121,
		"pushConstants": 122, "firstGroup": 123, "groupStride": 124, "groupCount": 125,
	}
	for name, v := range want {
		if got := binary.LittleEndian.Uint32(b[offsets[name]:]); got != v {
			t.Errorf("%s at %d: encoded %d, want %d", name, offsets[name], got, v)
		}
	}
	if len(offsets) != len(want) {
		t.Errorf("GLSL has %d fields, the test knows %d", len(offsets), len(want))
	}
	if len(b) != launchBytes || launchBytes > 128 {
		t.Errorf("%d bytes encoded, %d declared, 128 are there on every device", len(b), launchBytes)
	}
}

// TestGridCoversLaunch checks that every place of a launch is some lane's, once, whatever the batches.
func TestGridCoversLaunch(t *testing.T) {
	for _, size := range [][3]uint32{{1, 1, 1}, {33, 1, 1}, {7, 3, 2}, {8, 4, 1}, {1920, 1080, 1}, {9, 5, 3}, {65536 * 64, 1, 1}} {
		for _, c := range []struct{ workgroups, tiles uint32 }{{1 << 20, 1}, {64, 1}, {7, 1}, {1 << 20, 2}, {7, 3}} {
			workgroups := c.workgroups
			if size[0] > 10000 && workgroups < 1<<20 {
				continue
			}
			g := newGrid(size[0], size[1], size[2], workgroups, c.tiles)
			w := uint32(1) << g.tileWidthLog2
			h := lanesPerTile / w
			seen := make([]bool, size[0]*size[1]*size[2])
			g.each(func(first, n [3]uint32) {
				if n[0]*n[1]*n[2] > workgroups || n[0] > maxGridSide {
					t.Fatalf("%v: a batch of %v workgroups, at most %d", size, n, workgroups)
				}
				for i := range n[0] * n[1] * n[2] {
					at := [3]uint32{first[0] + i%n[0], first[1] + i/n[0]%n[1], first[2] + i/n[0]/n[1]}
					for lane := range lanesPerTile * c.tiles {
						tile, lane := lane/lanesPerTile, lane%lanesPerTile
						x, y := (at[0]*c.tiles+tile)*w+lane%w, at[1]*h+lane/w
						if x >= size[0] || y >= size[1] {
							continue
						}
						k := (at[2]*size[1]+y)*size[0] + x
						if seen[k] {
							t.Fatalf("%v: %d twice", size, k)
						}
						seen[k] = true
					}
				}
			})
			if k := slices.Index(seen, false); k >= 0 {
				t.Errorf("%v in batches of %d workgroups of %d tiles: %d is nobody's", size, workgroups, c.tiles, k)
			}
		}
	}
}

func TestPipelineOptionsValidate(t *testing.T) {
	stages := []Stage{{Kind: Raygen}, {Kind: ClosestHit}, {Kind: AnyHit}}
	for name, o := range map[string]rt.Pipeline{
		"no stages":          {},
		"index":              {Stages: stages, Groups: []Group{rt.GeneralGroup(3)}},
		"model":              {Stages: stages, Groups: []Group{rt.GeneralGroup(1)}},
		"hit in general":     {Stages: stages, Groups: []Group{{General: 0, ClosestHit: 1, AnyHit: None, Intersection: None}}},
		"any hit as closest": {Stages: stages, Groups: []Group{rt.TrianglesGroup(2, None)}},
		"empty general":      {Stages: stages, Groups: []Group{rt.GeneralGroup(None)}},
		"push constants":     {Stages: stages, PushConstantBytes: 257},
		"recursion":          {Stages: stages, MaxRecursionDepth: 32},
		"stack":              {Stages: stages, StackBytes: maxStackBytes + 1},
	} {
		if err := (&PipelineOptions{Pipeline: o}).validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	good := PipelineOptions{Pipeline: rt.Pipeline{Stages: stages, Groups: []Group{rt.GeneralGroup(0), rt.TrianglesGroup(1, 2)}}}
	if err := good.validate(); err != nil {
		t.Error(err)
	}
}

// pushing is a pipeline that has nothing but push constants.
func pushing(bytes uint32) *Pipeline {
	p := &Pipeline{}
	p.options.PushConstantBytes = bytes
	return p
}

func TestTraceValidate(t *testing.T) {
	p := pushing(4)
	ok := vk.StridedRegion{Address: 64, Stride: 32, Size: 64}
	good := Trace{Raygen: ok, Miss: ok, Hit: ok, Width: 8, Height: 8, Depth: 1}
	if err := good.validate(p); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Trace){
		"no raygen": func(x *Trace) { x.Raygen = vk.StridedRegion{} },
		"alignment": func(x *Trace) { x.Miss.Address = 96 },
		"stride":    func(x *Trace) { x.Hit.Stride = 40 },
		"long":      func(x *Trace) { x.Hit.Stride = 8192 },
		"size":      func(x *Trace) { x.Hit.Size = 1 << 32 },
		"launch":    func(x *Trace) { x.Width, x.Height = 1<<16, 1<<15 },
		"stack":     func(x *Trace) { x.StackBytes = maxStackBytes + 1 },
		"push":      func(x *Trace) { x.PushConstants = make([]byte, 8) },
		"sets":      func(x *Trace) { x.Sets = make([]*vk.DescriptorSet, 1) },
	} {
		bad := good
		change(&bad)
		if err := bad.validate(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
