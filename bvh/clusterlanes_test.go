package bvh

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/vk"
)

// TestClusterLanes wants kernels of 128 lanes, which are all that a device need take, to make the same bytes of clusters and
// templates of up to 256 triangles as those of 256.
func TestClusterLanes(t *testing.T) {
	r := newRig(t)
	if r.builder.lanes != mostLanes {
		t.Skip("the device takes no more than 128 lanes")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	positions, indices := bumpyGrid(rng, 40)
	m := r.cutMesh(positions, indices, 256, 256)
	for i, p := range m.pieces {
		words := make([]uint32, len(p.Triangles))
		for k := range words {
			words[k] = rng.Uint32N(1 << 24)
		}
		m.args[i].GeometryWords = r.upload("words", uintBytes(words))
	}
	templates := make([]cluster.BuildTemplate, len(m.args))
	for i, a := range m.args {
		templates[i].BuildTriangles = a
	}
	most := r.builder
	limits := r.dev.Physical().Limits
	limits.MaxComputeWorkGroupInvocations = leastLanes
	least, err := newBuilder(r.dev, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer least.Destroy()
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace} {
		var built, made [2][]byte
		for k, b := range []*Builder{most, least} {
			r.builder = b
			in := m.input
			in.Flags = flags
			results := r.runClusters(in, cluster.Bytes(m.args...))
			r.objects(results)
			built[k] = r.results(results)
			in.Op = cluster.BuildTemplates
			of := r.runClusters(in, cluster.Bytes(templates...))
			instances := make([]cluster.Instantiate, len(of.addresses))
			for i, a := range of.addresses {
				instances[i] = cluster.Instantiate{Template: a, Vertices: m.args[i].Vertices, GeometryOffset: 3}
			}
			in.Op = cluster.InstantiateOp
			made[k] = append(r.results(of), r.results(r.runClusters(in, cluster.Bytes(instances...)))...)
		}
		if len(m.pieces) < 5 || !bytes.Equal(built[0], built[1]) || !bytes.Equal(made[0], made[1]) {
			t.Errorf("flags %#x: %d clusters, or templates and their instances, have other bytes by 128 lanes", flags, len(m.pieces))
		}
	}
	r.builder = most
}

// results are the bytes of all results, one behind the other.
func (r *rig) results(c clusterResults) (out []byte) {
	r.Helper()
	data := r.download(c.memory)
	for k, a := range c.addresses {
		out = append(out, data[a-c.memory.Address():][:c.sizes[k]]...)
	}
	return out
}
