package vktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everray/everray/vk"
)

// recorder stands in for a test, so that one can see what would fail it.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// finish runs the cleanups as a test's end does.
func (r *recorder) finish() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func (r *recorder) wantOnly(t *testing.T, part string) {
	t.Helper()
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], part) {
		t.Errorf("want one failure with %q, have %q", part, r.failures)
	}
}

// open leaves the way out for skipping (or failing) to the real test.
func open(t *testing.T, opts ...Option) (*recorder, *vk.Device) {
	t.Helper()
	r := &recorder{TB: t}
	return r, Device(r, opts...)
}

func buffer(t *testing.T, d *vk.Device, name string) *vk.Buffer {
	t.Helper()
	b, err := d.NewBuffer(vk.BufferOptions{Name: name, Size: 256})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValidationMessageFailsTheTest(t *testing.T) {
	r, d := open(t)
	b := buffer(t, d, "misused")
	if err := d.Run(t.Context(), "fill", func(cb *vk.CommandBuffer) error {
		cb.FillBuffer(b, 2, 8, 0) // the offset must be a multiple of 4
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.Destroy()
	r.finish()
	r.wantOnly(t, "VUID-vkCmdFillBuffer-dstOffset")
}

func TestSynchronisationMessageFailsTheTest(t *testing.T) {
	r, d := open(t)
	a, b := buffer(t, d, "first"), buffer(t, d, "second")
	if err := d.Run(t.Context(), "race", func(cb *vk.CommandBuffer) error {
		cb.FillBuffer(a, 0, 256, 1)
		cb.CopyBuffer(a, 0, b, 0, 256) // without a barrier
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a.Destroy()
	b.Destroy()
	r.finish()
	r.wantOnly(t, "SYNC-HAZARD-READ-AFTER-WRITE")
}

func TestLeakFailsTheTest(t *testing.T) {
	// The layer too reports what is alive at the end of its device.
	r, d := open(t, Expect(func(m vk.Message) bool { return strings.Contains(m.ID, "vkDestroyDevice") }))
	buffer(t, d, "forgotten")
	r.finish()
	r.wantOnly(t, `buffer "forgotten"`)
}

func TestExpectedMessageIsLetThrough(t *testing.T) {
	seen := 0
	r, d := open(t, Expect(func(m vk.Message) bool {
		seen++
		return strings.Contains(m.ID, "dstOffset")
	}))
	b := buffer(t, d, "misused")
	if err := d.Run(t.Context(), "fill", func(cb *vk.CommandBuffer) error {
		cb.FillBuffer(b, 2, 8, 0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.Destroy()
	r.finish()
	if len(r.failures) != 0 || seen != 1 {
		t.Errorf("%d messages, failures %q", seen, r.failures)
	}
}

func TestCleanDeviceFailsNothing(t *testing.T) {
	r, d := open(t, Native())
	buffer(t, d, "kept").Destroy()
	r.finish()
	if len(r.failures) != 0 {
		t.Errorf("failures: %q", r.failures)
	}
}

// TestOwnCache: settings of the compiler have directories of their own; one that the user chose stays.
func TestOwnCache(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("GALLIVM_PERF", "")
	t.Setenv(mesaCache, "")
	seen := map[string]bool{}
	for _, width := range []string{"", "128", "512", "../x"} {
		t.Setenv("LP_NATIVE_VECTOR_WIDTH", width)
		if err := OwnCache(); err != nil {
			t.Fatal(err)
		}
		dir := os.Getenv(mesaCache)
		if i, err := os.Stat(dir); err != nil || !i.IsDir() || filepath.Dir(dir) != filepath.Join(base, cacheFolder) || seen[dir] {
			t.Errorf("width %q has %q: %v", width, dir, err)
		}
		seen[dir] = true
	}
	t.Setenv(mesaCache, base)
	if err := OwnCache(); err != nil || os.Getenv(mesaCache) != base {
		t.Errorf("a directory that was chosen became %q: %v", os.Getenv(mesaCache), err)
	}
}

// TestQuickCompiler sets what is not set, and nothing else.
func TestQuickCompiler(t *testing.T) {
	const optimiser, width = "GALLIVM_PERF", "LP_NATIVE_VECTOR_WIDTH"
	t.Setenv(width, "256")
	t.Setenv(mesaCache, os.Getenv(mesaCache)) // so that it comes back
	t.Setenv(optimiser, "")                   // so that it comes back
	if err := os.Unsetenv(optimiser); err != nil {
		t.Fatal(err)
	}
	if err := QuickCompiler(); err != nil {
		t.Fatal(err)
	}
	if a, b := os.Getenv(optimiser), os.Getenv(width); a != "nopt" || b != "256" {
		t.Errorf("%s is %q, %s is %q", optimiser, a, width, b)
	}
}
