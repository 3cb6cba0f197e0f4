package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOperandsHaveNames: outside of the views, which are made for it, nobody counts the words of an instruction: no
// in.Operands[10], no in.ID(10), but in.TraceRay().Payload(). Tests may, which make instructions by hand.
func TestOperandsHaveNames(t *testing.T) {
	seen := 0
	walkGo(t, root, func(name string, files *token.FileSet, f *ast.File) {
		if rel, _ := filepath.Rel(root, name); strings.HasPrefix(filepath.ToSlash(rel), "fallback/spirv/views") {
			return
		}
		seen++
		for _, at := range countedOperands(f) {
			t.Errorf("%v counts the words of an instruction; use a view, or add one to fallback/spirv/gen/views.txt", files.Position(at))
		}
	})
	if seen < 100 {
		t.Errorf("only %d files were looked at", seen)
	}
}

// countedOperands returns the places where a file takes operands by their number.
func countedOperands(f *ast.File) (found []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		var of ast.Expr
		var by []ast.Expr
		name := "Operands"
		switch e := n.(type) {
		case *ast.IndexExpr:
			of, by = e.X, []ast.Expr{e.Index}
		case *ast.SliceExpr:
			of, by = e.X, []ast.Expr{e.Low, e.High, e.Max}
		case *ast.CallExpr:
			of, by, name = e.Fun, e.Args, "ID"
		}
		s, ok := of.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != name || !slices.ContainsFunc(by, isNumber) {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == "spirv" { // spirv.ID(0) is a conversion
			return true
		}
		found = append(found, n.Pos())
		return true
	})
	return found
}

// isNumber tells whether an expression begins or ends with a number: 2, 2*i+1, n-1.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return isNumber(e.X) || isNumber(e.Y)
	case *ast.ParenExpr:
		return isNumber(e.X)
	}
	return false
}

// TestCountedOperands finds what is counted in each way, and nothing else.
func TestCountedOperands(t *testing.T) {
	for code, want := range map[string]int{
		"in.Operands[2]": 1, "in.Operands[2:]": 1, "in.Operands[:1]": 1, "in.ID(0)": 1, "insts[0].ID(1)": 1, "in.ID(i + 1)": 1,
		"in.Operands[2*i]": 1,
		"in.Operands[i]":   0, "in.ID(i)": 0, "spirv.ID(0)": 0, "in.Operands": 0, "other[0]": 0,
		"in.Operands[at:]": 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", fmt.Sprintf("package a\nvar x = %s", code), 0)
		if err != nil {
			t.Fatal(err)
		}
		if have := len(countedOperands(f)); have != want {
			t.Errorf("%s is counted %d times, want %d", code, have, want)
		}
	}
}
