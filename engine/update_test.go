package engine

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	vulkan "github.com/vulkan-go/vulkan"

	"github.com/everray/everray/vk"
	"github.com/everray/everray/vk/vktest"
)

// openBackend opens a device; validation messages and leaks fail the test.
func openBackend(t *testing.T, backend Backend) *Device {
	t.Helper()
	validation := os.Getenv(vktest.NoValidationVariable) != "1"
	dev, err := Open(t.Context(), Options{
		Backend: backend, AppName: t.Name(), Device: os.Getenv(vktest.DeviceVariable), Validation: validation, SyncValidation: validation,
		Restrict: vktest.Restrict(t),
		OnMessage: func(m vk.Message) {
			if m.Validation {
				t.Errorf("validation: %v", m)
			}
		},
	})
	if errors.Is(err, ErrNativeUnavailable) {
		vktest.MissingNative(t, err.Error())
	}
	if errors.Is(err, ErrNoDriver) || errors.Is(err, vk.ErrNoValidationLayer) {
		vktest.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// sheet is a mesh that waves, under three instances that move.
type sheet struct {
	t        *testing.T
	dev      *Device
	x        *Intersector
	vertices *vk.Buffer
	list     *vk.Buffer
	mesh     BuildInput
	top      BuildInput
}

const sheetSide = 40

func sheetVertices(step int) []byte {
	var b []byte
	for i := range sheetSide * sheetSide {
		x, y := float64(i%sheetSide)/sheetSide-0.5, float64(i/sheetSide)/sheetSide-0.5
		z := 0.05 * float64(step) * math.Sin(9*x+float64(step)) * math.Cos(7*y-float64(2*step))
		for _, v := range []float64{x * (1 + 0.1*float64(step)), y, z} {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	return b
}

func sheetIndices() (indices []byte) {
	for i := range uint32(sheetSide * (sheetSide - 1)) {
		if i%sheetSide == sheetSide-1 {
			continue
		}
		for _, k := range []uint32{i, i + 1, i + sheetSide + 1, i, i + sheetSide + 1, i + sheetSide} {
			indices = binary.LittleEndian.AppendUint32(indices, k)
		}
	}
	return indices
}

func newSheet(t *testing.T, dev *Device) *sheet {
	t.Helper()
	s := &sheet{t: t, dev: dev}
	var err error
	if s.x, err = NewIntersector(t.Context(), dev, Mesh{Positions: [][3]float32{{}, {1}, {0, 1}}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.x.Destroy)
	indices := sheetIndices()
	input := func(name string, data []byte) *vk.Buffer {
		b, err := dev.NewBuildInput(t.Context(), name, data)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Destroy)
		return b
	}
	s.vertices = input("vertices", sheetVertices(0))
	s.list = input("instances", make([]byte, 3*vk.AccelerationStructureInstanceSize))
	s.mesh = BuildInput{Name: "sheet", Ranges: []vk.BuildRange{{PrimitiveCount: uint32(len(indices) / 12)}}, Info: vk.BuildInfo{
		Type: vk.BottomLevel, Flags: vk.AllowUpdate | vk.PreferFastTrace,
		Geometries: []vk.Geometry{{Flags: vk.GeometryOpaque, Triangles: vk.Triangles{
			VertexFormat: vulkan.FormatR32g32b32Sfloat, VertexData: s.vertices.Address(), VertexStride: 12,
			MaxVertex: sheetSide*sheetSide - 1,
			IndexType: vk.IndexUint32, IndexData: input("indices", indices).Address(),
		}}},
	}}
	s.top.Name = "sheets"
	s.top.Info, s.top.Ranges = InstancesInfo(s.list.Address(), 3, vk.AllowUpdate)
	return s
}

// build builds one structure and hands it to the test.
func (s *sheet) build(in BuildInput) *AccelerationStructure {
	s.t.Helper()
	list, _, err := s.dev.BuildAccelerationStructures(s.t.Context(), []BuildInput{in})
	if err != nil {
		s.t.Fatal(err)
	}
	if list[0] != in.Dst {
		s.t.Cleanup(list[0].Destroy)
	}
	return list[0]
}

// wave moves the vertices.
func (s *sheet) wave(k int) {
	s.t.Helper()
	if err := s.dev.VK().UploadBuffer(s.t.Context(), s.vertices, 0, sheetVertices(k)); err != nil {
		s.t.Fatal(err)
	}
}

// place puts three instances of a structure where step k has them.
func (s *sheet) place(k int, blas *AccelerationStructure) {
	s.t.Helper()
	if err := s.dev.VK().UploadBuffer(s.t.Context(), s.list, 0, sheetInstances(k, blas)); err != nil {
		s.t.Fatal(err)
	}
}

func sheetInstances(k int, blas *AccelerationStructure) (data []byte) {
	for i := range 3 {
		tr := vk.IdentityTransform()
		tr[3], tr[11] = float32(i-1)*1.3, 0.2*float32(k*i)
		data = vk.NewAccelerationStructureInstance(tr, uint32(i), 0xff, 0, 0, blas.Address()).AppendTo(data)
	}
	return data
}

// step deforms the mesh and moves the instances: every other time into a new structure.
func (s *sheet) step(k int) {
	s.t.Helper()
	s.wave(k)
	blas := s.build(s.mesh)
	s.mesh.Info.Update = true
	s.mesh.Src, s.mesh.Dst = blas, nil
	if k%2 == 1 {
		s.mesh.Src, s.mesh.Dst = nil, blas
	}
	s.place(k, blas)
	s.x.structure = s.build(s.top)
	s.top.Info.Update, s.top.Dst = true, s.x.structure
}

func sheetRays() []Ray {
	var rays []Ray
	for i := range 4096 {
		x, y := float32(i%64)/64-0.5, float32(i/64)/64-0.5
		rays = append(rays, Ray{Origin: [3]float32{0.1, 0.203, 4}, Direction: [3]float32{4*x + 0.01, 1.5 * y, -4}})
	}
	return rays
}

// TestUpdateNativeAndCompute deforms a mesh in six steps, in place and out of place, and moves its instances: the two
// ways see the same.
func TestUpdateNativeAndCompute(t *testing.T) {
	rays := sheetRays()
	results := map[Backend][][]Hit{}
	for _, backend := range []Backend{BackendNative, BackendCompute} {
		t.Run(backend.String(), func(t *testing.T) {
			s := newSheet(t, openBackend(t, backend))
			for k := range 6 {
				s.step(k + 1) // waves: on flat ground, rays meet edges
				hits, err := s.x.Trace(t.Context(), rays)
				if err != nil {
					t.Fatal(err)
				}
				results[backend] = append(results[backend], hits)
			}
		})
	}
	if len(results) < 2 {
		return
	}
	for k := range 6 {
		hit, differ := 0, 0
		for i, a := range results[BackendNative][k] {
			b := results[BackendCompute][k][i]
			if a.OK {
				hit++
			}
			same := a.OK == b.OK && a.Mesh == b.Mesh && a.Triangle == b.Triangle && a.Front == b.Front
			if !same || math.Abs(float64(a.T-b.T)) > 1e-5*float64(a.T) {
				if differ++; differ < 3 {
					t.Logf("step %d, ray %d: native %+v, compute %+v", k, i, a, b)
				}
			}
		}
		t.Logf("step %d: %d rays hit, %d differ", k, hit, differ)
		if hit < 1000 || differ > 8 { // rays at edges
			t.Errorf("step %d: %d of %d rays differ, %d hit", k, differ, len(rays), hit)
		}
	}
}

// TestUpdateFields changes what an update may not change.
func TestUpdateFields(t *testing.T) {
	dev := openBackend(t, BackendCompute)
	s := newSheet(t, dev)
	blas := s.build(s.mesh)
	fixed := s.mesh
	fixed.Info.Flags = vk.PreferFastTrace
	unfit := s.build(fixed)
	s.step(0)
	tiny, err := dev.NewAccelerationStructure(vk.BottomLevel, 256, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	defer tiny.Destroy()
	triangles := func(b *Build) *vk.Triangles { return &b.Info.Geometries[0].Triangles }
	tests := []struct {
		name string
		edit func(b *Build)
		want string
	}{
		{"nothing", func(*Build) {}, ""},
		{"addresses", func(b *Build) {
			triangles(b).VertexData += 4
			triangles(b).VertexStride = 16
			b.Ranges[0].FirstVertex = 1
		}, ""},
		{"source without update", func(b *Build) { b.Info.Update, b.Src = false, blas }, "Info.Update is false"},
		{"not updatable", func(b *Build) { b.Src = unfit }, `"sheet" was built without AllowUpdate in Info.Flags`},
		{"other type", func(b *Build) { b.Src = s.x.structure }, "is a TLAS, Info.Type says BLAS"},
		{"destroyed", func(b *Build) { b.Src = &AccelerationStructure{} }, "Src is nil or destroyed"},
		{"small destination", func(b *Build) { b.Src, b.Dst = blas, tiny }, `Dst "tiny" has 256 bytes`},
		{"flags", func(b *Build) { b.Info.Flags = vk.AllowUpdate }, "Info.Flags is 0x1"},
		{"fewer geometries", func(b *Build) { b.Info.Geometries, b.Ranges = nil, nil }, "Info.Geometries has 0 elements"},
		{"count", func(b *Build) { b.Ranges[0].PrimitiveCount-- }, "Ranges[0].PrimitiveCount is 3041"},
		{"geometry flags", func(b *Build) { b.Info.Geometries[0].Flags = 0 }, "Info.Geometries[0].Flags is 0"},
		{"format", func(b *Build) { triangles(b).VertexFormat = vulkan.FormatR32g32Sfloat }, "Triangles.VertexFormat is 103"},
		{"index type", func(b *Build) { triangles(b).IndexType = vk.IndexUint16 }, "Triangles.IndexType is 0"},
		{"transform", func(b *Build) { triangles(b).TransformData = 64 }, "Triangles.TransformData != 0 is 1"},
		{"max vertex", func(b *Build) { triangles(b).MaxVertex = 7 }, "Triangles.MaxVertex is 7"},
		{"boxes", func(b *Build) {
			b.Info.Geometries[0] = vk.Geometry{Type: vk.GeometryAABBs, AABBs: vk.AABBs{Data: 64, Stride: 24}}
		}, "Info.Geometries[0].Type is 1"},
	}
	for _, tt := range tests {
		b := Build{Info: s.mesh.Info, Ranges: []vk.BuildRange{s.mesh.Ranges[0]}, Dst: blas, Scratch: 1 << 20}
		b.Info.Update = true
		b.Info.Geometries = []vk.Geometry{s.mesh.Info.Geometries[0]}
		tt.edit(&b)
		err := dev.checkBuild(b)
		if tt.want == "" && err != nil {
			t.Errorf("%s: refused with %v", tt.name, err)
		}
		if tt.want != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want ErrInvalid with %q", tt.name, err, tt.want)
		}
	}
}
