package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnippet compiles README's Go, as the body of a function.
func TestSnippet(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	body, _, found := strings.Cut(rest, "```")
	if !found || strings.Contains(rest[len(body)+3:], "```go") {
		t.Fatal("README should have one block of Go")
	}
	program := "package snippet\n\n" +
		"import (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n" +
		"\t\"github.com/everray/everray/engine\"\n)\n\n" +
		"func example() {\n" +
		body + "}\n"
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	here, err := filepath.Abs("snippet")
	if err != nil {
		t.Fatal(err)
	}
	// The file is in the module only for this build.
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{source: program, overlay: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "vulkan", "-overlay", overlay, "./snippet")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
