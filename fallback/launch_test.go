package fallback

import (
	"slices"
	"testing"

	"github.com/everray/everray/rt"
	"github.com/everray/everray/vk"
)

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
		"sets":      func(x *Trace) { x.Sets = make([]vk.Set, 1) },
	} {
		bad := good
		change(&bad)
		if err := bad.validate(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
