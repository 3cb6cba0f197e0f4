package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is about triangles leaves out points and lines, and says so; where nothing is left that is an error.
func TestLoadTriangles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"both.obj": thinOBJ, "points.obj": "v 0 0 0\nv 1 0 0\np 1 2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	f := sceneFlags{scene: filepath.Join(dir, "both.obj"), width: 8, height: 8}
	scene, _, err := f.loadTriangles(t.Context(), &app{stderr: &said})
	if err != nil || scene.HasThin() || len(scene.Instances) != 1 || !strings.Contains(said.String(), "4 points and lines") {
		t.Errorf("%v, said %q", err, said.String())
	}
	f.scene = filepath.Join(dir, "points.obj")
	if _, _, err := f.loadTriangles(t.Context(), &app{stderr: &said}); !errors.Is(err, errNoTriangles) {
		t.Errorf("points alone: %v", err)
	}
}
