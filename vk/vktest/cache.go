package vktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// mesaCache names the directory of Mesa's cache of compiled shaders.
	mesaCache = "MESA_SHADER_CACHE_DIR"
	// cacheFolder is where tests have theirs, below the user's directory for caches.
	cacheFolder = "everray-tests"
)

func init() {
	if err := OwnCache(); err != nil {
		fmt.Fprintln(os.Stderr, "vktest:", err) // the tests are as right without, and slower at worst
	}
}

// OwnCache gives tests a cache of compiled shaders of their own, one for each way of compiling. Lavapipe's key of a shader has its
// code and GALLIVM_PERF, but not LP_NATIVE_VECTOR_WIDTH (Mesa 25.0.7): from a cache that knew other vectors come shaders whose
// subgroups have other sizes than the device says (TestCacheKeepsVectorsApart), for all that the user runs later, too. Whoever
// imports this package has it before the driver is loaded. A directory that the user chose stays.
func OwnCache() error {
	base, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	base = filepath.Join(base, cacheFolder)
	if dir := os.Getenv(mesaCache); dir != "" && filepath.Dir(dir) != base {
		return nil
	}
	dir := filepath.Join(base, cacheName(os.Getenv))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Setenv(mesaCache, dir)
}

// cacheName is the name of the directory for what the environment has lavapipe's compiler do.
func cacheName(getenv func(string) string) string {
	name := "mesa"
	for _, v := range []string{"LP_NATIVE_VECTOR_WIDTH", "GALLIVM_PERF", "GALLIVM_DEBUG", "LP_PERF", "LP_DEBUG"} {
		if value := getenv(v); value != "" {
			name += "-" + v + "=" + strings.ReplaceAll(value, string(filepath.Separator), "_")
		}
	}
	return name
}
