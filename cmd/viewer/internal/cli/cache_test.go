package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMain keeps the tests out of the user's cache directory.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "everray-cli-test-")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // what is left lies in the system's temporary directory
	os.Exit(code)
}

// TestCache renders twice: the second time nothing is new to the directory, and the picture is the same. That modules come
// from there is tested in package fallback, by counts.
func TestCache(t *testing.T) {
	requireBackend(t, "compute")
	dir := filepath.Join(t.TempDir(), "pipelines")
	render := func(cache string) string {
		img, _ := renderImage(t, "builtin:cornell", "compute", "--width", "16", "--height", "16", "--spp", "1", "--cache", cache)
		return fmt.Sprint(img.Pix)
	}
	want := render("none")
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("the directory is there before it was named")
	}
	first := render(dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.entry"))
	if err != nil || len(files) < 2 {
		t.Errorf("files %v: %v, want the module and the driver's data", files, err)
	}
	second := render(dir)
	if first != want || second != want {
		t.Error("the pictures differ")
	}
	if again, err := filepath.Glob(filepath.Join(dir, "*.entry")); err != nil || !slices.Equal(again, files) {
		t.Errorf("files %v after the second run (%v), %v after the first", again, err, files)
	}
}

func TestCacheDir(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	file := filepath.Join(base, "everray")
	for _, tt := range []struct{ flag, want string }{{"none", ""}, {"default", file}, {"/somewhere", "/somewhere"}} {
		if got := (&deviceFlags{cache: tt.flag}).cacheDir(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.flag, got, tt.want)
		}
	}
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (&deviceFlags{cache: "default"}).cacheDir(); got != "" {
		t.Errorf("a default directory that cannot be made: %q", got)
	}
}
