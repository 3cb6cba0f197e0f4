// Package shaders holds the engine's own shaders: GLSL sources, and their SPIR-V, embedded.
//
// The SPIR-V under spv/ is what scripts/shaders.sh makes of the sources (`make shaders`), it is committed, and
// `make test` proves that it is reproducible. Load is pure and safe for concurrent use.
package shaders

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:spv
var spv embed.FS

// ErrUnknownShader is returned by Load for a name that has no SPIR-V.
var ErrUnknownShader = errors.New("no such shader")

// spirvMagic is the first word of every SPIR-V module.
const spirvMagic = 0x07230203

// Target is what sort of device a variant of a shader with traversal is for.
type Target string

// The targets.
const (
	// Any device runs it.
	Any Target = ""
	// Long is for devices with 64-bit integers: addresses are sums of them (bvh/common/access.glsl).
	Long Target = "long"
	// SIMD is for CPUs, with 64-bit integers (bvh/trace/simd.glsl).
	SIMD Target = "simd"
	// Thin is no device's: shaders for scenes with points and lines (viewer/thin.glsl).
	Thin Target = "thin"
)

// TargetOf chooses for a device: simd is vk.Device.SIMD, int64 the feature.
func TargetOf(simd, int64 bool) Target {
	switch {
	case simd:
		return SIMD
	case int64:
		return Long
	}
	return Any
}

// Variant returns the name of a shader's variant for a target. Only shaders with traversal that applications run have all.
func Variant(name string, target Target) string {
	if target == Any {
		return name
	}
	return variant(name, string(target))
}

func variant(name, of string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + of + ext
}

// VariantFor is Variant of a shader with traversal that knows clusters (bvh/trace/cluster.glsl), or does not.
func VariantFor(name string, target Target, clusters bool) string {
	if clusters {
		name = variant(name, "clusters")
	}
	return Variant(name, target)
}

// Load returns the SPIR-V words of a shader by the name of its source, for example "bvh/build/morton.comp".
func Load(name string) ([]uint32, error) {
	b, err := spv.ReadFile(path.Join("spv", name+".spv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("shader %q: %w (compile it with `make shaders`)", name, ErrUnknownShader)
	}
	if err != nil {
		return nil, fmt.Errorf("shader %q: %w", name, err)
	}
	return words(name, b)
}

func words(name string, b []byte) ([]uint32, error) {
	if len(b) < 20 || len(b)%4 != 0 || binary.LittleEndian.Uint32(b) != spirvMagic {
		return nil, fmt.Errorf("shader %q: the embedded file is not a SPIR-V module (run `make shaders`)", name)
	}
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w, nil
}
