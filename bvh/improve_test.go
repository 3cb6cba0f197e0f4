package bvh

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestImprove holds the trees of FAST_TRACE against the default's: they are clearly better, and every pass makes
// them so.
func TestImprove(t *testing.T) {
	for name, most := range map[string]float64{"bunny": 0.97, "sponza": 0.96} {
		t.Run(name, func(t *testing.T) {
			m := loadModel(t, name)
			r := newRig(t)
			rays := crossingRays(m, 2000)
			var first, before float64
			for _, passes := range []uint32{0, 1, improveLargePasses} {
				r.builder.passes = passes
				builds := r.prepare(r.indexedInput(m.positions, m.indices, vk.PreferFastTrace))
				start := time.Now()
				r.run(builds)
				took := time.Since(start)
				s, metrics := r.read(bufferOf(builds[0].Dst))
				nodes, triangles := stepsOf(s, rays)
				t.Logf("at most %d passes: SAH %.2f, %.1f nodes and %.1f triangles a ray, height %d, %v", passes, metrics.SAH, nodes,
					triangles, metrics.Height, took)
				if passes == 0 {
					first, before = metrics.SAH, metrics.SAH
					continue
				}
				if metrics.SAH >= before {
					t.Errorf("%d passes give a SAH cost of %.2f, fewer gave %.2f", passes, metrics.SAH, before)
				}
				before = metrics.SAH
			}
			if before > most*first {
				t.Errorf("SAH cost %.2f, want at most %.2f of the %.2f without moves", before, most, first)
			}
		})
	}
}

// needles are triangles from end to end of a cube: all boxes overlap, and a search would visit most of them.
func needles(rng *rand.Rand, n int) soup {
	s := make(soup, 0, 9*n)
	for range n {
		a := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
		b := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
		s = append(s, a[0], a[1], a[2], b[0], b[1], b[2], a[0]+0.01, a[1], a[2]+0.01)
	}
	return s
}

// tiles are equal triangles at equal distances: most moves save as much as many others.
func tiles(n int) soup {
	s := make(soup, 0, 9*n*n)
	for i := range n * n {
		x, y := float32(i%n), float32(i/n)
		s = append(s, x, y, 0, x+1, y, 0, x, y+1, 0)
	}
	return s
}

// TestImproveHits has what is hard for moves, alone and as one batch of all kinds of trees: hits are those of the
// reference, builds of the same input are equal, and a batch builds what single builds do.
func TestImproveHits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(301, 302))
	clumps := randomSoup(rng, 4500, 0.05)
	for i := range clumps {
		if i/9%3 == 0 {
			clumps[i] = clumps[i%9] // many in one place
		}
	}
	cases := []struct {
		name string
		soup soup
	}{
		{"needles", needles(rng, 4500)}, {"tiles", tiles(70)}, {"clumps", clumps},
		{"seven", randomSoup(rng, 7, 0.3)}, {"eight", randomSoup(rng, 8, 0.3)}, {"nine", randomSoup(rng, 9, 0.3)},
		{"none", nil}, {"scattered", randomSoup(rng, 5000, 0.02)},
	}
	var inputs []input
	var alone [][]byte
	for _, tt := range cases {
		for _, kind := range buildKinds {
			inputs = append(inputs, r.soupInput(tt.soup, kind.flags, vk.GeometryOpaque))
			s, _ := r.read(r.build(inputs[len(inputs)-1])[0])
			alone = append(alone, s.Data[layout.HeaderMagic:])
		}
		in := r.soupInput(tt.soup, vk.PreferFastTrace, vk.GeometryOpaque)
		rays := randomRays(rng, 500)
		scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: tt.soup.triangles(0, true)}}
		if len(tt.soup) > 0 {
			r.compareHits(r.trace(r.single(r.build(in)[0]), rays, TraceOptions{}), traceAll(scene, rays, 0, 0xff, nil), rays)
		}
	}
	for round := range 3 {
		for i, b := range r.build(inputs...) {
			if s, _ := r.read(b); !bytes.Equal(s.Data[layout.HeaderMagic:], alone[i]) {
				t.Errorf("round %d: %s, %s: not the structure that it is alone", round, cases[i/len(buildKinds)].name,
					buildKinds[i%len(buildKinds)].name)
			}
		}
	}
}

// TestImproveConstants compares what improve.go shares with the shaders.
func TestImproveConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/build/improve.glsl"), map[string]uint64{
		"ER_MOVE_NONE": 0xffffffff, "ER_MOVE_VISITS": 32, "ER_MOVE_CLIMBS": 12, "ER_MOVE_LEAST": 8, "ER_MOVE_CLEAR": improveClear,
		"ER_MOVE_SMALL": improveSmall, "ER_MOVE_MIDDLE": improveMiddle, "ER_MOVE_LARGE": improveLarge,
		"ER_MOVE_PASSES": improvePasses, "ER_MOVE_MIDDLE_PASSES": improveMiddlePasses, "ER_MOVE_LARGE_PASSES": improveLargePasses,
		"ER_MOVE_STARTS": 3, "ER_MOVE_TIE": 1, "ER_MOVE_FEW_VISITS": 16, "ER_MOVE_FEW_CLIMBS": 8,
	})
}
