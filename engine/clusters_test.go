package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/engine"
	"github.com/everray/everray/internal/glsltest"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// clusterWorld is a bottom level over two clusters with the ids 70 and 71, and a plain triangle: four triangles side by side at
// x = 0, 2, 4 and 6. The second of the first cluster is not opaque. Geometry indices are 0, 1 and 2, that of the plain one 0.
type clusterWorld struct {
	*engine.Device
	t    *testing.T
	tlas *engine.AccelerationStructure
}

func (w *clusterWorld) input(name string, data []byte) vk.DeviceAddress {
	w.t.Helper()
	b, err := w.NewBuildInput(w.t.Context(), name, data)
	check(w.t, err)
	w.t.Cleanup(b.Destroy)
	return b.Address()
}

func (w *clusterWorld) buffer(name string, size uint64) *vk.Buffer {
	w.t.Helper()
	b, err := w.VK().NewBuffer(vk.BufferOptions{Name: name, Size: max(size, 256), Memory: vk.DeviceLocal,
		AccelerationStructureInput: true})
	check(w.t, err)
	w.t.Cleanup(b.Destroy)
	return b
}

// command runs a command with implicit results, and returns those and the addresses.
func (w *clusterWorld) command(in engine.ClusterInput, args []byte) (memory, list *vk.Buffer) {
	w.t.Helper()
	sizes, err := w.ClusterBuildSizes(in)
	check(w.t, err)
	memory, list = w.buffer("results", sizes.AccelerationStructureSize), w.buffer("addresses", 8*uint64(in.MaxCount))
	c := engine.ClusterCommand{Input: in, Implicit: memory.Address(), Scratch: w.buffer("scratch", sizes.BuildScratchSize).Address(),
		Addresses: engine.ClusterStrided{Address: list.Address()}, Infos: engine.ClusterStrided{Address: w.input("arguments", args)}}
	check(w.t, w.Run(w.t.Context(), "clusters", func(cb *vk.CommandBuffer) error {
		w.CmdBarrier(cb)
		defer w.CmdBarrier(cb)
		return w.CmdBuildClusters(cb, c)
	}))
	return memory, list
}

func newClusterWorld(t *testing.T) *clusterWorld {
	t.Helper()
	w := &clusterWorld{Device: open(t, engine.BackendCompute), t: t}
	var corners []float32
	for k := range 4 {
		x := 2 * float32(k)
		corners = append(corners, x, 0, 0, x+1, 0, 0, x, 1, 0)
	}
	at := w.input("vertices", floats(corners...))
	word := func(index uint32, flags engine.ClusterGeometryFlags) []byte {
		return binary.LittleEndian.AppendUint32(nil, uint32(engine.NewClusterGeometry(index, flags)))
	}
	words := w.input("words", append(word(0, engine.ClusterOpaque), word(1, 0)...))
	indices := w.input("indices", []byte{0, 1, 2, 3, 4, 5})
	in := engine.ClusterInput{MaxCount: 2, Op: engine.ClusterOpClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat, MaxTriangles: 2,
		MaxVertices: 6, MaxTotalTriangles: 3, MaxTotalVertices: 9, MaxGeometryIndex: 2}
	memory, list := w.command(in, engine.ClusterArgs(
		engine.ClusterBuildTriangles{ID: 70, Counts: engine.NewClusterCounts(2, 6, 0, 1), GeometryWords: words, Indices: indices,
			Vertices: at},
		engine.ClusterBuildTriangles{ID: 71, Counts: engine.NewClusterCounts(1, 3, 0, 1), Indices: indices, Vertices: at + 2*36,
			Geometry: engine.NewClusterGeometry(2, engine.ClusterOpaque)}))
	o, err := w.DecodeCluster(t.Context(), memory, 0)
	check(t, err)
	check(t, o.Validate())
	if o.ID != 70 || len(o.Triangles) != 2 {
		t.Fatalf("the first cluster: %+v", o)
	}
	bottoms, bottom := w.command(engine.ClusterInput{MaxCount: 1, Op: engine.ClusterOpBottomLevels, MaxClusters: 2,
		MaxTotalClusters: 2},
		engine.ClusterArgs(engine.ClusterBuildBottomLevel{Count: 2, Clusters: list.Address()}))
	s, err := w.DecodeClusters(t.Context(), bottoms, 0)
	check(t, err)
	contents, err := s.Contents()
	check(t, err)
	if len(contents.Clusters) != 2 || !slices.ContainsFunc(contents.Clusters,
		func(r engine.ClusterRecord) bool { return r.Describes(o) }) {
		t.Fatalf("the bottom level's clusters: %+v", contents.Clusters)
	}
	data := make([]byte, 8)
	check(t, w.VK().ReadBuffer(t.Context(), bottom, 0, data))
	w.buildTop(at+3*36, binary.LittleEndian.Uint64(data))
	return w
}

func (w *clusterWorld) buildTop(plain, overClusters vk.DeviceAddress) {
	w.t.Helper()
	t := w.t
	blas, _, err := w.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{Name: "plain",
		Info: vk.BuildInfo{Type: vk.BottomLevel,
			Geometries: []vk.Geometry{{Type: vk.GeometryTriangles, Triangles: vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat,
				VertexData: plain, VertexStride: 12, MaxVertex: 2, IndexType: vk.IndexNone}}}}, Ranges: []vk.BuildRange{{PrimitiveCount: 1}}}})
	check(t, err)
	t.Cleanup(blas[0].Destroy)
	instances, err := w.NewInstances(t.Context(), "instances", []vk.AccelerationStructureInstance{
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 3, 0xff, 1, 0, overClusters),
		vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 4, 0xff, 0, 0, blas[0].Address()),
	})
	check(t, err)
	t.Cleanup(instances.Destroy)
	info, ranges := engine.InstancesInfo(instances.Address(), 2, 0)
	tlas, _, err := w.BuildAccelerationStructures(t.Context(), []engine.BuildInput{{Name: "scene", Info: info, Ranges: ranges}})
	check(t, err)
	t.Cleanup(tlas[0].Destroy)
	w.tlas = tlas[0]
}

const clusterHead = `#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_query : require
#extension GL_EXT_spirv_intrinsics : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Result { ivec4 v[]; } result;
struct Payload { ivec4 hit; int candidate; };
`

const clusterID = clusterHead + `
spirv_decorate(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], 11, 5436) in int clusterId;
layout(location = 0) rayPayloadInEXT Payload p;
`

var clusterShaders = []struct {
	kind   engine.StageKind
	name   string
	source string
}{
	{engine.Raygen, "rgen", clusterHead + `
layout(location = 0) rayPayloadEXT Payload p;
void main() {
	p.hit = ivec4(0);
	p.candidate = -7;
	traceRayEXT(scene, 0u, 0xffu, 0u, 1u, 0u, vec3(2.0 * float(gl_LaunchIDEXT.x) + 0.25, 0.25, 1.0), 0.0, vec3(0.0, 0.0, -1.0), 9.0,
		0);
	result.v[2u * gl_LaunchIDEXT.x] = p.hit;
	result.v[2u * gl_LaunchIDEXT.x + 1u] = ivec4(p.candidate, 0, 0, 0);
}`},
	{engine.Miss, "rmiss", clusterHead + "layout(location = 0) rayPayloadInEXT Payload p;\nvoid main() { p.hit = ivec4(-9); }"},
	{engine.ClosestHit, "rchit", clusterID + `
layout(constant_id = 0) const int RECORD = 0;
void main() { p.hit = ivec4(clusterId, gl_PrimitiveID, gl_GeometryIndexEXT, RECORD); }`},
	{engine.AnyHit, "rahit", clusterID + "void main() { p.candidate = clusterId; }"},
}

// TestClusterShaders reads ids of clusters in closest hit and any hit shaders, in all forms: -1 of what is none's. Hit records
// follow from triangles' own geometry indices.
func TestClusterShaders(t *testing.T) {
	w := newClusterWorld(t)
	layout, set, out := w.resources()
	o := engine.PipelineOptions{Name: "clusters", SetLayouts: []*engine.DescriptorSetLayout{layout}, MaxRecursionDepth: 1,
		Groups: []engine.Group{engine.GeneralGroup(0), engine.GeneralGroup(1)}, Flags: engine.PipelineFlags{AllowClusters: true}}
	for _, s := range clusterShaders {
		if s.kind == engine.ClosestHit {
			code := glsltest.Compile(t, s.name, s.source)
			for record := range byte(4) { // of the plain triangle, then of the geometries
				o.Stages = append(o.Stages, engine.Stage{Name: fmt.Sprint(s.name, record), Kind: s.kind, Code: code,
					Specialization: map[uint32][]byte{0: {record, 0, 0, 0}}})
			}
			continue
		}
		o.Stages = append(o.Stages, engine.Stage{Name: s.name, Kind: s.kind, Code: glsltest.Compile(t, s.name, s.source)})
	}
	table := sbt.Layout{Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}}
	for record := range 4 {
		o.Groups = append(o.Groups, engine.TrianglesGroup(2+record, 6))
		table.Hit = append(table.Hit, sbt.Record{Group: 2 + record})
	}
	want := []int32{70, 0, 0, 1, -7, 0, 0, 0, 70, 1, 1, 2, 70, 0, 0, 0, 71, 0, 2, 3, -7, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0,
		-9, -9, -9, -9, -7, 0, 0, 0}
	for form := engine.FormMonolithic; form <= engine.FormSuspended; form++ {
		o.Form = form
		w.trace(o, table, set)
		if got := w.words(out, len(want)); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", form, got, want)
		}
	}
	o.Form, o.Flags.AllowClusters = engine.FormAuto, false // an instance of clusters is a fault then
	p, err := w.NewRayTracingPipeline(t.Context(), o)
	check(t, err)
	defer p.Destroy()
	made, err := w.NewTable(t.Context(), p, table)
	check(t, err)
	defer made.Destroy()
	err = w.Run(t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		return w.CmdTraceRays(cb, engine.TraceOptions{Pipeline: p, Table: made, Sets: []*engine.DescriptorSet{set}, Width: 1,
			Height: 1, Depth: 1})
	})
	if fault := (*engine.FaultError)(nil); !errors.As(err, &fault) {
		t.Errorf("a pipeline that knows no clusters met some: %v", err)
	}
}

func (w *clusterWorld) resources() (*engine.DescriptorSetLayout, *engine.DescriptorSet, *vk.Buffer) {
	w.t.Helper()
	layout, err := w.NewDescriptorSetLayout("clusters", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure}, {Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer},
	})
	check(w.t, err)
	w.t.Cleanup(layout.Destroy)
	set, err := w.NewDescriptorSet(layout)
	check(w.t, err)
	w.t.Cleanup(set.Destroy)
	out, err := w.VK().NewBuffer(vk.BufferOptions{Name: "result", Size: 256, Memory: vk.Readback})
	check(w.t, err)
	w.t.Cleanup(out.Destroy)
	set.WriteAccelerationStructure(0, 0, w.tlas)
	set.WriteBuffer(1, 0, out, 0, 0)
	check(w.t, set.Err())
	return layout, set, out
}

func (w *clusterWorld) words(b *vk.Buffer, n int) (out []int32) {
	w.t.Helper()
	data := make([]byte, 4*n)
	check(w.t, w.VK().ReadBuffer(w.t.Context(), b, 0, data))
	for k := range n {
		out = append(out, int32(binary.LittleEndian.Uint32(data[4*k:])))
	}
	return out
}

// trace makes a pipeline and its table, and traces five rays.
func (w *clusterWorld) trace(o engine.PipelineOptions, table sbt.Layout, set *engine.DescriptorSet) {
	w.t.Helper()
	p, err := w.NewRayTracingPipeline(w.t.Context(), o)
	check(w.t, err)
	defer p.Destroy()
	made, err := w.NewTable(w.t.Context(), p, table)
	check(w.t, err)
	defer made.Destroy()
	check(w.t, w.Run(w.t.Context(), "trace", func(cb *vk.CommandBuffer) error {
		w.CmdBarrier(cb)
		defer w.CmdBarrier(cb)
		return w.CmdTraceRays(cb, engine.TraceOptions{Pipeline: p, Table: made, Sets: []*engine.DescriptorSet{set}, Width: 5, Height: 1,
			Depth: 1})
	}))
}

// dispatch runs one workgroup of a compute shader that asks queries.
func (w *clusterWorld) dispatch(code []uint32, layout *engine.DescriptorSetLayout, set *engine.DescriptorSet) {
	w.t.Helper()
	p, err := w.NewComputePipeline(w.t.Context(), engine.ComputePipelineOptions{Name: "query", Code: code,
		SetLayouts: []*engine.DescriptorSetLayout{layout}})
	check(w.t, err)
	defer p.Destroy()
	check(w.t, w.Run(w.t.Context(), "query", func(cb *vk.CommandBuffer) error {
		w.CmdBarrier(cb)
		defer w.CmdBarrier(cb)
		return w.CmdDispatch(cb, engine.DispatchOptions{Pipeline: p, Sets: []*engine.DescriptorSet{set}, X: 1, Y: 1, Z: 1})
	}))
}

// TestClusterQuery reads ids of candidates and of hits in a ray query, whose shader asks for clusters by its capability.
func TestClusterQuery(t *testing.T) {
	w := newClusterWorld(t)
	layout, set, out := w.resources()
	code := glsltest.Compile(t, "comp", clusterHead+`
spirv_instruction(extensions = ["SPV_NV_cluster_acceleration_structure"], capabilities = [5437], id = 5345)
int clusterOf(spirv_by_reference rayQueryEXT q, int committed);
layout(local_size_x = 5) in;
void main() {
	uint i = gl_LocalInvocationIndex;
	rayQueryEXT q;
	rayQueryInitializeEXT(q, scene, 0u, 0xffu, vec3(2.0 * float(i) + 0.25, 0.25, 1.0), 0.0, vec3(0.0, 0.0, -1.0), 9.0);
	int candidate = -7, before = -7;
	while (rayQueryProceedEXT(q)) {
		candidate = clusterOf(q, 0);
		before = clusterOf(q, 1);
		rayQueryConfirmIntersectionEXT(q);
	}
	bool hit = rayQueryGetIntersectionTypeEXT(q, true) != 0u;
	result.v[2u * i] = ivec4(clusterOf(q, 1), hit ? rayQueryGetIntersectionPrimitiveIndexEXT(q, true) : -9,
		hit ? rayQueryGetIntersectionGeometryIndexEXT(q, true) : -9, hit ? rayQueryGetIntersectionInstanceCustomIndexEXT(q, true) : -9);
	result.v[2u * i + 1u] = ivec4(candidate, before, 0, 0);
}`)
	w.dispatch(code, layout, set)
	want := []int32{70, 0, 0, 3, -7, -7, 0, 0, 70, 1, 1, 3, 70, -1, 0, 0, 71, 0, 2, 3, -7, -7, 0, 0, -1, 0, 0, 4, -1, -1, 0, 0,
		-1, -9, -9, -9, -7, -7, 0, 0}
	if got := w.words(out, len(want)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestClusterMisuse wants commands that the host can judge to be refused, and the native way to say that it has none.
func TestClusterMisuse(t *testing.T) {
	d := open(t, engine.BackendCompute)
	good := engine.ClusterInput{MaxCount: 1, Op: engine.ClusterOpClusters, VertexFormat: vulkan.FormatR32g32b32Sfloat, MaxTriangles: 2,
		MaxVertices: 6, MaxTotalTriangles: 2, MaxTotalVertices: 6}
	_, err := d.ClusterBuildSizes(good)
	check(t, err)
	for what, edit := range map[string]func(in *engine.ClusterInput){
		"no operations": func(in *engine.ClusterInput) { in.MaxCount = 0 },
		"operation":     func(in *engine.ClusterInput) { in.Op = 6 },
		"mode":          func(in *engine.ClusterInput) { in.Mode = 3 },
		"triangles":     func(in *engine.ClusterInput) { in.MaxTriangles = 257 },
		"vertices":      func(in *engine.ClusterInput) { in.MaxVertices = 300 },
		"format":        func(in *engine.ClusterInput) { in.VertexFormat = vulkan.FormatR8g8b8a8Srgb },
		"geometry":      func(in *engine.ClusterInput) { in.MaxGeometryIndex = 1 << 24 },
		"update":        func(in *engine.ClusterInput) { in.Flags = vk.AllowUpdate },
		"dialect":       func(in *engine.ClusterInput) { in.Dialect = 2 },
		"compressed":    func(in *engine.ClusterInput) { in.VertexFormat = engine.ClusterCompressed1 }, // of DirectX alone
		"type":          func(in *engine.ClusterInput) { in.Op, in.Type = engine.ClusterOpMove, 3 },
		"clusters":      func(in *engine.ClusterInput) { in.Op, in.MaxClusters = engine.ClusterOpBottomLevels, 9 },
	} {
		in := good
		edit(&in)
		if _, err := d.ClusterBuildSizes(in); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	micromaps := good
	micromaps.Flags = engine.ClusterAllowMicromaps
	_, byFlag := d.ClusterBuildSizes(micromaps)
	_, byDirectX := engine.ClusterDXFlags(0x400)
	for _, err := range []error{byFlag, byDirectX} {
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "micromaps") {
			t.Errorf("micromaps by flags: %v", err)
		}
	}
	cb := recording(t, d.VK())
	command := engine.ClusterCommand{Input: good, Implicit: 1 << 20, Scratch: 1 << 21, Infos: engine.ClusterStrided{Address: 1 << 22}}
	for what, edit := range map[string]func(c *engine.ClusterCommand){
		"implicit": func(c *engine.ClusterCommand) { c.Implicit += 64 },
		"scratch":  func(c *engine.ClusterCommand) { c.Scratch = 0 },
		"infos":    func(c *engine.ClusterCommand) { c.Infos.Address = 0 },
		"stride":   func(c *engine.ClusterCommand) { c.Infos.Stride = 60 },
		"region":   func(c *engine.ClusterCommand) { c.Infos.Size = 63 },
		"count":    func(c *engine.ClusterCommand) { c.Count = 3 },
		"explicit": func(c *engine.ClusterCommand) { c.Input.Mode = engine.ClusterExplicit },
		"sizes":    func(c *engine.ClusterCommand) { c.Input.Mode = engine.ClusterSizesOnly },
	} {
		c := command
		edit(&c)
		if err := d.CmdBuildClusters(cb, c); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	native := open(t, engine.BackendNative)
	if _, err := native.ClusterBuildSizes(good); !errors.Is(err, engine.ErrUnsupported) || native.HasClusters() {
		t.Errorf("natively: %v", err)
	}
	code := glsltest.Compile(t, "comp", "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}")
	_, pipeline := native.NewComputePipeline(t.Context(), engine.ComputePipelineOptions{Code: code, AllowClusters: true})
	_, lowered := native.LowerShader(t.Context(), engine.ShaderOptions{Stage: vk.StageCompute, Code: code, AllowClusters: true})
	_, opened := engine.Open(t.Context(), engine.Options{Backend: engine.BackendNative, Clusters: true})
	for what, err := range map[string]error{"a compute pipeline": pipeline, "a shader": lowered, "a device": opened} {
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "BackendCompute") {
			t.Errorf("%s with clusters natively: %v", what, err)
		}
	}
}
