package bvh

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/bvh/inspect"
	"github.com/everray/everray/vk"
)

// TestGeometries builds one structure of several geometries: uint16, uint32, uint8 and no indices, offsets, strides,
// formats, transforms, opaque and not.
func TestGeometries(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(11, 12))
	positions := make([]float32, 3*200)
	for i := range positions {
		positions[i] = rng.Float32()*2 - 1
	}
	// 32 bytes of something, then vertices of 20 bytes.
	vertices := make([]byte, 32)
	for i := 0; i < len(positions); i += 3 {
		vertices = append(vertices, floatBytes(positions[i:i+3])...)
		vertices = append(vertices, 1, 2, 3, 4, 5, 6, 7, 8)
	}
	vertexData := r.upload("vertices", vertices) + 32
	transform := [12]float32{0.5, 0, 0, 1, 0, 0.5, 0.1, -1, 0, -0.1, 0.5, 0.25}
	transformData := r.upload("transforms", append(make([]byte, 48), floatBytes(transform[:])...))
	const firstVertex, count = 7, 60
	index := make([]uint32, 3*count)
	for i := range index {
		index[i] = uint32(rng.IntN(190))
	}
	encode := func(size int) []byte {
		b := make([]byte, 24) // skipped by the primitive offset
		for _, x := range index {
			switch size {
			case 1:
				b = append(b, byte(x))
			case 2:
				b = binary.LittleEndian.AppendUint16(b, uint16(x))
			case 4:
				b = binary.LittleEndian.AppendUint32(b, x)
			}
		}
		return append(b, 0, 0, 0, 0)
	}
	base := vk.Triangles{VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: vertexData, VertexStride: 20, MaxVertex: 199}
	var geometries []vk.Geometry
	var ranges []vk.BuildRange
	scene := inspect.Reference{{Transform: vk.IdentityTransform(), Mask: 0xff}}
	add := func(tr vk.Triangles, rg vk.BuildRange, flags vk.GeometryFlags, vertex func(i int) [3]float32) {
		g := uint32(len(geometries))
		geometries = append(geometries, vk.Geometry{Type: vk.GeometryTriangles, Flags: flags, Triangles: tr})
		ranges = append(ranges, rg)
		for i := range int(rg.PrimitiveCount) {
			tri := inspect.Triangle{Primitive: uint32(i), Geometry: g, Opaque: flags&vk.GeometryOpaque != 0}
			for v := range 3 {
				tri.V[v] = vertex(3*i + v)
				if tr.TransformData != 0 {
					p := tri.V[v]
					for k := range 3 {
						tri.V[v][k] = transform[4*k]*p[0] + transform[4*k+1]*p[1] + transform[4*k+2]*p[2] + transform[4*k+3]
					}
				}
			}
			scene[0].Triangles = append(scene[0].Triangles, tri)
		}
	}
	at := func(i uint32) [3]float32 { return [3]float32(positions[3*i:]) }
	for _, c := range []struct {
		kind vk.IndexType
		size int
	}{{vk.IndexUint8, 1}, {vk.IndexUint16, 2}, {vk.IndexUint32, 4}} {
		tr := base
		tr.IndexType, tr.IndexData = c.kind, r.upload("indices", encode(c.size))
		if c.size == 2 {
			tr.TransformData = transformData
		}
		add(tr, vk.BuildRange{PrimitiveCount: count, PrimitiveOffset: 24, FirstVertex: firstVertex, TransformOffset: 48},
			vk.GeometryFlags(c.size&1), func(i int) [3]float32 { return at(index[i] + firstVertex) })
	}
	tr := base
	tr.IndexType = vk.IndexNone
	add(tr, vk.BuildRange{PrimitiveCount: 50, PrimitiveOffset: 40, FirstVertex: 3}, vk.GeometryOpaque,
		func(i int) [3]float32 { return at(uint32(i) + 3 + 2) })
	add(tr, vk.BuildRange{}, vk.GeometryOpaque, nil) // empty
	addFormats(r, add)

	rays := randomRays(rng, 5000)
	odd := func(t inspect.Triangle) bool { return t.Primitive&1 != 0 }
	answers := traceAll(scene, rays, 0, 0xff, odd)
	for _, kind := range buildKinds {
		blas := r.build(bottom(kind.flags, geometries, ranges))[0]
		r.read(blas)
		hits := r.trace(r.single(blas), rays, TraceOptions{Candidates: IgnoreOddPrimitives})
		hit, _ := r.compareHits(hits, answers, rays)
		t.Logf("%s: %d hits", kind.name, hit)
	}
}

// addFormats adds one geometry for each of the 16-bit formats.
func addFormats(r *rig, add func(vk.Triangles, vk.BuildRange, vk.GeometryFlags, func(i int) [3]float32)) {
	snorm := []int16{-32767, -16384, 8000, 20000, 0, 100, 300, 32767, -9000, -20000, 12345, 31000, 5000, -32767, 77, 9999, 9999, -9999}
	var data []byte
	for _, s := range snorm {
		data = binary.LittleEndian.AppendUint16(data, uint16(s))
	}
	add(vk.Triangles{VertexFormat: vulkan.FormatR16g16b16Snorm, VertexData: r.upload("snorm", data), VertexStride: 6,
		IndexType: vk.IndexNone},
		vk.BuildRange{PrimitiveCount: 2}, vk.GeometryOpaque, func(i int) (v [3]float32) {
			for k := range 3 {
				v[k] = max(float32(snorm[3*i+k])/32767, -1)
			}
			return v
		})
	// 4 components, 3 vertices
	half := []uint16{0x3c00, 0xbc00, 0x3800, 0x3400, 0x3a00, 0xb800, 0xb400, 0x3555, 0x3000, 0, 0x3c00, 0xbc00}
	values := []float32{1, -1, 0.5, 0.25, 0.75, -0.5, -0.25, 0.33325195, 0.125, 0, 1, -1}
	data = nil
	for _, h := range half {
		data = binary.LittleEndian.AppendUint16(data, h)
	}
	add(vk.Triangles{VertexFormat: vulkan.FormatR16g16b16a16Sfloat, VertexData: r.upload("half", data), VertexStride: 8,
		IndexType: vk.IndexNone},
		vk.BuildRange{PrimitiveCount: 1}, vk.GeometryOpaque, func(i int) [3]float32 { return [3]float32(values[4*i:]) })
	flat := []float32{-1, -1, 1, -1, 0, 1}
	add(vk.Triangles{VertexFormat: vulkan.FormatR32g32Sfloat, VertexData: r.upload("flat", floatBytes(flat)), VertexStride: 8,
		IndexType: vk.IndexNone},
		vk.BuildRange{PrimitiveCount: 1}, vk.GeometryOpaque, func(i int) [3]float32 { return [3]float32{flat[2*i], flat[2*i+1], 0} })
}

func randomTransform(rng *rand.Rand, mirror bool) [12]float32 {
	a, b := rng.Float64()*6, rng.Float64()*6
	scale := 0.2 + rng.Float64()*0.6
	ca, sa, cb, sb := math.Cos(a), math.Sin(a), math.Cos(b), math.Sin(b)
	m := [3][3]float64{{ca * cb, -sa, ca * sb}, {sa * cb, ca, sa * sb}, {-sb, 0, cb}}
	if mirror {
		for k := range 3 {
			m[k][0] *= -1.5
		}
	}
	var t [12]float32
	for i := range 3 {
		for k := range 3 {
			t[4*i+k] = float32(m[i][k] * scale)
		}
		t[4*i+3] = rng.Float32() - 0.5
	}
	return t
}

// TestInstances checks instances with all their properties under many ray flags.
func TestInstances(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(21, 22))
	meshes := []soup{randomSoup(rng, 60, 0.3), randomSoup(rng, 200, 0.2), randomSoup(rng, 30, 0.5), {}}
	opaques := []bool{true, false, true, true}
	var inputs []input
	for i, m := range meshes {
		flags := vk.GeometryFlags(0)
		if opaques[i] {
			flags = vk.GeometryOpaque
		}
		inputs = append(inputs, r.soupInput(m, buildKinds[i%3].flags, flags))
	}
	blas := r.build(inputs...)
	var scene inspect.Reference
	var instances []vk.AccelerationStructureInstance
	for i := range 40 {
		m := i % len(meshes)
		in := inspect.ReferenceInstance{Transform: randomTransform(rng, i%2 == 1), Mask: uint8(1 << (i % 3)), Flags: uint8(i % 4),
			CustomIndex: uint32(i * 1000), TableOffset: uint32(i * 7), Triangles: meshes[m].triangles(0, opaques[m])}
		switch i % 5 {
		case 1:
			in.Flags |= inspect.InstanceForceOpaque
		case 2:
			in.Flags |= inspect.InstanceForceNoOpaque
		}
		address := blas[m].Address()
		if i == 17 {
			in.Triangles, address = nil, 0
		}
		scene = append(scene, in)
		instances = append(instances, vk.NewAccelerationStructureInstance(in.Transform, in.CustomIndex, in.Mask, in.TableOffset,
			vk.InstanceFlags(in.Flags), address))
	}
	rays := randomRays(rng, 1500)
	odd := func(t inspect.Triangle) bool { return t.Primitive&1 != 0 }
	var tops []*vk.Buffer
	for _, kind := range buildKinds {
		tops = append(tops, r.build(r.topInput(kind.flags, instances...))[0])
		r.read(tops[len(tops)-1])
	}
	for _, flags := range []uint32{0, inspect.RayOpaque, inspect.RayNoOpaque, inspect.RayCullBackFacing,
		inspect.RayCullFrontFacing, inspect.RayCullOpaque, inspect.RayCullNoOpaque, inspect.RayCullBackFacing | inspect.RayNoOpaque,
		inspect.RaySkipTriangles} {
		for _, mask := range []uint8{0xff, 5, 0x80} {
			answers := traceAll(scene, rays, flags, mask, odd)
			for _, tlas := range tops {
				hits := r.trace(tlas, rays, TraceOptions{Flags: flags, CullMask: mask, Candidates: IgnoreOddPrimitives})
				hit, amb := r.compareHits(hits, answers, rays)
				if mask == 0xff && tlas == tops[0] {
					t.Logf("flags %#x: %d hits, %d ambiguous", flags, hit, amb)
				}
			}
		}
	}
	answers := traceAll(scene, rays, inspect.RayOpaque, 0xff, nil)
	for _, tlas := range tops {
		r.checkFirstHit(tlas, answers, rays)
	}
}

// checkFirstHit checks rays that end at any hit, by flag and by the candidate hook.
func (r *rig) checkFirstHit(tlas *vk.Buffer, answers []inspect.ReferenceHit, rays []inspect.Ray) {
	r.Helper()
	any1 := r.trace(tlas, rays, TraceOptions{Flags: inspect.RayTerminateOnFirstHit | inspect.RayOpaque})
	any2 := r.trace(tlas, rays, TraceOptions{Flags: inspect.RayNoOpaque, Candidates: TerminateAtFirst})
	for i, want := range answers {
		if want.Ambiguous {
			continue
		}
		if (any1[i].Instance != inspect.NoInstance) != (want.Instance != inspect.NoInstance) ||
			(any2[i].Instance != inspect.NoInstance) != (want.Instance != inspect.NoInstance) {
			r.Errorf("ray %d: first hits %v and %v, the reference has %v", i, any1[i], any2[i], want)
		}
	}
}

// TestPointerInstances reads instances through an array of pointers.
func TestPointerInstances(t *testing.T) {
	r := newRig(t)
	blas := r.build(r.soupInput(soup{-1, -1, 1, 1, -1, 1, 0, 1, 1}, 0, vk.GeometryOpaque))[0]
	var pointers []byte
	for i := range 3 {
		tr := vk.IdentityTransform()
		tr[11] = float32(3 - i)
		in := vk.NewAccelerationStructureInstance(tr, uint32(i), 0xff, 0, 0, blas.Address())
		pointers = binary.LittleEndian.AppendUint64(pointers, r.upload("instance", in.AppendTo(nil)))
	}
	g := vk.Geometry{Type: vk.GeometryInstances, Instances: vk.Instances{ArrayOfPointers: true, Data: r.upload("pointers", pointers)}}
	tlas := r.build(input{vk.BuildInfo{Type: vk.TopLevel, Geometries: []vk.Geometry{g}}, []vk.BuildRange{{PrimitiveCount: 3}}})[0]
	h := r.trace(tlas, []inspect.Ray{{Direction: [3]float32{0, 0, 1}, TMax: 100}}, TraceOptions{})[0]
	if h.Instance != 2 || h.CustomIndex != 2 || h.T != 2 {
		t.Errorf("got %+v", h)
	}
}

// TestManyInstances has more instances than one block of the sort.
func TestManyInstances(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(61, 62))
	mesh := soup{-0.1, -0.1, 0, 0.1, -0.1, 0.02, 0, 0.1, 0.05}
	blas := r.build(r.soupInput(mesh, 0, vk.GeometryOpaque))[0]
	var scene inspect.Reference
	var instances []vk.AccelerationStructureInstance
	for i := range 5000 {
		in := inspect.ReferenceInstance{Transform: randomTransform(rng, i%2 == 1), Mask: 0xff, CustomIndex: uint32(i),
			Triangles: mesh.triangles(0, true)}
		scene = append(scene, in)
		instances = append(instances, vk.NewAccelerationStructureInstance(in.Transform, in.CustomIndex, in.Mask, 0, 0, blas.Address()))
	}
	rays := randomRays(rng, 1000)
	answers := traceAll(scene, rays, 0, 0xff, nil)
	for _, kind := range buildKinds {
		tlas := r.build(r.topInput(kind.flags, instances...))[0]
		_, m := r.read(tlas)
		hit, amb := r.compareHits(r.trace(tlas, rays, TraceOptions{}), answers, rays)
		t.Logf("%s: height %d, %d hits, %d ambiguous", kind.name, m.Height, hit, amb)
	}
}
