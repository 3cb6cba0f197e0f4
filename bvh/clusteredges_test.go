package bvh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/everray/everray/bvh/cluster"
	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// TestClusterEmpty puts null addresses and clusters of no triangles, which templates and instances may have, too, among the
// clusters of a bottom level: rays hit what they hit without.
func TestClusterEmpty(t *testing.T) {
	s := newClusterScene(t, 40, 50)
	made := s.runClusters(s.mesh.input, cluster.Bytes(s.mesh.args...))
	in := cluster.Input{MaxCount: 2, Op: cluster.BuildClusters, VertexFormat: s.mesh.input.VertexFormat, MaxTriangles: 4,
		MaxVertices: 4, MaxTotalTriangles: 8, MaxTotalVertices: 8}
	some := s.mesh.args[0]
	some.Counts = cluster.NewCounts(0, 4, 0, 1)
	empty := s.runClusters(in, cluster.Bytes(cluster.BuildTriangles{ID: 1, Counts: cluster.NewCounts(0, 0, 0, 1)}, some))
	dx := in
	dx.Dialect, dx.IndexBytes = cluster.DirectX, 2
	list := append(empty.addresses, s.runClusters(dx, cluster.Bytes(cluster.DXBuildTriangles{ID: 1}, directX(some))).addresses...)
	in.Op = cluster.BuildTemplates
	templates := s.runClusters(in, cluster.Bytes(cluster.BuildTemplate{BuildTriangles: cluster.BuildTriangles{Counts: 1 << 24}},
		cluster.BuildTemplate{BuildTriangles: some}))
	in.Op, dx.Op = cluster.InstantiateOp, cluster.InstantiateOp
	list = append(list, s.runClusters(in, cluster.Bytes(cluster.Instantiate{Template: templates.addresses[0]},
		cluster.Instantiate{Template: templates.addresses[1]})).addresses...)
	list = append(list, s.runClusters(dx, cluster.Bytes(cluster.DXInstantiate{Template: templates.addresses[0]},
		cluster.DXInstantiate{Template: templates.addresses[1]})).addresses...)
	for k, at := range list {
		if at == 0 {
			t.Fatalf("there is no empty cluster %d", k)
		}
	}
	nothing := len(list)
	list = append(list, make([]uint64, 5)...)
	for k, at := range made.addresses {
		list = append(list, at)
		if k%3 == 0 {
			list = append(list, 0)
		}
	}
	var data []byte
	for _, at := range list {
		data = binary.LittleEndian.AppendUint64(data, at)
	}
	at := s.upload("list", data)
	for _, flags := range []vk.BuildFlags{0, vk.PreferFastBuild, vk.PreferFastTrace} {
		for _, dialect := range []cluster.Dialect{cluster.Vulkan, cluster.DirectX} {
			in := cluster.Input{MaxCount: 4, Flags: flags, Op: cluster.BuildBottomLevels, MaxClusters: uint32(len(list)),
				MaxTotalClusters: 2 * uint32(len(list)), Dialect: dialect}
			bottoms := s.runClusters(in, cluster.Bytes(cluster.BuildBottomLevel{Count: uint32(len(list)), Clusters: at},
				cluster.BuildBottomLevel{Count: uint32(nothing), Clusters: at}, cluster.BuildBottomLevel{},
				cluster.BuildBottomLevel{Count: 3, Clusters: at + uint64(8*nothing)}))
			s.checkBottoms(bottoms)
			hits := s.traceWith(s.tracer, s.singleOver(bottoms.addresses[0]), s.rays, TraceOptions{})
			if hit := s.wantSame(s.mesh, hits, s.want); hit < 1000 {
				t.Errorf("flags %#x: only %d rays hit", flags, hit)
			}
			for k := 1; k < 4; k++ {
				for i, h := range s.traceWith(s.tracer, s.singleOver(bottoms.addresses[k]), s.rays[:50], TraceOptions{}) {
					if h.Instance != inspect.NoInstance {
						t.Fatalf("flags %#x: ray %d hits %+v in bottom level %d, which has nothing", flags, i, h, k)
					}
				}
			}
		}
	}
}

// TestClusterHints wants templates with a hint of their instances' bounds to be those without: positions are kept as they are.
func TestClusterHints(t *testing.T) {
	s := newClusterScene(t, 64, 64)
	in := s.mesh.input
	in.Op = cluster.BuildTemplates
	args := make([]cluster.BuildTemplate, len(s.mesh.args))
	for i, a := range s.mesh.args {
		args[i].BuildTriangles = a
	}
	without := s.results(s.runClusters(in, cluster.Bytes(args...)))
	for what, box := range map[string][]float32{"the mesh's": {-9, -9, -9, 9, 9, 9}, "a point": {1, 1, 1, 1, 1, 1},
		"none": {1, 1, 1, -1, -1, -1}, "no numbers": {float32(math.NaN()), 0, 0, 0, 0, float32(math.Inf(1))}} {
		for i := range args {
			args[i].Bounds = s.upload("bounds", floatBytes(box))
		}
		if with := s.results(s.runClusters(in, cluster.Bytes(args...))); !bytes.Equal(with, without) {
			t.Errorf("bounds that are %s: other bytes than without", what)
		}
	}
	dx := in
	dx.Dialect, dx.IndexBytes = cluster.DirectX, 1
	hints := make([]cluster.DXBuildTemplate, len(args))
	for i, a := range s.mesh.args {
		hints[i] = cluster.DXBuildTemplate{DXBuildTriangles: directX(a), Bounds: args[0].Bounds}
	}
	if with := s.results(s.runClusters(dx, cluster.Bytes(hints...))); !bytes.Equal(with, without) {
		t.Error("a hint of DXR 2.0: other bytes than without")
	}
}

// TestClusterRefusals wants operations with wrong arguments, those of micromaps among them, to have no result, their neighbours
// theirs, and the host to say why.
func TestClusterRefusals(t *testing.T) {
	s := newClusterScene(t, 40, 50)
	good := s.mesh.args[0]
	for what, edit := range map[string]func(a *cluster.BuildTriangles){
		"micromaps":          func(a *cluster.BuildTriangles) { a.MicromapArray = a.Vertices },
		"micromap indices":   func(a *cluster.BuildTriangles) { a.MicromapIndices = a.Vertices },
		"id":                 func(a *cluster.BuildTriangles) { a.ID = cluster.NoID },
		"triangles":          func(a *cluster.BuildTriangles) { a.Counts = cluster.NewCounts(41, 3, 0, 1) },
		"vertices":           func(a *cluster.BuildTriangles) { a.Counts = cluster.NewCounts(1, 51, 0, 1) },
		"no vertices":        func(a *cluster.BuildTriangles) { a.Counts = cluster.NewCounts(1, 0, 0, 1) },
		"width":              func(a *cluster.BuildTriangles) { a.Counts = cluster.NewCounts(1, 3, 0, 3) },
		"no indices":         func(a *cluster.BuildTriangles) { a.Indices = 0 },
		"no positions":       func(a *cluster.BuildTriangles) { a.Vertices = 0 },
		"aligned vertices":   func(a *cluster.BuildTriangles) { a.Vertices += 2 },
		"stride of vertices": func(a *cluster.BuildTriangles) { a.VertexStride = 13 },
		"aligned words":      func(a *cluster.BuildTriangles) { a.GeometryWords = a.Vertices + 1 },
	} {
		bad := good
		edit(&bad)
		s.refused(what, cluster.Input{}, bad, good, directX(bad), directX(good), bad.Counts>>24 != 3)
	}
	dxGood := directX(good)
	for what, edit := range map[string]func(a *cluster.DXBuildTriangles){
		"many triangles":        func(a *cluster.DXBuildTriangles) { a.Triangles = 512 + 1 },
		"many vertices":         func(a *cluster.DXBuildTriangles) { a.Vertices = 0xffff },
		"truncation":            func(a *cluster.DXBuildTriangles) { a.Truncate = 33 },
		"indices of no words":   func(a *cluster.DXBuildTriangles) { a.GeometryIndices = a.Indices },
		"aligned geometries":    func(a *cluster.DXBuildTriangles) { a.GeometryWords, a.GeometryIndices = a.VertexData, a.Indices|1 },
		"micromaps of DirectX":  func(a *cluster.DXBuildTriangles) { a.MicromapArray = 1 << 40 },
		"micromaps' list there": func(a *cluster.DXBuildTriangles) { a.MicromapIndices = 4 },
	} {
		bad := dxGood
		edit(&bad)
		s.refused(what, cluster.Input{GeometryIndexBytes: 2}, cluster.BuildTriangles{}, good, bad, dxGood, true)
	}
	if err := good.Check(s.mesh.input); err != nil {
		t.Error(err)
	}
	for flags, want := range map[vk.BuildFlags]error{cluster.AllowMicromaps: cluster.ErrUnsupported,
		vk.AllowUpdate: ErrInvalidClusters} {
		in := s.mesh.input
		in.Flags = flags
		if _, err := s.builder.ClusterBuildSizes(in); !errors.Is(err, want) {
			t.Errorf("flags %#x: %v", flags, err)
		}
	}
}

// refused runs wrong arguments between right ones, of each dialect.
func (s *clusterScene) refused(what string, more cluster.Input, bad, good cluster.BuildTriangles,
	dxBad, dxGood cluster.DXBuildTriangles, dx bool) {
	s.Helper()
	in := s.mesh.input
	in.MaxCount = 3
	results := func(in cluster.Input, args []byte, why error) {
		s.Helper()
		r := s.runClusters(in, args)
		if r.sizes[1] != 0 || r.addresses[1] != 0 || r.sizes[0] == 0 || r.sizes[2] != r.sizes[0] {
			s.Errorf("%s: sizes %v, addresses %#x", what, r.sizes, r.addresses)
		}
		if why == nil {
			s.Errorf("%s: the host finds nothing wrong", what)
		}
	}
	if bad != (cluster.BuildTriangles{}) {
		results(in, cluster.Bytes(good, bad, good), bad.Check(in))
	}
	if dx {
		in.Dialect, in.IndexBytes, in.GeometryIndexBytes = cluster.DirectX, 1, more.GeometryIndexBytes
		results(in, cluster.Bytes(dxGood, dxBad, dxGood), dxBad.Check(in))
	}
}

// TestClusterDialectRefusals wants what the host can judge of a dialect to be refused, and headers that say nothing to have no
// result.
func TestClusterDialectRefusals(t *testing.T) {
	s := newClusterScene(t, 40, 50)
	good := s.mesh.input
	good.Dialect, good.IndexBytes = cluster.DirectX, 1
	if _, err := s.builder.ClusterBuildSizes(good); err != nil {
		t.Fatal(err)
	}
	for what, edit := range map[string]func(in *cluster.Input){
		"dialect":                   func(in *cluster.Input) { in.Dialect = 2 },
		"width":                     func(in *cluster.Input) { in.IndexBytes = 0 },
		"width of geometries":       func(in *cluster.Input) { in.GeometryIndexBytes = 3 },
		"instance format":           func(in *cluster.Input) { in.InstanceFormat = 1 },
		"compressed by Vulkan":      func(in *cluster.Input) { in.Dialect, in.IndexBytes, in.VertexFormat = 0, 0, cluster.Compressed1 },
		"width by Vulkan":           func(in *cluster.Input) { in.Dialect = 0 },
		"instance format by Vulkan": func(in *cluster.Input) { in.Dialect, in.IndexBytes, in.InstanceFormat = 0, 0, in.VertexFormat },
	} {
		in := good
		edit(&in)
		if _, err := s.builder.ClusterBuildSizes(in); !errors.Is(err, ErrInvalidClusters) {
			t.Errorf("%s: %v", what, err)
		}
	}
	dx, _, _ := s.compressed(s.mesh, cluster.Quanta{Exponent: 118, Bits: [3]uint32{14, 14, 14}})
	in := good
	in.MaxCount, in.VertexFormat = 3, cluster.Compressed1
	wrong := dx[1]
	wrong.VertexData = s.upload("header", make([]byte, 1024)) // exponent 0
	odd := dx[1]
	odd.VertexData += 2
	if r := s.runClusters(in, cluster.Bytes(wrong, dx[1], odd)); r.sizes[0] != 0 || r.sizes[1] == 0 || r.sizes[2] != 0 {
		t.Errorf("compressed positions without an exponent, right ones, and odd ones have sizes %v", r.sizes)
	}
	in.MaxCount, in.Op, in.InstanceFormat = 2, cluster.BuildTemplates, cluster.Compressed1
	templates := []cluster.DXBuildTemplate{{DXBuildTriangles: dx[0], Bounds: 233}, {DXBuildTriangles: dx[0], Bounds: 232}}
	made := s.runClusters(in, cluster.Bytes(templates...))
	if made.sizes[0] != 0 || made.sizes[1] == 0 || templates[0].Check(in) == nil || templates[1].Check(in) != nil {
		t.Errorf("templates of exponents 233 and 232 have sizes %v", made.sizes)
	}
	in.MaxCount, in.Op, in.InstanceFormat = 3, cluster.InstantiateOp, 0
	made = s.runClusters(in, cluster.Bytes(cluster.DXInstantiate{Template: made.addresses[1]},
		cluster.DXInstantiate{Template: made.addresses[1], Vertices: wrong.VertexData},
		cluster.DXInstantiate{Template: made.addresses[1], Vertices: dx[0].VertexData}))
	if made.sizes[0] != 0 || made.sizes[1] != 0 || made.sizes[2] == 0 {
		t.Errorf("instances without vertices, with a wrong header, and with a right one have sizes %v", made.sizes)
	}
}
