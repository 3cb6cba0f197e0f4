package main

import (
	"path/filepath"
	"testing"

	"github.com/everray/everray/assets"
)

// Every scene is a file that the viewer reads without a warning.
func TestScenesLoad(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for name := range scenes() {
		s, err := assets.Load(t.Context(), filepath.Join(dir, name+".gltf"), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %q", name, s.Warnings)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
