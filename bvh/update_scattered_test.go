package bvh

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/vk"
)

// TestUpdateScattered updates structures whose nodes are in no order at all, so that hardly any has its children in its own
// block: they become what structures in order become.
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
			order := rng.Perm(int(min(binary.LittleEndian.Uint32(data[headerNodeCount:]), active-1))) // others are not the tree's
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
					t.Errorf("%d triangles, flags %#x: an update of scattered nodes makes something else", n, flags)
				}
			}
			batch := r.updateOf(built)
			batch.Dst = mixed
			other := r.updateOf(built)
			r.run([]Build{batch, other})
			if got := r.dataOf(vk.Range{Buffer: mixed}); !bytes.Equal(got[8:], want[8:]) {
				t.Errorf("%d triangles, flags %#x: an update of scattered nodes beside another one makes something else", n, flags)
			}
		}
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
