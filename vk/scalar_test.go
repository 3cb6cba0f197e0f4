package vk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoBindingCalls checks that the package takes only types and values from vulkan-go: its functions have no addresses,
// since nobody gives them any, and calling one ends the process.
func TestNoBindingCalls(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source files: %v", err)
	}
	set := token.NewFileSet()
	for _, file := range files {
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := name.X.(*ast.Ident); !ok || x.Name != "vulkan" {
				return true
			}
			// Functions are verbs; conversions to types have one operand.
			for _, verb := range []string{"Create", "Destroy", "Free", "Allocate", "Cmd", "Get", "Enumerate", "Queue", "Begin", "End",
				"Reset", "Map", "Unmap", "Bind", "Wait", "Init"} {
				if strings.HasPrefix(name.Sel.Name, verb) && len(call.Args) != 1 {
					t.Errorf("%v: call of vulkan.%s", set.Position(call.Pos()), name.Sel.Name)
				}
			}
			return true
		})
	}
}
