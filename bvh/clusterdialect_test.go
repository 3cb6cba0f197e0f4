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
	"github.com/everray/everray/bvh/internal/layout"
	"github.com/everray/everray/vk"
)

// directX is a piece's arguments as DXR 2.0 has them.
func directX(a cluster.BuildTriangles) cluster.DXBuildTriangles {
	counts := uint32(a.Counts)
	return cluster.DXBuildTriangles{ID: a.ID, Flags: a.Flags, Triangles: uint16(counts & 511), Vertices: uint16(counts >> 9 & 511),
		Geometry: a.Geometry, VertexStride: a.VertexStride, IndexStride: a.IndexStride, GeometryWordStride: a.GeometryWordStride,
		Truncate: uint16(counts >> 18 & 63), VertexData: a.Vertices, Indices: a.Indices, GeometryWords: a.GeometryWords,
		MicromapArray: a.MicromapArray, MicromapIndices: a.MicromapIndices}
}

// TestClusterDialect builds clusters of DXR 2.0's arguments, and wants the bytes of those of Vulkan's: geometry words in tables
// that are looked up by indices of each width, or not, with bits that are to be ignored.
func TestClusterDialect(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(21, 22))
	positions, indices := bumpyGrid(rng, 10)
	m := r.cutMesh(positions, indices, 30, 40)
	table := make([]uint32, 40)
	for i := range table {
		table[i] = rng.Uint32()
	}
	const ignored = 0x3f000000
	m.args[1].Geometry = cluster.NewGeometryWord(5, cluster.NoDuplicateAnyHit)
	for _, width := range []uint32{0, 1, 2, 4} {
		in := m.input
		in.MaxGeometries, in.Flags = uint32(len(table)), vk.PreferFastTrace
		dx := in
		dx.Dialect, dx.IndexBytes, dx.GeometryIndexBytes = cluster.DirectX, 1, width
		args := make([]cluster.DXBuildTriangles, len(m.args))
		plain := make([]cluster.BuildTriangles, len(m.args))
		for i, a := range m.args {
			words := make([]uint32, len(m.pieces[i].Triangles))
			args[i], plain[i] = directX(a), a
			args[i].Geometry |= ignored
			if i%3 == 0 { // no words
				continue
			}
			var list []byte
			for k := range words {
				n := k
				if width != 0 {
					n = rng.IntN(len(table))
					list = append(list, []byte{byte(n), 0, 0, 0}[:width]...)
				}
				words[k] = table[n] &^ ignored
			}
			if width != 0 {
				args[i].GeometryIndices = r.upload("indices of words", list)
			}
			wide := make([]uint32, 0, 3*len(table)) // a stride of 12 bytes
			for _, w := range table {
				wide = append(wide, w, rng.Uint32(), rng.Uint32())
			}
			args[i].GeometryWords, args[i].GeometryWordStride = r.upload("table", uintBytes(wide)), 12
			plain[i].GeometryWords = r.upload("words", uintBytes(words))
		}
		want, got := r.runClusters(in, cluster.Bytes(plain...)), r.runClusters(dx, cluster.Bytes(args...))
		r.objects(got)
		if !bytes.Equal(r.results(want), r.results(got)) {
			t.Errorf("indices of %d bytes: other bytes than of Vulkan's arguments", width)
		}
	}
}

// compressed are the arguments of a mesh's pieces in Compressed1, and those of the positions that come of it.
func (r *rig) compressed(m *clusterMesh, q cluster.Quanta) (dx []cluster.DXBuildTriangles, plain []cluster.BuildTriangles,
	all []float32) {
	r.Helper()
	all = make([]float32, len(m.positions))
	for i, p := range m.pieces {
		var in [][3]float32
		for _, v := range p.Vertices {
			in = append(in, [3]float32(m.positions[3*v:]))
		}
		data, err := cluster.CompressPositions(in, q)
		if err != nil {
			r.Fatal(err)
		}
		out, err := cluster.DecompressPositions(data, len(in))
		if err != nil {
			r.Fatal(err)
		}
		var flat []float32
		for k, v := range p.Vertices {
			copy(all[3*v:], out[k][:])
			flat = append(flat, out[k][:]...)
		}
		d, a := directX(m.args[i]), m.args[i]
		d.VertexData, a.Vertices = r.upload("compressed", data), r.upload("decompressed", floatBytes(flat))
		dx, plain = append(dx, d), append(plain, a)
	}
	return dx, plain, all
}

// TestClusterCompressed builds clusters of Compressed1 positions: their bytes are those of clusters of what the host decompresses,
// and rays hit what they hit in a plain structure of it.
func TestClusterCompressed(t *testing.T) {
	s := newClusterScene(t, 40, 50)
	for _, q := range []cluster.Quanta{{Exponent: 127 - 14, Bits: [3]uint32{16, 15, 16}},
		{Exponent: 127 - 7, Bits: [3]uint32{9, 9, 10}}} {
		dx, plain, all := s.compressed(s.mesh, q)
		in := s.mesh.input
		want := s.runClusters(in, cluster.Bytes(plain...))
		in.Dialect, in.IndexBytes, in.VertexFormat = cluster.DirectX, 1, cluster.Compressed1
		got := s.runClusters(in, cluster.Bytes(dx...))
		s.objects(got)
		if !bytes.Equal(s.results(want), s.results(got)) {
			t.Errorf("%+v: other bytes than of decompressed positions", q)
		}
		s.check(fmt.Sprintf("%+v", q), got.list.Address(), s.plain(all))
	}
}

// converted is what a float becomes in a format of a template's instances, as numbers of double precision have it.
func converted(x float32, f vulkan.Format) float32 {
	snorm := func(most float64) float32 {
		if x != x {
			return 0
		}
		n := math.Round(min(max(float64(x), -1), 1) * most) // halves away from zero; the product is exact
		return float32(n / most)
	}
	switch f {
	case vulkan.FormatR16g16b16a16Snorm:
		return snorm(32767)
	case vulkan.FormatR8g8b8a8Snorm:
		return snorm(127)
	case vulkan.FormatR16g16b16a16Sfloat:
		if x != x || math.IsInf(float64(x), 0) {
			return x
		}
		_, e := math.Frexp(float64(x)) // the last of 11 digits, or that of the least normal number
		step := math.Ldexp(1, max(e-11, -24))
		return float32(min(max(math.Trunc(float64(x)/step)*step, -65504), 65504))
	}
	return x
}

// TestClusterConversion instantiates templates of DXR 2.0 with vertices that are converted to what the templates say, by the rules
// of the draft: bytes are those of instances of the same positions by Vulkan's arguments.
func TestClusterConversion(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(23, 24))
	positions, indices := bumpyGrid(rng, 8)
	m := r.cutMesh(positions, indices, 24, 30)
	half, snorm := vulkan.FormatR16g16b16a16Sfloat, vulkan.FormatR16g16b16a16Snorm
	quanta := cluster.Quanta{Exponent: 127 - 9, Bits: [3]uint32{12, 12, 12}}
	for _, c := range []struct {
		to vulkan.Format
		q  cluster.Quanta // of compressed sources; none: floats
	}{{0, cluster.Quanta{}}, {half, cluster.Quanta{}}, {snorm, cluster.Quanta{}}, {vulkan.FormatR8g8b8a8Snorm, cluster.Quanta{}},
		{vulkan.FormatR32g32Sfloat, cluster.Quanta{}}, {cluster.Compressed1, cluster.Quanta{}},
		{half, cluster.Quanta{Exponent: 115, Bits: [3]uint32{16, 16, 16}}},
		{cluster.Compressed1, cluster.Quanta{Exponent: 121, Bits: [3]uint32{12, 9, 10}}},    // verbatim
		{cluster.Compressed1, cluster.Quanta{Exponent: 115, Bits: [3]uint32{15, 16, 16}}}} { // quantised again
		what := fmt.Sprintf("format %d of %+v", c.to, c.q)
		in := m.input
		in.Op = cluster.BuildTemplates
		dx := in
		dx.Dialect, dx.IndexBytes, dx.InstanceFormat = cluster.DirectX, 1, c.to
		templates := make([]cluster.DXBuildTemplate, len(m.args))
		for i, a := range m.args {
			templates[i] = cluster.DXBuildTemplate{DXBuildTriangles: directX(a)}
			if c.to == cluster.Compressed1 {
				templates[i].Bounds = quanta.Word()
			}
		}
		made := r.runClusters(dx, cluster.Bytes(templates...))
		for _, o := range r.objects(made) {
			if !o.Template {
				t.Fatalf("%s: %+v is no template", what, o)
			}
		}
		var args []cluster.DXInstantiate
		var plain []cluster.Instantiate
		for i, p := range m.pieces {
			source, result := r.conversion(rng, p, m.positions, c.to, c.q, quanta)
			args = append(args, cluster.DXInstantiate{GeometryOffset: 7, IDOffset: 3, Template: made.addresses[i],
				Vertices: r.upload("vertices", source)})
			plain = append(plain, cluster.Instantiate{GeometryOffset: 7, IDOffset: 3, Template: made.addresses[i],
				Vertices: r.upload("converted", floatBytes(result))})
		}
		in.Op, dx.Op = cluster.InstantiateOp, cluster.InstantiateOp
		dx.InstanceFormat = 0
		if c.q.Exponent != 0 {
			dx.VertexFormat = cluster.Compressed1
		}
		want, got := r.runClusters(in, cluster.Bytes(plain...)), r.runClusters(dx, cluster.Bytes(args...))
		have, need := r.objects(got), r.objects(want)
		for i := range have {
			for k, p := range have[i].Positions {
				if p != need[i].Positions[k] {
					t.Fatalf("%s: vertex %d of instance %d is %v, want %v", what, k, i, p, need[i].Positions[k])
				}
			}
			if have[i].ID != m.args[i].ID+3 || have[i].Triangles[0].Geometry.Index() != 7 {
				t.Fatalf("%s: instance %d has the id %d and %+v", what, i, have[i].ID, have[i].Triangles[0])
			}
		}
	}
}

// conversion makes vertices of a piece, as they are uploaded and as they come out.
func (r *rig) conversion(rng *rand.Rand, p cluster.Piece, positions []float32, to vulkan.Format, from, template cluster.Quanta) (
	source []byte, result []float32) {
	r.Helper()
	var in [][3]float32
	for k, v := range p.Vertices {
		x := [3]float32(positions[3*v:])
		if from.Exponent == 0 {
			x[k%3] *= float32(math.Ldexp(1, rng.IntN(6)-5))
			if to != cluster.Compressed1 && k%4 == 0 { // of all sizes
				x[(k+1)%3] = math.Float32frombits(rng.Uint32()&0x8fffffff | 0x30000000)
			}
		}
		in = append(in, x)
	}
	for _, x := range in {
		source = append(source, floatBytes(x[:])...)
	}
	out, verbatim := in, false
	if from.Exponent != 0 {
		var err error
		if source, err = cluster.CompressPositions(in, from); err != nil {
			r.Fatal(err)
		}
		if out, err = cluster.DecompressPositions(source, len(in)); err != nil {
			r.Fatal(err)
		}
		verbatim = from.Bits[0] <= template.Bits[0] && from.Bits[1] <= template.Bits[1] && from.Bits[2] <= template.Bits[2]
	}
	if to == cluster.Compressed1 && !verbatim {
		data, err := cluster.CompressPositions(out, template)
		if err != nil {
			r.Fatal(err)
		}
		if out, err = cluster.DecompressPositions(data, len(in)); err != nil {
			r.Fatal(err)
		}
	}
	for _, x := range out {
		for k := range 3 {
			if to != vulkan.FormatR32g32Sfloat {
				result = append(result, converted(x[k], to))
			} else if result = append(result, x[k]); k == 2 {
				result[len(result)-1] = 0
			}
		}
	}
	return source, result
}

// TestClusterDialectSizes wants sizes of 64 bits in all modes, equal to those of Vulkan's arguments, by counts and addresses that
// the device reads.
func TestClusterDialectSizes(t *testing.T) {
	s := newClusterScene(t, 40, 40)
	in := s.mesh.input
	want := s.runClusters(in, cluster.Bytes(s.mesh.args...))
	args := make([]cluster.DXBuildTriangles, len(s.mesh.args))
	for i, a := range s.mesh.args {
		args[i] = directX(a)
	}
	in.Dialect, in.IndexBytes = cluster.DirectX, 1
	n := int(in.MaxCount)
	pointer := func(a uint64) uint64 { return s.upload("pointer", binary.LittleEndian.AppendUint64(nil, a)) }
	for _, mode := range []cluster.Mode{cluster.Implicit, cluster.SizesOnly} {
		in.Mode = mode
		query, err := s.builder.ClusterBuildSizes(in)
		if err != nil {
			t.Fatal(err)
		}
		sizes := s.buffer("sizes", 8*uint64(n))
		if err := s.dev.UploadBuffer(t.Context(), sizes, 0, bytes.Repeat([]byte{0xff}, 8*n)); err != nil {
			t.Fatal(err)
		}
		c := cluster.Command{Input: in, Scratch: pointer(s.buffer("scratch", query.BuildScratchSize).Address()),
			Sizes:   cluster.Strided{Address: pointer(sizes.Address())},
			Count:   pointer(s.upload("count", uintBytes([]uint32{uint32(n) - 1}))),
			Infos:   cluster.Strided{Address: pointer(s.upload("arguments", cluster.Bytes(args...)))},
			Resolve: cluster.ResolveScratch | cluster.ResolveSizes | cluster.ResolveCount | cluster.ResolveInfos}
		if mode == cluster.Implicit {
			c.Implicit = s.buffer("results", query.AccelerationStructureSize).Address()
		}
		s.command(c)
		data := s.download(sizes)
		for k, size := range want.sizes[:n-1] {
			if got := binary.LittleEndian.Uint64(data[8*k:]); got != uint64(size) {
				t.Fatalf("mode %d: operation %d has %#x bytes, want %#x", mode, k, got, size)
			}
		}
		if got := binary.LittleEndian.Uint64(data[8*(n-1):]); got != math.MaxUint64 {
			t.Errorf("mode %d: the size behind the last operation is written: %#x", mode, got)
		}
	}
}

// TestComponentBytes holds what package cluster says of formats against what builds take.
func TestComponentBytes(t *testing.T) {
	for f := range layout.FormatWords {
		if got, want := cluster.ComponentBytes(f), layout.ComponentSize(f); got != want {
			t.Errorf("format %d: %d bytes, want %d", f, got, want)
		}
	}
}
