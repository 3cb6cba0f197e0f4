package bvh

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// gatherings are triangles without indices, small ones in clusters among large ones, so that trees have subtrees of all sizes.
func gatherings(rng *rand.Rand, n int) soup {
	var s soup
	for s.count() < uint32(n) {
		at := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
		for _, v := range randomSoup(rng, 1+rng.IntN(40), 0.3) {
			s = append(s, at[len(s)%3]+v*0.05)
		}
		s = append(s, randomSoup(rng, 1, 0.3)...)
	}
	return s[:9*n]
}

// TestCompactedSoups compacts triangles that share nothing, in one geometry or in many among each other: copies keep to 45
// bytes, are traced and updated like their originals, and those of the host are the same. Only where chunks have to list their
// geometries, or splits have added records, they take a little more.
func TestCompactedSoups(t *testing.T) {
	rng := rand.New(rand.NewPCG(241, 242))
	r := newRig(t)
	s := gatherings(rng, 2100)
	m := mesh{name: "soup", positions: s}
	for i := range uint32(len(s) / 3) {
		m.indices = append(m.indices, i)
	}
	rays := randomRays(rng, 200)
	kinds := map[uint32]int{}
	counts := []int{1, 16, 17, 70, 1100}
	for i, set := range compactFlags() {
		for k, geometries := range []int{counts[i%len(counts)], counts[(i+2)%len(counts)]} {
			if k > 0 && testing.Short() {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d geometries", set.name, geometries), func(t *testing.T) {
				r.TB = t
				mixed := m
				mixed.indices = shuffledTriangles(rng, m.indices)
				kinds[r.compactedSoup(mixed, geometries, set.flags|vk.AllowCompaction, rays)]++
			})
		}
	}
	if kinds[layout.LeafShort] == 0 || kinds[layout.LeafShortMany] == 0 || kinds[layout.LeafShortWide] == 0 || len(kinds) > 3 {
		t.Errorf("by kind of leaves: %v", kinds)
	}
}

func shuffledTriangles(rng *rand.Rand, indices []uint32) []uint32 {
	triangles := slices.Collect(slices.Chunk(indices, 3))
	rng.Shuffle(len(triangles), func(i, k int) { triangles[i], triangles[k] = triangles[k], triangles[i] })
	return slices.Concat(triangles...)
}

// compactedSoup returns the kind of the copy's leaves.
func (r *rig) compactedSoup(m mesh, geometries int, flags vk.BuildFlags, rays []inspect.Ray) uint32 {
	in := r.sliced(m, geometries, flags)
	data := r.moving(m, in)
	bd := r.prepare(in)[0]
	r.run([]Build{bd})
	compact := r.copied(vk.CopyCompact, whole(bufferOf(bd.Dst)))[0]
	kind := r.decoded(compact).LeafKind()
	most := 45.0
	if kind == layout.LeafShortWide || flags&layout.SplitFlags == layout.SplitFlag {
		most = 54
	}
	if each := float64(compact.Size) / float64(len(m.indices)/3); each > most {
		r.Errorf("%.2f bytes per triangle, at most %g", each, most)
	} else {
		r.Logf("%.2f bytes per triangle", each)
	}
	r.sameHits("compacted", whole(bufferOf(bd.Dst)), compact, rays)
	r.sameCopies("compacted", compact)
	r.sameCopiesByHost("built", whole(bufferOf(bd.Dst)))
	r.sameCopiesByHost("compacted", compact)
	if flags&vk.AllowUpdate == 0 {
		return kind
	}
	other := r.room("other", compact.Size)
	rng := rand.New(rand.NewPCG(243, uint64(geometries)))
	for k := range 4 {
		r.fill(data, floatBytes(disturbed(rng, m.positions, k)))
		from, to := compact, compact
		if k%2 == 1 {
			to = other
		}
		r.run([]Build{r.updateOf(bd), r.updateOf(Build{Info: bd.Info, Ranges: bd.Ranges, Dst: to.Buffer, Src: from.Buffer})})
		if k%2 == 1 {
			compact, other = other, compact
		}
		r.decoded(compact)
		r.sameHits(fmt.Sprintf("update %d", k), whole(bufferOf(bd.Dst)), compact, rays)
		if want := r.copied(vk.CopyCompact, whole(bufferOf(bd.Dst)))[0]; !bytes.Equal(r.bytesOf(want)[layout.HeaderMagic:],
			r.bytesOf(compact)[layout.HeaderMagic:]) {
			r.Errorf("update %d: the compacted copy is not that of the updated structure", k)
		}
	}
	return kind
}
