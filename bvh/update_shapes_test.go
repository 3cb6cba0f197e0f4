package bvh

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// TestUpdateShapes updates trees of other shapes than builds make, so that hardly any node has its children in its own block, or
// lists of blocks are longer than a workgroup takes at once.
func TestUpdateShapes(t *testing.T) { updateShapes(t, newRig(t), 2000, 30000) }

// TestSmallWorkgroups builds and updates with the workgroups that devices of 256 lanes have, and on a device of 128, as every
// one takes: trees are the same to the byte, but for crowns, as on the device itself.
func TestSmallWorkgroups(t *testing.T) {
	for _, c := range []struct {
		lanes, group, nodes uint32
		most                int // 16 * 16 blocks and more
	}{{256, mostLanes, refitNodesShort, 30000}, {128, leastLanes, leastLanes / 2, 17000}} {
		t.Run(fmt.Sprint(c.lanes), func(t *testing.T) {
			if c.lanes == 128 {
				t.Setenv(vktest.RestrictVariable, "least") // vk refuses larger workgroups
			}
			r := newRig(t)
			limits := r.dev.Physical().Limits
			if limits.MaxComputeWorkGroupInvocations < c.lanes {
				t.Skipf("the device has workgroups of %d lanes at most", limits.MaxComputeWorkGroupInvocations)
			}
			limits.MaxComputeWorkGroupInvocations = c.lanes
			limits.MaxComputeSharedMemorySize = 16 << 10
			builder, err := newBuilder(r.dev, limits)
			if err != nil {
				t.Fatal(err)
			}
			r.builder.Destroy()
			r.builder = builder // the rig destroys it
			if b := r.builder; b.refitNodes != c.nodes || b.lanes != c.group || b.refitSmall != 0 || b.crowns {
				t.Errorf("updates take %d nodes, small ones %d primitives, crowns %v, lanes %d", b.refitNodes, b.refitSmall, b.crowns, b.lanes)
			}
			if err := r.builder.Prepare(t.Context()); err != nil {
				t.Error(err)
			}
			updateShapes(t, r, 2000, c.most)
		})
	}
}

// TestLanes builds, compacts, serialises and copies structures of all kinds and sizes by workgroups of 128 lanes and of 256: they
// are the same to the byte.
func TestLanes(t *testing.T) {
	r := newRig(t)
	if r.builder.lanes < mostLanes {
		t.Skip("the device has workgroups of 128 lanes at most")
	}
	r.builder.crowns = false // they need 256
	rng := rand.New(rand.NewPCG(143, 144))
	var inputs []input
	for _, n := range []int{1, 100, 129, 1500, 2049, 5000, 300_000} { // more than 128 tiles are sorted in another way
		for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace, vk.PreferFastBuild, vk.LowMemory, vk.AllowUpdate} {
			if n > 10_000 && (flags != 0 || testing.Short()) {
				continue
			}
			inputs = append(inputs, r.soupInput(randomSoup(rng, n, 0.05), flags|vk.AllowCompaction, 0))
		}
	}
	inputs = append(inputs, r.soupInput(beams(rng, 45, 200), vk.PreferFastTrace, 0)) // splits
	var want [][]byte
	for _, lanes := range []uint32{mostLanes, leastLanes} {
		for k := range r.builder.kernels {
			r.builder.kernels[k].destroy()
		}
		r.builder.lanes = lanes
		built := r.build(inputs...)
		var got [][]byte
		for _, b := range built {
			s, _ := r.read(b)
			got = append(got, bytes.Clone(s.Data[layout.HeaderMagic:]))
		}
		for _, mode := range []vk.CopyMode{vk.CopyCompact, vk.CopySerialize} {
			for _, c := range r.copied(mode, whole(built[0]), whole(built[len(built)/2]), whole(built[len(built)-2])) {
				got = append(got, r.bytesOf(c)[layout.HeaderMagic:])
			}
		}
		for i := range got {
			if want != nil && !bytes.Equal(got[i], want[i]) {
				t.Errorf("structure %d of %d: by %d lanes it is another", i, len(inputs), lanes)
			}
		}
		want = got
	}
}

func updateShapes(t *testing.T, r *rig, sizes ...int) {
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
	for _, n := range sizes {
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
