package bvh

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// TestClusterLinear builds bottom levels over more clusters than one block sorts, two by one command, with null addresses between
// them; once of clusters that are spread evenly, once with one so far away that the others have one code.
func TestClusterLinear(t *testing.T) {
	r := newRig(t)
	tracer := r.clusterTracer()
	rng := rand.New(rand.NewPCG(21, 22))
	for _, far := range []float32{0, 1e7} {
		positions, indices := bumpyGrid(rng, 40)
		if far != 0 {
			n := uint32(len(positions) / 3)
			positions = append(positions, far, 0, 0, far, 1, 0, far, 0, 1)
			indices = append(indices, n, n+1, n+2)
		}
		m := r.cutMesh(positions, indices, 1, 3)
		made := r.runClusters(m.input, cluster.Bytes(m.args...))
		var list []byte
		for k, a := range made.addresses {
			if k%97 == 0 {
				list = binary.LittleEndian.AppendUint64(list, 0)
			}
			list = binary.LittleEndian.AppendUint64(list, a)
		}
		at, count := r.upload("list", list), uint32(len(list)/8)
		in := cluster.Input{MaxCount: 3, Flags: vk.PreferFastBuild, Op: cluster.BuildBottomLevels, MaxClusters: count,
			MaxTotalClusters: 2*count + 1}
		bottoms := r.runClusters(in, cluster.Bytes(cluster.BuildBottomLevel{Count: count, Clusters: at},
			cluster.BuildBottomLevel{Count: count / 2, Clusters: at, Stride: 16}, cluster.BuildBottomLevel{Count: 1, Clusters: at + 8}))
		r.checkBottoms(bottoms)
		r.checkOver(clusterResults{memory: bottoms.memory, addresses: bottoms.addresses[:1]}, made)
		if n := len(made.addresses); n < 3*linearBlock {
			t.Fatalf("only %d clusters", n)
		}
		plain := r.single(r.build(r.indexedInput(positions, indices, 0))[0])
		rays := randomRays(rng, 20000)
		want := r.trace(plain, rays, TraceOptions{})
		if hit := r.wantSame(m, r.traceWith(tracer, r.singleOver(bottoms.addresses[0]), rays, TraceOptions{}), want); hit < 5000 {
			t.Errorf("only %d rays hit", hit)
		}
		again := r.runClusters(in, cluster.Bytes(cluster.BuildBottomLevel{Count: count, Clusters: at},
			cluster.BuildBottomLevel{Count: count + 1, Clusters: at}, cluster.BuildBottomLevel{}))
		if again.sizes[0] != bottoms.sizes[0] || again.addresses[1] != 0 || again.sizes[1] != 0 {
			t.Errorf("sizes %v at %#x: the second has more clusters than the command says", again.sizes, again.addresses)
		}
		r.compareLinear(bottoms, m, made)
	}
}

// compareLinear wants a linear tree to be no more than twice as dear as one of the usual builder.
func (r *rig) compareLinear(linear clusterResults, m *clusterMesh, made clusterResults) {
	r.Helper()
	usual := r.bottomOver(0, made.list.Address(), len(m.pieces))
	sah := func(c clusterResults) float64 {
		s, err := inspect.Read(r.Context(), r.dev, c.memory, c.addresses[0]-c.memory.Address())
		if err != nil {
			r.Fatal(err)
		}
		metrics, err := s.Validate()
		if err != nil {
			r.Fatal(err)
		}
		return metrics.SAH
	}
	a, b := sah(linear), sah(usual)
	r.Logf("SAH %.2f, by the usual builder %.2f", a, b)
	if a > 2*b {
		r.Errorf("SAH %.2f, by the usual builder %.2f", a, b)
	}
}
