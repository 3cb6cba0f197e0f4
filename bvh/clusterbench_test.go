package bvh

import (
	"math/rand/v2"
	"slices"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/vk"
)

// tiledGrid is a height field of 8 by 4 quads for each cluster, which are in the order of rows.
func (r *rig) tiledGrid(columns, rows int) *clusterMesh {
	r.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	m := &clusterMesh{input: cluster.Input{Op: cluster.BuildClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat,
		MaxTriangles: 64, MaxVertices: 64,
		MaxCount: uint32(columns * rows), MaxTotalTriangles: uint32(64 * columns * rows), MaxTotalVertices: uint32(45 * columns * rows)}}
	var corners []float32
	var local []byte
	for y := range 4 {
		for x := range 8 {
			a := byte(9*y + x)
			local = append(local, a, a+1, a+9, a+9, a+1, a+10)
		}
	}
	for row := range rows {
		for column := range columns {
			for v := range 45 {
				corners = append(corners, float32(8*column+v%9), float32(4*row+v/9), rng.Float32())
			}
		}
	}
	at, indexAt := r.upload("vertices", floatBytes(corners)), r.upload("indices", local)
	for i := range columns * rows {
		m.args = append(m.args, cluster.BuildTriangles{ID: uint32(i), Counts: cluster.NewCounts(64, 45, 0, 1),
			Geometry: cluster.NewGeometryWord(0, cluster.Opaque), Indices: indexAt, Vertices: at + uint64(12*45*i)})
	}
	return m
}

// BenchmarkClusterKernels reports the milliseconds of every kernel of commands for clusters, by timestamps: medians.
func BenchmarkClusterKernels(b *testing.B) {
	r := newRig(b)
	m := r.tiledGrid(256, 96)
	run := func(name string, in cluster.Input, args []byte) clusterResults {
		out := r.runClusters(in, args)
		sizes, err := r.builder.ClusterBuildSizes(in)
		if err != nil {
			b.Fatal(err)
		}
		c := cluster.Command{Input: in, Implicit: out.memory.Address(),
			Scratch:   r.buffer("scratch", sizes.BuildScratchSize).Address(),
			Addresses: cluster.Strided{Address: out.list.Address()}, Infos: cluster.Strided{Address: r.upload("arguments", args)}}
		b.Run(name, func(b *testing.B) { r.timeClusterKernels(b, c) })
		return out
	}
	built := run("clusters", m.input, cluster.Bytes(m.args...))
	fast := m.input
	fast.Flags = vk.PreferFastTrace
	run("direct", fast, cluster.Bytes(m.args...))
	over := cluster.Input{MaxCount: 1, Flags: vk.PreferFastBuild, Op: cluster.BuildBottomLevels, MaxClusters: m.input.MaxCount,
		MaxTotalClusters: m.input.MaxCount}
	arg := cluster.Bytes(cluster.BuildBottomLevel{Count: m.input.MaxCount, Clusters: built.list.Address()})
	run("bottom", over, arg)
	over.Flags = vk.PreferFastTrace
	run("bottom-fast-trace", over, arg)
}

func (r *rig) timeClusterKernels(b *testing.B, c cluster.Command) {
	const most = 128
	pool, err := r.dev.NewQueryPool(most)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Destroy()
	times := map[string][]float64{}
	for range b.N {
		var names []string
		r.builder.mark = func(rec Recorder, kernel string) {
			names = append(names, kernel)
			rec.(*vk.CommandBuffer).WriteTimestamp(pool, uint32(len(names)))
		}
		err := r.dev.Run(b.Context(), "timed clusters", func(cb *vk.CommandBuffer) error {
			cb.ResetQueries(pool, 0, most)
			for range 20 { // clocks rise
				if err := r.builder.CmdBuildClusters(cb, c); err != nil {
					return err
				}
				cb.ResetQueries(pool, 0, most)
				names = names[:0]
				cb.WriteTimestamp(pool, 0)
			}
			return r.builder.CmdBuildClusters(cb, c)
		})
		r.builder.mark = nil
		if err != nil {
			b.Fatal(err)
		}
		got, err := pool.Range(0, uint32(len(names)+1))
		if err != nil {
			b.Fatal(err)
		}
		for i, n := range names {
			times[n] = append(times[n], float64(got[i+1]-got[i])/1e3)
		}
		times["all"] = append(times["all"], float64(got[len(names)]-got[0])/1e3)
	}
	for n, us := range times {
		slices.Sort(us)
		b.ReportMetric(us[len(us)/2], "us-"+n)
	}
}
