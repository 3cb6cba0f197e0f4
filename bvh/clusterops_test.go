package bvh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// clusterScene is a mesh in clusters, and the same triangles in a plain structure.
type clusterScene struct {
	*rig
	mesh   *clusterMesh
	tracer *Tracer
	rays   []inspect.Ray
	want   []Hit
}

func newClusterScene(t *testing.T, triangles, vertices int) *clusterScene {
	t.Helper()
	r := newRig(t)
	rng := rand.New(rand.NewPCG(3, 4))
	positions, indices := bumpyGrid(rng, 16)
	s := &clusterScene{rig: r, mesh: r.cutMesh(positions, indices, triangles, vertices), tracer: r.clusterTracer(),
		rays: randomRays(rng, 3000)}
	s.want = s.plain(positions)
	return s
}

// plain is what the rays hit in a plain structure with other positions.
func (s *clusterScene) plain(positions []float32) []Hit {
	return s.trace(s.single(s.build(s.indexedInput(positions, s.mesh.indices, 0))[0]), s.rays, TraceOptions{})
}

// check builds a bottom level over clusters and wants the rays to hit what they are to.
func (s *clusterScene) check(what string, list vk.DeviceAddress, want []Hit) {
	s.Helper()
	bottom := s.bottomOver(0, list, len(s.mesh.pieces))
	if hit := s.wantSame(s.mesh, s.traceWith(s.tracer, s.singleOver(bottom.addresses[0]), s.rays, TraceOptions{}), want); hit < 1000 {
		s.Errorf("%s: only %d rays hit", what, hit)
	}
}

// corners are all pieces' vertices, and where those of each begin in bytes.
func (m *clusterMesh) corners(positions []float32) (all []float32, at []uint64) {
	for _, p := range m.pieces {
		at = append(at, 4*uint64(len(all)))
		for _, v := range p.Vertices {
			all = append(all, positions[3*v:3*v+3]...)
		}
	}
	return all, at
}

func (s *clusterScene) templates(positions bool) clusterResults {
	args := make([]cluster.BuildTemplate, len(s.mesh.args))
	for i, a := range s.mesh.args {
		args[i] = cluster.BuildTemplate{BuildTriangles: a}
		if !positions {
			args[i].Vertices = 0
		}
	}
	in := s.mesh.input
	in.Op = cluster.BuildTemplates
	return s.runClusters(in, cluster.Bytes(args...))
}

// TestClusterTemplates instantiates templates: with the positions that they were made of and have, with others, and where they have
// none. Ids and geometry indices are offset.
func TestClusterTemplates(t *testing.T) {
	s := newClusterScene(t, 64, 64)
	in := s.mesh.input
	in.Op = cluster.InstantiateOp
	bent := make([]float32, len(s.mesh.positions))
	for i := range bent {
		bent[i] = s.mesh.positions[i]*0.8 + 0.1*float32(math.Sin(float64(3*s.mesh.positions[i-i%3])))
	}
	want := s.plain(bent)
	corners, at := s.mesh.corners(bent)
	bentAt := s.upload("bent vertices", floatBytes(corners))
	for _, positions := range []bool{true, false} {
		if !positions {
			s.mesh.input.Flags, in.Flags = vk.PreferFastTrace, vk.PreferFastTrace
		}
		made := s.templates(positions)
		for k, o := range s.objects(made) {
			if !o.Template || o.ID != s.mesh.args[k].ID || (len(o.Positions) > 0) != positions {
				t.Fatalf("template %d: %+v", k, o)
			}
		}
		args := make([]cluster.Instantiate, len(made.addresses))
		for k := range args {
			args[k] = cluster.Instantiate{Template: made.addresses[k], Vertices: bentAt + at[k]}
		}
		s.check("other positions", s.runClusters(in, cluster.Bytes(args...)).list.Address(), want)
		for k := range args {
			args[k].Vertices = 0
			args[k].IDOffset, args[k].GeometryOffset = ^uint32(999), -int32(k)
		}
		results := s.runClusters(in, cluster.Bytes(args...))
		if !positions {
			for k, size := range results.sizes {
				if size != 0 || results.addresses[k] != 0 {
					t.Fatalf("template %d has no positions, and its instance %d bytes", k, size)
				}
			}
			continue
		}
		for k, o := range s.objects(results) {
			if index := o.Triangles[0].Geometry.Index(); o.ID != uint32(k) || index != uint32(-k)&cluster.MostGeometry {
				t.Fatalf("instance %d has the id %d and the geometry index %d", k, o.ID, index)
			}
		}
	}
}

// TestClusterModes holds sizes of all modes and of the query against each other, and wants explicit results, counts and addresses
// that the device reads to do what implicit ones do.
func TestClusterModes(t *testing.T) {
	s := newClusterScene(t, 40, 40)
	in, args := s.mesh.input, cluster.Bytes(s.mesh.args...)
	implicit := s.runClusters(in, args)
	total := uint64(0)
	for _, n := range implicit.sizes {
		total += uint64(n)
	}
	query, err := s.builder.ClusterBuildSizes(in)
	if err != nil || total > query.AccelerationStructureSize {
		t.Fatalf("results take %d bytes, the query says %d: %v", total, query.AccelerationStructureSize, err)
	}
	n := int(in.MaxCount)
	infos := cluster.Strided{Address: s.upload("arguments", args), Size: uint64(len(args))}
	scratch := s.buffer("scratch", query.BuildScratchSize)
	sizes := s.buffer("sizes", 8*uint64(n))

	in.Mode = cluster.SizesOnly
	s.command(cluster.Command{Input: in, Scratch: scratch.Address(), Sizes: cluster.Strided{Address: sizes.Address(), Stride: 8},
		Infos: infos})
	data := s.download(sizes)
	for k, want := range implicit.sizes {
		if got := binary.LittleEndian.Uint32(data[8*k:]); got != want {
			t.Fatalf("operation %d: %d bytes by mode sizes, %d in fact", k, got, want)
		}
	}

	// Explicit, through pointers to everything, by a count of two less than the most and none.
	in.Mode = cluster.Explicit
	worst, err := s.builder.ClusterBuildSizes(in)
	if err != nil {
		t.Fatal(err)
	}
	memory := s.buffer("explicit", worst.AccelerationStructureSize*uint64(n))
	if err := s.dev.UploadBuffer(t.Context(), memory, 0, make([]byte, memory.Size())); err != nil {
		t.Fatal(err)
	}
	var list []byte
	for k := range n { // the last goes first
		list = binary.LittleEndian.AppendUint64(list, memory.Address()+uint64(n-1-k)*worst.AccelerationStructureSize)
	}
	listAt, count := s.upload("list", list), s.upload("count", uintBytes([]uint32{uint32(n) - 2}))
	pointer := func(a uint64) uint64 { return s.upload("pointer", binary.LittleEndian.AppendUint64(nil, a)) }
	zero := s.upload("sizes", make([]byte, 4*n))
	all := cluster.ResolveScratch | cluster.ResolveAddresses | cluster.ResolveSizes | cluster.ResolveInfos | cluster.ResolveCount
	s.command(cluster.Command{Input: in, Scratch: pointer(scratch.Address()), Addresses: cluster.Strided{Address: pointer(listAt)},
		Sizes: cluster.Strided{Address: pointer(zero)}, Infos: cluster.Strided{Address: pointer(infos.Address)}, Count: pointer(count),
		Resolve: all})
	results, first := s.download(memory), s.download(implicit.memory)
	for k := range n {
		got := results[uint64(n-1-k)*worst.AccelerationStructureSize:][:implicit.sizes[k]]
		want := first[implicit.addresses[k]-implicit.memory.Address():][:implicit.sizes[k]]
		if k >= n-2 {
			want = make([]byte, len(got))
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("operation %d of %d: other bytes than of mode implicit", k, n)
		}
	}
	implicitAt := s.buffer("implicit by a pointer", query.AccelerationStructureSize)
	in.Mode = cluster.Implicit
	s.command(cluster.Command{Input: in, Scratch: scratch.Address(), Implicit: pointer(implicitAt.Address()), Infos: infos,
		Addresses: cluster.Strided{Address: listAt}, Resolve: cluster.ResolveImplicit})
	if !bytes.Equal(s.download(implicitAt)[:total], first[:total]) {
		t.Error("implicit results by a pointer have other bytes")
	}
	s.check("implicit results by a pointer", listAt, s.want)
}

// TestClusterMoves packs every other cluster at the begin of its own memory, moves templates and bottom levels, and reads the
// indices of templates back.
func TestClusterMoves(t *testing.T) {
	s := newClusterScene(t, 32, 40)
	made := s.runClusters(s.mesh.input, cluster.Bytes(s.mesh.args...))
	before := s.download(made.memory)
	var moves []cluster.MoveObject
	var bytesMoved uint64
	for k := 1; k < len(made.addresses); k += 2 {
		moves = append(moves, cluster.MoveObject{Source: made.addresses[k]})
		bytesMoved += uint64(made.sizes[k])
	}
	in := cluster.Input{MaxCount: uint32(len(moves)), Op: cluster.Move, Type: cluster.Cluster, MaxMovedBytes: bytesMoved}
	sizes, err := s.builder.ClusterBuildSizes(in)
	if err != nil {
		t.Fatal(err)
	}
	list := s.buffer("moved addresses", 8*uint64(len(moves)))
	s.command(cluster.Command{Input: in, Implicit: made.memory.Address(), Scratch: s.buffer("scratch",
		sizes.BuildScratchSize).Address(),
		Addresses: cluster.Strided{Address: list.Address()}, Infos: cluster.Strided{Address: s.upload("moves", cluster.Bytes(moves...))}})
	after, at := s.download(made.memory), uint64(0)
	addresses := s.download(list)
	for i := range moves {
		k := 2*i + 1
		from := made.addresses[k] - made.memory.Address()
		if got := binary.LittleEndian.Uint64(addresses[8*i:]); got != made.memory.Address()+at {
			t.Fatalf("cluster %d is at %#x, not behind the one before", k, got)
		}
		if !bytes.Equal(after[at:at+uint64(made.sizes[k])], before[from:from+uint64(made.sizes[k])]) {
			t.Fatalf("cluster %d has other bytes since it moved", k)
		}
		at += uint64(made.sizes[k])
	}
	again := s.runClusters(s.mesh.input, cluster.Bytes(s.mesh.args...))
	bottom := s.bottomOver(vk.PreferFastBuild, again.list.Address(), len(s.mesh.pieces))
	moved := s.runClusters(cluster.Input{MaxCount: 1, Op: cluster.Move, Type: cluster.BottomLevel, NoMoveOverlap: true,
		MaxMovedBytes: uint64(bottom.sizes[0])}, cluster.Bytes(cluster.MoveObject{Source: bottom.addresses[0]}))
	s.checkBottoms(moved)
	s.wantSame(s.mesh, s.traceWith(s.tracer, s.singleOver(moved.addresses[0]), s.rays, TraceOptions{}), s.want)
	s.indices()
}

// indices reads templates' indices back, of each width.
func (s *clusterScene) indices() {
	for _, width := range []uint32{1, 2, 4} {
		p := s.mesh.pieces[0]
		var data []byte
		for _, i := range p.Indices {
			data = append(data, []byte{i, 0, 0, 0}[:width]...)
		}
		a := s.mesh.args[0]
		a.Counts = cluster.NewCounts(uint32(len(p.Triangles)), uint32(len(p.Vertices)), 0, width)
		a.Indices = s.upload("indices", data)
		in := s.mesh.input
		in.MaxCount, in.Op = 1, cluster.BuildTemplates
		made := s.runClusters(in, cluster.Bytes(cluster.BuildTemplate{BuildTriangles: a}))
		in.Op = cluster.TemplateIndices
		got := s.runClusters(in, cluster.Bytes(cluster.GetIndices{Template: made.addresses[0]}))
		if out := s.download(got.memory)[:got.sizes[0]]; !bytes.Equal(out, data) {
			s.Errorf("indices of %d bytes: got %v, want %v", width, out, data)
		}
	}
}

// TestClusterInputs reads clusters of each form of input, and compares what they hold.
func TestClusterInputs(t *testing.T) {
	r := newRig(t)
	corners := []float32{0, 0, 0, 1.2345678, 0, 0.25, 0, 1.7654321, -3, 1, 1, 1}
	indices := []uint8{0, 1, 2, 2, 1, 3, 3, 3, 0, 0, 2, 1}
	words := []cluster.GeometryWord{cluster.NewGeometryWord(1, cluster.Opaque), cluster.NewGeometryWord(2, 0),
		cluster.NewGeometryWord(cluster.MostGeometry-7, cluster.CullDisable), cluster.NewGeometryWord(0, cluster.NoDuplicateAnyHit)}
	base := cluster.NewGeometryWord(7, cluster.NoDuplicateAnyHit)
	for _, width := range []uint32{1, 2, 4} {
		for _, stride := range []uint32{0, width, 3 * width} {
			for _, truncate := range []uint32{0, 1, 11, 23, 32} {
				step := max(stride, width)
				data := make([]byte, 12*int(step))
				for k, i := range indices {
					data[k*int(step)] = i
				}
				pad := make([]float32, 0, 20) // a stride of 20 bytes
				for k := range 4 {
					pad = append(append(pad, corners[3*k:3*k+3]...), 99, 99)
				}
				a := cluster.BuildTriangles{ID: 5, Counts: cluster.NewCounts(4, 4, truncate, width), Geometry: base,
					IndexStride:  uint16(stride),
					VertexStride: 20, Indices: r.upload("indices", data), Vertices: r.upload("vertices", floatBytes(pad))}
				if stride != width {
					a.GeometryWords, a.GeometryWordStride = r.upload("words", uintBytes([]uint32{uint32(words[0]), 0, 0, uint32(words[1]), 0, 0,
						uint32(words[2]), 0, 0, uint32(words[3])})), 12
				}
				in := cluster.Input{MaxCount: 1, Op: cluster.BuildClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat, MaxTriangles: 4,
					MaxVertices:       4,
					MaxTotalTriangles: 4, MaxTotalVertices: 4}
				o := r.objects(r.runClusters(in, cluster.Bytes(a)))[0]
				what := fmt.Sprintf("width %d, stride %d, truncation %d", width, stride, truncate)
				for _, tri := range o.Triangles {
					for k := range 3 {
						if tri.Corners[k] != indices[3*tri.Primitive+uint32(k)] {
							t.Fatalf("%s: triangle %d has corners %v", what, tri.Primitive, tri.Corners)
						}
					}
					want := base
					if a.GeometryWords != 0 {
						want = cluster.NewGeometryWord(words[tri.Primitive].Index()+7, words[tri.Primitive].Flags()|cluster.NoDuplicateAnyHit)
					}
					if tri.Geometry != want {
						t.Fatalf("%s: triangle %d has geometry %#x, want %#x", what, tri.Primitive, tri.Geometry, want)
					}
				}
				mask := uint32(0)
				if truncate < 32 {
					mask = math.MaxUint32 << truncate
				}
				for k, p := range o.Positions {
					for c := range 3 {
						if want := math.Float32frombits(math.Float32bits(corners[3*k+c]) & mask); p[c] != want {
							t.Fatalf("%s: vertex %d is %v, want %v at %d", what, k, p, want, c)
						}
					}
				}
			}
		}
	}
}
