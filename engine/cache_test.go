package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everray/everray/engine"
)

// TestCacheDir makes the same pipeline in two devices, one after the other, that share a directory.
func TestCacheDir(t *testing.T) {
	for _, b := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		t.Run(b.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			var pixels [2][][4]float32
			var stats [2]engine.PipelineStats
			var files [2][]string
			for i := range pixels {
				missing := false
				t.Run("run", func(t *testing.T) {
					defer func() { missing = t.Skipped() }()
					d := openWith(t, engine.Options{Backend: b, CacheDir: dir})
					scene, r := newScene(t, d), newRig(t, d, imageSize)
					pixels[i], stats[i] = r.trace(t, scene.tlas, 0, 0xFF), r.pipeline.Stats()
				})
				if missing {
					t.SkipNow() // the run said why
				}
				files[i] = namesIn(t, dir)
			}
			if len(pixels[0]) == 0 || !slices.Equal(pixels[0], pixels[1]) {
				t.Error("the pictures differ")
			}
			if len(files[0]) == 0 || !slices.Equal(files[0], files[1]) {
				t.Errorf("files %v, then %v: the second run made others", files[0], files[1])
			}
			if stats[0].CodeWords != stats[1].CodeWords {
				t.Errorf("first %+v, then %+v", stats[0], stats[1])
			}
		})
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	check(t, err)
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestCacheDirRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	for _, b := range []engine.Backend{engine.BackendNative, engine.BackendCompute} {
		d, err := engine.Open(t.Context(), engine.Options{Backend: b, CacheDir: file})
		if err == nil {
			t.Errorf("%v: opened with a file as its cache directory", b)
			check(t, d.Close())
		}
	}
}
