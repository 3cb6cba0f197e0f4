package bvh

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// beams are a fine sheet with long thin triangles across, as splits are made for.
func beams(rng *rand.Rand, squares, long int) soup {
	s := make(soup, 0, 9*(2*squares*squares+long))
	for i := range squares * squares {
		x, y := float32(i%squares)/float32(squares), float32(i/squares)/float32(squares)
		d := 1 / float32(squares)
		z := func(x, y float32) float32 { return 0.1 * float32(math.Sin(float64(9*x+7*y))) }
		corner := func(x, y float32) []float32 { return []float32{2*x - 1, 2*y - 1, z(x, y)} }
		s = slices.Concat(s, corner(x, y), corner(x+d, y), corner(x, y+d), corner(x+d, y), corner(x+d, y+d), corner(x, y+d))
	}
	for range long {
		at := func() float32 { return 2*rng.Float32() - 1 }
		a, b := [3]float32{at(), at(), at()}, [3]float32{at(), at(), at()}
		s = append(s, a[0], a[1], a[2], b[0], b[1], b[2], a[0]+0.02, a[1]-0.01, a[2]+0.02)
	}
	return s
}

// records counts the leaf records of each primitive.
func recordsOf(s *inspect.Structure) map[inspect.PrimitiveID]int {
	n := map[inspect.PrimitiveID]int{}
	for i := range s.Active {
		n[s.PrimitiveAt(i)]++
	}
	return n
}

// TestSplits has triangles of two geometries split unless flags forbid it. Validate, which read calls, looks whether the parts
// of each hold it.
func TestSplits(t *testing.T) {
	r := newRig(t)
	s := beams(rand.New(rand.NewPCG(311, 312)), 60, 300)
	for _, tt := range []struct {
		name     string
		flags    vk.BuildFlags
		geometry vk.GeometryFlags
		split    bool
	}{
		{"fast trace", vk.PreferFastTrace, vk.GeometryOpaque, true},
		{"not opaque", vk.PreferFastTrace, 0, true},
		{"compaction", vk.PreferFastTrace | vk.AllowCompaction, vk.GeometryOpaque, true},
		{"one any hit", vk.PreferFastTrace, vk.GeometryNoDuplicateAnyHit, false},
		{"update", vk.PreferFastTrace | vk.AllowUpdate, vk.GeometryOpaque, false},
		{"low memory", vk.PreferFastTrace | vk.LowMemory, vk.GeometryOpaque, false},
		{"default", 0, vk.GeometryOpaque, false},
		{"fast build", vk.PreferFastBuild, vk.GeometryOpaque, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			free, a := r.soupGeometry(s, tt.geometry)
			held, b := r.soupGeometry(s[:9*2000], vk.GeometryNoDuplicateAnyHit)
			st, _ := r.read(r.build(bottom(tt.flags, []vk.Geometry{held, free}, []vk.BuildRange{b, a}))[0])
			n := recordsOf(st)
			if len(n) != int(a.PrimitiveCount+b.PrimitiveCount) {
				t.Errorf("%d primitives in the tree of %d", len(n), a.PrimitiveCount+b.PrimitiveCount)
			}
			more := 0
			for id, count := range n {
				more += count - 1
				if count > 1 && id.Geometry == 0 || count > layout.SplitPieces {
					t.Fatalf("%+v has %d records", id, count)
				}
			}
			t.Logf("%d references more for %d primitives", more, len(n))
			if (more > 0) != tt.split || uint64(more) > layout.SplitSlots(uint64(len(n))) {
				t.Errorf("%d references more, split is %v, at most %d", more, tt.split, layout.SplitSlots(uint64(len(n))))
			}
			c, err := st.Contents()
			if err != nil || len(c.Triangles) != len(n) {
				t.Errorf("contents of %d triangles, %v", len(c.Triangles), err)
			}
		})
	}
}

// TestSplitHits holds hits in split triangles, in the build and in copies, against the reference and those of whole triangles.
func TestSplitHits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(313, 314))
	for _, tt := range []struct {
		name string
		soup soup
	}{{"beams", beams(rng, 50, 400)}, {"needles", needles(rng, 4200)}, {"tiles", tiles(72)},
		{"same", slices.Repeat(needles(rng, 1), 4200)}} {
		t.Run(tt.name, func(t *testing.T) {
			rays, edges := randomRays(rng, 1500), edgeRaysOf(tt.soup, rng, 1000)
			answers := traceAll(inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff,
				Triangles: tt.soup.triangles(0, true)}}, rays, 0, 0xff, nil)
			built := r.build(r.soupInput(tt.soup, vk.PreferFastTrace|vk.AllowCompaction, vk.GeometryOpaque))[0]
			s, _ := r.read(built)
			t.Logf("%d records of %d triangles", s.Active, s.Primitives)
			r.compareHits(r.trace(r.single(built), rays, TraceOptions{}), answers, rays)
			unsplit := r.build(r.soupInput(tt.soup, vk.PreferFastTrace, vk.GeometryOpaque|vk.GeometryNoDuplicateAnyHit))[0]
			want := r.trace(r.single(unsplit), edges, TraceOptions{})
			for i, got := range r.trace(r.single(built), edges, TraceOptions{}) {
				if got != want[i] && (got.T != want[i].T || got.Instance != want[i].Instance) { // of triangles at one distance either
					t.Errorf("edge ray %d %v hits %+v, of whole triangles %+v", i, edges[i], got, want[i])
				}
			}
			for _, mode := range []vk.CopyMode{vk.CopyCompact, vk.CopyClone} {
				copied := r.copied(mode, whole(built))[0]
				r.compareHits(r.trace(r.single(bufferOf(copied.Buffer)), rays, TraceOptions{}), answers, rays)
			}
			blob := r.copied(vk.CopySerialize, whole(built))[0]
			if err := inspect.ValidateSerialized(r.bytesOf(blob)); err != nil {
				t.Error(err)
			}
			back := r.copied(vk.CopyDeserialize, blob)[0]
			r.compareHits(r.trace(r.single(bufferOf(back.Buffer)), rays, TraceOptions{}), answers, rays)
			// An any hit shader may be asked more often, not about others.
			loose := r.build(r.soupInput(tt.soup, vk.PreferFastTrace, 0))[0]
			odd := r.trace(r.single(loose), rays, TraceOptions{Candidates: IgnoreOddPrimitives})
			even := func(t inspect.Triangle) bool { return t.Primitive%2 == 1 }
			r.compareHits(odd, traceAll(
				inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff, Triangles: tt.soup.triangles(0, false)}}, rays, 0, 0xff,
				even), rays)
		})
	}
}

// edgeRaysOf go to points of edges of some of a soup's triangles.
func edgeRaysOf(s soup, rng *rand.Rand, n int) []inspect.Ray {
	rays := make([]inspect.Ray, n)
	for i := range rays {
		t := s[9*rng.IntN(len(s)/9):]
		k := rng.IntN(3)
		w := rng.Float32()
		for c := range 3 {
			rays[i].Origin[c] = 4*rng.Float32() - 2
			a, b := t[3*k+c], t[3*((k+1)%3)+c]
			rays[i].Direction[c] = a + (b-a)*w - rays[i].Origin[c]
		}
		rays[i].TMax = 1e30
	}
	return rays
}

// TestSplitsRepeat builds the same again and again, in batches and by the device's own ranges: always the same bytes.
func TestSplitsRepeat(t *testing.T) {
	r := newRig(t)
	s := beams(rand.New(rand.NewPCG(315, 316)), 50, 300)
	in := r.soupInput(s, vk.PreferFastTrace, vk.GeometryOpaque)
	other := r.soupInput(s[:9*4500], vk.PreferFastTrace, 0)
	alone, _ := r.read(r.build(in)[0])
	for round := range 20 {
		for _, b := range r.build(other, in, in)[1:] {
			if again, _ := r.read(b); !bytes.Equal(again.Data[layout.HeaderMagic:], alone.Data[layout.HeaderMagic:]) {
				t.Fatalf("round %d: not the structure that it is alone", round)
			}
		}
	}
}

// TestSplitSizes holds sizes of fewer primitives against those of more, for builds with fewer must fit.
func TestSplitSizes(t *testing.T) {
	info := vk.BuildInfo{Type: vk.BottomLevel, Flags: vk.PreferFastTrace, Geometries: []vk.Geometry{{Type: vk.GeometryTriangles}}}
	before := uint64(0)
	for n := uint64(1); n <= MaxPrimitives; n += 1 + n/5 {
		refs := layout.References(info, n)
		if refs < max(n, before) || refs > MaxPrimitives || refs > n+n/layout.SplitShare {
			t.Errorf("%d primitives have %d references, fewer had %d", n, refs, before)
		}
		before = refs
	}
	if got := layout.References(info, layout.SplitLeast); got != layout.SplitLeast {
		t.Errorf("%d primitives have %d references", layout.SplitLeast, got)
	}
	if got := layout.References(info, MaxPrimitives); got != MaxPrimitives {
		t.Errorf("%d primitives have %d references", MaxPrimitives, got)
	}
}

// TestSplitConstants compares what split.go shares with split.glsl.
func TestSplitConstants(t *testing.T) {
	compare(t, constants(t, "../shaders/bvh/build/split.glsl"), map[string]uint64{
		"ER_SPLIT_CLASSES": 256, "ER_SPLIT_STEPS": 8, "ER_SPLIT_MOST": layout.SplitPieces - 1, "ER_SPLIT_BITS": 15,
		"ER_MOVE_BYTES":            layout.ImproveMoves,
		"ER_GEOMETRY_NO_DUPLICATE": uint64(vk.GeometryNoDuplicateAnyHit), "ER_SPLIT_SIZES": 16, "ER_NO_PLANE": 99,
	})
}
