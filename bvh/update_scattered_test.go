package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// TestUpdateScattered updates structures whose nodes are in no order at all, so that hardly any has its children in its own
// block, and such of which some are: they become what structures in order become.
func TestUpdateScattered(t *testing.T) { updateScattered(t, newRig(t)) }

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
	*r.builder = *builder // the rig destroys it
	if r.builder.refitNodes != refitNodesLeast || r.builder.small != 0 || r.builder.crowns {
		t.Errorf("updates take %d nodes, small ones %d primitives, crowns %v", r.builder.refitNodes, r.builder.small, r.builder.crowns)
	}
	updateScattered(t, r)
}

func updateScattered(t *testing.T, r *rig) {
	rng := rand.New(rand.NewPCG(141, 142))
	for _, n := range []int{2000, 12000} {
		for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild} {
			m := r.movingSoup(n, flags, true)
			r.fill(m.data, m.make(rng))
			built := r.prepare(m.input)[0]
			r.run([]Build{built})
			data := r.dataOf(vk.Range{Buffer: built.Dst})
			active := binary.LittleEndian.Uint32(data[headerActive:])
			nodes := int(min(binary.LittleEndian.Uint32(data[headerNodeCount:]), active-1)) // others are not the tree's
			what := fmt.Sprintf("%d triangles, flags %#x", n, flags)
			r.updateOrdered(what+", all nodes moved", m, built, data, rng.Perm(nodes), rng)
			r.updateOrdered(what+", some nodes moved", m, built, data, someMoved(rng, nodes), rng)
		}
	}
}

// someMoved is an order in which one in twelve is elsewhere.
func someMoved(rng *rand.Rand, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for range n / 24 {
		i, k := rng.IntN(n), rng.IntN(n)
		order[i], order[k] = order[k], order[i]
	}
	return order
}

// updateOrdered updates what was built, with nodes in another order, alone and beside another update.
func (r *rig) updateOrdered(name string, m moving, built Build, data []byte, order []int, rng *rand.Rand) {
	r.Helper()
	mixed := r.poison("mixed", uint64(len(data)))
	r.fill(mixed, scatter(data, order))
	r.fill(m.data, m.make(rng))
	r.run([]Build{r.updateOf(built)})
	want := scatter(r.dataOf(vk.Range{Buffer: built.Dst}), order)
	for range 3 {
		update := built
		update.Dst = mixed
		r.run([]Build{r.updateOf(update)})
		if got := r.dataOf(vk.Range{Buffer: mixed}); !bytes.Equal(got[8:], want[8:]) {
			r.Errorf("%s: an update makes something else", name)
		}
	}
	r.fill(m.data, m.make(rng))
	batch := r.updateOf(built)
	batch.Dst = mixed
	r.run([]Build{batch, r.updateOf(built)})
	want = scatter(r.dataOf(vk.Range{Buffer: built.Dst}), order)
	if got := r.dataOf(vk.Range{Buffer: mixed}); !bytes.Equal(got[8:], want[8:]) {
		r.Errorf("%s: an update beside another one makes something else", name)
	}
}

// scatter moves node i of a structure to place order[i].
func scatter(data []byte, order []int) []byte {
	out := bytes.Clone(data)
	moved := func(at int) {
		if ref := binary.LittleEndian.Uint32(out[at:]); ref&refLeaf == 0 && int(ref) < len(order) {
			putWord(out, at, uint32(order[ref]))
		}
	}
	moved(headerRoot)
	for i, to := range order {
		copy(out[headerSize+nodeSize*to:][:nodeSize], data[headerSize+nodeSize*i:][:nodeSize])
	}
	for i := range order {
		moved(headerSize + nodeSize*i + nodeChild0)
		moved(headerSize + nodeSize*i + nodeChild0 + 4)
	}
	return out
}
