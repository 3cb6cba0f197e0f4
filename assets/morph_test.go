package assets

import (
	"errors"
	"slices"
	"strconv"
	"testing"
)

// Default weights of the mesh move its vertices; a node's own weights come before them, and make a mesh of their own.
func TestMorphTargets(t *testing.T) {
	morphed := func() *testFile {
		f := newTriangle(t)
		up := f.addAccessor(floatBytes(0, 0, 2, 0, 0, 2, 0, 0, 2), 5126, 3, "VEC3", "")
		turn := f.addAccessor(floatBytes(4, 0, -1, 4, 0, -1, 4, 0, -1), 5126, 3, "VEC3", "")
		normal := f.addAccessor(floatBytes(0, 0, 1, 0, 0, 1, 0, 0, 1), 5126, 3, "VEC3", "")
		f.set("meshes.0.primitives.0.attributes.NORMAL", strconv.Itoa(normal))
		f.set("meshes.0.primitives.0.targets", `[{"POSITION":`+strconv.Itoa(up)+`},{"NORMAL":`+strconv.Itoa(turn)+`}]`)
		return f
	}
	s := morphed().mustLoad()
	if z := s.Meshes[0].Primitives[0].Positions[2]; z != 0 {
		t.Errorf("without weights z is %g", z)
	}
	f := morphed().set("meshes.0.weights", "[0.5,1]")
	s = f.mustLoad()
	if p := s.Meshes[0].Primitives[0]; p.Positions[2] != 1 || !slices.Equal(p.Normals[:3], []float32{1, 0, 0}) {
		t.Errorf("at the default weights: positions %v, normals %v", p.Positions, p.Normals)
	}
	f.set("nodes.+", `{"mesh":0,"weights":[2,0]}`)
	f.set("scenes.0.nodes", "[0,1]")
	s = f.mustLoad()
	if len(s.Meshes) != 2 || s.Meshes[1].Primitives[0].Positions[2] != 4 || s.Meshes[0].Primitives[0].Positions[2] != 1 {
		t.Errorf("a node's own weights: %d meshes", len(s.Meshes))
	}
	few := f.addAccessor(floatBytes(0, 0, 2), 5126, 1, "VEC3", "")
	if _, err := f.set("meshes.0.primitives.0.targets.0.POSITION", strconv.Itoa(few)).load(); !errors.Is(err, ErrInvalid) {
		t.Errorf("a target with too few vertices: %v", err)
	}
}
