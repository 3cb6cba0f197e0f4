package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/sbt"
	"github.com/everray/everray/shaders"
	"github.com/everray/everray/vk"
)

// Mesh is a triangle mesh for an Intersector.
type Mesh struct {
	// Positions are the vertices.
	Positions [][3]float32
	// Indices are three vertices a triangle; nil takes the vertices in order.
	Indices []uint32
}

// Ray is a half-line or segment: points Origin + t*Direction with TMin < t < TMax, where 0 <= TMin <= TMax. Direction need not
// be normalised; t counts its lengths. TMax of zero is no limit.
//
//glsl:engine/intersect.rgen IntersectRay
type Ray struct {
	Origin    [3]float32
	TMin      float32
	Direction [3]float32
	TMax      float32
}

// Hit is the nearest point where a ray meets a mesh.
type Hit struct {
	// OK tells whether anything was hit; nothing else is set if not.
	OK bool
	// T is the distance in lengths of the ray's direction.
	T float32
	// U and V weigh the triangle's second and third vertex, 1-U-V the first.
	U, V float32
	// Triangle counts in its mesh, Mesh in the order given to NewIntersector.
	Triangle, Mesh int
	// Front tells that the triangle is seen counter-clockwise in a right-handed view.
	Front bool
}

// intersectHit is what the shaders write, T negative where nothing was hit.
//
//glsl:engine/intersect.rgen IntersectHit
type intersectHit struct {
	t                     float32
	barycentrics          [2]float32
	primitive, mesh, kind uint32
}

// intersectPush is the number of rays.
//
//glsl:engine/intersect.rgen Push
type intersectPush struct{ count uint32 }

const (
	intersectWidth = 4096 // of a launch
	hitKindFront   = 0xFE
)

// Intersector finds where rays meet meshes, for programs that need no shaders of their own. It is not safe for
// concurrent use.
type Intersector struct {
	dev       *Device
	owned     []interface{ Destroy() }
	pipeline  *Pipeline
	table     *Table
	layout    *DescriptorSetLayout
	structure *AccelerationStructure
}

// NewIntersector builds acceleration structures over the meshes and links the pipeline that traces rays in them.
func NewIntersector(ctx context.Context, dev *Device, meshes ...Mesh) (x *Intersector, err error) {
	if err := dev.enter(); err != nil {
		return nil, fmt.Errorf("intersector: %w", err)
	}
	defer dev.leave()
	x = &Intersector{dev: dev}
	defer func() {
		if err != nil {
			x.Destroy()
			x = nil
		}
	}()
	if err := x.build(ctx, meshes); err != nil {
		return x, fmt.Errorf("intersector: %w", err)
	}
	if err := x.link(ctx); err != nil {
		return x, fmt.Errorf("intersector: %w", err)
	}
	return x, nil
}

// build makes one bottom level structure a mesh, and one instance of each. The input lives only as long as the builds.
func (x *Intersector) build(ctx context.Context, meshes []Mesh) error {
	var input []BuildInput
	for i, m := range meshes {
		in, buffers, err := x.meshInput(ctx, fmt.Sprintf("mesh %d", i), m)
		for _, b := range buffers {
			defer b.Destroy()
		}
		if err != nil {
			return err
		}
		input = append(input, in)
	}
	bottom, _, err := x.dev.BuildAccelerationStructures(ctx, input)
	if err != nil {
		return err
	}
	var list []vk.AccelerationStructureInstance
	for _, b := range bottom {
		x.owned = append(x.owned, b)
		list = append(list, vk.NewAccelerationStructureInstance(vk.IdentityTransform(), 0, 0xFF, 0, 0, b.Address()))
	}
	instances, err := x.dev.NewInstances(ctx, "instances", list)
	if err != nil {
		return err
	}
	defer instances.Destroy()
	info, ranges := InstancesInfo(instances.Address(), uint32(len(list)), vk.PreferFastTrace)
	top, _, err := x.dev.BuildAccelerationStructures(ctx, []BuildInput{{Name: "meshes", Info: info, Ranges: ranges}})
	if err != nil {
		return err
	}
	x.structure = top[0]
	x.owned = append(x.owned, top[0])
	return nil
}

func (x *Intersector) meshInput(ctx context.Context, name string, m Mesh) (in BuildInput, buffers []*vk.Buffer, err error) {
	count := len(m.Positions)
	if m.Indices != nil {
		count = len(m.Indices)
	}
	if count == 0 || count%3 != 0 {
		return in, nil, fmt.Errorf("%s has %d corners, which are no triangles: %w", name, count, ErrInvalid)
	}
	triangles := vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexStride: 12, MaxVertex: uint32(len(m.Positions) - 1),
		IndexType: vk.IndexNone}
	upload := func(what string, data []byte) (vk.DeviceAddress, error) {
		b, err := x.dev.NewBuildInput(ctx, name+" "+what, data)
		if err != nil {
			return 0, err
		}
		buffers = append(buffers, b)
		return b.Address(), nil
	}
	if triangles.VertexData, err = upload("vertices", vk.BytesOf(m.Positions)); err != nil {
		return in, buffers, err
	}
	if m.Indices != nil {
		var indices []byte
		for i, v := range m.Indices {
			if int(v) >= len(m.Positions) {
				return in, buffers, fmt.Errorf("%s: index %d is vertex %d of %d: %w", name, i, v, len(m.Positions), ErrInvalid)
			}
			indices = binary.LittleEndian.AppendUint32(indices, v)
		}
		triangles.IndexType = vk.IndexUint32
		if triangles.IndexData, err = upload("indices", indices); err != nil {
			return in, buffers, err
		}
	}
	in = BuildInput{Name: name, Ranges: []vk.BuildRange{{PrimitiveCount: uint32(count / 3)}}, Info: vk.BuildInfo{
		Type: vk.BottomLevel, Flags: vk.PreferFastTrace,
		Geometries: []vk.Geometry{{Type: vk.GeometryTriangles, Flags: vk.GeometryOpaque, Triangles: triangles}},
	}}
	return in, buffers, nil
}

func (x *Intersector) link(ctx context.Context) (err error) {
	x.layout, err = x.dev.NewDescriptorSetLayout("intersector", []vk.DescriptorBinding{
		{Binding: 0, Type: vk.DescriptorTypeAccelerationStructure, Count: 1, Stages: vk.StageRaygen},
		{Binding: 1, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
		{Binding: 2, Type: vulkan.DescriptorTypeStorageBuffer, Count: 1, Stages: vk.StageRaygen},
	})
	if err != nil {
		return err
	}
	x.owned = append(x.owned, x.layout)
	o := PipelineOptions{
		Name: "intersector", SetLayouts: []*DescriptorSetLayout{x.layout}, PushConstantBytes: 4, MaxRecursionDepth: 1,
		Groups: []Group{GeneralGroup(0), GeneralGroup(1), TrianglesGroup(2, Unused)},
	}
	for _, s := range []struct {
		kind StageKind
		name string
	}{{Raygen, "rgen"}, {Miss, "rmiss"}, {ClosestHit, "rchit"}} {
		code, err := shaders.Load("engine/intersect." + s.name)
		if err != nil {
			return err
		}
		o.Stages = append(o.Stages, Stage{Name: "intersect." + s.name, Kind: s.kind, Code: code})
	}
	if x.pipeline, err = x.dev.NewRayTracingPipeline(ctx, o); err != nil {
		return err
	}
	x.owned = append(x.owned, x.pipeline)
	x.table, err = x.dev.NewTable(ctx, x.pipeline, sbt.Layout{
		Raygen: []sbt.Record{{Group: 0}}, Miss: []sbt.Record{{Group: 1}}, Hit: []sbt.Record{{Group: 2}},
	})
	if err != nil {
		return err
	}
	x.owned = append(x.owned, x.table)
	return nil
}

// Destroy frees everything that the Intersector made.
func (x *Intersector) Destroy() {
	if x == nil {
		return
	}
	for i := len(x.owned) - 1; i >= 0; i-- {
		x.owned[i].Destroy()
	}
	x.owned, x.structure = nil, nil
}

// Trace finds the nearest hit of each ray.
func (x *Intersector) Trace(ctx context.Context, rays []Ray) ([]Hit, error) {
	if err := x.dev.enter(); err != nil {
		return nil, fmt.Errorf("trace %d rays: %w", len(rays), err)
	}
	defer x.dev.leave()
	if len(rays) == 0 {
		return nil, nil
	}
	if x.structure == nil {
		return nil, fmt.Errorf("trace %d rays: %w", len(rays), invalid("the intersector is destroyed"))
	}
	list := slices.Clone(rays)
	for i := range list {
		r := &list[i]
		if r.TMax == 0 {
			r.TMax = math.MaxFloat32
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("ray %d of %d: %w", i, len(rays), err)
		}
	}
	results := make([]intersectHit, len(rays))
	if err := x.run(ctx, vk.BytesOf(list), vk.BytesOf(results), uint32(len(rays))); err != nil {
		return nil, fmt.Errorf("trace %d rays: %w", len(rays), err)
	}
	hits := make([]Hit, len(rays))
	for i := range hits {
		hits[i] = results[i].decode()
	}
	return hits, nil
}

// check applies the rules of OpTraceRayKHR: origin and direction are finite, TMin and TMax no NaN and 0 <= TMin <= TMax.
func (r *Ray) check() error {
	for axis := range 3 {
		for _, f := range []struct {
			name  string
			value float32
		}{{"Origin", r.Origin[axis]}, {"Direction", r.Direction[axis]}} {
			if v := float64(f.value); math.IsNaN(v) || math.IsInf(v, 0) {
				return invalid("%s[%d] is %v", f.name, axis, f.value)
			}
		}
	}
	if !(r.TMin >= 0 && r.TMin <= r.TMax) { // also where one is NaN
		return invalid("TMin is %v and TMax %v, want 0 <= TMin <= TMax", r.TMin, r.TMax)
	}
	return nil
}

func (h *intersectHit) decode() Hit {
	if h.t < 0 {
		return Hit{}
	}
	return Hit{OK: true, T: h.t, U: h.barycentrics[0], V: h.barycentrics[1], Triangle: int(h.primitive), Mesh: int(h.mesh),
		Front: h.kind == hitKindFront}
}

// run uploads rays, traces them and reads the results.
func (x *Intersector) run(ctx context.Context, rays, results []byte, count uint32) error {
	input, err := x.dev.NewBuildInput(ctx, "rays", rays)
	if err != nil {
		return err
	}
	defer input.Destroy()
	output, err := x.dev.VK().NewBuffer(vk.BufferOptions{Name: "hits", Size: uint64(len(results))})
	if err != nil {
		return err
	}
	defer output.Destroy()
	set, err := x.dev.NewDescriptorSet(x.layout)
	if err != nil {
		return err
	}
	defer set.Destroy()
	set.WriteAccelerationStructure(0, 0, x.structure)
	set.WriteBuffer(1, 0, input, 0, input.Size())
	set.WriteBuffer(2, 0, output, 0, output.Size())
	if err := set.Err(); err != nil {
		return err
	}
	width := min(count, intersectWidth)
	err = x.dev.Run(ctx, "intersector", func(cb *vk.CommandBuffer) error {
		defer x.dev.CmdBarrier(cb)
		return x.dev.CmdTraceRays(cb, TraceOptions{
			Pipeline: x.pipeline, Table: x.table, Sets: []*DescriptorSet{set}, PushConstants: vk.Bytes(&intersectPush{count}),
			Width: width, Height: (count + width - 1) / width, Depth: 1,
		})
	})
	if err != nil {
		return err
	}
	return x.dev.VK().ReadBuffer(ctx, output, 0, results)
}
