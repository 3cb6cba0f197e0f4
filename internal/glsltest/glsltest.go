// Package glsltest compiles GLSL and validates SPIR-V in tests, with the tools that scripts/setup.sh installs.
// Tests that need a tool are skipped, with a message that names it, where it is absent.
package glsltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Compile compiles GLSL of a stage as glslangValidator names it: rgen, rchit, rmiss, rahit, comp and so on.
func Compile(t testing.TB, stage, source string) []uint32 {
	t.Helper()
	tool := find(t, "glslangValidator")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "shader."+stage), filepath.Join(dir, "shader.spv")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(tool, "-V", "--target-env", "vulkan1.2", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("glslangValidator: %v\n%s\n%s", err, text, source)
	}
	return readModule(t, out)
}

// Compiler compiles each source once, for tests that link the same shaders many times: glslangValidator takes a tenth of a
// second for the smallest. The zero value is ready; several goroutines may use one.
type Compiler struct {
	mu      sync.Mutex
	modules map[[2]string][]uint32
}

// Compile is the function of that name. Each caller gets a copy.
func (c *Compiler) Compile(t testing.TB, stage, source string) []uint32 {
	t.Helper()
	c.mu.Lock()
	code := c.modules[[2]string{stage, source}]
	c.mu.Unlock()
	if code == nil {
		code = Compile(t, stage, source)
		c.mu.Lock()
		if c.modules == nil {
			c.modules = map[[2]string][]uint32{}
		}
		c.modules[[2]string{stage, source}] = code
		c.mu.Unlock()
	}
	return slices.Clone(code)
}

// Validate runs spirv-val over a module for Vulkan 1.2.
func Validate(t testing.TB, code []uint32) {
	t.Helper()
	if err := Valid(t, code); err != nil {
		if dir := os.Getenv("EVERRAY_KEEP_SPIRV"); dir != "" {
			b, _ := binary.Append(nil, binary.LittleEndian, code)
			_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".spv"), b, 0o600)
		}
		t.Fatal(err)
	}
}

// Valid says what spirv-val has against a module for Vulkan 1.2.
func Valid(t testing.TB, code []uint32) error {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, code)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(find(t, "spirv-val"), "--target-env", "vulkan1.2", "--scalar-block-layout", "-")
	cmd.Stdin = bytes.NewReader(b)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("spirv-val: %w\n%s", err, text)
	}
	return nil
}

func find(t testing.TB, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("%s is not installed: run scripts/setup.sh", tool)
	}
	return path
}

// Assemble assembles SPIR-V text, for what glslangValidator does not know.
func Assemble(t testing.TB, source string) []uint32 {
	t.Helper()
	tool := find(t, "spirv-as")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "shader.spvasm"), filepath.Join(dir, "shader.spv")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(tool, "--target-env", "vulkan1.2", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("spirv-as: %v\n%s\n%s", err, text, source)
	}
	return readModule(t, out)
}

func readModule(t testing.TB, file string) []uint32 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code := make([]uint32, len(b)/4)
	for i := range code {
		code[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return code
}
