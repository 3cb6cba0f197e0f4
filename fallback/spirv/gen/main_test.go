package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestViews holds the files of views against the table that they come from.
func TestViews(t *testing.T) {
	kinds, err := grammar("..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := views(table, kinds)
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob("../views_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if name := filepath.Base(path); files[name] == nil && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is of no table", name)
		}
	}
	for name, want := range files {
		if have, err := os.ReadFile(filepath.Join("..", name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what views.txt says (go generate ./fallback/spirv): %v", name, err)
		}
	}
}

// TestGrammar: all rows of the grammar are read, also those of two lines.
func TestGrammar(t *testing.T) {
	kinds, err := grammar("..")
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]string{"Nop": "", "Variable": "Si?", "TraceRayKHR": "iiiiiiiiiii",
		"RayQueryGetIntersectionTriangleVertexPositionsKHR": "ii"} {
		if have, ok := kinds[op]; !ok || have != want {
			t.Errorf("operands of Op%s are %q, want %q", op, have, want)
		}
	}
}

// TestWrongTables has rows that do not fit the grammar refused.
func TestWrongTables(t *testing.T) {
	kinds, err := grammar("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ table, want string }{
		"no file":        {"Load Load: Pointer MemoryAccess", "no file"},
		"no colon":       {"file x\nLoad Load Pointer", "no row"},
		"unknown":        {"file x\nLoad Loaf: Pointer", "no OpLoaf"},
		"too few":        {"file x\nTraceRay TraceRayKHR: Accel Payload", "11 operands"},
		"begins unlike":  {"file x\nBegin Load Variable: Pointer ...", "OpVariable are not like"},
		"too many":       {"file x\nBranch Branch: TargetLabel Weight", "1 operands"},
		"unlike opcodes": {"file x\nMemory Load Store: Pointer MemoryAccess", "OpStore are not like"},
		"behind a text":  {"file x\nEntryPoint EntryPoint: ExecutionModel EntryPoint Name Interface", "no fixed place"},
	} {
		if _, err := views(c.table, kinds); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want one about %q", name, err, c.want)
		}
	}
}
