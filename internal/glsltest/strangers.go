package glsltest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// CompileAs compiles GLSL as Compile does, with arguments of the caller's in place of the target environment.
func CompileAs(t testing.TB, stage, source string, args ...string) []uint32 {
	t.Helper()
	in := filepath.Join(t.TempDir(), "shader."+stage)
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return run(t, find(t, "glslangValidator"), append(append([]string{"-V"}, args...), in)...)
}

// AssembleFile assembles a file of SPIR-V for a version as spirv-as names it, such as spv1.4.
func AssembleFile(t testing.TB, version, file string) []uint32 {
	t.Helper()
	return run(t, find(t, "spirv-as"), "--target-env", version, file)
}

// Optimize runs passes of spirv-opt over a module.
func Optimize(t testing.TB, code []uint32, passes ...string) []uint32 {
	t.Helper()
	made, err := TryOptimize(t, code, 0, passes...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TryOptimize is Optimize for shaders that make spirv-opt fail, or take longer than limit, 0 for none.
func TryOptimize(t testing.TB, code []uint32, limit time.Duration, passes ...string) ([]uint32, error) {
	t.Helper()
	ctx := t.Context()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	tool, dir := find(t, "spirv-opt"), t.TempDir()
	in, out := filepath.Join(dir, "shader.spv"), filepath.Join(dir, "out.spv")
	b, err := binary.Append(nil, binary.LittleEndian, code)
	if err == nil {
		err = os.WriteFile(in, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, passes...), in, "-o", out)
	if text, err := exec.CommandContext(ctx, tool, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("spirv-opt %v: %w\n%s", passes, errors.Join(err, ctx.Err()), text)
	}
	return readModule(t, out), nil
}

// run runs a tool that writes a module to the file that -o names.
func run(t testing.TB, tool string, args ...string) []uint32 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.spv")
	if text, err := exec.Command(tool, append(args, "-o", out)...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(tool), args, err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	code := make([]uint32, len(b)/4)
	for i := range code {
		code[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return code
}

// ValidateNewest runs spirv-val over a module for Vulkan 1.3, which takes SPIR-V 1.6.
func ValidateNewest(t testing.TB, code []uint32) {
	t.Helper()
	tool := find(t, "spirv-val")
	b, err := binary.Append(nil, binary.LittleEndian, code)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "--target-env", "vulkan1.3", "--scalar-block-layout", "-")
	cmd.Stdin = bytes.NewReader(b)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("spirv-val: %v\n%s", err, text)
	}
}

// NVIDIA translates GLSL of GL_EXT_ray_tracing to that of GL_NV_ray_tracing, where it has the same.
func NVIDIA(source string) string {
	return strings.NewReplacer("ignoreIntersectionEXT", "ignoreIntersectionNV()", "terminateRayEXT", "terminateRayNV()",
		"traceRayEXT", "traceNV", "gl_HitTEXT", "gl_HitTNV", "EXT", "NV").Replace(source)
}
