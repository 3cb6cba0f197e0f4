package bvh

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// TestUpdateShapes updates trees of other shapes than builds make, so that hardly any node has its children in its own block, or
// lists of blocks are longer than a workgroup takes at once.
func TestUpdateShapes(t *testing.T) { updateShapes(t, newRig(t)) }

// TestSmallWorkgroups does the same with the workgroups that a device has to have which runs the other kernels.
func TestSmallWorkgroups(t *testing.T) {
	r := newRig(t)
	limits := r.dev.Physical().Limits
	limits.MaxComputeWorkGroupInvocations = 256
	limits.MaxComputeSharedMemorySize = 16 << 10
	builder, err := newBuilder(r.dev, limits)
	if err != nil {
		t.Fatal(err)
	}
	r.builder.Destroy()
	r.builder = builder // the rig destroys it
	if r.builder.refitNodes != refitNodesLeast || r.builder.refitSmall != 0 || r.builder.crowns {
		t.Errorf("updates take %d nodes, small ones %d primitives, crowns %v",
			r.builder.refitNodes, r.builder.refitSmall, r.builder.crowns)
	}
	updateShapes(t, r)
}

func updateShapes(t *testing.T, r *rig) {
	rng := rand.New(rand.NewPCG(141, 142))
	shapes := []struct {
		name  string
		split func(leaves int) int // those below child 0
	}{
		{"all to the left", func(n int) int { return n - 1 }},
		{"all to the right", func(int) int { return 1 }},
		{"halves", func(n int) int { return n / 2 }},
		{"anywhere", func(n int) int { return 1 + rng.IntN(n-1) }},
		{"mostly at an end", func(n int) int { return min(max(n*rng.IntN(2), 1+rng.IntN(3)), n-1) }},
	}
	for _, n := range []int{2000, 30000} {
		for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild} {
			m := r.movingSoup(n, flags, true)
			r.fill(m.data, m.make(rng))
			built := r.prepare(m.input)[0]
			r.run([]Build{built})
			data := r.dataOf(Range{Buffer: built.Dst})
			for _, s := range shapes {
				r.updateShaped(fmt.Sprintf("%d triangles, flags %#x, %s", n, flags, s.name), m, built, reshape(data, s.split), rng)
			}
		}
	}
}

// updateShaped updates a structure over the same records as what was built, alone and beside another update. Its leaves get the
// boxes that those of the other one get, and its nodes what follows from these.
func (r *rig) updateShaped(name string, m moving, built Build, data []byte, rng *rand.Rand) {
	r.Helper()
	shaped := r.poison("shaped", uint64(len(data)))
	r.fill(shaped, data)
	update := built
	update.Dst = shaped
	for _, batch := range [][]Build{{r.updateOf(update)}, {r.updateOf(update), r.updateOf(built)}} {
		r.fill(m.data, m.make(rng))
		r.run(batch)
		if len(batch) == 1 {
			r.run([]Build{r.updateOf(built)})
		}
		if err := compareShapes(r.dataOf(Range{Buffer: shaped}), r.dataOf(Range{Buffer: built.Dst})); err != nil {
			r.Errorf("%s, %d updates: %v", name, len(batch), err)
		}
	}
}

// leavesOf are the leaf references of a structure in the tree's order.
func leavesOf(s *inspect.Structure, ref uint32, to []uint32) []uint32 {
	if ref&layout.RefLeaf != 0 {
		return append(to, ref)
	}
	_, refs, _ := s.Children(ref)
	return leavesOf(s, refs[1], leavesOf(s, refs[0], to))
}

// reshape makes another tree over a structure's leaves.
func reshape(data []byte, split func(leaves int) int) []byte {
	out := bytes.Clone(data)
	s, err := inspect.Decode(data)
	if err != nil {
		panic(err) // the caller has just built it
	}
	next := uint32(0)
	var make func(leaves []uint32) (ref, records uint32, height int)
	make = func(leaves []uint32) (ref, records uint32, height int) {
		if len(leaves) == 1 {
			return leaves[0], leaves[0]>>layout.RefCountShift&layout.RefCountMask + 1, 0
		}
		at := split(len(leaves))
		first, below0, height0 := make(leaves[:at])
		second, below1, height1 := make(leaves[at:])
		node := layout.HeaderSize + layout.NodeSize*int(next)
		for k := range 12 {
			layout.PutWord(out, node+4*k, 0x7fc00000) // not a number
		}
		for k, w := range []uint32{first, second, below0, below1} {
			layout.PutWord(out, node+layout.NodeChild0+4*k, w)
		}
		next++
		return next - 1, below0 + below1, max(height0, height1) + 1
	}
	root, _, height := make(leavesOf(s, s.Root, nil))
	layout.PutWord(out, layout.HeaderRoot, root)
	layout.PutWord(out, layout.HeaderHeight, uint32(height))
	return out
}

// compareShapes tells where the boxes of a tree are not those that follow from the leaves' boxes in another one.
func compareShapes(shaped, other []byte) error {
	boxes := map[uint32]inspect.Box{}
	s, err := inspect.Decode(other)
	if err != nil {
		return err
	}
	for node := range s.Root + 1 {
		b, refs, _ := s.Children(node)
		for c := range 2 {
			if refs[c]&layout.RefLeaf != 0 {
				boxes[refs[c]] = b[c]
			}
		}
	}
	bounds := s.Bounds
	if s, err = inspect.Decode(shaped); err != nil {
		return err
	}
	if s.Bounds != bounds {
		return fmt.Errorf("bounds are %v, not %v", s.Bounds, bounds)
	}
	for node := range s.Root + 1 { // children first
		b, refs, _ := s.Children(node)
		for c := range 2 {
			if want := boxes[refs[c]]; b[c] != want {
				return fmt.Errorf("node %d of %d, child %d (%#x) has box %v, not %v", node, s.Root+1, c, refs[c], b[c], want)
			}
		}
		boxes[node] = b[0].Union(b[1])
	}
	return nil
}
