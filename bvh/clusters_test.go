package bvh

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// clusterMesh is a mesh that is cut into pieces, in device memory.
type clusterMesh struct {
	positions []float32
	indices   []uint32
	pieces    []cluster.Piece
	args      []cluster.BuildTriangles // with ids 1000 and on
	input     cluster.Input            // of a command that builds them all
}

// cutMesh cuts a mesh and uploads each piece's vertices and indices.
func (r *rig) cutMesh(positions []float32, indices []uint32, triangles, vertices int) *clusterMesh {
	r.Helper()
	m := &clusterMesh{positions: positions, indices: indices, pieces: cluster.Cut(positions, indices, triangles, vertices)}
	var corners []float32
	var local []byte
	for _, p := range m.pieces {
		for _, v := range p.Vertices {
			corners = append(corners, positions[3*v:3*v+3]...)
		}
		local = append(local, p.Indices...)
	}
	at, indexAt := r.upload("cluster vertices", floatBytes(corners)), r.upload("cluster indices", local)
	m.input = cluster.Input{
		MaxCount: uint32(len(m.pieces)), Op: cluster.BuildClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat,
		MaxTriangles: uint32(triangles),
		MaxVertices:  uint32(vertices), MaxGeometryIndex: cluster.MostGeometry,
	}
	for i, p := range m.pieces {
		n, v := uint32(len(p.Triangles)), uint32(len(p.Vertices))
		m.args = append(m.args, cluster.BuildTriangles{ID: 1000 + uint32(i), Counts: cluster.NewCounts(n, v, 0, 1),
			Geometry: cluster.NewGeometryWord(0, cluster.Opaque), Indices: indexAt, Vertices: at})
		at, indexAt = at+12*uint64(v), indexAt+3*uint64(n)
		m.input.MaxTotalTriangles += n
		m.input.MaxTotalVertices += v
	}
	return m
}

// clusterResults are those of a command in mode cluster.Implicit.
type clusterResults struct {
	memory    *vk.Buffer
	list      *vk.Buffer // addresses
	addresses []uint64
	sizes     []uint32
}

// runClusters runs a command in mode cluster.Implicit over arguments that are uploaded.
func (r *rig) runClusters(in cluster.Input, args []byte) clusterResults {
	r.Helper()
	n := uint64(in.MaxCount)
	sizes, err := r.builder.ClusterBuildSizes(in)
	if err != nil {
		r.Fatal(err)
	}
	out := clusterResults{memory: r.buffer("clusters", sizes.AccelerationStructureSize), list: r.buffer("cluster addresses", 8*n)}
	sizesAt := r.buffer("cluster sizes", in.SizeBytes()*n)
	r.command(cluster.Command{Input: in, Implicit: out.memory.Address(),
		Scratch:   r.buffer("scratch", sizes.BuildScratchSize).Address(),
		Addresses: cluster.Strided{Address: out.list.Address()}, Sizes: cluster.Strided{Address: sizesAt.Address()},
		Infos: cluster.Strided{Address: r.upload("arguments", args)}})
	a, s := r.download(out.list), r.download(sizesAt)
	for k := range n {
		out.addresses = append(out.addresses, binary.LittleEndian.Uint64(a[8*k:]))
		out.sizes = append(out.sizes, binary.LittleEndian.Uint32(s[in.SizeBytes()*k:]))
	}
	return out
}

func (r *rig) command(c cluster.Command) {
	r.Helper()
	err := r.dev.Run(r.Context(), "clusters", func(cb *vk.CommandBuffer) error { return r.builder.CmdBuildClusters(cb, c) })
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) download(b *vk.Buffer) []byte {
	r.Helper()
	data := make([]byte, b.Size())
	if err := r.dev.ReadBuffer(r.Context(), b, 0, data); err != nil {
		r.Fatal(err)
	}
	return data
}

// objects decodes and validates results.
func (r *rig) objects(results clusterResults) []*cluster.Object {
	r.Helper()
	data := r.download(results.memory)
	var out []*cluster.Object
	end := results.memory.Address()
	for k, at := range results.addresses {
		if at < end || at-results.memory.Address()+uint64(results.sizes[k]) > uint64(len(data)) {
			r.Fatalf("result %d: %d bytes at %#x, the one before ends at %#x", k, results.sizes[k], at, end)
		}
		end = at + uint64(results.sizes[k])
		o, err := cluster.Decode(data[at-results.memory.Address():][:results.sizes[k]])
		if err == nil {
			err = o.Validate()
		}
		if err != nil {
			r.Fatalf("result %d of %d: %v", k, len(results.addresses), err)
		}
		out = append(out, o)
	}
	return out
}

// bottomOver builds one bottom level over all clusters.
func (r *rig) bottomOver(flags vk.BuildFlags, list vk.DeviceAddress, count int) clusterResults {
	r.Helper()
	in := cluster.Input{MaxCount: 1, Flags: flags, Op: cluster.BuildBottomLevels, MaxClusters: uint32(count),
		MaxTotalClusters: uint32(count)}
	results := r.runClusters(in, cluster.Bytes(cluster.BuildBottomLevel{Count: uint32(count), Clusters: list}))
	r.checkBottoms(results)
	return results
}

// checkBottoms validates bottom levels over clusters.
func (r *rig) checkBottoms(results clusterResults) {
	r.Helper()
	for k, at := range results.addresses {
		s, err := inspect.Read(r.Context(), r.dev, results.memory, at-results.memory.Address())
		if err == nil {
			_, err = s.Validate()
		}
		if err != nil {
			r.Fatalf("bottom level %d over clusters: %v", k, err)
		}
		if s.Bytes != uint64(results.sizes[k]) || s.Address != at {
			r.Fatalf("bottom level %d: %d bytes at %#x by its header, %d at %#x by the command", k, s.Bytes, s.Address, results.sizes[k], at)
		}
	}
}

// checkOver holds bottom levels against the clusters that they refer to.
func (r *rig) checkOver(bottoms, of clusterResults) {
	r.Helper()
	objects := map[uint64]*cluster.Object{}
	for k, o := range r.objects(of) {
		objects[of.addresses[k]] = o
	}
	for k, at := range bottoms.addresses {
		s, err := inspect.Read(r.Context(), r.dev, bottoms.memory, at-bottoms.memory.Address())
		if err == nil {
			_, err = s.ValidateClusters(objects)
		}
		if err != nil {
			r.Fatalf("bottom level %d over clusters: %v", k, err)
		}
		if s.Active > 0 { // another one's cluster in place of one's own is found
			first, second := of.addresses[0], of.addresses[len(of.addresses)-1]
			swapped := maps.Clone(objects)
			swapped[first], swapped[second] = objects[second], objects[first]
			if _, err := s.ValidateClusters(swapped); len(objects) > 1 && err == nil {
				r.Errorf("bottom level %d: clusters in each other's place are not found", k)
			}
		}
	}
}

// singleOver puts one structure at an address under the identity.
func (r *rig) singleOver(address vk.DeviceAddress) *vk.Buffer {
	return r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, address)))[0]
}

func (r *rig) clusterTracer() *Tracer {
	r.Helper()
	t, err := NewClusterTracer(r.dev)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(t.Destroy)
	return t
}

func (r *rig) traceWith(t *Tracer, tlas *vk.Buffer, rays []inspect.Ray, o TraceOptions) []Hit {
	r.Helper()
	if o.CullMask == 0 {
		o.CullMask = 0xff
	}
	hits, _, err := t.Trace(r.Context(), tlas.Address(), rays, o)
	if err != nil {
		r.Fatal(err)
	}
	return hits
}

// wantSame holds hits in clusters against those of the same triangles in a plain structure. It returns how many rays hit.
func (r *rig) wantSame(m *clusterMesh, got, want []Hit) (hit int) {
	r.Helper()
	bad := 0
	for i, g := range got {
		w := want[i]
		if w.Instance == inspect.NoInstance {
			w = Hit{T: w.T, Instance: inspect.NoInstance, Cluster: cluster.NoID}
			g = Hit{T: g.T, Instance: g.Instance, Cluster: g.Cluster}
		} else {
			hit++
			if k := g.Cluster - 1000; k < uint32(len(m.pieces)) && g.Primitive < uint32(len(m.pieces[k].Triangles)) {
				g.Primitive, g.Cluster = m.pieces[k].Triangles[g.Primitive], cluster.NoID
			}
			if g.T == w.T && g.Primitive != w.Primitive { // of hits at the same distance any may count
				g.Primitive, g.U, g.V, g.Kind = w.Primitive, w.U, w.V, w.Kind
			}
		}
		if g != w {
			if bad++; bad < 5 {
				r.Errorf("ray %d: got %+v\nwant %+v", i, got[i], w)
			}
		}
	}
	if bad > 0 {
		r.Errorf("%d of %d rays differ", bad, len(got))
	}
	return hit
}

// bumpyGrid is a height field of n by n quads, whose vertices are shared.
func bumpyGrid(rng *rand.Rand, n int) (positions []float32, indices []uint32) {
	for y := range n + 1 {
		for x := range n + 1 {
			positions = append(positions, 2*float32(x)/float32(n)-1, 2*float32(y)/float32(n)-1, rng.Float32()*0.2-0.1)
		}
	}
	for y := range n {
		for x := range n {
			a := uint32(y*(n+1) + x)
			b := a + uint32(n) + 1
			indices = append(indices, a, a+1, b, b, a+1, b+1)
		}
	}
	return positions, indices
}

// TestClusters builds clusters of several sizes and bottom levels over them, and wants rays to hit what they hit in a plain
// structure of the same triangles.
func TestClusters(t *testing.T) {
	r := newRig(t)
	tracer := r.clusterTracer()
	rng := rand.New(rand.NewPCG(1, 2))
	positions, indices := bumpyGrid(rng, 40)
	plain := r.single(r.build(r.indexedInput(positions, indices, 0))[0])
	rays := randomRays(rng, 20000)
	want := r.trace(plain, rays, TraceOptions{})
	for _, c := range []struct {
		triangles, vertices int
		flags               vk.BuildFlags
	}{{64, 64, 0}, {128, 128, vk.PreferFastBuild}, {256, 256, vk.PreferFastTrace}, {1, 3, 0}, {7, 20, 0}, {100, 90, 0}} {
		m := r.cutMesh(positions, indices, c.triangles, c.vertices)
		m.input.Flags = c.flags
		results := r.runClusters(m.input, cluster.Bytes(m.args...))
		for k, o := range r.objects(results) {
			if o.ID != m.args[k].ID || len(o.Triangles) != len(m.pieces[k].Triangles) || results.sizes[k] != uint32(o.Bytes) {
				t.Fatalf("cluster %d: id %d, %d triangles of %d, size %d", k, o.ID, len(o.Triangles),
					len(m.pieces[k].Triangles), results.sizes[k])
			}
		}
		bottom := r.bottomOver(c.flags, results.list.Address(), len(m.pieces))
		r.checkOver(bottom, results)
		tlas := r.singleOver(bottom.addresses[0])
		if hit := r.wantSame(m, r.traceWith(tracer, tlas, rays, TraceOptions{}), want); hit < 5000 {
			t.Errorf("%d triangles in a cluster: only %d rays hit", c.triangles, hit)
		}
		r.traceWith(tracer, plain, rays[:10], TraceOptions{}) // no fault
		if _, _, err := r.tracer.Trace(r.Context(), tlas.Address(), rays[:10], TraceOptions{CullMask: 0xff}); err == nil {
			t.Error("a tracer that knows no clusters does not report them")
		}
	}
	hits := r.traceWith(tracer, plain, rays, TraceOptions{})
	for i := range hits {
		if hits[i] != want[i] && !(math.IsNaN(float64(hits[i].U))) {
			t.Fatalf("ray %d: %+v by the tracer for clusters, %+v by the other", i, hits[i], want[i])
		}
	}
}
