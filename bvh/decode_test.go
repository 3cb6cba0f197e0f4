package bvh

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// extentsInput uploads AABBs.
func (r *rig) extentsInput(flags vk.BuildFlags, geometry vk.GeometryFlags, boxes ...[6]float32) input {
	var f []float32
	for _, b := range boxes {
		f = append(f, b[:]...)
	}
	g := vk.Geometry{Type: vk.GeometryAABBs, Flags: geometry, AABBs: vk.AABBs{Data: r.upload("boxes", floatBytes(f)), Stride: 24}}
	return bottom(flags, []vk.Geometry{g}, []vk.BuildRange{{PrimitiveCount: uint32(len(boxes))}})
}

func randomExtents(rng *rand.Rand, n int) [][6]float32 {
	boxes := make([][6]float32, n)
	for i := range boxes {
		for k := range 3 {
			boxes[i][k] = rng.Float32()
			boxes[i][3+k] = boxes[i][k] + rng.Float32()
		}
	}
	return boxes
}

// TestContents gets every input back from a structure and from its copies.
func TestContents(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(61, 62))
	s0, s1 := randomSoup(rng, 700, 0.1), randomSoup(rng, 30, 0.1)
	g0, r0 := r.soupGeometry(s0, 0)
	g1, r1 := r.soupGeometry(s1, vk.GeometryOpaque)
	boxes := randomExtents(rng, 50)
	boxes[7][0] = float32(math.NaN())
	built := r.build(bottom(0, []vk.Geometry{g0, g1}, []vk.BuildRange{r0, r1}), r.extentsInput(0, vk.GeometryOpaque, boxes...))
	var want inspect.Contents
	want.Triangles = append(s0.triangles(0, false), s1.triangles(1, true)...)
	var wantBoxes inspect.Contents
	for i, b := range boxes {
		if i != 7 {
			wantBoxes.Boxes = append(wantBoxes.Boxes,
				inspect.ProceduralBox{Box: inspect.Box{Min: [3]float32(b[:3]), Max: [3]float32(b[3:])}, Primitive: uint32(i), Geometry: 0,
					Opaque: true})
		}
	}
	originals := []Range{whole(built[0]), whole(built[1])}
	sets := [][]Range{r.copied(vk.CopyClone, originals...), r.copied(vk.CopyCompact, originals...),
		r.copied(vk.CopyDeserialize, r.copied(vk.CopySerialize, originals...)...)}
	for mode, set := range sets {
		for k, want := range []inspect.Contents{want, wantBoxes} {
			got, err := r.decoded(set[k]).Contents()
			if err != nil || !slices.Equal(got.Triangles, want.Triangles) || !slices.Equal(got.Boxes, want.Boxes) || got.Instances != nil {
				t.Errorf("copy %d of structure %d: %v, %d triangles, %d boxes, %d instances", mode, k, err, len(got.Triangles),
					len(got.Boxes), len(got.Instances))
			}
		}
	}
}

// TestContentsOfTopLevel gets the instances back.
func TestContentsOfTopLevel(t *testing.T) {
	r := newRig(t)
	sc := r.scene(20)
	c, err := r.decoded(r.copied(vk.CopyCompact, sc.top)[0]).Contents()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, in := range sc.instances {
		if in.Reference == 0 || in.Reference == sc.bottoms[3].Address() {
			continue // inactive, empty
		}
		got := c.Instances[n]
		n++
		if got.Index != uint32(i) || got.BottomLevel != in.Reference || got.ObjectToWorld != in.Transform ||
			got.CustomIndex != uint32(i) ||
			got.TableOffset != uint32(2*i) || got.Mask != 0xff || got.Flags != 0 {
			t.Errorf("instance %d: %+v", i, got)
		}
		if x := got.WorldToObject[0] * in.Transform[0]; math.Abs(float64(x)-1) > 1e-6 {
			t.Errorf("instance %d: the transforms are no inverses: %g", i, x)
		}
	}
	if n != len(c.Instances) {
		t.Errorf("%d instances, want %d", len(c.Instances), n)
	}
}

// TestContentsErrors refuses bytes that are no structure.
func TestContentsErrors(t *testing.T) {
	if _, err := (&inspect.Structure{}).Contents(); !errors.Is(err, inspect.ErrNotAStructure) {
		t.Error(err)
	}
	data := randomStructure(rand.New(rand.NewPCG(1, 2)), layout.LeafTriangles, 4)
	s, err := inspect.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	s.Active = 1 << 28
	if _, err := s.Contents(); !errors.Is(err, inspect.ErrNotAStructure) {
		t.Error(err)
	}
}
