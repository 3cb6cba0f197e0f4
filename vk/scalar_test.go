package vk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestNoBindingCalls checks that the package takes only types and values from vulkan-go: its functions have no addresses,
// since nobody gives them any, and calling one ends the process.
func TestNoBindingCalls(t *testing.T) {
	set := token.NewFileSet()
	packages, err := parser.ParseDir(set, ".", nil, 0) //nolint:staticcheck // one folder, no build tags to honour
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
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
			for _, verb := range []string{"Create", "Destroy", "Free", "Allocate", "Cmd", "Get", "Enumerate", "Queue", "Begin", "End", "Reset", "Map", "Unmap", "Bind", "Wait", "Init"} {
				if strings.HasPrefix(name.Sel.Name, verb) && len(call.Args) != 1 {
					t.Errorf("%v: call of vulkan.%s", set.Position(call.Pos()), name.Sel.Name)
				}
			}
			return true
		})
	}
}
