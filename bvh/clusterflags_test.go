package bvh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// TestClusterFlags traces clusters whose triangles have geometries and flags of their own by all ray flags, against the reference
// and, to the bit, against plain structures of the same triangles: opaque triangles beside others in one leaf. Some triangles
// cannot be hit, some bottom levels share clusters with others, and a plain bottom level stands beside them.
func TestClusterFlags(t *testing.T) {
	rays := 400 // for each combination
	if n := os.Getenv(clusterRaysVariable); n != "" {
		all, err := strconv.Atoi(n)
		if err != nil {
			t.Fatalf("%s=%q: %v", clusterRaysVariable, n, err)
		}
		rays = max(all/32, 1)
	}
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastTrace} {
		t.Run(fmt.Sprintf("built with %#x", flags), func(t *testing.T) { testClusterFlags(t, flags, rays) })
	}
}

// clusterRaysVariable is how many rays TestClusterFlags traces, of all flags together.
const clusterRaysVariable = "EVERRAY_CLUSTER_RAYS"

func testClusterFlags(t *testing.T, built vk.BuildFlags, count int) {
	r := newRig(t)
	tracer := r.clusterTracer()
	rng := rand.New(rand.NewPCG(5, 6))
	positions, indices := bumpyGrid(rng, 12)
	positions[3*20] = float32(math.NaN())
	positions[3*40+1] = float32(math.Inf(1))
	positions[3*60+2] = 2e37
	indices[30] = indices[31] // of no area
	m := r.cutMesh(positions, indices, 30, 40)
	m.input.Flags = built
	var list []inspect.Triangle
	for i, p := range m.pieces {
		words := make([]uint32, len(p.Triangles))
		for k, n := range p.Triangles {
			index, flags := uint32(1<<16+k%3), cluster.GeometryFlags(0)
			if rng.IntN(2) == 0 {
				flags = cluster.Opaque
			}
			words[k] = uint32(cluster.NewGeometryWord(index-100, flags))
			tri := inspect.Triangle{Primitive: uint32(i*256 + k), Geometry: index, Opaque: flags != 0}
			finite := true
			for v := range 3 {
				copy(tri.V[v][:], positions[3*indices[3*n+uint32(v)]:][:3])
				for _, x := range tri.V[v] {
					finite = finite && math.Abs(float64(x)) < 1e37
				}
			}
			if finite {
				list = append(list, tri)
			}
		}
		m.args[i].Geometry = cluster.NewGeometryWord(100, 0)
		m.args[i].GeometryWords = r.upload("words", uintBytes(words))
	}
	made := r.runClusters(m.input, cluster.Bytes(m.args...))
	r.objects(made)
	n := uint32(len(m.pieces))
	// Two bottom levels over all clusters, one over null addresses and nothing, and one over a part of them.
	null := r.upload("null addresses", make([]byte, 64))
	in := cluster.Input{MaxCount: 5, Op: cluster.BuildBottomLevels, MaxClusters: n, MaxTotalClusters: 4 * n}
	bottoms := r.runClusters(in, cluster.Bytes(
		cluster.BuildBottomLevel{Count: n, Clusters: made.list.Address()}, cluster.BuildBottomLevel{Count: n,
			Clusters: made.list.Address()},
		cluster.BuildBottomLevel{Count: 8, Clusters: null}, cluster.BuildBottomLevel{},
		cluster.BuildBottomLevel{Count: (n + 1) / 2, Stride: 16, Clusters: made.list.Address()}))
	r.checkBottoms(bottoms)
	s := randomSoup(rng, 50, 0.1)
	plain := r.build(r.soupInput(s, 0, 0))[0]
	shift := vk.IdentityTransform()
	shift[3] = 2.5
	mirror := vk.IdentityTransform()
	mirror[0], mirror[11] = -1, -0.5
	instance := func(t [12]float32, custom uint32, flags uint8, at vk.DeviceAddress) vk.AccelerationStructureInstance {
		return vk.NewAccelerationStructureInstance(t, custom, 0xff, custom, vk.InstanceFlags(flags), at)
	}
	tlas := r.build(r.topInput(0, instance(vk.IdentityTransform(), 1, 0, bottoms.addresses[0]),
		instance(mirror, 2, inspect.InstanceFlipFacing, bottoms.addresses[1]), instance(vk.IdentityTransform(), 3, 0,
			bottoms.addresses[2]),
		instance(vk.IdentityTransform(), 4, 0, bottoms.addresses[3]), instance(shift, 5, 0, plain.Address())))[0]
	scene := inspect.Reference{
		{Transform: vk.IdentityTransform(), Mask: 0xff, CustomIndex: 1, TableOffset: 1, Triangles: list},
		{Transform: mirror, Mask: 0xff, Flags: inspect.InstanceFlipFacing, CustomIndex: 2, TableOffset: 2, Triangles: list},
		{}, {}, {Transform: shift, Mask: 0xff, CustomIndex: 5, TableOffset: 5, Triangles: s.triangles(0, false)},
	}
	twin := r.newPlainTwin(list)
	none := r.build(r.soupInput(nil, 0, 0))[0].Address()
	plainTop := r.build(r.topInput(0, instance(vk.IdentityTransform(), 1, 0, twin.at),
		instance(mirror, 2, inspect.InstanceFlipFacing, twin.at), instance(vk.IdentityTransform(), 3, 0, none),
		instance(vk.IdentityTransform(), 4, 0, none), instance(shift, 5, 0, plain.Address())))[0]
	rays := randomRays(rng, count)
	for _, flags := range []uint32{0, inspect.RayOpaque, inspect.RayNoOpaque, inspect.RayCullBackFacing, inspect.RayCullFrontFacing,
		inspect.RayCullOpaque, inspect.RayCullNoOpaque, inspect.RaySkipTriangles} {
		for _, ignore := range []bool{false, true} {
			o := TraceOptions{Flags: flags}
			var refuse func(inspect.Triangle) bool
			if ignore {
				o.Candidates, refuse = IgnoreOddPrimitives, func(t inspect.Triangle) bool { return t.Primitive%2 == 1 }
			}
			hits := r.traceWith(tracer, tlas, rays, o)
			for i := range hits {
				if c := hits[i].Cluster; c != cluster.NoID && hits[i].Instance != inspect.NoInstance {
					hits[i].Primitive += 256 * (c - 1000)
				} else if hits[i].Instance != inspect.NoInstance && hits[i].Instance != 4 {
					t.Fatalf("ray %d: %+v in a cluster without an id", i, hits[i])
				}
			}
			hit, ambiguous := r.compareHits(hits, traceAll(scene, rays, flags, 0xff, refuse), rays)
			twin.wantSame(fmt.Sprintf("flags %#x, ignoring %v", flags, ignore), hits, r.traceWith(tracer, plainTop, rays, o))
			if want := flags&inspect.RaySkipTriangles == 0; (hit > 20) != want {
				t.Errorf("flags %#x: %d rays hit", flags, hit)
			}
			if count > 400 {
				t.Logf("flags %#x, ignoring %v: %d rays, %d hit, %d ambiguous", flags, ignore, count, hit, ambiguous)
			}
		}
	}
}

// plainTwin is a plain bottom level of triangles that have flags of their own: a geometry of those that are not opaque, and one of
// those that are. Numbers are odd where they were.
type plainTwin struct {
	*rig
	at vk.DeviceAddress
	of [2][]inspect.Triangle // by geometry and number
}

func (r *rig) newPlainTwin(list []inspect.Triangle) *plainTwin {
	r.Helper()
	p := &plainTwin{rig: r}
	var corners [2]soup
	for _, t := range list {
		g := 0
		if t.Opaque {
			g = 1
		}
		if len(p.of[g])%2 != int(t.Primitive%2) {
			p.of[g] = append(p.of[g], inspect.Triangle{})
			for range 9 {
				corners[g] = append(corners[g], float32(math.NaN()))
			}
		}
		p.of[g] = append(p.of[g], t)
		for _, v := range t.V {
			corners[g] = append(corners[g], v[:]...)
		}
	}
	var geometries []vk.Geometry
	var ranges []vk.BuildRange
	for g, flags := range []vk.GeometryFlags{0, vk.GeometryOpaque} {
		geometry, rg := r.soupGeometry(corners[g], flags)
		geometries, ranges = append(geometries, geometry), append(ranges, rg)
	}
	p.at = r.build(bottom(0, geometries, ranges))[0].Address()
	return p
}

// wantSame compares hits in clusters with those in the twin, by the names that the triangles have.
func (p *plainTwin) wantSame(what string, got, plain []Hit) {
	p.Helper()
	bad, ties := 0, 0
	for i, w := range plain {
		g := got[i]
		g.Cluster = cluster.NoID
		if w.Instance == inspect.NoInstance {
			g, w = Hit{Instance: g.Instance}, Hit{Instance: w.Instance}
		} else if w.Instance < 2 {
			t := p.of[w.Geometry][w.Primitive]
			w.Geometry, w.Primitive = t.Geometry, t.Primitive
		}
		if g.T == w.T && g.Instance != inspect.NoInstance && (g.Primitive != w.Primitive || g.Instance != w.Instance) {
			ties++ // of hits at the same distance any may count
			continue
		}
		if g != w {
			if bad++; bad < 5 {
				p.Errorf("%s: ray %d: got %+v\nin a plain structure %+v", what, i, got[i], w)
			}
		}
	}
	if bad > 0 || ties > len(plain)/100 {
		p.Errorf("%s: %d of %d rays differ, and %d at the same distance", what, bad, len(plain), ties)
	}
}

// TestClusterCulling wants triangles with CullDisable to be hit whatever faces are culled.
func TestClusterCulling(t *testing.T) {
	r := newRig(t)
	tracer := r.clusterTracer()
	corners := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0}
	in := cluster.Input{MaxCount: 1, Op: cluster.BuildClusters, VertexFormat: 106, MaxTriangles: 2, MaxVertices: 6,
		MaxTotalTriangles: 2, MaxTotalVertices: 6}
	for _, both := range []bool{false, true} {
		a := cluster.BuildTriangles{ID: 9, Counts: cluster.NewCounts(2, 6, 0, 1), Indices: r.upload("indices", []byte{0, 1, 2, 3, 4, 5}),
			Vertices: r.upload("vertices", floatBytes(corners))}
		if both {
			a.Geometry = cluster.NewGeometryWord(0, cluster.CullDisable)
		} else {
			a.GeometryWords = r.upload("words", uintBytes([]uint32{0, uint32(cluster.NewGeometryWord(3, cluster.CullDisable))}))
		}
		bottom := r.bottomOver(0, r.runClusters(in, cluster.Bytes(a)).list.Address(), 1)
		tlas := r.singleOver(bottom.addresses[0])
		var rays []inspect.Ray
		for _, x := range []float32{0.2, 2.2} {
			for _, z := range []float32{1, -1} {
				rays = append(rays, inspect.Ray{Origin: [3]float32{x, 0.2, z}, Direction: [3]float32{0, 0, -z}, TMax: 10})
			}
		}
		for _, flags := range []uint32{inspect.RayCullBackFacing, inspect.RayCullFrontFacing} {
			hits := r.traceWith(tracer, tlas, rays, TraceOptions{Flags: flags})
			first := 0
			for i, h := range hits {
				hit := h.Instance != inspect.NoInstance
				if i < 2 && hit {
					first++
				}
				if i >= 2 && (!hit || h.Primitive != 1 || h.Cluster != 9) {
					t.Errorf("flags %#x, ray %d: %+v, the second triangle is never culled", flags, i, h)
				}
			}
			if want := map[bool]int{false: 1, true: 2}[both]; first != want {
				t.Errorf("flags %#x: %d of two rays hit the first triangle, want %d", flags, first, want)
			}
		}
	}
}
