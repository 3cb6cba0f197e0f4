package accel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/engine"
	"github.com/everray/everray/sbt"
	"github.com/everray/everray/vk"
)

// ErrTooLarge is returned by Upload for scenes that do not fit the device or the 24 bits of a table offset.
var ErrTooLarge = errors.New("the scene is too large for the device")

// Options configures Upload. The zero value uploads positions and indices only, for pipelines with one hit record.
type Options struct {
	// Attributes uploads normals, tangents, texture coordinates and colours as well.
	Attributes bool
	// Extra returns further data of a primitive to upload, one float per triangle, or nil.
	Extra func(mesh, primitive int) []float32
	// RecordsPerGeometry is the number of hit records of each geometry; 0 gives all instances the table offset 0.
	RecordsPerGeometry uint32
	// Flags of the bottom level builds; 0 prefers nothing. AllowCompaction holds for the top level, too.
	Flags vk.BuildFlags
	// Opaque tells of which materials geometry is built so that no any hit shader is asked; nil is assets.Material.IsOpaque.
	Opaque func(m *assets.Material) bool
	// Host lets the host build both levels where the device is a CPU, by compute. It spares the compilation of the device's
	// kernels; the trees are others, of triangles that are not split.
	Host bool
}

// Geometry is where the data of one primitive lies; an address of 0 is an absent attribute.
type Geometry struct {
	Mesh, Primitive int
	Indices, Positions, Normals, Tangents,
	UV0, UV1, Colors, Extra vk.DeviceAddress
	// What builds read: Indices and Positions, or those of assets.Primitive.Shared, the same triangles of fewer vertices.
	BuildIndices, BuildPositions vk.DeviceAddress
	// Boxes are what builds read of points and lines, whose Indices are their ends.
	Boxes vk.DeviceAddress
}

// Scene is a scene's geometry on a device.
type Scene struct {
	Source *assets.Scene
	// TopLevel is the structure to trace against.
	TopLevel *engine.AccelerationStructure
	// Geometries lists the primitives of all meshes, mesh after mesh; FirstGeometry is where each mesh begins.
	Geometries    []Geometry
	FirstGeometry []uint32
	// BottomReport and TopReport say what the builds cost.
	BottomReport, TopReport engine.BuildReport
	// Bytes is the memory of vertex data and acceleration structures.
	Bytes uint64

	bottom  []*engine.AccelerationStructure
	buffers []*vk.Buffer
	// What the top level is over, and the offset of its instances in the hit records.
	instances          *vk.Buffer
	recordsPerGeometry uint32
	opaque             func(m *assets.Material) bool
	host               bool // the host builds
	// The builds, to be repeated by MeasureBuilds.
	bottomBuilds, topBuilds []engine.BuildInput
}

// Upload uploads the geometry of a scene and builds its acceleration structures.
func Upload(ctx context.Context, dev *engine.Device, scene *assets.Scene, o Options) (s *Scene, err error) {
	s = &Scene{Source: scene, recordsPerGeometry: o.RecordsPerGeometry, opaque: o.Opaque, host: byHost(dev, o)}
	if s.opaque == nil {
		s.opaque = (*assets.Material).IsOpaque
	}
	defer func() {
		if err != nil {
			s.Destroy()
			s = nil
		}
	}()
	if err := s.index(o); err != nil {
		return s, err
	}
	if err := s.uploadVertices(ctx, dev, o); err != nil {
		return s, err
	}
	return s, s.build(ctx, dev, o.Flags, vk.PreferFastTrace|o.Flags&vk.AllowCompaction)
}

// build builds both levels, and instance data between them.
func (s *Scene) build(ctx context.Context, dev *engine.Device, bottom, top vk.BuildFlags) error {
	if err := s.buildBottom(ctx, dev, bottom); err != nil {
		return err
	}
	if err := s.uploadInstances(ctx, dev); err != nil {
		return err
	}
	return s.buildTop(ctx, dev, top)
}

// Rebuild replaces all structures by ones built with other flags, so that TopLevel is another Go value: what refers to it is
// to be written again. After an error only Destroy is of use.
func (s *Scene) Rebuild(ctx context.Context, dev *engine.Device, bottom, top vk.BuildFlags) error {
	s.Bytes -= s.BottomReport.Bytes + s.TopReport.Bytes
	s.destroyStructures()
	return s.build(ctx, dev, bottom, top)
}

// index numbers the geometries.
func (s *Scene) index(o Options) error {
	for m := range s.Source.Meshes {
		s.FirstGeometry = append(s.FirstGeometry, uint32(len(s.Geometries)))
		for p := range s.Source.Meshes[m].Primitives {
			s.Geometries = append(s.Geometries, Geometry{Mesh: m, Primitive: p})
		}
	}
	if records := uint64(len(s.Geometries)) * uint64(o.RecordsPerGeometry); records > sbt.MaxInstanceOffset {
		return fmt.Errorf("%w: %d geometries need %d hit records, instances can address %d",
			ErrTooLarge, len(s.Geometries), records, sbt.MaxInstanceOffset)
	}
	return nil
}

func (s *Scene) buildBottom(ctx context.Context, dev *engine.Device, flags vk.BuildFlags) error {
	inputs := make([]engine.BuildInput, len(s.Source.Meshes))
	var data [][]engine.HostGeometry
	for m := range s.Source.Meshes {
		mesh := &s.Source.Meshes[m]
		in := engine.BuildInput{Name: mesh.Name, Info: vk.BuildInfo{Type: vk.BottomLevel, Flags: flags}}
		var memory []engine.HostGeometry
		for p := range mesh.Primitives {
			g := s.Geometries[int(s.FirstGeometry[m])+p]
			in.Info.Geometries = append(in.Info.Geometries, s.geometry(g, &mesh.Primitives[p]))
			count := mesh.Primitives[p].TriangleCount() + mesh.Primitives[p].ThinCount()
			in.Ranges = append(in.Ranges, vk.BuildRange{PrimitiveCount: uint32(count)})
			memory = append(memory, hostGeometry(&mesh.Primitives[p]))
		}
		inputs[m] = in
		if s.host {
			data = append(data, memory)
		}
	}
	var err error
	if s.bottom, s.BottomReport, err = buildLevel(ctx, dev, inputs, data, nil); err != nil {
		return fmt.Errorf("bottom level structures of %s: %w", s.Source.Name, err)
	}
	for i := range inputs {
		inputs[i].Dst = s.bottom[i]
	}
	s.bottomBuilds = inputs
	s.Bytes += s.BottomReport.Bytes
	return nil
}

func (s *Scene) geometry(g Geometry, p *assets.Primitive) vk.Geometry {
	out := vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: g.Boxes, Stride: boxBytes}}
	if !p.IsThin() {
		out = vk.Geometry{Type: vk.GeometryTriangles, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat,
			VertexData:   g.BuildPositions,
			VertexStride: 12,
			MaxVertex:    uint32(p.Surface().VertexCount() - 1),
			IndexType:    vk.IndexUint32,
			IndexData:    g.BuildIndices,
		}}
	}
	m := &s.Source.Materials[p.Material]
	switch {
	case s.opaque(m):
		out.Flags = vk.GeometryOpaque
	case m.IsOpaque(): // light that passes is tinted once at each triangle
		out.Flags = vk.GeometryNoDuplicateAnyHit
	}
	return out
}

// instanceData encodes the instances, with the bottom levels' addresses as they are.
func (s *Scene) instanceData() []byte {
	var data []byte
	for i := range s.Source.Instances {
		in := &s.Source.Instances[i]
		offset := s.FirstGeometry[in.Mesh] * s.recordsPerGeometry
		data = vk.NewAccelerationStructureInstance(in.Rows34(), uint32(in.Mesh), 0xff, offset, 0,
			s.bottom[in.Mesh].Address()).AppendTo(data)
	}
	return data
}

// uploadInstances makes the instances' buffer, or writes it again for bottom levels that are elsewhere now.
func (s *Scene) uploadInstances(ctx context.Context, dev *engine.Device) (err error) {
	if s.instances != nil {
		if err = dev.VK().UploadBuffer(ctx, s.instances, 0, s.instanceData()); err != nil {
			return fmt.Errorf("instances of %s: %w", s.Source.Name, err)
		}
		return nil
	}
	if s.instances, err = dev.NewBuildInput(ctx, "instances", s.instanceData()); err != nil {
		return fmt.Errorf("instances of %s: %w", s.Source.Name, err)
	}
	s.buffers = append(s.buffers, s.instances)
	s.Bytes += s.instances.Size()
	return nil
}

func (s *Scene) buildTop(ctx context.Context, dev *engine.Device, flags vk.BuildFlags) error {
	inputs := []engine.BuildInput{{
		Name: "top level",
		Info: vk.BuildInfo{Type: vk.TopLevel, Flags: flags, Geometries: []vk.Geometry{{
			Type: vk.GeometryInstances, Instances: vk.Instances{Data: s.instances.Address()},
		}}},
		Ranges: []vk.BuildRange{{PrimitiveCount: uint32(len(s.Source.Instances))}},
	}}
	var data [][]engine.HostGeometry
	if s.host {
		data = [][]engine.HostGeometry{{{Instances: s.instanceData()}}}
	}
	built, report, err := buildLevel(ctx, dev, inputs, data, s.bottom)
	if err != nil {
		return fmt.Errorf("top level structure of %s: %w", s.Source.Name, err)
	}
	inputs[0].Dst = built[0]
	s.topBuilds = inputs
	s.TopLevel, s.TopReport = built[0], report
	s.Bytes += report.Bytes
	return nil
}

// Bottom returns the bottom level structure of a mesh.
func (s *Scene) Bottom(mesh int) *engine.AccelerationStructure { return s.bottom[mesh] }

// Compact moves all structures, which were built with AllowCompaction, into as little memory as they need. The top level is
// built again in between, since the others move. TopLevel stays the same Go value with another address; MeasureBuilds has no
// room to build in afterwards. After an error only Destroy is of use.
func (s *Scene) Compact(ctx context.Context, dev *engine.Device) (engine.CompactReport, error) {
	fail := func(err error) (engine.CompactReport, error) {
		return engine.CompactReport{}, fmt.Errorf("compact %s: %w", s.Source.Name, err)
	}
	bottom, err := dev.Compact(ctx, s.bottom)
	if err != nil {
		return fail(err)
	}
	if err := s.uploadInstances(ctx, dev); err != nil {
		return fail(err)
	}
	if _, _, err := dev.BuildAccelerationStructures(ctx, s.topBuilds); err != nil {
		return fail(err)
	}
	top, err := dev.Compact(ctx, []*engine.AccelerationStructure{s.TopLevel})
	if err != nil {
		return fail(err)
	}
	r := engine.CompactReport{Compacted: bottom.Compacted + top.Compacted, Before: bottom.Before + top.Before,
		After: bottom.After + top.After}
	s.Bytes -= r.Before - r.After
	return r, nil
}

// MeasureBuilds repeats all builds in place, all bottom levels in one command, and returns the GPU's times of n of them, up to
// measure.MaxRepeats, sorted. Others go before for as long as warm says, at least one: an H200 that had waited for the host to
// upload builds 2.8 times slower for a second (16.8 million triangles). Memory is allocated once.
func (s *Scene) MeasureBuilds(ctx context.Context, dev *engine.Device, n int, warm time.Duration) (bottom, top []time.Duration,
	err error) {
	for _, level := range []struct {
		name   string
		inputs []engine.BuildInput
		to     *[]time.Duration
	}{{"bottom level structures", s.bottomBuilds, &bottom}, {"top level structure", s.topBuilds, &top}} {
		if *level.to, err = measureBuilds(ctx, dev, level.inputs, n, warm); err != nil {
			return nil, nil, fmt.Errorf("%s of %s: %w", level.name, s.Source.Name, err)
		}
		warm = 0 // it is
	}
	return bottom, top, nil
}

func measureBuilds(ctx context.Context, dev *engine.Device, inputs []engine.BuildInput, n int, warm time.Duration) ([]time.Duration,
	error) {
	batch, err := NewBatch(dev, "builds", inputs)
	if err != nil {
		return nil, err
	}
	defer batch.Destroy()
	for start := time.Now(); ; {
		if _, err := batch.Build(ctx, 1); err != nil {
			return nil, err
		}
		if time.Since(start) >= warm {
			break
		}
	}
	times, err := batch.Build(ctx, n)
	slices.Sort(times)
	return times, err
}

// BottomBuilds returns the builds of the bottom levels, one per mesh, with the structures as Dst.
func (s *Scene) BottomBuilds() []engine.BuildInput { return slices.Clone(s.bottomBuilds) }

// TopBuilds returns the one build of the top level, with TopLevel as Dst.
func (s *Scene) TopBuilds() []engine.BuildInput { return slices.Clone(s.topBuilds) }

// Triangle returns a triangle in world space by the indices that a hit reports; ok is false where they name none.
func (s *Scene) Triangle(instance, geometry, primitive uint32) (p [3]mgl32.Vec3, ok bool) {
	if int(instance) >= len(s.Source.Instances) {
		return p, false
	}
	in := &s.Source.Instances[instance]
	mesh := &s.Source.Meshes[in.Mesh]
	if int(geometry) >= len(mesh.Primitives) {
		return p, false
	}
	prim := &mesh.Primitives[geometry]
	if int(primitive) >= prim.TriangleCount() {
		return p, false
	}
	for corner := range p {
		v := prim.Indices[3*primitive+uint32(corner)]
		p[corner] = in.Transform.Mul4x1(mgl32.Vec4{prim.Positions[3*v], prim.Positions[3*v+1], prim.Positions[3*v+2], 1}).Vec3()
	}
	return p, true
}

// Destroy releases everything. It may be called twice and on nil.
func (s *Scene) Destroy() {
	if s == nil {
		return
	}
	s.destroyStructures()
	for _, b := range s.buffers {
		b.Destroy()
	}
	s.buffers, s.instances = nil, nil
}

func (s *Scene) destroyStructures() {
	if s.TopLevel != nil {
		s.TopLevel.Destroy()
	}
	for _, b := range s.bottom {
		b.Destroy()
	}
	s.TopLevel, s.bottom, s.bottomBuilds, s.topBuilds = nil, nil, nil, nil
}
