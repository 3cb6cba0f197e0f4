package accel

import (
	"errors"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/everray/everray/assets"
	"github.com/everray/everray/cmd/viewer/internal/devtest"
	"github.com/everray/everray/engine"
)

func TestUploadNumbersGeometries(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene, err := assets.Builtin("cornell")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Upload(t.Context(), dev, scene, Options{Attributes: true, RecordsPerGeometry: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	i := 0
	for m := range scene.Meshes {
		if s.FirstGeometry[m] != uint32(i) {
			t.Errorf("mesh %d begins at geometry %d, want %d", m, s.FirstGeometry[m], i)
		}
		for p := range scene.Meshes[m].Primitives {
			g := s.Geometries[i]
			if g.Mesh != m || g.Primitive != p || g.Indices == 0 || g.Positions == 0 || g.Normals == 0 || g.UV0 == 0 || g.Extra != 0 ||
				g.BuildIndices != g.Indices || g.BuildPositions != g.Positions {
				t.Errorf("geometry %d: %+v", i, g)
			}
			i++
		}
	}
	if s.TopLevel.Address() == 0 || s.BottomReport.Primitives == 0 || s.Bytes == 0 {
		t.Errorf("scene %+v", s)
	}
	if _, ok := s.Triangle(0, 0, 1<<30); ok {
		t.Error("a triangle that is not there")
	}
	in := &scene.Instances[0]
	prim := &scene.Meshes[in.Mesh].Primitives[0]
	got, ok := s.Triangle(0, 0, 0)
	v := prim.Indices[0]
	want := in.Transform.Mul4x1(mgl32.Vec4{prim.Positions[3*v], prim.Positions[3*v+1], prim.Positions[3*v+2], 1}).Vec3()
	if !ok || got[0] != want {
		t.Errorf("triangle %v, its first corner should be %v", got, want)
	}
}

// Builds read the vertices that triangles share, shaders each triangle's own.
func TestUploadSharedVertices(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	scene := &assets.Scene{
		Materials: []assets.Material{assets.DefaultMaterial()},
		Instances: []assets.Instance{{Transform: mgl32.Ident4()}},
		Meshes: []assets.Mesh{{Primitives: []assets.Primitive{{
			Positions: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0}, Indices: []uint32{0, 1, 2, 3, 4, 5},
			Shared: &assets.Surface{Positions: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, Indices: []uint32{0, 1, 2, 2, 1, 3}},
		}}}},
	}
	s, err := Upload(t.Context(), dev, scene, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Destroy()
	g, in := s.Geometries[0], s.BottomBuilds()[0].Info.Geometries[0].Triangles
	if g.BuildPositions == g.Positions || g.BuildIndices == g.Indices || in.VertexData != g.BuildPositions ||
		in.IndexData != g.BuildIndices || in.MaxVertex != 3 {
		t.Errorf("geometry %+v is built from %+v", g, in)
	}
}

// A scene that is larger than the device's memory is refused before anything is copied. All primitives here share one array.
func TestSceneLargerThanTheDevice(t *testing.T) {
	dev := devtest.Open(t, engine.BackendCompute)
	const bytes = 256 << 20
	positions := make([]float32, bytes/4/3*3)
	scene := &assets.Scene{
		Name:      "huge",
		Materials: []assets.Material{assets.DefaultMaterial()},
		Instances: []assets.Instance{{Transform: mgl32.Ident4()}},
		Meshes:    []assets.Mesh{{}},
	}
	for range dev.Info().DeviceMemory/bytes + 2 {
		p := assets.Primitive{Positions: positions, Indices: []uint32{0, 1, 2}}
		scene.Meshes[0].Primitives = append(scene.Meshes[0].Primitives, p)
	}
	s, err := Upload(t.Context(), dev, scene, Options{})
	if !errors.Is(err, ErrTooLarge) || s != nil {
		t.Errorf("got %v, %v", s, err)
	}
}
