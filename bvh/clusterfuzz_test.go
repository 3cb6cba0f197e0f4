package bvh

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// clusterArena is memory in which all addresses of garbage lie: bytes of a fuzzer, and clusters, templates and a bottom level that
// are right.
type clusterArena struct {
	*rig
	memory *vk.Buffer
	good   []vk.DeviceAddress
}

const arenaBytes = 1 << 20

func newClusterArena(t testing.TB) *clusterArena {
	r := newRig(t)
	positions, indices := bumpyGrid(rand.New(rand.NewPCG(7, 8)), 4)
	m := r.cutMesh(positions, indices, 16, 16)
	s := &clusterScene{rig: r, mesh: m}
	a := &clusterArena{rig: r, memory: r.buffer("arena", arenaBytes)}
	made := r.runClusters(m.input, cluster.Bytes(m.args...))
	a.good = append(made.addresses, s.templates(true).addresses...)
	a.good = append(a.good, s.templates(false).addresses...)
	a.good = append(a.good, r.bottomOver(0, made.list.Address(), len(m.pieces)).addresses[0], made.list.Address())
	return a
}

// address is one in the arena, mostly aligned, one of something that is right, or null.
func (a *clusterArena) address(rng *rand.Rand) uint64 {
	switch k := rng.IntN(8); {
	case k < 3:
		return a.good[rng.IntN(len(a.good))]
	case k < 5:
		return a.memory.Address() + uint64(rng.IntN(arenaBytes/4))&^127
	case k < 7:
		return a.memory.Address() + uint64(rng.IntN(arenaBytes/4))
	}
	return 0
}

// stride keeps what is read within the arena.
func stride(rng *rand.Rand) uint16 { return uint16(rng.IntN(200)) }

// args are the arguments of operations, most of them wrong, and what the host says of them, as far as it does.
func (a *clusterArena) args(in cluster.Input, n int, rng *rand.Rand) (out []byte, said []error) {
	op := in.Op
	said = make([]error, n)
	for k := range n {
		b := cluster.BuildTriangles{ID: rng.Uint32(), Flags: rng.Uint32(), Counts: cluster.Counts(rng.Uint32()),
			Geometry:    cluster.GeometryWord(rng.Uint32()),
			IndexStride: stride(rng), VertexStride: stride(rng), GeometryWordStride: stride(rng), MicromapIndexStride: stride(rng),
			Indices: a.address(rng), Vertices: a.address(rng), GeometryWords: a.address(rng)}
		if rng.IntN(8) == 0 {
			b.MicromapArray, b.MicromapIndices = rng.Uint64(), rng.Uint64()
		}
		if rng.IntN(2) == 0 { // nearly right
			b.Counts = cluster.NewCounts(rng.Uint32()%70, rng.Uint32()%70, rng.Uint32(), []uint32{1, 2, 4, 3}[rng.IntN(4)])
			b.IndexStride, b.VertexStride, b.GeometryWordStride = 0, 12, 0
		}
		said[k] = b.Check(in)
		switch {
		case in.Dialect == cluster.DirectX && op != cluster.BuildBottomLevels && op != cluster.Move && op != cluster.TemplateIndices:
			var args []byte
			args, said[k] = a.directX(in, b, rng)
			out = append(out, args...)
		case op == cluster.BuildClusters:
			out = append(out, cluster.Bytes(b)...)
		case op == cluster.BuildTemplates:
			out = append(out, cluster.Bytes(cluster.BuildTemplate{BuildTriangles: b, Bounds: rng.Uint64()})...)
		case op == cluster.InstantiateOp:
			out = append(out, cluster.Bytes(cluster.Instantiate{IDOffset: rng.Uint32(), GeometryOffset: rng.Int32(),
				Template: a.address(rng),
				Vertices: a.address(rng), VertexStride: uint64(stride(rng))})...)
		case op == cluster.BuildBottomLevels:
			out = append(out, cluster.Bytes(cluster.BuildBottomLevel{Count: rng.Uint32() >> rng.IntN(32), Stride: uint32(stride(rng)) &^ 7,
				Clusters: a.good[len(a.good)-1]})...)
		default:
			out = append(out, cluster.Bytes(cluster.MoveObject{Source: a.address(rng)})...)
		}
	}
	return out, said
}

// directX are arguments of DXR 2.0.
func (a *clusterArena) directX(in cluster.Input, b cluster.BuildTriangles, rng *rand.Rand) ([]byte, error) {
	d := directX(b)
	if d.Truncate = uint16(rng.IntN(40)); rng.IntN(8) == 0 {
		d.Triangles, d.Vertices = uint16(rng.Uint32()), uint16(rng.Uint32())
	}
	d.MicromapBase = rng.Uint32()
	if rng.IntN(2) == 0 {
		d.GeometryIndices = a.address(rng)
	}
	template := cluster.DXBuildTemplate{DXBuildTriangles: d, Bounds: rng.Uint64()}
	switch in.Op {
	case cluster.BuildClusters:
		return cluster.Bytes(d), d.Check(in)
	case cluster.BuildTemplates:
		return cluster.Bytes(template), template.Check(in)
	}
	return cluster.Bytes(cluster.DXInstantiate{GeometryOffset: rng.Int32(), IDOffset: rng.Uint32(), Template: a.address(rng),
		Vertices: a.address(rng), VertexStride: uint64(stride(rng))}), nil
}

// dialect makes a command one of DXR 2.0's.
func dialect(in *cluster.Input, rng *rand.Rand) {
	in.Dialect, in.MaxGeometries = cluster.DirectX, 1+uint32(rng.IntN(40)) // tables are bounded
	formats := []vulkan.Format{vulkan.FormatR32g32b32Sfloat, cluster.Compressed1, vulkan.FormatR16g16b16a16Snorm,
		vulkan.FormatR16g16Sfloat}
	in.VertexFormat = formats[rng.IntN(len(formats))]
	in.IndexBytes, in.GeometryIndexBytes = []uint32{1, 2, 4}[rng.IntN(3)], []uint32{0, 1, 2, 4}[rng.IntN(4)]
	if in.Op == cluster.BuildTemplates {
		in.InstanceFormat = formats[rng.IntN(len(formats))]
	}
}

// FuzzClusterArguments gives commands garbage for arguments, in memory that is there. Each command ends; what has a size is a valid
// object, within the memory that the size query gave.
func FuzzClusterArguments(f *testing.F) {
	a := newClusterArena(f)
	for op := range uint64(6) {
		for seed := range uint64(4) {
			f.Add(op+18, seed, []byte{1, 2, 3, 0xff, 0x7f, 0x80, 0x3f})
			f.Add(op+18+120, seed, []byte{0x76, 2, 3, 0x10, 0x32, 0x54, 0x76}) // DXR 2.0, with an exponent
		}
	}
	f.Fuzz(func(t *testing.T, what, seed uint64, garbage []byte) {
		rng := rand.New(rand.NewPCG(what, seed))
		op, n := cluster.Op(what%6), 1+int(what/6%20)
		data := make([]byte, arenaBytes)
		for i := range data {
			if len(garbage) > 0 {
				data[i] = garbage[i%len(garbage)] ^ byte(i/len(garbage))
			}
		}
		r := &rig{TB: t, dev: a.dev, builder: a.builder}
		if err := a.dev.UploadBuffer(t.Context(), a.memory, 0, data); err != nil {
			t.Fatal(err)
		}
		in := cluster.Input{MaxCount: uint32(n), Op: op, VertexFormat: vulkan.FormatR32g32b32Sfloat, MaxTriangles: 64, MaxVertices: 64,
			MaxTotalTriangles: uint32(64 * n), MaxTotalVertices: uint32(64 * n), MaxClusters: 16, MaxTotalClusters: uint32(16 * n),
			Type: cluster.Type(seed % 3), MaxMovedBytes: uint64(rng.IntN(1 << 16)), NoMoveOverlap: seed%2 == 0}
		if what/120%2 == 1 {
			dialect(&in, rng)
		}
		if op == cluster.BuildBottomLevels { // every address that is read is there: the list has as many as a bottom level may have
			in.MaxClusters = 2
		}
		args, said := a.args(in, n, rng)
		results, count := a.run(t, r, in, args, uint32(rng.IntN(3*n)))
		a.check(t, r, in, results, count)
		for k := range count {
			if op != cluster.BuildClusters && op != cluster.BuildTemplates {
				break
			}
			if said[k] != nil && results.sizes[k] != 0 {
				t.Errorf("%v: operation %d has %d bytes, the host says: %v", op, k, results.sizes[k], said[k])
			}
			if said[k] == nil && results.sizes[k] == 0 && in.Dialect == cluster.Vulkan {
				t.Errorf("%v: operation %d has no result, and the host finds nothing wrong", op, k)
			}
		}
	})
}

// run runs a command, which must end soon.
func (a *clusterArena) run(t *testing.T, r *rig, in cluster.Input, args []byte, count uint32) (clusterResults, int) {
	sizes, err := a.builder.ClusterBuildSizes(in)
	if err != nil {
		t.Fatal(err)
	}
	out := clusterResults{memory: r.buffer("results", sizes.AccelerationStructureSize+256), list: r.buffer("list",
		8*uint64(in.MaxCount))}
	sizesAt := r.buffer("sizes", in.SizeBytes()*uint64(in.MaxCount))
	c := cluster.Command{Input: in, Implicit: out.memory.Address(), Scratch: r.buffer("scratch", sizes.BuildScratchSize).Address(),
		Addresses: cluster.Strided{Address: out.list.Address()}, Sizes: cluster.Strided{Address: sizesAt.Address()},
		Infos: cluster.Strided{Address: r.upload("arguments", args)}, Count: r.upload("count",
			unsafe.Slice((*byte)(unsafe.Pointer(&count)), 4))}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := a.dev.Run(ctx, "garbage", func(cb *vk.CommandBuffer) error { return a.builder.CmdBuildClusters(cb, c) }); err != nil {
		t.Fatalf("%v: %v", in.Op, err)
	}
	list, bytes := r.download(out.list), r.download(sizesAt)
	n := int(min(count, in.MaxCount))
	for k := range n {
		out.addresses = append(out.addresses, binary.LittleEndian.Uint64(list[8*k:]))
		out.sizes = append(out.sizes, binary.LittleEndian.Uint32(bytes[int(in.SizeBytes())*k:]))
	}
	return out, n
}

// check looks at what was made.
func (a *clusterArena) check(t *testing.T, r *rig, in cluster.Input, results clusterResults, count int) {
	data := r.download(results.memory)
	for k := range count {
		at, size := results.addresses[k], uint64(results.sizes[k])
		if size == 0 {
			if at != 0 {
				t.Errorf("%v: operation %d has no size, and the address %#x", in.Op, k, at)
			}
			continue
		}
		from := at - results.memory.Address()
		if at < results.memory.Address() || from+size > in.ResultBytes() {
			t.Fatalf("%v: operation %d: %d bytes at %d of %d", in.Op, k, size, from, in.ResultBytes())
		}
		if in.Op == cluster.TemplateIndices || in.Op == cluster.Move && in.Type == cluster.BottomLevel {
			continue
		}
		if in.Op == cluster.BuildBottomLevels {
			s, err := inspect.Decode(data[from : from+size])
			if err == nil && s.Active <= 1 { // more may be the same cluster twice, which is not to be
				_, err = s.Validate()
			}
			if err != nil {
				t.Errorf("bottom level %d: %v", k, err)
			}
			continue
		}
		o, err := cluster.Decode(data[from : from+size])
		if in.Op == cluster.Move {
			continue // of what merely begins like one
		}
		if err == nil {
			err = o.Validate()
		}
		if err != nil {
			t.Errorf("%v: operation %d: %v", in.Op, k, err)
		}
	}
}
