package bvh

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// mesh is positions and indices of a test.
type mesh struct {
	name      string
	positions []float32
	indices   []uint32
}

// benchMeshes are a sphere and the bench scenes that are there.
func benchMeshes(t *testing.T) []mesh {
	positions, indices := icosphere(6, 1)
	meshes := []mesh{{"sphere", positions, indices}}
	for _, name := range []string{"bunny", "dragon", "sponza", "house"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "bunny" {
				t.Skip("short")
			}
			m := loadModel(t, name) // skips where there is none
			meshes = append(meshes, mesh{m.name, m.positions, m.indices})
		})
	}
	return meshes
}

// compactFlags are the flags that change something about a bottom level's tree or records.
func compactFlags() []buildKind {
	var sets []buildKind
	for _, kind := range buildKinds {
		sets = append(sets, kind, buildKind{kind.name + ", update", kind.flags | vk.AllowUpdate},
			buildKind{kind.name + ", low memory", kind.flags | vk.LowMemory},
			buildKind{kind.name + ", update, low memory", kind.flags | vk.AllowUpdate | vk.LowMemory})
	}
	return sets
}

// TestCompactedSizes prints bytes per triangle of compacted copies by part. None takes more than 45 bytes, or more than
// what is in use of the build, and none of FAST_BUILD more than 64 before.
func TestCompactedSizes(t *testing.T) {
	r := newRig(t)
	for _, m := range benchMeshes(t) {
		n := uint64(len(m.indices) / 3)
		for _, set := range compactFlags() {
			flags := set.flags
			low, update := flags&vk.LowMemory != 0, flags&vk.AllowUpdate != 0
			switch {
			case flags == vk.PreferFastTrace: // has splits
			case n > 1e5 && (flags&vk.PreferFastTrace != 0 || low && (update || flags&vk.PreferFastBuild != 0)),
				n > 1e6 && (low || !update):
				continue // the same trees as others, or no larger
			}
			r.compactedSize(m.name+", "+set.name, r.indexedInput(m.positions, m.indices, flags|vk.AllowCompaction), 45)
		}
	}
}

// TestCompactedSizesOfParts is the same for meshes in many geometries, that lie together or among each other, and for soups of
// their triangles: without updates corners at the same position share a vertex. With updates they may part, and 36 bytes are
// positions.
func TestCompactedSizesOfParts(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"bunny", "sponza", "dragon", "house"} {
		if testing.Short() && name != "bunny" {
			continue
		}
		m := loadModel(t, name) // skips where there is none
		near := nearby(m.positions, m.indices)
		for _, set := range compactFlags() {
			flags, what := set.flags|vk.AllowCompaction, name+", "+set.name
			update := flags&vk.AllowUpdate != 0
			first := flags&(vk.PreferFastTrace|vk.PreferFastBuild) == 0
			if name != "bunny" && (!update || !first && flags&vk.LowMemory != 0 || flags&vk.PreferFastTrace != 0) || name == "house" &&
				flags != vk.AllowUpdate|vk.AllowCompaction {
				continue // smaller, or the same trees as others
			}
			for _, geometries := range []int{100, 1000} {
				if name == "dragon" || name == "house" || testing.Short() && geometries == 100 {
					continue
				}
				if first {
					r.compactedSize(fmt.Sprintf("%s, %d geometries", what, geometries),
						r.sliced(mesh{name, m.positions, near}, geometries, flags), 45)
				}
				if !first || flags&vk.LowMemory == 0 {
					r.compactedSize(fmt.Sprintf("%s, %d mixed geometries", what, geometries),
						r.sliced(mesh{name, m.positions, m.indices}, geometries, flags), 45)
				}
			}
			var unshared soup
			for _, i := range m.indices {
				unshared = append(unshared, m.positions[3*i:3*i+3]...)
			}
			r.compactedSize(what+", soup", r.soupInput(unshared, flags, 0), 45)
		}
	}
}

// nearby orders triangles by where they are, so that parts of a mesh lie together, as they do.
func nearby(positions []float32, indices []uint32) []uint32 {
	all := inspect.NoBox()
	for i := 0; i < len(positions); i += 3 {
		p := [3]float32(positions[i:])
		all = all.Union(inspect.Box{Min: p, Max: p})
	}
	code := func(t []uint32) (code uint32) {
		for bit := range 8 {
			for k := range 3 {
				size := max(all.Max[k]-all.Min[k], 1e-30)
				cell := uint32(255 * (positions[3*t[0]+uint32(k)] - all.Min[k]) / size)
				code |= (cell >> bit & 1) << (3*bit + k)
			}
		}
		return code
	}
	triangles := slices.Collect(slices.Chunk(indices, 3))
	slices.SortStableFunc(triangles, func(a, b []uint32) int { return cmp.Compare(code(a), code(b)) })
	return slices.Concat(triangles...)
}

// compactedSize compacts a build, and wants no more than some bytes per triangle.
func (r *rig) compactedSize(what string, in input, most float64) {
	r.Helper()
	built := whole(r.build(in)[0])
	s, metrics := r.read(bufferOf(built.Buffer))
	built.Size = s.Bytes
	size := r.properties(CompactedSize, built)[0]
	used := layout.HeaderSize + uint64(metrics.InnerNodes)*layout.NodeSize + uint64(s.Active)*layout.TriangleSize
	compact := r.decoded(r.copied(vk.CopyCompact, built)[0])
	if size > used || compact.Bytes != size {
		r.Errorf("%s: %d bytes compacted, the query says %d, %d of %d were in use", what, compact.Bytes, size, used, s.Bytes)
	}
	of := func(bytes uint64) float64 { return float64(bytes) / float64(s.Primitives) }
	if of(size) > most {
		r.Errorf("%s: %.1f bytes per triangle, at most %g", what, of(size), most)
	}
	if in.info.Flags&(vk.PreferFastBuild|vk.LowMemory) != 0 && of(built.Buffer.Size()) > 64 {
		r.Errorf("%s: %.1f bytes per triangle before, at most 64", what, of(built.Buffer.Size()))
	}
	parts := compact.Parts(inspect.Metrics{InnerNodes: int(compact.Word(layout.HeaderNodeCount))})
	r.Logf("%s (%d triangles): %.1f bytes per triangle, %.1f in use, %.1f compacted: nodes %.1f, records %.1f, vertices %.1f",
		what, s.Primitives,
		of(built.Buffer.Size()), of(s.Bytes), of(size), of(parts.Nodes), of(parts.Leaves), of(parts.Vertices))
}

// layers are one slanting plane as several sheets of squares, each a little aside of the one before, with some triangles
// twice: rays from above hit all sheets at the same distance, for these numbers are exact, and come to them in an order of
// their own.
func layers(sheets, squares int) (positions []float32, indices []uint32) {
	for s := range sheets {
		base := uint32(len(positions) / 3)
		for y := range squares + 1 {
			for x := range squares + 1 {
				px := (float32(x) + float32(s)/float32(sheets)) / float32(squares)
				py := (float32(y) + float32(s)/float32(sheets)) / float32(squares)
				positions = append(positions, 2*px-1, 2*py-1, (px+py)/4)
			}
		}
		for y := range uint32(squares) {
			for x := range uint32(squares) {
				a := base + y*uint32(squares+1) + x
				b := a + uint32(squares+1)
				indices = append(indices, a, a+1, b, a+1, b+1, b, a, a+1, b)
			}
		}
	}
	return positions, indices
}

// gridRays go straight down at points of a grid that has the squares' vertices and edges.
func gridRays(n int) []inspect.Ray {
	var rays []inspect.Ray
	for y := range n + 1 {
		for x := range n + 1 {
			rays = append(rays, inspect.Ray{Origin: [3]float32{2*float32(x)/float32(n) - 1, 2*float32(y)/float32(n) - 1, 2},
				Direction: [3]float32{0, 0, -1}, TMax: 1e30})
		}
	}
	return rays
}

// sliced is a mesh cut into geometries, every third of which is not opaque.
func (r *rig) sliced(m mesh, geometries int, flags vk.BuildFlags) input {
	whole := r.indexedInput(m.positions, m.indices, flags)
	in := bottom(flags, nil, nil)
	n := len(m.indices) / 3
	for i := range geometries {
		g := whole.info.Geometries[0]
		if i%3 == 0 {
			g.Flags = 0
		}
		first, end := n*i/geometries, n*(i+1)/geometries
		in.info.Geometries = append(in.info.Geometries, g)
		in.ranges = append(in.ranges, vk.BuildRange{PrimitiveCount: uint32(end - first), PrimitiveOffset: uint32(12 * first)})
	}
	return in
}

// compactMeshes are meshes of all sorts.
func compactMeshes(rng *rand.Rand) []mesh {
	positions, indices := icosphere(4, 1)
	sheets, squares := layers(4, 8)
	list := []mesh{{"sphere", positions, indices}, {"layers", sheets, squares}}
	broken := mesh{"broken", slices.Clone(positions), indices}
	for i := 0; i < len(broken.positions); i += 60 {
		broken.positions[i] = []float32{float32(math.NaN()), float32(math.Copysign(0, -1)), float32(math.Inf(1)), 1e36}[i/60%4]
	}
	thin := mesh{"thin", positions, slices.Clone(indices)}
	for i := 0; i < len(thin.indices); i += 15 { // lines and points
		thin.indices[i+1] = thin.indices[i]
		thin.indices[i+2] = thin.indices[i+2*(i%2)]
	}
	list = append(list, broken, thin)
	for _, n := range []int{1, 2, 3, 4, 5, 6, 63, 64, 65, 129, 700} {
		s := randomSoup(rng, n, 0.3)
		m := mesh{name: fmt.Sprintf("soup of %d", n), positions: s}
		for i := range uint32(3 * n) {
			m.indices = append(m.indices, i)
		}
		list = append(list, m)
		m.name, m.indices = fmt.Sprintf("knot of %d", n), slices.Clone(m.indices)
		for i := range m.indices {
			m.indices[i] = uint32(rng.IntN(min(3*n, 40)))
		}
		list = append(list, m)
	}
	return list
}

// sameHits compares what rays see of two bottom levels.
func (r *rig) sameHits(name string, a, b Range, rays []inspect.Ray) {
	r.Helper()
	top := func(m Range) *vk.Buffer {
		return r.build(r.topInput(0, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xff, 0, 0, m.Address()),
			vk.NewAccelerationStructureInstance([12]float32{0.5, 0, 0, 0.2, 0, 0.6, 0.1, 0, 0, 0, 0.7, 0}, 1, 0xff, 0, 0, m.Address())))[0]
	}
	ta, tb := top(a), top(b)
	for _, o := range []TraceOptions{{}, {Flags: inspect.RayOpaque}, {Candidates: IgnoreOddPrimitives},
		{Flags: inspect.RayCullBackFacing}, {Flags: inspect.RayCullOpaque}, {Candidates: IgnoreCandidates}} {
		ha, hb := r.trace(ta, rays, o), r.trace(tb, rays, o)
		for i := range rays {
			if ha[i] != hb[i] {
				r.Errorf("%s, %+v: ray %d %+v hits\n%+v, compacted\n%+v", name, o, i, rays[i], ha[i], hb[i])
				break
			}
		}
	}
	o := TraceOptions{Flags: inspect.RayTerminateOnFirstHit}
	ha, hb := r.trace(ta, rays, o), r.trace(tb, rays, o)
	for i := range rays {
		if (ha[i].Instance == inspect.NoInstance) != (hb[i].Instance == inspect.NoInstance) {
			r.Errorf("%s: ray %d, ended by the first hit: %+v, compacted %+v", name, i, ha[i], hb[i])
			break
		}
	}
}

// TestCompactedHits holds compacted copies against their originals, bit for bit, and their contents.
func TestCompactedHits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(71, 72))
	rays := append(append(gridRays(32), gridRays(24)...), randomRays(rng, 1000)...)
	kinds := map[uint32]int{}
	for i, m := range compactMeshes(rng) {
		counts := []int{1, 64, 100}
		if i >= 4 || testing.Short() { // soups and knots
			counts = counts[i/2%3:][:1]
		}
		for _, geometries := range counts {
			for _, kind := range buildKinds[1:] {
				flags := kind.flags | vk.BuildFlags(rng.IntN(4)) // updates and compaction allowed or not
				name := fmt.Sprintf("%s, %d geometries, flags %#x", m.name, geometries, flags)
				in := r.sliced(m, geometries, flags)
				built := r.build(in)[0]
				before, _ := r.read(built)
				compact := r.copied(vk.CopyCompact, whole(built))[0]
				after := r.decoded(compact)
				kinds[after.LeafKind()]++
				a, errA := before.Contents()
				b, errB := after.Contents()
				if errA != nil || errB != nil || !slices.Equal(a.Triangles, b.Triangles) {
					t.Errorf("%s: %d triangles, %d compacted; %v, %v", name, len(a.Triangles), len(b.Triangles), errA, errB)
				}
				if after.Bytes > before.Bytes {
					t.Errorf("%s: %d bytes, %d compacted", name, before.Bytes, after.Bytes)
				}
				r.sameHits(name, whole(built), compact, rays)
				r.sameCopies(name, compact)
			}
		}
	}
	t.Logf("by kind of leaves: %v", kinds)
	if kinds[layout.LeafTriangles] == 0 || kinds[layout.LeafIndexed] == 0 || kinds[layout.LeafIndexedWide] == 0 ||
		kinds[layout.LeafShort] == 0 || kinds[layout.LeafShortMany] == 0 {
		t.Error("some kind of leaves is not tested")
	}
}

// sameCopies copies a compacted copy in all ways, which changes nothing but its address.
func (r *rig) sameCopies(name string, compact Range) {
	r.Helper()
	want := r.bytesOf(compact)[layout.HeaderMagic:]
	blob := r.copied(vk.CopySerialize, compact)[0]
	r.compareBlob(blob, compact, r.dev.Physical().DriverUUID)
	for mode, c := range map[string]Range{"compacted again": r.copied(vk.CopyCompact, compact)[0],
		"cloned": r.copied(vk.CopyClone, compact)[0], "deserialised": r.copied(vk.CopyDeserialize, blob)[0]} {
		if !bytes.Equal(r.bytesOf(c)[layout.HeaderMagic:], want) {
			r.Errorf("%s: %s, it is something else", name, mode)
		}
	}
}

// splitSphere is a sphere whose triangles share vertices in part only: what is at one position may move apart.
func splitSphere(rng *rand.Rand) mesh {
	positions, indices := icosphere(4, 1)
	for i := 0; i < len(indices); i += 4 {
		p := positions[3*indices[i]:][:3]
		indices[i] = uint32(len(positions) / 3)
		positions = append(positions, p...)
	}
	return mesh{"split sphere", positions, indices}
}

// TestCompactedUpdates updates compacted copies 50 times, with vertices that move apart, and end and come back.
func TestCompactedUpdates(t *testing.T) {
	r := newRig(t)
	for _, kind := range buildKinds {
		for _, geometries := range []int{1, 70} {
			for _, flags := range []vk.BuildFlags{vk.AllowUpdate | vk.AllowCompaction, vk.AllowUpdate} {
				for _, host := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %d geometries, %d, host %v", kind.name, geometries, flags, host), func(t *testing.T) {
						r.TB = t
						r.updateCompacted(geometries, kind.flags|flags, host)
					})
				}
			}
		}
	}
}

// moving has all geometries read vertices from one buffer, which it returns, with those of the mesh in it.
func (r *rig) moving(m mesh, in input) *vk.Buffer {
	data := r.buffer("moving vertices", uint64(4*len(m.positions)))
	for i := range in.info.Geometries {
		in.info.Geometries[i].Triangles.VertexData = data.Address()
	}
	r.fill(data, floatBytes(m.positions))
	return data
}

// disturbed are positions a little elsewhere; in two rounds of three some are none.
func disturbed(rng *rand.Rand, positions []float32, round int) []float32 {
	moved := slices.Clone(positions)
	for i := range moved {
		moved[i] += rng.Float32() * 0.1
	}
	for range 20 * (round % 3) {
		moved[rng.IntN(len(moved))] = float32(math.NaN())
	}
	return moved
}

// updateCompacted starts with a build on the device or on the host.
func (r *rig) updateCompacted(geometries int, flags vk.BuildFlags, host bool) {
	rng := rand.New(rand.NewPCG(73, uint64(geometries)))
	m := splitSphere(rng)
	in := r.sliced(m, geometries, flags)
	var built *vk.Buffer
	if host {
		built = r.hostBuild(r.hostOf(in))
	}
	data := r.moving(m, in)
	bd := r.prepare(in)[0]
	if host {
		bd.Dst = built
	} else {
		r.run([]Build{bd})
	}
	compact := r.copied(vk.CopyCompact, whole(bufferOf(bd.Dst)))[0]
	if n := float64(len(m.indices) / 3); flags&vk.AllowCompaction != 0 && float64(compact.Size) > 52*n {
		r.Errorf("%.1f bytes per triangle: vertices are not shared", float64(compact.Size)/n)
	}
	other := r.room("other", compact.Size)
	rays := randomRays(rng, 300)
	rounds := 50
	if testing.Short() {
		rounds = 22 // checked with none, some and more positions that are none, from either copy
	}
	for k := range rounds {
		r.fill(data, floatBytes(disturbed(rng, m.positions, k)))
		from, to := compact.Buffer, compact.Buffer
		if k%2 == 1 {
			to = other.Buffer
		}
		r.run([]Build{r.updateOf(bd), r.updateOf(Build{Info: bd.Info, Ranges: bd.Ranges, Dst: to, Src: from})})
		if k%2 == 1 {
			compact, other = other, compact
		}
		r.decoded(compact)
		if k%7 != 0 {
			continue
		}
		r.sameHits(fmt.Sprintf("update %d", k), whole(bufferOf(bd.Dst)), compact, rays)
		if want := r.copied(vk.CopyCompact, whole(bufferOf(bd.Dst)))[0]; !bytes.Equal(r.bytesOf(want)[layout.HeaderMagic:],
			r.bytesOf(compact)[layout.HeaderMagic:]) {
			r.Errorf("update %d: the compacted copy is not that of the updated structure", k)
		}
		if r.Failed() {
			return
		}
	}
}
